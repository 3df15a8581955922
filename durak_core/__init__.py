"""The game of Durak as a library: rules, positions, notation, knowledge, agents and search.

Everything public is imported from here. Agents and searches are loaded when they are first used; matches,
statistics and learning are in `durak_core.lab`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from durak_core.actions import (
    EXCHANGE,
    PASS,
    TAKE,
    Action,
    Attack,
    Defend,
    Exchange,
    Pass,
    ShowTrump,
    Take,
    Transfer,
    parse_action,
)
from durak_core.cards import Card, CardSet, Rank, Suit
from durak_core.errors import (
    ActionError,
    AgentError,
    DealError,
    DurakError,
    IllegalActionError,
    KnowledgeError,
    NotationError,
    RecordError,
    RulesError,
)
from durak_core.files import write_text_atomically
from durak_core.game.events import (
    Attacked,
    BeatenOff,
    BoutBegan,
    Defended,
    Drew,
    Event,
    Exchanged,
    GameEnded,
    Passed,
    TableTaken,
    TookUp,
    Transferred,
    TrumpShown,
    WentOut,
)
from durak_core.game.files import choose_records, load_records
from durak_core.game.json_form import from_json, read_json_lines, to_json, write_json_line
from durak_core.game.notation.game_code import is_game_code, read_game_code, write_game_code
from durak_core.game.notation.game_text import read_game, read_games, write_game, write_games
from durak_core.game.notation.position_text import (
    read_observation,
    read_position,
    write_observation,
    write_position,
)
from durak_core.game.observation import Observation, Phase, Role, TablePair
from durak_core.game.real_game import RealGame
from durak_core.game.record import MOVE_MARKS, BrokenGameError, Move, Record, RecordResult
from durak_core.game.state import State, next_first_attacker
from durak_core.game.state_view import WhyNot
from durak_core.knowledge.certain import hand_of, opponent_hand, unseen_cards
from durak_core.knowledge.locations import (
    BOTTOM,
    DISCARD,
    TABLE,
    TALON,
    Location,
    PublicLocations,
    SeatLocations,
)
from durak_core.rules import OPTIONS, PRESETS, Rules
from durak_core.rules_text import paragraph, rules_text
from durak_core.statistics import wilson_interval

if TYPE_CHECKING:
    from durak_core.agents.base import Agent, AgentInfo, AgentOption, Decision, agent_seed
    from durak_core.agents.registry import AGENTS, agent_text, make_agent
    from durak_core.search.analysis import Analysis, analyse
    from durak_core.search.endgame.solver import solve_actions
    from durak_core.search.ismcts.tree_search import SearchSettings
    from durak_core.search.opponents.model import PLAYER_TYPES, OpponentModel
    from durak_core.search.search_result import SearchedAction, SearchResult

_LOADED_WHEN_USED: Final = {
    name: f"durak_core.{module}"
    for module, names in {
        "agents.base": "Agent AgentInfo AgentOption Decision agent_seed",
        "agents.registry": "AGENTS agent_text make_agent",
        "search.analysis": "Analysis analyse",
        "search.endgame.solver": "solve_actions",
        "search.ismcts.tree_search": "SearchSettings",
        "search.opponents.model": "PLAYER_TYPES OpponentModel",
        "search.search_result": "SearchResult SearchedAction",
    }.items()
    for name in names.split()
}
"""Public names whose modules take long to import, and where they are defined."""

__all__ = [
    "AGENTS",
    "BOTTOM",
    "DISCARD",
    "EXCHANGE",
    "MOVE_MARKS",
    "OPTIONS",
    "PASS",
    "PLAYER_TYPES",
    "PRESETS",
    "TABLE",
    "TAKE",
    "TALON",
    "Action",
    "ActionError",
    "Agent",
    "AgentError",
    "AgentInfo",
    "AgentOption",
    "Analysis",
    "Attack",
    "Attacked",
    "BeatenOff",
    "BoutBegan",
    "BrokenGameError",
    "Card",
    "CardSet",
    "DealError",
    "Decision",
    "Defend",
    "Defended",
    "Drew",
    "DurakError",
    "Event",
    "Exchange",
    "Exchanged",
    "GameEnded",
    "IllegalActionError",
    "KnowledgeError",
    "Location",
    "Move",
    "NotationError",
    "Observation",
    "OpponentModel",
    "Pass",
    "Passed",
    "Phase",
    "PublicLocations",
    "Rank",
    "RealGame",
    "Record",
    "RecordError",
    "RecordResult",
    "Role",
    "Rules",
    "RulesError",
    "SearchResult",
    "SearchSettings",
    "SearchedAction",
    "SeatLocations",
    "ShowTrump",
    "State",
    "Suit",
    "TablePair",
    "TableTaken",
    "Take",
    "TookUp",
    "Transfer",
    "Transferred",
    "TrumpShown",
    "WentOut",
    "WhyNot",
    "agent_seed",
    "agent_text",
    "analyse",
    "choose_records",
    "from_json",
    "hand_of",
    "is_game_code",
    "load_records",
    "make_agent",
    "next_first_attacker",
    "opponent_hand",
    "paragraph",
    "parse_action",
    "read_game",
    "read_game_code",
    "read_games",
    "read_json_lines",
    "read_observation",
    "read_position",
    "rules_text",
    "solve_actions",
    "to_json",
    "unseen_cards",
    "wilson_interval",
    "write_game",
    "write_game_code",
    "write_games",
    "write_json_line",
    "write_observation",
    "write_position",
    "write_text_atomically",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever has this name
    if name not in _LOADED_WHEN_USED:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(import_module(_LOADED_WHEN_USED[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
