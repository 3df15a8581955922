"""The library: every game a person played, kept or imported, in one SQLite file; knows no Textual."""

from durak_tui.library.entries import Entry, SeatEntry, entry_of, game_key
from durak_tui.library.errors import LibraryError
from durak_tui.library.exporting import export_games, is_json_name
from durak_tui.library.importing import Imported, import_file
from durak_tui.library.query import COLUMNS, Query
from durak_tui.library.statistics import GameCounts, Played, PlayerStatistics, moving_share
from durak_tui.library.store import GameRow, Library

__all__ = [
    "COLUMNS",
    "Entry",
    "GameCounts",
    "GameRow",
    "Imported",
    "Library",
    "LibraryError",
    "Played",
    "PlayerStatistics",
    "Query",
    "SeatEntry",
    "entry_of",
    "export_games",
    "game_key",
    "import_file",
    "is_json_name",
    "moving_share",
]
