"""`durak review`: analyse every move of a recorded game."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from durak_core.actions import Pass, Take
from durak_core.agents.network_selector import NetworkSelector
from durak_core.cli.choices import (
    IntegerRange,
    NumberRange,
    file_argument,
    game_option,
    json_option,
    net_option,
    one_record,
    seed_option,
)
from durak_core.cli.output import console, print_lines, progress
from durak_core.game.observation import Observation
from durak_core.game.record import Record
from durak_core.messages import printable
from durak_core.review import (
    Estimate,
    MoveEvaluation,
    PlayerReport,
    Review,
    Unevaluated,
    percent_text,
    questions,
    turning_point,
    worst_moves,
)
from durak_core.review.comparison import Seat
from durak_core.search.analysis import Analysis, AnalysisLine, analyse
from durak_core.search.backend.backend import Backend, backend
from durak_core.search.ismcts.tree_search import SearchSettings

_SECONDS = 0.1
_MARK_STYLES = {"??": "bold red", "?": "red", "?!": "yellow", "!": "green"}


@click.command()
@file_argument
@game_option()
@click.option(
    "--time",
    "seconds",
    type=NumberRange(0, min_open=True),
    metavar="S",
    help=f"Seconds for each move; {_SECONDS:g} if --iterations is not given either.",
)
@click.option(
    "--iterations", type=IntegerRange(min=1), metavar="N", help="Number of iterations for each move."
)
@net_option
@json_option
@seed_option
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
    record = one_record(file, game)
    if seconds is None and iterations is None:
        seconds = _SECONDS
    settings = NetworkSelector(net).fit(SearchSettings(), record.rules)
    budget = partial(analyse, seed=seed, iterations=iterations, seconds=seconds, settings=settings)
    report = _searched(record, backend(settings.group), budget)
    if as_json:
        click.echo(json.dumps(_as_json(report, seed)))
    else:
        _print(report)
        limits = [f"{iterations:,} iterations"] if iterations else []
        limits += [f"{seconds:g} s"] if seconds else []
        print_lines(f"{' or '.join(limits)} a move, seed {seed}")


def _searched(record: Record, runner: Backend, search: Callable[[Observation, Backend], Analysis]) -> Review:
    """Analyse every position with a choice; show the progress on a terminal."""
    asked = questions(record)
    answers: dict[int, tuple[AnalysisLine, ...]] = {}
    with progress(len(asked), "reviewing") as step:
        for question in asked:
            if question.is_free:
                answers[question.ply] = search(question.observation, runner).lines()
            step()
    return Review(record, asked, answers)


def _print(report: Review) -> None:
    record = report.record
    names = [_name(record, seat) for seat in range(record.rules.seats)]
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
                print_lines(f"  {evaluation.ply:>3} {_reason(evaluation, record)}")


def _reason(evaluation: MoveEvaluation, record: Record) -> str:
    """Explain a move's mark, with the players' names."""

    def word(value: object) -> object:
        match value:
            case Seat(number):
                return _name(record, number)
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
    best, played = evaluation.best_estimate, evaluation.played
    if best is None:
        return "", "", ""
    if evaluation.unevaluated is Unevaluated.NO_DIFFERENCE:
        return percent_text(best), "", ""
    own = percent_text(played) if played and evaluation.unevaluated is None else "?"
    if evaluation.action == evaluation.best:
        return own, "", ""
    return own, str(evaluation.best), percent_text(best)


def summary(player: PlayerReport) -> str:
    if player.accuracy is None:
        return "no move was a choice"
    marks = ", ".join(f"{count} {mark}" for mark, count in [*player.marks.items()][::-1] if count)
    moves = "1 choice that mattered" if player.counted == 1 else f"{player.counted} choices that mattered"
    return (
        f"accuracy {player.accuracy:.1f} % in {moves}{', ' + marks if marks else ''}; lost "
        f"{100 * player.given:.1f} points, {100 * player.fortune:+.1f} came from luck and opponents"
    )


def _name(record: Record, seat: int) -> str:
    return f"seat {seat} {printable(record.players[seat])}".rstrip()


def _as_json(report: Review, seed: int) -> dict[str, object]:
    return {
        "seed": seed,
        "moves": [_move_json(evaluation) for evaluation in report.evaluations.values()],
        "players": [_player_json(report, seat) for seat in range(report.record.rules.seats)],
    }


def _move_json(evaluation: MoveEvaluation) -> dict[str, object]:
    return {
        "move": evaluation.ply,
        "seat": evaluation.seat,
        "action": str(evaluation.action),
        "mark": evaluation.mark,
        "played": _estimate_json(evaluation.played),
        "best": None if evaluation.best is None else str(evaluation.best),
        "best_score": _estimate_json(evaluation.best_estimate),
        "drop": evaluation.drop,
        "stake": evaluation.stake,
        "accuracy": evaluation.accuracy,
        "reason": None if evaluation.reason is None else str(evaluation.reason),
        "instead": None if evaluation.instead is None else str(evaluation.instead),
        "unjudged": None if evaluation.unevaluated is None else evaluation.unevaluated.name.lower(),
    }


def _estimate_json(estimate: Estimate | None) -> dict[str, object] | None:
    if estimate is None:
        return None
    return {"score": estimate.score, "interval": [estimate.low, estimate.high], "exact": estimate.exact}


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
