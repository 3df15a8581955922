#!/usr/bin/env bash
# OpenSpiel's two ISMCTS bots choose differently with the same arguments.
#
# Guess: `pyspiel.ISMCTSBot` and `open_spiel.python.algorithms.ismcts.ISMCTSBot` are one algorithm in two languages, and
#   play alike when the options are left out.
# Fact: the C++ bot samples its action in proportion to the visits, the Python bot plays the most visited one. In
#   Kuhn poker, with the jack against a bet, calling loses 2 for certain and folding 1. After 200 simulations the C++
#   bots still call in some 6 % of games, and the Python bots never.
# Source: the defaults of `final_policy_type`: NORMALIZED_VISIT_COUNT in pyspiel, MAX_VISIT_COUNT in ismcts.py.
# Hurt: results of "ISMCTS, 1,000 simulations": the C++ baseline also plays moves that its search found bad, and is
#   weaker; the language of the bot decides a comparison.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check open_spiel==2.0.2 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

print("open_spiel", version("open_spiel"))
SIMULATIONS, SEEDS = 200, 20
game = pyspiel.load_game("kuhn_poker")
state = game.new_initial_state()
for action in (2, 0, 1):  # player 0 has the king and player 1 the jack, and player 0 has bet
    state.apply_action(action)


def calls(policy):
    return dict(policy)[1]


cpp, python = [], []
for seed in range(SEEDS):
    bot = pyspiel.ISMCTSBot(seed, pyspiel.RandomRolloutEvaluator(1, seed), 2.0, SIMULATIONS)
    cpp.append(calls(bot.get_policy(state)))
    source = np.random.RandomState(seed)
    bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, source), 2.0, SIMULATIONS, random_state=source)
    python.append(calls(bot.get_policy(state)))
print("expected: both fold the jack")
print("happened: probability of a call, C++ %.3f to %.3f, Python %.3f" % (min(cpp), max(cpp), max(python)))
assert min(cpp) > 0
assert max(python) == 0
PYTHON
