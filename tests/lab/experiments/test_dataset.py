"""The data set: rows that replay, the same digest however it is written, fixed splits, a card."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from commands import bad, durak, good

from durak_core import Rules, State, parse_action, read_observation
from durak_core.errors import AgentError, FileError
from durak_core.installation import MissingExtraError
from durak_core.lab.experiments.benchmark import choices_digest
from durak_core.lab.experiments.dataset import (
    AGENTS,
    SEARCHER,
    SPLITS,
    DataSet,
    columns_table,
    write_dataset,
)
from durak_core.search.backend.backend import backend

ROOT = Path(__file__).parents[3]
FEW = ("random", *AGENTS[5:8])
SMALL = DataSet(shards=2, games=40, searched=4, agents=FEW, searcher="mcts:limit=2,samples=2")
DIGEST = "aba8cb26b0a41fb712578a25af481536e7f60232f1884c0fb072efc9d357a1c4"
CHOICES = "a5475d20ef3766938b42d66ee7bfad76ecc81eb3b30d4c082bc55207b94de0b3"
"""If a digest changes, so does the data set, which needs a new version."""


def rows_of(folder: Path, table: str) -> list[dict[str, Any]]:
    parquet = pytest.importorskip("pyarrow.parquet")
    files = sorted((folder / table).glob("*.parquet"))
    return [row for file in files for row in parquet.read_table(file).to_pylist()]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.mktemp("dataset")
    return folder, write_dataset(folder, SMALL)


def test_every_game_replays_from_its_row(written: tuple[Path, str]) -> None:
    """The seed gives the deck, every action is legal for its seat, and the last state has the fool."""
    games = rows_of(written[0], "games")
    assert [row["game"] for row in games] == list(range(80))
    for row in games:
        state = State.deal(Rules.parse(row["rules"]), row["seed"], row["first_attacker"])
        assert row["hidden_deck"] == [str(card) for card in state.deck]
        for seat, action in zip(row["seats"], row["actions"], strict=True):
            assert state.turn == seat
            state = state.apply(parse_action(action))
        assert state.is_over
        assert (state.fool, state.bout) == (row["fool"], row["bouts"])
    assert len({agent for row in games for agent in row["agents"]}) == 5


def test_the_searched_games_have_all_their_decisions(written: tuple[Path, str]) -> None:
    """With search info wherever the search had a choice; the others have none."""
    games = {row["game"]: row for row in rows_of(written[0], "games") if row["searched"]}
    decisions = rows_of(written[0], "decisions")
    assert len(games) == 8
    assert {row["game"] for row in decisions} == set(games)
    assert len(decisions) == sum(len(row["actions"]) for row in games.values())
    for row in decisions:
        game = games[row["game"]]
        assert (game["seats"][row["ply"] - 1], game["actions"][row["ply"] - 1]) == (
            row["seat"],
            row["action"],
        )
        seen = read_observation(row["observation"])
        assert row["legal"] == [str(action) for action in seen.legal_actions]
        assert row["forced"] == (len(row["legal"]) == 1)
        searched = row["agent"].startswith("mcts") and len(seen.legal_actions) > 1
        assert (row["scores"] is not None) == (row["visits"] is not None) == searched
        if searched:
            assert len(row["scores"]) == len(row["visits"]) == len(row["legal"])
            assert row["visits"][row["legal"].index(row["action"])] > 0
            assert all(0 <= score <= 1 for score in row["scores"])


def test_the_rows_never_change(written: tuple[Path, str]) -> None:
    assert written[1] == DIGEST


@pytest.mark.slow
def test_the_players_never_change() -> None:
    if backend("search").name != "compiled":
        pytest.skip("the search takes a minute without machine code")
    assert choices_digest({text: text for text in (*AGENTS[:5], SEARCHER)}) == CHOICES


def test_another_readme_is_kept(written: tuple[Path, str], tmp_path: Path) -> None:
    del written  # pyarrow is there
    (tmp_path / "README.md").write_text("mine")
    with pytest.raises(FileError, match=r"README\.md is not the card of a data set"):
        write_dataset(tmp_path, replace(SMALL, shards=1))
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


def test_it_continues_and_mends_damaged_files(written: tuple[Path, str], tmp_path: Path) -> None:
    """What is complete is kept; a missing and a truncated file are written again, with the same digest."""
    folder = tmp_path / "copy"
    assert write_dataset(folder, replace(SMALL, shards=1)) != DIGEST
    kept = folder / "games" / "train-00.parquet"
    before = kept.stat().st_mtime_ns
    assert write_dataset(folder, SMALL, jobs=2) == DIGEST
    assert kept.stat().st_mtime_ns == before
    (folder / "decisions" / "train-01.parquet").unlink()
    kept.write_bytes(kept.read_bytes()[:-100])
    others = replace(SMALL, agents=FEW[:2])
    assert write_dataset(folder, others) != DIGEST
    assert write_dataset(folder, SMALL) == DIGEST
    assert rows_of(folder, "games") == rows_of(written[0], "games")
    assert rows_of(folder, "decisions") == rows_of(written[0], "decisions")


def test_splits_share_no_deal() -> None:
    """Each shard has matches with seeds of its own, in one split; there are a hundred of them."""
    whole = DataSet()
    assert [len([name for name in whole.names if name.startswith(split)]) for split, _ in SPLITS] == [
        90,
        5,
        5,
    ]
    matches = [match for shard in (0, 1, 99) for match in whole.matches(shard)]
    assert len({match.seed for match in matches}) == len(matches)
    assert sum(match.games for match in matches) == 3 * whole.games
    assert whole.shards * whole.games == 1_000_000
    assert whole.shards * whole.searched == 20_000
    assert len({match.deal_seed(game) for match in matches[:20] for game in range(0, match.games, 2)}) == sum(
        match.games // 2 for match in matches[:20]
    )


def test_the_card_and_the_page_describe_every_column(written: tuple[Path, str]) -> None:
    card = (written[0] / "README.md").read_text(encoding="utf-8")
    page = (ROOT / "docs/data-set.md").read_text(encoding="utf-8")
    for table in ("games", "decisions"):
        assert columns_table(table) in card
        assert columns_table(table) in page
        for name in rows_of(written[0], table)[0]:
            assert f"| `{name}` |" in page
    assert "license: mit" in card
    assert written[1] in card
    assert "a trial with 2 of 100 shards" in card


def test_the_command_writes_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(
        "durak_core.cli.commands.experiment.DataSet", lambda shards: replace(SMALL, shards=shards)
    )
    text = good("dataset", "--out", tmp_path, "--shards", 2, "--jobs", 1)
    assert text == f"durak-games/2, 2 of 100 shards, 80 games\ndigest {DIGEST}\n"


def test_the_card_says_whether_all_is_there(
    written: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It comes first; and a folder of an earlier version is left as it is."""
    assert "Complete: yes" in (written[0] / "README.md").read_text(encoding="utf-8")
    monkeypatch.setattr("durak_core.lab.experiments.dataset.load_compiled", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_dataset(tmp_path, SMALL)
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "Complete: no" in card
    (tmp_path / "README.md").write_text(card.replace("durak-games/2", "durak-games/1"), encoding="utf-8")
    with pytest.raises(FileError, match="of another version than durak-games/2: expected another folder"):
        write_dataset(tmp_path, SMALL)


def test_a_command_that_is_stopped_says_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.setattr("durak_core.lab.experiments.dataset.load_compiled", interrupt)
    stopped = durak("dataset", "--out", tmp_path)
    assert stopped.exit_code == 130
    assert "interrupted; what is finished is kept, and the same command goes on from there" in stopped.stderr


def interrupt(_: object) -> None:
    raise KeyboardInterrupt


def test_libraries_read_the_same_rows(written: tuple[Path, str]) -> None:
    """Each that is installed, with whole numbers, lists and missing values as they are."""
    expected = {table: rows_of(written[0], table) for table in ("games", "decisions")}
    for table, rows in expected.items():
        files = str(written[0] / table / "*.parquet")
        for library, read in READERS.items():
            if find_spec(library):
                found = read(files)
                assert found["game"] == [row["game"] for row in rows]
                for name in ("fool", "hidden_deck") if table == "games" else ("scores", "forced", "legal"):
                    assert found[name] == [row[name] for row in rows], library


def read_pandas(files: str) -> dict[str, list[Any]]:
    import pandas as pd  # noqa: PLC0415 - the extra export

    frame = pd.concat([pd.read_parquet(file) for file in sorted(Path(files).parent.glob("*.parquet"))])
    if "fool" in frame:
        assert str(frame["fool"].dtype) == "Int32"
    return {name: [plain(value) for value in frame[name]] for name in frame}


def plain(value: Any) -> Any:
    """Return a value of pandas as the others give it."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [plain(one) for one in value]
    return None if str(value) in {"<NA>", "nan", "None"} else value


def read_polars(files: str) -> dict[str, list[Any]]:
    return import_module("polars").read_parquet(files).to_dict(as_series=False)


def read_duckdb(files: str) -> dict[str, list[Any]]:
    table = import_module("duckdb").sql(f"from '{files}' order by game")
    return {
        name: list(column)
        for name, column in zip(table.columns, zip(*table.fetchall(), strict=True), strict=True)
    }


def read_hugging_face(files: str) -> dict[str, list[Any]]:
    folder = str(Path(files).parent / ".cache")
    rows = import_module("datasets").load_dataset(
        "parquet", data_files=files, split="train", cache_dir=folder
    )
    return rows.to_dict()


READERS = {"pandas": read_pandas, "polars": read_polars, "duckdb": read_duckdb, "datasets": read_hugging_face}


def test_hugging_face_reads_the_folder_by_its_card(written: tuple[Path, str], tmp_path: Path) -> None:
    """The card names the tables, their splits and the licence."""
    datasets = pytest.importorskip("datasets", reason="datasets comes with the extra examples")
    for table in ("games", "decisions"):
        rows = datasets.load_dataset(str(written[0]), table, split="train", cache_dir=str(tmp_path))
        assert rows.num_rows == len(rows_of(written[0], table))
        assert rows.column_names == list(rows_of(written[0], table)[0])
    builder = datasets.load_dataset_builder(str(written[0]), "games", cache_dir=str(tmp_path))
    assert builder.dataset_name
    assert set(datasets.get_dataset_config_names(str(written[0]))) == {"games", "decisions"}


def test_bad_input_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="101 shards: expected 1 to 100"):
        DataSet(101)
    monkeypatch.setattr("durak_core.installation.find_spec", lambda name: None if name == "pyarrow" else name)
    with pytest.raises(MissingExtraError, match="Parquet needs pyarrow"):
        write_dataset(tmp_path, SMALL)
    assert "Parquet needs pyarrow" in bad("dataset", "--out", tmp_path)
    monkeypatch.undo()
    (tmp_path / "file").touch()
    pytest.importorskip("pyarrow")
    with pytest.raises(FileError, match="cannot be written"):
        write_dataset(tmp_path / "file", SMALL)
