"""What a file of games says reaches the terminal as text, whichever command reads it."""

from dataclasses import replace
from pathlib import Path

import pytest
from commands import durak

from durak_core import Record, Rules, make_agent, write_game
from durak_core.lab import play_game

ORDERS = "\x1b]0;X\x07\x1b[2J\x9b2J"
HOSTILE = (f"[/x][bold red]x[/]{ORDERS}", f"\u202ey\r\n\t{ORDERS}{'W' * 9_000}")


def a_record() -> Record:
    """Return a finished game whose texts are those of somebody who means harm."""
    rules = Rules.parse("podkidnoy:lowest_rank=11,hand_size=3")
    record = play_game(rules, [make_agent("greedy"), make_agent("random")], 3).record
    moves = tuple([replace(move, mark="!", comment=HOSTILE[0]) for move in record.moves])
    tags = {"Event": HOSTILE[1], "Forfeit": ORDERS, "Player0": HOSTILE[0]}
    return replace(record, players=HOSTILE, date=ORDERS, tags=tags, comment=HOSTILE[1], moves=moves)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "command",
    [
        ("replay",),
        ("replay", "--seat", "0"),
        ("log",),
        ("log", "--seat", "1"),
        ("stats",),
        ("stats", "--by", "rules"),
        ("stats", "--by", "opponent"),
        ("review", "--iterations", "1", "--net", "off"),
        ("know", "--ply", "3"),
        ("analyse", "--ply", "2", "--iterations", "1", "--net", "off"),
    ],
)
def test_no_text_of_a_game_orders_the_terminal_about(tmp_path: Path, command) -> None:
    path = tmp_path / f"{ORDERS.replace('/', '')}.games"
    path.write_text(write_game(a_record()), encoding="utf-8")
    name, *options = command
    result = durak(name, path, *options)
    assert result.exit_code in {0, 2}, result.output
    assert result.exit_code == 0 or "Usage" not in result.output, result.output
    assert result.output
    assert [sign for sign in result.output if not sign.isprintable() and sign != "\n"] == []
