"""Puzzles with hidden cards: a decision of a game in which one action is much better than all others.

What is right there was found by an analysis, and is a matter of figures; nobody has to play on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from durak_core.actions import Action, parse_action
from durak_core.cards import CardSet
from durak_core.errors import NotationError
from durak_core.game.notation.position_text import read_stand_in
from durak_core.game.observation import Observation
from durak_core.game.state import State
from durak_core.messages import Message
from durak_core.puzzles.puzzle import own_fields, read_rating, read_themes, whatever_suits_are_called
from durak_core.review.comparison import Comparison
from durak_core.review.reasons import known_reason, reason_of

_NEEDED: Final = ("rating", "lines", "usual")
_KEYS: Final = (*_NEEDED, "themes")
_CHANCE: Final = re.compile(r"[0-9]{1,3}\.[0-9]")

_AS_GOOD: Final = 0.02
"""An action that gives away so little is as right as the best one."""


@dataclass(frozen=True, slots=True)
class Line:
    """What the analysis found of one action.

    Attributes:
        chance: The probability of not being the fool, 0 to 1, to a thousandth; a draw counts half.
        ahead: What it expects after the action.
    """

    action: Action
    chance: float
    ahead: tuple[Action, ...] = ()


@dataclass(frozen=True)
class HiddenPuzzle:
    """A decision, and what the actions are worth.

    Attributes:
        position: The text of an observation (docs/notation.md), not looked into before somebody asks for
            the `observation`.
        lines: A line for each legal action, the best first.
        usual: The wrong action that is chosen most often.
        themes: Keys of `THEMES` that hold of the best action.
        rating: How hard it is, in the points of docs/strength.md.
    """

    position: str
    lines: tuple[Line, ...]
    usual: Action
    themes: tuple[str, ...]
    rating: int

    @property
    def action(self) -> Action:
        """The best one."""
        return self.lines[0].action

    @property
    def right(self) -> tuple[Action, ...]:
        """The actions that count as solutions."""
        return tuple([line.action for line in self.lines if self._lost_by(line) <= _AS_GOOD])

    def cost(self, action: Action) -> float:
        """Return the chance that a legal action gives away, 0 to 1."""
        return self._lost_by(self._line(action))

    def reason(self, action: Action) -> Message:
        """Say why a wrong action is worse than the best one; the text goes on after the action's name."""
        return reason_of(self._comparison(action))

    @property
    def is_explained(self) -> bool:
        """Whether more can be said of the usual action than that it gains less."""
        return known_reason(self._comparison(self.usual)) is not None

    @property
    def observation(self) -> Observation:
        """What the seat to act knows, which solves the puzzle.

        Raises:
            NotationError: As for `state`.
        """
        return self._read[1]

    @property
    def state(self) -> State:
        """A state of which the seat knows as much; its hidden cards are any, and nobody is to be shown them.

        Raises:
            NotationError: If there is no such observation, or not the actions of the lines.
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
        return Comparison(self.observation, action, best.action, played.ahead, best.ahead)

    def _line(self, action: Action) -> Line:
        return next(line for line in self.lines if line.action == action)

    def _lost_by(self, line: Line) -> float:
        return round(self.lines[0].chance - line.chance, 3)


def read_hidden_puzzle(text: str) -> HiddenPuzzle:
    """Read a puzzle; its fields may stand in any order, those of the observation among them.

    Raises:
        NotationError: If a field of the puzzle's own is missing or cannot be.
    """
    values, position = own_fields(text, _KEYS, _NEEDED)
    lines = [_read_line(part) for part in values["lines"].split("/")]
    return HiddenPuzzle(
        position=position,
        lines=tuple(sorted(lines, key=lambda line: -line.chance)),
        usual=parse_action(values["usual"]),
        themes=read_themes(values),
        rating=read_rating(values),
    )


def write_hidden_puzzle(puzzle: HiddenPuzzle) -> str:
    lines = "/".join(map(_line_text, puzzle.lines))
    themes = f" themes={','.join(puzzle.themes)}" if puzzle.themes else ""
    return f"rating={puzzle.rating} lines={lines} usual={puzzle.usual}{themes} {puzzle.position}"


def hidden_likeness(puzzle: HiddenPuzzle) -> tuple[object, ...]:
    """Return what a puzzle shares with those that differ in nothing but the names of suits and seats.

    The game before it does not count, but for the cards that everybody knows to be in a hand.
    """
    o = puzzle.observation
    others = [seat for seat in range(o.rules.seats) if seat != o.seat]
    table = [CardSet.of(filter(None, (pair.attack, pair.defence))) for pair in o.table]
    piles = (CardSet(o.trump_mask), o.hand, *[o.known[seat] for seat in (o.seat, *others)], *table)
    where = (o.rules, o.phase, o.attacker == o.seat, o.limit, o.shown, o.talon_size)
    sizes = tuple([o.hand_sizes[seat] for seat in others])
    return (*where, *sizes, len(table), *whatever_suits_are_called(piles))


def _read_line(text: str) -> Line:
    action, _, rest = text.partition(":")
    chance, *ahead = rest.split(":")
    if not _CHANCE.fullmatch(chance) or float(chance) > 100:
        raise NotationError(
            "lines={value}: expected a chance from 0.0 to 100.0 after each action", value=text
        )
    return Line(parse_action(action), round(float(chance) / 100, 3), tuple(map(parse_action, ahead)))


def _line_text(line: Line) -> str:
    return ":".join([str(line.action), f"{100 * line.chance:.1f}", *map(str, line.ahead)])
