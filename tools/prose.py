"""Find words and turns of phrase that CONTRIBUTING.md ("How we write") advises against.

    python3 tools/prose.py                       # the documents and both packages, against the limits
    python3 tools/prose.py --count               # the same, as counts per habit
    python3 tools/prose.py docs/rules.md         # any files and folders; every match counts
    python3 tools/prose.py --commits main..HEAD  # subjects of commits

It reads Markdown, the comments and texts of Python files and the English of lessons. Code and quoted
names are skipped. Proper uses and the limits are in `prose_exceptions.toml`, each with a reason. The exit
code is 1 if there are more matches than allowed.
"""

from __future__ import annotations

import argparse
import ast
import fnmatch
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
EXCEPTIONS: Final = Path(__file__).with_name("prose_exceptions.toml")

AREAS: Final[Mapping[str, tuple[str, ...]]] = {
    "documents": ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs"),
    "packages": ("durak_core", "durak_tui"),
}
"""What is checked without arguments. Each area has its own limits."""

_START: Final = r"(?:^|(?<=[.:;!?] ))"
_BE: Final = r"(?:is|are|was|were|be|been|being)"
_QUESTION: Final = r"(?:how|what|which|who|whom|whose|where|when|whether|why|if|that|so|nothing)"
_MACHINE: Final = (
    r"(?:agents?|apps?|clients?|commands?|engines?|functions?|networks?|policies|policy|programs?|search|"
    r"searches|servers?|tests?|`x+`)"
)


@dataclass(frozen=True, slots=True)
class Habit:
    """A pattern to avoid, and better words.

    Attributes:
        name: The habit's name in reports and in the file of exceptions.
        pattern: What to find in a sentence whose whitespace is single spaces.
        better: What to write instead.
        only: Ending of the files it is looked for in; empty for all.
    """

    name: str
    pattern: re.Pattern[str]
    better: str
    only: str = ""


def _habit(name: str, pattern: str, better: str, only: str = "") -> Habit:
    return Habit(name, re.compile(pattern, re.IGNORECASE), better, only)


