"""Games as JSON Lines (docs/notation.md, "Games as JSON")."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from durak_core.actions import Action, Attack, Defend, Exchange, Pass, ShowTrump, Take, Transfer, encode
from durak_core.cards import ALL_CARDS, Card
from durak_core.errors import Message, NotationError, RecordError
from durak_core.files import MEGABYTE, read_json
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
_WRITTEN: Final = "written_actions"
"""The attribute of a record that was just read with the JSON of its moves, to write it again."""
_Value = TypeVar("_Value")


def to_json(record: Record) -> dict[str, Any]:
    """Return a game as a JSON object.

    The result of an unfinished game is None. Empty ``date``, ``tags`` and ``comment`` are left out.

    Raises:
        DealError: If the deck or the first attacker does not fit the rules.
        RecordError: If a move is illegal.
    """
    return _object(record, record.moves)


def _object(record: Record, moves: Sequence[Move]) -> dict[str, Any]:
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
        "actions": [_write_move(move) for move in moves],
        "result": None if result is None else _write_result(result, rules),
    }
    return {**game, **{key: value for key, value in record.extra.items() if key not in _KEYS}}


def write_json_line(record: Record) -> str:
    """Return a game as one line of JSON with its line end; raise as `to_json` does."""
    written = record.__dict__.get(_WRITTEN)
    text = json.dumps(_object(record, record.moves if written is None else ()), ensure_ascii=False)
    if written is not None:
        text = text.replace('"actions": []', f'"actions": {written}', 1)
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
            games.append(from_json_line(line))
        except NotationError as error:
            message = Message("line {number}: {why}", number=number, why=error)
            broken = BrokenGameError.at(error, number, message)
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
    game: dict[str, Any] = _typed(obj, dict, "the game")
    if game.get("format") != FORMAT:
        raise NotationError(
            "format: expected {known!r}, found {found}", known=FORMAT, found=_shown(game.get("format"))
        )
    record, state = _read_deal(game)
    moves: list[Move] = []
    ply = 0
    try:
        for ply, entry in enumerate(_field(game, "actions", list), 1):
            where = f"actions[{ply - 1}]"
            move = read_move(_typed(entry, dict, where), where)
            state = played(state, move, ply)
            moves.append(move)
        ply = 0
        _check_result(game.get("result"), RecordResult.of(state), record.rules)
    except NotationError as error:
        broken_at = error.ply if isinstance(error, RecordError) else ply or None
        partial = replace(record, moves=tuple(moves))
        raise BrokenGameError(error.message, broken_at, partial=partial) from None
    return replace(record, moves=tuple(moves), known_end=state if with_end else None)


def from_json_line(text: str, most: int = MEGABYTE, *, with_end: bool = False) -> Record:
    """Parse and replay a game's text of at most ``most`` characters, as `read_json` and `from_json` do.

    Text as `write_json_line` writes it takes a third of the time.
    """
    with suppress(NotationError):
        game, read = _split(text, most)
        record, start = _read_deal(game, read.moves)
        end = start.after(read.seats, read.codes)
        if end is not None:
            result = RecordResult.of(end)
            _check_result(game.get("result"), result, record.rules)
            if with_end:
                _keep(record, read)
                record.__dict__.update(end=end, result=result)
            return record
    return from_json(read_json(text, most), with_end=with_end)


def read_unplayed(text: str, most: int) -> Record:
    """Parse a game whose deal and moves were checked when it was stored; raise `NotationError` if it is none.

    Without them this takes a third of the time. A stored digest shows whether the game is still the same.
    """
    with suppress(ValueError):
        game, read = _split(text, most)
        record = _read_record(game, read.moves)
        _keep(record, read)
        return record
    return from_json(read_json(text, most))


_ReadMove: TypeAlias = tuple[Move, int, int, str, str]


class _ReadMoves(NamedTuple):
    """Moves, their seats and codes, their JSON, and their texts in `Record.moves_text`."""

    moves: tuple[Move, ...] = ()
    seats: tuple[int, ...] = ()
    codes: tuple[int, ...] = ()
    written: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


_KEY: Final = '"actions"'
_BEGIN: Final = f", {_KEY}: [{{"
_BETWEEN: Final = "}, {"
_END: Final = "}]"


def _split(text: str, most: int) -> tuple[dict[str, Any], _ReadMoves]:
    """Read a game and its moves as this program writes them; return nothing if they are written otherwise.

    Without backslashes each quote begins or ends a string, so text that is cut within one does not parse.
    """
    begin = text.find(_BEGIN) + len(_BEGIN)
    end = text.find(_END, begin)
    if begin >= len(_BEGIN) and end > 0 and len(text) <= most and "\\" not in text and text.count(_KEY) == 1:
        written = text[begin:end].split(_BETWEEN)
        moves = [_shared_move(move) if len(move) <= _SHORT else _read_text(move) for move in written]
        game = read_json(f"{text[: begin - 1]}{text[end + 1 :]}")
        if isinstance(game, dict) and game.get("format") == FORMAT and game.get("actions") == []:
            return game, _ReadMoves(*zip(*moves, strict=True))
    return {}, _ReadMoves()


def _read_text(text: str) -> _ReadMove:
    """Return the move of an object's text without braces; raise `NotationError` if there is none."""
    move = read_move(_typed(read_json(f"{{{text}}}"), dict, ""), "")
    written = json.dumps(_write_move(move), ensure_ascii=False)
    return move, move.seat, encode(move.action), written, str(move)


