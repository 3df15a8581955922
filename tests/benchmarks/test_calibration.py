"""Predictions of the analysis, and what came of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import calibration
from benchmarks.calibration import Plan, Prediction, gather, predict, reliability

TINY = Plan("ismcts:iterations=5,leaf=0,nodes=50,memory=0.1", "greedy", "podkidnoy", 20, "off", 5)


def test_perfect_and_hopeless_predictions() -> None:
    """Brier score and calibration error by hand: 0 for who knows, 0.25 for who never says anything."""
    known = reliability([Prediction(1, 1, True), Prediction(0, 0, True)])
    assert (known.brier, known.error, known.proofs, known.count) == (0, 0, 2, 2)
    vague = reliability([Prediction(0.5, 1, False), Prediction(0.5, 0, False)])
    assert (vague.brier, vague.error) == (0.25, 0)
    wrong = reliability([Prediction(0.9, 0, False)] * 3 + [Prediction(0.2, 0.5, False)])
    assert wrong.brier == pytest.approx((3 * 0.81 + 0.09) / 4)
    assert wrong.error == pytest.approx((3 * 0.9 + 0.3) / 4)


def test_bins_hold_every_prediction_once() -> None:
    """Ten of them, each with its lower end; the last one has both."""
    found = reliability([Prediction(share / 20, 1.0, False) for share in range(21)])
    assert [one.count for one in found.bins] == [2] * 9 + [3]
    assert found.bins[9].predicted == pytest.approx((0.9 + 0.95 + 1) / 3)
    assert [(one.low, one.high) for one in found.bins][::9] == [(0, 0.1), (0.9, 1)]
    assert all(one.interval[0] < 1 == one.actual for one in found.bins)


def test_a_position_is_its_number_alone() -> None:
    """The same prediction whenever it is asked for; others are other positions."""
    first = predict(TINY, 3)
    assert predict(TINY, 3) == first
    found = [predict(TINY, number) for number in range(5)]
    assert found[3] == first
    assert len({one.predicted for one in found}) > 1
    assert {one.actual for one in found} <= {0, 0.5, 1}


def test_the_number_of_processes_changes_nothing() -> None:
    """One process or two."""
    assert gather(TINY, 3, 2) == gather(TINY, 3, 1)


def test_the_program_prints_and_writes(tmp_path: Path, capsys) -> None:
    """A table with its origin, the figures as JSON, and the table in a document."""
    page, figures = tmp_path / "page.md", tmp_path / "figures.json"
    page.write_text("<!-- table: calibration -->\n<!-- end of table -->\nafter\n", encoding="utf-8")
    words = ["--positions", "3", "--iterations", "20", "--strong", TINY.strong, "--net", "off", "--seed", "5"]
    assert calibration.main([*words, "--json", str(figures), "--document", str(page)]) == 0
    text = capsys.readouterr().out
    assert text.count("\n| 0.") == 10
    assert "seed 5, 3 positions" in text
    assert text.strip() in page.read_text(encoding="utf-8")
    assert page.read_text(encoding="utf-8").endswith("after\n")
    told = json.loads(figures.read_text(encoding="utf-8"))
    assert sum(one["count"] for one in told["bins"]) == told["count"] == 3
    assert told["plan"]["seed"] == 5


def test_wrong_words_are_refused(capsys) -> None:
    """With what would be right."""
    assert calibration.main(["--positions", "0"]) == 2
    assert "expected --positions and --iterations of 1 or more" in capsys.readouterr().err
    assert calibration.main(["--strong", "nobody"]) == 2
    assert "there is no agent 'nobody'" in capsys.readouterr().err
