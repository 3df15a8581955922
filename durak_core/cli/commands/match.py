"""`durak match`, `tournament` and `tune`: games between agents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import astuple, dataclass
from itertools import permutations
from pathlib import Path
from statistics import fmean, pstdev
from time import perf_counter
from typing import Final

import click

from durak_core.agents.base import Decision
from durak_core.cli import choices, output
from durak_core.cli.output import MatchLog, match_line
from durak_core.errors import shortened
from durak_core.files import GrowingFile
from durak_core.game.state import State
from durak_core.installation import require
from durak_core.lab.matches.match import DrawnSeats, GameSummary, Match, filled
from durak_core.lab.matches.players import team_size
from durak_core.lab.matches.schedule import Wanted, play_matches
from durak_core.lab.matches.tournament import Grid, Tournament, combinations_of, common_text
from durak_core.lab.plots import check_picture, plotted_grids, tuning_plot
from durak_core.lab.stats.match_results import (
    MatchTally,
    ResultMeasure,
    Standings,
    standings_json,
    tally_json,
)
from durak_core.lab.stats.ratings import EloTable, elo, elo_interval
from durak_core.lab.stats.stopping import Sprt, StoppingRule, UntilSignificant, UntilSure
from durak_core.statistics import Z95

GAMES: Final = 100
"""Default of --games, which is also the batch of --until-significant."""

MAX_GAMES: Final = 10_000
"""Default of --max-games."""


@dataclass(frozen=True, slots=True)
class Extras:
    """Output in addition to the table; raises `click.UsageError` for conflicting options."""

    verbose: bool
    log: Path | None
    json: Path | None
    resume: Path | None
    results: Path | None
    findings: bool

    def __post_init__(self) -> None:
        if self.findings and not (self.json or self.resume):
            raise click.UsageError(
                "--findings is about the games of --json or --resume: expected one of them"
            )
        if self.resume and (self.verbose or self.log or self.json):
            raise click.UsageError(
                "--resume writes all games to its own file, also those of before: "
                "leave out --verbose, --log and --json"
            )


@dataclass(frozen=True, slots=True)
class Ending:
    """Length or stopping rule of a match; raises `click.UsageError` for conflicting options."""

    games: int | None
    until_sure: bool
    until_significant: bool
    sprt: tuple[float, float] | None
    max_games: int | None

    def __post_init__(self) -> None:
        if len(self._rules) > 1:
            raise click.UsageError(f"{' and '.join(self._rules)} are {len(self._rules)} rules: expected one")
        if self.games is not None and (self.until_sure or self.sprt):
            raise click.UsageError(
                f"{self._rules[0]} looks after every deal: expected --max-games, not --games"
            )
        if self.max_games is not None and not self.stops:
            raise click.UsageError(
                "--max-games belongs to --until-sure, --sprt or --until-significant: expected one of them"
            )

    @property
    def _rules(self) -> list[str]:
        named = {
            "--until-sure": self.until_sure,
            "--sprt": self.sprt,
            "--until-significant": self.until_significant,
        }
        return [name for name, given in named.items() if given]

    @property
    def stops(self) -> bool:
        return bool(self._rules)

    @property
    def most(self) -> int:
        return (self.max_games or MAX_GAMES) if self.stops else (self.games or GAMES)

    def rule(self, match: Match) -> StoppingRule | None:
        """Return the stopping rule or None; raises `AgentError` if the match does not fit it."""
        if self.until_sure:
            return UntilSure(match)
        if self.until_significant:
            return UntilSignificant(match, self.games or GAMES)
        return Sprt(match, *self.sprt) if self.sprt else None


def _read_sprt(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        elo0, elo1 = map(float, text.split(","))
    except ValueError:
        raise click.BadParameter(
            f"{shortened(repr(text), 60)}: expected two numbers of Elo points, such as 0,20"
        ) from None
    return elo0, elo1


ending_options: Final = choices.bundled(
    "ending",
    Ending,
    click.option(
        "--games",
        "--total-games",
        type=choices.IntegerRange(min=1),
        help=f"Number of games; with --until-significant, games between two tests.  [default: {GAMES}]",
    ),
    click.option(
        "--until-sure",
        is_flag=True,
        help="Stop once a sequential test finds one of two agents better (5 % error at any length).",
    ),
    click.option(
        "--sprt",
        metavar="ELO0,ELO1",
        callback=_read_sprt,
        help="Stop once an SPRT decides whether the first agent leads by ELO0 or ELO1 (5 % error each).",
    ),
    click.option(
        "--until-significant",
        is_flag=True,
        help="Stop once a 95 % interval, computed every --games games, excludes 50 %, as in a published "
        "thesis; such repeated tests often find a difference between equal agents.",
    ),
    click.option(
        "--max-games",
        type=choices.IntegerRange(min=1),
        help=f"Maximum games of a match with a stopping rule.  [default: {MAX_GAMES}]",
    ),
)

output_options: Final = choices.bundled(
    "extras",
    Extras,
    click.option(
        "--verbose",
        is_flag=True,
        help="Print every bout, hand, choice, reason and search result; on a terminal, trumps are coloured.",
    ),
    choices.file_option("--log", help="Write the output of --verbose to a file."),
    choices.file_option(
        "--json",
        help="Write the games to a file, one JSON object a line. "
        "The file appears when the match ends or is interrupted.",
    ),
    choices.resume_option,
    choices.file_option("--results", help="Write all results to a JSON file, also if interrupted."),
    click.option(
        "--findings",
        is_flag=True,
        help="Add search info to the games of --json or --resume: nodes, depth, values and lines.",
    ),
)


FEW_GAMES: Final = 20
"""Maximum games reported one by one."""


class Reporter:
    """Reports decisions and games to the terminal and to files."""

    def __init__(
        self, planned: Match, extras: Extras, log: GrowingFile | None, json: GrowingFile | None
    ) -> None:
        self._match = planned
        self._json = json
        self._one_by_one = planned.games <= FEW_GAMES and not extras.verbose
        self.logs = [MatchLog(planned, output.print_lines)] if extras.verbose else []
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


class PlayRate:
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
@output.playing_options
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
    rules: choices.RulesChoice,
    seed: int,
    workers: choices.WorkersChoice,
    extras: Extras,
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
    if not workers.are_one and (extras.verbose or extras.log):
        raise click.UsageError(
            f"{workers.text} cannot tell the moves of games that are played side by side: "
            f"leave out --verbose and --log, or {workers.text.partition(' ')[0]}"
        )
    kind = DrawnSeats if seating == "random" else Match
    planned = kind(rules.rules(*seats_and_teams(agents)), agents, ending.most, seed)
    rule = ending.rule(planned)
    heading = f"{'up to ' * ending.stops}{planned.games} games, rules {planned.rules}, seed {seed}"
    counted, origins = MatchTally.of(planned), output.origins_lines([planned])
    output.check_targets(
        extras.log, extras.json, extras.results, inputs=[rules.file, *output.input_files([planned])]
    )
    speed = PlayRate()
    with ExitStack() as stack:
        jobs = stack.enter_context(workers.opened())
        log, json = [
            stack.enter_context(GrowingFile(path)) if path else None for path in (extras.log, extras.json)
        ]
        saved = stack.enter_context(output.kept_games(extras.resume, [planned]))
        reporter = Reporter(planned, extras, log, json)
        finished_before = frozenset(saved.finished if saved else ())

        def count(place: int, game: GameSummary) -> bool:
            counted.add(game)
            if (place, game.number) not in finished_before:
                speed.add(game)
            reporter.ended(game)
            return rule is not None and rule.add(game)

        wanted = Wanted(json is not None, extras.findings, reporter.decided if reporter.logs else None)
        games = play_matches([planned], jobs, saved, wanted)
        with_bar = planned.games > FEW_GAMES and not extras.verbose
        finished = output.count_games(games, count, planned.games, heading, with_bar=with_bar)
    results, *times = match_tables(counted)
    for table in (results, place_table(counted), *times):
        table.print()
    verdict = [rule.verdict] if rule else []
    output.print_lines(_summary(counted, speed), *_notes(counted), *_elo_line(counted), *verdict, *origins)
    told = {"rules": planned.rules.text, "seed": planned.seed, **tally_json(counted)}
    output.write_json(extras.results, told | ({"verdict": rule.verdict} if rule else {}))
    if not finished:
        raise KeyboardInterrupt


def seats_and_teams(agents: Sequence[str]) -> tuple[int, str | None]:
    """Return the number of seats and the teams option that the agents imply."""
    sizes = list(map(team_size, agents))
    teams = f"{len(sizes)}x{sizes[0]}" if set(sizes) == {max(sizes)} != {1} else None
    return max(2, sum(sizes)), teams


def match_tables(counted: MatchTally) -> tuple[output.TextTable, ...]:
    results = [((output.shown_name(agent),), agent) for agent in counted.agents]
    return output.results_tables(("agent",), results, counted.agents[0].measure, counted.agents)


def place_table(counted: MatchTally) -> output.TextTable:
    """Return the lost games by place after the first attacker."""
    places = zip(counted.places.lost, counted.places.shares, strict=True)
    rows = []
    for number, (lost, share) in enumerate(places, 1):
        name = f"{number} (attacks first)" if number == 1 else f"{number}"
        rows.append((name, f"{lost}", output.percent_text(share.value), output.interval_text(share)))
    return output.TextTable(("place", "losses", "loss rate", "95 %"), tuple(rows))


def _notes(counted: MatchTally) -> list[str]:
    """Return what duplicate deals saved, or what a match of one agent measures."""
    if counted.agents[0].is_alone:
        return ["one agent on both seats: its score is 50 % by definition; compare places, lengths and times"]
    ratio = counted.variance_ratio
    if math.isnan(ratio):
        return []
    saved = "saved" if ratio <= 1 else "cost another"
    error = Z95 * ratio * math.sqrt(2 / (counted.deals - 1))
    return [
        f"duplicate deals {saved} {abs(1 - ratio):.0%} (± {error:.0%}) of the games that others would need"
    ]


def _summary(counted: MatchTally, speed: PlayRate) -> str:
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


def _elo_line(counted: MatchTally) -> list[str]:
    """Return a line with the first agent's lead in Elo points if two agents met."""
    first = counted.agents[0]
    if first.teams != 2 or len(counted.agents) != 2 or not counted.games:
        return []
    low, high = elo_interval((first.share.low, first.share.high))
    lead = f"{elo(first.score):+.0f} Elo ({low:+.0f} to {high:+.0f})"
    return [f"{first.text} against {counted.agents[1].text}: {lead}"]


