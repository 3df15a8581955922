"""Puzzles of both kinds as lines of text and in files, the equivalence of positions, and themes.

>>> line = "rating=1180 goal=win action=Td themes=low,pair rules=podkidnoy bout=16 attacker=1 defender=0 "
>>> puzzle = read_puzzle(line + "limit=2 phase=opening turn=1 hands=+JsJh/6sTd6cJc trump=Jh")
>>> str(puzzle.action), puzzle.state.turn
('Td', 1)
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from pathlib import Path
from typing import Final, Generic, TypeAlias, TypeVar

from durak_core.actions import TAKE, Action, Attack, Defend, Pass, ShowTrump, Take, Transfer, parse_action
from durak_core.cards import Card, CardSet, Suit
from durak_core.errors import DurakError, Message, NotationError
from durak_core.files import MEGABYTE, decoded, read_bytes, too_large
from durak_core.game.notation.position_text import read_position, read_stand_in
from durak_core.game.observation import Observation, Phase
from durak_core.game.state import State
from durak_core.kernel.position import JOKERS
from durak_core.review.reasons import Comparison, known_reason, reason_of
from durak_core.search.endgame.alpha_beta import solvable
from durak_core.search.search_result import SearchedAction

View: TypeAlias = State | Observation
"""A position, or the observation of its seat to act; themes that need other hands do not hold there."""


@dataclass(frozen=True, slots=True)
class Theme:
    """A theme, with its English title and its predicate of a state and a legal action.

    Themes without a predicate are proved by the solver (`durak_core.puzzles.finding.proved_themes`).
    """

    title: str
    holds: Callable[[View, Action], bool] | None = None


def themes_of(state: View, action: Action) -> tuple[str, ...]:
    """Return the themes that need no solver."""
    return tuple([key for key, theme in THEMES.items() if theme.holds and theme.holds(state, action)])


def _card(action: Action) -> Card | None:
    return action.card if isinstance(action, Attack | Defend) else None


def _others(state: View, action: Action) -> list[Card]:
    """Return the other cards playable in the same way."""
    cards = map(_card, filter(lambda other: type(other) is type(action), state.legal_actions))
    return [card for card in cards if card is not None and card != _card(action)]


def _hand(state: View) -> Iterable[Card]:
    if isinstance(state, Observation):
        return state.hand
    return () if state.turn is None else state.hands[state.turn]


def _cheapest(state: View, cards: Iterable[Card]) -> Card | None:
    return min(cards, key=lambda card: (not card.is_plain(state.trump_suit), card.rank), default=None)


def _is_of_several(state: View, card: Card) -> bool:
    return sum(held.rank == card.rank for held in _hand(state)) > 1


def _lets_throw_in(state: View, answer: Action) -> bool:
    if isinstance(state, Observation):
        return False
    after = state.apply(answer)
    return after.phase == Phase.THROW_IN and any(isinstance(one, Attack) for one in after.legal_actions)


def _must_be_taken(state: View, lead: Action) -> bool:
    if isinstance(state, Observation):
        return False
    after = state.apply(lead)
    return after.phase == Phase.DEFENCE and after.legal_actions == (TAKE,)


def _leads(state: View, action: Action) -> bool:
    return state.phase == Phase.OPENING and isinstance(action, Attack)


def keeps_the_low_card(state: View, action: Action) -> bool:
    """A higher card is led although a lower one, also trump or also not, is held."""
    card = _card(action)
    if card is None or not _leads(state, action):
        return False
    trump = state.trump_suit
    return any(
        other.rank < card.rank and other.is_of(trump) == card.is_of(trump) for other in _others(state, action)
    )


def leads_the_highest_card(state: View, action: Action) -> bool:
    """The highest plain card is led, of at least two that are not all of its rank."""
    plain = [card for card in _hand(state) if card.is_plain(state.trump_suit)]
    ranks = {card.rank for card in plain}
    card = _card(action)
    return _leads(state, action) and card in plain and len(ranks) > 1 and card.rank == max(ranks)


def spends_the_trump(state: View, action: Action) -> bool:
    """A plain card was playable as well."""
    card, trump = _card(action), state.trump_suit
    if card is None or not card.is_of(trump):
        return False
    return any(one.is_plain(trump) for one in _others(state, action))


def beats_higher_than_needed(state: View, action: Action) -> bool:
    """A lower card of the same suit was enough, or any card instead of a joker."""
    if not isinstance(action, Defend):
        return False
    card = action.card
    others = [other for other in _others(state, action) if other.rank < card.rank]
    return any(card.is_joker or other.suit == card.suit for other in others)


def keeps_the_pair(state: View, action: Action) -> bool:
    """The cheapest card is one of several of its rank, and another card is played."""
    card, cheapest = _card(action), _cheapest(state, _others(state, action))
    if card is None or cheapest is None or _cheapest(state, (card, cheapest)) == card:
        return False
    return _is_of_several(state, cheapest) and cheapest.rank != card.rank


def leads_what_must_be_taken(state: View, action: Action) -> bool:
    return _leads(state, action) and _must_be_taken(state, action)


def offers_a_beatable_card(state: View, action: Action) -> bool:
    """An unbeatable lead existed, and is not played."""
    if not _leads(state, action) or _must_be_taken(state, action):
        return False
    return any(_must_be_taken(state, Attack(other)) for other in _others(state, action))


def leads_one_of_several(state: View, action: Action) -> bool:
    return isinstance(action, Attack) and _leads(state, action) and _is_of_several(state, action.card)


def takes_on_purpose(state: View, action: Action) -> bool:
    return isinstance(action, Take) and len(state.legal_actions) > 1


def leaves_nothing_to_throw_in(state: View, action: Action) -> bool:
    """Another answer would allow a throw-in."""
    if not isinstance(action, Defend) or _lets_throw_in(state, action):
        return False
    return any(_lets_throw_in(state, other) for other in state.legal_actions if isinstance(other, Defend))


def throws_in(state: View, action: Action) -> bool:
    return isinstance(action, Attack) and not _leads(state, action)


def stops_throwing_in(state: View, action: Action) -> bool:
    return isinstance(action, Pass) and len(state.legal_actions) > 1


def transfers(state: View, action: Action) -> bool:
    del state
    return isinstance(action, Transfer | ShowTrump)


THEMES: Final[Mapping[str, Theme]] = {
    "low": Theme("Keep the low card", keeps_the_low_card),
    "trump": Theme("Spend the trump", spends_the_trump),
    "higher": Theme("Beat higher than you need", beats_higher_than_needed),
    "pair": Theme("Keep the pair", keeps_the_pair),
    "unbeatable": Theme("Lead what has to be taken", leads_what_must_be_taken),
    "offer": Theme("Offer a card that can be beaten", offers_a_beatable_card),
    "several": Theme("Lead one of a pair", leads_one_of_several),
    "take": Theme("Take on purpose", takes_on_purpose),
    "close": Theme("Leave nothing to throw in", leaves_nothing_to_throw_in),
    "throw": Theme("Throw in", throws_in),
    "stop": Theme("Stop throwing in", stops_throwing_in),
    "transfer": Theme("Transfer", transfers),
    "high": Theme("Lead the highest card", leads_the_highest_card),
    "ace": Theme("Better without the trump ace"),
    "zugzwang": Theme("Zugzwang"),
}
"""All themes by their keys in puzzle files."""


GOALS: Final = {"win": 1, "draw": 0}
"""Values to keep, for the solver."""

_NUMBER: Final = re.compile(r"[0-9]{1,4}")
_KEYS: Final = ("rating", "goal", "action", "themes")
_NEEDED: Final = ("rating", "goal", "action")


@dataclass(frozen=True)
class Puzzle:
    """A position and its solution.

    Attributes:
        position: Its text (docs/notation.md), parsed by `state`.
        action: The only action that keeps the value.
        goal: One of `GOALS`.
        themes: Keys of `THEMES` that describe the action.
        rating: Difficulty, in the Elo points of docs/strength.md.
    """

    position: str
    action: Action
    goal: str
    themes: tuple[str, ...]
    rating: int

    @property
    def value(self) -> int:
        return GOALS[self.goal]

    @cached_property
    def state(self) -> State:
        """The position; the seat to act solves the puzzle. Raises `NotationError` if it is invalid."""
        state = read_position(self.position)
        if state.rules.seats != 2 or not solvable(state.to_position()):
            raise NotationError("the position is no endgame of two players who know all cards")
        why = state.why_not(self.action)
        if why is not None:
            raise NotationError("action={action}: {why}", action=str(self.action), why=why.reason)
        return state


def read_puzzle(line: str) -> Puzzle:
    """Parse a puzzle, its fields in any order; raise `NotationError` for its missing or invalid fields."""
    values, position = own_fields(line, _KEYS, _NEEDED)
    return Puzzle(
        position=position,
        action=parse_action(values["action"]),
        goal=_one_of(GOALS, "goal", values["goal"]),
        themes=read_themes(values),
        rating=read_rating(values),
    )


def write_puzzle(puzzle: Puzzle) -> str:
    themes = f" themes={','.join(puzzle.themes)}" if puzzle.themes else ""
    return f"rating={puzzle.rating} goal={puzzle.goal} action={puzzle.action}{themes} {puzzle.position}"


def own_fields(line: str, keys: Collection[str], needed: Collection[str]) -> tuple[dict[str, str], str]:
    """Split a line into the fields of ``keys`` and the remaining text.

    A repeated key or a missing one of ``needed`` raises `NotationError`.
    """
    values: dict[str, str] = {}
    position = []
    for word in line.split():
        key, equals, value = word.partition("=")
        if not equals or key not in keys:
            position.append(word)
        elif key in values:
            raise NotationError("{key} appears twice", key=key)
        else:
            values[key] = value
    for key in needed:
        if key not in values:
            raise NotationError("{key} is missing", key=key)
    return values, " ".join(position)


def read_themes(values: Mapping[str, str]) -> tuple[str, ...]:
    return tuple([_one_of(THEMES, "themes", key) for key in values.get("themes", "").split(",") if key])


def read_rating(values: Mapping[str, str]) -> int:
    text = values["rating"]
    if not _NUMBER.fullmatch(text):
        raise NotationError("rating={value}: expected a number from 0 to 9999", value=text)
    return int(text)


def _one_of(known: Collection[str], key: str, text: str) -> str:
    if text not in known:
        raise NotationError(
            "{key}={value}: expected one of {known}", key=key, value=text, known=", ".join(known)
        )
    return text


def likeness(state: State) -> tuple[object, ...]:
    """Return a key that is equal for positions equal up to the names of suits and seats.

    The history is ignored, as are the bout's number and the publicly known cards.
    """
    seat = state.turn or 0
    hands = [state.hands[seat], *[hand for other, hand in enumerate(state.hands) if other != seat]]
    table = [CardSet.of(filter(None, (pair.attack, pair.defence))) for pair in state.table]
    trumps = CardSet(0 if state.trump_suit is None else state.trump_suit.mask)
    where = (state.rules, state.phase, state.attacker == seat, state.limit, state.shown)
    return (*where, len(table), *whatever_suits_are_called((trumps, CardSet.of(state.talon), *hands, *table)))


def whatever_suits_are_called(piles: Iterable[CardSet]) -> list[int]:
    """Return the piles' masks in a form that does not depend on the suits' names."""
    masks = [pile.mask for pile in piles]
    has_jokers = any(mask & JOKERS for mask in masks)  # each for the two suits of its colour
    names = [lanes for lanes in permutations(range(len(Suit))) if not has_jokers or _keeps_colours(lanes)]
    return min([_renamed(mask, lanes) for mask in masks] for lanes in names)


def _keeps_colours(lanes: tuple[int, ...]) -> bool:
    return {lanes[Suit.SPADES], lanes[Suit.CLUBS]} == {Suit.SPADES, Suit.CLUBS}


def _renamed(cards: int, lanes: tuple[int, ...]) -> int:
    return cards & JOKERS | sum((cards & suit.mask) >> 16 * suit << 16 * lanes[suit] for suit in Suit)


_HIDDEN_NEEDED: Final = ("rating", "lines", "usual")
_HIDDEN_KEYS: Final = (*_HIDDEN_NEEDED, "themes")
_CHANCE: Final = re.compile(r"[0-9]{1,3}\.[0-9]")

_AS_GOOD: Final = 0.02
"""Largest loss of win probability that still counts as right."""


@dataclass(frozen=True)
class HiddenPuzzle:
    """A decision and the win probabilities of its actions.

    Attributes:
        position: The text of an observation (docs/notation.md), parsed by `observation`.
        lines: A line for each legal action, the best first, its score to three decimals.
        usual: The most frequent wrong action.
        themes: Keys of `THEMES` that describe the best action.
        rating: Difficulty, in the Elo points of docs/strength.md.
    """

    position: str
    lines: tuple[SearchedAction, ...]
    usual: Action
    themes: tuple[str, ...]
    rating: int

    @property
    def action(self) -> Action:
        return self.lines[0].action

    @property
    def right(self) -> tuple[Action, ...]:
        return tuple([line.action for line in self.lines if self._lost_by(line) <= _AS_GOOD])

    def cost(self, action: Action) -> float:
        return self._lost_by(self._line(action))

    def reason(self, action: Action) -> Message:
        """Return why a wrong action is worse than the best one, to follow the action's name."""
        return reason_of(self._comparison(action))

    @property
    def is_explained(self) -> bool:
        """Whether the usual action has a specific reason."""
        return known_reason(self._comparison(self.usual)) is not None

    @property
    def observation(self) -> Observation:
        """The solver's observation; raises as `state` does."""
        return self._read[1]

    @property
    def state(self) -> State:
        """A state consistent with the observation; its arbitrary hidden cards must not be shown.

        Raises `NotationError` if the observation is invalid, or its actions are not the actions of the lines.
        """
        return self._read[0]

    @cached_property
    def _read(self) -> tuple[State, Observation]:
        state, seat = read_stand_in(self.position)
        observation = state.observation(seat)
        if observation.turn != observation.seat or observation.hands is not None:
            raise NotationError("the position is no decision of a player who does not know all cards")
        legal = observation.legal_actions
        if sorted(str(line.action) for line in self.lines) != sorted(map(str, legal)):
            raise NotationError(
                "lines has to name each action once: {actions}", actions=tuple(map(str, legal))
            )
        if self.usual not in legal or self.usual in self.right:
            raise NotationError("usual={action} is not one of the wrong actions", action=str(self.usual))
        return state, observation

    def _comparison(self, action: Action) -> Comparison:
        played, best = self._line(action), self.lines[0]
        return Comparison(self.observation, action, best.action, played.continuation, best.continuation)

    def _line(self, action: Action) -> SearchedAction:
        return next(line for line in self.lines if line.action == action)

    def _lost_by(self, line: SearchedAction) -> float:
        return round(self.lines[0].score - line.score, 3)