HABITS: Final = (
    _habit("worth", r"\bworth\b(?! \w+ing\b)", "value, win probability, score, contributes, costs"),
    _habit(
        "relative",
        r"\bof (?:whom|whose|which)\b|\b(?:among|for|from|with|to|by|against|in|on|at|after) who(?:m|se)\b",
        "two sentences, the noun first",
    ),
    _habit("actor", r"\b(?:who|whom)ever\b", "you, the player, the caller, the engine"),
    _habit(
        "actor",
        r"\b(?:some|no|every|any)body(?:'s)?\b",
        "the player, another seat, no player, every seat",
    ),
    _habit(
        "actor", r"\b(?:those|all|him|he|one) who\b|[:;] (?:but |and )?who (?!is\b)\w+s\b", "name the actor"
    ),
    _habit("say", r"\b(?:says|tells|hears)\b", "returns, prints, shows, describes, records, specifies"),
    _habit(
        "say",
        rf"\b(?:say|said|saying|tell|telling|told|hear|heard) (?:[\w`]+ )?{_QUESTION}\b",
        "describe, print, report, record, set",
    ),
    _habit("say", rf"\b{_BE} (?:\w+ )?(?:told|heard)\b", "is given, receives, is informed"),
    _habit("say", rf"\b{_MACHINE} (?:said|told|heard|tell|say|hear)\b", "return, print, show, receive"),
    _habit("say", r"^(?:Say|Tell|Hear)\b", "Print, Return, Record, Report"),
    _habit(
        "ask",
        rf"\b{_MACHINE} (?:(?:is|are|was|were) (?:\w+ )?asked|asks?)\b",
        "is called, is queried, requests, specifies",
    ),
    _habit(
        "where",
        rf"{_START}(?:Only |Even |But |And )?(?-i:W|(?<= )w)here\b(?![^.!]*\?)[^.?!;:|]*, ",
        "if, when",
    ),
    _habit(
        "where",
        r"\bwhere (?:there (?:is|are|was|were)|nothing|none|no|something|somebody|nobody|any)\b",
        "if, when",
    ),
    _habit("vague", r"\b(?:gone|go|goes|going|went) through\b", "enumerate, traverse, search"),
    _habit("vague", r"\b(?:f[io]u?nds? out|finding out)\b", "infer, compute, learn, determine"),
    _habit("vague", r"\b(?:comes?|came) of\b", "results from"),
    _habit(
        "vague", r"\bcome?s? to nothing\b|\bcounted (?:backwards|anew)\b", "cancels; is computed, is solved"
    ),
    _habit("pronoun", r"\b(?<!so )(?:that|those|the ones?) of\b", "repeat the noun"),
    _habit(
        "chain",
        r"(?:^|(?<=[.!?] ))[^.:;!?|]{15,}; [^.:;!?|]{10,}; [^.;!?|]{10,}",
        "one fact a sentence",
        ".md",
    ),
    _habit("heading", r"^#+ (?:What|When|Where|Who|Whose|Whether)\b[^?]*$", "a noun to search for", ".md"),
    _habit("archaic", r"\bon the mean\b", "on average"),
    _habit("archaic", r"\banew\b", "again"),
    _habit("archaic", r"\blikewise\b", "also"),
    _habit("archaic", r"\bbeside\b", "next to, with"),
    _habit("archaic", r"\bshall\b", "will, must, should"),
    _habit("archaic", r"\bmay stand\b", "is allowed"),
    _habit(
        "archaic",
        r"\b(?:stands?|stood) (?:in|on|at|by|before|behind|above|below|after|there|where|alone|nowhere)\b",
        "is in, appears, is listed",
    ),
    _habit("archaic", r"(?<=[,;] )(?:and |or |but )?else\b(?!:)|\bor else\b", "otherwise"),
    _habit("archaic", r", for (?:it|they|he|she|there|these)\b(?! \w+ing)", "because, since"),
    _habit(
        "archaic",
        r"\b(?:hence|thereby|therein|thereof|thereupon|whence|whereby|wherein|mend(?:s|ed|ing)?)\b",
        "so, by this, fixed",
    ),
    _habit("term", r"\b(?:re-?)?judg(?:e[ds]?|ing|e?ments?)\b", "evaluate, evaluation, analysis"),
    _habit("term", r"\bmachine code\b", "compiled (Numba)"),
    _habit("term", r"\bplain Python\b", "interpreted"),
    _habit("term", r"\bprocessor time\b", "CPU time"),
    _habit("term", r"\bby the (?:wall )?clock\b", "wall time"),
    _habit("term", r"\bfool's share\b|\bshare of lost games\b", "loss rate"),
    _habit("term", r"\bfair share\b", "par (1/n)"),
    _habit(
        "term",
        r"\b(?:draw\w*|choos\w*|nothing|random\w*) by chance\b|\ball chance\b",
        "stochastic, randomness",
    ),
    _habit("term", r"\bnothing by chance\b", "deterministic"),
    _habit(
        "term",
        r"\btexts? of (?:an?|the|its|their|each|other) (?:agents?|rules)\b|"
        r"\b(?:agent|team|player|rules)(?:'s|s')? texts?\b",
        "agent spec, rules spec",
    ),
    _habit("term", r"\bstays? as (?:it is|they are)\b", "frozen, fixed"),
    _habit("term", r"\bnot to be relied on\b|\*\*A look\b|^A look\b", "provisional"),
    _habit("term", r"\bfindings\b(?!:)", "search info"),
    _habit("term", r"\bduties\b", "conformance requirements"),
    _habit("term", r"\bpatience\b", "grace period"),
    _habit("term", r"\bon a chair\b", "wrapper"),
    _habit("term", r"\bearlier selves\b", "past checkpoints (opponent pool)"),
    _habit("term", r"\bg(?:ave|ives?|iven) away\b", "lost (points)"),
    _habit("term", r"\bwho holds (?:what|which)\b|\bnetworks? of hands\b", "hand inference, belief network"),
    _habit("term", r"\bwho plays (?:how|by)\b|\breads? the others\b", "opponent modelling"),
    _habit("term", r"\bwho of the others\b", "loser-prediction head"),
    _habit("term", r"\blevelled\b", "calibrated"),
    _habit("term", r"\bmisfits?\b(?!:)", "consistency checks"),
    _habit("term", r"\bdeals? of the day\b", "daily deal"),
    _habit("term", r"\bmoves? to learn from\b", "key moments"),
    _habit("term", r"\bone among searches\b", "mixed table"),
    _habit("term", r"\bevery deal from every seat\w*\b", "duplicate deals"),
    _habit("term", r"\badvice\b(?!:)", "hint"),
    _habit("term", r"\bthe person(?:'s)?\b", "you, the player"),
    _habit(
        "notebook",
        r"\bcommits? [0-9a-f]{7,40}\b|\b(?:at|and) (?=\w*\d)[0-9a-f]{7}\b|\bseeds? \d+(?! \w+s\b)",
        "move it to the caption or the result file",
        ".md",
    ),
)