_DIGITS: Final = 6
"""Decimals of a rating unaffected by rounding errors."""


@click.command()
@click.argument("agents", nargs=-1, required=True, metavar="AGENT...")
@choices.games_option(100, "Number of games for each pair or larger table.")
@output.playing_options
@choices.file_option("--csv", help="Write the results of the pairs to a CSV file.")
@choices.file_option("--json", help="Write all results to a JSON file, also if interrupted.")
@choices.file_option("--markdown", help="Write the tables to a Markdown file.")
@choices.resume_option
def tournament(  # noqa: PLR0913 - one per option
    *,
    agents: tuple[str, ...],
    games: int,
    rules: choices.RulesChoice,
    seed: int,
    workers: choices.WorkersChoice,
    csv: Path | None,
    json: Path | None,
    markdown: Path | None,
    resume: Path | None,
) -> None:
    """Play every AGENT against every other one.

    With two seats every pair plays a match on duplicate deals. With three or more seats every group of
    that size plays a table in balanced seatings; the result is the loss rate. Ratings are in Elo points,
    the same scale for any number of seats. Partners are joined with a plus, as in expert+expert
    expert+greedy (rules 2.2). Every two teams play a match, or with --seats 6 --set teams=3x2 every three.
    Ctrl+C ends the tournament early and keeps the finished games; --resume FILE continues it.

    Example: durak tournament greedy smart expert --games 200 --seed 1 --jobs 0
    """
    size = max(map(team_size, agents))
    playable = rules.rules(2 * size, f"2x{size}") if size > 1 else rules.rules()
    planned = Tournament(playable, agents, games, seed)
    output.check_targets(
        csv, json, markdown, inputs=[resume, rules.file, *output.input_files(planned.matches)]
    )
    require("An Elo rating", "lab", "numpy")  # fail before playing
    heading = f"{len(planned.agents)} agents, {planned.all_games} games, rules {planned.rules}, seed {seed}"
    standings = Standings(planned)

    with workers.opened() as jobs, output.kept_games(resume, planned.matches, planned.saved_fields) as saved:
        games_played = play_matches(planned.matches, jobs, saved)
        finished = output.count_games(games_played, standings.add, planned.all_games, heading)
    section = output.Section("", _tables(standings), _lines(standings))
    section.print()
    rows = []
    for row, column in permutations(standings.order(), 2):
        if cell := standings.cell(row, column):
            agent, opponent = standings.agents[row], standings.agents[column]
            counts = (cell.games, cell.wins, cell.draws, *astuple(cell.share))
            rows.append((agent.text, opponent.text, *counts, 1000 * agent.seconds_a_move))
    header = ("agent", "opponent", "games", "wins", "draws", "share", "low", "high", "ms_a_move")
    output.write_csv(csv, header, rows)
    output.write_json(json, standings_json(standings))
    output.write_sections(markdown, [section])
    if not finished:
        raise KeyboardInterrupt


