"""A person's rating: its steps against the published ones, what it never does, how the library keeps it."""

import math
import random
import sqlite3
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from durak_core.agents.personas import OPPONENTS
from durak_tui.library.model.entries import FRIENDS_TAG, entry_of
from durak_tui.library.model.service import LibraryService
from durak_tui.library.model.statistics import LEAST_GAMES, RatedGame, Score, Standing, standing_of
from durak_tui.library.model.store import Library
from durak_tui.library.view import rating_line, rating_text, score_text, sparkline
from durak_tui.players import FRIEND, HUMAN
from tui.games import a_record, tagged

MISHA, TANYA, BORIS, OLGA, VIKTOR, NINA = OPPONENTS
UNIT = 400 / math.log(10)


@pytest.fixture
def library(tmp_path):
    opened = Library(tmp_path)
    yield opened
    opened.close()


def a_game(number, *opponents, lost=None, **changes):
    """Make an entry of a game against opponents that the seat lost, and the person sits first.

    Only its columns and its deck are read where games are counted.
    """
    entry = entry_of(a_record(1, (HUMAN, *(one.text for one in opponents))))
    seats = tuple(replace(seat, lost=at == lost) for at, seat in enumerate(entry.seats))
    fields = {
        "date": f"2026-01-01 {number // 60:02}:{number % 60:02}",
        "draw": lost is None,
        "record": f'{{"deck": ["{number}"]}}',
    }
    return replace(entry, key=f"{number:05}", seats=seats, **(fields | changes))


def some_games(count, seed=1):
    """Make games at tables of two to four seats with any end."""
    chance = random.Random(seed)
    tables = [chance.choices(OPPONENTS, k=chance.choice((1, 1, 2, 3))) for _ in range(count)]
    return [
        a_game(number, *table, lost=chance.choice((None, *range(len(table) + 1))))
        for number, table in enumerate(tables)
    ]


# The figures


def published(points, deviation, table, score):
    """Take a step of Glicko as its paper writes it, against an opponent whose rating is known."""
    q = math.log(10) / 400
    deviation = math.sqrt(deviation**2 + 6.0**2)
    expected = 1 / (1 + 10 ** (-(points - table) / 400))
    d2 = 1 / (q**2 * expected * (1 - expected))
    kept = 1 / (1 / deviation**2 + 1 / d2)
    return points + q * kept * (score - expected), math.sqrt(kept)


@pytest.mark.parametrize(("fool", "lost", "score"), [(0, False, 1), (None, False, 0.5), (None, True, 0)])
@pytest.mark.parametrize("deviation", [300.0, 60.0])
@pytest.mark.parametrize("opponent", OPPONENTS, ids=lambda one: one.key)
def test_a_game_of_two_moves_the_rating_as_the_paper_says(opponent, deviation, fool, lost, score):
    after = Standing(1000.0, deviation).after([opponent], fool, lost=lost)
    wanted = published(1000, deviation, opponent.rating, score)
    assert (after.points, after.deviation) == pytest.approx(wanted, rel=1e-12)


def test_a_table_is_as_strong_as_all_its_players_together():
    """With equal players the fool's share is 1 / seats, so the expected step is none."""
    for others in ([TANYA] * 2, [TANYA] * 5):
        seats = len(others) + 1
        before = Standing(float(TANYA.rating), 1.0)
        won = before.after(others, 0, lost=False).points - before.points
        lost = before.after(others, None, lost=True).points - before.points
        assert won * (seats - 1) / seats + lost / seats == pytest.approx(0, abs=-lost / 100)
        table = TANYA.rating - UNIT * math.log(seats - 1)
        assert before.after(others, 0, lost=False).points == pytest.approx(
            published(*_of(before), table, 1)[0]
        )


def _of(standing):
    return standing.points, standing.deviation


