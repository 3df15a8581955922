"""Matches as they stand in tables: what decides their result, and a name for it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from durak_core.agents.registry import agent_values
from durak_core.arena.matches.match import Match
from durak_core.arena.matches.players import PLAYERS
from durak_core.rules import Rules


@dataclass(frozen=True)
class Entry:
    """One match.

    Attributes:
        players: The players' canonical texts.
        rules: The rules' text, seats and all.
        games: How many games, whole deals.
        seed: Of all chance.
    """

    players: tuple[str, ...]
    rules: str
    games: int
    seed: int

    @property
    def settings(self) -> dict[str, Any]:
        """What the result hangs on, apart from the program, as JSON; all options, so defaults may change."""
        return {
            "players": list(self.players),
            "options": [agent_values(player, PLAYERS) for player in self.players],
            "rules": self.rules,
            "games": self.games,
            "seed": self.seed,
        }

    @property
    def key(self) -> str:
        """A name for these settings, whatever the commit."""
        return key_of(self.settings)

    @property
    def match(self) -> Match:
        """What is to be played."""
        return Match(Rules.parse(self.rules), self.players, self.games, self.seed)


def key_of(settings: Mapping[str, Any]) -> str:
    """Return a name for settings that are JSON."""
    text = json.dumps(settings, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def pair(first: str, second: str) -> tuple[str, str]:
    """Return two players in the order in which their match is played and kept."""
    return (first, second) if first <= second else (second, first)


def seated(rules: str, seats: int) -> str:
    """Return the full text of rules with so many seats.

    Raises:
        RulesError: If there are no such rules, or they cannot be played by so many.
    """
    name, _, rest = rules.partition(":")
    settings = [part for part in rest.split(",") if part.strip()]
    return Rules.parse(f"{name}:{','.join([*settings, f'seats={seats}'])}").text


def whole_deals(games: int, seats: int) -> int:
    """Return a number of games that is not below another one, and a multiple of the seats."""
    return -(-games // seats) * seats
