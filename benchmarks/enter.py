"""Enter alone: how a person fares who lets the cursor choose.

python3 -m benchmarks.enter [--games 200] [--iterations 800] [--seed N] [--jobs 2]

With the setting that starts the cursor on a card, the person presses Enter, or where no card is chosen the
key that passes or takes, at a table of four with Misha, Tanya and Boris. Each deal is played from every seat.
The accuracies are those of the same games.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from benchmarks.accuracy import Plan, reviewed
from benchmarks.exits import with_exit_codes
from benchmarks.figures import HELD_OUT, check_numbers, estimate
from durak_core import PASS, Agent, Decision, Observation, Rules, make_agent
from durak_core.actions import card_of
from durak_core.agents.learned import AUTO
from durak_core.kernel.position import derive
from durak_core.lab import play_game
from durak_core.lab.experiments.results import commit
from durak_core.lab.matches.players import load_compiled
from durak_core.lab.workers import cores, run_in_order
from durak_core.search.backend.backend import backend
from durak_core.statistics import wilson_interval
from durak_tui.board.view import in_order
from durak_tui.ui.view.board_data import Look

_OTHERS: Final = ("level:misha", "level:tanya", "level:boris")
_TANYA: Final = "level:tanya"
_RULES: Final = Rules(seats=len(_OTHERS) + 1)


class EnterAgent:
    """Plays the card on which the cursor starts; passes or takes where it starts on none."""

    text = "enter"
    sees_all = False

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        """There is nothing to prepare."""

    def choose(self, observation: Observation) -> Decision:
        legal = observation.legal_actions
        actions = [
            action
            for card in in_order(observation.hand, Look(), observation)
            for action in legal
            if card_of(action) == card
        ]
        if not actions or PASS in legal:
            return Decision(next(action for action in legal if card_of(action) is None), "")
        cards = [next(same) for _card, same in groupby(actions, key=card_of)]
        return Decision(cards[(len(cards) - 1) // 2], "")


@dataclass(frozen=True)
class Played:
    """Who was the fool, and the accuracies of Enter and of Tanya, None if nothing counted."""

    is_fool: bool | None
    enter: float | None
    tanya: float | None


def play(plan: Plan, number: int) -> Played:
    """Play a game and review the choices of two players."""
    seat = number % _RULES.seats
    texts = [*_OTHERS[:seat], EnterAgent.text, *_OTHERS[seat:]]
    agents: list[Agent] = [EnterAgent() if text == EnterAgent.text else make_agent(text) for text in texts]
    record = play_game(_RULES, agents, derive(plan.seed, number // _RULES.seats)).record
    tanya = texts.index(_TANYA)
    review = reviewed(plan, record, (seat, tanya))
    fools = record.result.fools if record.result else ()
    return Played(
        seat in fools if fools else None, review.player(seat).accuracy, review.player(tanya).accuracy
    )


def report(found: Sequence[Played], plan: Plan) -> str:
    """Return the figures as text."""
    decided = [one.is_fool for one in found if one.is_fool is not None]
    share = sum(decided) / max(1, len(decided))
    low, high = wilson_interval(share, len(decided))
    enter, tanya = (
        estimate([value for value in values if value is not None])
        for values in ([one.enter for one in found], [one.tanya for one in found])
    )
    return (
        f"Enter is the fool in {share:.1%} ({low:.1%} to {high:.1%}) of {len(decided)} decided games;"
        f" par is {1 / _RULES.seats:.0%}.\n"
        f"Accuracy: Enter {enter.mean:.1f} ± {enter.half:.1f}, Tanya {tanya.mean:.1f} ± {tanya.half:.1f}.\n"
        f"Commit `{commit()}`, seed {plan.seed}, {len(found)} games, {plan.iterations} iterations a choice."
    )


@with_exit_codes("nothing is written")
def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python3 -m benchmarks.enter", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--iterations", type=int, default=800, help="of the search, for each choice")
    parser.add_argument("--seed", type=int, default=HELD_OUT + 53)
    parser.add_argument("--jobs", type=int, default=1, help="processes at once, 0 for one each core")
    given = parser.parse_args(arguments)
    check_numbers([given.games], [given.iterations])
    plan = Plan(given.games, _RULES.text, given.iterations, AUTO, given.seed)
    load_compiled(_OTHERS)
    backend(plan.settings().group)
    with closing(
        run_in_order(play, [(plan, number) for number in range(given.games)], given.jobs or cores())
    ) as games:
        print(report(list(games), plan))


if __name__ == "__main__":
    sys.exit(main())
