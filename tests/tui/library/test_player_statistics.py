"""What many games say: counts against an independent count, shares, streaks, moving means."""

import random
from dataclasses import replace
from itertools import groupby

import pytest

from durak_core import wilson_interval
from durak_tui.library.model.statistics import (
    GameCounts,
    Played,
    PlayerStatistics,
    group,
    moving_accuracy,
    moving_share,
)
from durak_tui.library.model.store import Library
from durak_tui.library.view import curve, group_cells, statistics_columns, summary
from durak_tui.players import HUMAN, called
from tui.games import many


def played(results, seats=2, **more):
    """Make games of letters: w won, l lost, d drawn."""
    return [
        Played("2026", "podkidnoy", seats, seats, ("greedy",), letter == "l", letter == "d", 9, 60, **more)
        for letter in results
    ]


def test_a_tally_counts_and_compares_with_the_fair_share():
    tally = GameCounts([*played("wwld"), *played("wwl", seats=4)])
    assert (tally.games, tally.wins, tally.draws, tally.losses) == (7, 4, 1, 2)
    assert tally.par == pytest.approx((4 / 2 + 3 / 4) / 7)
    assert tally.interval == wilson_interval(2 / 7, 7)
    assert (tally.mean_bouts, tally.mean_plies, tally.accuracy) == (9, 60, None)
    assert GameCounts().lost_share == GameCounts().par == GameCounts().mean_plies == 0


def test_a_row_of_the_table_has_a_cell_for_each_column():
    columns = statistics_columns("player")
    cells = group_cells("greedy", GameCounts(played("wl" * 19 + "wd")), ascii_only=True)
    row = {column.name: cell.text for column, cell in zip(columns, cells, strict=True)}
    assert (row["games"], row["won"], row["drawn"], row["lost"]) == ("40", "20", "1", "19")
    assert (row["interval"], row["bar"]) == ("33-63%", "       ----o|---        ")
    left = [column.name for column in statistics_columns("opponent") if not column.right]
    assert left == ["name", "bar"]


@pytest.mark.parametrize(
    ("games", "missing"),
    [(7, "3 more games for a reliable figure."), (9, "One more game to see how you compare.")],
)
def test_few_games_say_how_many_are_missing(games, missing):
    assert summary(PlayerStatistics.of(played("w" * games)))[0].endswith(f"of {games} games. {missing}")


def test_the_loss_rates_frame_holds_at_least_a_half_and_the_highest_point():
    assert curve(played("w" * 12, seats=4), "share").look.high == 0.5
    assert curve(played("wlllwwwwwwww"), "share").look.high == 0.6
    assert curve(played("llllllwwwwww"), "share").look.high == 1


@pytest.mark.parametrize(
    ("results", "verdict"),
    [
        ("", ""),
        ("w" * 9, ""),
        ("w" * 10, "better"),
        ("wl" * 20, ""),
        ("w" * 30 + "l" * 5, "better"),
        ("l" * 30 + "w" * 5, "worse"),
    ],
)
def test_a_verdict_is_given_from_ten_games_on_where_the_interval_leaves_the_fair_share_out(results, verdict):
    assert GameCounts(played(results)).verdict == verdict


@pytest.mark.parametrize("seed", range(5))
def test_streaks_are_what_grouping_gives(seed):
    results = "".join(random.Random(seed).choices("wld", k=60))
    figures = PlayerStatistics.of(played(results))
    runs = [(lost, len(list(run))) for lost, run in groupby(letter == "l" for letter in results)]
    for lost, (now, longest) in ((False, figures.unbeaten), (True, figures.beaten)):
        assert longest == max(length for kind, length in runs if kind == lost)
        assert now == (runs[-1][1] if runs[-1][0] == lost else 0)


def test_assisted_games_are_counted_apart():
    figures = PlayerStatistics.of([*played("wwl"), *played("www", assisted=True)])
    assert (figures.total.games, figures.assisted.games) == (3, 3)
    assert figures.unbeaten == (0, 2)
    assert PlayerStatistics.of([]).unbeaten == (0, 0)


@pytest.mark.parametrize("window", [1, 3, 20])
def test_moving_means_are_those_of_the_last_games(window):
    results = "".join(random.Random(1).choices("wld", k=50))
    shares = moving_share(played(results), window)
    for index, share in enumerate(shares):
        last = results[max(0, index - window + 1) : index + 1]
        wanted = last.count("l") / window if index >= window - 1 else None
        assert share == (None if wanted is None else pytest.approx(wanted))


def test_the_moving_accuracy_passes_over_games_that_were_not_reviewed():
    games = [played("w", accuracy=value)[0] for value in (None, None, 50.0, None, 100.0, None)]
    assert moving_accuracy(games, 2) == [None, None, 0.5, 0.5, 1.0, 1.0]


def test_the_library_counts_as_its_entries_do(tmp_path):
    entries = many(300)
    library = Library(tmp_path)
    library.add_all(entries)
    games = library.played_by(HUMAN)
    library.close()
    mine = [entry for entry in entries if entry.human is not None]
    alone = [entry for entry in mine if not entry.hints]
    figures = PlayerStatistics.of(games)
    assert figures.total.games == len(alone)
    assert figures.assisted.games == len(mine) - len(alone)
    assert figures.total.losses == sum(entry.seats[entry.human].lost for entry in alone)
    assert figures.total.draws == sum(entry.draw for entry in alone)
    by_opponent = group(figures.games, "opponent")
    assert list(by_opponent) == [called("greedy"), called("smart")]
    for player in ("greedy", "smart"):
        against = [entry for entry in alone if player in {seat.player for seat in entry.seats}]
        assert by_opponent[called(player)].games == len(against)
    assert sum(tally.games for tally in group(figures.games, "rules").values()) == len(alone)
    by_seats = group(figures.games, "players")
    assert {name: tally.par for name, tally in by_seats.items()} == {
        "2 players": 0.5,
        "3 players": pytest.approx(1 / 3),
    }
    partners = replace(figures.games[0], seats=4, teams=2)
    assert list(group([partners], "players")) == ["2 against 2"]


def test_opponents_stand_in_their_order_before_others_who_are_called_the_same():
    games = [
        replace(played("w")[0], opponents=opponents)
        for opponents in (
            ("level:nina", "level:misha"),
            ("ismcts:iterations=7", "ismcts:iterations=9"),
            ("level:nina",),
            ("ismcts:iterations=9",),
        )
    ]
    counts = {name: tally.games for name, tally in group(games, "opponent").items()}
    assert list(counts.items()) == [("level:misha", 1), ("level:nina", 2), (called("ismcts"), 2)]


def test_an_agent_on_two_seats_is_counted_for_both(tmp_path):
    from tui.games import a_record, entry_of  # noqa: PLC0415 - next to what it is for

    library = Library(tmp_path)
    library.add(entry_of(a_record(1, ("greedy", "greedy"))))
    games = library.played_by("greedy")
    library.close()
    assert len(games) == 2
    assert sum(game.lost for game in games) == (0 if games[0].draw else 1)
    assert {game.opponents for game in games} == {("greedy",)}
