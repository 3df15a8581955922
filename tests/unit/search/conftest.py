"""What the tests of machine code share."""

from __future__ import annotations

import pytest

from durak_core.search.backend.backend import Backend, backend


def machine_code(group: str) -> Backend:
    loaded = backend(group)
    if loaded.name != "compiled":
        pytest.skip(f"no machine code here: {loaded.note}")
    return loaded


@pytest.fixture(scope="session")
def compiled() -> Backend:
    """Return the compiled rules; without them, and with that announced, there is nothing to compare."""
    return machine_code("rules")


@pytest.fixture(scope="session")
def searcher() -> Backend:
    """Return the compiled searches, on the same terms."""
    return machine_code("search")


@pytest.fixture(scope="session")
def classic() -> Backend:
    """Return the compiled searches of the published projects, on the same terms."""
    return machine_code("classic")


@pytest.fixture(scope="session")
def guided() -> Backend:
    """Return the compiled search with a network, on the same terms."""
    return machine_code("guided")