@dataclass(frozen=True, slots=True)
class Match:
    """A habit found in a file.

    Attributes:
        path: The file, or the commit.
        line: Line number from 1.
        habit: The habit.
        words: The words found.
    """

    path: str
    line: int
    habit: Habit
    words: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.habit.name}: “{self.words}” → {self.habit.better}"


@dataclass(frozen=True, slots=True)
class ProperUse:
    """A proper use of a word.

    Attributes:
        habit: Name of the habit.
        pattern: Matches that overlap this pattern are ignored.
        path: Glob of the files it applies to.
        reason: Why.
    """

    habit: str
    pattern: re.Pattern[str]
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Allowed:
    """The file of exceptions: proper uses, and the number of matches left per area and habit."""

    exceptions: tuple[ProperUse, ...]
    limits: Mapping[str, Mapping[str, int]]


def read_allowed(path: Path = EXCEPTIONS) -> Allowed:
    """Read the exceptions.

    Raises:
        KeyError: An exception has no habit, text or reason.
    """
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return Allowed(
        tuple(
            ProperUse(it["habit"], re.compile(it["text"], re.IGNORECASE), it.get("path", "*"), it["reason"])
            for it in data.get("exception", ())
        ),
        data.get("limits", {}),
    )


# Prose in files. A character that is no prose becomes "\0", so that offsets stay right.


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", "\0", text)


def _without_code(text: str) -> str:
    """Mask inline code, link targets and addresses."""
    text = re.sub(r"`[^`\n]*`", lambda it: "`" + "x" * (len(it[0]) - 2) + "`", text)
    text = re.sub(r"\]\([^)\s]*\)", lambda it: "]" + " " * (len(it[0]) - 1), text)
    return re.sub(r"https?://\S+|\S+@\S+", lambda it: "x" * len(it[0]), text)


def _markdown(text: str) -> str:
    fence = re.compile(r"^( *)(```+|~~~+).*?^\1\2[^\n]*$", re.MULTILINE | re.DOTALL)
    text = fence.sub(lambda it: _blank(it[0]), text)
    text = re.sub(r"<!--.*?-->", lambda it: _blank(it[0]), text, flags=re.DOTALL)
    return _without_code(text)


def _lesson(text: str) -> str:
    """Keep the English texts of a lesson."""
    kept, english = [], False
    for line in text.splitlines(keepends=True):
        if not line.startswith(" "):
            english = line.startswith("en:")
            line = "\0\0\0" + line[3:] if english else line  # noqa: PLW2901 - the key is no prose
        kept.append(line if english else _blank(line))
    return "".join(kept)


_SQL: Final = re.compile(r"\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|WITH \w+ AS|ALTER|DROP) ")
_QUOTES: Final = re.compile(r"(?<!\w)[rbfu]{0,2}(?:\"\"\"|'''|\"|')|\"\"\"|'''|\"", re.IGNORECASE)


def _line_starts(lines: Iterable[str]) -> list[int]:
    """Return the offset of each line, and of the end."""
    return list(accumulate(map(len, lines), initial=0))


