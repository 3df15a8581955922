"""What the tests of machine code share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from durak_core.search.backend.backend import Backend, backend


def compiled_group(group: str) -> Backend:
    loaded = backend(group)
    assert "failed" not in loaded.note
    if loaded.name != "compiled":
        pytest.skip(f"no machine code here: {loaded.note}")
    return loaded


@pytest.fixture(scope="session")
def machine_code() -> Callable[[str], Backend]:
    """Return what gives the compiled functions of a group, on the terms of the others."""
    return compiled_group


@pytest.fixture(scope="session")
def compiled() -> Backend:
    """Return the compiled rules; without them, and with that announced, there is nothing to compare."""
    return compiled_group("rules")


@pytest.fixture(scope="session")
def searcher() -> Backend:
    """Return the compiled searches, on the same terms."""
    return compiled_group("search")


@pytest.fixture(scope="session")
def classic() -> Backend:
    """Return the compiled searches of the published projects, on the same terms."""
    return compiled_group("classic")


@pytest.fixture(scope="session")
def guided() -> Backend:
    """Return the compiled search with a network, on the same terms."""
    return compiled_group("guided")
