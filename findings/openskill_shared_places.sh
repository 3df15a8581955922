#!/usr/bin/env bash
# OpenSkill's Plackett-Luce divides the only loser's loss by the number of players who share first place.
#
# Guess: the one player of six who lost, everybody else sharing first place, loses at least as much rating as the
#   loser of a game between two.
# Fact: the loser of two goes from 25 to 22.365; the only loser of six to 24.493, a fifth of that. The only winner of
#   six gains 2.536. In BradleyTerryFull the only loser of six falls to 11.823.
# Source: openskill/models/weng_lin/plackett_luce.py, `_compute` divides each term by `a[q]`, the number of teams
#   that share rank q: Weng and Lin, JMLR 12 (2011), algorithm 4. The manual only says that equal ranks are a tie.
# Hurt: ratings for games with one loser and no other places, such as Durak: the fool loses next to nothing, and the
#   ratings of six seats need many times the games of two.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check openskill==6.2.0
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from openskill.models import BradleyTerryFull, PlackettLuce

print("openskill", version("openskill"))


def loss(model, seats):
    table = [[model.rating()] for _ in range(seats)]
    *_, [loser] = model.rate(table, ranks=[0] * (seats - 1) + [1])
    return 25 - loser.mu


losses = {seats: loss(PlackettLuce(), seats) for seats in (2, 3, 6)}
print("expected: the only loser of six loses at least what the loser of two loses")
print("happened: lost rating by seats", {seats: round(lost, 3) for seats, lost in losses.items()})
print("BradleyTerryFull, six seats:", round(loss(BradleyTerryFull(), 6), 3))
assert abs(losses[2] - 2.635) < 0.001
assert abs(losses[6] - 0.507) < 0.001
assert loss(BradleyTerryFull(), 6) > 5 * losses[2] - 0.01
PYTHON
