"""Every feature of the published projects has a command on the page about them, and the commands run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from durak_core import PRESETS
from durak_core.cli import cli
from durak_core.lab.learn.settings import DqnSettings, PpoSettings, read_settings
from durak_tui import cli as tui_cli

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "published-projects.md").read_text(encoding="utf-8")
FEATURES, _, CHOICES = PAGE.partition("## Choices")
ROWS = re.findall(r"^\| (?!feature|---)(.+) \| (.+) \|$", FEATURES, re.MULTILINE)
WORDS = [shlex.split(command.strip("`").replace("benchmarks/", f"{ROOT}/benchmarks/")) for _, command in ROWS]
LONG = [words for words in WORDS if words[1] == "experiment"]


def test_every_feature_has_one_command() -> None:
    """In each of the five projects, whose presets the rules list."""
    assert len(ROWS) > 40
    for feature, command in ROWS:
        assert re.fullmatch(r"`(durak|durak-tui|python3) [^`]+`", command), feature
    presets = set(re.findall(r"\(`([\w-]+)`\)\.$", FEATURES, re.MULTILINE))
    assert presets == {"zarlykov", "larsenbier", "van-khan", "groningen", "huji"} <= set(PRESETS)


def test_every_choice_has_a_reason() -> None:
    """Project, question and choice."""
    rows = [row.split(" | ") for row in re.findall(r"^\| (.+) \|$", CHOICES, re.MULTILINE)[2:]]
    assert len(rows) > 10
    assert {len(row) for row in rows} == {3}


def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other in one folder. Experiments and trainings take longer."""
    monkeypatch.chdir(tmp_path)
    told = {}
    for words in WORDS:
        match words:
            case ["durak", "experiment", *_]:
                assert words in LONG
            case ["durak", "train", learner, "--config", config, "--out", _]:
                assert read_settings(Path(config), {"dqn": DqnSettings, "ppo": PpoSettings}[learner])
            case ["durak", *rest]:
                result = CliRunner().invoke(cli, rest, env={"COLUMNS": "100"})
                assert result.exit_code == 0, f"{words}: {result.output}"
                told[" ".join(rest)] = result.stdout
            case ["durak-tui", *rest]:
                tui_cli._command.make_context("durak-tui", rest)
            case ["python3", program]:
                assert (ROOT / program).is_file()
            case _:
                pytest.fail(f"{words}: none of the programs")
    files = {"thesis.log", "thesis.jsonl", "pairs.csv", "grid.csv", "groningen.jsonl", "model.svg"}
    assert files <= {path.name for path in tmp_path.iterdir()}
    (tree,) = [text for command, text in told.items() if command.endswith("--tree")]
    assert tree.startswith("first deal: seat 0 ")


@pytest.mark.slow
@pytest.mark.parametrize("words", LONG, ids=lambda words: Path(words[3]).stem)
def test_the_experiments_run(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, words[1:])
    assert result.exit_code == 0, result.output
    assert [*tmp_path.glob("results/*-quick/report.md")]
