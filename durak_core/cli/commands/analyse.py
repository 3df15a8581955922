"""`durak analyse` and `review`: evaluate a position, or every move of a game."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from durak_core.actions import Pass, Take
from durak_core.agents.base import Agent
from durak_core.agents.classic import DealingAgent
from durak_core.agents.learned import AUTO, NetworkSelector
from durak_core.cli import choices
from durak_core.cli.game_words import seat_names
from durak_core.cli.output import console, print_lines, progress
from durak_core.errors import AgentError, RecordError
from durak_core.game.notation.position_text import read_observation, write_observation
from durak_core.game.observation import Observation
from durak_core.game.record import Record
from durak_core.lab.matches.players import read_local_player
from durak_core.review import (
    MoveEvaluation,
    PlayerReport,
    Review,
    Unevaluated,
    percent_text,
    questions,
    turning_point,
    worst_moves,
)
from durak_core.review.comparison import SeatName
from durak_core.search.analysis import Analysis
from durak_core.search.analysis import analyse as analyse_observation  # keep
from durak_core.search.backend.backend import Backend, backend, backend_now, warm
from durak_core.search.determinized.searches import ConsideredMove
from durak_core.search.ismcts.tree_search import SearchSettings
from durak_core.search.search_result import SearchedAction


@click.command()
@click.argument("what", metavar="OBSERVATION|FILE")
@choices.game_option()
@choices.ply_option()
@click.option(
    "--agent",
    metavar="AGENT",
    callback=lambda _context, _option, text: None if text is None else read_local_player(text).build(),
    help="Search with an agent and the options of its spec, as in matches.",
)
@click.option(
    "--time",
    "seconds",
    type=choices.NumberRange(0, min_open=True),
    metavar="S",
    help="Stop after S seconds of wall time.",
)
@click.option("--iterations", type=choices.IntegerRange(min=1), metavar="N", help="Stop after N iterations.")
@click.option(
    "--threads",
    type=choices.IntegerRange(1, 64),
    default=1,
    metavar="N",
    help="Number of trees grown in parallel.",
)
@choices.net_option
@click.option("--tree", is_flag=True, help="Print every move that minimax or maxn considers in a first deal.")
@click.option("--lines", type=choices.IntegerRange(min=1), metavar="N", help="Show only the N best actions.")
@choices.json_option
@choices.seed_option
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
        _, state, after = choices.moment(Path(what), game, ply)
        if state.turn is None:
            raise RecordError("after {move} moves the game is over: there is nothing to analyse", move=after)
        observation = state.observation(state.turn, sees_all=agent is not None and agent.sees_all)
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


def _ask(observation: Observation, agent: Agent, seed: int, lines: int | None, *, as_json: bool) -> None:
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


def _figures(line: SearchedAction) -> tuple[str, str, str]:
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


_SECONDS = 0.1
_MARK_STYLES = {"??": "bold red", "?": "red", "?!": "yellow", "!": "green"}


@click.command()
@choices.file_argument
@choices.game_option()
@click.option(
    "--time",
    "seconds",
    type=choices.NumberRange(0, min_open=True),
    metavar="S",
    help=f"Seconds for each move; {_SECONDS:g} if --iterations is not given either.",
)
@click.option(
    "--iterations", type=choices.IntegerRange(min=1), metavar="N", help="Number of iterations for each move."
)
@choices.net_option
@choices.json_option
@choices.seed_option
def review(  # noqa: PLR0913 - an argument for each option
    file: Path,
    game: int | None,
    seconds: float | None,
    iterations: int | None,
    *,
    net: str,
    seed: int,
    as_json: bool,
) -> None:
    """Analyse every move of a recorded game, from what its player knew.

    A move that lost 5, 10 or 15 points of win probability is marked ?!, ? or ??, with a reason, unless the
    search is unsure. Forced moves are not analysed.
    """
    record = choices.one_record(file, game)
    if seconds is None and iterations is None:
        seconds = _SECONDS
    settings = NetworkSelector(net).fit(SearchSettings(), record.rules)
    budget = partial(
        analyse_observation, seed=seed, iterations=iterations, seconds=seconds, settings=settings
    )
    report = _searched(record, backend(settings.group), budget)
    if as_json:
        moves = [_move_json(evaluation) for evaluation in report.evaluations.values()]
        players = [_player_json(report, seat) for seat in range(record.rules.seats)]
        click.echo(json.dumps({"seed": seed, "moves": moves, "players": players}))
    else:
        _print_review(report)
        limits = [f"{iterations:,} iterations"] if iterations else []
        limits += [f"{seconds:g} s"] if seconds else []
        print_lines(f"{' or '.join(limits)} a move, seed {seed}")


def _searched(record: Record, runner: Backend, search: Callable[[Observation, Backend], Analysis]) -> Review:
    """Analyse every position with a choice; show the progress on a terminal."""
    asked = questions(record)
    answers: dict[int, tuple[SearchedAction, ...]] = {}
    with progress(len(asked), "reviewing") as step:
        for question in asked:
            if question.is_free:
                answers[question.ply] = search(question.observation, runner).lines()
            step()
    return Review(record, asked, answers)


def _print_review(report: Review) -> None:
    record = report.record
    names = seat_names(record.players)
    table = Table()
    for head in ("move", "player", "played", "value", "best", "value"):
        table.add_column(head, justify="right" if head in {"move", "value"} else "left")
    for evaluation in report.evaluations.values():
        played = Text(str(evaluation.action))
        played.append(f" {evaluation.mark}" if evaluation.mark else "", _MARK_STYLES.get(evaluation.mark, ""))
        table.add_row(str(evaluation.ply), Text(names[evaluation.seat]), played, *_values(evaluation))
    console().print(table)
    for seat, name in enumerate(names):
        print_lines(f"{name}: {summary(report.player(seat))}")
        for evaluation in report.evaluations.values():
            if evaluation.seat == seat and evaluation.reason is not None:
                print_lines(f"  {evaluation.ply:>3} {_reason(evaluation, names)}")


def _reason(evaluation: MoveEvaluation, names: Sequence[str]) -> str:

    def word(value: object) -> object:
        match value:
            case SeatName(number):
                return names[number]
            case Pass():
                return "passing"
            case Take():
                return "taking"
        return value

    why = "" if evaluation.reason is None else evaluation.reason.said(str, word)
    instead = "" if evaluation.instead is None else f"{evaluation.instead} "
    return f"{evaluation.action} {evaluation.mark}: {instead}{why}"


def _values(evaluation: MoveEvaluation) -> tuple[str, str, str]:
    """Return the move's win probability, and a better move with its own."""
    best, played = evaluation.best, evaluation.played
    if best is None:
        return "", "", ""
    if evaluation.unevaluated is Unevaluated.NO_DIFFERENCE:
        return percent_text(best), "", ""
    own = percent_text(played) if played and evaluation.unevaluated is None else "?"
    if evaluation.action == best.action:
        return own, "", ""
    return own, str(best.action), percent_text(best)


