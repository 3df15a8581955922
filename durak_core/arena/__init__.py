"""Agents against agents: one game, matches that cancel luck, and what they say."""

from durak_core.arena.game import GameResult, agent_seed, play_from, play_game
from durak_core.arena.match import Match, MatchGame, play_match
from durak_core.arena.statistics import AgentTally, MatchTally, tally_match, wilson_interval

__all__ = [
    "AgentTally",
    "GameResult",
    "Match",
    "MatchGame",
    "MatchTally",
    "agent_seed",
    "play_from",
    "play_game",
    "play_match",
    "tally_match",
    "wilson_interval",
]
