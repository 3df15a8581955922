"""The record of a game: the deal, the players, every move, and annotations.

>>> from durak_core import Record, Rules, State
>>> record = Record.of(State.deal(Rules(), seed=7), ("Anna", "Boris"))
>>> record = record.added(record.end.legal_actions[0], comment="as low as it goes")
>>> len(record.replay()), record.result
(2, None)
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from durak_core.actions import Action, encode
from durak_core.cards import Card
from durak_core.errors import IllegalActionError, Message, NotationError, RecordError
from durak_core.game.events import ActionEvent, BoutBegan, action_of
from durak_core.game.observation import Phase
from durak_core.game.state import State
from durak_core.game.state_view import is_whole
from durak_core.kernel.position import MASK63
from durak_core.rules import Rules

MOVE_MARKS: Final = ("", "!", "?", "!!", "??", "!?", "?!")
"""Marks of moves, as in chess: good, bad, brilliant, blunder, interesting, dubious."""

RESERVED_TAGS: Final = frozenset(
    {
        "Rules",
        "Seed",
        "Deck",
        "FirstAttacker",
        "ByLowestTrump",
        "Date",
        "Result",
        *(f"Seat{seat}" for seat in range(6)),
    }
)
"""Tag names of a record's own fields, not allowed in `Record.tags`."""

REAL_TAG: Final = "RealCards"
"""The tag of a record with the reporting seat, and the cards that it has drawn and not named: ``0 6s7d``.

``0 whole`` means that the reports allow one deal only, so that all hands are known.
"""
MOST_TAGS: Final = 100
LONGEST_TAG: Final = 10_000
"""Longest value of a tag, in characters."""

_TAG_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Move:
    """One action of a seat, with one of `MOVE_MARKS` and a comment; other marks raise `RecordError`."""

    seat: int
    action: Action
    mark: str = ""
    comment: str = ""

    def __post_init__(self) -> None:
        if self.mark not in MOVE_MARKS:
            raise RecordError(
                "{mark!r} is not a mark: expected one of {marks}, or none",
                mark=self.mark,
                marks=" ".join(MOVE_MARKS[1:]),
            )

    def __str__(self) -> str:
        return f"{self.seat}{self.action}"


@dataclass(frozen=True, slots=True)
class RecordResult:
    """The result of a game.

    Attributes:
        fools: The losing seats: the fool or its team; none in a draw.
        draw: Whether it was a draw (rules 8.3, 8.5).
        places: The finishing order of the seats, the fool last (2.2.6, 8.4).
    """

    fools: tuple[int, ...]
    draw: bool
    places: tuple[int, ...]
    bouts: int
    plies: int

    @classmethod
    def of(cls, state: State) -> RecordResult | None:
        """Return the result of a state; None before the end."""
        if not state.is_over:
            return None
        return cls(state.fools, state.is_draw, state.places, state.bout, state.plies)

    def __str__(self) -> str:
        return "draw" if self.draw else f"fool {','.join(map(str, self.fools))}"


