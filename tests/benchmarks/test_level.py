"""Levelling a network: what analyses with it expect comes true on average, and nobody plays otherwise."""

from __future__ import annotations

from dataclasses import replace
from math import exp
from pathlib import Path

import pytest

from benchmarks.calibration import Prediction
from benchmarks.learning.level import fit, main
from durak_core import DurakError, agents
from durak_core.agents.learned import load_network
from durak_core.search.backend.backend import backend

NETWORK = Path(agents.__file__).parent / "networks" / "dmc-podkidnoy-2.npz"


def told(*pairs: tuple[float, float]) -> list[Prediction]:
    return [Prediction(predicted, actual, exact=False) for predicted, actual in pairs]


def test_the_fit_finds_what_the_outcomes_were_made_with() -> None:
    """Outcomes as likely as a regression says give its shift and slope; proofs change nothing."""
    logits = [step / 10 for step in range(-20, 21)]
    predictions = told(*[(1 / (1 + exp(-logit)), 1 / (1 + exp(0.4 - 1.5 * logit))) for logit in logits])
    assert fit(predictions) == pytest.approx((-0.4, 1.5), abs=1e-4)
    assert fit([*predictions, Prediction(1, 1, exact=True)]) == fit(predictions)


@pytest.mark.parametrize(
    "pairs", [[], [(0.7, 1.0)] * 5, [(0.3, 0.0), (0.5, 0.0)], [(0.3, 1.0), (0.5, 0.5), (0.7, 0.2)] * 9]
)
def test_predictions_that_tell_nothing_are_refused(pairs: list[tuple[float, float]]) -> None:
    """None at all, all alike, nothing but losses, or outcomes that fall where more is expected."""
    with pytest.raises(DurakError, match="expected more --positions"):
        fit(told(*pairs))


@pytest.mark.slow
def test_a_network_is_levelled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The programme plays, fits, writes and says what it did; bad input writes nothing."""
    if backend("guided").name != "compiled":
        pytest.skip("whole games of searches with a network take machine code")
    out = tmp_path / "new.npz"
    assert (
        main([str(NETWORK), "--out", str(out), "--positions", "14", "--iterations", "20", "--seed", "3"]) == 0
    )
    said = capsys.readouterr().out
    assert "14 positions, 20 iterations, seed 3" in said
    old, new = load_network(NETWORK), load_network(out)
    words = said.split()
    assert new.about == replace(old.about, levels=(float(words[2]), float(words[4])))
    assert new.about.levels != old.about.levels
    assert list(new.weights) == list(old.weights)
    out.unlink()
    assert main([str(NETWORK), "--out", str(out), "--positions", "0"]) == 2
    assert main([str(tmp_path / "none.npz"), "--out", str(out)]) == 2
    assert not out.exists()
    errors = capsys.readouterr().err
    assert "expected --positions, --iterations and --jobs of 1 or more" in errors
    assert "there is no such file" in errors
