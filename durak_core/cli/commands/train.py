"""`durak train`, `evaluate`, `exploit` and `solve`: learning and exact solutions."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from statistics import fmean, stdev
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

import click
from click.formatting import wrap_text

from durak_core.agents.learned import load_valuing
from durak_core.agents.registry import NamedAgent, quoted, split_texts
from durak_core.cli import choices, output
from durak_core.cli.root import Subcommands
from durak_core.config import ConfigError
from durak_core.installation import require
from durak_core.kernel.position import MASK63, derive
from durak_core.lab.equilibrium.cfr import Snapshot
from durak_core.lab.equilibrium.saved import FORMAT, EquilibriumAbout, write_equilibrium
from durak_core.lab.equilibrium.small_game import Distance, TinyGame, check_view, is_exact, play_as
from durak_core.lab.experiments.results import commit, machine, versions
from durak_core.lab.experiments.tables import loser
from durak_core.lab.matches.match import GameSummary, Match
from durak_core.lab.matches.players import (
    IN_PROCESS,
    PLAYERS,
    load_compiled,
    player_text,
    read_local_player,
    read_player,
    recipe_of,
)
from durak_core.lab.matches.schedule import play_matches
from durak_core.lab.own_agents.origins import with_origins
from durak_core.lab.own_agents.reading import Recipe, files_of, origins_of
from durak_core.lab.stats.match_results import MatchTally, ResultMeasure, tally_json
from durak_core.lab.workers import run_in_order
from durak_core.rules import Rules
from durak_core.rules_file import rules_file, rules_spec
from durak_core.search.backend.backend import backend, plain_backend
from durak_core.search.network.weights import FILE_NAME
from durak_core.statistics import Share

if TYPE_CHECKING:
    from durak_core.lab.learn.run import TrainingRun
    from durak_core.lab.learn.selfplay import Trainer
    from durak_core.lab.learn.settings import LearnerSettings


_LIBRARIES: Final = ("Training", "learn", "torch", "tensorboard")

_LEARNERS: Final = {
    "dmc": "deep Monte Carlo, from the outcomes of games",
    "dqn": "deep Q-learning, from later estimates and a replay buffer",
    "ppo": "proximal policy optimisation",
}

_HELP: Final = """Train a network by {what}.

FOLDER gets checkpoint.pt, from which an interrupted run continues, weights.npz for
{name}:weights=FILE, and a TensorBoard log. Ctrl+C saves and stops.

Example: durak train {name} --config benchmarks/learning/{name}-two.toml --out runs/{name}
"""


@click.group(cls=Subcommands)
def train() -> None:
    """Train networks by self-play.

    Training needs torch and tensorboard; in a checkout of Durak run python3 -m pip install '.[learn]'.
    """


def _command(name: str, what: str) -> click.Command:
    @click.command(name, help=_HELP.format(name=name, what=what))
    @choices.file_option(
        "--config",
        required=True,
        metavar="FILE",
        help="Training settings, a TOML file (see durak train settings).",
    )
    @choices.run_option
    @choices.workers_options
    def command(*, config: Path, out: Path, workers: choices.WorkersChoice) -> None:
        require(*_LIBRARIES)
        from durak_core.lab.learn.run import read_learner  # noqa: PLC0415 - torch takes seconds

        trainer = read_learner(name, config)
        if not workers.are_one and trainer.settings.actors == 1:
            raise ConfigError(f"expected 2 or more for {workers.text}", "actors", "1", config.name)
        go_on(trainer, out, f"training for {trainer.rules}", workers=workers)

    return command


for _name, _what in _LEARNERS.items():
    train.add_command(_command(_name, _what))


@train.command()
def settings() -> None:
    """List training settings; all of a learner's settings without a default are required."""
    from durak_core.lab.learn import settings as known  # noqa: PLC0415 - the package imports Gymnasium

    shared = {"all learners": known.LearnerSettings, "dmc and dqn": known.ExploringSettings}
    parts = []
    for heading, kind in [*shared.items(), *known.KINDS.items()]:
        lines = [f"{heading}:"]
        for name, (values, meaning) in known.reference(kind).items():
            lines.append(wrap_text(f"{name}: {values}", initial_indent="  ", subsequent_indent="      "))
            lines.append(wrap_text(meaning, initial_indent="      ", subsequent_indent="      "))
        parts.append("\n".join(lines))
    click.echo("\n\n".join(parts))


