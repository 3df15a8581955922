"""Games out of the library into a file: game by game, whole or not at all, and damaged ones left out."""

import pytest

from durak_core.game.files import load_records
from durak_tui.library.model.entries import entry_of
from durak_tui.library.model.file import LibraryError
from durak_tui.library.model.service import export_games
from durak_tui.library.model.store import Library
from tui.games import a_record, many

NAMES = ("games.jsonl", "games.durak")


@pytest.fixture
def library(tmp_path):
    opened = Library(tmp_path / "library")
    opened.add_all([entry_of(a_record(seed, date=f"2026-01-0{seed} 10:00")) for seed in (1, 2, 3)])
    yield opened
    opened.close()


def damage(library, *ids):
    with library.using("trying", change=True) as db:
        db.executemany("UPDATE records SET record = '{}' WHERE game = ?", [(each,) for each in ids])


def files(folder):
    return [path.name for path in folder.iterdir() if path.is_file()]


@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_game_and_one_that_is_gone_do_not_end_an_export(library, tmp_path, name):
    first, *rest = ids = library.find()
    expected = [library.record(number) for number in rest]
    damage(library, first)
    assert export_games(library, [10**6, *ids], tmp_path / name) == 2
    assert load_records(tmp_path / name) == expected


def test_of_games_that_are_all_damaged_no_file_is_made(library, tmp_path):
    damage(library, *library.find())
    with pytest.raises(LibraryError, match="This game cannot be read"):
        export_games(library, library.find(), tmp_path / "games.durak")
    assert files(tmp_path) == []


def test_games_go_to_the_disk_one_after_the_other(library, tmp_path):
    library.add_all(many(20))
    written = []

    def measure():
        (part,) = files(tmp_path)
        written.append((tmp_path / part).stat().st_size)

    export_games(library, library.find(), tmp_path / "games.durak", measure)
    assert len(written) == 23
    assert written == sorted(written)
    assert len(set(written)) > 3


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", NAMES)
def test_an_export_that_fills_the_disk_leaves_no_part_behind(library, small_disk, name):
    library.add_all(many(200))
    with pytest.raises(
        LibraryError, match=r"games\.\w+ cannot be written: the disk is full; make room on it\.$"
    ):
        export_games(library, library.find(), small_disk / name)
    assert files(small_disk) == []


def test_an_export_that_is_ended_leaves_no_part_behind(library, tmp_path):
    def end():
        raise LibraryError("The program ends.")

    with pytest.raises(LibraryError, match=r"^The program ends\.$"):
        export_games(library, library.find(), tmp_path / "games.durak", end)
    assert files(tmp_path) == []


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 5000, "games.durak/x", "no/such"])
def test_where_no_file_can_be_a_sentence_says_so(library, tmp_path, name):
    (tmp_path / "games.durak").touch()
    with pytest.raises(LibraryError, match=r"cannot be written: .+\.$"):
        export_games(library, library.find(), tmp_path / name)


def test_what_is_there_already_is_not_replaced(library, tmp_path):
    (tmp_path / "games.durak").write_text("mine")
    with pytest.raises(LibraryError, match="already exists; choose another name"):
        export_games(library, library.find(), tmp_path / "games.durak")
    assert (tmp_path / "games.durak").read_text() == "mine"
