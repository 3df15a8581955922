"""Training a network of hands: what it learns from is who holds which card, and it learns that."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the extra learn is not installed")

from benchmarks.learning import hands  # noqa: E402 - after the check
from durak_core import Rules  # noqa: E402
from durak_core.agents.learned import load_network  # noqa: E402
from durak_core.search.network.encoding import CARDS  # noqa: E402
from durak_core.search.network.weights import HANDS  # noqa: E402

pytestmark = pytest.mark.usefixtures("compiled_training")


def test_targets_are_in_the_places_of_the_inputs() -> None:
    """All cards known to be held are held, and all that are held are known or unseen, whatever is trumps."""
    rules = Rules.parse("podkidnoy")
    data, _ = hands.collect(rules, 20_000, 3)
    inputs, held = hands.unpacked(data, torch.arange(len(data["held"])).numpy(), rules)
    unseen, known = inputs[:, hands.UNSEEN], inputs[:, 8 * CARDS : 9 * CARDS]
    assert known.sum() > 10_000
    assert ((known == 1) <= (held == 1)).all()
    assert ((held == 1) <= (unseen + known == 1)).all()
    assert 0.2 < (held * unseen).sum() / unseen.sum() < 0.8


def test_a_network_that_was_trained_briefly_is_better_than_blind_deals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "hands.npz"
    numbers = ["--decisions", "100000", "--steps", "150", "--seed", "3"]
    assert hands.main(["--out", str(out), "--rules", "podkidnoy", *numbers]) == 0
    found = re.search(r"unseen card (0\.\d+), dealt blindly (0\.\d+)", capsys.readouterr().out)
    assert found is not None
    assert float(found[1]) < float(found[2])
    about = load_network(out).about
    assert (about.outputs, about.learner, about.widths[-1]) == (HANDS, HANDS, CARDS)


def test_numbers_out_of_range_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "hands.npz"
    assert hands.main(["--out", str(out), "--steps", "0"]) == 2
    assert "expected --decisions and --steps of 1 or more" in capsys.readouterr().err
    assert not out.exists()
