"""The walls of the house, also for those without import-linter; see docs/architecture.md."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from waiting import PATIENCE

ROOT = Path(__file__).parents[2]
CORE = ROOT / "durak_core"
APP = ROOT / "durak_tui"
MODULES = sorted([*CORE.rglob("*.py"), *APP.rglob("*.py")])

MACHINE_CODE = ("numpy", "numba", "llvmlite", "torch")
LEARNING = ("numpy", "torch", "gymnasium", "pettingzoo", "tensorboard")


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return all that a module's text consists of that tests here look for."""
    kinds = ast.Import | ast.ImportFrom | ast.Call
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return tuple([node for node in ast.walk(tree) if isinstance(node, kinds)])


def imports(path: Path) -> Iterator[str]:
    """Yield the dotted names that a module imports, wherever in it: ``from a.b import c`` is ``a.b.c``."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield from (f"{node.module}.{name.name}" for name in node.names)


def importers(paths: list[Path], *unwanted: str) -> list[str]:
    """List which of these modules import something of these packages."""
    return [
        f"{path.relative_to(ROOT)}: {name}"
        for path in paths
        for name in imports(path)
        if any(f"{name}.".startswith(f"{package}.") for package in unwanted)
    ]


@pytest.mark.parametrize(
    ("modules", "unwanted"),
    [
        ("durak_core", MACHINE_CODE),
        (
            "durak_core.cli, durak_core.cli.commands.train, durak_core.cli.commands.evaluate",
            (*MACHINE_CODE, *LEARNING),
        ),
        (
            "durak_core.search.backend.batch, durak_core.cli.commands.bench, durak_core.cli.commands.warm_up",
            MACHINE_CODE,
        ),
        ("durak_tui.cli", (*MACHINE_CODE, "textual", "rich", "durak_core")),
        (
            "durak_tui.play.session, durak_tui.board.view.table, durak_tui.keys.keymap",
            (*MACHINE_CODE, "textual"),
        ),
        ("durak_tui.app, durak_tui.table.screens.table, durak_tui.setup.screens.setup", MACHINE_CODE),
    ],
)
def test_importing_loads_nothing_heavy(modules: str, unwanted: tuple[str, ...]) -> None:
    """Machine code is loaded when it is used, Textual by the app alone, and neither by ``--help``."""
    code = f"import sys, {modules}; print(*(set({unwanted!r}) & set(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    assert result.stdout.strip() == ""


def test_only_one_module_knows_the_compiler() -> None:
    """What needs numba or llvmlite is in jit.py; numpy is there and where it is learnt."""
    alone = CORE / "search" / "backend" / "jit.py"
    assert importers([alone], "numba")
    others = [path for path in MODULES if path != alone]
    assert importers(others, "numba", "llvmlite") == []
    assert importers([path for path in others if CORE / "learn" not in path.parents], *LEARNING) == []


FUNCTIONS = {"open", "fdopen", "ZipFile", "loads"}
METHODS = {*FUNCTIONS, "read_text", "read_bytes", "write_text", "write_bytes", "touch"}

OF_THEIR_OWN = {
    # /proc, where the system tells and is told
    "durak_core/lab/experiments/provenance.py": {"info.read_text"},
    "durak_core/lab/speed.py": {"Path('/proc/self/statm').read_text"},
    "durak_tui/confinement.py": {"Path('/proc/self/oom_score_adj').write_text"},
    # the program's own sources, data and cache, some of them before the core is loaded
    "durak_core/lab/workers/cluster.py": {"source.read_bytes"},
    "durak_core/search/backend/backend.py": {
        "Path(name).read_bytes",
        "source.read_bytes",
        "ready_mark(cache_folder(), group).touch",
    },
    "durak_core/rules_text.py": {"file.read_text"},
    "durak_core/version.py": {"project.read_text", "tomllib.loads"},
    "durak_tui/text/i18n.py": {"path.open"},
    "durak_tui/text/rules_text.py": {"file.read_text"},
    # what stays open, to be locked or to grow
    "durak_core/game/locks.py": {"os.open"},
    "durak_core/lab/matches/saved_games.py": {"self._path.open", "self._path.read_bytes"},
    # archives in bytes that were read within bounds, and a folder of results
    "durak_core/lab/learn/run.py": {"zipfile.ZipFile"},
    "durak_core/search/network/weights.py": {"zipfile.ZipFile", "archive.open"},
    "durak_core/cli/commands/experiment.py": {"Folder.open"},
    # TOML, after its extent was checked
    "durak_core/config.py": {"tomllib.loads"},
}
"""Calls that open, read, write or parse something without `durak_core.files` and `durak_core.json_text`."""


def calls_of_files(path: Path) -> Iterator[str]:
    for node in nodes(path):
        if isinstance(node, ast.Call):
            match node.func:
                case ast.Name(id=name) if name in FUNCTIONS:
                    yield name
                case ast.Attribute(attr=name) if name in METHODS:
                    yield ast.unparse(node.func)


def test_files_go_through_one_module() -> None:
    """What is none or too large is refused there, and nothing is half written; JSON has bounds too."""
    found = {
        str(path.relative_to(ROOT)): set(calls_of_files(path))
        for path in MODULES
        if path != CORE / "files.py"
    }
    assert {name: calls for name, calls in found.items() if calls} == OF_THEIR_OWN


def test_the_app_does_not_reach_below_the_games_surface() -> None:
    """The app speaks of cards, actions and observations; masks, codes and searches are not its matter."""
    below = ("durak_core.kernel", "durak_core.knowledge", "durak_core.search")
    assert importers(sorted(APP.rglob("*.py")), *below) == []


def test_agents_never_meet_a_state() -> None:
    """What chooses an action knows observations only, so it cannot peek (rules 9)."""
    players = [
        path for room in ("agents", "knowledge", "search") for path in sorted((CORE / room).rglob("*.py"))
    ]
    hidden = ("durak_core.State", "durak_core.Record", "durak_core.game.State", "durak_core.game.Record")
    assert importers(players, *hidden, "durak_core.game.state", "durak_core.game.record") == []


def test_widgets_never_meet_a_state() -> None:
    """What the table shows comes out of the view model, which starts from one seat's observation."""
    hidden = ("durak_core.State", "durak_core.game.State", "durak_core.game.state", "durak_tui.play.session")
    assert importers(sorted((APP / "widgets").rglob("*.py")), *hidden) == []


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


MOST_AT_THE_TOP = 10
MOST_IN_A_ROOM = 16


def test_rooms_stay_small_enough_to_find_something() -> None:
    """A stranger sees all modules of a folder at once; cli/ has one for each command."""
    modules = {
        folder: [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        for folder in {path.parent for path in MODULES}
    }
    assert len(modules[APP]) <= MOST_AT_THE_TOP
    crowded = {
        str(folder.relative_to(ROOT)): len(paths)
        for folder, paths in modules.items()
        if len(paths) > MOST_IN_A_ROOM and CORE in (folder, *folder.parents) and folder.name != "cli"
    }
    assert crowded == {}
