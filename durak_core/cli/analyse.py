"""`durak analyse`: what every action of a position is worth."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import click
from rich.table import Table

from durak_core.agents.guiding import Guides
from durak_core.cli.choices import net_option, seed_option
from durak_core.cli.moments import moment
from durak_core.cli.output import console
from durak_core.errors import RecordError
from durak_core.game.notation.position_text import read_observation, write_observation
from durak_core.game.observation import Observation
from durak_core.search.analysis import Analysis, AnalysisLine
from durak_core.search.analysis import analyse as analyse_observation
from durak_core.search.backend.backend import backend_now, start_warming
from durak_core.search.ismcts.tree_search import SearchSettings


@click.command()
@click.argument("what", metavar="OBSERVATION|FILE")
@click.option("--game", type=click.IntRange(min=1), metavar="N", help="The Nth game of FILE.")
@click.option("--ply", type=click.IntRange(min=0), metavar="N", help="The position after N moves.")
@click.option("--time", "seconds", type=click.FloatRange(0, min_open=True), metavar="S", help="Seconds.")
@click.option("--iterations", type=click.IntRange(min=1), metavar="N", help="Iterations of the search.")
@click.option(
    "--threads", type=click.IntRange(1, 64), default=1, metavar="N", help="Trees grown at the same time."
)
@net_option
@click.option("--lines", type=click.IntRange(min=1), metavar="N", help="Show only the N best actions.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@seed_option
def analyse(  # noqa: PLR0913, PLR0917 - an argument for each option
    what: str,
    game: int | None,
    ply: int | None,
    seconds: float | None,
    iterations: int | None,
    threads: int,
    net: str,
    lines: int | None,
    seed: int,
    *,
    as_json: bool,
) -> None:
    """Judge every action of the seat to act, knowing only what that seat knows.

    Give an observation's text, or a FILE of games and choose the moment with --game and --ply. Without
    --time or --iterations the search takes a second. Endgames without hidden cards are solved.
    """
    if "rules=" in what:
        if game is not None or ply is not None:
            raise click.UsageError("--game and --ply belong to a FILE of games, and this is an observation")
        observation = read_observation(what)
    else:
        observation = _from_file(Path(what), game, ply)
    settings = Guides(net).fit(SearchSettings(threads=threads), observation.rules)
    warming = start_warming(settings.group)
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
        click.echo("machine code is made ready for the next time; Ctrl+C leaves that for later", err=True)
    warming.join()


def _from_file(file: Path, game: int | None, ply: int | None) -> Observation:
    _, state, ply = moment(file, game, ply)
    if state.turn is None:
        raise RecordError("after {move} moves the game is over: there is nothing to analyse", move=ply)
    return state.observation(state.turn)


def _print(observation: Observation, done: Analysis, seed: int, lines: int | None) -> None:
    out = console()
    out.print(write_observation(observation), soft_wrap=True)
    table = Table()
    table.add_column("action")
    for name in ("score", "95 %", "visits"):
        table.add_column(name, justify="right")
    table.add_column("expected after it", overflow="fold")
    found = done.lines()
    for line in found[:lines]:
        table.add_row(str(line.action), *_figures(line), " ".join(map(str, line.continuation)))
    out.print(table)
    if done.is_exact:
        out.print(f"solved: {done.nodes:,} nodes", soft_wrap=True)
    elif done.is_finished:
        out.print("there is no choice", soft_wrap=True)
    else:
        out.print(f"{done.iterations:,} iterations, seed {seed}", soft_wrap=True)


def _figures(line: AnalysisLine) -> tuple[str, str, str]:
    """Return score, interval and visits; what nobody has looked at has neither."""
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
        "nodes": done.nodes,
        "exact": done.is_exact,
        "forced": done.is_finished and not done.is_exact,
        "lines": [
            {
                "action": str(line.action),
                "score": line.score,
                "interval": [line.low, line.high],
                "visits": line.visits,
                "exact": line.exact,
                "bouts": line.bouts,
                "continuation": [str(action) for action in line.continuation],
            }
            for line in done.lines()[:lines]
        ],
    }