def _texts(text: str, tree: ast.Module) -> Iterator[tuple[int, int]]:
    """Yield the spans of the string literals that are sentences or phrases."""
    lines = text.splitlines(keepends=True)
    starts = _line_starts(lines)

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.JoinedStr) or (
            isinstance(node, ast.Constant) and isinstance(node.value, str)
        ):
            yield (
                offset(node.lineno, node.col_offset),
                offset(node.end_lineno or node.lineno, node.end_col_offset or 0),
            )
        else:
            nodes.extend(ast.iter_child_nodes(node))


def _python(text: str) -> str:
    masked = list(_blank(text))
    for start, end in _texts(text, ast.parse(text)):
        part = re.sub(r"\{[^{}\n]*\}", lambda it: "{" + "x" * (len(it[0]) - 2) + "}", text[start:end])
        part = _QUOTES.sub(lambda it: " " * len(it[0]), part.replace("\\n", "  "))
        part = re.sub(r"^\s*(?:>>>|\.\.\.) .*$", lambda it: _blank(it[0]), part, flags=re.MULTILINE)
        if " " in part.strip() and not _SQL.match(part):
            masked[start:end] = _without_code(part)
    starts = _line_starts(text.splitlines(keepends=True))
    previous = -1  # line of the previous comment that has a line of its own
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        row, column = token.start
        start = starts[row - 1] + column
        words = re.sub(
            r"^#:?|\b(?:noqa|type|pragma)(?:: [\w\[\], -]+?)?(?= - |$)",
            lambda it: " " * len(it[0]),
            token.string,
        )
        masked[start : start + len(words)] = _without_code(words)
        if not token.line[:column].strip():
            if previous == row - 1:
                masked[starts[row - 1] : start] = " " * column
            previous = row
    return "".join(masked)


_READERS: Final = {".md": _markdown, ".py": _python, ".lesson": _lesson}
_TRANSLATED: Final = re.compile(r"\.[a-z]{2}\.md$")
"""The end of a document's name that is not in English."""

_BREAK: Final = re.compile(
    r"\0[\0\s]*"  # code
    r"|\n[ \t]*\n\s*"  # a paragraph
    r"|\n(?=[ \t]*(?:[-*+>#]|\d+\.) )"  # an item of a list, a heading
    r"|\n(?=[ \t]*[\w*]+: )"  # an argument
    r"|\n(?=[ \t]*\|)|(?<=[^\\])\|"  # a cell
)


def sentences(text: str) -> Iterator[tuple[str, Sequence[int]]]:
    """Yield pieces of masked prose with single spaces, and the offset of each character."""
    heads = {it.end() for it in re.finditer(r"^#+ .*$", text, re.MULTILINE)}
    text = "".join("\0" if index in heads else char for index, char in enumerate(text)) if heads else text
    start = 0
    for stop in [*_BREAK.finditer(text), None]:
        end = stop.start() if stop else len(text)
        offsets = [
            index
            for index in range(start, end)
            if not text[index].isspace() or (index + 1 < end and not text[index + 1].isspace())
        ]
        while offsets and text[offsets[0]].isspace():
            offsets.pop(0)
        piece = "".join(" " if text[index].isspace() else text[index] for index in offsets)
        if " " in piece:
            yield piece, offsets
        start = stop.end() if stop else end


def _habits_in(piece: str, path: str, allowed: Allowed) -> Iterator[tuple[int, Habit, str]]:
    """Yield position, habit and words for each habit of a sentence."""
    taken: list[tuple[int, int]] = []
    for habit in HABITS:
        if habit.only and not path.endswith(habit.only):
            continue
        if habit.name == "notebook" and (piece.startswith(("*", "_")) or re.search(r"\bCommits? ", piece)):
            continue  # a caption
        for found in habit.pattern.finditer(piece):
            span = found.span()
            if any(span[0] < end and start < span[1] for start, end in taken):
                continue
            if any(
                it.habit == habit.name
                and fnmatch.fnmatch(path, it.path)
                and any(
                    span[0] < proper.end() and proper.start() < span[1]
                    for proper in it.pattern.finditer(piece)
                )
                for it in allowed.exceptions
            ):
                continue
            if habit.name != "chain":
                taken.append(span)
            words = found[0] if len(found[0]) <= 60 else found[0][:57] + "..."
            yield found.start(), habit, words.strip()


