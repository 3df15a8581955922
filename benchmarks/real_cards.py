"""Report recorded games of bots as games with real cards, from each seat, and compare what the seat knows.

    python3 -m benchmarks.real_cards [--games 10] [--seed 1] [--seats 3] [--by text keys]

Each game is reported in lines of text, and by keys in the app. After every report the seat's observation has
to be the true one. A row has the reports' keys per move, with the names of drawn cards but without the hand,
and the program's seconds a game, from the named hand to the result.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.exits import with_exit_codes
from durak_core import (
    Card,
    Drew,
    DurakError,
    Pass,
    RealGame,
    Record,
    Rules,
    State,
    Take,
    make_agent,
    read_game,
)
from durak_core.actions import Defend
from durak_core.lab import play_game
from durak_tui.app import DurakApp
from durak_tui.lines.program import LinesProgram
from durak_tui.lines.reading import Console
from durak_tui.play.real import RealTable
from durak_tui.play.saves import Saves
from durak_tui.play.setup import Launch
from durak_tui.real import RealScreen

_NAMES = ("Me", "Anna", "Boris", "Vera", "Gleb", "Dora")
_BOTS = ("greedy", "smart", "expert")


def seen_from(record: Record, seat: int) -> list[State]:
    """Return the game's positions with all seats turned, so that the given one is the first."""
    rules = record.rules
    dealt = rules.seats * rules.hand_size
    rounds = [record.deck[at : at + rules.seats] for at in range(0, dealt, rules.seats)]
    deck = [card for cards in rounds for card in (*cards[seat:], *cards[:seat])]
    first = (record.first_attacker - seat) % rules.seats
    states = [State.from_deck(rules, [*deck, *record.deck[dealt:]], first)]
    for move in record.moves:
        states.append(states[-1].apply(move.action))
    return states


def named(before: State, after: State) -> list[Card]:
    """Return the cards that the first seat has to name after a move."""
    news = after.observation(0).events[len(before.observation(0).events) :]
    cards = [card for event in news if isinstance(event, Drew) for card in event.cards or ()]
    return [card for card in cards if card not in after.known[0]]


class _Typist(Console):
    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self._lines = iter(lines)

    def say(self, *lines: str) -> None:
        pass

    async def hear(self) -> str | None:
        return next(self._lines, None)


def by_text(states: list[State], folder: Path) -> int:
    """Report a game in lines; return the keys."""
    start, rules = states[0], states[0].rules
    names = _NAMES[: rules.seats]
    trump = [str(start.trump_card)] if start.trump_card else []
    hand = "".join(map(str, start.hands[0] - start.known[0]))
    opening = [" ".join(names), *trump, names[start.first_attacker], hand]
    record = Record.of(states[-1], names)
    lines, line = [], ""
    for before, after, move in zip(states, states[1:], record.moves, strict=False):
        action, said = move.action, str(move.action)
        if isinstance(action, Defend) and before.observation(0).open_attacks[0] == action.target:
            said = str(action.card)
        line += {Pass: ".", Take: "!"}.get(type(action), f" {said} " if "x" in said else said)
        cards = "".join(map(str, named(before, after)))
        if cards or before.bout != after.bout or after.is_over:
            lines += [line, *filter(None, [cards])]
            line = ""
    program = LinesProgram(Launch(rules, at_once="real"), _Typist([*opening, *lines]))
    if asyncio.run(program.run()):
        raise DurakError("the program in lines failed")
    (path,) = (folder / "games").glob("*.durak")
    found = RealGame.of(read_game(path.read_text("utf-8")))
    if found.observation != states[-1].observation(0):
        raise DurakError("in lines the seat knows something else")
    return sum(len(line) + 1 for line in lines)


def by_keys(states: list[State], folder: Path) -> int:
    """Report a game by keys in the app; return the keys."""
    return asyncio.run(_by_keys(states, folder))


async def _by_keys(states: list[State], folder: Path) -> int:
    start = states[0]
    game = RealGame.begin(start.rules, 0, start.first_attacker, start.trump_card)
    table = RealTable.begin(game, _NAMES[: start.rules.seats], Saves(folder))
    table.name(list(start.hands[0] - start.known[0]))
    app, keys = DurakApp(Launch(changes={"reduced_motion": True})), 0
    async with app.run_test(size=(80, 24)) as pilot:
        screen = RealScreen(table)
        await app.push_screen(screen)

        async def press(key: str) -> None:
            nonlocal keys
            await pilot.press(key)
            keys += 1

        async def say(card: Card) -> None:
            before = table.game
            await press({"T": "0"}.get(card.rank.letter, card.rank.letter.lower()))
            if table.game is before:
                await press(card.suit.letter)

        moves = Record.of(states[-1], _NAMES[: start.rules.seats]).moves
        for before, after, move in zip(states, states[1:], moves, strict=False):
            card = getattr(move.action, "card", None)
            if card is None:
                await press("space" if isinstance(move.action, Pass) else "t")
            else:
                await say(card)
            for drawn in named(before, after):
                await say(drawn)
            if table.game.observation != after.observation(0):
                raise DurakError("by keys the seat knows something else")
    return keys


@with_exit_codes("the rows above are whole")
def main(arguments: list[str] | None = None) -> None:
    ways: dict[str, Callable[[list[State], Path], int]] = {"text": by_text, "keys": by_keys}
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seats", type=int, default=3)
    parser.add_argument("--by", nargs="+", choices=ways, default=list(ways))
    options = parser.parse_args(arguments)
    rules = Rules(seats=options.seats, next_first_attacker="under_fool")
    bots = [_BOTS[seat % len(_BOTS)] for seat in range(options.seats)]
    os.environ["DURAK_ENGINE"] = "off"
    print(f"{'by':6}{'games':>6}{'moves':>7}{'keys/move':>11}{'s/game':>8}")
    for way in options.by:
        keys = moves = games = 0
        begun = time.monotonic()
        for number in range(options.games):
            record = play_game(rules, [make_agent(bot) for bot in bots], options.seed + number).record
            for seat in range(options.seats):
                with tempfile.TemporaryDirectory() as folder:
                    os.environ["DURAK_DATA_DIR"] = os.environ["DURAK_CONFIG_DIR"] = folder
                    keys += ways[way](seen_from(record, seat), Path(folder))
                moves += len(record.moves)
                games += 1
        seconds = (time.monotonic() - begun) / games
        print(f"{way:6}{games:6}{moves:7}{keys / moves:11.2f}{seconds:8.1f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
