"""Every program of the folders benchmarks and tools can be imported, and starts and ends, at a tiny size."""

import importlib.util
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

ROOT = Path(__file__).parents[2]
LADDER = "docs/experiments/ladder/results.json"
SIZES = {
    "benchmarks.accuracy": "--games 2 --iterations 1 --rules podkidnoy:lowest_rank=K,hand_size=2",
    "benchmarks.adaptive": "--games 2 --series 2",
    "benchmarks.against": "--help",
    "benchmarks.answers": "--answers 1 --busy 1 --level misha --only idle",
    "benchmarks.bench_ranking": "docs/experiments/benchmark/results.jsonl",
    "benchmarks.calibration": "--positions 1 --iterations 1 --strong greedy",
    "benchmarks.cold_start": "--times 1 --seconds 0.1 --only help",
    "benchmarks.damage": "--damages 2",
    "benchmarks.enter": "--games 2 --iterations 1",
    "benchmarks.environments": "--help",
    "benchmarks.evenings": "--evenings 1 --steps 1",
    "benchmarks.expert_ablation": "--games 12",
    "benchmarks.coverage": "--help",
    "benchmarks.facts": "--help",
    "benchmarks.game_codes": "--games 1",
    "benchmarks.keypresses": "--games 1 --seats 2",
    "benchmarks.kills": "--kills 1",
    "benchmarks.latency": "--starts 1 --keys 1",
    "benchmarks.luck": "--games 100",
    "benchmarks.marks": "--games 2 --iterations 1 --minutes 0",
    "benchmarks.openings": "--games 2 --milliseconds 8",
    "benchmarks.real_cards": "--games 1 --seats 2 --by text",
    "benchmarks.puzzles": "--every 300",
    "benchmarks.ratings": LADDER,
    "benchmarks.reading": "--trials 1",
    "benchmarks.speech": "--help",
    "benchmarks.speed_compiled": "--seconds 0.01 --rounds 1",
    "benchmarks.speed_knowledge": "--games 1 --rounds 1",
    "benchmarks.speed_match": "greedy smart --games 2 --rounds 2",
    "benchmarks.speed_plain": "--seconds 0.01",
    "benchmarks.speed_search": "--seconds 0.01 --rounds 1 --games 1",
    "benchmarks.stalls": "{folder}/stalls.jsonl --version",
    "benchmarks.tables": "--tables 1 --seconds 1 --thinking 0.01",
    "benchmarks.temperaments": "--games 2",
    "benchmarks.visitors": "--help",
    "benchmarks.learning.actors": "benchmarks/learning/dmc-two.toml --tables 4 --round-steps 20 --rounds 1",
    "benchmarks.learning.curve": "--help",
    "benchmarks.learning.hands": "--help",
    "benchmarks.learning.level": "--help",
    "benchmarks.learning.speed": "--help",
    "tools/film.py": "--bouts 1 {folder}/film.svg",
    "tools/pictures.py": "none",
    "tools/terminals.py": "{folder} none",
}
"""Programs and their arguments."""
LONG = {
    f"benchmarks.{name}"
    for name in (
        *("accuracy", "enter", "keypresses", "latency", "luck", "marks", "openings", "puzzles"),
        *("speed_compiled", "speed_search", "learning.actors"),
    )
}
"""They search or measure compiled code, and so run compiled."""
ELSEWHERE = {
    "benchmarks.exits": "a module of the others",
    "benchmarks.table_people": "a module of the others",
    "benchmarks.table_truth": "a module of the others",
    "benchmarks.figures": "a module of the others",
    "tools/catalogue.py": "a test of translations runs it",
    "tools/mutants.py": "tests the tests, for hours",
    "tools/prose.py": "make lint runs it",
    "tools/reference.py": "a test of the reference runs it",
    "tools/single_file.py": "builds for minutes; the release runs it",
}
NEEDED = {
    "benchmarks.environments": "gymnasium",
    "benchmarks.visitors": "selenium",
    **{f"benchmarks.learning.{name}": "torch" for name in ("actors", "curve", "hands", "speed")},
}
TOOLS = {"benchmarks.latency": "tmux", "tools/terminals.py": "Xvfb"}


def all_programs():
    for path in sorted((ROOT / "benchmarks").rglob("*.py")):
        yield ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in sorted((ROOT / "tools").glob("*.py")):
        yield f"tools/{path.name}"


def run(*command, is_compiled=False):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DURAK_COMPILED": str(int(is_compiled))}
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


PROGRAMS = [name for name in all_programs() if name not in ELSEWHERE]


def skip_without_needs(name):
    if (module := NEEDED.get(name)) and importlib.util.find_spec(module) is None:
        pytest.skip(
            f"{module} is not installed{': this system has no browser' if module == 'selenium' else ''}"
        )


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_can_be_imported(name, monkeypatch):
    """What it takes from the packages is still there."""
    assert name in SIZES, "give the new program a tiny size"
    skip_without_needs(name)
    if name.startswith("tools/"):
        monkeypatch.syspath_prepend(ROOT / "tools")
        runpy.run_path(str(ROOT / name))
    else:
        importlib.import_module(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_starts_and_ends(name, tmp_path):
    skip_without_needs(name)
    if (tool := TOOLS.get(name)) and shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed: this system has no such screens")
    arguments = SIZES[name].format(folder=tmp_path).split()
    ended = run(
        *([name] if name.startswith("tools/") else ["-m", name]), *arguments, is_compiled=name in LONG
    )
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_server_that_dies_ends_its_benchmark():
    """The pipe's other end is only the server's, and so is its end."""
    program = "import os; from benchmarks import tables; tables.serve = os.getpid; tables.main()"
    ended = run("-c", program, "--tables", "1")
    assert "EOFError" in ended.stderr
