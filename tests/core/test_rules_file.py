"""Own rules in a file, wherever the command line takes rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from durak_core import Rules, RulesError
from durak_core.cli import cli
from durak_core.errors import FileError
from durak_core.rules_file import rules_spec

MINE = 'preset = "perevodnoy"\nlowest_rank = 2\nattack_limit = "none"\npile_on = false\n'


def test_a_file_gives_a_preset_and_options(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(MINE)
    wanted = Rules.preset("perevodnoy", lowest_rank=2, attack_limit=None, pile_on=False)
    assert Rules.parse(rules_spec(str(file))) == wanted
    assert Rules.parse(rules_spec(f"{file}:seats=3")) == wanted.changed(seats=3)
    file.write_text("")
    assert Rules.parse(rules_spec(str(file))) == Rules()
    assert Rules.parse(rules_spec(f"{file}:seats=3")) == Rules(seats=3)
    assert rules_spec("podkidnoy:seats=3") == "podkidnoy:seats=3"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lowest_rnk = 2", "mine.toml: there is no option 'lowest_rnk'; did you mean lowest_rank?"),
        ("lowest_rank = 2.5", "mine.toml: lowest_rank=2.5: expected a number from 2 to"),
        ("pile_on = [1]", r"mine.toml: pile_on=\[1\]: expected yes or no"),
        ('preset = "poker"', "mine.toml: there is no preset 'poker'"),
        ('preset = "podkidnoy:seats=3"', "mine.toml: preset=podkidnoy:seats=3: expected a preset's name"),
        ("seats =", "mine.toml: this is not TOML"),
    ],
)
def test_a_wrong_file_is_refused_by_name(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(RulesError, match=message):
        rules_spec(str(file))
    with pytest.raises(FileError, match=r"gone\.toml cannot be read"):
        rules_spec(str(tmp_path / "gone.toml"))


def test_commands_take_the_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(MINE)
    for command in (["match", "greedy", "random", "--games", "2"], ["perft", "--depth", "1"]):
        result = CliRunner().invoke(
            cli, [*command, "--rules", str(file), "--set", "pile_on=yes", "--seed", "1"]
        )
        assert result.exit_code == 0, result.output
    assert "lowest_rank" in CliRunner().invoke(cli, ["rules", str(file)]).output
    result = CliRunner().invoke(cli, ["deal", "--rules", str(tmp_path / "gone.toml")])
    assert result.exit_code == 2
