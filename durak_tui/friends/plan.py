"""What the host of a table chooses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from durak_core import Rules
from durak_core.agents.personas import OPPONENTS
from durak_core.errors import AgentError, RulesError
from durak_tui.friends.messages import CLOCKS, No, Open, refusal
from durak_tui.players.roster import check_bot, resolve_opponent

STAND_IN: Final = resolve_opponent("viktor")
"""The bot that plays for people who are away."""

_PLAYERS: Final = frozenset({"", *(opponent.key for opponent in OPPONENTS)})


@dataclass(frozen=True, slots=True)
class Plan:
    """The rules, the players and the clock of a table.

    Attributes:
        players: For each seat an opponent's name such as ``viktor``, or empty for a person.
        clock: Seconds a move, or 0.
        spectators: Whether people with the code may watch.
    """

    rules: Rules
    players: tuple[str, ...]
    clock: int
    spectators: bool = True

    @property
    def bots(self) -> tuple[str, ...]:
        """For each seat a bot's spec, or empty for a person."""
        return tuple([player and resolve_opponent(player) for player in self.players])


def read_plan(wanted: Open) -> Plan | No:
    """Check what a host asks for; return the refusal if it is impossible."""
    try:
        rules = Rules.parse(wanted.rules)
        if not {""} <= {*wanted.players} <= _PLAYERS or len(wanted.players) != rules.seats:
            return refusal("players")
        if wanted.clock not in CLOCKS:
            return refusal("clock")
        plan = Plan(rules, wanted.players, wanted.clock, wanted.spectators)
        for bot in {STAND_IN, *filter(None, plan.bots)}:
            check_bot(bot, rules)
    except (RulesError, AgentError) as error:
        return No("rules", why=str(error))
    return plan
