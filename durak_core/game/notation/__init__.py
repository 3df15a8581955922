"""The texts of docs/notation.md: positions, observations and whole games, written and read."""

from durak_core.game.notation.game_reader import read_game, read_games
from durak_core.game.notation.game_writer import write_game, write_games
from durak_core.game.notation.position_text import (
    read_observation,
    read_position,
    write_observation,
    write_position,
)

__all__ = [
    "read_game",
    "read_games",
    "read_observation",
    "read_position",
    "write_game",
    "write_games",
    "write_observation",
    "write_position",
]
