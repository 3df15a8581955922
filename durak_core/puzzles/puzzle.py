"""A puzzle as a line of text, and the equivalence of positions.

>>> line = "rating=1180 goal=win action=Td themes=low,pair rules=podkidnoy bout=16 attacker=1 defender=0 "
>>> puzzle = read_puzzle(line + "limit=2 phase=opening turn=1 hands=+JsJh/6sTd6cJc trump=Jh")
>>> str(puzzle.action), puzzle.state.turn
('Td', 1)
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Final

from durak_core.actions import Action, parse_action
from durak_core.cards import CardSet, Suit
from durak_core.errors import NotationError
from durak_core.game.notation.position_text import read_position
from durak_core.game.state import State
from durak_core.puzzles.themes import THEMES
from durak_core.search.endgame.alpha_beta import solvable

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
    return min([_renamed(mask, lanes) for mask in masks] for lanes in permutations(range(len(Suit))))


def _renamed(cards: int, lanes: tuple[int, ...]) -> int:
    return sum((cards & suit.mask) >> 16 * suit << 16 * lanes[suit] for suit in Suit)
