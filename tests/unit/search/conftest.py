"""What the tests of machine code share."""

from __future__ import annotations

import pytest

from durak_core.search.backend import Backend, backend


@pytest.fixture(scope="session")
def compiled() -> Backend:
    """Return the compiled backend; without one, and with that announced, there is nothing to compare."""
    loaded = backend()
    if loaded.name != "compiled":
        pytest.skip(f"no machine code here: {loaded.note}")
    return loaded
