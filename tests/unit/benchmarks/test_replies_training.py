"""Training a network of replies: it learns from what a search has tried, and names that more often."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra learn is not installed")

from benchmarks.learning import replies  # noqa: E402 - after the check
from durak_core import Rules  # noqa: E402
from durak_core.agents.learned import load_network  # noqa: E402
from durak_core.search.backend.backend import backend  # noqa: E402
from durak_core.search.network.encoding import ACTIONS  # noqa: E402
from durak_core.search.network.weights import REPLIES  # noqa: E402


@pytest.fixture(autouse=True)
def machine_code() -> None:
    if backend("search").name != "compiled":
        pytest.skip("training runs as machine code only")


def test_the_shares_of_all_legal_actions_are_one() -> None:
    """And every decision has a choice; forced moves are left out."""
    data, looked_at = replies.collect(Rules(), 3, 5)
    assert len(looked_at["lengths"]) > 20
    for part in (data, looked_at):
        legal = part["actions"] >= 0
        assert (legal.sum(1) > 1).all()
        assert np.allclose(part["shares"].sum(1), 1)
        assert (part["shares"][~legal] == 0).all()


def test_a_network_is_written_that_may_go_with_a_search(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "replies.npz"
    assert replies.main(["--out", str(out), "--games", "30", "--steps", "60", "--seeds", "3"]) == 0
    found = re.search(r"named in (0\.\d+), by dmc in (0\.\d+)", capsys.readouterr().out)
    assert found is not None
    assert float(found[1]) > float(found[2]) - 0.05
    about = load_network(out).about
    assert (about.outputs, about.learner, about.widths[-1]) == (REPLIES, REPLIES, ACTIONS)


def test_numbers_out_of_range_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "replies.npz"
    assert replies.main(["--out", str(out), "--games", "1"]) == 2
    assert "expected --games of 2 or more" in capsys.readouterr().err
    assert not out.exists()
