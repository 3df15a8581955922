"""Few repetitions of a test in each run, and many in a slow test."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

_UNCHECKED = [HealthCheck.too_slow, HealthCheck.data_too_large]


def few_or_many(name: str, few: int, many: int) -> pytest.MarkDecorator:
    """Parametrize a test with two values of an argument; the second makes it slow."""
    return pytest.mark.parametrize(name, [few, pytest.param(many, marks=pytest.mark.slow)])


def few_and_many(
    few: int, many: int, **strategies: st.SearchStrategy[Any]
) -> Callable[[Callable[..., None]], Callable[[int], None]]:
    """Make a property a test with a few examples, and a slow test with many.

    Args:
        few: How many the quick test tries.
        many: How many the slow test tries.
        strategies: The property's arguments.
    """

    def a_test(check: Callable[..., None]) -> Callable[[int], None]:
        @few_or_many("examples", few, many)
        @wraps(check)
        def run(examples: int) -> None:
            some = settings(
                deadline=None, derandomize=True, max_examples=examples, suppress_health_check=_UNCHECKED
            )
            some(given(**strategies)(check))()

        del run.__wrapped__  # type: ignore[attr-defined]  # pytest would ask for its arguments
        return run

    return a_test
