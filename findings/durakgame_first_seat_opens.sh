#!/usr/bin/env bash
# durakgame lets the first player open every game, whoever holds the lowest trump.
#
# Guess: "a simple implementation of Durak" follows the rule that the holder of the lowest trump attacks first.
# Fact: the second player holds the six of trumps, and the first player opens. No option changes it.
# Source: durakgame/game.py: `turn: Switch = Switch.First` is never set from the hands.
# Hurt: a match whose agents keep their places measures the place as well as the play. By the usual rule the first
#   attacker also holds a trump, so that shares of lost games cannot be compared with those of other programs.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check durakgame==1.0.4
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from durakgame import CardValue, DeckShuffle, MrFirst, OpeningMove, play, standardDeck

print("durakgame", version("durakgame"))
deck = sorted(standardDeck(), key=lambda card: (card.value, card.suit))
# Dealt card by card; the 13th card is the trump. The second player holds the trump six, the first no trump.
trump = deck[-1].suit
plain = [card for card in deck if card.suit != trump]
six = next(card for card in deck if card.suit == trump and card.value == CardValue.Six)
cards = [plain[0], six, *plain[1:11], deck[-1]]
cards += [card for card in deck if card not in cards]
history = play(MrFirst(), MrFirst(), DeckShuffle.custom, customDeck=cards, moveLimit=1)
print("expected: the second player opens, who holds", six)
print("happened: first player", history.p1Moves, "second player", history.p2Moves)
assert six in history.p2StartHand
assert not any(card.suit == trump for card in history.p1StartHand)
assert isinstance(history.p1Moves[0], OpeningMove)
PYTHON
