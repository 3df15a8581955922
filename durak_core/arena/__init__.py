"""Agents against agents: one game, matches that cancel luck, and what they say."""

from durak_core.arena.game import Forfeit, GameResult, agent_seed, play_from, play_game
from durak_core.arena.match import GameSummary, Match, MatchGame, play_match
from durak_core.arena.parallel import play_parallel
from durak_core.arena.players import PLAYERS, make_player, player_text
from durak_core.arena.resume import SavedMatch, play_saved
from durak_core.arena.statistics import (
    AgentTally,
    DealMean,
    MatchTally,
    elo,
    elo_interval,
    tally_json,
    tally_match,
    wilson_interval,
)
from durak_core.arena.stopping import Sprt, StoppingRule, UntilSure, score_of_elo, sprt_llr

__all__ = [
    "PLAYERS",
    "AgentTally",
    "DealMean",
    "Forfeit",
    "GameResult",
    "GameSummary",
    "Match",
    "MatchGame",
    "MatchTally",
    "SavedMatch",
    "Sprt",
    "StoppingRule",
    "UntilSure",
    "agent_seed",
    "elo",
    "elo_interval",
    "make_player",
    "play_from",
    "play_game",
    "play_match",
    "play_parallel",
    "play_saved",
    "player_text",
    "score_of_elo",
    "sprt_llr",
    "tally_json",
    "tally_match",
    "wilson_interval",
]
