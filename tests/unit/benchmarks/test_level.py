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
    """Outcomes as likely as a shift says give that shift."""
    values = [step / 10 for step in range(-20, 21)]
    assert fit([(value, 1 / (1 + exp(0.4 - value))) for value in values]) == pytest.approx(-0.4, abs=1e-5)


@pytest.mark.parametrize("samples", [[], [(1.0, 1.0)] * 5, [(-1.0, 0.0), (0.0, 0.0)]])
def test_samples_that_tell_nothing_are_refused(samples: list[tuple[float, float]]) -> None:
    """None at all, or nothing but wins or losses, which no shift is far enough for."""
    with pytest.raises(DurakError, match="expected more --games"):
        fit(samples)


def test_only_the_last_biases_change() -> None:
    """All of them by the same number, so that the best action stays the best."""
    network = shipped_networks("dmc")[0]
    outputs = network.about.widths[-1]
    old, new = list(network.weights), leveled(network, 0.25)
    assert new[:-outputs] == old[:-outputs]
    assert new[-outputs:] == [bias + 0.25 for bias in old[-outputs:]]


def test_a_network_is_leveled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The programme plays, fits, writes and says what it did; bad input writes nothing."""
    out = tmp_path / "new.npz"
    assert main([str(NETWORK), "--out", str(out), "--games", "1", "--iterations", "2", "--seed", "1"]) == 0
    said = capsys.readouterr().out
    assert "1 games, 2 iterations, seed 1" in said
    shift = float(said.split()[2])
    old, new = load_network(NETWORK), load_network(out)
    assert new.about == old.about
    assert new.weights[-1] == pytest.approx(old.weights[-1] + shift, abs=2e-3)
    out.unlink()
    assert main([str(NETWORK), "--out", str(out), "--games", "0"]) == 2
    assert main([str(tmp_path / "none.npz"), "--out", str(out)]) == 2
    assert not out.exists()
    errors = capsys.readouterr().err
    assert "expected --games, --iterations and --jobs of 1 or more" in errors
    assert "No such file" in errors
