"""The simulation of intervals, tests and ratings."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from benchmarks import coverage


def test_a_deals_chances_have_the_score_and_the_correlation() -> None:
    """Near a score of 1 the correlation is the least that is possible."""
    for score, wanted, possible in ((0.7, 0.3, 0.3), (0.9, -0.3, -1 / 9)):
        found, (none, one, both) = coverage.pair_chances(score, wanted)
        assert found == pytest.approx(possible)
        assert none + one + both == pytest.approx(1)
        assert both + one / 2 == pytest.approx(score)
        assert (both - score**2) / score / (1 - score) == pytest.approx(found)


def test_intervals_cover_even_matches() -> None:
    """Of 30 to 500 deals, in 94 to 96.5 % of 2,000 matches, give or take chance."""
    for cell in islice(coverage.cells(coverage.printed_interval, 2000, 1), 5):
        assert 93 < cell.coverage < 97.5
        assert cell.below > 0 < cell.above


def test_few_losses_are_too_coarse_for_the_band() -> None:
    """No game of 60 is lost in 94.2 % of matches, of 100 in 90.5 %, and at most one in 99.5 %."""
    pytest.importorskip("scipy", reason="SciPy comes with the extra examples")
    assert coverage.most_right(30, 0.999, [0]) == 1
    assert coverage.most_right(50, 0.999, [0]) == 0
    assert coverage.most_right(30, 0.999, [0, 0.9]) == 1


def test_ties_are_no_verdict() -> None:
    """The old ratio takes them for proof of equality."""
    tied = np.array([[0.0, 0, 200, 0, 0]])
    for ratio, ties, expected in ((coverage.normal_llr, True, -1), (coverage.capital_llr, False, 0)):
        decide = coverage.sprt(ratio, 0, 20, ties_decide=ties)
        assert decide(tied).tolist() == [expected]
    assert coverage.until_sure(tied).tolist() == [0]
    up, down, deals = coverage.decisions(coverage.until_sure, [0, 0, 0, 0, 1.0], 10, 1, 100)
    assert (up, down, deals) == (100, 0, 30)
