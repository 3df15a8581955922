"""The examples run as they stand; the slow tests let them learn what they promise."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from waiting import PATIENCE

pytest.importorskip("gymnasium", reason="the extra learn is not installed")
torch = pytest.importorskip("torch", reason="the extra learn is not installed")

EXAMPLES = Path(__file__).parents[3] / "examples"
MISSING = "comes with the extra examples"


def example(name: str) -> ModuleType:
    """Import a program of the folder, which is no package."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    torch.set_num_threads(1)
    return module


def test_every_example_is_run_here() -> None:
    """A new program or notebook needs a test; test_settings.py reads the settings."""
    programs = (path for path in EXAMPLES.iterdir() if path.suffix in {".py", ".ipynb"})
    assert sorted(path.name for path in programs) == [
        "dqn.py",
        "library.ipynb",
        "maskable_ppo.py",
        "open_spiel_cfr.py",
    ]


def test_q_learning_in_one_file_runs() -> None:
    """From filling the buffer to a score of few games."""
    dqn = example("dqn")
    model = dqn.train("random", dqn.START + 20 * dqn.EVERY, seed=1)
    assert 0 <= dqn.score(model, "random", 4, seed=2) <= 1


@pytest.mark.slow
def test_q_learning_in_one_file_learns() -> None:
    """After a tenth of its decisions it plays no worse than at random."""
    dqn = example("dqn")
    assert dqn.score(dqn.train("random", 30_000, seed=1), "random", 300, seed=2) > 0.5


@pytest.mark.filterwarnings("ignore")
def test_maskable_ppo_runs(tmp_path: Path) -> None:
    """One round of learning with few games, saved; the libraries' warnings are not ours."""
    pytest.importorskip("sb3_contrib", reason=f"sb3-contrib is not installed: it {MISSING}")
    ppo = example("maskable_ppo")
    curve = ppo.Curve(1, str(tmp_path / "ppo.zip"))
    model = ppo.train("greedy", 8, 1, curve, steps=8 * 32)
    assert model.num_timesteps == 8 * 32
    assert curve.games > 0
    assert (tmp_path / "ppo.zip").stat().st_size < 8_000_000
    assert ppo.MaskablePPO.load(tmp_path / "ppo.zip").num_timesteps == model.num_timesteps


def test_open_spiel_solves_a_tiny_deck() -> None:
    """Exploitability falls; the whole course is in the document."""
    pytest.importorskip("pyspiel", reason=f"OpenSpiel is not installed: it {MISSING}")
    cfr = example("open_spiel_cfr")
    course = cfr.solve(cfr.RULES, 2)
    assert course[2] < 0.6 * course[0]


@pytest.mark.filterwarnings("ignore")
def test_the_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cell, in a kernel of its own; the kernel's own warnings are not ours."""
    nbformat = pytest.importorskip("nbformat", reason=f"nbformat is not installed: it {MISSING}")
    nbclient = pytest.importorskip("nbclient", reason=f"nbclient is not installed: it {MISSING}")
    pytest.importorskip("ipykernel", reason=f"ipykernel is not installed: it {MISSING}")
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    book = nbformat.read(EXAMPLES / "library.ipynb", as_version=4)
    assert all(not cell.outputs for cell in book.cells if cell.cell_type == "code")
    nbclient.NotebookClient(book, timeout=round(PATIENCE), kernel_name="python3").execute()
    printed = "".join(
        output.text for cell in book.cells if cell.cell_type == "code" for output in cell.outputs
    )
    assert "only a higher card of the suit, or a trump on another suit" in printed
    assert "expert scores 0." in printed
