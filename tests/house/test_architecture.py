"""What importing loads, and what import-linter cannot see; the layers are contracts in pyproject.toml."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from waiting import PATIENCE

import durak_core
import durak_core.lab

ROOT = Path(__file__).parents[2]
MODULES = sorted(path for package in ("durak_core", "durak_tui") for path in (ROOT / package).rglob("*.py"))

HEAVY = (
    "numpy",
    "numba",
    "llvmlite",
    "scipy",
    "pandas",
    "torch",
    "matplotlib",
    "joblib",
    "gymnasium",
    "textual",
)
FRIENDS = ("aiohttp", "msgspec", "segno", "durak_tui.friends")
MOST_MODULES = 70


@cache
def loaded_by(modules: str) -> set[str]:
    """Return the names of all modules in a fresh process that has imported these."""
    code = f"import sys, {modules}; print(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    return set(result.stdout.split())


@pytest.mark.parametrize(
    ("modules", "unwanted"),
    [
        ("durak_core", (*HEAVY, "rich", "click", "asyncio", "durak_core.lab", "durak_core.search")),
        ("durak_core.engine.server", (*HEAVY, "rich", "durak_core.lab")),
        ("durak_core.lab", (*HEAVY, "rich", "click")),
        ("durak_core.cli", (*HEAVY, "rich", "asyncio", "durak_core.lab")),
        (
            ", ".join(f"durak_core.cli.commands.{name}" for name in ("bench", "match", "rules", "train")),
            HEAVY,
        ),
        ("durak_tui.cli", (*HEAVY, "rich", "durak_core")),
        (
            "durak_tui.board.view, durak_tui.keys.keymap, durak_tui.lines.program, durak_tui.play.session",
            (*HEAVY, "durak_core.lab"),
        ),
        (
            "durak_tui.app, durak_tui.menu, durak_tui.table.screens, durak_tui.setup.screens",
            (*(name for name in HEAVY if name != "textual"), "durak_core.lab", *FRIENDS),
        ),
    ],
)
def test_importing_loads_nothing_heavy(modules: str, unwanted: tuple[str, ...]) -> None:
    """Compiled code is loaded when it is used, Textual by the app alone, the laboratory by its own users."""
    assert set(unwanted) & loaded_by(modules) == set()


def test_the_library_is_small_to_import() -> None:
    """A reader of `import durak_core` has few modules to look at."""
    ours = {name for name in loaded_by("durak_core") if name.startswith("durak_")}
    assert len(ours) <= MOST_MODULES


def test_public_names_are_sorted_and_there() -> None:
    """Constants, then classes, then functions, each in order; every one can be reached."""
    for package in (durak_core, durak_core.lab):
        names = package.__all__
        assert names == sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
        assert len(set(names)) == len(names)
        assert all(getattr(package, name) is not None for name in names)


def test_the_app_takes_only_public_names_and_no_search() -> None:
    """What the app imports from `durak_core` is in its `__all__`, and no function among it searches."""
    taken = {
        name.removeprefix("durak_core.")
        for path in MODULES
        if path.is_relative_to(ROOT / "durak_tui")
        for name in imports(path)
        if name.count(".") == 1
        and name.startswith("durak_core.")
        and not (ROOT / name.replace(".", "/")).exists()
    } - {path.stem for path in (ROOT / "durak_core").glob("*.py")}
    assert "Observation" in taken
    assert taken <= set(durak_core.__all__)
    objects = [getattr(durak_core, name) for name in taken]
    inner = ("durak_core.search", "durak_core.kernel", "durak_core.lab")
    searching = [item for item in objects if inspect.isfunction(item) and item.__module__.startswith(inner)]
    assert searching == []


@cache
def imports(path: Path) -> list[str]:
    """Return the dotted names that a module imports, wherever in it: ``from a.b import c`` is ``a.b.c``."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            names += [f"{node.module}.{name.name}" for name in node.names]
    return names


CLOCK_READERS = {
    "durak_core/files.py": "the age of a temporary file",
    "durak_core/lab/learn/run.py": "the times of day that TensorBoard shows",
    "durak_tui/app.py": "the age of the file of seats",
    "durak_tui/friends/client.py": "the same",
    "durak_tui/library/model/file.py": "the age of an empty library",
}
"""Modules that read the system's clock, which may jump, other than for a date."""


def test_no_pause_is_measured_by_the_systems_clock() -> None:
    """Pauses, clocks of tables and limits of searches use monotonic clocks."""
    found = set()
    for path in [*(ROOT / "durak_core").rglob("*.py"), *(ROOT / "durak_tui").rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        if re.search(r"\btime\.time(_ns)?\b|\bfrom time import .*\btime(_ns)?\b", text):
            found.add(path.relative_to(ROOT).as_posix())
    assert found == set(CLOCK_READERS)


BINARY = {".pyc", ".npz", ".gz"}
UNWATCHED = {"build", "dist", "__pycache__"}
UPWARDS = re.compile(r"(?<![\w./])(?:\.\./)+[\w.\-/]*")
SOMEBODYS = re.compile(r"(?<![\w.])/(?:work|root|home|Users)/\w+")


def texts() -> Iterator[tuple[Path, str]]:
    """Yield the files of the repository that are text; what begins with a dot counts only under .ci."""
    for top in sorted(ROOT.iterdir()):
        if (top.name.startswith(".") and top.name != ".ci") or top.name in UNWATCHED:
            continue
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            if path.is_file() and not UNWATCHED & set(path.parts) and path.suffix not in BINARY:
                yield path, path.read_text(encoding="utf-8", errors="replace")


def test_no_file_points_outside_the_repository() -> None:
    """Whoever has the repository has everything: no path leads out of it or into somebody's home."""
    found = []
    for path, text in texts():
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in SOMEBODYS.finditer(text)]
        for match in UPWARDS.finditer(text):
            target = (path.parent / match[0].rstrip(".")).resolve()
            if not target.is_relative_to(ROOT) or not target.exists():
                found.append(f"{path.relative_to(ROOT)}: {match[0]}")
    assert found == []


def module_name(path: Path) -> str:
    """Return the dotted name of a module; a package's is that of its folder."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """List the groups of modules that import each other, directly or by way of others."""
    reached = {}
    for start in graph:
        seen: set[str] = set()
        ahead = [start]
        while ahead:
            new = graph[ahead.pop()] - seen
            seen |= new
            ahead += new
        reached[start] = seen
    groups = {frozenset(other for other in reached[name] if name in reached[other]) for name in graph}
    return sorted(sorted(group) for group in groups if group)


def test_no_module_imports_what_imports_it() -> None:
    """Every module can be understood after those below it; imports in functions and for types count."""
    names = {module_name(path) for path in MODULES}
    graph = {
        module_name(path): {
            found
            for name in imports(path)
            if (found := name if name in names else name.rpartition(".")[0]) in names
        }
        for path in MODULES
    }
    assert cycles(graph) == []


def test_what_is_computed_once_belongs_to_values_that_never_change() -> None:
    """A dataclass with cached properties is frozen, or its figures would soon belong to another value."""
    found = {
        f"{path.name}: {node.name}": "frozen=True" in "".join(map(ast.unparse, node.decorator_list))
        for path in MODULES
        if "@cached_property" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef)
        and "dataclass" in "".join(map(ast.unparse, node.decorator_list))
        and any("@cached_property" in ast.unparse(part) for part in node.body)
    }
    assert len(found) > 5
    assert [name for name, is_frozen in found.items() if not is_frozen] == []
