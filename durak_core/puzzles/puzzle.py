"""A puzzle as a line of text, and what makes two of them alike.

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
"""What is to be kept, and its value for who solves the puzzle."""

_NUMBER: Final = re.compile(r"[0-9]{1,4}")
_KEYS: Final = ("rating", "goal", "action", "themes")
_NEEDED: Final = ("rating", "goal", "action")


@dataclass(frozen=True)
class Puzzle:
    """A position and the action that has to be found there.

    Attributes:
        position: Its text (docs/notation.md), not looked into before somebody asks for the `state`.
        action: The only one that keeps the value.
        goal: One of `GOALS`.
        themes: Keys of `THEMES` that hold of the action.
        rating: How hard it is, in the points of docs/strength.md.
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
        """The position; the seat to act solves the puzzle.

        Raises:
            NotationError: If there is no such position, or the action is not allowed there.
        """
        state = read_position(self.position)
        if state.rules.seats != 2 or not solvable(state.to_position()):
            raise NotationError("the position is no endgame of two players who know all cards")
        why = state.why_not(self.action)
        if why is not None:
            raise NotationError("action={action}: {why}", action=str(self.action), why=why.reason)
        return state


def read_puzzle(line: str) -> Puzzle:
    """Read a puzzle; its fields may stand in any order, those of the position among them.

    Raises:
        NotationError: If a field of the puzzle's own is missing or cannot be.
    """
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
    """Return a line's fields of some keys, and the others as one text.

    Raises:
        NotationError: If one of them appears twice, or one that is needed is missing.
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
    """Return the themes among a puzzle's fields, none where there is no such field."""
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
    """Return what a position shares with those that differ in nothing but the names of suits and seats.

    The game before it does not count: neither the number of the bout nor what everybody knows.
    """
    seat = state.turn or 0
    hands = [state.hands[seat], *[hand for other, hand in enumerate(state.hands) if other != seat]]
    table = [CardSet.of(filter(None, (pair.attack, pair.defence))) for pair in state.table]
    trumps = CardSet(0 if state.trump_suit is None else state.trump_suit.mask)
    where = (state.rules, state.phase, state.attacker == seat, state.limit, state.shown)
    return (*where, len(table), *whatever_suits_are_called((trumps, CardSet.of(state.talon), *hands, *table)))


def whatever_suits_are_called(piles: Iterable[CardSet]) -> list[int]:
    """Return the masks of piles of cards, the same ones however the suits are named."""
    masks = [pile.mask for pile in piles]
    return min([_renamed(mask, lanes) for mask in masks] for lanes in permutations(range(len(Suit))))


def _renamed(cards: int, lanes: tuple[int, ...]) -> int:
    """Return the mask of a set of cards where each suit's lane has become another one."""
    return sum((cards & suit.mask) >> 16 * suit << 16 * lanes[suit] for suit in Suit)