@dataclass(frozen=True)
class Record:
    """A game from its deal to its last move so far; `added` returns the next record (rules 11.1).

    ``known_end`` and ``known_result`` save `end` and `result` a replay.

    Attributes:
        deck: All cards in the order of dealing and drawing, the trump card last.
        players: A name for each seat.
        seed: The seed of the deal, 0 to 2^63 - 1, or None.
        date: The date of the game, such as ``"2025-11-20"``; any text.
        tags: At most `MOST_TAGS` names of letters, digits and ``_``, with values up to `LONGEST_TAG`.
        comment: A comment before the first move.
        by_lowest_trump: Whether rules 4.1 chose the first attacker although rules 4.2 could have.
        extra: Unknown keys of the JSON form, ignored by equality.

    Raises:
        RecordError: If the names do not fit the seats, the seed is out of range, or the tags are invalid.
            The deck and the moves are checked by `replay`.
    """

    rules: Rules
    deck: tuple[Card, ...]
    first_attacker: int
    players: tuple[str, ...]
    moves: tuple[Move, ...] = ()
    seed: int | None = None
    date: str = ""
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)
    comment: str = ""
    by_lowest_trump: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    known_end: InitVar[State | None] = field(default=None, kw_only=True)
    known_result: InitVar[RecordResult | None] = field(default=None, kw_only=True)

    def __post_init__(self, known_end: State | None, known_result: RecordResult | None) -> None:
        if known_end is not None:
            self.__dict__["end"] = known_end
        if known_result is not None:
            self.__dict__["result"] = known_result
        if len(self.players) != self.rules.seats:
            raise RecordError(
                "{count} names for {seats} seats", rule="2.1", count=len(self.players), seats=self.rules.seats
            )
        if self.seed is not None and not is_whole(self.seed, 0, MASK63):
            raise RecordError(
                "seed {seed}: expected a number from {low} to {high}",
                rule="3.1",
                seed=repr(self.seed),
                low=0,
                high=MASK63,
            )
        if len(self.tags) > MOST_TAGS:
            raise RecordError("{count} tags: expected at most {most}", count=len(self.tags), most=MOST_TAGS)
        for name, value in self.tags.items():
            if len(value) > LONGEST_TAG:
                raise RecordError(
                    "the tag {name} has {count} characters: expected at most {most}",
                    name=name,
                    count=len(value),
                    most=LONGEST_TAG,
                )
            if name in RESERVED_TAGS:
                raise RecordError(
                    "the tag {name} belongs to the record's own fields; choose another name", name=name
                )
            if not _TAG_NAME.fullmatch(name):
                raise RecordError(
                    "{name!r} cannot name a tag: use letters, digits and _, a letter first", name=name
                )

    @classmethod
    def of(cls, state: State, players: tuple[str, ...], date: str = "", **tags: str) -> Record:
        """Start a record of the moves from the deal to a state, with a name for each seat and tags.

        Names or tags that do not fit, and set-up states, raise `RecordError`.
        """
        if state.deck is None:
            raise RecordError("a position that was set up has no deal to record; write its position instead")
        moves = tuple(
            [Move(event.seat, action_of(event)) for event in state.events if isinstance(event, ActionEvent)]
        )
        begun = state.events[0]
        found = isinstance(begun, BoutBegan) and begun.first_by is not None
        return cls(
            state.rules,
            state.deck,
            state.first_attacker,
            players,
            moves,
            state.seed,
            date,
            dict(tags),
            by_lowest_trump=found and state.rules.next_first_attacker != "lowest_trump",
            known_end=state,
        )

    @property
    def start(self) -> State:
        """The state before the first move; raises `DealError` if the deck or first attacker is invalid."""
        ruled = None if REAL_TAG in self.tags else self.by_lowest_trump
        return State.from_deck(self.rules, self.deck, self.first_attacker, self.seed, by_lowest_trump=ruled)

    @cached_property
    def end(self) -> State:
        """The state after the last move; raises as `replay` does."""
        return self._last_state()

    @cached_property
    def result(self) -> RecordResult | None:
        """The result, or None before the end; raises as `replay` does."""
        return RecordResult.of(self._last_state())

    @cached_property
    def moves_text(self) -> str:
        """The seats and actions of the moves, such as ``06s 18s``, without marks and comments."""
        return " ".join(map(str, self.moves))

    def replay(self) -> tuple[State, ...]:
        """Return the state before the first move and after each move.

        Raises:
            DealError: As for `start`.
            RecordError: If a move is illegal or another seat's; has the ply, the action, the forbidding
                paragraph and the legal actions.
        """
        return tuple(self._states())

    def added(self, action: Action, seat: int | None = None, mark: str = "", comment: str = "") -> Record:
        """Return this record with one more move, at the cost of one `State.apply`.

        ``seat`` is by default the seat to act;
        ``mark`` is one of `MOVE_MARKS`. Illegal moves raise `RecordError`.
        """
        before = self.end
        actor = before.turn if seat is None else seat
        move = Move(-1 if actor is None else actor, action, mark, comment)
        state = played(before, move, len(self.moves) + 1)
        return replace(self, moves=(*self.moves, move), known_end=state)

    def ended(self, moves: tuple[Move, ...], result: RecordResult) -> Record:
        """Return this record with the moves and the result of a game known to be legal."""
        return replace(self, moves=moves, known_result=result)

    def annotated(self, ply: int, mark: str = "", comment: str = "") -> Record:
        """Return this record with another mark and comment at a ply; raise `RecordError` if invalid.

        Plies count from 1; ply 0 is a comment before the first move.
        """
        if not 0 <= ply <= len(self.moves) or (ply == 0 and mark):
            raise RecordError(
                "there is no move {move} to annotate: expected 1 to {last}", move=ply, last=len(self.moves)
            )
        if ply == 0:
            return replace(self, comment=comment, known_end=self._known_end)
        move = replace(self.moves[ply - 1], mark=mark, comment=comment)
        moves = (*self.moves[: ply - 1], move, *self.moves[ply:])
        return replace(self, moves=moves, known_end=self._known_end)

    @property
    def _known_end(self) -> State | None:
        return self.__dict__.get("end")

    def _states(self) -> Iterator[State]:
        state = self.start
        yield state
        for ply, move in enumerate(self.moves, 1):
            state = played(state, move, ply)
            yield state

    def _last_state(self) -> State:
        if self._known_end is not None:
            return self._known_end
        return end_of(self.start, self.moves) or deque(self._states(), maxlen=1).pop()


