"""Accuracy in reviews of players of known strength.

python3 -m benchmarks.accuracy [--games 4] [--iterations 800] [--seeds 1,2] [--jobs 2] [--document FILE]

The six opponents, and a player of the leftmost playable card, meet each other at tables of two. Every game
is reviewed as by `durak review`, and the table has each player's average results. All randomness comes from
the seed; the number of processes changes nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from time import perf_counter
from typing import Final

from benchmarks.exits import with_exit_codes
from benchmarks.figures import HELD_OUT, check_numbers, estimate
from durak_core import Action, Agent, Decision, Observation, Record, Rules, make_agent
from durak_core.actions import card_of
from durak_core.agents.learned import AUTO, NetworkSelector
from durak_core.agents.personas import OPPONENTS, opponent_of
from durak_core.cli.commands.analyse import searched
from durak_core.kernel.position import MAX_SEATS, derive
from durak_core.lab import play_game
from durak_core.lab.experiments.report import put_into
from durak_core.lab.experiments.results import commit
from durak_core.lab.matches.players import load_compiled
from durak_core.lab.workers import cores, run_in_order
from durak_core.review import Review
from durak_core.search.backend.backend import backend
from durak_core.search.ismcts.tree_search import SearchSettings

LEFTMOST: Final = "leftmost"
PLAYERS: Final = (LEFTMOST, *(one.text for one in OPPONENTS))
"""The opponents with the weakest first."""

_TELL_SECONDS: Final = 20


class LeftmostAgent:
    """Plays the leftmost card, with trumps on the right; passes or takes if it can play none."""

    text = LEFTMOST
    sees_all = False

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        """There is nothing to prepare."""

    def choose(self, observation: Observation) -> Decision:
        def place(action: Action) -> tuple[bool, bool, int]:
            card = card_of(action)
            return (
                card is None,
                card is not None and card.suit == observation.trump_suit,
                card.number if card else 0,
            )

        return Decision(min(observation.legal_actions, key=place), "")


@dataclass(frozen=True)
class Plan:
    """What is to be measured.

    Attributes:
        games: Of each pair, each deal from both sides.
        iterations: Of the search, for each choice.
        net: The network that guides it, as for ``durak review``.
        seed: Seed of all randomness.
    """

    games: int
    rules: str
    iterations: int
    net: str
    seed: int

    def settings(self) -> SearchSettings:
        """Return how the review searches."""
        return NetworkSelector(self.net).fit(SearchSettings(), Rules.parse(self.rules))


@dataclass(frozen=True)
class Performance:
    """A review's figures for a player in a game; the score is 0 for the fool, 0.5 in a draw, otherwise 1."""

    player: str
    accuracy: float | None
    given: float
    score: float


def player_of(text: str) -> Agent:
    """Return an agent of the registry, or the player of the leftmost card."""
    return LeftmostAgent() if text == LEFTMOST else make_agent(text)


def perform(plan: Plan, pair: tuple[str, str], number: int) -> list[Performance]:
    """Let two players play a game, the second one first where its number is odd, and review it."""
    seats = pair if number % 2 == 0 else pair[::-1]
    seed = derive(plan.seed, number // 2)
    record = play_game(Rules.parse(plan.rules), [player_of(text) for text in seats], seed).record
    review = reviewed(plan, record)
    fools = record.result.fools if record.result else ()
    found = []
    for seat, text in enumerate(seats):
        report = review.player(seat)
        score = float(seat not in fools) if fools else 0.5
        found.append(Performance(text, report.accuracy, report.given, score))
    return found


def reviewed(plan: Plan, record: Record, seats: Collection[int] = range(MAX_SEATS)) -> Review:
    """Evaluate every choice of a game, or those of some seats."""
    return searched(record, plan.settings(), 1, seats, iterations=plan.iterations)


def gather(plan: Plan, jobs: int) -> list[Performance]:
    """Play and review all games on some processes; a line on stderr shows the progress."""
    load_compiled(PLAYERS[1:])
    backend(plan.settings().group)
    tasks = [(plan, pair, number) for number in range(plan.games) for pair in combinations(PLAYERS, 2)]
    found: list[Performance] = []
    shown = perf_counter()
    with closing(run_in_order(perform, tasks, jobs)) as games:
        for done, game in enumerate(games, 1):
            found += game
            if perf_counter() - shown > _TELL_SECONDS:
                shown = perf_counter()
                print(f"{done} of {len(tasks)} games", file=sys.stderr, flush=True)
    return found


def table(plans: Sequence[Plan], found: Sequence[Sequence[Performance]]) -> str:
    """Return the table as Markdown: a line for each player, the lowest score first."""
    heads = [f"accuracy, seed {plan.seed}" for plan in plans]
    lines = [
        f"| player | {' | '.join(heads)} | all seeds | points lost a game | games | score |",
        f"| --- |{' ---: |' * (len(plans) + 4)}",
    ]
    scores = {
        text: estimate([one.score for run in found for one in run if one.player == text]).mean
        for text in PLAYERS
    }
    for text in sorted(PLAYERS, key=scores.__getitem__):
        runs = [[one for one in run if one.player == text] for run in found]
        every = [one for run in runs for one in run]
        figures = [_accuracy(run) for run in (*runs, every)]
        given = estimate([100 * one.given for one in every])
        figures += [f"{given.mean:.0f} ± {given.half:.0f}", str(len(every)), f"{scores[text]:.0%}"]
        lines.append(f"| {_name(text)} | {' | '.join(figures)} |")
    plan = plans[0]
    origin = (
        f"Commit `{commit()}`, rules `{plan.rules}`, {plan.games} games of each pair and seed, "
        f"{plan.iterations:,} iterations a choice, network: {plan.net}; ± is half the 95 % interval."
    )
    return "\n".join([*lines, "", origin])


def _accuracy(run: Sequence[Performance]) -> str:
    found = estimate([one.accuracy for one in run if one.accuracy is not None])
    return f"{found.mean:.1f} ± {found.half:.1f}"


def _name(text: str) -> str:
    opponent = opponent_of(text)
    return opponent.name if opponent else "leftmost card"


@with_exit_codes("nothing is written")
def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python3 -m benchmarks.accuracy", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--games", type=int, default=4, help="of each pair and seed")
    parser.add_argument("--iterations", type=int, default=800, help="of the search, for each choice")
    parser.add_argument("--net", default=AUTO, help="the search's network: auto, off, dmc, ppo or a file")
    parser.add_argument("--rules", default="podkidnoy")
    parser.add_argument(
        "--seeds", default=f"{HELD_OUT + 18},{HELD_OUT + 19}", help="with commas between them"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes at once, 0 for one each core")
    parser.add_argument("--document", type=Path, help="write the table there, at <!-- table: accuracy -->")
    given = parser.parse_args(arguments)
    check_numbers([given.games], [given.iterations])
    rules = Rules.parse(given.rules).text
    plans = [
        Plan(given.games, rules, given.iterations, given.net, int(seed)) for seed in given.seeds.split(",")
    ]
    text = table(plans, [gather(plan, given.jobs or cores()) for plan in plans])
    print(text)
    if given.document:
        put_into(given.document, "accuracy", text)


if __name__ == "__main__":
    sys.exit(main())
