"""What all tests share."""

import contextlib
import gc
import os
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from full_disk import empty

from durak_core.files import held
from durak_core.search.backend.backend import PROCESS

signal.signal(signal.SIGINT, signal.default_int_handler)
"""Programs that tests start hear Ctrl+C, even where this one was started in the background and does not."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--skipped", type=Path, metavar="FILE", help="list what is skipped; run it with @FILE")


TURN = pytest.StashKey[Path]()
"""The file that a worker locks while it collects tests."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Start a worker more than there are processors: tests wait for a sixth of their time."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node) -> None:
    node.workerinput["turn"] = str(node.config.stash[TURN])


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Collect in one worker after the other: the first writes the tests' byte code, the others read it."""
    worker = getattr(session.config, "workerinput", None)
    if worker is None:
        return (yield)
    with held(Path(worker["turn"]), lambda: True, 0.1):
        return (yield)


def pytest_configure(config: pytest.Config) -> None:
    """List skipped tests in the one process that hears of all of them."""
    if hasattr(config, "workerinput"):
        return
    folder = tempfile.TemporaryDirectory()
    config.add_cleanup(folder.cleanup)
    config.stash[TURN] = Path(folder.name, "turn")
    _keep_byte_code(folder.name)
    file = config.getoption("skipped")
    if file:
        config.pluginmanager.register(SkippedTests(file))


def _keep_byte_code(folder: str) -> None:
    """Let workers and programs share byte code where none may be written beside the sources.

    Without it each of them compiles every module again, which is half of what such a program has to do.
    Python looks nowhere else then, so byte code that was installed is linked there.
    """
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        os.environ["PYTHONPYCACHEPREFIX"] = folder
        for installed in (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")):
            _link_byte_code(installed, folder)


def _link_byte_code(installed: str, folder: str) -> None:
    for path, folders, files in os.walk(installed):
        folders[:] = [name for name in folders if name not in {"site-packages", "test", "tests"}]
        if path.endswith("__pycache__"):
            linked = Path(folder, *Path(path).parent.parts[1:])
            linked.mkdir(parents=True, exist_ok=True)
            for name in files:
                if name.endswith(f".{sys.implementation.cache_tag}.pyc"):
                    with contextlib.suppress(OSError):  # some systems have no links
                        (linked / name).symlink_to(Path(path, name))


class SkippedTests:
    """The ids of tests and modules that lack a package or program; another system cannot be installed."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.ids: set[str] = set()

    def add_report(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail") and "this system" not in str(report.longrepr):
            self.ids.add(report.nodeid)

    pytest_runtest_logreport = pytest_collectreport = add_report

    def pytest_sessionfinish(self) -> None:
        self.file.write_text("".join(f"{test}\n" for test in sorted(self.ids)), encoding="utf-8")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    _sample(items)
    _begin_with_the_app(config, items)


def _sample(items: list[pytest.Item]) -> None:
    """Mark all but some of a sampled test's parametrized tests as slow."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sampled") and not item.get_closest_marker("slow"):
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for same in tests.values():
        (number,) = same[0].get_closest_marker("sampled").args
        kept = {len(same) * at // number for at in range(number)}
        for at, item in enumerate(same):
            if at not in kept:
                item.add_marker("slow")


def _begin_with_the_app(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the tests of the app: they need no machine code, and other tests would wait for it."""
    app = config.rootpath / "tests" / "tui"
    items.sort(key=lambda item: not item.path.is_relative_to(app))


def pytest_collection_finish() -> None:
    """Look for garbage less often, and not in what stays: it took a fifth of the time of an app's test."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


@pytest.fixture
def importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A current folder, whose modules are forgotten after the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture
def compiled_training() -> None:
    """Skip a test of training without a compiler."""
    if PROCESS.backend("learn").name != "compiled":
        pytest.skip("training runs as machine code only")


@pytest.fixture(autouse=True)
def loaded_code() -> Iterator[None]:
    """Forget what was loaded interpreted because a test switched compiled code off: later tests want it."""
    yield
    if os.environ.get("DURAK_COMPILED") != "0":
        for group, loaded in [*PROCESS._loaded.items()]:
            if "switched off" in loaded.note:
                del PROCESS._loaded[group]
                PROCESS._warming.pop(group, None)


_COMPILING = """
import gc
from importlib.util import find_spec

from durak_core.search.backend import backend as module

gc.disable()  # a twelfth of the time
unused = {"solve"}  # only slow tests need it
if not find_spec("torch"):
    unused.add("learn")
if not find_spec("gymnasium"):
    unused.add("environments")
for group in module.GROUPS:
    if group not in unused:
        module.backend(group)
"""


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session):
    """Compile beside several processes with all tests: each of them would wait for it, or for the other."""
    config = session.config
    if not config.getoption("numprocesses", None) or config.args_source is config.ArgsSource.ARGS:
        return (yield)
    with subprocess.Popen([sys.executable, "-c", _COMPILING]) as compiler:
        try:
            return (yield)
        finally:
            compiler.kill()


@pytest.fixture
def small_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Path]:
    """Give a disk of 256 kB, or of the size in a parameter, which has the app's folders."""
    folder = tmp_path / "disk"
    folder.mkdir()
    size = getattr(request, "param", "256k")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        refused = subprocess.run(mount, capture_output=True, check=False).returncode
    except FileNotFoundError:
        refused = 1
    if refused:
        pytest.skip("this system refuses mounting: not tried on a full disk")
    monkeypatch.setenv("DURAK_DATA_DIR", str(folder / "data"))
    monkeypatch.setenv("DURAK_CONFIG_DIR", str(folder / "config"))
    yield folder
    empty(folder)
    subprocess.run(["umount", "-l", str(folder)], check=True)