_ALONE: Final = choices.WorkersChoice(None, "joblib", None)


def go_on(
    trainer: Trainer[LearnerSettings],
    out: Path,
    what: str,
    hours: float = float("inf"),
    workers: choices.WorkersChoice = _ALONE,
) -> TrainingRun:
    """Train in a folder until all games are played or the run has taken these hours, and save.

    Raises:
        KeyboardInterrupt: If the user stops it, after saving.
    """
    from durak_core.lab.learn.run import locked_run  # noqa: PLC0415 - torch takes seconds

    asked: list[int] = []

    def ask(number: int, frame: FrameType | None) -> None:
        del frame
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    with locked_run(trainer, out, click.echo) as run:
        before = signal.signal(signal.SIGINT, ask)
        try:
            click.echo(f"{what} up to {trainer.settings.games:,} games in {out}")
            done, total = trainer.counts.games, trainer.settings.games
            with workers.opened() as jobs, output.progress(total, "training", done=done) as count:
                run.go(lambda: bool(asked) or run.hours >= hours, jobs, count)
        finally:
            signal.signal(signal.SIGINT, before)
    click.echo(f"saved after {trainer.counts.games:,} games")
    if asked:
        raise KeyboardInterrupt
    return run


@click.command()
@click.argument("checkpoint", type=choices.FILE)
@click.option(
    "--against",
    "opponents",
    multiple=True,
    required=True,
    metavar="AGENT",
    help="Opponent; repeatable, or several separated by commas.",
)
@choices.games_option(1000, "Number of games against each opponent.")
@choices.seed_option
@choices.workers_options
def evaluate(
    *, checkpoint: Path, opponents: tuple[str, ...], games: int, seed: int, workers: choices.WorkersChoice
) -> None:
    """Play a trained network against agents, under the rules that it was trained for.

    CHECKPOINT is the folder of a training run or a file of weights. Every deal is played from every seating.
    The opponent plays all other seats.

    Example: durak evaluate runs/two --against greedy,ismcts:iterations=1000 --games 2000
    """
    path = checkpoint / FILE_NAME if checkpoint.is_dir() else checkpoint
    network = load_valuing(path)
    learner = player_text(f"{network.about.trained_by or 'dmc'}:weights={quoted(str(path))}")
    seats = network.rules.seats
    names = [name for text in opponents for name in split_texts(text, PLAYERS)]
    matches = [
        Match(network.rules, (learner, *[other] * (seats - 1)), games, seed)
        for other in map(player_text, names)
    ]
    heading = (
        f"{path}: {network.about.games:,} games of training, {network.about.encoding}, "
        f"rules {network.rules}; {games} games each, seed {seed}"
    )
    counted, finished = output.count_matches(matches, workers, heading)
    against = [((output.shown_name(tally.agents[1]),), tally.agents[0]) for tally in counted]
    agents = [agent for tally in counted for agent in tally.agents]
    measure = ResultMeasure.of(network.rules.team_count)
    tables = output.results_tables(("against",), against, measure, agents)
    output.Section("", tables, output.origins_lines(matches)).print()
    if not finished:
        raise KeyboardInterrupt


_FRESH_SEEDS: Final = 2
"""How many seeds after the training seed give the test deals."""


