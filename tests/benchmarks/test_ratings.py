"""The opponents' ratings: what the app shows is what was measured."""

from __future__ import annotations

from pathlib import Path

from benchmarks.ratings import ANCHOR, POINTS, matches, ratings, table
from durak_core.agents.personas import OPPONENTS

ROOT = Path(__file__).parents[2]
RESULTS = matches([ROOT / "docs" / "experiments" / "ladder" / "results.json"])


def test_the_app_shows_what_was_measured() -> None:
    """Within the intervals, and the document has the table of these results."""
    scale = ratings(RESULTS)
    assert round(scale[ANCHOR].points) == POINTS
    for opponent in OPPONENTS:
        assert scale[opponent.text].low < opponent.rating < scale[opponent.text].high
    page = (ROOT / "docs" / "strength.md").read_text(encoding="utf-8")
    assert f"<!-- table: ratings -->\n\n{table(RESULTS)}\n\n<!-- end" in page
