"""Watching bots: run and pause, one move on and back, bouts, speed, views, and what is kept."""

from durak_tui.menu.screen import MenuScreen
from durak_tui.review.screen import ReviewScreen
from durak_tui.text.phrases import rank_text
from durak_tui.watch.screen import WatchScreen
from tui.helpers import an_app, on_screen, paused, screen_text, shows, until

SHORT = "podkidnoy:seats=3,lowest_rank=11,hand_size=4"
"""Rules of a game that is soon over."""


async def watching(app):
    await until(on_screen(app, WatchScreen))
    screen = app.screen
    await until(lambda: not screen._is_drawing)
    return screen


def drawn(screen, ply):
    return lambda: screen.moment.ply == ply and not screen._is_drawing


async def test_a_game_runs_to_its_end_and_another_one_can_be_watched():
    app = an_app(SHORT, at_once="watch")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await watching(app)
        first = screen.session
        await until(lambda: first.is_over)
        await until(shows(app, "fool"))
        await until(shows(app, "[ New game n ]"))
        assert len(list(app.saves.finished.iterdir())) == 1
        await pilot.press("n")
        await until(lambda: screen.session is not first)
        assert app.screen is screen
        assert screen.session.setup.players == first.setup.players
        assert screen.session.setup.seed != first.setup.seed
        await until(lambda: screen.session.is_over)
        assert len(list(app.saves.finished.iterdir())) == 2


async def test_pause_one_move_on_and_one_back():
    app = an_app("podkidnoy:seats=3", at_once="watch", pace="0.5x")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await watching(app)
        await pilot.press("space")
        await until(shows(app, "[ Run Space ]"))
        first = (await paused(app)).session.ply
        last = first + 3
        for ply in range(first + 1, last + 1):
            await pilot.press("right" if ply < last else ".")
            await until(drawn(screen, ply))
        await pilot.press("left")
        await until(shows(app, f"move {last - 1} of {last}"))
        await pilot.press("home")
        await until(shows(app, f"move 0 of {last}"))
        await pilot.press("end")
        await until(drawn(screen, last))
        assert not screen.session.is_running
        assert len(screen.session.states) == last + 1


async def test_the_buttons_do_the_same():
    app = an_app("podkidnoy:seats=3", at_once="watch", pace="0.5x")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await watching(app)
        prompt = screen.board.query_one("Prompt")

        async def press(name):
            await until(lambda: any(button.name == name for _region, button in prompt._marks))
            left = next(region.x for region, button in prompt._marks if button.name == name)
            await pilot.click(prompt, offset=(left + 2, prompt.size.height - 1))

        await press("run")
        await until(shows(app, "[ Run Space ]"))
        first = (await paused(app)).session.ply
        await press("step")
        await until(drawn(screen, first + 1))
        await press("step_back")
        await until(drawn(screen, first))


async def test_bouts_and_the_log():
    app = an_app(SHORT, at_once="watch")
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await watching(app)
        await until(lambda: screen.session.is_over)
        await pilot.press("home")
        await until(drawn(screen, 0))
        await pilot.press("]")
        await until(lambda: screen.moment.observation.bout == 2)
        await pilot.press("ъ")
        await until(lambda: screen.moment.observation.bout == 3)
        await pilot.press("[")
        await until(lambda: screen.moment.observation.bout == 2)
        log = screen.board.query_one("MoveLog")
        await until(lambda: not screen._is_drawing)
        log.scroll_to(y=0, animate=False)
        await pilot.pause()
        await pilot.click(log, offset=(3, 2))
        await until(drawn(screen, 2))