_shared_move = lru_cache(maxsize=1 << 15)(_read_text)
_SHORT: Final = 100
"""Characters of a move that is worth keeping: one without a comment."""


def _keep(record: Record, read: _ReadMoves) -> None:
    """Keep what is made of the texts of a record's moves, which costs memory for many records."""
    record.__dict__.update({_WRITTEN: f"[{', '.join(read.written)}]", "moves_text": " ".join(read.texts)})


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


def _read_deal(game: dict[str, Any], moves: tuple[Move, ...] = ()) -> tuple[Record, State]:
    try:
        record = _read_record(game, moves)
        start = record.start
    except NotationError:
        raise
    except ValueError as error:
        raise NotationError(
            "these rules, deck and first_attacker do not make a deal: {why}", why=error
        ) from None
    return record, start


def _read_record(game: dict[str, Any], moves: tuple[Move, ...]) -> Record:
    return Record(
        rules=_read_rules_text(json.dumps(_field(game, "rules", dict))),
        deck=_read_deck(_field(game, "deck", list)),
        first_attacker=_field(game, "first_attacker", int),
        players=tuple([_typed(name, str, "players") for name in _field(game, "players", list)]),
        moves=moves,
        seed=None if game.get("seed") is None else _field(game, "seed", int),
        by_lowest_trump=_field(game, "by_lowest_trump", bool, default=False),
        date=_field(game, "date", str, default=""),
        tags={
            name: _typed(tag, str, f"tags.{name}")
            for name, tag in _field(game, "tags", dict, default={}).items()
        },
        comment=_field(game, "comment", str, default=""),
        extra={key: value for key, value in game.items() if key not in _KEYS},
    )


@lru_cache(maxsize=256)
def _read_rules_text(text: str) -> Rules:
    return _read_rules(json.loads(text))


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
    return Rules.preset(_field(written, "preset", str, "rules."), **options)


def read_move(entry: dict[str, Any], where: str) -> Move:
    """Read one of a game's ``actions``; the `NotationError` names ``where``."""
    seat = _field(entry, "seat", int, f"{where}.")
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
    mark, comment = [_field(entry, note, str, f"{where}.", default="") for note in ("mark", "comment")]
    return Move(seat, kind(**cards), mark, comment)


def _check_result(claimed: object, result: RecordResult | None, rules: Rules) -> None:
    """Compare the stated result with the replayed one; missing keys are ignored."""
    if claimed is None:
        return
    if result is None:
        raise RecordError("result: the game is not over after its last action; expected null")
    played = _write_result(result, rules)
    for key, value in _typed(claimed, dict, "result").items():
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


_NOUNS: Final[Mapping[type, str]] = {
    dict: "an object",
    list: "a list",
    int: "a number",
    str: "a text",
    bool: "true or false",
}


def _field(
    table: dict[str, Any], key: str, kind: type[_Value], where: str = "", *, default: object = None
) -> _Value:
    return _typed(table.get(key, default), kind, where + key)


def _typed(value: object, kind: type[_Value], where: str) -> _Value:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
        raise NotationError(
            "{where}: expected {expected}, found {found}",
            where=where,
            expected=_NOUNS[kind],
            found=_shown(value),
        )
    return value


def _read_deck(cards: list[Any]) -> tuple[Card, ...]:
    try:
        return tuple([_CARDS[text] for text in cards])
    except (KeyError, TypeError):
        return tuple([_card(card, "deck") for card in cards])


_CARDS: Final = {str(card): card for card in ALL_CARDS}


def _card(value: object, where: str) -> Card:
    text = _typed(value, str, where)
    try:
        return Card.parse(text)
    except NotationError as error:
        raise NotationError("{where}: {why}", where=where, why=error) from None
