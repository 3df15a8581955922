"""Find words and turns of phrase that CONTRIBUTING.md ("How we write") advises against.

    python3 tools/prose.py                                  # the documents and both packages
    python3 tools/prose.py docs/rules.md                    # any files and folders; nothing is allowed
    git log --format=%s main.. | python3 tools/prose.py -   # subjects of commits

`prose.toml` has the patterns, their proper uses, and the number of matches that may remain. Markdown,
English lessons, and the comments and texts of Python files are read; code and quoted names are skipped.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
PLACES: Final = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "durak_core", "durak_tui")
RULES: Final = tomllib.loads(Path(__file__).with_name("prose.toml").read_text(encoding="utf-8"))


class Match(NamedTuple):
    """Words to avoid, and better ones."""

    path: str
    line: int
    habit: str
    words: str
    better: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.habit}: “{self.words}” → {self.better}"


def _compiled(pattern: str) -> re.Pattern[str]:
    for name, part in RULES["parts"].items():
        pattern = pattern.replace(f"<{name}>", part)
    return re.compile(pattern, re.IGNORECASE)


PATTERNS: Final = [
    (habit, _compiled(pattern), better)
    for habit, patterns in RULES["habits"].items()
    for pattern, better in patterns.items()
]
PROPER: Final = [(use["habit"], use.get("path", "*"), _compiled(use["text"])) for use in RULES["proper"]]


# What is no prose becomes "\0" and separates sentences; what is quoted becomes x. Offsets stay right.


def _blank(text: str) -> str:
    return "\0" * len(text)


def _markdown(text: str) -> str:
    text = re.sub(
        r"^( *)(```+|~~~+).*?^\1\2[^\n]*$", lambda it: _blank(it[0]), text, flags=re.MULTILINE | re.DOTALL
    )
    text = re.sub(r"<!--.*?-->", lambda it: _blank(it[0]), text, flags=re.DOTALL)
    return re.sub(r"^(#+ .*)\n", "\\1\0", text, flags=re.MULTILINE)


def _lesson(text: str) -> str:
    """Keep the English texts of a lesson."""
    masked = list(_blank(text))
    for found in re.finditer(r"(?<=^en:).*(?:\n .*)*", text, re.MULTILINE):
        masked[found.start() : found.end()] = found[0]
    return "".join(masked)


_PYTHON: Final = re.compile(
    r"""(?P<comment>\#[^\n]*)
    |[rbfu]{0,2}(?P<doc>\"{3}(?:\\.|.)*?\"{3})
    |[rbfu]{0,2}(?P<text>\"(?:\\.|[^"\\])*\"|'(?:\\.|[^'\\])*')""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_NO_WORDS: Final = re.compile(
    r"^(?:#:?|[rbfu]{0,2}['\"]+)|['\"]+$|\\n|\b(?:noqa|type|pragma)(?:: [\w\[\], -]+?)?(?= - |$)",
    re.IGNORECASE,
)


def _python(text: str) -> str:
    """Keep comments and strings. Neighbours of one kind are one sentence, as joined strings are."""
    masked, end, before = "", 0, None
    for found in _PYTHON.finditer(text):
        gap = text[end : found.start()]
        words = _NO_WORDS.sub(lambda it: " " * len(it[0]), found[0])
        words = re.sub(r"\{[^{}\n]*\}", lambda it: "x" * len(it[0]), words)
        words = re.sub(r"^ *(?:>>>|\.\.\.) .*$", lambda it: _blank(it[0]), words, flags=re.MULTILINE)
        joined = found.lastgroup == before and not gap.strip()
        masked += gap + words if joined else _blank(gap) + "\0" + words[1:]
        end, before = found.end(), found.lastgroup
    return masked


_BREAK: Final = re.compile(
    r"\n[ \t]*\n\s*"  # a paragraph
    r"|\n(?=[ \t]*(?:[-*+>#]|\d+\.) )"  # an item of a list, a heading
    r"|\n(?=[ \t]*[\w*]+: )"  # an argument
    r"|\n(?=[ \t]*\|)|(?<=[^\\])\|"  # a cell
)
_READERS: Final = {".md": _markdown, ".py": _python, ".lesson": _lesson}


def _masked(text: str, suffix: str) -> str:
    text = _READERS.get(suffix, str)(text)
    text = re.sub(r"`[^`\n\0]*`", lambda it: "`" + "x" * (len(it[0]) - 2) + "`", text)
    text = re.sub(r"\]\([^)\s]*\)", lambda it: "]" + " " * (len(it[0]) - 1), text)
    text = re.sub(r"https?://[^\s\0]+|[^\s\0]+@[^\s\0]+", lambda it: "x" * len(it[0]), text)
    return _BREAK.sub(lambda it: _blank(it[0]), text)


def check_text(text: str, path: str) -> list[Match]:
    """Return the habits found in a file's text, in order; the path's ending names the format."""
    found = []
    for piece in re.finditer(r"[^\0]+", _masked(text, Path(path).suffix)):
        words = list(re.finditer(r"\S+", piece[0]))
        if len(words) < 2:
            continue  # a name
        sentence = " ".join([word[0] for word in words])
        for habit, pattern, better in PATTERNS:
            if not pattern.search(sentence):
                continue
            rest = sentence
            for name, files, use in PROPER:
                if name in {"*", habit} and fnmatch(path, files):
                    rest = use.sub(lambda it: re.sub(r"\S", "_", it[0]), rest)
            for one in pattern.finditer(rest):
                start = piece.start() + words[rest.count(" ", 0, one.start())].start()
                line = text.count("\n", 0, start) + 1
                found.append(Match(path, line, habit, one[0].strip(), better))
    return sorted(found, key=lambda it: it.line)


def check(places: Sequence[Path]) -> Iterator[Match]:
    """Yield the habits found in files and folders; translated documents are skipped."""
    for place in places:
        for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if file == place or (file.suffix in _READERS and not file.match("*.??.md")):
                name = file.resolve().relative_to(ROOT) if file.resolve().is_relative_to(ROOT) else file
                yield from check_text(file.read_text(encoding="utf-8"), name.as_posix())


def main(arguments: Sequence[str]) -> int:
    """Print the matches of a habit that has more of them than allowed, and return the exit code."""
    if arguments == ["-"]:
        found = [match for line in sys.stdin for match in check_text(line, "")]
    else:
        found = list(check([Path(it) for it in arguments] or [ROOT / it for it in PLACES]))
    limits = {} if arguments else RULES["limits"]
    over = {
        habit: number
        for habit, number in Counter(match.habit for match in found).items()
        if number > limits.get(habit, 0)
    }
    for match in found:
        if match.habit in over:
            print(match)
    for habit, number in over.items():
        print(f"{habit}: {number}, {limits.get(habit, 0)} allowed", file=sys.stderr)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
