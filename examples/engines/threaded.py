"""An engine with two threads, one that reads and one that searches. It imports nothing from Durak.

Until its time is over, it samples the defender's hand from the unseen cards and averages the value of each
action. It refuses rules that force which card is played (5.8, 5.10), and jokers (1.6).
"""

from __future__ import annotations

import random
import re
import sys
import threading
from itertools import pairwise
from time import perf_counter

RANKS = "23456789TJQKA"
SUITS = "shdc"
MILLISECONDS = 1000
NEVER = float("inf")
REFUSED = ("groningen", "forced_play=yes", "lowest_card=", "jokers=")

Cards = list[str]


def cards(text: str) -> Cards:
    """Split cards written without spaces, such as 6sTh; hidden cards are left out."""
    text = re.sub(r"\?\d+|\+", "", text)
    return [text[place : place + 2] for place in range(0, len(text) - 1, 2)]


class Position:
    """The parts of an observation that this engine uses."""

    def __init__(self, text: str) -> None:
        words = dict(word.split("=", 1) for word in text.split())
        hands = words["hands"].split("/")
        _, _, options = words["rules"].partition(":")
        self.phase = words["phase"]
        self.trump = words.get("trump", "--")[-1]
        self.table = [pair.split("x") for pair in words.get("table", "").split(",") if pair not in ("", "-")]
        self.has_room = len(self.table) < int(words["limit"])
        self.own = cards(hands[int(words["seat"])])
        defender = hands[int(words["defender"])]
        self.defenders = int(defender[1:].partition("+")[0]) if defender.startswith("?") else 0
        lowest = dict(option.split("=") for option in options.split(",") if option).get("lowest_rank", "6")
        lowest = {"10": "T", "11": "J"}.get(lowest, lowest)
        deck = [rank + suit for rank in RANKS[RANKS.index(lowest) :] for suit in SUITS]
        seen = {*self.own, *cards(words.get("gone", "")), *[card for pair in self.table for card in pair]}
        self.unseen = [card for card in deck if card not in seen]

    def beats(self, card: str, attack: str) -> bool:
        if card[1] == attack[1]:
            return RANKS.index(card[0]) > RANKS.index(attack[0])
        return card[1] == self.trump

    def cost(self, card: str) -> float:
        return RANKS.index(card[0]) / 13 + (card[1] == self.trump)

    def actions(self) -> Cards:
        """Return legal actions, though not all of them."""
        if self.phase == "opening":
            return list(self.own)
        if self.phase == "defence":
            attack = next(pair[0] for pair in self.table if len(pair) == 1)
            return [f"{card}x{attack}" for card in self.own if self.beats(card, attack)] + ["take"]
        ranks = {card[0] for pair in self.table for card in pair}
        return ["pass"] + [card for card in self.own if card[0] in ranks and self.has_room]

    def value(self, action: str, chance: random.Random) -> float:
        """Return an action's value against one sampled hand of the defender."""
        if action == "pass":
            return -0.6
        if action == "take":
            return -3.0
        if "x" in action:
            return -self.cost(action[:2])
        if self.phase == "pile_on":
            return -self.cost(action)
        held = chance.sample(self.unseen, min(self.defenders, len(self.unseen)))
        return 1 - self.cost(action) - any(self.beats(card, action) for card in held)


class Engine:
    """Answers commands while a search runs in another thread."""

    def __init__(self) -> None:
        self.chance = random.Random(1)  # noqa: S311 - it plays
        self.position: Position | None = None
        self.thinker: threading.Thread | None = None
        self.thinks = False
        self.halt = threading.Event()

    def say(self, *lines: str) -> None:
        sys.stdout.write("".join([line + "\n" for line in lines]))
        sys.stdout.flush()

    def answer(self, command: str, rest: str) -> None:
        if command == "durak":
            self.say("id name Threaded", "option name Seed type number default 1 min 0 max 999999999")
            self.say("protocol 2", "durakok")
        elif command == "isready":
            self.say("readyok")
        elif command == "stop":
            self.halt.set()
        elif command in ("go", "observation", "newgame", "setoption") and self.thinks:
            self.say(f"error {command}: a search is running: expected stop, or wait for bestmove")
        elif command == "go":
            self.go(rest.split())
        elif command == "observation":
            self.observe(rest)
        elif command == "newgame":
            self.position = None
            if any(rule in rest for rule in REFUSED):
                self.say("error newgame: these rules force which card is played, or have jokers")
        elif command == "setoption" and rest.lower().startswith("name seed value ") and rest[16:].isdigit():
            self.chance = random.Random(int(rest[16:]))  # noqa: S311 - likewise

    def observe(self, rest: str) -> None:
        try:
            self.position = Position(rest)
        except (KeyError, ValueError, IndexError):
            self.position = None
            self.say("error observation: it cannot be read: expected rules=... seat=... ...")

    def go(self, words: list[str]) -> None:
        if self.position is None:
            self.say("error go: there is nothing to search: expected observation TEXT before go")
            return
        budget = {name: int(number) for name, number in pairwise(words) if number.isdigit()}
        seconds = budget.get("time", NEVER if words else MILLISECONDS) / MILLISECONDS
        self.halt = threading.Event()
        arguments = (self.position, seconds, budget.get("iterations", NEVER), self.halt)
        self.thinker = threading.Thread(target=self.think, args=arguments, daemon=True)
        self.thinks = True
        self.thinker.start()

    def think(self, position: Position, seconds: float, most: float, halt: threading.Event) -> None:
        end = perf_counter() + seconds * 0.9
        actions = position.actions()
        sums = dict.fromkeys(actions, 0.0)
        rounds = 0
        while len(actions) > 1 and rounds < most and perf_counter() < end and not halt.is_set():
            for action in actions:
                sums[action] += position.value(action, self.chance)
            rounds += 1
        self.thinks = False  # before bestmove, which the next command may follow at once
        self.say("bestmove " + max(actions, key=sums.__getitem__))


def main() -> None:
    engine = Engine()
    for line in sys.stdin:
        command, _, rest = line.strip().partition(" ")
        if command == "quit":
            return
        engine.answer(command, rest)
    engine.halt.set()
    if engine.thinker is not None:
        engine.thinker.join()


if __name__ == "__main__":
    main()
