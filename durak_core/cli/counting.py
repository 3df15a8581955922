"""Several matches one after the other, counted, with a progress bar."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

import click

from durak_core.arena.matches.match import Match
from durak_core.arena.matches.parallel import play_parallel
from durak_core.arena.results.tally import MatchTally
from durak_core.arena.workers.interrupts import uninterrupted
from durak_core.cli.choices import WorkersChoice
from durak_core.cli.output import progress


def count_matches(matches: Sequence[Match], workers: WorkersChoice) -> tuple[list[MatchTally], bool]:
    """Play matches and count them, as far as nobody interrupts.

    Args:
        matches: What is to be played.
        workers: Who plays.

    Returns:
        What was counted of each match, and whether all were finished; Ctrl+C is told on stderr.

    Raises:
        DurakError: As for `play_parallel`.
    """
    counted = [MatchTally.of(match) for match in matches]
    try:
        with workers.opened() as jobs, progress(sum(match.games for match in matches)) as step:
            for match, tally in zip(matches, counted, strict=True):
                with closing(play_parallel(match, jobs)) as played:
                    for game in played:
                        with uninterrupted():
                            tally.add(game)
                        step()
    except KeyboardInterrupt:
        click.echo(f"interrupted after {sum(tally.games for tally in counted)} games", err=True)
        return counted, False
    return counted, True
