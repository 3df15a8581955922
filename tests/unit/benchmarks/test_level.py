"""Levelling a network: what it expects comes true on average, and what it plays stays the same."""

from __future__ import annotations

from math import exp
from pathlib import Path

import pytest

from benchmarks.calibration import Prediction
from benchmarks.learning.level import fit, levelled, main
from durak_core import DurakError, agents
from durak_core.agents.learned import load_network, shipped_networks

NETWORK = Path(agents.__file__).parent / "networks" / "dmc-podkidnoy-2.npz"


def told(*pairs: tuple[float, float]) -> list[Prediction]:
    return [Prediction(predicted, actual, exact=False) for predicted, actual in pairs]


def test_the_fit_finds_what_the_outcomes_were_made_with() -> None:
    """Outcomes as likely as a shift says give that shift; proofs change nothing."""
    logits = [step / 10 for step in range(-20, 21)]
    predictions = told(*[(1 / (1 + exp(-logit)), 1 / (1 + exp(0.4 - logit))) for logit in logits])
    assert fit(predictions) == pytest.approx(-0.4, abs=1e-5)
    assert fit([*predictions, Prediction(1, 1, exact=True)]) == fit(predictions)


@pytest.mark.parametrize("pairs", [[], [(0.7, 1.0)] * 5, [(0.3, 0.0), (0.5, 0.0)]])
def test_predictions_that_tell_nothing_are_refused(pairs: list[tuple[float, float]]) -> None:
    """None at all, or nothing but wins or losses, which no shift is far enough for."""
    with pytest.raises(DurakError, match="expected more --positions"):
        fit(told(*pairs))


def test_only_the_last_biases_change() -> None:
    """All of them by the same number, so that the best action stays the best."""
    network = shipped_networks("dmc")[0]
    outputs = network.about.widths[-1]
    old, new = list(network.weights), levelled(network, 0.25)
    assert new[:-outputs] == old[:-outputs]
    assert new[-outputs:] == [bias + 0.25 for bias in old[-outputs:]]


def test_a_network_is_levelled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The programme plays, fits, writes and says what it did; bad input writes nothing."""
    out = tmp_path / "new.npz"
    assert (
        main([str(NETWORK), "--out", str(out), "--positions", "4", "--iterations", "2", "--seed", "2"]) == 0
    )
    said = capsys.readouterr().out
    assert "4 positions, 2 iterations, seed 2" in said
    shift = float(said.split()[2])
    old, new = load_network(NETWORK), load_network(out)
    assert new.about == old.about
    assert new.weights[-1] == pytest.approx(old.weights[-1] + shift, abs=2e-3)
    out.unlink()
    assert main([str(NETWORK), "--out", str(out), "--positions", "0"]) == 2
    assert main([str(tmp_path / "none.npz"), "--out", str(out)]) == 2
    assert not out.exists()
    errors = capsys.readouterr().err
    assert "expected --positions, --iterations and --jobs of 1 or more" in errors
    assert "No such file" in errors
