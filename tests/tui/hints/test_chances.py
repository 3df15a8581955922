"""The chances of a watched game: which decisions are asked about, their curves, and the panel."""

import re
import shlex

import pytest

from durak_core import Rules, State, make_agent
from durak_core.lab import play_game
from durak_core.review import Review, questions
from durak_tui.hints.model import Advice, Chances
from durak_tui.hints.view.advice import advice_view
from durak_tui.review.model import ReviewGame
from durak_tui.review.view import curve_values
from durak_tui.text.phrases import Voice
from durak_tui.ui.view.board_data import fool_plot
from durak_tui.ui.widgets.plot import Plot
from durak_tui.watch.screen import ChancesPanel, WatchScreen
from tui.helpers import an_app, fake_engine, on_screen, screen_text, shows, until
from tui.reviewing import Oracle, a_game

STATES = list(a_game().replay())
CHOICES = [ply for ply, state in enumerate(STATES) if state.turn is not None and len(state.legal_actions) > 1]


async def found(states, ply, oracle=None, count=None):
    """Ask about a game until nothing is open, or so many answers have come."""
    oracle = oracle or Oracle()
    heard = []
    chances = Chances(oracle, lambda: heard.append(len(oracle.asked)))
    chances.follow(states, ply)
    chances.start()
    wanted = len([at for at in CHOICES if at < len(states)]) if count is None else count
    await until(lambda: len(chances.answers.by_ply()) >= wanted or not chances.is_running)
    await chances.close()
    return chances, oracle


async def test_the_decision_shown_is_asked_about_first_then_the_newest():
    shown = CHOICES[3]
    _, oracle = await found(STATES[:-1], shown)
    asked = [observation for observation, _budget, _options in oracle.asked]
    order = [shown, *(ply for ply in reversed(CHOICES) if ply != shown)]
    assert asked == [STATES[ply].observation(STATES[ply].turn) for ply in order]


async def test_only_what_the_seat_to_act_knows_is_asked_and_forced_moves_are_not():
    _, oracle = await found(STATES, 0)
    for observation, budget, _options in oracle.asked:
        assert observation.hands is None
        assert observation.seat == observation.turn
        assert len(observation.legal_actions) > 1
        assert budget.time is not None
        assert budget.time <= 500


async def test_curves_go_through_what_was_found_and_end_with_the_result():
    chances, _ = await found(STATES, 0)
    for seat in (0, 1):
        curve = chances.curve(seat)
        own = [ply for ply in CHOICES if STATES[ply].turn == seat]
        assert len(curve) == len(STATES)
        assert all(value is None for value in curve[: own[0]])
        assert all(curve[ply] == pytest.approx(0.7) for ply in own)
        assert curve[-1] == float(STATES[-1].fool != seat)
        assert all(value is not None and 0 <= value <= 1 for value in curve[own[0] :])


async def test_while_the_game_goes_on_the_last_value_stays():
    chances, _ = await found(STATES[:20], 19)
    assert chances.curve(0)[-1] == chances.curve(1)[-1] == pytest.approx(0.7)


async def test_a_curve_leaves_out_figures_that_are_little_more_than_guesses():
    chances, _ = await found(STATES[:20], 19, Oracle(margin=0.3))
    assert chances.curve(0) == chances.curve(1) == [None] * 20


@pytest.mark.parametrize("teams", ["2x2", "2x3", "3x2"])
async def test_a_teams_chance_is_the_same_in_the_curve_the_hint_and_the_review_and_one_team_loses(teams):
    seats = 4 if teams == "2x2" else 6
    rules = Rules(seats=seats, teams=teams, lowest_rank=11, hand_size=2)
    record = play_game(rules, [make_agent("greedy") for _seat in range(seats)], 4).record
    states = list(record.replay())
    own = [ply for ply, state in enumerate(states) if state.turn is not None and len(state.legal_actions) > 1]
    chances = Chances(Oracle(), lambda: None)
    chances.follow(states, 0)
    chances.start()
    await until(lambda: len(chances.answers.by_ply()) == len(own))
    await chances.close()
    curves = [chances.curve(team) for team in range(rules.team_count)]
    review = ReviewGame(record)
    for ply, lines in chances.answers.by_ply().items():
        review.answers.add_lines((ply - 1, ()), lines)
    for ply in own:
        turn = states[ply].turn
        advice = Advice(states[ply].observation(turn), chances.answers.lines_at((ply, ())))
        assert curves[rules.team_of(turn)][ply] == pytest.approx(0.7)
        assert curve_values(review, rules.team_of(turn))[ply] == pytest.approx(0.7)
        assert advice_view(advice, Voice(("",) * seats, turn), figures=True).rows[0].chance == "safe 70%"
    lines, _look = fool_plot(curves, [("", "")] * rules.team_count, lambda _team: "", 0, 0)
    assert [line.values for line in lines] == curves
    assert states[-1].fool is not None
    assert [curve[-1] for curve in curves] == [float(team != states[-1].fool) for team in range(len(curves))]


async def test_who_follows_the_game_whenever_something_is_told_comes_to_rest():
    told = []

    def heard():
        told.append(chances.is_idle)
        if len(told) < 1000:
            chances.follow(STATES, 0)

    chances = Chances(Oracle(), heard)
    chances.follow(STATES, 0)
    chances.start()
    await until(lambda: chances.is_idle)
    await chances.close()
    assert told.count(True) == 1


