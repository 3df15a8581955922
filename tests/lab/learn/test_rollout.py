"""What decisions are fitted to: outcomes, blended with what was expected later."""

from __future__ import annotations

from math import log

import pytest

np = pytest.importorskip("numpy", reason="numpy comes with numba or the extra learn")

from durak_core.lab.learn.rollout import traced  # noqa: E402 - after the check

NAN = float("nan")


def logit(share: float) -> float:
    return log(share / (1 - share))


def targets(trace: float, outcomes: list[float], expected: list[float], seats: list[int]) -> list[float]:
    values = [NAN if share != share else logit(share) for share in expected]  # noqa: PLR0124 - nan is not itself
    found = traced(np.array(outcomes, np.float32), np.array(values, np.float32), np.array(seats), trace)
    return [float(value) for value in found]


def test_outcomes_alone_are_left_as_they_are() -> None:
    """Lambda is 1 for deep Monte Carlo as it was published."""
    assert targets(1, [1, 0, 1], [0.5, 0.2, 0.9], [0, 1, 0]) == [1, 0, 1]


def test_each_seat_looks_at_its_own_next_decision() -> None:
    """By hand, for two seats in turn: the last decisions keep their outcomes."""
    found = targets(0.5, [1, 0, 1, 0, 1], [0.3, 0.6, 0.8, 0.4, 0.9], [0, 1, 0, 1, 0])
    middle = 0.5 * 1 + 0.5 * 0.9
    assert found == pytest.approx([0.5 * middle + 0.5 * 0.8, 0.5 * 0 + 0.5 * 0.4, middle, 0, 1])


def test_a_teachers_decision_expects_nothing() -> None:
    """Where no value is known the next return is passed on."""
    assert targets(0.5, [1, 1, 1], [NAN, NAN, 0.5], [0, 0, 0]) == pytest.approx([0.75, 0.75, 1])
    assert targets(0, [0, 0], [0.5, NAN], [2, 2]) == [0, 0]


def test_games_do_not_mix() -> None:
    """The numbers of games and seats keep decisions apart."""
    assert targets(0, [1, 0, 1], [0.5, 0.5, 0.5], [0, 6, 12]) == [1, 0, 1]
