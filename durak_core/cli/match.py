"""`durak match`: agents against agents."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from time import perf_counter
from typing import Final, TextIO

import click

from durak_core.agents.base import Decision
from durak_core.arena.matches.match import GameSummary, Match, MatchGame, as_batch, play_match
from durak_core.arena.matches.parallel import play_parallel
from durak_core.arena.matches.resume import SavedMatch, play_saved
from durak_core.arena.matches.stopping import StoppingRule
from durak_core.arena.results.tally import MatchTally
from durak_core.arena.workers.interrupts import uninterrupted
from durak_core.arena.workers.pool import Jobs
from durak_core.cli.choices import RulesChoice, WorkersChoice, rules_options, seed_option, workers_options
from durak_core.cli.game_log import MatchLog, match_line
from durak_core.cli.match_options import Ending, Output, ending_options, output_options
from durak_core.cli.match_table import elo_line, match_summary, match_table
from durak_core.cli.output import console, growing_file, progress
from durak_core.cli.root import INTERRUPTED
from durak_core.game.state import State
from durak_core.search.backend.backend import backend, backend_now
from durak_core.search.backend.batch import Batch, play_batch

FEW_GAMES: Final = 20
"""Up to so many games are reported one by one."""

MANY_GAMES: Final = 5000
"""From so many games on, it is worth waiting until machine code is compiled."""


class Reporter:
    """Hears of everything that happens in a match and passes it on to terminal and files."""

    def __init__(self, planned: Match, output: Output, log: TextIO | None, json: TextIO | None) -> None:
        self._match = planned
        self._json = json
        self._one_by_one = planned.games <= FEW_GAMES and not output.verbose
        self._logs: list[MatchLog] = []
        if output.verbose:
            self._logs.append(MatchLog(planned, click.echo))
        if log is not None:
            self._logs.append(MatchLog(planned, lambda line: _write_line(log, line)))

    @property
    def listener(self) -> Callable[[State, Decision], None] | None:
        """What the match has to call with each decision, if anything."""
        return self._decided if self._logs else None

    def _decided(self, state: State, decision: Decision) -> None:
        for log in self._logs:
            log.decided(state, decision)

    @property
    def wants_lines(self) -> bool:
        """Whether the games' lines of JSON are wanted."""
        return self._json is not None

    def logged(self, game: MatchGame) -> None:
        """End a finished game's log."""
        for log in self._logs:
            log.ended(game)

    def ended(self, game: GameSummary) -> None:
        """Report a finished game."""
        if self._json is not None:
            _write_line(self._json, game.line)
        if self._one_by_one:
            click.echo(match_line(self._match, game))
        elif game.forfeit and not self._logs:
            click.echo(match_line(self._match, game), err=True)


@click.command()
@click.argument("agents", nargs=-1, required=True, metavar="AGENT...")
@ending_options
@rules_options
@seed_option
@workers_options
@output_options
def match(  # noqa: PLR0913 - one for each option
    *,
    agents: tuple[str, ...],
    ending: Ending,
    rules: RulesChoice,
    seed: int,
    workers: WorkersChoice,
    output: Output,
) -> None:
    """Let AGENTs play against each other and count wins, draws and losses.

    Every deal is played once from each seating: the agents move on by one seat from game to game.
    There are as many seats as agents (a single agent plays against itself) unless --seats or the rules
    ask for more; then the agents are dealt round, so that two agents on four seats sit alternately.
    Ctrl+C ends the match early and keeps what was played; with --resume FILE it goes on from there,
    whatever ended it. --until-sure and --sprt stop a match of two agents when it has said enough.
    Long matches between random and greedy agents are played by machine code on all cores, with the
    same games and results.

    Example: durak match smart greedy --games 1000 --seed 1
    """
    if not workers.are_one and (output.verbose or output.log):
        raise click.UsageError(
            f"{workers.text} cannot tell the moves of games that are played side by side: "
            f"leave out --verbose and --log, or {workers.text.partition(' ')[0]}"
        )
    planned = Match(rules.rules(max(2, len(agents))), agents, ending.most, seed)
    rule = ending.rule(planned)
    click.echo(f"{'up to ' * ending.stops}{planned.games} games, rules {planned.rules}, seed {seed}")
    counted = MatchTally.of(planned)
    began = perf_counter()
    finished = False
    with ExitStack() as stack:
        jobs = stack.enter_context(workers.opened())
        log = stack.enter_context(growing_file(output.log))
        json = stack.enter_context(growing_file(output.json))
        saved = stack.enter_context(SavedMatch(output.resume, planned)) if output.resume else None
        if saved and saved.finished:
            click.echo(f"{len(saved.finished)} games were finished before")
        reporter = Reporter(planned, output, log, json)
        step = stack.enter_context(
            progress(planned.games, shown=planned.games > FEW_GAMES and not output.verbose)
        )
        batch = None if rule or workers.scheduler else _batch(planned, output)
        try:
            if batch is None:
                _play(planned, jobs, Course(counted, reporter, step, rule, saved))
            else:
                _play_batch(planned, batch, counted, step)
            finished = True
        except KeyboardInterrupt:
            click.echo(f"interrupted after {counted.games} games", err=True)
    _show(counted, perf_counter() - began)
    if rule:
        console().print(rule.verdict, soft_wrap=True)
    if not finished:
        raise click.exceptions.Exit(INTERRUPTED)


@dataclass(frozen=True, slots=True)
class Course:
    """Where a match's games go: into the counts, the reports, the progress bar and the stopping rule."""

    counted: MatchTally
    reporter: Reporter
    step: Callable[[], None]
    rule: StoppingRule | None
    saved: SavedMatch | None


def _play(planned: Match, jobs: Jobs, course: Course) -> None:
    if course.saved:
        games = play_saved(planned, course.saved, jobs)
    elif jobs == 1:
        games = _logged_games(planned, course.reporter)
    else:
        games = play_parallel(planned, jobs, with_lines=course.reporter.wants_lines)
    with closing(games):
        for game in games:
            with uninterrupted():
                course.counted.add(game)
                course.reporter.ended(game)
            course.step()
            if course.rule and course.rule.add(game):
                break


def _logged_games(planned: Match, reporter: Reporter) -> Generator[GameSummary, None, None]:
    with closing(play_match(planned, reporter.listener)) as games:
        for game in games:
            reporter.logged(game)
            yield game.summary(with_line=reporter.wants_lines)


def _play_batch(planned: Match, batch: Batch, counted: MatchTally, step: Callable[[], None]) -> None:
    runner = backend() if batch.games >= MANY_GAMES else backend_now()
    for number, figures in enumerate(play_batch(batch, threads=0, runner=runner)):
        with uninterrupted():
            counted.add_figures(planned.seating(number), figures)
        step()


def _batch(planned: Match, output: Output) -> Batch | None:
    """Return the match as a batch of policies, if it is one and nobody wants to see the moves."""
    if planned.games <= FEW_GAMES or output.wants_games:
        return None
    return as_batch(planned)


def _show(counted: MatchTally, seconds: float) -> None:
    out = console()
    out.print(match_table(counted))
    out.print(match_summary(counted, seconds), soft_wrap=True)
    if lead := elo_line(counted):
        out.print(lead, soft_wrap=True)


def _write_line(file: TextIO, line: str) -> None:
    file.write(line + "\n")