@click.command()
@click.argument("agent", metavar="AGENT")
@choices.run_option
@choices.rules_options
@choices.games_option(10_000_000, "Number of training games; games in progress are finished.")
@click.option("--hours", type=choices.NumberRange(min=0), default=1.0, help="Maximum hours of training.")
@click.option(
    "--seed",
    type=choices.IntegerRange(0, MASK63 - _FRESH_SEEDS),
    default=1,
    metavar="S",
    help="Seed of training.",
)
@click.option(
    "--test-games",
    type=choices.IntegerRange(min=2),
    default=2000,
    help="Number of test games on each of the seeds S + 1 and S + 2.",
)
@click.option(
    "--search",
    "iterations",
    type=choices.IntegerRange(0),
    default=0,
    metavar="N",
    help="Iterations of a search that the exploiter's network guides in the test games, 0 for no search.",
)
@choices.workers_options
@choices.file_option(
    "--json", "json_path", help="Write the figures and the loser of each game to a JSON file."
)
def exploit(  # noqa: PLR0913 - one for each option
    *,
    agent: str,
    out: Path,
    rules: choices.RulesChoice,
    games: int,
    hours: float,
    seed: int,
    test_games: int,
    iterations: int,
    workers: choices.WorkersChoice,
    json_path: Path | None,
) -> None:
    """Train an exploiter against a frozen AGENT and measure its score.

    The score is a lower bound: a better exploiter may beat the agent by more. Training starts from the
    shipped network for the rules, if there is one, and uses deep Monte Carlo. FOLDER is as for durak train,
    and Ctrl+C saves and stops. Training needs torch and tensorboard; in a checkout of Durak run
    python3 -m pip install '.[learn]'.

    Example: durak exploit expert --hours 0.5 --out runs/against-expert
    """
    from durak_core.lab.learn.settings import CHECKPOINT, exploiter_settings  # noqa: PLC0415 - Gymnasium is slow

    files = [rules.file, *files_of([read_player(agent)])]
    output.check_targets(json_path, inputs=[out, out / CHECKPOINT, out / FILE_NAME, *files])
    require(*_LIBRARIES)
    from durak_core.lab.learn.learners import DmcTrainer  # noqa: PLC0415 - torch takes seconds

    trainer = DmcTrainer(exploiter_settings(agent, rules.rules(), games, seed))
    (text,) = trainer.settings.opponents
    run = go_on(trainer, out, f"learning to beat {text}, {trainer.rules}, seed {seed},", hours)
    training = {"seed": seed, "games": trainer.counts.games, "hours": round(run.hours, 3)}
    weights = quoted(str(out / FILE_NAME))
    player = f"ismcts:iterations={iterations},net={weights}" if iterations else f"dmc:weights={weights}"
    exploiter = player_text(player)
    seeds = range(seed + 1, seed + 1 + _FRESH_SEEDS)
    test = _Test([Match(trainer.rules, (exploiter, text), test_games, fresh) for fresh in seeds])
    test.play(workers)
    test.table().print()
    output.print_lines(_verdict(text, test.score, training))
    told = {"agent": text, "rules": trainer.rules.text, "training": training, "search": iterations}
    told |= test.told()
    output.write_json(json_path, {**told, "commit": commit(), "versions": versions(), "machine": machine()})


class _Test:
    """Matches of an exploiter with its agent on several seeds, counted separately and together."""

    def __init__(self, matches: Sequence[Match]) -> None:
        self._matches = matches
        self._tallies = [MatchTally.of(match) for match in matches]
        self._together = MatchTally.of(matches[0])
        self._losers: list[list[str]] = [[] for _ in matches]

    @property
    def score(self) -> Share:
        return self._together.agents[0].share

    def play(self, workers: choices.WorkersChoice) -> None:
        """Play all games.

        Raises:
            KeyboardInterrupt: If the user stops it.
        """
        seeds = " and ".join(str(match.seed) for match in self._matches)
        games = self._matches[0].games
        heading = f"{games} games on each of the fresh seeds {seeds}, every deal from both seats"
        with workers.opened() as jobs:
            played = play_matches(self._matches, jobs, None)
            if not output.count_games(played, self._count, games * len(self._matches), heading):
                raise KeyboardInterrupt

    def _count(self, place: int, game: GameSummary) -> bool:
        self._tallies[place].add(game)
        self._together.add(game)
        self._losers[place].append(loser(game))
        return False

    def table(self) -> output.TextTable:
        names = [*[str(match.seed) for match in self._matches], "together"]
        learners = [tally.agents[0] for tally in (*self._tallies, self._together)]
        rows = [(name, *output.result_cells(learner)) for name, learner in zip(names, learners, strict=True)]
        return output.TextTable(("seed", *output.result_heads(learners[0].measure)), tuple(rows))

    def told(self) -> dict[str, Any]:
        tests = []
        for match, tally, losers in zip(self._matches, self._tallies, self._losers, strict=True):
            figures = tally_json(tally)
            figures["agents"][0]["agent"] = "exploiter"  # not its file on this machine
            tests.append({"seed": match.seed, **figures, "losers": "".join(losers)})
        told = {"score": self.score.value, "interval": [self.score.low, self.score.high], "tests": tests}
        return with_origins(told, self._matches[0].origins)


