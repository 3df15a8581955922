"""Writing games as text (docs/notation.md, "Games")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from durak_core.game.notation.escapes import escape
from durak_core.game.observation import Phase
from durak_core.game.record import Move, Record, Result

UNFINISHED: Final = "*"
"""Stands where a finished game has its result."""

_WIDTH: Final = 100
_INDENT: Final = "    "


def write_game(record: Record) -> str:
    """Write a game, which `read_game` gives back: tags, an empty line, a paragraph for each bout, the result.

    Raises:
        DealError: If the deck or the first attacker does not fit the rules.
        RecordError: If a move cannot have been played.
    """
    states = record.replay()
    result = Result.of(states[-1])
    paragraphs = [_comment(record.comment)] if record.comment else []
    tokens: list[str] = []
    for before, move in zip(states, record.moves, strict=False):
        if before.phase is Phase.OPENING:
            paragraphs.extend(_wrapped(tokens))
            tokens = [f"{before.bout}. {before.attacker} attacks {before.defender}:"]
        tokens.extend(_tokens(move))
    paragraphs.extend(_wrapped(tokens))
    ending = UNFINISHED if result is None else str(result)
    lines = [*_tags(record, ending), "", *paragraphs, ending]
    return "\n".join(lines) + "\n"


def write_games(records: Iterable[Record]) -> str:
    """Write several games with an empty line between them.

    Raises:
        DealError: As for `write_game`.
        RecordError: As for `write_game`.
    """
    return "\n".join(map(write_game, records))


def _tags(record: Record, ending: str) -> Iterator[str]:
    yield _tag("Rules", record.rules.text)
    if record.seed is not None:
        yield _tag("Seed", str(record.seed))
    yield _tag("Deck", " ".join(map(str, record.deck)))
    yield _tag("FirstAttacker", str(record.first_attacker))
    for seat, name in enumerate(record.players):
        yield _tag(f"Seat{seat}", name)
    if record.date:
        yield _tag("Date", record.date)
    for name, value in record.tags.items():
        yield _tag(name, value)
    yield _tag("Result", ending)


def _tag(name: str, value: str) -> str:
    return f'[{name} "{escape(value, chr(34))}"]'


def _tokens(move: Move) -> Iterator[str]:
    yield f"{move.seat}:{move.action}{move.mark}"
    if move.comment:
        yield _comment(move.comment)


def _comment(text: str) -> str:
    return f"{{{escape(text, '{}')}}}"


def _wrapped(tokens: list[str]) -> Iterator[str]:
    """Break a paragraph into lines, between its tokens only."""
    if not tokens:
        return
    line = tokens[0]
    for token in tokens[1:]:
        if len(line) + 1 + len(token) > _WIDTH:
            yield line
            line = _INDENT + token
        else:
            line += " " + token
    yield line