def read_hidden_puzzle(text: str) -> HiddenPuzzle:
    """Parse a puzzle, its fields in any order; raise `NotationError` for its missing or invalid fields."""
    values, position = own_fields(text, _HIDDEN_KEYS, _HIDDEN_NEEDED)
    lines = [_read_line(part) for part in values["lines"].split("/")]
    return HiddenPuzzle(
        position=position,
        lines=tuple(sorted(lines, key=lambda line: -line.score)),
        usual=parse_action(values["usual"]),
        themes=read_themes(values),
        rating=read_rating(values),
    )


def write_hidden_puzzle(puzzle: HiddenPuzzle) -> str:
    lines = "/".join(map(_line_text, puzzle.lines))
    themes = f" themes={','.join(puzzle.themes)}" if puzzle.themes else ""
    return f"rating={puzzle.rating} lines={lines} usual={puzzle.usual}{themes} {puzzle.position}"


def hidden_likeness(puzzle: HiddenPuzzle) -> tuple[object, ...]:
    """Return a key that is equal for puzzles equal up to the names of suits and seats.

    The history is ignored except for publicly known cards.
    """
    seen = puzzle.observation
    others = [seat for seat in range(seen.rules.seats) if seat != seen.seat]
    table = [CardSet.of(filter(None, (pair.attack, pair.defence))) for pair in seen.table]
    piles = (
        CardSet(seen.trump_mask),
        seen.hand,
        *[seen.known[seat] for seat in (seen.seat, *others)],
        *table,
    )
    where = (seen.rules, seen.phase, seen.attacker == seen.seat, seen.limit, seen.shown, seen.talon_size)
    sizes = tuple([seen.hand_sizes[seat] for seat in others])
    return (*where, *sizes, len(table), *whatever_suits_are_called(piles))


