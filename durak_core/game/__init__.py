"""The game as people and programs see it: immutable states, observations, events, notation and records."""

from durak_core.game.files import (
    StoredGame,
    choose_records,
    holds_json,
    load_records,
    scan_games,
    write_text_atomically,
)
from durak_core.game.json_form import from_json, read_json_lines, to_json, write_json_line
from durak_core.game.locks import FileLock
from durak_core.game.notation.game_text import read_game, read_games, write_game, write_games
from durak_core.game.notation.position_text import (
    read_observation,
    read_position,
    write_observation,
    write_position,
)
from durak_core.game.observation import Observation, Phase, Role, TablePair
from durak_core.game.record import MARKS, BrokenGameError, Move, Record, Result
from durak_core.game.refusals import WhyNot
from durak_core.game.state import State, next_first_attacker

__all__ = [
    "MARKS",
    "BrokenGameError",
    "FileLock",
    "Move",
    "Observation",
    "Phase",
    "Record",
    "Result",
    "Role",
    "State",
    "StoredGame",
    "TablePair",
    "WhyNot",
    "choose_records",
    "from_json",
    "holds_json",
    "load_records",
    "next_first_attacker",
    "read_game",
    "read_games",
    "read_json_lines",
    "read_observation",
    "read_position",
    "scan_games",
    "to_json",
    "write_game",
    "write_games",
    "write_json_line",
    "write_observation",
    "write_position",
    "write_text_atomically",
]
