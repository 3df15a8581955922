"""Finished games for the tests of the library."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

from durak_core import Record, Rules, State
from durak_tui.library.model.entries import Entry, entry_of
from durak_tui.players import HUMAN

NAMES = ("Anna", "Boris", "Clara", "Dima", "Elena", "Fedor")


@cache
def a_record(seed=1, players=(HUMAN, "greedy"), rules="podkidnoy", plies=10**6, date="2026-01-02 10:00"):
    """Play a game by chance, to its end or so many actions, as the app would save it."""
    chance = random.Random(seed)
    state = State.deal(Rules.parse(rules).changed(seats=len(players)), seed)
    while not state.is_over and state.plies < plies:
        state = state.apply(chance.choice(state.legal_actions))
    tags = {f"Player{seat}": player for seat, player in enumerate(players)}
    record = Record.of(state, NAMES[: len(players)], date, **tags)
    return replace(record)


def tagged(record, **tags):
    """Return the record with more tags."""
    return replace(record, tags={**record.tags, **tags})


def many(number: int) -> list[Entry]:
    """Make entries of many games that differ in what lists show, without playing them all."""
    chance = random.Random(number)
    players = [(HUMAN, "greedy"), (HUMAN, "smart", "greedy"), ("greedy", HUMAN), ("smart", "greedy")]
    played = [
        entry_of(a_record(seed, who, rules))
        for seed, (who, rules) in enumerate(
            (who, rules) for who in players for rules in ("podkidnoy", "perevodnoy")
        )
    ]
    made = []
    for index in range(number):
        entry = played[chance.randrange(len(played))]
        year = 2000 + index * 25 // number
        loser = chance.randrange(-1, len(entry.seats))
        accuracy = chance.choice((None, chance.uniform(60, 100)))
        seats = tuple(
            replace(seat, lost=at == loser, accuracy=accuracy if seat.player == HUMAN else None)
            for at, seat in enumerate(entry.seats)
        )
        made.append(
            replace(
                entry,
                key=f"game {index}",
                date=f"{year}-{index % 12 + 1:02}-{index % 28 + 1:02} 12:{index % 60:02}",
                seats=seats,
                draw=loser < 0,
                bouts=chance.randrange(5, 30),
                plies=chance.randrange(30, 150),
                hints=chance.randrange(9) // 8,
            )
        )
    return made
