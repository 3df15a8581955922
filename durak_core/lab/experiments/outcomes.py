"""Who lost each game of a match, kept beside its result so that anyone can count it again."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, Final

from durak_core.errors import DurakError
from durak_core.lab.matches.game import GameSummary
from durak_core.lab.matches.match import Match
from durak_core.lab.stats.match_results import MatchTally, agent_json
from durak_core.rules import Rules

_DRAW: Final = "-"
_NOT_KEPT: Final = ("forfeits", "decisions", "seconds", "milliseconds_a_move", "name", "waited")
"""Figures of a player that do not follow from who lost."""

_CLOSE: Final = 1e-9


class OutcomesError(DurakError):
    """Outcomes of games that are none of the match's, or say something else than its result."""


def loser(game: GameSummary) -> str:
    """Return who lost a game, as the place of a player or team in the match, or a hyphen for a draw."""
    return _DRAW if game.fool is None else str(game.seating[game.fool])


def packed(losers: Iterable[str]) -> str:
    """Return a character for each game, deflated and in base64."""
    return base64.b64encode(zlib.compress("".join(losers).encode(), 9)).decode()


def unpacked(text: str, games: int) -> str:
    """Return what was packed.

    Raises:
        OutcomesError: If these are not the outcomes of so many games.
    """
    try:
        found = (
            zlib.decompressobj().decompress(base64.b64decode(text, validate=True), games + 1).decode("ascii")
        )
    except (binascii.Error, zlib.error, ValueError) as error:
        raise OutcomesError("outcomes that cannot be unpacked: {why}", why=error) from None
    if len(found) != games:
        raise OutcomesError("outcomes of {found} games: expected {games}", found=len(found), games=games)
    return found


def check_outcomes(settings: Mapping[str, Any], tally: Mapping[str, Any]) -> bool:
    """Count a match again, with all its intervals, from the outcomes in its tally; False where it has none.

    Raises:
        OutcomesError: If a figure of the tally is another one.
    """
    if not tally.get("outcomes"):
        return False
    players = tuple(settings["players"])
    match = Match(Rules.parse(settings["rules"]), players, settings["games"], settings["seed"])
    counted = MatchTally.of(match)
    for number, lost in enumerate(unpacked(tally["outcomes"], match.games)):
        counted.add(_game(match, number, lost))
    for told, agent in zip(tally["agents"], map(agent_json, counted.agents), strict=True):
        for name, value in agent.items():
            if name not in _NOT_KEPT and not _same(told[name], value):
                raise OutcomesError(
                    "{player}: {name} {told}, but by the outcomes of the games {value}",
                    player=agent["agent"],
                    name=name,
                    told=told[name],
                    value=value,
                )
    return True


def _game(match: Match, number: int, lost: str) -> GameSummary:
    seating = match.seating(number)
    seats = len(seating)
    if lost != _DRAW and lost not in map(str, seating):
        raise OutcomesError(
            "game {number} lost by {lost!r}: expected 0 to {last}, or - for a draw",
            number=number,
            lost=lost,
            last=max(seating),
        )
    fool = None if lost == _DRAW else seating.index(int(lost))
    return GameSummary(number, seating, fool, 0, 0, (0,) * seats, (0.0,) * seats)


def _same(told: Any, value: Any) -> bool:  # noqa: ANN401 - whatever a file says
    if isinstance(value, list):
        return len(told) == len(value) and all(map(_same, told, value))
    return bool(told == value) if isinstance(value, str) else abs(told - value) < _CLOSE
