"""A complete engine: it beats with a card of the suit, takes otherwise, and throws nothing in."""

import sys

RANKS = "23456789TJQKA*"
REFUSED = ("groningen", "forced_play=yes", "lowest_card=")  # rules that say which card must be played


def choose(text: str) -> str:
    seen = dict(word.split("=", 1) for word in text.split())
    if seen["phase"] in ("volley", "throw_in", "pile_on"):
        return "pass"
    own = seen["hands"].split("/")[int(seen["seat"])].replace("+", "")
    hand = sorted([own[i : i + 2] for i in range(0, len(own), 2)], key=lambda card: RANKS.index(card[0]))
    if seen["phase"] == "opening":
        return hand[0]
    attack = next(pair for pair in seen["table"].split(",") if "x" not in pair)
    for card in hand:
        if card[1] == attack[1] and RANKS.index(card[0]) > RANKS.index(attack[0]):
            return f"{card}x{attack}"
    return "take"


for line in sys.stdin:
    command, _, rest = line.strip().partition(" ")
    if command == "durak":
        print("id name Small\nprotocol 2\ndurakok", flush=True)
    elif command == "isready":
        print("readyok", flush=True)
    elif command == "newgame" and any(rule in rest for rule in REFUSED):
        print("error newgame: these rules force which card is played", flush=True)
    elif command == "observation":
        observation = rest
    elif command == "go":
        print("bestmove", choose(observation), flush=True)
    elif command == "quit":
        break