def summary(player: PlayerReport) -> str:
    if player.accuracy is None:
        return "no move was a choice"
    marks = ", ".join(f"{count} {mark}" for mark, count in [*player.marks.items()][::-1] if count)
    moves = "1 choice that mattered" if player.counted == 1 else f"{player.counted} choices that mattered"
    return (
        f"accuracy {player.accuracy:.1f} % in {moves}{', ' + marks if marks else ''}; lost "
        f"{100 * player.given:.1f} points, {100 * player.fortune:+.1f} came from luck and opponents"
    )


def _move_json(evaluation: MoveEvaluation) -> dict[str, object]:
    return {
        "move": evaluation.ply,
        "seat": evaluation.seat,
        "action": str(evaluation.action),
        "mark": evaluation.mark,
        "played": _value_json(evaluation.played),
        "best": None if evaluation.best is None else str(evaluation.best.action),
        "best_score": _value_json(evaluation.best),
        "drop": evaluation.drop,
        "stake": evaluation.stake,
        "accuracy": evaluation.accuracy,
        "reason": None if evaluation.reason is None else str(evaluation.reason),
        "instead": None if evaluation.instead is None else str(evaluation.instead),
        "unjudged": None if evaluation.unevaluated is None else evaluation.unevaluated.name.lower(),
    }


def _value_json(line: SearchedAction | None) -> dict[str, object] | None:
    if line is None:
        return None
    return {"score": line.score, "interval": [line.low, line.high], "exact": line.exact}


def _player_json(report: Review, seat: int) -> dict[str, object]:
    player = report.player(seat)
    turn = turning_point(report, seat)
    return {
        "seat": seat,
        "name": report.record.players[seat],
        "accuracy": player.accuracy,
        "choices": player.counted,
        "marks": dict(player.marks),
        "given": player.given,
        "fortune": player.fortune,
        "worst_moves": [evaluation.ply for evaluation in worst_moves(report, seat)],
        "turning_point": None
        if turn is None
        else {"move": turn.last, "before": turn.before, "after": turn.after},
    }
