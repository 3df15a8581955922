"""The reference is what its generator writes, every option has help, and every public name one place."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import durak_core
from durak_core import lab
from durak_core.cli import cli
from durak_core.lab.matches.players import PLAYERS
from durak_tui.cli import _command as tui
from durak_tui.library.model.file import FILE_NAME, STEPS
from durak_tui.play.saves import DAY_TAG

ROOT = Path(__file__).parents[2]
_SPEC = importlib.util.spec_from_file_location("reference", ROOT / "tools" / "reference.py")
reference = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(reference)


def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for word in command.list_commands(context):
            yield from commands(command.get_command(context, word), f"{name} {word}")


COMMANDS = dict([*commands(cli, "durak"), ("durak-tui", tui)])


@pytest.mark.parametrize("name", reference.PAGES)
def test_the_page_is_what_the_program_says(name: str) -> None:
    """After a change of help, options, agents or settings, run tools/reference.py."""
    if name == "training":
        pytest.importorskip("gymnasium", reason="the extra learn is not installed")
    page = reference.FOLDER / f"{name}.md"
    assert page.read_text(encoding="utf-8") == reference.PAGES[name]()


def test_pages_that_are_not_up_to_date_are_written(tmp_path: Path, monkeypatch, capsys) -> None:
    """And with --check they are only named."""
    monkeypatch.setattr(reference, "FOLDER", tmp_path / "docs" / "reference")
    monkeypatch.setattr(reference, "PAGES", {"rules": reference.rules_page})
    assert reference.main(["--check"]) == 1
    assert "docs/reference/rules.md" in capsys.readouterr().out
    assert not (tmp_path / "docs").exists()
    assert reference.main([]) == 0
    assert reference.main(["--check"]) == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_has_a_sentence(name: str) -> None:
    """It begins with a capital and ends with a full stop, before the default if it names one."""
    texts = [COMMANDS[name].help.strip().split("\n\n")[0]]
    texts += [option.help for option in COMMANDS[name].params if isinstance(option, click.Option)]
    for text in texts:
        assert re.fullmatch(r"[A-Z].*\.(\s+\[default: .*\])?", text or "", re.DOTALL), text


@pytest.mark.parametrize("name", PLAYERS)
def test_every_agent_has_a_method(name: str) -> None:
    """One sentence."""
    assert re.fullmatch(r"[A-Z].*\.", PLAYERS[name].method)


@pytest.mark.parametrize("door", [durak_core, lab], ids=["durak_core", "durak_core.lab"])
def test_every_public_name_is_in_one_group_of_the_api(door) -> None:
    """docs/api.md documents each once."""
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    directive = r"^\.\. (?:py:data|auto(?:class|exception|function)):: "
    found = re.findall(rf"{directive}{re.escape(door.__name__)}\.(\w+)$", text, re.MULTILINE)
    assert sorted(found) == sorted(door.__all__)


def test_the_page_of_the_data_folder_names_every_table_and_tag() -> None:
    """Whatever the app stores is in docs/library.md."""
    text = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    names = {name for step in STEPS for name in re.findall(r"CREATE TABLE (\w+)", step)}
    names |= {FILE_NAME, "settings.toml", DAY_TAG}
    assert [name for name in sorted(names) if f"`{name}`" not in text] == []
