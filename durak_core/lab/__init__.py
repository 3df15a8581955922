"""The laboratory: matches, tournaments and their statistics.

A match plays duplicate deals: every deal once from each seating. Agents are given as agent specs.

>>> from durak_core import Rules
>>> match = Match(Rules(), ("greedy", "random"), games=40, seed=1)
>>> tally = tally_match(match, (game for _, game in play_matches([match])))
>>> tally.agents[0].wins, tally.agents[0].share.low > 0.5
(37, True)

`play_match` yields complete games. `play_matches` plays many matches on several processes or a cluster, can
resume them from a file, and yields summaries. Importing this package loads no heavy library.
"""

from durak_core.lab.matches.match import (
    DrawnSeats,
    GameResult,
    GameSummary,
    Match,
    SoloMatch,
    play_from,
    play_game,
    play_match,
)
from durak_core.lab.matches.players import PLAYERS, make_player, player_text
from durak_core.lab.matches.schedule import SavedGames, Wanted, play_matches
from durak_core.lab.matches.tournament import Fixture, Grid, Tournament, combinations_of, cyclic_orders
from durak_core.lab.model_io import (
    N_ACTIONS,
    action_index,
    action_mask,
    action_of_index,
    best_action,
    check_model,
    encode_observation,
    input_size,
)
from durak_core.lab.stats.match_results import (
    AgentTally,
    MatchTally,
    ResultMeasure,
    Standings,
    StandingsCell,
    standings_json,
    tally_json,
    tally_match,
)
from durak_core.lab.stats.ratings import (
    EloRating,
    EloTable,
    Pairing,
    elo,
    elo_interval,
    elo_ratings,
    fool_ratings,
)
from durak_core.lab.stats.recorded_games import (
    ActionCounts,
    DecisionRow,
    Figures,
    PlayerFigures,
    RulesFigures,
    decision_rows,
    figures_json,
)
from durak_core.lab.stats.stopping import Sprt, StoppingRule, UntilSignificant, UntilSure, sprt_llr
from durak_core.search.network.encoding import ENCODING
from durak_core.statistics import DealMean, Share, score_of_elo, wilson_interval

__all__ = [
    "ENCODING",
    "N_ACTIONS",
    "PLAYERS",
    "ActionCounts",
    "AgentTally",
    "DealMean",
    "DecisionRow",
    "DrawnSeats",
    "EloRating",
    "EloTable",
    "Figures",
    "Fixture",
    "GameResult",
    "GameSummary",
    "Grid",
    "Match",
    "MatchTally",
    "Pairing",
    "PlayerFigures",
    "ResultMeasure",
    "RulesFigures",
    "SavedGames",
    "Share",
    "SoloMatch",
    "Sprt",
    "Standings",
    "StandingsCell",
    "StoppingRule",
    "Tournament",
    "UntilSignificant",
    "UntilSure",
    "Wanted",
    "action_index",
    "action_mask",
    "action_of_index",
    "best_action",
    "check_model",
    "combinations_of",
    "cyclic_orders",
    "decision_rows",
    "elo",
    "elo_interval",
    "elo_ratings",
    "encode_observation",
    "figures_json",
    "fool_ratings",
    "input_size",
    "make_player",
    "play_from",
    "play_game",
    "play_match",
    "play_matches",
    "player_text",
    "score_of_elo",
    "sprt_llr",
    "standings_json",
    "tally_json",
    "tally_match",
    "wilson_interval",
]