def _tables(standings: Standings) -> tuple[output.TextTable, ...]:
    agents = [standings.agents[place] for place in standings.order()]
    ranked = [((output.shown_name(agent),), agent) for agent in agents]
    ranking, *times = output.results_tables(("agent",), ranked, agents[0].measure, agents)
    table = standings.elo()
    ratings = [_rating_table(standings, table)] if table else []
    return ranking, *ratings, _cross_table(standings), *times


def _rating_table(standings: Standings, elo_table: EloTable) -> output.TextTable:
    """Return the agents by rating, ties by result, with their intervals."""
    rows = []
    for place in sorted(standings.order(), key=lambda at: -round(elo_table.ratings[at].points, _DIGITS)):
        points, low, high = [f"{round(value):+d}" for value in astuple(elo_table.ratings[place])]
        rows.append((output.shown_name(standings.agents[place]), points, f"{low} to {high}"))
    return output.TextTable(("agent", "Elo", "95 %"), tuple(rows))


def _cross_table(standings: Standings) -> output.TextTable:
    order = standings.order()
    rows = []
    for number, row in enumerate(order, 1):
        cells = [standings.cell(row, column) if row != column else None for column in order]
        shares = [cell and cell.share for cell in cells]
        shown = [
            f"{100 * one.value:.1f} ({100 * one.low:.0f} to {100 * one.high:.0f})" if one else ""
            for one in shares
        ]
        rows.append((f"{number} {output.shown_name(standings.agents[row])}", *shown))
    return output.TextTable(("against", *[f"{number}" for number in range(1, len(order) + 1)]), tuple(rows))


