"""Hidden-card puzzles, and the files of both kinds of puzzles."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, Generic, TypeVar

from durak_core.actions import Action, parse_action
from durak_core.cards import CardSet
from durak_core.errors import DurakError, NotationError
from durak_core.files import MEGABYTE, decoded, read_bytes, too_large
from durak_core.game.notation.position_text import read_stand_in
from durak_core.game.observation import Observation
from durak_core.game.state import State
from durak_core.messages import Message
from durak_core.puzzles.puzzle import (
    Puzzle,
    own_fields,
    read_puzzle,
    read_rating,
    read_themes,
    whatever_suits_are_called,
)
from durak_core.review.comparison import Comparison
from durak_core.review.reasons import known_reason, reason_of
from durak_core.search.search_result import SearchedAction

_NEEDED: Final = ("rating", "lines", "usual")
_KEYS: Final = (*_NEEDED, "themes")
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
    values, position = own_fields(text, _KEYS, _NEEDED)
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
