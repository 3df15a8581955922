"""Put wrong code in, one place at a time, and print what no test notices (mutation testing).

    python3 tools/mutants.py run durak_core/kernel --tests tests/core --number 50 --seed 1
    python3 tools/mutants.py changed main --tests tests/core --number 10    # only lines changed since then
    python3 tools/mutants.py twice durak_core --tests tests/core --number 3000    # tests of what others test

The tracked files are copied to `.mutants/tree`, and only the copy is changed. First the tests run there once,
interpreted, with a call before the statement of each place drawn. It notes the running test, also in programs
that a test starts. Then each mutant is tested in a process forked after the slow imports, by the tests that
reach its statement: near and short ones first, until one fails. The operators are Cosmic Ray's and two more.
Needs `--group mutants`.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import functools
import importlib
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import parso
import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Example, Operator
from cosmic_ray.plugins import get_operator
from parso.tree import NodeOrLeaf as Node

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / ".mutants"
TREE: Final = FOLDER / "tree"
REACHED: Final = FOLDER / "reached"
TIMES: Final = FOLDER / "times.json"
PRINTED: Final = FOLDER / "printed"
PACKAGES: Final = ("durak_core", "durak_tui")
IMPORTS: Final = ("hypothesis.strategies", "rich.console", "textual.app")
PASSED: Final = (0, pytest.ExitCode.NO_TESTS_COLLECTED)
MEMORY: Final = 4 << 30
FEW: Final = 4
SLOW: Final = 40
PATIENCE: Final = 30  # seconds added to five times the tests' time; an endless loop counts as noticed
NOTE: Final = """
import os
_file = os.open({file!r}, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
_seen = set()
def note(*places):
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
    for place in places:
        if (place, test) not in _seen:
            _seen.add((place, test))
            os.write(_file, f"{{place}} {{test}}\\n".encode())
"""

_NAMES: Final = {
    "ReplaceBinaryOperator_{}": "Add_Sub Sub_Add Mul_Div Div_Mul FloorDiv_Mul Mod_Add Pow_Mul BitOr_BitAnd "
    "BitAnd_BitOr BitXor_BitOr LShift_RShift RShift_LShift",
    "ReplaceComparisonOperator_{}": "Eq_NotEq NotEq_Eq Lt_LtE Lt_GtE LtE_Lt LtE_Gt Gt_GtE Gt_LtE GtE_Gt "
    "GtE_Lt Is_IsNot IsNot_Is",
    "ReplaceUnaryOperator_Delete_{}": "USub Not Invert",
    "Replace{}": "AndWithOr OrWithAnd TrueWithFalse FalseWithTrue BreakWithContinue ContinueWithBreak",
    "{}": "AddNot NumberReplacer ZeroIterationForLoop",
}
OPERATORS: Final = tuple(
    f"core/{name}".format(kind) for name, kinds in _NAMES.items() for kind in kinds.split()
)
"""The operators of Cosmic Ray whose mutants are seldom equal or absurd."""


class SwapArguments(Operator):
    """Swap the first two positional arguments of a call."""

    def mutation_positions(self, node: Node) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        if node.type == "arglist" and node.parent.type == "trailer" and len(self._plain(node)) > 1:
            yield node.start_pos, node.end_pos

    @staticmethod
    def _plain(node: Node) -> list[int]:
        """Return the positions of the leading arguments without a name or a star."""
        places = []
        for place, child in enumerate(node.children[::2]):
            if child.type == "argument":
                break
            places.append(2 * place)
        return places

    def mutate(self, node: Node, index: int) -> Node:  # noqa: ARG002
        first, second, *_ = self._plain(node)
        one, other = (node.children[place].get_code(include_prefix=False) for place in (first, second))
        for place, code in ((first, other), (second, one)):
            node.children[place] = parso.parse(node.children[place].get_first_leaf().prefix + code)
        return node

    @classmethod
    def examples(cls) -> Iterable[Example]:
        return (Example("f(a, b)", "f(b, a)"),)


class DropCall(Operator):
    """Leave a call out whose result is not used."""

    def mutation_positions(self, node: Node) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        is_call = node.type in {"atom_expr", "power"} and node.children[-1].type == "trailer"
        if is_call and node.parent.type == "simple_stmt" and node.children[-1].children[0].value == "(":
            yield node.start_pos, node.end_pos

    def mutate(self, node: Node, index: int) -> Node:  # noqa: ARG002
        return parso.parse(node.get_first_leaf().prefix + "pass")

    @classmethod
    def examples(cls) -> Iterable[Example]:
        return (Example("f(a)\n", "pass\n"),)


OWN: Final = {"SwapArguments": SwapArguments, "DropCall": DropCall}


class Site(NamedTuple):
    """A place in the sources and the ways to change it, each an operator's name and occurrence."""

    path: str
    line: int
    column: int
    ways: tuple[tuple[str, int], ...]


@functools.cache
def operator(name: str) -> Operator:
    return OWN[name]() if name in OWN else get_operator(name)()


class Sources:
    """The copied modules: the places to change, and the statements of lines."""

    def __init__(self) -> None:
        self._trees: dict[str, ast.Module] = {}

    @staticmethod
    def text(path: str) -> str:
        return (TREE / path).read_text(encoding="utf-8")

    def tree(self, path: str) -> ast.Module:
        if path not in self._trees:
            self._trees[path] = ast.parse(self.text(path))
        return self._trees[path]

    def sites(self, path: str) -> list[Site]:
        """Where a module can be changed; annotations and what only type checkers see are left out."""
        ways: dict[tuple[int, int], list[tuple[str, int]]] = defaultdict(list)
        nodes = [*ast_nodes(get_ast(self.text(path)))]
        for name in (*OPERATORS, *OWN):
            positions = (start for node in nodes for start, _ in operator(name).mutation_positions(node))
            for occurrence, start in enumerate(positions):
                ways[start].append((name, occurrence))
        typed = [*self._annotations(path)]
        return [
            Site(path, *start, tuple(found))
            for start, found in sorted(ways.items())
            if not any(first <= start < last for first, last in typed)
        ]

    def _annotations(self, path: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        for node in ast.walk(self.tree(path)):
            for name in ("annotation", "returns"):
                typed = getattr(node, name, None)
                if isinstance(typed, ast.expr):
                    last = typed.end_lineno or typed.lineno, typed.end_col_offset or 0
                    yield (typed.lineno, typed.col_offset), last

    def starts(self, site: Site) -> list[int]:
        """Return the lines before which to note that a place is reached.

        A place outside functions runs when the module is imported: each function of the module notes it.
        """
        statement, inside = site.line, False
        functions: list[int] = []
        todo: list[tuple[ast.AST, bool]] = [(self.tree(site.path), False)]
        lines = self.text(site.path).splitlines()
        while todo:
            node, within = todo.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
                functions += [_first_line(part) for part in body[:1]]
            if isinstance(node, ast.stmt) and _first_line(node) <= site.line <= (node.end_lineno or 0):
                first = _first_line(node)
                is_elif = lines[first - 1].lstrip().startswith("elif")
                statement, inside = statement if is_elif else first, within
            in_function = within or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            todo += [(child, in_function) for child in ast.iter_child_nodes(node)]
        return [statement] if inside else functions

    def noting(self, path: str, notes: Mapping[int, list[int]]) -> str:
        """Return a module's text that notes places before the given lines."""
        lines = self.text(path).splitlines(keepends=True)
        for line in sorted(notes, reverse=True):
            here = lines[line - 1]
            call = f"__import__('durak_reached').note({', '.join(map(str, notes[line]))})\n"
            lines.insert(line - 1, here[: len(here) - len(here.lstrip())] + call)
        return "".join(lines)


def _first_line(statement: ast.stmt) -> int:
    return min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", ()))])


class Tests:
    """Which tests reach which places, and how long each takes."""

    def __init__(
        self, sites: Collection[Site], sources: Sources, places: list[str], limit: float = 0.0
    ) -> None:
        """Run the tests in files and folders once."""
        self._limit = limit
        notes: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for number, site in enumerate(sites):
            for start in sources.starts(site):
                notes[site.path][start].append(number)
        before = {path: sources.text(path) for path in notes}
        REACHED.unlink(missing_ok=True)
        (TREE / "durak_reached.py").write_text(NOTE.format(file=str(REACHED)), encoding="utf-8")
        for path, found in notes.items():
            rewrite(TREE / path, sources.noting(path, found))
        TIMES.unlink(missing_ok=True)
        try:
            run_forked(places, Timed(TIMES), math.inf)
        finally:
            for path, text in before.items():
                rewrite(TREE / path, text)
        self.times: dict[str, float] = json.loads(TIMES.read_text(encoding="utf-8")) if TIMES.exists() else {}
        """Seconds of each test that passed."""
        if not self.times:
            raise SystemExit(f"no test passes unchanged\n{PRINTED.read_text(encoding='utf-8')}")
        reached: dict[int, set[str]] = defaultdict(set)
        for line in REACHED.read_text(encoding="utf-8").splitlines() if REACHED.exists() else ():
            place, _, test = line.partition(" ")
            if test in self.times:
                reached[int(place)].add(test)
        self.reaching = {site: reached[at] for at, site in enumerate(sites)}

    def of(self, site: Site) -> list[str]:
        """Return the tests of a place, near and short ones first, up to the limit of their time."""
        here = self._words(site.path)
        ranked = sorted(
            self.reaching[site], key=lambda test: self.times[test] / 4 ** len(here & self._words(test))
        )
        left, chosen = self._limit, []
        for test in ranked:
            left -= self.times[test]
            if left < 0 and chosen:
                break
            chosen.append(test)
        return chosen

    @staticmethod
    @functools.cache
    def _words(path: str) -> frozenset[str]:
        return frozenset(re.split(r"[/_.]", path.partition("::")[0])) - {"test", "tests", "py", "durak"}


class Chosen:
    """A plugin of pytest that runs the given tests in their order, and writes down the one that failed."""

    def __init__(self, tests: list[str], file: Path) -> None:
        self._order = {test: place for place, test in enumerate(tests)}
        self._file = file

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self._order), key=lambda item: self._order[item.nodeid]
        )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._file.write_text(report.nodeid, encoding="utf-8")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._file.write_text(f"{report.nodeid} (collection)", encoding="utf-8")


