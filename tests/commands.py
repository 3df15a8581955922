"""Runs commands of `durak` in the tests' process, on a screen of 100 columns unless a test says otherwise."""

from __future__ import annotations

from click.testing import CliRunner, Result

from durak_core.cli import cli


def durak(*words: object, typed: str = "", columns: int = 100) -> Result:
    return CliRunner().invoke(cli, list(map(str, words)), input=typed, env={"COLUMNS": str(columns)})


def good(*words: object, typed: str = "", columns: int = 100) -> str:
    """Run a command that succeeds, and return what it prints."""
    result = durak(*words, typed=typed, columns=columns)
    assert result.exit_code == 0, result.output
    return result.stdout


def bad(*words: object) -> str:
    """Run a command that fails, and return the error, which is all that it prints."""
    result = durak(*words)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert "Traceback" not in result.stderr
    return result.stderr.strip()