def _read_line(text: str) -> SearchedAction:
    action, _, rest = text.partition(":")
    chance, *ahead = rest.split(":")
    if not _CHANCE.fullmatch(chance) or float(chance) > 100:
        raise NotationError(
            "lines={value}: expected a chance from 0.0 to 100.0 after each action", value=text
        )
    score = round(float(chance) / 100, 3)
    return SearchedAction(parse_action(action), score, continuation=tuple(map(parse_action, ahead)))


def _line_text(line: SearchedAction) -> str:
    return ":".join([str(line.action), f"{100 * line.score:.1f}", *map(str, line.continuation)])


SHIPPED: Final = Path(__file__).with_name("puzzles.txt.gz")
SHIPPED_HIDDEN: Final = Path(__file__).with_name("hidden.txt.gz")

_LARGEST: Final = 16 * MEGABYTE
_MOST_FAULTS: Final = 100
_GZIP: Final = b"\x1f\x8b"
_GZIP_FORMAT: Final = 31


_Kind = TypeVar("_Kind", Puzzle, HiddenPuzzle)


@dataclass(frozen=True)
class PuzzleCollection(Generic[_Kind]):
    """The puzzles of a file, numbered from 1.

    Attributes:
        lines: Their unparsed texts, each with its line number in the file.
    """

    name: str
    lines: tuple[tuple[int, str], ...]
    read: Callable[[str], _Kind]

    def __len__(self) -> int:
        return len(self.lines)

    def puzzle(self, number: int) -> _Kind:
        """Return the puzzle of a number, with its position validated.

        An unknown number raises `DurakError`, an invalid puzzle `NotationError` with the file and the line.
        """
        if not 1 <= number <= len(self):
            raise DurakError(
                "{file} holds {count} puzzles; there is no puzzle {number}",
                file=self.name,
                count=len(self),
                number=number,
            )
        line, text = self.lines[number - 1]
        try:
            puzzle = self.read(text)
            _ = puzzle.state  # raises if invalid
        except DurakError as error:
            message = "{file}, line {line}: {why}"
            raise NotationError(message, file=self.name, line=line, why=error) from None
        return puzzle

    def sound(self, faults: list[NotationError]) -> Iterator[tuple[int, _Kind]]:
        """Yield all valid puzzles with their numbers; append the errors of the others to ``faults``.

        Reading ends after a hundred errors, which one more error reports.
        """
        for number in range(1, len(self) + 1):
            try:
                yield number, self.puzzle(number)
            except NotationError as error:
                faults.append(error)
                if len(faults) == _MOST_FAULTS:
                    message = "{file}: after {count} invalid puzzles the rest is not read"
                    faults.append(NotationError(message, file=self.name, count=_MOST_FAULTS))
                    return


