"""Games as text (docs/notation.md, "Games")."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from durak_core.actions import encode, parse_action
from durak_core.cards import Card
from durak_core.errors import DurakError, Message, NotationError
from durak_core.game.notation.position_text import escape, unescape
from durak_core.game.observation import Phase
from durak_core.game.record import RESERVED_TAGS, BrokenGameError, Record, RecordResult
from durak_core.kernel.transition import apply
from durak_core.rules import Rules

_SPACE: Final = re.compile(r"\s*")
_TAG: Final = re.compile(r'\[([A-Za-z][A-Za-z0-9_]*)[ \t]+"([^"\\\n]*(?:\\.[^"\\\n]*)*)"[ \t]*\]')
_COMMENT: Final = re.compile(r"\{([^\\{}]*(?:\\.[^\\{}]*)*)\}", re.DOTALL)
_BOUT: Final = re.compile(r"([0-9]{1,6})\.\s+([0-9])\s+attacks\s+([0-9]):(?!\S)")
_ENDING: Final = re.compile(r"(\*|draw|fool\s+[0-9](?:,[0-9])*)(?!\S)")
_MOVE: Final = re.compile(r"([0-9]):([^\s{}!?]+)(!!|!\?|\?\?|\?!|!|\?|)(?=[\s{]|$)")
_WORD: Final = re.compile(r"\S{1,40}")
_NUMBER: Final = re.compile(r"[0-9]{1,19}")

UNFINISHED: Final = "*"

_WIDTH: Final = 100
_INDENT: Final = "    "


def write_game(record: Record) -> str:
    """Write a game: tags, an empty line, a paragraph for each bout, the result.

    Raises:
        DealError: If the deck or the first attacker does not fit the rules.
        RecordError: If a move is illegal.
    """
    result = record.result
    paragraphs = [_comment(record.comment)] if record.comment else []
    tokens: list[str] = []
    bout = 0
    position = record.start.to_position()
    for move in record.moves:
        if position.bout > bout:
            bout = position.bout
            paragraphs.extend(_wrapped(tokens))
            tokens = [f"{bout}. {position.attacker} attacks {position.defender}:"]
        apply(position, encode(move.action))  # which the result has found legal
        tokens.append(f"{move.seat}:{move.action}{move.mark}")
        if move.comment:
            tokens.append(_comment(move.comment))
    paragraphs.extend(_wrapped(tokens))
    ending = UNFINISHED if result is None else str(result)
    lines = [*_tags(record, ending), "", *paragraphs, ending]
    return "\n".join(lines) + "\n"


def write_games(records: Iterable[Record]) -> str:
    """Write games with an empty line between them; raise as `write_game` does."""
    return "\n".join(map(write_game, records))


def _tags(record: Record, ending: str) -> list[str]:
    tags: dict[str, str | None] = {
        "Rules": record.rules.text,
        "Seed": None if record.seed is None else str(record.seed),
        "Deck": " ".join(map(str, record.deck)),
        "FirstAttacker": str(record.first_attacker),
        "ByLowestTrump": "yes" if record.by_lowest_trump else None,
        **{f"Seat{seat}": name for seat, name in enumerate(record.players)},
        "Date": record.date or None,
        **record.tags,
        "Result": ending,
    }
    return [f'[{name} "{escape(value, chr(34))}"]' for name, value in tags.items() if value is not None]


def _comment(text: str) -> str:
    return f"{{{escape(text, '{}')}}}"


def _wrapped(tokens: list[str]) -> Iterator[str]:
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


def read_games(text: str, first_line: int = 1, *, with_ends: bool = False) -> list[Record]:
    """Read all games of a text, separated by any whitespace.

    ``first_line`` is the text's first line in its file. ``with_ends`` caches `Record.end` for immediate
    use, which costs memory for many records.

    Raises:
        BrokenGameError: If a game does not parse, breaks off, or is illegal; has the place, the
            earlier games, and the readable part of this one.
    """
    games: list[Record] = []
    at = _skip_space(text, 0)
    while at < len(text):
        reader = _GameTextReader(text, at, first_line)
        try:
            record = reader.read()
        except BrokenGameError as error:
            error.earlier = tuple(games)
            raise
        # The copy drops the cached state: files hold thousands of games.
        games.append(record if with_ends else replace(record))
        at = _skip_space(text, reader.at)
    return games


def read_game(text: str) -> Record:
    """Read a text that holds one game; raise as `read_games` does, or if there is none or several."""
    games = read_games(text)
    if len(games) != 1:
        raise NotationError("expected one game, found {count}", count=len(games))
    return games[0]


def _skip_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


@dataclass(frozen=True, slots=True)
class _Tag:
    value: str
    at: int


class _GameTextReader:
    """A parser of one game; ``record`` is the part read so far, ``at`` the index in the text."""

    def __init__(self, text: str, at: int, first_line: int) -> None:
        self.text = text
        self.first_line = first_line
        self.at = at
        self.record: Record | None = None

    def read(self) -> Record:
        tags = self._tags()
        self.record = record = self._deal(tags)
        bout = 0
        while (ending := _ENDING.match(self.text, self.at)) is None:
            if self._next("{"):
                record = self._comments(record)
            elif record.end.phase is Phase.OPENING and record.end.bout > bout:
                self._bout(record)
                bout = record.end.bout
            else:
                record = self._move(record)
            self.record = record
            self.at = _skip_space(self.text, self.at)
        self._check_ending(record, " ".join(ending[1].split()), tags.get("Result"))
        self.at = ending.end()
        return record

    def _error(
        self, template: str | Message, /, at: int | None = None, ply: int | None = None, **values: object
    ) -> BrokenGameError:
        index = self.at if at is None else at
        line = self.text.count("\n", 0, index) + self.first_line
        return BrokenGameError(
            "{what} (line {number}, character {character})",
            ply,
            line=line,
            position=index,
            partial=self.record,
            what=template if isinstance(template, Message) else Message(template, **values),
            number=line,
            character=index - self.text.rfind("\n", 0, index),
        )

    def _next(self, character: str) -> bool:
        return self.text.startswith(character, self.at)

    def _found(self) -> Message:
        word = _WORD.match(self.text, self.at)
        return Message("found {word!r}", word=word[0]) if word else Message("the text breaks off here")

    def _tags(self) -> dict[str, _Tag]:
        tags: dict[str, _Tag] = {}
        while self._next("[") or not tags:
            match = _TAG.match(self.text, self.at)
            if match is None:
                raise self._error('expected a tag such as [Rules "podkidnoy"]; {found}', found=self._found())
            name = match[1]
            if name in tags:
                raise self._error("the tag {name} appears twice", name=name)
            tags[name] = _Tag(self._unescaped(match[2], match.start(2)), match.start(2))
            self.at = _skip_space(self.text, match.end())
        return tags

    def _unescaped(self, text: str, at: int) -> str:
        try:
            return unescape(text)
        except NotationError as error:
            raise self._error(error.message, at) from None

    def _deal(self, tags: dict[str, _Tag]) -> Record:
        try:
            rules = Rules.parse(self._needed(tags, "Rules").value)
            for name, tag in tags.items():
                if name.startswith("Seat") and name in RESERVED_TAGS and int(name[4:]) >= rules.seats:
                    raise self._error(
                        "there is no seat {seat} in a game of {seats}",
                        tag.at,
                        seat=name[4:],
                        seats=rules.seats,
                    )
            record = Record(
                rules=rules,
                deck=tuple(map(Card.parse, self._needed(tags, "Deck").value.split())),
                first_attacker=self._number(self._needed(tags, "FirstAttacker")),
                players=tuple(self._needed(tags, f"Seat{seat}").value for seat in range(rules.seats)),
                seed=self._number(tags["Seed"]) if "Seed" in tags else None,
                date=tags["Date"].value if "Date" in tags else "",
                by_lowest_trump="ByLowestTrump" in tags,
                tags={name: tag.value for name, tag in tags.items() if name not in RESERVED_TAGS},
            )
            return replace(record, known_end=record.start)
        except BrokenGameError:
            raise
        except ValueError as error:
            raise self._error("the tags do not make a deal: {why}", why=error) from None

    def _needed(self, tags: dict[str, _Tag], name: str) -> _Tag:
        if name not in tags:
            raise self._error("the tag {name} is missing", name=name)
        return tags[name]

    def _number(self, tag: _Tag) -> int:
        if not _NUMBER.fullmatch(tag.value):
            raise self._error("expected a number, found {found!r}", tag.at, found=tag.value[:40])
        return int(tag.value)

    def _comments(self, record: Record) -> Record:
        """Read consecutive comments together, because each new record checks its tags again."""
        ply = len(record.moves)
        last = record.moves[-1] if ply else None
        texts = [last.comment if last else record.comment]
        while self._next("{"):
            match = _COMMENT.match(self.text, self.at)
            if match is None:
                raise self._error(
                    r"this comment does not end: expected }}, and \{{ or \}} for a brace inside it"
                )
            texts.append(self._unescaped(match[1], match.start(1)))
            self.at = _skip_space(self.text, match.end())
        return record.annotated(ply, last.mark if last else "", " ".join(filter(None, texts)))

    def _bout(self, record: Record) -> None:
        state = record.end
        expected = f"{state.bout}. {state.attacker} attacks {state.defender}:"
        match = _BOUT.match(self.text, self.at)
        if match is None:
            raise self._error(
                "expected {expected!r} or {end!r}; {found}",
                expected=expected,
                end=UNFINISHED,
                found=self._found(),
            )
        if tuple(map(int, match.groups())) != (state.bout, state.attacker, state.defender):
            raise self._error(
                "expected {expected!r}; found {found!r}",
                ply=len(record.moves) + 1,
                expected=expected,
                found=match[0],
            )
        self.at = match.end()

    def _move(self, record: Record) -> Record:
        match = _MOVE.match(self.text, self.at)
        ply = len(record.moves) + 1
        if match is None:
            if record.end.is_over:
                wanted = Message("the result, {result}", result=record.result)
            else:
                wanted = Message("a move such as 0:6c")
            raise self._error("expected {wanted}; {found}", ply=ply, wanted=wanted, found=self._found())
        try:
            record = record.added(parse_action(match[2]), int(match[1]), match[3])
        except DurakError as error:
            raise self._error(error.message, ply=ply) from None
        self.at = match.end()
        return record

    def _check_ending(self, record: Record, ending: str, tag: _Tag | None) -> None:
        result = RecordResult.of(record.end)
        played = UNFINISHED if result is None else str(result)
        if ending != played:
            over = Message("the game ends with {result}", result=played)
            raise self._error(
                "the text says {ending}, but after {count} plies {end}",
                ending=ending,
                count=len(record.moves),
                end=Message("the game is not over") if result is None else over,
            )
        if tag is not None and tag.value != played:
            raise self._error(
                "the tag Result says {told!r}, but the game gives {played!r}",
                tag.at,
                told=tag.value,
                played=played,
            )
