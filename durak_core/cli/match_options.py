"""Output and stopping options of `durak match`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from durak_core.cli.choices import IntegerRange, bundled, file_option, resume_option
from durak_core.lab.matches.match import Match
from durak_core.lab.stats.stopping import Sprt, StoppingRule, UntilSignificant, UntilSure
from durak_core.messages import shortened

GAMES: Final = 100
"""Default of --games, which is also the batch of --until-significant."""

MAX_GAMES: Final = 10_000
"""Default of --max-games."""


@dataclass(frozen=True, slots=True)
class Output:
    """Output in addition to the table; raises `click.UsageError` for conflicting options."""

    verbose: bool
    log: Path | None
    json: Path | None
    resume: Path | None
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


ending_options: Final = bundled(
    "ending",
    Ending,
    click.option(
        "--games",
        "--total-games",
        type=IntegerRange(min=1),
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
        type=IntegerRange(min=1),
        help=f"Maximum games of a match with a stopping rule.  [default: {MAX_GAMES}]",
    ),
)

output_options: Final = bundled(
    "output",
    Output,
    click.option(
        "--verbose",
        is_flag=True,
        help="Print every bout, hand, choice, reason and search result; on a terminal, trumps are coloured.",
    ),
    file_option("--log", help="Write the output of --verbose to a file."),
    file_option(
        "--json",
        help="Write the games to a file, one JSON object a line. "
        "The file appears when the match ends or is interrupted.",
    ),
    resume_option,
    click.option(
        "--findings",
        is_flag=True,
        help="Add search info to the games of --json or --resume: nodes, depth, values and lines.",
    ),
)
