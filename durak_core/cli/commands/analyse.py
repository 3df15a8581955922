"""`durak analyse`: evaluate every action of a position."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import click
from rich.table import Table

from durak_core.agents.base import Agent
from durak_core.agents.classic import DealingAgent
from durak_core.agents.network_selector import AUTO, NetworkSelector
from durak_core.cli.choices import (
    IntegerRange,
    NumberRange,
    game_option,
    json_option,
    moment,
    net_option,
    ply_option,
    seed_option,
)
from durak_core.cli.output import console, print_lines
from durak_core.errors import AgentError, RecordError
from durak_core.game.notation.position_text import read_observation, write_observation
from durak_core.game.observation import Observation
from durak_core.lab.matches.players import read_local_player
from durak_core.search.analysis import Analysis, AnalysisLine
from durak_core.search.analysis import analyse as analyse_observation
from durak_core.search.backend.backend import backend_now, warm
from durak_core.search.determinized.whole_tree import ConsideredMove
from durak_core.search.ismcts.tree_search import SearchSettings
from durak_core.search.search_result import SearchedAction


@click.command()
@click.argument("what", metavar="OBSERVATION|FILE")
@game_option()
@ply_option()
@click.option(
    "--agent",
    metavar="AGENT",
    callback=lambda _context, _option, text: None if text is None else read_local_player(text).build(),
    help="Search with an agent and the options of its spec, as in matches.",
)
@click.option(
    "--time",
    "seconds",
    type=NumberRange(0, min_open=True),
    metavar="S",
    help="Stop after S seconds of wall time.",
)
@click.option("--iterations", type=IntegerRange(min=1), metavar="N", help="Stop after N iterations.")
@click.option(
    "--threads",
    type=IntegerRange(1, 64),
    default=1,
    metavar="N",
    help="Number of trees grown in parallel.",
)
@net_option
@click.option("--tree", is_flag=True, help="Print every move that minimax or maxn considers in a first deal.")
@click.option("--lines", type=IntegerRange(min=1), metavar="N", help="Show only the N best actions.")
@json_option
@seed_option
def analyse(  # noqa: PLR0913, PLR0917 - an argument for each option
    what: str,
    game: int | None,
    ply: int | None,
    agent: Agent | None,
    seconds: float | None,
    iterations: int | None,
    threads: int,
    net: str,
    lines: int | None,
    seed: int,
    *,
    tree: bool,
    as_json: bool,
) -> None:
    """Evaluate every action of the seat to act, from what that seat knows.

    Give an observation as text, or a FILE of games with --game and --ply. The search takes a second unless
    --time or --iterations is given. Endgames without hidden cards are solved. With --agent, the values are
    those by which an agent such as minimax:depth=4 chooses. --tree prints the moves inside its search, too.
    """
    if tree and (agent is None or as_json):
        raise click.UsageError("--tree prints the search of an --agent, such as minimax, without --json")
    if agent is not None and (seconds, iterations, threads, net) != (None, None, 1, AUTO):
        raise click.UsageError(
            "--time, --iterations, --threads and --net belong to the analysis: give the agent its own, "
            "as in ismcts:iterations=1000"
        )
    if "rules=" in what:
        if game is not None or ply is not None:
            raise click.UsageError("--game and --ply belong to a FILE of games, and this is an observation")
        observation = read_observation(what)
    else:
        observation = _from_file(Path(what), game, ply, sees_all=agent is not None and agent.sees_all)
    if agent is not None:
        if tree:
            _print_tree(observation, agent, seed)
        _ask(observation, agent, seed, lines, as_json=as_json)
        return
    settings = NetworkSelector(net).fit(SearchSettings(threads=threads), observation.rules)
    warming = warm(settings.group)
    done = analyse_observation(
        observation,
        backend_now(settings.group),
        better=partial(backend_now, settings.group),
        seed=seed,
        iterations=iterations,
        seconds=seconds,
        settings=settings,
    )
    if as_json:
        click.echo(json.dumps(_as_json(observation, done, seed, lines)))
    else:
        _print(observation, done, seed, lines)
    if warming.is_alive() and done.backend == "plain":
        click.echo("compiling the search for the next run; Ctrl+C stops this", err=True)
    warming.join()


def _from_file(file: Path, game: int | None, ply: int | None, *, sees_all: bool) -> Observation:
    _, state, ply = moment(file, game, ply)
    if state.turn is None:
        raise RecordError("after {move} moves the game is over: there is nothing to analyse", move=ply)
    return state.observation(state.turn, sees_all=sees_all)


def _ask(observation: Observation, agent: Agent, seed: int, lines: int | None, *, as_json: bool) -> None:
    """Print an agent's choice and its search info."""
    agent.begin(observation.rules, observation.seat, seed)
    decision = agent.choose(observation)
    found = decision.search_info() if decision.search_info else None
    if found is None and len(observation.legal_actions) > 1:
        raise AgentError(
            "{text} found nothing to tell: expected an agent that searches here", text=agent.text
        )
    told = {"agent": agent.text, "choice": str(decision.action), "reason": str(decision.reason)}
    if as_json:
        figures = found.as_json(lines) if found else {"lines": []}
        click.echo(
            json.dumps({"observation": write_observation(observation), "seed": seed, **told, **figures})
        )
        return
    print_lines(write_observation(observation))
    if found:
        rows = [(line, (found.value_text(line), f"{line.visits:,}")) for line in found.lines[:lines]]
        _print_table(("value", "visits"), rows)
        print_lines(f"{found.effort}, seed {seed}")
    why = f": {decision.reason}" if str(decision.reason) else ""
    print_lines(f"{agent.text} chooses {decision.action}{why}")


