"""Games as JSON Lines (docs/notation.md, "Games as JSON")."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any, Final, TypeVar

from durak_core.actions import Action, Attack, Defend, Exchange, Pass, ShowTrump, Take, Transfer
from durak_core.cards import Card
from durak_core.errors import NotationError, RecordError
from durak_core.files import read_json
from durak_core.game.record import BrokenGameError, Move, Record, RecordResult, played
from durak_core.game.state import State
from durak_core.rules import OPTIONS, OptionValue, Rules

FORMAT: Final = "durak-game/1"

_KINDS: Final[Mapping[str, type[Any]]] = {
    "attack": Attack,
    "defend": Defend,
    "transfer": Transfer,
    "show_trump": ShowTrump,
    "take": Take,
    "pass": Pass,
    "exchange": Exchange,
}
"""The types of actions, all with card fields, by name."""
_WORDS: Final = {kind: word for word, kind in _KINDS.items()}
_KEYS: Final = {"format", "actions", "result"} | {field.name for field in fields(Record)} - {"moves", "extra"}
_Value = TypeVar("_Value")


def to_json(record: Record) -> dict[str, Any]:
    """Return a game as a JSON object.

    The result of an unfinished game is None. Empty ``date``, ``tags`` and ``comment`` are left out.

    Raises:
        DealError: If the deck or the first attacker does not fit the rules.
        RecordError: If a move is illegal.
    """
    rules = record.rules
    result = record.result
    notes = {
        "by_lowest_trump": record.by_lowest_trump,
        "date": record.date,
        "tags": dict(record.tags),
        "comment": record.comment,
    }
    game: dict[str, Any] = {
        "format": FORMAT,
        "rules": {"preset": rules.base, "seats": rules.seats, **rules.differences},
        "seed": record.seed,
        "deck": [str(card) for card in record.deck],
        "players": list(record.players),
        "first_attacker": record.first_attacker,
        **{key: note for key, note in notes.items() if note},
        "actions": [_write_move(move) for move in record.moves],
        "result": None if result is None else _write_result(result, rules),
    }
    return {**game, **{key: value for key, value in record.extra.items() if key not in _KEYS}}


def write_json_line(record: Record) -> str:
    """Return a game as one line of JSON with its line end; raise as `to_json` does."""
    text = json.dumps(to_json(record), ensure_ascii=False)
    # UTF-8 cannot encode lone surrogates; JSON writes them as \udddd.
    return text.encode("utf-8", "backslashreplace").decode() + "\n"


def read_json_lines(text: str) -> list[Record]:
    """Parse one game a line, skipping empty lines.

    Raises:
        BrokenGameError: If a line is not JSON or not a game; has the line, the earlier games, and this
            game up to its last legal move.
    """
    games: list[Record] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            games.append(from_json(read_json(line)))
        except NotationError as error:
            broken = BrokenGameError(
                "line {number}: {why}",
                getattr(error, "ply", None),
                line=number,
                partial=getattr(error, "partial", None),
                number=number,
                why=error,
            )
            broken.earlier = tuple(games)
            raise broken from None
    return games


def from_json(obj: object, *, with_end: bool = False) -> Record:
    """Parse and replay a game; unknown keys are kept in `Record.extra`.

    ``with_end`` caches `Record.end` for immediate use, which costs memory for many records.

    Raises:
        NotationError: If a key is missing or its value is invalid.
        BrokenGameError: If a move does not parse or is illegal, or the result is wrong; has the game up
            to there.
    """
    game = _dict(obj, "the game")
    if game.get("format") != FORMAT:
        raise NotationError(
            "format: expected {known!r}, found {found}", known=FORMAT, found=_shown(game.get("format"))
        )
    record, state = _read_deal(game)
    moves: list[Move] = []
    ply = 0
    try:
        for ply, entry in enumerate(_list(game.get("actions"), "actions"), 1):
            move = read_move(_dict(entry, f"actions[{ply - 1}]"), f"actions[{ply - 1}]")
            state = played(state, move, ply)
            moves.append(move)
        ply = 0
        _check_result(game.get("result"), RecordResult.of(state), record.rules)
    except NotationError as error:
        broken_at = error.ply if isinstance(error, RecordError) else ply or None
        partial = replace(record, moves=tuple(moves))
        raise BrokenGameError(error.message, broken_at, partial=partial) from None
    return replace(record, moves=tuple(moves), known_end=state if with_end else None)


def _write_move(move: Move) -> dict[str, Any]:
    notes = {"mark": move.mark, "comment": move.comment}
    written = {"seat": move.seat, **_write_action(move.action)}
    return written | {key: note for key, note in notes.items() if note}


@lru_cache(maxsize=4096)
def _write_action(action: Action) -> Mapping[str, str]:
    cards = {field.name: str(getattr(action, field.name)) for field in fields(action)}
    return {"action": _WORDS[type(action)], **cards}


def _write_result(result: RecordResult, rules: Rules) -> dict[str, Any]:
    lost = list(result.fools)
    return {
        "fool": lost if rules.teams else lost[0] if lost else None,
        "draw": result.draw,
        "places": list(result.places),
        "bouts": result.bouts,
        "plies": result.plies,
    }


def _read_deal(game: dict[str, Any]) -> tuple[Record, State]:
    seed = game.get("seed")
    try:
        record = Record(
            rules=_read_rules(_dict(game.get("rules"), "rules")),
            deck=tuple([_card(card, "deck") for card in _list(game.get("deck"), "deck")]),
            first_attacker=_int(game.get("first_attacker"), "first_attacker"),
            players=tuple([_str(name, "players") for name in _list(game.get("players"), "players")]),
            seed=None if seed is None else _int(seed, "seed"),
            by_lowest_trump=_typed(
                game.get("by_lowest_trump", False), bool, "by_lowest_trump", "true or false"
            ),
            date=_str(game.get("date", ""), "date"),
            tags={
                name: _str(tag, f"tags.{name}") for name, tag in _dict(game.get("tags", {}), "tags").items()
            },
            comment=_str(game.get("comment", ""), "comment"),
            extra={key: value for key, value in game.items() if key not in _KEYS},
        )
        start = record.start
    except NotationError:
        raise
    except ValueError as error:
        raise NotationError(
            "these rules, deck and first_attacker do not make a deal: {why}", why=error
        ) from None
    return record, start


def _read_rules(written: dict[str, Any]) -> Rules:
    options: dict[str, OptionValue] = {}
    for name, value in written.items():
        if name == "preset":
            continue
        if name not in OPTIONS:
            raise NotationError(
                "rules.{name}: there is no such option; there are {options}",
                name=name,
                options=tuple(OPTIONS),
            )
        if not isinstance(value, str | int | None):
            raise NotationError(
                "rules.{name}: expected {expected}, found {found}",
                name=name,
                expected=OPTIONS[name].expected,
                found=_shown(value),
            )
        # "yes" and "none" are accepted in addition to true, false and null.
        options[name] = OPTIONS[name].read(value) if isinstance(value, str) else value
    if "seats" not in options:
        raise NotationError(
            "rules.seats: expected {expected}, found nothing", expected=OPTIONS["seats"].expected
        )
    return Rules.preset(_str(written.get("preset"), "rules.preset"), **options)


def read_move(entry: dict[str, Any], where: str) -> Move:
    """Read one of a game's ``actions``; the `NotationError` names ``where``."""
    seat = _int(entry.get("seat"), f"{where}.seat")
    word = entry.get("action")
    if not isinstance(word, str) or word not in _KINDS:
        raise NotationError(
            "{where}.action: expected attack, defend, transfer, show_trump, take, pass or exchange, "
            "found {kind}",
            where=where,
            kind=_shown(word),
        )
    kind = _KINDS[word]
    cards = {field.name: _card(entry.get(field.name), f"{where}.{field.name}") for field in fields(kind)}
    mark = _str(entry.get("mark", ""), f"{where}.mark")
    return Move(seat, kind(**cards), mark, _str(entry.get("comment", ""), f"{where}.comment"))


