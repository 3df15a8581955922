"""`durak solve`: an equilibrium of a tiny deck, and how far agents are from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from durak_core.agents.base import Agent
from durak_core.agents.registry import split_texts
from durak_core.cli.choices import IntegerRange, NumberRange, file_option
from durak_core.cli.output import check_targets, print_lines
from durak_core.cli.tables import TextTable, percent_text, write_json
from durak_core.kernel.random import MASK63
from durak_core.lab.equilibrium.exploitability import check_view, play_as
from durak_core.lab.equilibrium.saved import FORMAT, About, write_equilibrium
from durak_core.lab.equilibrium.small_game import Distance, TinyGame
from durak_core.lab.experiments.provenance import commit, machine, versions
from durak_core.lab.matches.players import IN_PROCESS, load_compiled, read_local_player
from durak_core.lab.own_agents.origins import with_origins
from durak_core.lab.own_agents.reading import files_of, origins_of
from durak_core.rules import Rules
from durak_core.rules_file import rules_file, rules_spec

_FIRST_LOOK: Final = 25
"""Iterations before the distance is first computed; they double each time."""


@dataclass(frozen=True, slots=True)
class _Found:
    """An agent's figures; ``asked`` is the number of queries per decision, 0 for the equilibrium."""

    player: str
    asked: int
    distance: Distance
    score_against_equilibrium: float

    def told(self) -> dict[str, Any]:
        return {
            "player": self.player,
            "asked": self.asked,
            "best_responses": list(self.distance.best),
            "nash_conv": self.distance.nash_conv,
            "score": self.distance.score,
            "score_against_equilibrium": self.score_against_equilibrium,
        }


@click.command()
@click.argument("rules", metavar="RULES")
@click.option(
    "--within",
    type=NumberRange(0, min_open=True),
    default=0.001,
    help="Stop at this NashConv.",
)
@click.option("--iterations", type=IntegerRange(1), default=10_000, help="Maximum iterations of CFR+.")
@click.option(
    "--agents",
    "listed",
    multiple=True,
    metavar="AGENT",
    help="Agent to measure; repeatable, or several separated by commas.",
)
@click.option(
    "--samples",
    type=IntegerRange(1),
    default=20,
    help="Number of times a stochastic agent is queried at each of its decisions.",
)
@click.option(
    "--seed", type=IntegerRange(0, MASK63), default=1, metavar="S", help="Seed of stochastic agents."
)
@file_option(
    "--save", "save_path", help="Save the equilibrium to a file for the agent equilibrium:file=FILE."
)
@file_option("--json", "json_path", help="Write the figures to a JSON file.")
def solve(  # noqa: PLR0913 - one for each option
    *,
    rules: str,
    within: float,
    iterations: int,
    listed: tuple[str, ...],
    samples: int,
    seed: int,
    save_path: Path | None,
    json_path: Path | None,
) -> None:
    """Compute an equilibrium of RULES with a tiny deck, and how exploitable AGENTs are there.

    Every deal and history is enumerated. CFR+ solves the game while cards are hidden, and backward induction
    once both seats know all cards. Best responses are exact. The payoff is -1 for the fool, 1 for the other
    seat and 0 for a draw.

    Example: durak solve podkidnoy:suits=1,lowest_rank=10,hand_size=2 --agents greedy,expert
    """
    players = [read_local_player(one) for text in listed for one in split_texts(text, IN_PROCESS)]
    check_targets(save_path, json_path, inputs=[rules_file(rules), *files_of(players)])
    agents = [player.build() for player in players]
    for agent in agents:
        check_view(agent)
    game = TinyGame(Rules.parse(rules_spec(rules)))
    click.echo(
        f"{game.rules}: {game.deals:,} deals; {game.histories:,} histories and {game.information_sets:,} "
        f"information sets while cards are hidden, then {game.positions:,} positions"
    )
    distance = _solved(game, within, iterations)
    first = game.first_attackers_return()
    click.echo(
        f"equilibrium within {distance.nash_conv:.6f} after {game.iterations} iterations of CFR+; "
        f"first attacker's value {first:+.4f}"
    )
    if save_path is not None:
        about = About(FORMAT, game.rules.text, max(0.0, distance.nash_conv), first, game.iterations)
        write_equilibrium(save_path, about, game.strategy())
    load_compiled(players)
    found = [_Found("equilibrium", 0, distance, 0.5), *_measured(game, agents, samples, seed)]
    _print_found(found)
    told = {
        "rules": game.rules.text,
        "deals": game.deals,
        "histories": game.histories,
        "information_sets": game.information_sets,
        "positions": game.positions,
        "iterations": game.iterations,
        "first_attackers_return": first,
        "seed": seed,
        "players": [one.told() for one in found],
        "commit": commit(),
        "versions": versions(),
        "machine": machine(),
    }
    write_json(json_path, with_origins(told, origins_of(players)))


def _measured(game: TinyGame, agents: Sequence[Agent], samples: int, seed: int) -> Iterator[_Found]:
    """Measure agents, also against the strategy that the game has now."""
    equilibrium = game.snapshot()
    for agent in agents:
        asked = play_as(game, agent, samples, seed)
        score = 0.5 + sum(game.returns_against(equilibrium)) / 4
        yield _Found(agent.text, asked, game.distance(), score)


def _print_found(found: Sequence[_Found]) -> None:
    rows = [
        (
            one.player,
            f"{one.distance.nash_conv:.4f}",
            percent_text(one.distance.score),
            percent_text(one.score_against_equilibrium),
            f"{one.asked}" if one.asked else "",
        )
        for one in found
    ]
    heads = ("both seats play", "NashConv", "best opponent's score", "score v equilibrium", "asked")
    TextTable(heads, tuple(rows)).print()
    print_lines("50 % is the best opponent's score if nothing can be gained")


def _solved(game: TinyGame, within: float, iterations: int) -> Distance:
    """Iterate until the strategy is close enough to an equilibrium."""
    distance = game.distance()
    while distance.nash_conv > within and game.iterations < iterations:
        some = max(_FIRST_LOOK, game.iterations)
        game.iterate(min(some, iterations - game.iterations))
        distance = game.distance()
    return distance
