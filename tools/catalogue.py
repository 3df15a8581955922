"""Bring the app's catalogues up to date: collect its texts, keep their translations, compile them.

    python3 tools/catalogue.py          # after texts have changed; then translate what it names
    python3 tools/catalogue.py --check  # change nothing; exit code 1 where something is to be done

It needs Babel (`pip install -e ".[test]"`); the app itself needs the standard library's gettext alone.
"""

from __future__ import annotations

import ast
import io
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Final

from babel.messages import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po

from durak_core import PRESETS, Card, Rank, Suit, errors
from durak_core.agents.personas import OPPONENTS
from durak_core.agents.registry import AGENTS
from durak_core.puzzles.puzzle import THEMES
from durak_tui.keys.actions import ACTIONS
from durak_tui.library.model.entries import SOURCES
from durak_tui.library.model.statistics import GROUPINGS
from durak_tui.lines import reading
from durak_tui.setup.screens import OTHER_WORDS
from durak_tui.storage.settings import PACE_SECONDS, REVIEW_MILLISECONDS
from durak_tui.text import i18n
from durak_tui.text.house_rules import CONTEXT, house_texts

LANGUAGES: Final = tuple(code for code in i18n.LANGUAGES if code != "en")
ROOT: Final = Path(__file__).resolve().parent.parent
_APP: Final = ROOT / "durak_tui"

_MET: Final = (
    *(
        "actions",
        "cards",
        "config",
        "errors",
        "files",
        "messages",
        "npz",
        "options",
        "rules",
        "agents",
        "game",
    ),
    "review/reasons",
    *("puzzles/puzzle", "puzzles/solution"),
    *(
        "daily",
        "engine/client",
        "engine/process",
        "search/analysis",
        "search/network/weights",
    ),
)
"""Modules and packages of the core whose texts a player meets. The others speak English alone: to those who
work in a terminal or write programs (`lab`, `cli`, most of `engine`), or of what the app never
does (`knowledge`, most of `review`)."""

_ERRORS: Final = [name for name, kind in vars(errors).items() if isinstance(kind, type)]
_KEYWORDS: Final[Mapping[str, object]] = {
    **dict.fromkeys(
        (
            "gettext",
            "stated",
            "mark",
            "form",
            "Message",
            "_error",
            "reason",
            "BrokenGameError",
            "LibraryError",
            "GameError",
            *_ERRORS,
        ),
        (1,),
    ),
    "pgettext": ((1, "c"), 2),
    "ngettext": (1, 2),
}
"""Which arguments of which calls are texts, as Babel writes it."""

Key = tuple[str, str | tuple[str, str]]
"""A text's context, often empty, and the text, or both forms of one that counts."""


def called_texts() -> Iterator[tuple[Key, str]]:
    """Yield every text in the sources of the app and of what it meets of the core, with its file."""
    core = ROOT / "durak_core"
    met = [path for name in _MET for path in (core / f"{name}.py", *(core / name).rglob("*.py"))]
    for path in sorted([*_APP.rglob("*.py"), *filter(Path.exists, met)]):
        for _line, text, _comments, context in extract_from_file(_read_calls, path, _KEYWORDS):
            yield (context or "", text), path.relative_to(ROOT).as_posix()


def _read_calls(
    file: BinaryIO, keywords: Collection[str], _tags: object, options: object
) -> Iterator[tuple[int, str, tuple[str | None, ...], list[str]]]:
    """Find calls for Babel; its own reader misses those inside others, and in f-strings until 3.12."""
    del options
    for node in ast.walk(ast.parse(file.read())):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
        texts = tuple(map(_literal, node.args))
        if name == "form":
            yield from ((node.lineno, name, (text,), []) for text in texts[1:3])
        elif name in keywords:
            yield node.lineno, name, texts, []


def _literal(node: ast.expr) -> str | None:
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value or None if is_text else None


