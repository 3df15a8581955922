"""The comparison with an earlier commit: its turns, its errors."""

from pathlib import Path

import pytest

from benchmarks.against import Effort, Row, Side, compare, main
from durak_core import DurakError


def test_both_sides_take_turns():
    seen = []
    sides = Side(Path("before"), Path()), Side(Path("now"), Path())

    def measure(side, effort):
        seen.append(side.root.name)
        assert effort.seed == 7
        return 10.0 if side.root.name == "before" else 5.0

    cells = compare(Row("games a CPU s", measure, once=False), sides, Effort(1.0, 7), 2)
    assert seen == ["before", "now", "now", "before"]
    assert cells == "10.0 | 5.0 | 0.50 (0.50 to 0.50) | games a CPU s"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no-such-commit"], "error: commit no-such-commit cannot be had: "),
        (["HEAD", "--only", "warm-up,warmth"], "error: rows warm-up,warmth: expected some of warm-up, "),
        (["HEAD", "--rounds", "0"], "error: expected numbers of 1 or more"),
    ],
)
def test_what_cannot_be_compared_is_an_error(arguments, message, capsys):
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_a_program_that_fails_is_named(tmp_path):
    with pytest.raises(DurakError, match="no_such_module"):
        Side(tmp_path, tmp_path).run("-m", "no_such_module")