class BrokenGameError(RecordError):
    """A game's text or JSON that breaks off, does not parse, or is illegal.

    Attributes:
        ply: Number of the offending move, from 1, or None.
        line: Number of the offending line, from 1, or None.
        position: Index of the offending character in the whole text, or None.
        partial: The game up to its last legal move; None if the error precedes the deal.
        earlier: The games before this one.
    """

    def __init__(
        self,
        template: str | Message,
        /,
        ply: int | None = None,
        *,
        line: int | None = None,
        position: int | None = None,
        partial: Record | None = None,
        **values: object,
    ) -> None:
        super().__init__(template, None, "", **values)
        self.ply = ply
        self.line = line
        self.position = position
        self.partial = partial
        self.earlier: tuple[Record, ...] = ()

    @classmethod
    def at(cls, error: NotationError, line: int, message: Message) -> BrokenGameError:
        """Return a game's error as a file's error, with a message that names the place."""
        broken = cls(message, getattr(error, "ply", None), line=line)
        if isinstance(error, BrokenGameError):
            broken.partial, broken.earlier = error.partial, error.earlier
        return broken


def end_of(start: State, moves: Sequence[Move]) -> State | None:
    """Return the state after recorded moves, or None if one is illegal; `played` names it."""
    return start.after([move.seat for move in moves], [encode(move.action) for move in moves])


def played(state: State, move: Move, ply: int) -> State:
    """Play a recorded move; raise `RecordError` with its ply, from 1, if it is illegal or another seat's."""
    if state.turn is not None and move.seat != state.turn:
        legal = tuple(map(str, state.legal_actions))
        in_round = state.phase in (Phase.THROW_IN, Phase.PILE_ON)
        if in_round and move.seat in state.rules.partners(state.defender):
            raise RecordError(
                "{action} by seat {seat} is not allowed here: nobody throws in against a partner "
                "(rules 2.2.2); seat {turn} is to act; legal: {legal}",
                ply,
                action=move.action,
                seat=move.seat,
                turn=state.turn,
                legal=legal,
            )
        raise RecordError(
            "{action} by seat {seat} is not allowed here: seat {turn} is to act (rules 11.1); legal: {legal}",
            ply,
            action=move.action,
            seat=move.seat,
            turn=state.turn,
            legal=legal,
        )
    try:
        return state.apply(move.action)
    except IllegalActionError as error:
        raise RecordError(error.message, ply) from None
