"""Plays and counts games with a progress bar, until done, stopped by a rule, or interrupted."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click

from durak_core.cli.choices import Command, WorkersChoice, rules_options, seed_option, workers_options
from durak_core.cli.output import progress
from durak_core.interrupts import uninterrupted
from durak_core.lab.matches.game import GameSummary
from durak_core.lab.matches.match import Match
from durak_core.lab.matches.saved_games import SavedGames
from durak_core.lab.matches.schedule import play_matches
from durak_core.lab.own_agents.reading import files_of
from durak_core.lab.stats.match_results import MatchTally


def playing_options(command: Command) -> Command:
    """Give a command the options of `rules_options`, `seed_option` and `workers_options`."""
    return rules_options(seed_option(workers_options(command)))


def count_games(
    played: Generator[tuple[int, GameSummary], None, None],
    count: Callable[[int, GameSummary], object],
    total: int,
    heading: str,
    *,
    with_bar: bool = True,
) -> bool:
    """Print a heading and count games; return False after Ctrl+C, which prints a note to stderr.

    ``count`` receives the match index and the game, and returns a true value to stop.
    """
    games = 0
    try:
        click.echo(heading)
        with closing(played), progress(total, shown=with_bar) as step:
            for place, game in played:
                with uninterrupted():
                    is_enough = count(place, game)
                    games += 1
                step()
                if is_enough:
                    break
    except KeyboardInterrupt:
        click.echo(f"interrupted after {games} games", err=True)
        return False
    return True


def input_files(matches: Iterable[Match]) -> list[Path]:
    """Return the files that options of the players name."""
    return files_of(player for match in matches for player in match.named)


@contextmanager
def kept_games(
    path: Path | None, matches: Sequence[Match], tournament: Mapping[str, Any] | None = None
) -> Iterator[SavedGames | None]:
    """Context manager of the resume file, if any; prints its number of games. Errors as for `SavedGames`."""
    if path is None:
        yield None
        return
    with SavedGames(path, matches, tournament) as saved:
        if saved.finished:
            click.echo(f"{len(saved.finished)} games were finished before")
        yield saved


def count_matches(
    matches: Sequence[Match], workers: WorkersChoice, heading: str, resume: Path | None = None
) -> tuple[list[MatchTally], bool]:
    """Play matches; return their tallies and whether all games were played."""
    counted = [MatchTally.of(match) for match in matches]
    with workers.opened() as jobs, kept_games(resume, matches) as saved:
        total = sum(match.games for match in matches)
        played = play_matches(matches, jobs, saved)
        return counted, count_games(played, lambda place, game: counted[place].add(game), total, heading)
