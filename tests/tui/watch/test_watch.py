"""Watching bots: run and pause, one move on and back, bouts, speed, views, and what is kept."""

import asyncio
import shlex
from types import SimpleNamespace

import pytest
from textual.widgets import Static

from durak_tui.menu import MenuScreen
from durak_tui.play.setup import random_pair
from durak_tui.review.screen import ReviewScreen
from durak_tui.storage.settings import Settings
from durak_tui.table.screens import TableScreen
from durak_tui.text.phrases import LogLine, Voice, rank_text
from durak_tui.watch.screen import ChancesPanel, WatchScreen, chances_head, told_log
from tui.helpers import an_app, fake_engine, on_screen, paused, screen_text, shows, until

SHORT = "podkidnoy:seats=3,lowest_rank=11,hand_size=4"
"""Rules of a game that is soon over."""


async def watching(app):
    await until(on_screen(app, WatchScreen))
    screen = app.screen
    await until(lambda: not screen._is_drawing)
    return screen


def drawn(screen, ply):
    return lambda: screen.moment.ply == ply and not screen._is_drawing


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (62, "Chances. Olga plays boldly; Boris always plays the lowest card"),
        (61, "Chances. Olga plays boldly"),
        (25, "Chances"),
    ],
)
def test_the_heading_of_the_chances_has_only_whole_readings(width, line):
    readings = ["Olga plays boldly", "Boris always plays the lowest card"]
    assert chances_head("Chances", readings, width) == line
    assert chances_head("Looking.", readings, 80).startswith("Looking. Olga plays boldly; ")


@pytest.mark.parametrize("is_waiting", [True, False])
async def test_the_heading_says_if_the_chances_wait_for_hints_to_end(is_waiting):
    app = an_app(SHORT, at_once="watch")
    async with app.run_test(size=(120, 36)):
        screen = await paused(app)
        panel = screen.query_one(ChancesPanel)
        screen.chances.problem = ""
        panel.show(screen.chances, screen.session, [], is_waiting=is_waiting, ascii_only=False)
        head = str(panel.query_one("#chances-head", Static).render())
        assert head.startswith("The chances follow" if is_waiting else "Who will be the fool?")


@pytest.mark.slow
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


async def test_a_second_press_while_a_game_ends_begins_no_second_game(monkeypatch):
    """The one that was not shown went on playing unseen, and was saved."""
    app = an_app(SHORT, at_once="watch")
    async with app.run_test(size=(80, 24)):
        screen = await paused(app)
        begun = []
        begin = app.new_game
        monkeypatch.setattr(app, "new_game", lambda setup: begun.append(begin(setup)) or begun[-1])
        await asyncio.gather(screen.action_new(), screen.action_new())
        assert begun == [screen.session]


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
        await pilot.click(log, offset=(3, 2))  # the reason of the first move
        await until(drawn(screen, 1))


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
        corner, in_text = (f"{rank_text(card)}{card.suit.symbol}", f"{card.suit.symbol} {rank_text(card)}")

        def is_seen():
            """Cards are drawn once the chances have given up their room for want of an engine."""
            return corner in screen_text(app) or in_text in screen_text(app)

        assert not is_seen()
        await pilot.press("o")
        await until(is_seen)
        await pilot.press("o")
        await until(lambda: not is_seen())
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
        assert (app.settings.descending, app.settings.colours, app.settings.size) == (True, "two", "giant")
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
        assert app.screen.game.shown == screen.session.states[ply]
        await pilot.press("down", "enter")
        await until(lambda: app.screen.game.tried or app.screen.game.ply == ply + 1)
        await pilot.press("escape")
        await until(lambda: app.screen is screen)
        assert not screen.session.is_running


async def test_a_person_takes_the_seat_to_move_and_the_watched_game_waits():
    app = an_app("podkidnoy:seats=3", at_once="watch", pace="0.5x", size="small")
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await paused(app)
        await pilot.press("right", "right", "left")
        await until(shows(app, "[ Try another move r ]"))
        ply, shown = screen.session.ply, screen.session.shown
        await pilot.press("r")
        await until(on_screen(app, TableScreen))
        played = app.screen.session
        assert played.setup.humans == {shown.turn}
        assert played.states[: ply + 1] == screen.session.states[: ply + 1]
        await pilot.press("escape")
        await until(lambda: app.screen is screen)
        assert not screen.session.is_running
        assert screen.session.ply == ply


async def test_keep_is_a_button_at_the_end_and_adds_the_game_once():
    app = an_app(SHORT, at_once="watch")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await watching(app)
        await until(lambda: screen.session.is_over)
        await until(shows(app, "[ Review v ]", "[ Keep K ]", "[ New game n ]"))
        await pilot.press("K")
        await until(shows(app, "The game is in the library."))
        await pilot.press("home")
        await until(drawn(screen, 0))
        await until(shows(app, "[ Try another move r ]", "[ Keep K ]", "[ Run Space ]"))