def _verdict(agent: str, score: Share, training: dict[str, Any]) -> str:
    trained = f"{training['games']:,} games and {training['hours']:.2f} hours of training"
    found = f"{output.percent_text(score.value)} ({output.interval_text(score)})"
    if score.low <= 0.5:
        return (
            f"after {trained} this exploiter scores {found} against {agent}. It does not beat it, and so "
            "gives no bound on how badly it can be beaten"
        )
    return (
        f"an opponent can score at least {output.percent_text(score.low)} against {agent}, half in perfect "
        f"play: {found} after {trained}. This is a lower bound on how "
        "badly it can be beaten; a better exploiter may score more"
    )


_FIRST_LOOK: Final = 25
"""Iterations before the distance is first computed; they double each time."""


@dataclass(frozen=True, slots=True)
class _Found:
    """An agent's figures.

    Attributes:
        asked: Queries per decision and sampling; 0 for the equilibrium.
        errors: Half widths of the 95 % intervals of NashConv and of the score against the equilibrium, over
            `_SAMPLINGS` samplings; None if exact.
    """

    player: str
    asked: int
    distance: Distance
    score_against_equilibrium: float
    errors: tuple[float, float] | None = None

    def told(self) -> dict[str, Any]:
        return {
            "player": self.player,
            "asked": self.asked,
            "best_responses": list(self.distance.best),
            "nash_conv": self.distance.nash_conv,
            "score": self.distance.score,
            "score_against_equilibrium": self.score_against_equilibrium,
            "errors": self.errors,
        }


_SAMPLINGS: Final = 5
_T95: Final = 2.776
"""The 97.5 % quantile of Student's distribution with 4 degrees of freedom."""


@click.command()
@click.argument("rules", metavar="RULES")
@click.option(
    "--within",
    type=choices.NumberRange(0, min_open=True),
    default=0.001,
    help="Stop at this NashConv.",
)
@click.option(
    "--iterations", type=choices.IntegerRange(1), default=10_000, help="Maximum iterations of CFR+."
)
@click.option(
    "--agents",
    "listed",
    multiple=True,
    metavar="AGENT",
    help="Agent to measure; repeatable, or several separated by commas.",
)
@click.option(
    "--samples",
    type=choices.IntegerRange(1),
    default=20,
    help="Number of times an agent of unknown probabilities is queried at each of its decisions; "
    f"{_SAMPLINGS} such samplings give an interval.",
)
@click.option(
    "--seed", type=choices.IntegerRange(0, MASK63), default=1, metavar="S", help="Seed of stochastic agents."
)
@choices.workers_options
@choices.file_option(
    "--save", "save_path", help="Save the equilibrium to a file for the agent equilibrium:file=FILE."
)
@choices.file_option("--json", "json_path", help="Write the figures to a JSON file.")
def solve(  # noqa: PLR0913 - one for each option
    *,
    rules: str,
    within: float,
    iterations: int,
    listed: tuple[str, ...],
    samples: int,
    seed: int,
    workers: choices.WorkersChoice,
    save_path: Path | None,
    json_path: Path | None,
) -> None:
    """Compute an equilibrium of RULES with a tiny deck, and how exploitable AGENTs are there.

    Every deal and history is enumerated. CFR+ solves the game while cards are hidden, and backward induction
    once both seats know all cards. Best responses are exact. The payoff is -1 for the fool, 1 for the other
    seat and 0 for a draw. Only measuring agents uses several processes.

    Example: durak solve podkidnoy:suits=1,lowest_rank=10,hand_size=2 --agents greedy,expert
    """
    players = [read_local_player(one) for text in listed for one in split_texts(text, IN_PROCESS)]
    output.check_targets(save_path, json_path, inputs=[rules_file(rules), *files_of(players)])
    for player in players:
        check_view(player.build())
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
        about = EquilibriumAbout(
            FORMAT, game.rules.text, max(0.0, distance.nash_conv), first, game.iterations
        )
        write_equilibrium(save_path, about, game.strategy())
    load_compiled(players)
    measured = _measured(game, players, samples, seed, workers)
    found = [_Found("equilibrium", 0, distance, 0.5), *measured]
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
    output.write_json(json_path, with_origins(told, origins_of(players)))