def check_text(text: str, path: str, allowed: Allowed) -> list[Match]:
    """Return the habits found in a file's text, in order; the path's ending names the format."""
    masked = _READERS.get(Path(path).suffix, _without_code)(text)
    return sorted(
        (
            Match(path, text.count("\n", 0, offsets[at]) + 1, habit, words)
            for piece, offsets in sentences(masked)
            for at, habit, words in _habits_in(piece, path, allowed)
        ),
        key=lambda it: it.line,
    )


def files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the files with prose in files and folders; hidden folders are skipped."""
    for path in paths:
        if path.is_dir():
            for file in sorted(path.rglob("*")):
                inside = file.relative_to(path)
                if file.suffix in _READERS and not any(part.startswith(".") for part in inside.parts):
                    yield file
        else:
            yield path


def check(paths: Iterable[Path], allowed: Allowed, root: Path = ROOT) -> list[Match]:
    """Return the habits found in files and folders; translated documents are skipped.

    Raises:
        OSError: A file cannot be read.
    """
    found = []
    for file in files(paths):
        if not _TRANSLATED.search(file.name):
            name = (
                file.resolve().relative_to(root).as_posix()
                if file.resolve().is_relative_to(root)
                else str(file)
            )
            found += check_text(file.read_text(encoding="utf-8"), name, allowed)
    return found


def check_commits(commits: str, allowed: Allowed) -> list[Match]:
    """Return the habits found in the subjects of a range of commits."""
    log = subprocess.run(  # noqa: S603 - the range is an argument of its own
        ["git", "log", "--format=%h %s", "--end-of-options", commits],  # noqa: S607 - git is on the path
        check=True,
        capture_output=True,
        text=True,
    )
    found = []
    for line in log.stdout.splitlines():
        commit, _, subject = line.partition(" ")
        found += check_text(subject, commit, allowed)
    return found


def counts(matches: Iterable[Match]) -> Counter[str]:
    """Return the number of matches per habit."""
    return Counter(it.habit.name for it in matches)


def _print_counts(areas: Mapping[str, Counter[str]], limits: Mapping[str, Mapping[str, int]]) -> None:
    names = dict.fromkeys(it.name for it in HABITS)
    print(f"{'habit':<10}" + "".join(f"{area:>11}{'limit':>7}" for area in areas))
    for name in names:
        cells = "".join(
            f"{found[name]:>11}{limits.get(area, {}).get(name, 0):>7}" for area, found in areas.items()
        )
        print(f"{name:<10}{cells}")
    total = "".join(
        f"{found.total():>11}{sum(limits.get(area, {}).values()):>7}" for area, found in areas.items()
    )
    print(f"{'all':<10}{total}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="*", type=Path, help="files and folders; by default those with limits")
    parser.add_argument("--count", action="store_true", help="print counts per habit only")
    parser.add_argument("--commits", metavar="RANGE", help="check the subjects of these commits")
    parser.add_argument("--limits", action="store_true", help="print the present counts as limits, in TOML")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout whose areas are checked")
    options = parser.parse_args(arguments)
    allowed = read_allowed()
    root = options.root.resolve()
    limits: Mapping[str, Mapping[str, int]] = {}
    if options.commits:
        areas = {"commits": check_commits(options.commits, allowed)}
    elif options.paths:
        areas = {"paths": check(options.paths, allowed)}
    else:
        areas = {area: check([root / it for it in paths], allowed, root) for area, paths in AREAS.items()}
        limits = allowed.limits
    totals = {area: counts(found) for area, found in areas.items()}
    over = [
        f"{area}: {number} of {name}, and {limits.get(area, {}).get(name, 0)} are allowed"
        for area, total in totals.items()
        for name, number in total.items()
        if number > limits.get(area, {}).get(name, 0)
    ]
    if options.limits:
        for area, total in totals.items():
            rows = (f"{name} = {number}" for name, number in sorted(total.items()))
            print(f"[limits.{area}]", *rows, "", sep="\n")
        return 0
    if options.count:
        _print_counts(totals, limits)
    elif over:
        for found in areas.values():
            for match in found:
                print(match)
    if over and not (options.paths or options.commits):
        print(*over, sep="\n", file=sys.stderr)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