def _lines(standings: Standings) -> list[str]:
    if not standings.games:
        return []
    teams = standings.tournament.rules.team_count
    lengths = (
        f"a game: {_length(standings.bouts)} bouts, {_length(standings.plies)} plies, "
        f"{standings.branching:.2f} actions to choose from (geometric mean)"
    )
    first, draws = standings.first_player, standings.draw_share
    lines = [output.first_line(first, teams), output.draws_line(draws), lengths]
    if teams == 2:
        lines.append("against: the row's score, in percent, and its 95 % interval")
    else:
        lines.append("against: of the games that one of the two lost, the percentage that the column lost")
    elo = standings.elo()
    if elo and elo.with_prior:
        added = "pair counts one draw" if teams == 2 else "table counts one game that all lose equally"
        lines.append(f"Elo: a player never lost a point, so each {added} more")
    lines += output.origins_lines(standings.tournament.matches)
    return lines + output.forfeits_line(standings.agents)


def _length(lengths: list[int]) -> str:
    return f"{fmean(lengths):.1f} ± {pstdev(lengths):.1f}"


@click.command()
@click.argument("agent")
@click.option(
    "--grid",
    "grids",
    multiple=True,
    metavar="OPTION=VALUES",
    help="Values of an option, as 0.5,1,1.4 or 10..100..10 (low..high..step); repeatable.",
)
@click.option("--against", required=True, metavar="AGENT", help="Opponent of every combination.")
@choices.games_option(100, "Number of games for each combination.")
@output.playing_options
@choices.file_option("--csv", help="Write the results to a CSV file.")
@choices.file_option("--plot", help="Plot the results of one or two grids to a .png or .svg file.")
@choices.resume_option
def tune(  # noqa: PLR0913 - one per option
    *,
    agent: str,
    grids: tuple[str, ...],
    against: str,
    games: int,
    rules: choices.RulesChoice,
    seed: int,
    workers: choices.WorkersChoice,
    csv: Path | None,
    plot: Path | None,
    resume: Path | None,
) -> None:
    """Play AGENT with every combination of option values and sort them by result.

    All combinations play the same deals. Under rules with teams, an agent plays all seats of its team. The
    best of many results is too high on average: confirm it in a match with another seed. --resume FILE
    continues an interrupted run.

    Example: durak tune mcts:simulation=greedy --grid limit=10..50..10 --grid c=0.5,1.4 --against greedy
    """
    read = [Grid.parse(text) for text in grids]
    combinations = combinations_of(agent, read)
    playable = rules.rules()
    matches = [Match(playable, filled(playable, (text, against)), games, seed) for text in combinations]
    if plot:
        plotted_grids(read)
    check_picture(plot)
    output.check_targets(csv, plot, inputs=[resume, rules.file, *output.input_files(matches)])
    setting = f"rules {matches[0].rules}, seed {seed}"
    heading = f"{len(matches)} agents, {games} games each against {matches[0].agents[1]}, {setting}"
    counted, finished = output.count_matches(matches, workers, heading, resume)
    options = tuple([grid.option for grid in read])
    tried = zip(combinations.values(), [tally.agents[0] for tally in counted], strict=True)
    measure = ResultMeasure.of(playable.team_count)
    results = sorted([one for one in tried if one[1].games], key=lambda one: measure.rank(one[1].share.value))
    agents = [one for tally in counted for one in tally.agents]
    lines = sorted({f"{one.text} calls itself {one.name}" for one in agents if one.name})
    lines += output.origins_lines(matches)
    output.Section("", output.results_tables(options, results, measure, agents), lines).print()
    rows = []
    for values, tally in results:
        counts = (tally.text, tally.games, tally.wins, tally.draws, tally.losses)
        rows.append((*values, *counts, *astuple(tally.share), 1000 * tally.seconds_a_move))
    header = (*options, "agent", "games", "wins", "draws", "losses", measure.key, "low", "high", "ms_a_move")
    output.write_csv(csv, header, rows)
    if plot and results:
        each = games if finished else f"up to {games}"
        title = f"{common_text(agent, read)} against {matches[0].agents[1]}\n{each} games each, {setting}"
        tuning_plot(plot, read, dict(results), title=title)
    if not finished:
        raise KeyboardInterrupt