def _check_result(claimed: object, result: RecordResult | None, rules: Rules) -> None:
    """Compare the stated result with the replayed one; missing keys are ignored."""
    if claimed is None:
        return
    if result is None:
        raise RecordError("result: the game is not over after its last action; expected null")
    played = _write_result(result, rules)
    for key, value in _dict(claimed, "result").items():
        if key in played and value != played[key]:
            raise RecordError(
                "result.{key}: the game gives {played}, found {found}",
                key=key,
                played=played[key],
                found=_shown(value),
            )


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 40 else text[:37] + "..."


def _typed(value: object, kind: type[_Value], where: str, expected: str) -> _Value:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
        raise NotationError(
            "{where}: expected {expected}, found {found}", where=where, expected=expected, found=_shown(value)
        )
    return value


def _dict(value: object, where: str) -> dict[str, Any]:
    return _typed(value, dict, where, "an object")


def _list(value: object, where: str) -> list[Any]:
    return _typed(value, list, where, "a list")


def _int(value: object, where: str) -> int:
    return _typed(value, int, where, "a number")


def _str(value: object, where: str) -> str:
    return _typed(value, str, where, "a text")


def _card(value: object, where: str) -> Card:
    text = _str(value, where)
    try:
        return Card.parse(text)
    except NotationError as error:
        raise NotationError("{where}: {why}", where=where, why=error) from None
