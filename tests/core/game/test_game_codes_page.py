"""A reader of game codes written from docs/game-codes.md alone: its tables are read from the page."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import pytest
from playing import random_record

from durak_core import (
    EXCHANGE,
    OPTIONS,
    PASS,
    TAKE,
    Action,
    Attack,
    Card,
    Defend,
    Phase,
    Rules,
    ShowTrump,
    State,
    Transfer,
    read_game_code,
    write_game_code,
)

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "game-codes.md").read_text("utf-8")
CODES = [line.split()[0] for line in (ROOT / "tests" / "golden" / "codes.txt").read_text().splitlines()]
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def numbers(text: str) -> list[int]:
    """The numbers of a text."""
    return [int(number) for number in re.findall(r"\d+", text)]


def rows(after: str) -> list[list[str]]:
    """The cells of the first table after a text."""
    table = re.search(r"(?:^\|.*\n)+", PAGE[PAGE.index(after) :], re.MULTILINE)
    assert table is not None
    return [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in table[0].splitlines()[2:]]


PRESETS = re.findall(r"`([\w-]+)` (\d+)", PAGE[PAGE.index("1. The preset") : PAGE.index("2. `seats`")])
PLAYERS = (2, 8, 2, *[4] * 6, *[1] * 4, 24)
WEIGHTS = {
    row[0].split()[0] + row[0].split()[2]: (numbers(row[1]), numbers(row[2]))
    for row in rows("stops at the end")
}
STOPS = {name: numbers(" ".join(row)) for name, *row in rows("| phase | plain card")}


LATER = [
    write_game_code(random_record(Rules.parse(text), 7))
    for text in (
        "groningen:lowest_card=always",
        "podkidnoy:lowest_rank=13,hand_size=2,lowest_card=defence",
        "perevodnoy:seats=3,show_trump=yes,show_trump_once=bout,next_first_attacker=after_fool",
        "podkidnoy:lowest_card=always,lowest_beats_ace=any",
        "podkidnoy:seats=3,series_score=places",
        "podkidnoy:seats=4,teams=2x2,partner_plays_on=yes,lowest_card=always",
        "perevodnoy:seats=3,jokers=any",
        "podkidnoy:lowest_rank=2,jokers=colour",
    )
]


class Number:
    """The number of a code, from which symbols are taken."""

    def __init__(self, code: str) -> None:
        check, digits = code[1:5], code[5:]
        assert sum(DIGITS.index(digit) * 64 ** (3 - at) for at, digit in enumerate(check)) == (
            zlib.crc32(f"D{digits}".encode()) % 2**24
        )
        self.value = 0
        for digit in digits:
            self.value = self.value * 64 + DIGITS.index(digit)

    def symbol(self, *weights: int) -> int:
        total = sum(weights)
        rest, start = self.value % total, 0
        for option, width in enumerate(weights):
            if start <= rest < start + width:
                self.value = self.value // total * width + rest - start
                return option
            start += width
        raise AssertionError

    def equal(self, options: int) -> int:
        self.value, option = divmod(self.value, options)
        return option

    def usually(self) -> bool:
        return self.symbol(63, 1) == 0


def values_of(name: str, text: str) -> list[object]:
    """The values in a cell of the table of options."""
    found: list[object] = []
    for part in text.split(", "):
        low, to, high = part.partition(" to ")
        found += range(int(low), int(high) + 1) if to else [OPTIONS[name].read(part)]
    return found


def rules_in(number: Number) -> Rules:
    preset = PRESETS[number.symbol(*(int(weight) for _, weight in PRESETS), 1)][0]
    seats = 2 + number.equal(5)
    changes = {}
    for name, _default, values in rows("| option | default"):
        if not number.usually():
            found = values_of(name, values)
            changes[name] = found[number.equal(len(found))]
    for table in ("| later option", "| third option", "| fourth option", "| fifth option", "| last option"):
        if number.usually():
            break
        for name, _default, values in rows(table):
            if not number.usually():
                found = values_of(name, values)
                changes[name] = found[number.equal(len(found))]
    else:
        assert number.usually()
    return Rules.preset(preset, seats=seats, **changes)  # type: ignore[arg-type]


def deal_in(number: Number, rules: Rules) -> State:
    source = number.symbol(12, 2, 1, 1)
    seed = None
    if source < 2:
        seed = number.equal(10**9 if source == 0 else 2**63)
        dealt = State.deal(rules, seed)
        deck, usual = dealt.deck or (), dealt.first_attacker
    else:
        left = [*rules.deck]
        deck = tuple([left.pop(number.equal(len(left))) for _ in rules.deck])
        hands = State.from_deck(rules, deck, 0).hands
        trumps = [
            (card, seat) for seat, hand in enumerate(hands) for card in hand if card.is_of(deck[-1].suit)
        ]
        usual = min(trumps)[1] if trumps and rules.trumps else 0
    is_usual = number.usually()
    attacker = usual if is_usual else number.equal(rules.seats)
    expected = is_usual and rules.next_first_attacker != "lowest_trump"
    return State.from_deck(rules, deck, attacker, seed, by_lowest_trump=expected == number.usually())


def weighed(state: State) -> dict[Action, int]:
    """The legal actions in the order of the page, with their weights."""
    assert state.turn is not None

    def is_high(card: Card) -> bool:
        return card.is_of(state.trump_suit) or card.is_joker

    def row(actions: dict[Card, Action], kind: str = "") -> dict[Action, int]:
        legal = [card for card in actions if state.why_not(actions[card]) is None]
        legal.sort(key=lambda card: (is_high(card), card.rank, card.suit))
        found = {}
        for at, card in enumerate(legal):
            weights = WEIGHTS[kind][is_high(card)] if kind else [1]
            found[actions[card]] = weights[min(at, len(weights) - 1)]
        return found

    hand = state.hands[state.turn]
    found = row({card: Attack(card) for card in hand}, "attack,in")
    unbeaten = [pair.attack for pair in state.table if pair.defence is None]
    answers = {target: {card: Defend(card, target) for card in hand} for target in unbeaten}
    beatable = [target for target in unbeaten if row(answers[target])]
    main = (beatable or unbeaten)[:1] if state.rules.forced_play else unbeaten[:1]
    for target in unbeaten:
        found |= row(answers[target], "beatopen" if [target] == main else "")
    found |= row({card: Transfer(card) for card in hand}, "transfereach")
    plain = any(not is_high(action.card) for action in found)  # type: ignore[union-attr]
    found |= dict.fromkeys(row({card: ShowTrump(card) for card in hand}), 40)
    if state.why_not(EXCHANGE) is None:
        found[EXCHANGE] = 40
    for stop in (PASS, TAKE):
        if state.why_not(stop) is None:
            place = {Phase.VOLLEY: "volley", Phase.THROW_IN: "instead", Phase.PILE_ON: "after a take"}
            name = place.get(state.phase, "taking (")
            (weights,) = [weights for told, weights in STOPS.items() if name in told]
            found[stop] = weights[-4:][2 * (not plain) + bool(state.talon)]
    return found


@pytest.mark.sampled(6)
@pytest.mark.parametrize("code", [*CODES[::7], *LATER])
def test_a_reader_written_from_the_page_reads_the_golden_codes(code: str) -> None:
    """Rules, deal and moves are the library's, and nothing of the number is left."""
    number = Number(code)
    rules = rules_in(number)
    for _seat in range(rules.seats):
        number.symbol(*PLAYERS)
    state = deal_in(number, rules)
    count = None if number.usually() else number.equal(20_001)
    while not state.is_over if count is None else state.plies < count:
        actions = weighed(state)
        state = state.apply([*actions][number.symbol(*actions.values())])
    assert number.value == 0
    record = read_game_code(code)
    assert record.rules == rules
    assert record.end == state
    assert record.end.events == state.events
