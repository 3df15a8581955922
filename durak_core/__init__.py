"""Durak: the rules, the game, its notation, players and matches, without any terminal.

Everything public is imported from here; importing it loads no numpy, numba or torch.
"""

from durak_core.actions import (
    PASS,
    TAKE,
    Action,
    Attack,
    Defend,
    Pass,
    ShowTrump,
    Take,
    Transfer,
    parse_action,
)
from durak_core.cards import Card, CardSet, Rank, Suit
from durak_core.game import Observation, Phase, Role, State, TablePair, WhyNot, next_first_attacker
from durak_core.rules import OPTIONS, PRESETS, Rules

__all__ = [
    "OPTIONS",
    "PASS",
    "PRESETS",
    "TAKE",
    "Action",
    "Attack",
    "Card",
    "CardSet",
    "Defend",
    "Observation",
    "Pass",
    "Phase",
    "Rank",
    "Role",
    "Rules",
    "ShowTrump",
    "State",
    "Suit",
    "TablePair",
    "Take",
    "Transfer",
    "WhyNot",
    "next_first_attacker",
    "parse_action",
]
