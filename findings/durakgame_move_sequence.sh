#!/usr/bin/env bash
# durakgame's history puts moves in an order in which they were not played, after the first bout that is taken.
#
# Guess: `GameHistory.moveSequence` yields the moves of both players in the order of play.
# Fact: it yields them in turns, one of each player. After a bout that is taken the attacker makes two moves running
#   (the finishing move, then the next opening), so that from there on an opening comes after the reply to it.
# Source: durakgame/history.py: `moveSequence` is a `zip` of `p1Moves` and `p2Moves`.
# Hurt: data sets made from these histories: positions that are replayed from them never happened.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check durakgame==1.0.4
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from durakgame import DeckShuffle, MrFirst, play

print("durakgame", version("durakgame"))
history = play(MrFirst(), MrFirst(), DeckShuffle.sortByValue, moveLimit=4)
kinds = [type(move).__name__ for move in history.moveSequence]
print("expected: OpeningMove ForfeitingMove FinishingMove OpeningMove DefensiveMove")
print("happened:", *kinds[:5])
assert kinds[:5] == ["OpeningMove", "ForfeitingMove", "FinishingMove", "DefensiveMove", "OpeningMove"]
PYTHON