@pytest.mark.parametrize("strength", [600, 900, 1250])
def test_the_rating_comes_near_to_the_strength_that_the_results_come_from(strength):
    chance = random.Random(strength)
    standing, seen = Standing(), []
    for _ in range(1500):
        others = chance.choices(OPPONENTS, k=chance.choice((1, 1, 2, 4)))
        weights = [10 ** (-one.rating / 400) for one in others] + [10 ** (-strength / 400)]
        (fool,) = chance.choices([*range(len(others)), None], weights)
        standing = standing.after(others, fool, lost=fool is None)
        seen.append(standing.points)
    assert sum(seen[500:]) / 1000 == pytest.approx(strength, abs=40)
    assert 40 < standing.deviation < 100


tables = st.lists(st.sampled_from(OPPONENTS), min_size=1, max_size=5)
ratings = st.floats(0, 2500)
deviations = st.floats(20, 350)


@given(tables, ratings, deviations, st.data())
def test_winning_never_lowers_a_rating_and_losing_never_raises_it(others, points, deviation, data):
    before = Standing(points, deviation)
    fool = data.draw(st.integers(0, len(others) - 1))
    won, lost = before.after(others, fool, lost=False), before.after(others, None, lost=True)
    drawn = before.after(others, None, lost=False)
    assert won.points >= before.points >= lost.points
    assert won.points >= drawn.points >= lost.points
    if len(others) > 1:
        assert drawn.points == before.points
    assert won.games == lost.games == drawn.games == 1


@given(ratings, st.sampled_from(list(pairwise(OPPONENTS))))
def test_a_stronger_opponent_is_worth_more(points, pair):
    weaker, stronger = (Standing(points).after([one], 0, lost=False) for one in pair)
    assert stronger.points > weaker.points


def test_a_rating_is_provisional_below_ten_games():
    standing = Standing()
    for _ in range(LEAST_GAMES):
        assert standing.is_provisional
        standing = standing.after([BORIS], 0, lost=False)
    assert not standing.is_provisional
    assert LEAST_GAMES == 10


# Opponents


def test_the_score_counts_games_that_one_of_both_lost_or_both_drew():
    standing = Standing()
    for others, fool, lost in [
        ([MISHA], 0, False),
        ([MISHA], None, True),
        ([MISHA], None, False),
        ([MISHA, OLGA], 1, False),
        ([MISHA, MISHA, OLGA], None, True),
        ([MISHA, OLGA], None, False),
    ]:
        standing = standing.after(others, fool, lost=lost)
    assert standing.scores == {"misha": Score(1, 2, 1, "wldl"), "olga": Score(1, 1, 0, "wl")}
    assert standing.games == 6


def test_the_last_five_games_against_an_opponent_are_remembered():
    score = Score()
    for result in "wwwlld":
        score = score.after(result)
    assert score == Score(3, 2, 1, "wwlld")


def test_the_opponent_whose_rating_is_nearest_is_suggested():
    for place, opponent in enumerate(OPPONENTS):
        assert Standing(float(opponent.rating), games=1).suggested is opponent
        for weaker in OPPONENTS[:place]:
            between = Standing((opponent.rating + weaker.rating) / 2 + 1, games=1)
            assert between.suggested.rating > weaker.rating
    assert Standing(-1e4, games=1).suggested is MISHA
    assert Standing(1e4, games=1).suggested is NINA


def test_the_first_game_is_suggested_against_the_weakest():
    assert Standing().suggested is MISHA


@pytest.mark.parametrize(
    ("recent", "suggested"),
    [("www", OLGA), ("ww", BORIS), ("wlwlw", OLGA), ("wldlw", BORIS), ("lllll", BORIS)],
)
def test_three_wins_in_the_last_five_games_suggest_the_next_opponent(recent, suggested):
    standing = Standing(float(BORIS.rating), games=5, scores={"boris": Score(recent=recent)})
    assert standing.suggested is suggested


def test_after_the_last_opponent_nobody_comes():
    standing = Standing(float(NINA.rating), games=5, scores={"nina": Score(recent="wwwww")})
    assert standing.suggested is NINA


# The library


