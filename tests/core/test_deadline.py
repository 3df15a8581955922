"""Deadlines: slices that end in time however slow the machine is, and no clock where there is none."""

from __future__ import annotations

import math
from itertools import islice
from random import Random

import pytest

from durak_core.deadline import NEVER, Deadline

STEP = 0.03
"""Seconds of work in a whole step, as of some hundredths of a second."""


class Clock:
    """A clock that stands still until it is told that time has passed."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("slowness", [0.001, 1, 5, 30])
def test_slices_end_just_in_time_however_slow_the_machine_is(slowness: float) -> None:
    """Each is cut to what is left by the clock, so the machine's speed only changes how many there are."""
    clock = Clock()
    deadline = Deadline(1.0, clock)
    for share in deadline.slices():
        assert 0 < share <= 1
        clock.now += share * STEP * slowness
    assert 100.9 < clock.now <= 101.0
    assert not deadline.is_over


def test_others_who_take_the_processor_now_and_then_delay_the_end_little() -> None:
    """Whoever else runs has it for up to 20 ms at a time, three times in four."""
    chance = Random(1)
    for _ in range(200):
        clock = Clock()
        for share in Deadline(1.0, clock).slices():
            left = share * STEP
            while left > 0:
                clock.now += min(left, 0.004)
                left -= 0.004
                clock.now += 0.02 * chance.random() if chance.random() < 0.75 else 0.0
        assert 100.8 < clock.now < 101.05


def test_a_deadline_that_is_over_leaves_no_slice() -> None:
    """Nothing is begun, and the same holds for a part of it."""
    clock = Clock()
    deadline = Deadline(1.0, clock)
    clock.now += 2
    assert deadline.is_over
    assert (deadline.spent, deadline.left) == (2, -1)
    assert list(deadline.slices()) == list(deadline.part(0.5).slices()) == []


def test_a_part_of_the_time_is_a_deadline_by_the_same_clock() -> None:
    """It begins now."""
    clock = Clock()
    deadline = Deadline(1.0, clock)
    clock.now += 0.5
    part = deadline.part(0.5)
    assert part.left == 0.25
    clock.now += 0.25
    assert part.is_over
    assert not deadline.is_over


def test_without_a_deadline_every_slice_is_a_whole_step() -> None:
    """So that what is limited by iterations is cut in the same way at any time."""
    assert list(islice(NEVER.slices(), 100)) == [1.0] * 100
    assert not NEVER.is_set
    assert NEVER.part(0.5).left == math.inf
