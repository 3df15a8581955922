"""`durak train` and `durak evaluate`: what they need, and what they print."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import make_network
import pytest
from commands import bad, durak

from durak_core import Rules, installation
from durak_core.agents.registry import AGENTS, split_texts
from durak_core.cli.commands.train import _Test, train
from durak_core.lab import Match, play_matches
from durak_core.lab.learn.settings import KINDS
from durak_core.search.backend.backend import plain_backend

CONFIGS = Path(__file__).parents[3] / "benchmarks" / "learning"


@pytest.mark.parametrize("learner", KINDS)
def test_without_the_extra_training_says_what_to_install(monkeypatch, tmp_path: Path, learner: str) -> None:
    """Exit code 2 and one line that names the extra."""
    monkeypatch.setattr(installation, "find_spec", lambda _: None)
    config = CONFIGS / f"{learner}-two.toml"
    result = durak("train", learner, "--config", str(config), "--out", str(tmp_path / "run"))
    assert result.exit_code == 2
    assert "Training needs torch and tensorboard" in result.output
    assert "pip install '.[learn]'" in result.output
    assert not (tmp_path / "run").exists()


def test_without_compiled_code_training_is_refused_before_it_begins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It could not save its games."""
    pytest.importorskip("torch", reason="the extra learn is not installed")
    pytest.importorskip("tensorboard", reason="the extra learn is not installed")
    monkeypatch.setattr("durak_core.lab.learn.selfplay.backend", lambda _: plain_backend("switched off"))
    settings = CONFIGS / "dmc-two.toml"
    said = bad("train", "dmc", "--config", settings, "--out", tmp_path / "run")
    assert "training runs as compiled code only (switched off): expected numba" in said
    assert not (tmp_path / "run").exists()


def test_every_learner_has_a_command() -> None:
    """Its name is that of its settings; one more command lists these."""
    assert set(train.commands) == {*KINDS, "settings"}


def test_a_file_of_another_learner_is_refused(tmp_path: Path) -> None:
    """Exit code 2, the command that it is for, and no folder."""
    pytest.importorskip("torch", reason="the extra learn is not installed")
    pytest.importorskip("tensorboard", reason="the extra learn is not installed")
    out = tmp_path / "run"
    result = durak("train", "ppo", "--config", str(CONFIGS / "dqn-two.toml"), "--out", str(out))
    assert result.exit_code == 2
    assert "settings of another learner: take durak train dqn" in " ".join(result.output.split())
    assert not out.exists()


def test_evaluate_plays_a_network_against_several(tmp_path: Path) -> None:
    """A line for each opponent, whether a file or a run's folder is given."""
    (tmp_path / "weights.npz").write_bytes(make_network.network())
    for place in (tmp_path, tmp_path / "weights.npz"):
        result = durak(
            "evaluate", str(place), "--against", "greedy,random:uniform", "--games", "4", "--seed", "1"
        )
        assert result.exit_code == 0
        assert "0 games of training, durak-obs/2, rules podkidnoy; 4 games each, seed 1" in result.output
        assert "greedy" in result.output
        assert "random:uniform" in result.output


def test_evaluate_refuses_what_is_no_network(tmp_path: Path) -> None:
    """A folder without weights, an agent that does not exist, and a belief network."""
    assert "there is no such file or folder" in durak("evaluate", str(tmp_path), "--against", "greedy").output
    (tmp_path / "weights.npz").write_bytes(make_network.network())
    result = durak("evaluate", str(tmp_path), "--against", "gredy")
    assert result.exit_code == 2
    assert "did you mean greedy?" in result.output
    belief = files("durak_core.agents.networks") / "hands-podkidnoy-2.npz"
    assert "says who holds which cards" in durak("evaluate", str(belief), "--against", "greedy").output


@pytest.mark.parametrize(
    ("text", "agents"),
    [
        ("greedy", ["greedy"]),
        (
            "greedy,smart,ismcts:iterations=10,solver=on",
            ["greedy", "smart", "ismcts:iterations=10,solver=on"],
        ),
        ("random:uniform,minimax:depth=2,vote=mean", ["random:uniform", "minimax:depth=2,vote=mean"]),
    ],
)
def test_commas_between_agents_and_within_them(text: str, agents: list[str]) -> None:
    """A part that names no agent belongs to the one before."""
    assert split_texts(text, AGENTS) == agents


def test_the_figures_against_an_own_agent_have_its_origin(importable: Path) -> None:
    (importable / "own.py").write_text(
        "class Own:\n def choose(self, observation):\n  return observation.legal_actions[0]\n"
    )
    match = Match(Rules(), ("random", "own.py:Own"), 2, 1)
    test = _Test([match])
    for place, game in play_matches([match]):
        test._count(place, game)
    assert test.told()["origins"] == match.origins
