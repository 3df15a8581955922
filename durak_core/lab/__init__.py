"""The laboratory: matches between agents, tournaments, and statistics of their games.

Its public names are imported from here; learning, equilibria, epistemic models, experiments and plots are
packages of their own below it. Nothing of the game as a library imports the laboratory.
"""

from durak_core.lab.matches.game import GameResult, GameSummary, play_from, play_game
from durak_core.lab.matches.match import Match, SoloMatch, play_match
from durak_core.lab.matches.players import PLAYERS, make_player, player_text
from durak_core.lab.matches.saved_games import SavedGames
from durak_core.lab.matches.schedule import play_matches
from durak_core.lab.matches.tournament import Fixture, Tournament, cyclic_orders
from durak_core.lab.matches.tuning import Grid, combinations_of
from durak_core.lab.stats.decisions import DecisionRow, decision_rows
from durak_core.lab.stats.match_results import AgentTally, MatchTally, tally_json, tally_match
from durak_core.lab.stats.measure import Measure
from durak_core.lab.stats.ratings import (
    EloRating,
    EloTable,
    Pairing,
    SkillRating,
    elo_ratings,
    skill_ratings,
)
from durak_core.lab.stats.recorded_games import Deeds, Figures, PlayerFigures, RulesFigures, figures_json
from durak_core.lab.stats.stopping import Sprt, StoppingRule, UntilSignificant, UntilSure, sprt_llr
from durak_core.lab.stats.tournament_results import Cell, Standings, standings_json
from durak_core.statistics import DealMean, Share, elo, elo_interval, score_of_elo, wilson_interval

__all__ = [
    "PLAYERS",
    "AgentTally",
    "Cell",
    "DealMean",
    "DecisionRow",
    "Deeds",
    "EloRating",
    "EloTable",
    "Figures",
    "Fixture",
    "GameResult",
    "GameSummary",
    "Grid",
    "Match",
    "MatchTally",
    "Measure",
    "Pairing",
    "PlayerFigures",
    "RulesFigures",
    "SavedGames",
    "Share",
    "SkillRating",
    "SoloMatch",
    "Sprt",
    "Standings",
    "StoppingRule",
    "Tournament",
    "UntilSignificant",
    "UntilSure",
    "combinations_of",
    "cyclic_orders",
    "decision_rows",
    "elo",
    "elo_interval",
    "elo_ratings",
    "figures_json",
    "make_player",
    "play_from",
    "play_game",
    "play_match",
    "play_matches",
    "player_text",
    "score_of_elo",
    "skill_ratings",
    "sprt_llr",
    "standings_json",
    "tally_json",
    "tally_match",
    "wilson_interval",
]
