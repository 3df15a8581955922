"""`durak match`: a match between agents."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from time import perf_counter
from typing import Final

import click

from durak_core.agents.base import Decision
from durak_core.cli.choices import RulesChoice, WorkersChoice
from durak_core.cli.counting import count_games, input_files, kept_games, playing_options
from durak_core.cli.game_log import MatchLog, match_line
from durak_core.cli.match_options import Ending, Output, ending_options, output_options
from durak_core.cli.output import check_targets, console, print_lines
from durak_core.cli.tables import TextTable, origins_lines, results_table, shown_name
from durak_core.files import GrowingFile
from durak_core.game.state import State
from durak_core.lab.matches.game import GameSummary
from durak_core.lab.matches.match import DrawnSeats, Match
from durak_core.lab.matches.players import team_size
from durak_core.lab.matches.schedule import Wanted, play_matches
from durak_core.lab.stats.match_results import MatchTally
from durak_core.lab.stats.ratings import elo, elo_interval

FEW_GAMES: Final = 20
"""Maximum games reported one by one."""


class Reporter:
    """Reports decisions and games to the terminal and to files."""

    def __init__(
        self, planned: Match, output: Output, log: GrowingFile | None, json: GrowingFile | None
    ) -> None:
        self._match = planned
        self._json = json
        self._one_by_one = planned.games <= FEW_GAMES and not output.verbose
        self.logs = [MatchLog(planned, print_lines)] if output.verbose else []
        if log is not None:
            self.logs.append(MatchLog(planned, lambda line: log.write_line(line.plain)))

    def decided(self, state: State, decision: Decision) -> None:
        for log in self.logs:
            log.decided(state, decision)

    def ended(self, game: GameSummary) -> None:
        for log in self.logs:
            log.ended(game)
        if self._json is not None:
            self._json.write_line(game.line)
        if self._one_by_one:
            click.echo(match_line(self._match, game))
        elif game.forfeit and not self.logs:
            click.echo(match_line(self._match, game), err=True)


class Speed:
    """Counts the games of this run, but no earlier games of a resume file."""

    def __init__(self) -> None:
        self.games = self.plies = 0
        self._began = perf_counter()

    def add(self, game: GameSummary) -> None:
        self.games += 1
        self.plies += game.plies

    def text(self) -> str:
        seconds = perf_counter() - self._began
        return f"{self.plies / seconds:,.0f} decisions and {self.games / seconds:,.0f} games a second"


@click.command()
@click.argument("agents", nargs=-1, metavar="[AGENT]...")
@ending_options
@playing_options
@click.option(
    "--seating",
    type=click.Choice(["rotate", "random"]),
    default="rotate",
    help="Play every deal from each seating, or use a new deal and drawn seats for every game.",
)
@output_options
def match(  # noqa: PLR0913 - one per option
    *,
    agents: tuple[str, ...],
    ending: Ending,
    rules: RulesChoice,
    seed: int,
    workers: WorkersChoice,
    output: Output,
    seating: str,
) -> None:
    """Play AGENTs against each other and count wins, draws and losses.

    Every deal is played once from each seating (duplicate deals). There are as many seats as agents, and a
    single agent plays against itself; without an AGENT, random does. If --seats or the rules ask for more
    seats, the agents alternate. Partners (rules 2.2) are joined with a plus, as in expert+greedy
    expert+smart, and count as one. Ctrl+C and SIGTERM end the match early and keep the finished games;
    --resume FILE continues it after any interruption. Long matches of agents that do not search run in
    compiled code, with the same results.

    Example: durak match smart greedy --games 1000 --seed 1
    """
    agents = agents or ("random",)
    if not workers.are_one and (output.verbose or output.log):
        raise click.UsageError(
            f"{workers.text} cannot tell the moves of games that are played side by side: "
            f"leave out --verbose and --log, or {workers.text.partition(' ')[0]}"
        )
    kind = DrawnSeats if seating == "random" else Match
    planned = kind(rules.rules(*seats_and_teams(agents)), agents, ending.most, seed)
    rule = ending.rule(planned)
    heading = f"{'up to ' * ending.stops}{planned.games} games, rules {planned.rules}, seed {seed}"
    counted, origins = MatchTally.of(planned), origins_lines([planned])
    check_targets(output.log, output.json, inputs=[rules.file, *input_files([planned])])
    speed = Speed()
    with ExitStack() as stack:
        jobs = stack.enter_context(workers.opened())
        log, json = [
            stack.enter_context(GrowingFile(path)) if path else None for path in (output.log, output.json)
        ]
        saved = stack.enter_context(kept_games(output.resume, [planned]))
        reporter = Reporter(planned, output, log, json)
        finished_before = frozenset(saved.finished if saved else ())

        def count(place: int, game: GameSummary) -> bool:
            counted.add(game)
            if (place, game.number) not in finished_before:
                speed.add(game)
            reporter.ended(game)
            return rule is not None and rule.add(game)

        wanted = Wanted(json is not None, output.findings, reporter.decided if reporter.logs else None)
        games = play_matches([planned], jobs, saved, wanted)
        with_bar = planned.games > FEW_GAMES and not output.verbose
        finished = count_games(games, count, planned.games, heading, with_bar=with_bar)
    _show(counted, speed)
    if rule:
        console().print(rule.verdict, soft_wrap=True)
    print_lines(*origins)
    if not finished:
        raise KeyboardInterrupt


def seats_and_teams(agents: Sequence[str]) -> tuple[int, str | None]:
    """Return the number of seats and the teams option that the agents imply."""
    sizes = list(map(team_size, agents))
    teams = f"{len(sizes)}x{sizes[0]}" if set(sizes) == {max(sizes)} != {1} else None
    return max(2, sum(sizes)), teams


def _show(counted: MatchTally, speed: Speed) -> None:
    match_table(counted).print()
    out = console()
    out.print(_summary(counted, speed), soft_wrap=True)
    if lead := _elo_line(counted):
        out.print(lead, soft_wrap=True)


def match_table(counted: MatchTally) -> TextTable:
    results = [((shown_name(agent),), agent) for agent in counted.agents]
    return results_table(("agent",), results, counted.agents[0].measure, counted.agents)


def _summary(counted: MatchTally, speed: Speed) -> str:
    parts = [
        f"{counted.games} games",
        f"{counted.mean_bouts:.1f} bouts and {counted.mean_plies:.1f} plies a game",
    ]
    if speed.games:
        parts.append(speed.text())
    if counted.deals:
        parts.append(f"intervals from {counted.deals} deals")
    parts += [f"{agent.forfeits} forfeited by {agent.text}" for agent in counted.agents if agent.forfeits]
    if counted.agents[0].teams > 2:
        parts.append(f"equal players would have {counted.agents[0].par:.1%} each")
    return ", ".join(parts)


def _elo_line(counted: MatchTally) -> str:
    """Return the first agent's lead in Elo points, or an empty string unless two agents met."""
    first = counted.agents[0]
    if first.teams != 2 or len(counted.agents) != 2 or not counted.games:
        return ""
    low, high = elo_interval((first.share.low, first.share.high))
    lead = f"{elo(first.score):+.0f} Elo ({low:+.0f} to {high:+.0f})"
    return f"{first.text} against {counted.agents[1].text}: {lead}"