async def test_speed_changes_at_once_and_within_its_bounds():
    app = an_app("podkidnoy:seats=3", at_once="watch", pace="1x")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await watching(app)
        await pilot.press("space")
        for pace in ("0.5x", "0.5x"):
            await pilot.press("-")
            assert screen.pace == pace
        await until(shows(app, "0.5x"))
        for pace in ("1x", "2x", "4x", "instant", "instant"):
            await pilot.press("+")
            assert screen.pace == pace
        assert screen.session.pace == 0
        assert app.settings.pace == "1x"
        await pilot.press("space")
        await until(lambda: screen.session.is_over)


async def test_hands_are_opened_and_the_view_goes_round():
    app = an_app("podkidnoy:seats=3", at_once="watch", pace="0.5x")
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await paused(app)
        card = next(iter(screen.session.state.hands[1]))
        index = f"{card.suit.symbol} {rank_text(card)}"
        assert index not in screen_text(app)
        await pilot.press("o")
        await until(shows(app, index))
        await pilot.press("o")
        await until(lambda: index not in screen_text(app))
        for seat in (1, 2, 0):
            await pilot.press("f")
            await until(lambda: screen.moment.observation.seat == seat)  # noqa: B023 - awaited at once


async def test_leaving_an_unfinished_game_of_bots_leaves_nothing_behind():
    app = an_app("podkidnoy:seats=3", at_once="watch", pace="0.5x")
    async with app.run_test(size=(80, 24)) as pilot:
        await watching(app)
        await pilot.press("escape")
        await until(on_screen(app, MenuScreen))
        assert list(app.saves.running.iterdir()) == []
        assert app.saves.unfinished() == ()


async def test_a_watched_game_goes_on_after_the_program_was_closed():
    app = an_app("podkidnoy:seats=3", at_once="watch", pace="0.5x")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await paused(app)
        await pilot.press("right")
        await until(lambda: screen.session.ply > 0)
        states = screen.session.states
    again = an_app(at_once="continue", pace="0.5x")
    async with again.run_test(size=(80, 24)):
        screen = await watching(again)
        assert screen.session.states[: len(states)] == states


async def test_sorting_colours_and_sizes_work_here_too():
    app = an_app("podkidnoy:seats=3", at_once="watch", pace="0.5x")
    async with app.run_test(size=(80, 24)) as pilot:
        await watching(app)
        await pilot.press("s", "c", "z", "l")
        assert (app.settings.descending, app.settings.colours, app.settings.size) == (True, "two", "huge")
        await until(shows(app, "Bout 1"))


async def test_the_reason_of_a_move_is_told_with_its_name():
    app = an_app("podkidnoy:seats=3", at_once="watch", pace="0.5x")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await paused(app)
        await pilot.press("right")
        await until(lambda: screen.session.ply > 0 and not screen._is_drawing)
        actor = screen.session.setup.names[screen.session.states[screen.session.ply - 1].turn]
        await until(shows(app, f"{actor}: "))


async def test_a_running_game_is_kept_once_it_is_over():
    app = an_app("podkidnoy:seats=2,lowest_rank=11,hand_size=3", at_once="watch", pace="0.5x")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await watching(app)
        await pilot.press("space", "K")
        await until(shows(app, "will be kept"))
        await pilot.press("K")
        await until(shows(app, "will not be kept"))
        await pilot.press("K")
        screen.session.set_pace(0)
        await pilot.press("space")
        await until(lambda: screen.session.is_over)
        await until(lambda: app.library.store.count() == 1)


async def test_another_move_can_be_tried_from_the_moment_that_is_watched():
    app = an_app("podkidnoy:seats=3", at_once="watch", pace="0.5x")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await paused(app)
        await pilot.press("right", "right", "left")
        ply = screen.session.ply
        await pilot.press("v")
        await until(on_screen(app, ReviewScreen))
        assert app.screen.game.ply == ply
        assert app.screen.game.state == screen.session.states[ply]
        await pilot.press("down", "enter")
        await until(lambda: app.screen.game.tried or app.screen.game.ply == ply + 1)
        await pilot.press("escape")
        await until(lambda: app.screen is screen)
        assert not screen.session.is_running
