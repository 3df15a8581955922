"""Levelling a network: what it expects comes true on average, and what it plays stays the same."""

from __future__ import annotations

from math import exp
from pathlib import Path

import pytest

from benchmarks.learning.level import fit, leveled, main
from durak_core import DurakError, agents
from durak_core.agents.learned import load_network, shipped_networks

NETWORK = Path(agents.__file__).parent / "networks" / "dmc-podkidnoy-2.npz"


def test_the_fit_finds_what_the_outcomes_were_made_with() -> None:
    """Outcomes as likely as the regression says give its shift and slope."""
    shift, slope = -0.4, 1.5
    samples = []
    for step in range(-20, 21):
        value = step / 10
        share = 1 / (1 + exp(-(shift + slope * value)))
        samples += [(value, share)]
    assert fit(samples) == pytest.approx((shift, slope), abs=1e-5)


@pytest.mark.parametrize("samples", [[], [(1.0, 1.0)] * 5, [(-1.0, 1.0), (0.0, 0.5), (1.0, 0.2)] * 9])
def test_samples_that_tell_nothing_are_refused(samples: list[tuple[float, float]]) -> None:
    """Too few, all alike, or outcomes that fall where the network expects more."""
    with pytest.raises(DurakError, match="expected more --games"):
        fit(samples)


def test_only_the_outputs_change() -> None:
    """They are multiplied and moved, biases and all."""
    network = shipped_networks("dmc")[0]
    before, outputs = network.about.widths[-2:]
    old, new = list(network.weights), leveled(network, 0.25, 2)
    last = len(old) - (before + 1) * outputs
    assert new[:last] == old[:last]
    assert new[last:-outputs] == [2 * weight for weight in old[last:-outputs]]
    assert new[-outputs:] == [2 * bias + 0.25 for bias in old[-outputs:]]


def test_a_network_is_leveled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The programme plays, fits, writes and says what it did; bad input writes nothing."""
    out = tmp_path / "new.npz"
    assert main([str(NETWORK), "--out", str(out), "--games", "1", "--iterations", "1", "--seed", "2"]) == 0
    said = capsys.readouterr().out
    assert "1 games, 1 iterations, seed 2" in said
    shift, slope = (float(word.rstrip(",")) for word in said.split()[2:6:2])
    old, new = load_network(NETWORK), load_network(out)
    assert new.about == old.about
    assert new.weights[-1] == pytest.approx(slope * old.weights[-1] + shift, abs=2e-3 + 2e-3 * abs(shift))
    out.unlink()
    assert main([str(NETWORK), "--out", str(out), "--games", "0"]) == 2
    assert main([str(tmp_path / "none.npz"), "--out", str(out)]) == 2
    assert not out.exists()
    errors = capsys.readouterr().err
    assert "expected --games, --iterations and --jobs of 1 or more" in errors
    assert "No such file" in errors