def registered_texts() -> Iterator[tuple[Key, str]]:
    """Yield every text that the app takes from a registry: what is registered later is found here too."""
    yield from (((CONTEXT, text), "durak_tui/text/house_rules.py") for text in house_texts())
    yield from ((("preset", preset), "durak_core/rules.py") for preset in PRESETS)
    for info in AGENTS.values():
        yield ("", info.title), "durak_core/agents/catalogue"
        yield ("", info.summary), "durak_core/agents/catalogue"
        yield ("style", info.style), "durak_core/agents/catalogue"
    yield from ((("puzzle", theme.title), "durak_core/puzzles/puzzle.py") for theme in THEMES.values())
    for opponent in OPPONENTS:
        yield ("", opponent.name), "durak_core/agents/personas.py"
        yield ("", opponent.character), "durak_core/agents/personas.py"
        yield ("whom", opponent.name), "durak_tui/text/phrases.py"
        yield ("to whom", opponent.name), "durak_tui/text/phrases.py"
    for action in ACTIONS.values():
        yield ("", action.help), "durak_tui/keys/actions.py"
        if action.label:
            yield ("", action.label), "durak_tui/keys/actions.py"
    yield from (
        (("choice", word), "durak_tui/storage/settings.py") for word in (*PACE_SECONDS, *REVIEW_MILLISECONDS)
    )
    yield from ((("choice", word), "durak_tui/setup/screens.py") for word in OTHER_WORDS)
    yield from ((("source", source), "durak_tui/library/model/entries.py") for source in SOURCES)
    for grouping in GROUPINGS:
        yield ("grouping", grouping), "durak_tui/library/model/statistics.py"
        yield ("by", grouping), "durak_tui/library/model/statistics.py"
    for context, words in (
        *((reading.COMMAND, words) for words in reading.COMMANDS.values()),
        *((reading.SETTING, words) for words in reading.SETTINGS.values()),
        *((reading.VALUE, words) for words in reading.VALUES.values()),
        *((reading.RANK, words) for words in reading.RANKS.values()),
        *((reading.SUIT, words) for words in reading.SUITS.values()),
        *((reading.SUIT, words) for words in reading.COLOURS.values()),
        (reading.FILLER, reading.FILLERS),
    ):
        yield (context, words), "durak_tui/lines/reading.py"
    for rank in list(Rank)[:-1]:  # the jokers' has words of its own
        if not rank.letter.isdecimal():
            yield ("card", rank.letter), "durak_core/cards.py"
        pretty = Card(Suit.SPADES, rank).pretty[:-1]
        yield ("a rank", pretty), "durak_tui/text/phrases.py"


def catalogue_path(code: str) -> Path:
    """Return where a language's catalogue stands as text; the compiled one is beside it."""
    return _APP / "locale" / code / "LC_MESSAGES" / "durak.po"


def read(code: str) -> Catalog:
    """Read a language's catalogue; an empty one where there is none yet."""
    path = catalogue_path(code)
    if not path.exists():
        return Catalog(locale=code, header_comment=_HEADER, project="Durak", fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=code)


def all_texts() -> list[tuple[Key, str]]:
    """List every text, with its file; a text that stands in several as often."""
    return [*called_texts(), *registered_texts()]


def renewed(code: str, texts: Iterable[tuple[Key, str]] | None = None) -> Catalog:
    """Return a catalogue of texts, by default all, each with the translation that it has already."""
    old = read(code)
    fresh = Catalog(
        locale=code,
        header_comment=old.header_comment,
        project="Durak",
        version="0",
        msgid_bugs_address="the project",
        last_translator="the project",
        language_team="the project",
        creation_date=old.creation_date,
        revision_date=old.creation_date,
        fuzzy=False,
    )
    found: dict[Key, set[str]] = {}
    for key, where in all_texts() if texts is None else texts:
        found.setdefault(_same(key, found), set()).add(where)
    for (context, text), files in sorted(found.items(), key=lambda item: (min(item[1]), str(item[0]))):
        known = old.get(text, context or None)
        translation = known.string if known is not None else ""
        fresh.add(text, translation, [(file, None) for file in sorted(files)], context=context or None)
    return fresh


def _same(key: Key, found: Mapping[Key, object]) -> Key:
    """Take a text that is also counted somewhere for that one: a catalogue has each text once."""
    context, text = key
    for other in found:
        if other[0] == context and isinstance(other[1], tuple) and other[1][0] == text:
            return other
    return key


_HEADER: Final = """\
# The texts of the app Durak in another language; see tools/catalogue.py."""


def as_po(catalogue: Catalog) -> bytes:
    """Write a catalogue as text."""
    file = io.BytesIO()
    write_po(file, catalogue, width=100, sort_output=False, omit_header=False, include_lineno=False)
    return file.getvalue()


def compiled(catalogue: Catalog) -> bytes:
    """Compile a catalogue."""
    file = io.BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()


def _messages(data: bytes) -> object:
    """Return a catalogue without its header, which each version of Babel writes differently."""
    po_header, _, texts = data.partition(b"\n\n")
    if po_header.startswith(b"#"):
        return texts
    return [(each.context, each.id, each.string) for each in read_mo(io.BytesIO(data)) if each.id]


def untranslated(catalogue: Catalog) -> list[str]:
    """List the texts without a translation."""
    missing = []
    for message in catalogue:
        forms = message.string if isinstance(message.string, (list, tuple)) else [message.string]
        if message.id and not all(forms):
            missing.append(f"{message.context or ''}: {message.id!r}")
    return missing


def main(arguments: list[str]) -> int:
    """Renew all catalogues, or only look; say what is to be translated."""
    code = 0
    for language in LANGUAGES:
        catalogue, path = renewed(language), catalogue_path(language)
        for target, data in ((path, as_po(catalogue)), (path.with_suffix(".mo"), compiled(catalogue))):
            if target.exists() and _messages(target.read_bytes()) == _messages(data):
                continue
            code = 1
            if "--check" not in arguments:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        missing = untranslated(catalogue)
        print(f"{language}: {len(catalogue)} texts, {len(missing)} to translate", *missing, sep="\n  ")
        code = code if "--check" in arguments else 0
        code = 1 if missing else code
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