async def test_steps_and_the_log_leave_out_passes_without_a_choice():
    app = an_app("podkidnoy:seats=4,lowest_rank=11,hand_size=3", at_once="watch")
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await watching(app)
        session = screen.session
        await until(lambda: session.is_over)
        forced = set(session.forced_passes)
        assert forced
        await until(lambda: not screen._is_drawing)
        lines = [line for line in screen.view().log if line.is_action]
        assert forced.isdisjoint(line.ply for line in lines)
        assert {ply for line in lines for ply in line.plies} | forced == set(range(1, session.last_ply + 1))
        stops = [ply for ply in range(session.last_ply + 1) if session.is_moment(ply)]
        assert len(stops) <= session.last_ply, "some passes do not end their bout"
        await pilot.press("home")
        seen = [0]
        while session.ply < session.last_ply:
            session.step()
            seen.append(session.ply)
        assert seen == stops
        for ply in stops[-2::-1]:
            session.step(-1)
            assert session.ply == ply


@pytest.mark.slow
async def test_a_live_step_goes_on_over_passes_without_a_choice():
    app = an_app("podkidnoy:seats=4", at_once="watch", pace="0.5x")
    async with app.run_test(size=(80, 24)):
        session = (await paused(app)).session
        while not session.is_over:
            before = session.last_ply
            session.step()
            await until(lambda: not session._steps_due and session._choice is None)
            assert session.last_ply > before
            assert session.is_moment(session.last_ply)
        assert len(session.forced_passes) > 3


async def test_the_log_has_marks_and_reasons_and_the_prompt_does_not_repeat_them(monkeypatch):
    monkeypatch.setenv("DURAK_ENGINE", shlex.join(fake_engine("decide")))
    app = an_app(SHORT, at_once="watch")
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await watching(app)
        session = screen.session
        await until(lambda: session.is_over)
        await until(lambda: any(one.mark == "??" for one in screen.chances.evaluations.values()))
        evaluation = next(one for one in screen.chances.evaluations.values() if one.mark == "??")
        await until(lambda: not screen._is_drawing)
        log = screen.view().log
        at = next(n for n, line in enumerate(log) if line.is_action and evaluation.ply in line.plies)
        assert "??" in log[at].words
        below = [line.words for line in log[at + 1 :][:4] if line.ply == log[at].ply and not line.is_action]
        assert below[0] == str(session.reasons[evaluation.ply])
        assert any(words.startswith("?? ") for words in below)
        session.go(evaluation.ply)
        await until(drawn(screen, evaluation.ply))
        assert screen.view().prompt.detail == ""
        await pilot.press("l")
        await until(lambda: not screen.board.shows_log)
        assert screen.view().prompt.detail.endswith(str(session.reasons[evaluation.ply]))


def test_a_random_pair_is_of_two_opponents_and_never_the_same_two():
    settings = Settings(rules="podkidnoy:seats=4,teams=2x2")
    before = ()
    for _ in range(40):
        setup = random_pair(settings, before)
        assert len(set(setup.players)) == len(setup.players) == setup.rules.seats == 2
        assert set(setup.players) != set(before)
        before = setup.players


async def test_random_pairs_follow_each_other_without_end_and_are_introduced(monkeypatch):
    quick = [SimpleNamespace(text=text) for text in ("greedy", "smart", "random")]
    monkeypatch.setattr("durak_tui.play.setup.OPPONENTS", quick)
    app = an_app(at_once="")
    async with app.run_test(size=(120, 36)) as pilot:
        await until(on_screen(app, MenuScreen))
        app.change_settings(rules=SHORT)
        app.watch_pairs()
        screen = await watching(app)
        first = screen.session
        await until(lambda: screen.session is not first)
        assert set(first.setup.players) != set(screen.session.setup.players)
        screen.session.pause()
        one, other = screen.session.names
        screen._introduce()
        await until(shows(app, f"{one} ", f" against {other} "))
        screen.session.resume()
        screen.session.set_pace(100)
        ended = screen.session
        while not ended.is_over:
            ended.step()
            await until(lambda: not ended._steps_due and ended._choice is None)
        ended.resume()
        await until(shows(app, "Next: "))
        assert screen.session is ended, "the pause lasts"
        assert set(screen._next.players) != set(ended.setup.players)
        following = screen._next
        await pilot.press("n")
        await until(lambda: screen.session is not ended)
        assert screen.session.setup.players == following.players


def test_a_players_reason_is_not_repeated_in_the_log():
    lines = [
        LogLine(1, "Anna beats", seat=0, is_action=True),
        LogLine(2, "Boris passes", seat=1, is_action=True),
        LogLine(3, "Anna beats", seat=0, is_action=True),
        LogLine(4, "Anna takes", seat=0, is_action=True),
    ]
    reasons = {1: "cheaply", 2: "cheaply", 3: "cheaply", 4: "must"}
    told = told_log(lines, {}, reasons, Voice(("Anna", "Boris")))
    words = [line.words for line in told]
    assert words == ["Anna beats", "cheaply", "Boris passes", "cheaply", "Anna beats", "Anna takes", "must"]
