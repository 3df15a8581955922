"""Keys that a person presses in a game, with and without the help that saves them.

Run it in the project's folder as ``python3 -m benchmarks.keypresses``. It plays games in the app without a
terminal. A seeded bot decides, and keys carry its decisions out: arrows to the card and Enter,
Space and T. With ``before``, no move plays itself, and the cursor stays or moves to the next playable card.
With ``moves``, only moves play themselves. With ``after``, the cursor also starts on the cheapest card, and
arrows skip cards that cannot be played. For people who press a card's number, arrows do not count.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from durak_core import PASS, TAKE, Action, Agent, Card, Phase, Rules, ShowTrump, agent_seed, make_agent
from durak_core.actions import card_of
from durak_core.lab.experiments.results import commit
from durak_tui.app import DurakApp
from durak_tui.board.widgets.cards import Hand
from durak_tui.play.commands import current_target
from durak_tui.play.commands import play as action_of
from durak_tui.play.setup import Launch
from durak_tui.table.screens import TableScreen
from durak_tui.ui.screens.dialogs import Ask
from durak_tui.ui.view.board_data import HandView, Look

if TYPE_CHECKING:
    from textual.pilot import Pilot

WAYS: Final = {"before": (False, False), "moves": (True, False), "after": (True, True)}
"""Whether only moves play themselves, and whether the cursor goes to the cheapest card."""
PATIENCE: Final = 60.0


@dataclass
class Keys:
    """The keys of one game, and the actions they led to."""

    arrows: int = 0
    others: int = 0
    decisions: int = 0
    game: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        return self.arrows + self.others


class OldHand(Hand):
    """A hand whose cursor stays on its card, or goes on to the next playable one."""

    def show(self, view: HandView, look: Look) -> None:
        before, was_turn = self.card, self._view.is_turn
        old = {(held.card, held.playable) for held in self._view.cards}
        super().show(view, look)
        cards = [held.card for held in view.cards]
        start = cards.index(before) if before in cards else min(self.cursor, max(0, len(cards) - 1))
        is_new = not was_turn or old != {(held.card, held.playable) for held in view.cards}
        order = [(start + step) % len(cards) for step in range(len(cards))]
        playable = [at for at in order if view.cards[at].playable]
        self.cursor = playable[0] if view.is_turn and is_new and playable else start

    def move_cursor(self, step: int) -> None:
        self.cursor = (self.cursor + step) % len(self._view.cards)


async def question(pilot: Pilot[None], table: TableScreen) -> bool:
    """Wait until the screen offers a choice; return False once the game is over."""
    session = table.session
    async with asyncio.timeout(PATIENCE):
        while True:
            await pilot.pause()
            if session.is_over:
                return False
            is_asked = session.is_persons_turn and session.forced is None
            is_shown = table.moment.ply == session.ply and not table.comes_too_early
            if is_asked and is_shown:
                await pilot.pause()
                return True


def stops_of(table: TableScreen) -> list[Card]:
    """Return the cards at which the cursor stops."""
    is_old = isinstance(table.board.hand, OldHand)
    return [held.card for held in table.view().hand.cards if held.playable or is_old]


def keys_for(table: TableScreen, action: Action) -> list[str]:
    """Return the keys of an action, with the arrows for the shortest way to its card."""
    card, hand, options = card_of(action), table.board.hand, table.options
    if card is None:
        return ["space"] if action == PASS else ["t"]
    if isinstance(action, ShowTrump):
        return ["R"]
    stops = stops_of(table)
    place = stops.index(card)
    if hand.card is None:  # the cursor is on no card at first
        right, left = place + 1, len(stops) - place
    else:
        right = (place - stops.index(hand.card)) % len(stops)
        left = len(stops) - right
    arrows = ["right"] * right if right <= left else ["left"] * left
    target = current_target(table.moment.observation)
    is_beating = table.moment.observation.phase == Phase.DEFENCE
    is_usual = action_of(options, card, target if is_beating else None) == action
    return [*arrows, "enter" if is_usual else "r"]


async def decide(pilot: Pilot[None], table: TableScreen, agent: Agent, keys: Keys) -> None:
    session = table.session
    state = session.state
    action = agent.choose(table.moment.observation).action
    while table.board.hand._view.cards != table.view().hand.cards:  # noqa: SLF001 - it is painted later
        await pilot.pause()
    pressed = keys_for(table, action)
    for key in pressed:
        pilot.app.simulate_key(key)
        await pilot.pause()
    if action == TAKE and isinstance(pilot.app.screen, Ask):
        pressed.append("enter")
        pilot.app.simulate_key("enter")
        await pilot.pause()
    async with asyncio.timeout(PATIENCE):
        while session.state is state:
            await pilot.pause()
    arrows = sum(key in {"left", "right"} for key in pressed)
    keys.arrows += arrows
    keys.others += len(pressed) - arrows
    keys.decisions += 1


async def play(seats: int, seed: int, way: str, player: str) -> Keys:
    """Play a game to its end, and return the keys."""
    only_moves, cheapest = WAYS[way]
    rules = Rules(seats=seats)
    changes = {"pace": "instant", "reduced_motion": True, "only_moves": only_moves, "remarks": False}
    app = DurakApp(Launch(rules, (player,) * (seats - 1), seed, "play", changes))
    keys = Keys()
    agent = make_agent(player)
    agent.begin(rules, 0, agent_seed(seed, 0))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        table = app.screen
        if not isinstance(table, TableScreen):
            raise TypeError(table)
        if not cheapest:
            table.board.hand.__class__ = OldHand
        while await question(pilot, table):
            await decide(pilot, table, agent, keys)
        last = table.session.state
        keys.game = [str(event) for event in last.events]
    return keys


async def measure(seats: int, games: int, seed: int, player: str) -> None:
    found = {way: [await play(seats, seed + number, way, player) for number in range(games)] for way in WAYS}
    print(f"{seats} seats, {games} games:")
    before = statistics.mean(keys.total for keys in found["before"])
    for way, played in found.items():
        total, arrows, others, decisions = (
            statistics.mean(getattr(keys, name) for keys in played)
            for name in ("total", "arrows", "others", "decisions")
        )
        same = sum(keys.game == other.game for keys, other in zip(played, found["before"], strict=True))
        print(
            f"  {way:<7} {total:6.1f} keys a game ({total / before:4.0%}), {arrows:5.1f} of them arrows; "
            f"{decisions:5.1f} decisions; {others:5.1f} keys with numbers; {same} games as before"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seats", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--player", default="smart", help="agent of all seats, the app's player included")
    options = parser.parse_args()
    print(f"commit {commit()}, seed {options.seed}, {options.player} at every seat")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("DURAK_DATA_DIR", "DURAK_CONFIG_DIR"):
            os.environ[name] = str(Path(folder) / name)
        os.environ["DURAK_ENGINE"] = "off"
        for seats in options.seats:
            asyncio.run(measure(seats, options.games, options.seed, options.player))


if __name__ == "__main__":
    main()
