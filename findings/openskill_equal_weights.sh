#!/usr/bin/env bash
# OpenSkill's equal weights double every gain and halve every loss.
#
# Guess: weights say how much each player of a team contributed, so that equal weights, or teams of one player, give
#   the ratings of a call without weights.
# Fact: two players at 25 go to 27.635 and 22.365 without weights, and to 30.271 and 23.682 with `weights=[[1], [1]]`.
#   `[[5], [5]]` gives the same. Four rated points appear from nothing in one game.
# Source: the manual's "Weights"; openskill/models/weng_lin/common.py `_normalize` maps equal weights to the upper
#   bound of `weight_bounds=(1, 2)`, and `_compute` multiplies gains by the weight and divides losses by it.
# Hurt: whoever passes the weight 1 as "everybody played the whole game": all ratings inflate, and ratings with and
#   without weights cannot be compared.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check openskill==6.2.0
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from openskill.models import PlackettLuce

print("openskill", version("openskill"))
model = PlackettLuce()


def rated(**options):
    (winner,), (loser,) = model.rate([[model.rating()], [model.rating()]], ranks=[0, 1], **options)
    return round(winner.mu, 3), round(loser.mu, 3)


plain, ones, fives = rated(), rated(weights=[[1], [1]]), rated(weights=[[5], [5]])
print("expected: the same ratings three times")
print("happened: none", plain, "ones", ones, "fives", fives)
assert plain == (27.635, 22.365)
assert ones == fives == (30.271, 23.682)
PYTHON