def fold(entries):
    standing = Standing()
    for entry in sorted(entries, key=lambda one: (one.date, one.key)):
        others = [next(one for one in OPPONENTS if one.text == seat.player) for seat in entry.seats[1:]]
        fools = [at for at, seat in enumerate(entry.seats) if seat.lost]
        lost = fools == [0]
        standing = standing.after(others, fools[0] - 1 if fools and not lost else None, lost=lost)
    return standing


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(3))
def test_the_order_in_which_games_come_in_changes_nothing(tmp_path, seed):
    games = some_games(60, seed)
    wanted = fold(games)
    chance = random.Random(seed)
    for attempt in range(3):
        chance.shuffle(games)
        library = Library(tmp_path / str(attempt))
        rest = list(games)
        while rest:
            part = chance.randrange(1, 30)
            library.add_all(rest[:part])
            rest = rest[part:]
            library.standing()
        assert library.standing() == wanted
        library.close()


def test_a_deleted_game_counts_no_more_until_it_is_back(library):
    games = some_games(20)
    library.add_all(games)
    before = library.standing()
    numbers = [library.find()[at] for at in (3, 12)]
    library.delete(numbers)
    keys = {
        library._db.execute("SELECT key FROM games WHERE id = ?", (one,)).fetchone()[0] for one in numbers
    }
    assert library.standing() == fold([game for game in games if game.key not in keys]) != before
    library.restore(numbers[:1])
    library.add_all([game for game in games if game.key in keys])
    assert library.standing() == before


def test_two_programs_count_each_others_games(library, tmp_path):
    games = some_games(40)
    other = Library(tmp_path)
    for at, game in enumerate(games):
        (library if at % 2 else other).add(game)
        (library if at % 3 else other).standing()
    assert library.standing() == other.standing() == fold(games)
    other.close()


@pytest.mark.parametrize(
    "changes",
    [{"hints": 1}, {"undos": 2}, {"over": False}, {"human": None}, {"tags": {FRIENDS_TAG: "1"}}],
    ids=["hints", "undos", "broken off", "several people", "friends"],
)
def test_games_with_help_unfinished_ones_and_those_of_several_people_do_not_count(library, changes):
    library.add_all([a_game(1, BORIS, lost=1), a_game(2, OLGA, lost=0, **changes)])
    assert library.standing() == fold([a_game(1, BORIS, lost=1)])


@pytest.mark.parametrize(
    "players",
    [
        (HUMAN, "greedy"),
        (HUMAN, MISHA.text, "smart"),
        (HUMAN, "ismcts:iterations=80"),
        (HUMAN, HUMAN),
        (HUMAN, FRIEND),
        (MISHA.text, OLGA.text),
    ],
    ids=" ".join,
)
def test_a_game_counts_only_where_one_person_meets_opponents_with_a_rating(library, players):
    library.add(entry_of(a_record(5, players)))
    assert library.standing() == Standing()
    library.add(a_game(1, BORIS, lost=1))
    assert library.standing() == fold([a_game(1, BORIS, lost=1)])


@pytest.mark.parametrize(("record", "counts"), [(a_game(1, BORIS).record, False), ("{}", True), ("[", True)])
def test_a_deal_counts_once_because_its_cards_are_known_afterwards(library, record, counts):
    first, again = a_game(1, BORIS, lost=0), a_game(2, OLGA, lost=1, record=record)
    library.add_all([again, first])
    assert library.standing() == fold([first, again] if counts else [first])
    library.delete(library.find()[1:])
    assert library.standing() == fold([again])


@pytest.mark.parametrize("changes", [{"hints": 1}, {"tags": {FRIENDS_TAG: "1"}}], ids=["hints", "friends"])
def test_a_deal_is_known_after_a_game_that_does_not_count_too(library, changes):
    helped = a_game(1, BORIS, lost=0, **changes)
    again = a_game(2, BORIS, lost=1, record=helped.record)
    library.add_all([helped, again, a_game(3, OLGA, lost=0)])
    assert library.standing() == fold([a_game(3, OLGA, lost=0)])


def test_the_person_may_sit_anywhere(library):
    record = a_record(7, (MISHA.text, HUMAN))
    library.add(entry_of(record))
    (fool,) = record.result.fools
    wanted = Standing().after([MISHA], 0 if fool == 0 else None, lost=fool == 1)
    assert library.standing() == wanted