class Timed:
    """A plugin of pytest that writes down how long each test that passed took."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.times: dict[str, float] = {}
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self.failed.add(report.nodeid)
        self.times[report.nodeid] = self.times.get(report.nodeid, 0.0) + report.duration

    def pytest_sessionfinish(self) -> None:
        passed = {test: took for test, took in self.times.items() if test not in self.failed}
        self._file.write_text(json.dumps(passed), encoding="utf-8")


def _enter_copy() -> None:
    """Let this process, and those it starts, import the copy instead of the sources, interpreted."""
    os.chdir(TREE)
    os.environ |= {"DURAK_COMPILED": "0", "PYTHONPATH": str(TREE)}
    others = [place for place in sys.path if Path(place).resolve() not in {ROOT, ROOT / "tools"}]
    sys.path[:] = [str(TREE), *others]


def asked_git(*words: str) -> str:
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603 - git


def copy_tree() -> None:
    shutil.rmtree(TREE, ignore_errors=True)
    for name in filter(None, asked_git("ls-files", "-z").split("\0")):
        if (ROOT / name).is_file():
            (TREE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, TREE / name)


class Trial(NamedTuple):
    """What became of one mutant."""

    path: str
    line: int
    operator: str
    occurrence: int
    outcome: str
    """`killed`, `survived` or `unreached` if no test runs the line."""
    tests: int
    noticed_by: str
    seconds: float
    difference: str


def try_out(sources: Sources, site: Site, way: tuple[str, int], tests: Tests) -> Trial | None:
    """Run the tests of a place with a change in it; return None if the operator changed nothing."""
    before = sources.text(site.path)
    after = mutate_code(before, operator(way[0]), way[1])
    if after is None or after == before:
        return None
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    difference = "\n".join([line for line in lines if not line.startswith(("---", "+++", "@@"))])
    chosen = tests.of(site)
    started = time.perf_counter()
    outcome, noticed_by = "unreached", ""
    if chosen:
        rewrite(TREE / site.path, after)
        try:
            noticed_by = noticing(chosen, PATIENCE + 5 * sum(tests.times[test] for test in chosen))
        finally:
            rewrite(TREE / site.path, before)
        outcome = "killed" if noticed_by else "survived"
    took = round(time.perf_counter() - started, 1)
    return Trial(site.path, site.line, *way, outcome, len(chosen), noticed_by, took, difference)


def rewrite(module: Path, text: str) -> None:
    """Write a module with a new time of change, so that byte code of an earlier text is never used."""
    later = module.stat().st_mtime + 2
    module.write_text(text, encoding="utf-8")
    os.utime(module, (later, later))


def noticing(tests: list[str], patience: float) -> str:
    """Run tests until one fails, and return its name."""
    noticed = FOLDER / "noticed"
    noticed.write_text("", encoding="utf-8")
    files = [*dict.fromkeys(test.partition("::")[0] for test in tests)]
    status = run_forked(["-x", *files], Chosen(tests, noticed), patience)
    if status is None:
        return "time limit"
    return noticed.read_text(encoding="utf-8") or ("" if status in PASSED else f"exit status {status}")


def run_forked(arguments: list[str], plugin: object, patience: float) -> int | None:
    """Run pytest in a process of its own, and return its exit status, or None after so many seconds."""
    child = os.fork()
    if not child:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        with PRINTED.open("w", encoding="utf-8") as file:
            for stream in (1, 2):
                os.dup2(file.fileno(), stream)
        options = ["-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
        os._exit(int(pytest.main([*options, *arguments], plugins=[plugin])))
    deadline = time.monotonic() + patience
    ended = status = 0
    try:
        while not ended and time.monotonic() < deadline:
            ended, status = os.waitpid(child, os.WNOHANG)
            time.sleep(0 if ended else 0.05)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # with all that the tests started
    if ended:
        return status >> 8 or status
    os.waitpid(child, 0)
    return None


def changed_lines(since: str) -> set[tuple[str, int]]:
    """Return the lines of the packages that differ from a commit."""
    found, path = set(), ""
    for line in asked_git("diff", "--unified=0", since, "--", *PACKAGES).splitlines():
        if line.startswith("+++ b/"):
            path = line.removeprefix("+++ b/")
        elif hunk := re.match(r"@@ .* \+(\d+)(?:,(\d+))? @@", line):
            first = int(hunk[1])
            found |= {(path, at) for at in range(first, first + int(hunk[2] or 1))}
    return found


def draw(
    sources: Sources, paths: list[str], number: int, seed: int, only: set[tuple[str, int]] | None
) -> list[tuple[Site, tuple[str, int]]]:
    """Draw places, each with one way to change it."""
    sites = [site for path in paths for site in sources.sites(path)]
    if only is not None:
        sites = [site for site in sites if (site.path, site.line) in only]
    chance = random.Random(seed)
    return [(site, chance.choice(site.ways)) for site in chance.sample(sites, min(number, len(sites)))]


def modules(places: list[str]) -> list[str]:
    """Return the modules in files and folders of the copy."""
    found: list[Path] = []
    for place in places:
        found += [TREE / place] if place.endswith(".py") else sorted((TREE / place).rglob("*.py"))
    return [path.relative_to(TREE).as_posix() for path in found]


def run(
    drawn: list[tuple[Site, tuple[str, int]]],
    sources: Sources,
    tests: Tests,
    out: Path | None,
    minutes: float,
) -> int:
    """Try mutants for so long, print those that survive, and return how many did."""
    seen: Counter[tuple[str, str]] = Counter()
    known = set()
    if out and out.exists():
        lines = out.read_text(encoding="utf-8").splitlines()
        known = {tuple(json.loads(line)[key] for key in ("path", "operator", "occurrence")) for line in lines}
    end = time.monotonic() + 60 * minutes
    for place, (site, way) in enumerate(drawn):
        if time.monotonic() > end:
            print(f"time is up after the first {place} of {len(drawn)}, which are in random order")
            break
        trial = None if (site.path, *way) in known else try_out(sources, site, way, tests)
        if trial is None:
            continue
        if out:
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(trial._asdict()) + "\n")
        seen[str(Path(site.path).parent), trial.outcome] += 1
        if trial.outcome != "killed":
            where = f"{trial.path}:{trial.line}: {trial.outcome}, {trial.tests} tests"
            print(f"{where}\n{trial.difference}", flush=True)
    for place in sorted({place for place, _ in seen}):
        counts = {outcome: seen[place, outcome] for outcome in ("killed", "survived", "unreached")}
        print(f"{place}: " + ", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    return sum(count for (_, outcome), count in seen.items() if outcome != "killed")


def print_twice(tests: Tests) -> None:
    """Print the slowest tests without which every place is still reached by a few others."""
    reached: dict[str, list[Site]] = defaultdict(list)
    for site, found in tests.reaching.items():
        for test in found:
            reached[test].append(site)
    left = {site: len(found) for site, found in tests.reaching.items()}
    printed = 0
    for test in sorted(reached, key=lambda test: -tests.times[test]):
        if printed < SLOW and all(left[site] > FEW for site in reached[test]):
            printed += 1
            left.update({site: left[site] - 1 for site in reached[test]})
            print(f"{tests.times[test]:7.2f} s  {test}")


def parsed() -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("task", choices=("run", "changed", "twice"))
    parser.add_argument("places", nargs="+", help="modules and folders, or with changed a commit")
    parser.add_argument("--tests", nargs="+", required=True, help="files and folders")
    parser.add_argument("--number", type=int, default=20, help="of places")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=40.0, help="seconds of tests for each mutant")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no mutant after so long")
    parser.add_argument("--out", type=Path, help="add results to this file, and skip what it has")
    return parser.parse_args()


def main() -> int:
    options = parsed()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the copy is put in order
    out = options.out and options.out.resolve()
    copy_tree()
    _enter_copy()
    for name in IMPORTS:
        importlib.import_module(name)
    sources, only = Sources(), None
    if options.task == "changed":
        only = changed_lines(options.places[0])
        paths = sorted({path for path, _ in only if path.endswith(".py") and (TREE / path).exists()})
    else:
        paths = modules(options.places)
    drawn = draw(sources, paths, options.number, options.seed, only)
    tests = Tests([site for site, _ in drawn], sources, options.tests, options.limit)
    if options.task == "twice":
        print_twice(tests)
        return 0
    return min(run(drawn, sources, tests, out, options.minutes), 1)


if __name__ == "__main__":
    raise SystemExit(main())
