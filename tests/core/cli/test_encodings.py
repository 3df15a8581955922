"""The `durak` commands on outputs whose encoding lacks the signs of suits."""

import re

import pytest
from click.testing import CliRunner
from commands import good

from durak_core.cli.root import cli, use_substitutes

POSITION = (
    "rules=podkidnoy seat=1 bout=1 attacker=0 defender=1 limit=6 phase=defence turn=1 "
    "hands=?5/7sAs9hJh9dTd table=6c talon=?23+Ah trump=Ah"
)
WORDS = {
    "match": "random random --games 1",
    "tournament": "random greedy --games 1",
    "deal": "--seed 7",
    "replay": "GAMES --game 1 --ply 3",
    "log": "GAMES --game 1",
    "stats": "GAMES",
    "know": "GAMES --game 1 --ply 3 --seat 0",
    "analyse": "POSITION --iterations 20 --seed 1",
    "review": "GAMES --game 1 --iterations 2 --seed 1",
    "puzzles": "show 17",
    "lessons": "list",
    "rules": "",
    "agents": "",
    "perft": "--seed 7 --depth 1 --divide",
}
"""Arguments of the commands that show cards or tables; for the others the help is enough."""
CARD = re.compile(r"(?<![\w])(?:10|[2-9TJQKA])[♠♥♦♣shdc]")
LETTERS = str.maketrans("♠♥♦♣", "shdc")


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "games.jsonl"
    good(
        "match",
        "greedy",
        "greedy",
        "--games",
        1,
        "--seed",
        1,
        "--rules",
        "podkidnoy:lowest_rank=J,hand_size=4",
        "--json",
        path,
    )
    return str(path)


def printed(words, encoding):
    runner = CliRunner(charset=encoding, env={"PYTHONIOENCODING": encoding, "COLUMNS": "100"})
    with runner.isolation() as (output, *_):
        use_substitutes()
        cli(words, standalone_mode=False)
        return output.getvalue().decode(encoding)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("command", cli.list_commands(None))
def test_no_command_loses_a_suit(command, games):
    text = WORDS.get(command, "--help").replace("GAMES", games)
    words = [command, *(POSITION if word == "POSITION" else word for word in text.split())]
    signs = printed(words, "utf-8")
    for encoding in ("cp1252", "cp1251", "cp866", "koi8-r", "ascii"):
        letters = printed(words, encoding)
        assert CARD.findall(letters) == [card.translate(LETTERS) for card in CARD.findall(signs)]
        assert letters.count("?") == signs.count("?")