def read_collection(path: str | os.PathLike[str] = SHIPPED) -> PuzzleCollection[Puzzle]:
    """Read a file, optionally gzipped, of a puzzle a line; empty lines and ``#`` comments are skipped.

    An unreadable file, or one above 16 MB, raises `FileError`; one that is not text, `NotationError`.
    """
    return PuzzleCollection(os.fspath(path), _lines_of(path), read_puzzle)


def read_hidden_collection(path: str | os.PathLike[str] = SHIPPED_HIDDEN) -> PuzzleCollection[HiddenPuzzle]:
    return PuzzleCollection(os.fspath(path), _lines_of(path), read_hidden_puzzle)


def holds_hidden(path: str | os.PathLike[str]) -> bool:
    """Return whether a file's first puzzle has hidden cards; raise as `read_collection` does."""
    return any(" lines=" in f" {text}" for _number, text in _lines_of(path)[:1])


def _lines_of(path: str | os.PathLike[str]) -> tuple[tuple[int, str], ...]:
    data = read_bytes(path, _LARGEST)
    if data.startswith(_GZIP):
        data = _unpacked(data, path)
    try:
        texts = enumerate(decoded(data).splitlines(), 1)
    except UnicodeDecodeError as error:
        raise NotationError("{file}: this is not UTF-8 text", error.start, file=os.fspath(path)) from None
    return tuple([(number, text) for number, text in texts if text.strip() and not text.startswith("#")])


def _unpacked(data: bytes, path: str | os.PathLike[str]) -> bytes:
    unpacker = zlib.decompressobj(_GZIP_FORMAT)
    try:
        text = unpacker.decompress(data, _LARGEST + 1)
    except zlib.error:
        text = b""
    if len(text) > _LARGEST:
        raise too_large(path, _LARGEST)
    if not unpacker.eof:
        raise NotationError("{file} is damaged: it cannot be unpacked", file=os.fspath(path))
    return text