def _print_tree(observation: Observation, agent: Agent, seed: int) -> None:
    """Print the moves considered in the first deal of the agent's decision."""
    agent.begin(observation.rules, observation.seat, seed)
    found = agent.considered(observation) if isinstance(agent, DealingAgent) else None
    if found is None:
        raise click.UsageError(f"{agent.text} has no tree of moves: expected minimax or maxn")
    hands, moves = found
    held = "  ".join([f"seat {seat} {' '.join(map(str, hand))}" for seat, hand in enumerate(hands)])
    print_lines(f"first deal: {held}")
    _print_moves(moves, 1)


def _print_moves(moves: Iterable[ConsideredMove], level: int) -> None:
    for move in moves:
        forced = f", forced {' '.join(map(str, move.forced))}" if move.forced else ""
        values = " ".join(map(str, move.values))
        best = "  best" if move.is_best else ""
        click.echo(f"{'  ' * level}seat {move.seat} {move.action}{forced}: {values}{best}")
        _print_moves(move.replies, level + 1)


def _print_table(heads: tuple[str, ...], rows: Iterable[tuple[SearchedAction, tuple[str, ...]]]) -> None:
    table = Table()
    table.add_column("action")
    for name in heads:
        table.add_column(name, justify="right")
    table.add_column("expected after it", overflow="fold")
    for line, figures in rows:
        table.add_row(str(line.action), *figures, " ".join(map(str, line.continuation)))
    console().print(table)


def _print(observation: Observation, done: Analysis, seed: int, lines: int | None) -> None:
    print_lines(write_observation(observation))
    _print_table(("score", "95 %", "visits"), [(line, _figures(line)) for line in done.lines()[:lines]])
    if done.is_exact:
        print_lines(f"solved: {done.nodes:,} nodes, {done.depth} deep")
    elif done.is_finished:
        print_lines("there is no choice")
    else:
        effort = f"{done.iterations:,} iterations, {done.nodes:,} nodes, {done.depth} deep"
        print_lines(f"{effort}, seed {seed}")


def _figures(line: AnalysisLine) -> tuple[str, str, str]:
    """Return score, interval and visits; unvisited actions have neither score nor interval."""
    if line.exact:
        found = {1.0: "won", 0.5: "draw", 0.0: "lost"}[line.score]
        return found if line.bouts is None else f"{found} in {line.bouts}", "exact", f"{line.visits:,}"
    if line.visits == 0:
        return "", "", "0"
    interval = f"{line.low * 100:.1f} to {line.high * 100:.1f}"
    return f"{line.score * 100:.1f} %", interval, f"{line.visits:,}"


def _as_json(observation: Observation, done: Analysis, seed: int, lines: int | None) -> dict[str, object]:
    return {
        "observation": write_observation(observation),
        "seed": seed,
        "backend": done.backend,
        "iterations": done.iterations,
        "exact": done.is_exact,
        "forced": done.is_finished and not done.is_exact,
        **done.search_info().as_json(lines),
    }
