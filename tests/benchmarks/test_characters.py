"""The benchmarks of characters and readers: their tables, their documents, their errors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks import adaptive, reading, temperaments
from benchmarks.adaptive import best_reply
from benchmarks.figures import Estimate, estimate, scores_by_deal
from durak_core import Rules
from durak_core.lab import Match, play_match
from durak_core.search.opponents.model import PLAYER_TYPES


def test_estimates_by_hand() -> None:
    """The mean, and 1.96 standard errors."""
    found = estimate([1, 0, 1, 0])
    assert found.mean == 0.5
    assert found.half == pytest.approx(1.96 * (1 / 3 / 4) ** 0.5)
    assert str(Estimate(0.5, 0.01)) == "0.500 ± 0.010"


def test_scores_by_deal_are_those_of_the_match() -> None:
    """As machine code or not, and whether the agents are policies or not."""
    for agents in (("aggressive", "greedy"), ("kripke", "greedy")):
        match = Match(Rules(), agents, 8, 3)
        worth = []
        for game in play_match(match):
            fool = game.fool
            worth.append(0.5 if fool is None else float(game.seating[fool] != 0))
        pairs = zip(worth[::2], worth[1::2], strict=True)
        assert scores_by_deal(match) == [(one + other) / 2 for one, other in pairs]


@pytest.fixture
def _short_series(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "AFTER", (1, 2, 3))


@pytest.mark.usefixtures("_short_series")
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("benchmark", "arguments", "name", "rows"),
    [
        (reading, ["--trials", "2", "--types", "random,greedy"], "reading", 2 + 3),
        (temperaments, ["--games", "4"], "habits", 2 * len(temperaments.PLAYERS)),
        (adaptive, ["--games", "4", "--series", "2"], "adaptive", 3 + len(adaptive.REPLIES) + 2 + 4),
    ],
)
def test_tables_are_put_into_the_document(
    benchmark, arguments: list[str], name: str, rows: int, tmp_path: Path
) -> None:
    """What is measured stands between the markers, with commit and seed."""
    document = tmp_path / "page.md"
    document.write_text(f"# Page\n\n<!-- table: {name} -->\n<!-- end of table -->\n", encoding="utf-8")
    assert benchmark.main([*arguments, "--seed", "5", "--document", str(document)]) == 0
    written = document.read_text(encoding="utf-8")
    assert re.search(r"Commit `\w+\+?`, seed 5, ", written)
    body = [line for line in written.splitlines() if line.startswith("| ") and "---" not in line]
    headers = 2 if name in {"reading", "adaptive"} else 1
    assert len(body) == rows + headers


@pytest.mark.parametrize(
    ("benchmark", "arguments", "error"),
    [
        (reading, ["--trials", "0"], "expected numbers of 1 or more"),
        (reading, ["--types", "genius"], f"types genius: expected some of {', '.join(PLAYER_TYPES)}"),
        (temperaments, ["--games", "3"], "expected even numbers of games"),
        (adaptive, ["--series", "5"], "expected even numbers of games"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    benchmark, arguments: list[str], error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With exit code 2 and what would be right."""
    assert benchmark.main(arguments) == 2
    assert error in capsys.readouterr().err


def test_a_reply_is_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Step by step to where the score is highest; here it is put at a thrift of 5 and a daring of -2."""

    def score(reply, kind, games, seed) -> Estimate:
        return Estimate(1 / (1 + abs(reply.thrift - 5) + abs(reply.daring + 2)), 0.0)

    monkeypatch.setattr(adaptive, "score", score)
    found = best_reply("greedy", 2, 1)
    assert (found.thrift, found.daring, found.spite, found.noise) == (5, -2, 0, 0)