@lru_cache(maxsize=1)
def _grown(rules: Rules, runner: str) -> TinyGame:
    return TinyGame(rules, plain_backend() if runner == "plain" else backend("solve"))


def _sample(
    game: TinyGame | tuple[Rules, str], equilibrium: Snapshot, recipe: Recipe, samples: int, seed: int
) -> tuple[int, float, Distance]:
    """Return an agent's queries per decision, score against the equilibrium and distance from one.

    Another process gets the rules and the backend, whose sums have an order of their own, and grows the game,
    which is too large to send.
    """
    read, arguments = recipe
    player = read(*arguments)
    load_compiled([player])
    if isinstance(game, tuple):
        game = _grown(*game)
    game.adopt(equilibrium)
    asked = play_as(game, player.build(), samples, seed)
    return asked, 0.5 + sum(game.returns_against(equilibrium)) / 4, game.distance()


def _measured(
    game: TinyGame, players: Sequence[NamedAgent], samples: int, seed: int, workers: choices.WorkersChoice
) -> Iterator[_Found]:
    """Measure agents, also against the strategy that the game has now."""
    equilibrium = game.snapshot()
    samplings = [1 if is_exact(player.build()) else _SAMPLINGS for player in players]
    tasks = [
        (
            game if workers.are_one else (game.rules, game.backend),
            equilibrium,
            recipe_of(player),
            samples,
            derive(seed, sampling) if sampling else seed,
        )
        for player, count in zip(players, samplings, strict=True)
        for sampling in range(count)
    ]
    with workers.opened() as jobs:
        results = run_in_order(_sample, tasks, jobs)
        for player, count in zip(players, samplings, strict=True):
            asked, scores, distances = zip(*islice(results, count), strict=True)
            first, second = map(fmean, zip(*[one.best for one in distances], strict=True))
            errors = None
            if count > 1:
                errors = _half_width([one.nash_conv for one in distances]), _half_width(scores)
            yield _Found(player.text, asked[0], Distance((first, second)), fmean(scores), errors)


def _half_width(values: Sequence[float]) -> float:
    return _T95 * stdev(values) / math.sqrt(len(values))


def _print_found(found: Sequence[_Found]) -> None:
    rows = [
        (
            one.player,
            f"{one.distance.nash_conv:.4f}" + (f" ± {one.errors[0]:.4f}" if one.errors else ""),
            output.percent_text(one.distance.score),
            output.percent_text(one.score_against_equilibrium)
            + (f" ± {100 * one.errors[1]:.1f}" if one.errors else ""),
            f"{one.asked}" if one.asked else "",
        )
        for one in found
    ]
    heads = ("both seats play", "NashConv", "best opponent's score", "score v equilibrium", "asked")
    output.TextTable(heads, tuple(rows)).print()
    output.print_lines("50 % is the best opponent's score if nothing can be gained")
    if any(one.errors for one in found):
        output.print_lines(
            f"±: 95 % intervals of {_SAMPLINGS} samplings, which raise NashConv, less so with more --samples"
        )


def _solved(game: TinyGame, within: float, iterations: int) -> Distance:
    distance = game.distance()
    while distance.nash_conv > within and game.iterations < iterations:
        some = max(_FIRST_LOOK, game.iterations)
        game.iterate(min(some, iterations - game.iterations))
        distance = game.distance()
    return distance