def test_the_history_has_the_latest_ratings_the_oldest_first(library):
    library.add_all([*some_games(20), entry_of(a_record(5))])
    standing = library.standing(7)
    points = [fold(some_games(20)[:count]).rating for count in range(14, 21)]
    assert standing.history == tuple(points)
    assert library.standing(0).history == ()


def test_a_game_says_how_it_changed_the_rating(library):
    records = [replace(a_record(seed, (HUMAN, BORIS.text)), date=f"2026-01-0{seed}") for seed in (1, 2)]
    helped = replace(tagged(a_record(3, (HUMAN, BORIS.text)), Hints="1"), date="2026-01-03")
    library.add_all(map(entry_of, [*records, helped]))
    after = library.standing()
    first, second = map(library.ratings_around, records)
    assert first[0] == Standing().rating
    assert first[1] == second[0] != second[1] == after.rating
    assert library.ratings_around(helped) is None


def test_a_library_of_version_2_is_rated(tmp_path):
    script = (Path(__file__).parents[1] / "library_v2.sql").read_text("utf-8")
    db = sqlite3.connect(tmp_path / "library.sqlite3")
    db.executescript(script)
    assert db.execute("PRAGMA user_version").fetchone() == (2,)
    db.close()
    library = Library(tmp_path)
    assert (library.problem, library.notices, library.count()) == ("", [], 3)
    standing = library.standing()
    assert (standing.games, set(standing.scores)) == (1, {"misha"})
    library.close()


async def test_the_service_counts_what_it_takes_up_and_says_how_the_rating_changed(tmp_path):
    record = a_record(1, (HUMAN, BORIS.text))
    service = LibraryService(tmp_path, tmp_path / "finished", lambda text: None)
    assert service.standing() == Standing()
    await service.add(record, "played")
    before, after = await service.ratings_around(record)
    assert before == Standing().rating
    assert service.standing(1).history == (after,)
    assert await service.ratings_around(a_record(2, (HUMAN, BORIS.text))) is None
    service.close()


def test_where_the_library_cannot_be_used_nobody_is_rated(tmp_path):
    (tmp_path / "library.sqlite3").mkdir()
    service = LibraryService(tmp_path, tmp_path / "finished", lambda text: None)
    assert service.standing(5) == Standing()
    service.close()


# How it reads


def test_a_rating_has_a_question_mark_while_it_is_provisional_and_is_not_said_before_the_first_game():
    assert rating_text(Standing()) == rating_line(Standing()) == ""
    assert rating_text(Standing(1309.6, games=9)) == "1310?"
    assert rating_text(Standing(1309.6, games=10)) == "1310"
    assert rating_line(Standing(1309.6, games=10, history=(1310,))) == "Your rating 1310"
    line = rating_line(Standing(1309.6, games=30, history=tuple(range(1000, 1120, 4))))
    assert line == f"Your rating 1310 {sparkline(range(1072, 1120, 4))}"


def test_a_sparkline_rises_with_its_values_and_shows_small_changes_small():
    assert sparkline([]) == sparkline([7]) == ""
    assert sparkline([0, 50, 100, 150, 200, 250, 300, 350]) == "▁▂▃▄▅▆▇█"
    assert sparkline([100, 90, 0], ascii_only=True) == "##_"
    assert len(set(sparkline([1000, 1003, 1000, 1003]))) <= 2


def test_a_score_is_said_as_won_and_lost():
    assert score_text(None) == ""
    assert score_text(Score(6, 4, 1)) == "you 6 : 4"


def test_the_first_and_the_last_day_of_a_curve_are_days() -> None:
    """A library's dates are texts, which other programs may have written with a time."""
    rated = [RatedGame("a", "2026-01-01T10:30", Standing(1200)), RatedGame("b", "2026-02-03", Standing(1210))]
    standing = standing_of(rated, history=5)
    assert (standing.since, standing.until) == ("2026-01-01", "2026-02-03")
