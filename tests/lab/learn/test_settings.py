"""Training files: what is missing, unknown or out of range is named."""

from __future__ import annotations

import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
import tomli_w

from durak_core import installation
from durak_core.config import ConfigError
from durak_core.lab.learn.settings import KINDS, DmcSettings, PpoSettings, read_settings

ROOT = Path(__file__).parents[3]
CONFIG = ROOT / "benchmarks" / "learning" / "dmc-two.toml"


@pytest.mark.parametrize(
    ("module", "needed", "message"),
    [
        ("learners", "_torch", r"Training needs torch and tensorboard; .*\[learn\]"),
        ("durak_v0", "_environments", r"An environment needs gymnasium and pettingzoo; .*\[learn\]"),
        ("single_agent", "_environments", r"An environment needs gymnasium and pettingzoo; .*\[learn\]"),
        (
            "adapters.open_spiel_game",
            "adapters.open_spiel_game",
            r"An OpenSpiel game needs pyspiel; .*\[examples\]",
        ),
    ],
)
def test_without_a_library_the_extra_is_named(
    module: str, needed: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "find_spec", lambda _name: None)
    for name in (module, needed):
        monkeypatch.delitem(sys.modules, f"durak_core.lab.learn.{name}", raising=False)
    with pytest.raises(installation.MissingExtraError, match=message):
        import_module(f"durak_core.lab.learn.{module}")


def test_the_projects_own_files_can_be_read() -> None:
    """Every run that the project has a file for could be trained."""
    for path in CONFIG.parent.glob("*.toml"):
        assert read_settings(path, KINDS[path.stem.partition("-")[0]]).games > 0
    assert read_settings(ROOT / "examples" / "first-agent.toml", KINDS["dmc"]).games > 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"batsh": 3}, ": batsh: there is no such key; did you mean batch?"),
        ({"batch": 1.5}, "batch=1.5: expected a whole number"),
        ({"batch": 0}, "batch=0: expected a whole number from 1 to 65536"),
        ({"hidden": []}, "expected 1 to 3 numbers from 8 to 1024"),
        ({"opponents": {"stockfish": 0.5}}, "opponents: there is no agent 'stockfish'"),
        ({"opponents": {"past": 0.7, "greedy": 0.7}}, "the shares' sum is above 1"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    """The error names the file and what would be right."""
    path = tmp_path / "wrong.toml"
    path.write_text(tomli_w.dumps({**tomllib.loads(CONFIG.read_text()), **changes}))
    with pytest.raises(ConfigError) as caught:
        read_settings(path, DmcSettings)
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


def test_all_games_may_be_against_others(tmp_path: Path) -> None:
    """Then none is left against the learner itself."""
    path = tmp_path / "others.toml"
    shares = {"past": 0.5, "greedy": 0.5}
    path.write_text(tomli_w.dumps({**tomllib.loads(CONFIG.read_text()), "opponents": shares}))
    assert read_settings(path, DmcSettings).opponents == shares
    rounded_up = {"past": 0.05, "expert": 0.55, "greedy": 0.3, "random": 0.1}
    assert sum(rounded_up.values()) > 1
    path.write_text(tomli_w.dumps({**tomllib.loads(CONFIG.read_text()), "opponents": rounded_up}))
    assert read_settings(path, DmcSettings).opponents == rounded_up


def test_a_missing_setting_is_named(tmp_path: Path) -> None:
    """There are no defaults: a file says everything that its run depends on."""
    path = tmp_path / "short.toml"
    path.write_text('rules = "podkidnoy"\n')
    with pytest.raises(ConfigError, match="seed, games, tables"):
        read_settings(path, DmcSettings)


def test_a_file_of_another_learner_is_known(tmp_path: Path) -> None:
    """The error says which command it is for, and not what is missing in it."""
    with pytest.raises(
        ConfigError, match=r"dmc-two\.toml: these are settings of another learner: take durak"
    ):
        read_settings(CONFIG, PpoSettings)


@pytest.mark.parametrize(
    ("file", "setting", "words"),
    [
        ("ppo-two", "horizon", "A round of learning uses {:,} decisions of finished games"),
        ("dqn-two", "replay", "The replay buffer holds the last {:,} decisions"),
        ("dqn-two", "n_steps", "the targets span {:,} decisions of the seat"),
        ("dqn-two", "teacher_games", "the first {:,} games are a warm start"),
        ("dmc-two", "teacher_games", "The first {:,} games are the warm start"),
    ],
)
def test_figures_in_prose_are_those_of_the_files(file: str, setting: str, words: str) -> None:
    """A change of a run's file needs a change of the document."""
    table = tomllib.loads((CONFIG.parent / f"{file}.toml").read_text())
    text = " ".join((ROOT / "docs" / "training-runs.md").read_text(encoding="utf-8").split())
    assert words.format(table[setting]) in text


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("dqn", {"replay_start": 10}, "replay_start=10: expected batch or more, replay or less"),
        ("dqn", {"n_steps": 0}, "n_steps=0: expected a whole number from 1 to 1000"),
        ("ppo", {"horizon": 10}, "horizon=10: expected batch or more"),
        ("ppo", {"trace": 1.5}, "trace=1.5: expected a number from 0 to 1"),
        ("ppo", {"teacher": "expert"}, "teacher: there is no such key"),
    ],
)
def test_each_learner_checks_its_own(
    tmp_path: Path, name: str, changes: dict[str, object], message: str
) -> None:
    """What only one learner has is looked at, too."""
    path = tmp_path / "wrong.toml"
    table = tomllib.loads((CONFIG.parent / f"{name}-two.toml").read_text())
    path.write_text(tomli_w.dumps({**table, **changes}))
    with pytest.raises(ConfigError) as caught:
        read_settings(path, KINDS[name])
    assert message in str(caught.value)
