"""Games one after the other: the score, who begins the next one, and series that are watched."""

import pytest

from durak_core import Rules
from durak_tui.play.saves import game_record
from durak_tui.play.session import Session
from durak_tui.play.setup import NO_SERIES, GameSetup, Series, next_setup, score_words
from durak_tui.table.screens import TableScreen
from durak_tui.ui.screens.dialogs import Ask
from durak_tui.watch.screen import WatchScreen
from tui.helpers import NAMES, an_app, hides, my_turn, on_screen, shows, until

SHORT = "podkidnoy:seats=2,lowest_rank=11,hand_size=3"


def test_the_score_counts_losses_and_draws_and_turns_with_the_players():
    series = NO_SERIES.after(2, 3).after(None, 3).after(2, 3).after(0, 3)
    assert (series.losses, series.draws, series.games) == ((1, 0, 2), 1, 4)
    assert series.turned().losses == (2, 1, 0)
    assert not series.goes_on
    assert Series(planned=2).after(0, 2).goes_on
    assert not Series(planned=2).after(0, 2).after(1, 2).goes_on


@pytest.mark.parametrize(
    "series",
    [
        Series((1, 0, 2), 1),
        Series((0, 0, 0), 3, 10, rotating=True),
        Series(planned=5, rotating=True),
        Series((0, 1, 1), 0, points=(3, 1, 2)),
        Series(planned=5, rotating=True, points=(0, 0, 0)),
    ],
)
def test_a_series_is_read_as_it_is_written(series):
    assert Series.parse(series.text, 3) == series


@pytest.mark.parametrize(
    "text",
    [
        "",
        "lost",
        "lost 1 2, drawn 0",
        "lost -1 0 0, drawn 0",
        "lost 1 0 2",
        "lost 1 0 2, drawn 0, points 1 2",
    ],
)
def test_what_is_no_series_is_a_game_on_its_own(text):
    assert Series.parse(text, 3) == NO_SERIES


def test_the_score_in_words():
    names = NAMES[:3]
    assert score_words(NO_SERIES, names, is_over=False) == ""
    assert score_words(NO_SERIES.after(1, 3), names, is_over=True) == ""
    words = score_words(NO_SERIES.after(1, 3), names, is_over=False)
    assert words == "game 2 · lost: Anna 0, Boris 1, Clara 0 · draws: 0"
    words = score_words(Series(planned=10), names, is_over=False, dot=" - ")
    assert words == "game 1 of 10 - lost: Anna 0, Boris 0, Clara 0 - draws: 0"
    words = score_words(
        NO_SERIES.after(1, 3, (2, 0, 1)).after(None, 3, (1, 2, 0)).turned(), names, is_over=False
    )
    assert words == "game 3 · points: Anna 1, Boris 3, Clara 2"


async def test_a_series_counts_points_by_place_if_the_rules_say_so():
    session = await played("podkidnoy:seats=3,series_score=places")
    after = next_setup(session.setup, session.state)
    assert after.series.points == session.state.points
    assert sorted(after.series.points) == [0, 1, 2]
    assert session.series == after.series
    record = game_record(after, after.deal())
    assert Series.parse(record.tags["Series"], 3) == after.series


async def played(rules, players=("greedy", "random", "smart"), seed=3):
    setup = GameSetup(Rules.parse(rules), players, NAMES[: len(players)], seed)
    session = Session(setup)
    session.start()
    await until(lambda: session.is_over)
    await session.close()
    return session


async def test_the_next_game_begins_under_the_fool_where_the_rules_say_so():
    session = await played("podkidnoy:seats=3,next_first_attacker=under_fool")
    fool = session.state.fool
    assert fool is not None
    after = next_setup(session.setup, session.state)
    assert after.first_attacker == (fool - 1) % 3
    assert after.deal().attacker == after.first_attacker
    turned = next_setup(session.setup, session.state, rotate=True)
    assert turned.names == (NAMES[2], NAMES[0], NAMES[1])
    # The same two people meet, one seat further.
    assert turned.names[turned.first_attacker] == after.names[after.first_attacker]
    assert turned.names[turned.series.losses.index(1)] == session.setup.names[fool]


async def test_where_the_deal_decides_it_decides_again():
    session = await played("podkidnoy:seats=3")
    assert next_setup(session.setup, session.state).first_attacker is None


async def test_a_saved_game_keeps_the_score(tmp_path):
    session = await played("podkidnoy:seats=3")
    after = next_setup(session.setup, session.state)
    assert after.series.games == 1
    record = game_record(after, after.deal())
    assert Series.parse(record.tags["Series"], 3) == after.series
    assert "Series" not in game_record(session.setup, session.state).tags


async def test_at_the_table_the_next_game_keeps_the_score_and_is_continued_with_it():
    rules = f"{SHORT},next_first_attacker=under_fool"
    app = an_app(rules, bots=("random",), seed=6)
    async with app.run_test(size=(80, 24)) as pilot:
        table = await my_turn(app)
        first = table.session
        for number in (1, 2):
            session = table.session
            while not session.is_over:
                session.submit(session.state.legal_actions[0])
                await my_turn(app)
            await until(on_screen(app, Ask))
            await until(shows(app, "Game 2") if number == 2 else hides(app, "Game 2"))
            if number == 2:
                break
            await pilot.press("enter")
            await until(lambda: isinstance(app.screen, TableScreen) and app.screen is not table)  # noqa: B023
            table = await my_turn(app)
            await until(shows(app, "Game 2 · lost:"))
        fool = first.state.fool
        if fool is not None:
            assert table.session.setup.first_attacker == 1 - fool
        assert table.session.series.games == 2
    assert app.saves.unfinished() == ()


async def test_a_series_is_watched_game_after_game_with_rotating_seats():
    app = an_app(at_once="")
    async with app.run_test(size=(80, 24)):
        rules = Rules.parse(SHORT.replace("seats=2", "seats=3"))
        series = Series(planned=3, rotating=True)
        app.begin(GameSetup(rules, ("greedy", "random", "smart"), NAMES[:3], 4, series=series))
        await until(on_screen(app, WatchScreen))
        screen = app.screen
        await until(lambda: screen.session.series.games == 3)
        last = screen.session
        await until(shows(app, "Game 3 of 3"))
        assert last.setup.names == (*NAMES[1:3], NAMES[0])
        assert last.setup.players == ("random", "smart", "greedy")
        assert not last.series.goes_on
        assert len(list(app.saves.finished.iterdir())) == 3
        assert app.screen is screen


async def test_who_pauses_after_a_game_stays_with_it():
    app = an_app("podkidnoy:seats=2", at_once="", pace="4x")
    async with app.run_test(size=(100, 30)) as pilot:
        setup = GameSetup(Rules.parse(SHORT), ("greedy", "greedy"), NAMES[:2], 4, series=Series(planned=2))
        app.begin(setup)
        await until(on_screen(app, WatchScreen))
        screen = app.screen
        session = screen.session
        session.set_pace(0)
        await until(lambda: session.is_over)
        session.set_pace(3600)
        session.go(3)
        await until(lambda: screen.moment.ply == 3 and not screen._is_drawing)
        assert screen._rest is None
        session.set_pace(0)
        await pilot.press("end", "space")
        await until(lambda: screen.session is not session)
        await until(shows(app, "Game 2 of 2"))