async def test_another_game_begins_with_nothing():
    chances, oracle = await found(STATES, 0)
    chances.follow([State.deal(Rules(), 5)], 0)
    assert chances.curve(0) == chances.curve(1) == [None]
    assert len(oracle.asked) == len(CHOICES)


async def test_one_failure_is_forgotten_with_the_next_answer():
    chances, oracle = await found(STATES, 0, Oracle(wrong=1))
    assert chances.problem == ""
    assert len(oracle.asked) == len(CHOICES) + 1


async def test_an_engine_that_fails_twice_is_left_alone_and_started_again_on_demand():
    chances, oracle = await found(STATES, 0, Oracle(wrong=2), count=1)
    assert chances.problem
    assert not chances.is_running
    assert len(oracle.asked) == 2
    chances.start()
    await until(lambda: chances.curve(0)[-2] is not None)
    assert chances.problem == ""
    await chances.close()


async def test_moves_get_marks_as_in_a_review_and_another_seats_answer_changes_none():
    chances, _ = await found(STATES, 0)
    record = a_game()
    asked = questions(record, STATES)
    review = Review(record, asked, chances.answers.by_ply())
    told = {ply: one.mark for ply, one in chances.evaluations.items()}
    assert told == {ply: one.mark for ply, one in review.evaluations.items() if asked[ply - 1].is_free}
    assert set(told.values()) >= {"", "?!"}


async def test_a_doubtful_move_is_compared_and_a_hasty_one_searched_again():
    oracle = Oracle(margin=0.06)
    chances, _ = await found(STATES, 0, oracle)
    assert any(one.is_doubtful for one in chances.evaluations.values())
    chances.start()
    await until(lambda: chances._wanted() is None)
    await chances.close()
    times = {budget.time for _observation, budget, _options in oracle.asked}
    assert times == {150, 600, 2400}
    hasty, oracle = await found(STATES, 0, Oracle(backend="plain"))
    assert hasty.answers.hasty == {(ply, ()) for ply in CHOICES}
    oracle.backend = "compiled"
    hasty._is_warm = True
    hasty.start()
    await until(lambda: not hasty.answers.hasty)
    await hasty.close()
    assert len(oracle.asked) == 2 * len(CHOICES)


# The panel


@pytest.fixture
def engine(monkeypatch):
    monkeypatch.setenv("DURAK_ENGINE", shlex.join(fake_engine("decide")))


def panel_of(app):
    return app.screen.query_one(ChancesPanel)


@pytest.mark.usefixtures("engine")
async def test_from_120_columns_the_chances_are_drawn_and_a_click_goes_there():
    app = an_app("podkidnoy:seats=2,lowest_rank=11,hand_size=3", at_once="watch", seed=2)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(on_screen(app, WatchScreen))
        screen = app.screen
        await until(lambda: screen.session.is_over)
        await until(lambda: screen.chances.is_running and screen.chances._wanted() is None)
        await until(shows(app, "How safe each player is"))
        names = screen.session.setup.names
        fool = screen.session.state.fool
        if fool is not None:
            await until(shows(app, f"{names[fool]} 0%"))
        await until(lambda: any(0x2800 < ord(sign) < 0x2900 for sign in screen_text(app)))
        plot = panel_of(app).query_one(Plot)
        await pilot.click(plot, offset=(6, 3))
        await until(lambda: screen.session.ply == 0)
        await pilot.press("w")
        await until(lambda: "How safe each" not in screen_text(app))
        assert screen.chances.is_running, "the log shows marks"
        await pilot.press("l")
        await until(lambda: not screen.chances.is_running)


@pytest.mark.slow
@pytest.mark.usefixtures("engine")
async def test_from_three_seats_the_chances_are_of_one_fool():
    app = an_app("podkidnoy:seats=3,lowest_rank=11,hand_size=3", at_once="watch", seed=2)
    async with app.run_test(size=(120, 36)):
        await until(on_screen(app, WatchScreen))
        screen = app.screen
        await until(lambda: screen.session.is_over)
        await until(lambda: screen.chances.is_running and screen.chances._wanted() is None)
        await until(shows(app, "How safe each player is"))
        screen.session.go(4)
        await until(lambda: screen.moment.ply == 4)
        names = screen.session.names

        def shares():
            found = [re.search(rf"{name} (\d+)%", screen_text(app)) for name in names]
            return sum(int(one[1]) for one in found if one)

        await until(lambda: shares() == 200)
        await until(shows(app, "67% ┤"))


@pytest.mark.usefixtures("engine")
async def test_in_a_small_window_a_key_shows_them_and_advice_goes_first():
    app = an_app("podkidnoy:seats=2", at_once="watch", pace="0.5x")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(on_screen(app, WatchScreen))
        screen = app.screen
        await pilot.press("space")
        assert not panel_of(app).display
        await pilot.press("w")
        await until(shows(app, "How safe each player is"))
        await until(lambda: screen.chances.is_running)
        await pilot.press("h")
        assert not screen.chances.is_running
        await pilot.press("h")
        await until(lambda: screen.chances.is_running)


async def test_without_an_engine_the_room_stays_the_tables_unless_asked():
    app = an_app("podkidnoy:seats=2", at_once="watch", pace="0.5x")
    async with app.run_test(size=(120, 36)) as pilot:
        await until(on_screen(app, WatchScreen))
        await pilot.press("space")
        await until(lambda: app.screen.chances.problem)
        await until(lambda: not panel_of(app).display)
        await pilot.press("w")
        await until(shows(app, "switched off"))
