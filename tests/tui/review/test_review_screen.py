"""The review screen: keys, judgement, what can be tried out, export, and playing on."""

import os

import pytest

from durak_core import read_observation, write_json_line, write_observation
from durak_core.search.search_result import SearchedAction
from durak_tui.app import DurakApp
from durak_tui.library.model.entries import entry_of
from durak_tui.menu import MenuScreen
from durak_tui.play.setup import Launch
from durak_tui.review.model import ReviewGame, Source
from durak_tui.review.screen import Choices, ReviewScreen
from durak_tui.table.screens import TableScreen
from durak_tui.ui.screens.dialogs import Ask, Pick, Write
from durak_tui.ui.widgets.plot import Plot
from tui.helpers import an_app, click, hides, my_turn, on_screen, screen_text, send, shows, until
from tui.reviewing import Content, Oracle, a_game
from tui.settling import settled

SMALL = "podkidnoy:seats=2,lowest_rank=11,hand_size=3"


def reviewing(*games, engine=None, **changes):
    """Make an app that reviews one of these games, or a short one."""
    settings = {"pace": "instant", "reduced_motion": True, **changes}
    app = DurakApp(Launch(None, (), None, "review", settings, games or (a_game(SMALL),)))
    app.engines.adviser = Oracle() if engine is None else engine
    return app


async def opened(app, *, judged=True):
    await until(on_screen(app, ReviewScreen))
    screen = app.screen
    if judged:
        await until(lambda: screen.game.review.is_complete and not screen._is_drawing)
    return screen


def still(screen, ply):
    return lambda: screen.game.ply == ply and not screen._is_drawing


async def test_the_game_is_looked_at_while_it_is_judged():
    engine = Oracle()
    engine.may_answer.clear()
    app = reviewing(engine=engine)
    async with app.run_test(size=(80, 24)):
        screen = await opened(app, judged=False)
        await until(shows(app, f"0 of {screen.game.own_choices} choices analysed"))
        await until(shows(app, "not analysed yet"))
        send(app, "home", "right", "full_stop")
        await until(still(screen, 2))
        await until(shows(app, "move 3 of"))
        engine.may_answer.set()
        await until(lambda: screen.game.review.is_complete)
        await until(shows(app, "Anna "))
        await until(lambda: "choices analysed" not in screen_text(app))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 36)])
async def test_everything_has_its_place(size):
    app = reviewing(a_game())
    async with app.run_test(size=size):
        screen = await opened(app)
        accuracy = f"Anna {screen.game.review.player(0).accuracy:.0f}%"
        await until(shows(app, "[ Back ← ]", "▸ ", "best", "100%", accuracy))


async def test_it_opens_at_the_viewers_turning_point_and_n_goes_from_mistake_to_mistake():
    app = an_app(at_once="")
    app.engines.adviser = Oracle()
    async with app.run_test(size=(120, 36)):
        app.show_review(a_game(), 1)
        screen = await opened(app)
        game = screen.game
        await until(still(screen, game.turning_ply))
        assert game.turning_ply > 0
        number = f"move {game.turning_ply + 1}"
        assert f"{number} of {game.last_ply}" in screen_text(app).split("\n")[0]
        assert f"{number} (" in screen_text(app) or f"at {number}" in screen_text(app)
        assert (game.viewer, game.open_hands) == (1, False)
        for _ in game.moments[:3]:
            later = [ply for ply in game.moments if ply > game.ply]
            send(app, "n")
            await until(still(screen, later[0] if later else game.moments[0]))
            assert game.shown.turn == 1 or game.ply == game.turning_ply
        await until(shows(app, "Play again"))


async def test_after_a_game_without_a_mistake_it_opens_at_the_first_choice_and_says_so():
    app = an_app(at_once="")
    app.engines.adviser = engine = Content()
    engine.may_answer.clear()
    async with app.run_test(size=(120, 36)):
        app.show_review(a_game(), 1)
        screen = await opened(app, judged=False)
        assert screen.game.shown.turn == 1
        assert len(screen.game.shown.legal_actions) > 1
        await until(shows(app, "choices analysed"))
        engine.may_answer.set()
        await until(shows(app, "No mistakes: nothing you did cost much."))
        assert screen.game.ply == screen.game.first_choice


async def test_figures_are_behind_a_key():
    app = reviewing(a_game())
    async with app.run_test(size=(120, 36)):
        await opened(app)
        await until(shows(app, "best"))
        assert "safe 70%" not in screen_text(app)
        send(app, "percent_sign")
        await until(shows(app, "safe 70%"))
        assert "±" not in screen_text(app)


async def test_moves_bouts_beginning_and_end():
    app = reviewing()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app)
        send(app, "home", "right", "right", "left")
        await until(still(screen, 1))
        send(app, "right_square_bracket")
        await until(lambda: screen.game.shown.bout == 2)
        await pilot.press("х")  # noqa: RUF001 - the key of [ in a Russian layout
        await until(still(screen, 0))
        send(app, "end")
        await until(still(screen, screen.game.last_ply))
        await until(shows(app, "the fool"))
        send(app, "home")
        await until(still(screen, 0))


async def test_keys_go_to_the_marks_of_the_player_whose_view_it_is():
    app = reviewing(a_game())
    async with app.run_test(size=(120, 36)):
        screen = await opened(app)
        evaluations = screen.game.review.evaluations
        viewer = screen.game.viewer
        own = [evaluation for evaluation in evaluations.values() if evaluation.seat == viewer]
        first = next(evaluation.ply for evaluation in own if evaluation.mark == "?!")
        send(app, "home", "i")
        await until(still(screen, first - 1))
        assert screen.game.viewer == viewer
        await until(shows(app, " ?!. "))
        absent = {"b": "??", "m": "?"}
        missing = next((key for key in absent if not any(j.mark == absent[key] for j in own)), "")
        if missing:
            send(app, missing)
            await until(shows(app, f"got {absent[missing]}."))


async def test_of_two_players_only_the_viewers_curve_is_drawn():
    app = reviewing(a_game())
    async with app.run_test(size=(120, 36)):
        screen = await opened(app)
        mine, other = screen.game.names[screen.game.viewer], screen.game.names[1 - screen.game.viewer]
        await until(shows(app, "Curve: "))
        shown = screen.query_one(Plot).render().plain
        assert mine in shown
        assert other not in shown


async def test_the_played_action_is_in_sight_however_long_the_list_is():
    app = reviewing(a_game())
    async with app.run_test(size=(80, 24)):
        screen = await opened(app)
        game = screen.game
        room = screen.query_one(Choices).size.height
        long = [
            ply
            for ply, one in game.review.evaluations.items()
            if one.best is not None
            and room < 1 + game.states[ply - 1].legal_actions.index(game.record.moves[ply - 1].action)
        ]
        assert long
        game.go(long[0] - 1)
        screen.moment_changed()
        await until(shows(app, "played"))


async def test_an_action_is_chosen_tried_out_and_left_again():
    app = reviewing()
    async with app.run_test(size=(80, 24)):
        screen = await opened(app)
        send(app, "home")
        await until(still(screen, 0))
        choices = screen.game.candidates
        other = next(n for n, choice in enumerate(choices) if choice.action != screen.game.played)
        send(app, *["down"] * other, "down", "up", "enter")
        await until(lambda: screen.game.tried == (choices[other].action,))
        await until(shows(app, "Variation after move 0"))
        await until(shows(app, "[ Game Shift+← ]"))
        send(app, "enter")
        await until(lambda: len(screen.game.tried) == 2)
        send(app, "left")
        await until(lambda: len(screen.game.tried) == 1)
        send(app, "shift+left")
        await until(lambda: screen.game.key == (0, ()) and not screen._is_drawing)
        await until(hides(app, "Variation after"))


async def test_the_mouse_does_the_same():
    app = reviewing()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app)
        await pilot.click(Plot, offset=(30, 3))
        await until(lambda: screen.game.ply > 0 and not screen._is_drawing)
        send(app, "home")
        await until(still(screen, 0))
        await pilot.click(Choices, offset=(5, 1))
        await until(lambda: screen._cursor == 1)
        action = screen.game.candidates[1].action
        await pilot.click(Choices, offset=(5, 1))
        await until(lambda: screen.game.tried == (action,) or screen.game.ply == 1)


async def test_hands_are_opened_and_the_view_goes_round():
    app = reviewing()
    async with app.run_test(size=(80, 24)):
        screen = await opened(app)
        send(app, "home")
        await until(still(screen, 0))
        hidden = next(iter(screen.game.shown.hands[1]))
        name = hidden.pretty
        assert name not in screen_text(app).partition("Anna ")[0]
        send(app, "o")
        await until(shows(app, "hands are open"))
        await until(lambda: "Boris" in screen_text(app) and name in screen_text(app))
        send(app, "o", "f")
        await until(lambda: screen.game.viewer == 1 and "hands are open" not in screen_text(app))


async def test_judging_is_paused_and_goes_on():
    engine = Oracle()
    engine.may_answer.clear()
    app = reviewing(engine=engine)
    async with app.run_test(size=(120, 36)):
        screen = await opened(app, judged=False)
        send(app, "a")
        await until(shows(app, "paused: 0 of"))
        engine.may_answer.set()
        send(app, "a")
        await until(lambda: screen.game.review.is_complete)


async def test_without_an_engine_the_game_is_shown_all_the_same():
    app = DurakApp(Launch(None, (), None, "review", {"reduced_motion": True}, (a_game(),)))
    async with app.run_test(size=(80, 24)):
        screen = await opened(app, judged=False)
        await until(shows(app, "not analysed: the engine is switched off"))
        send(app, "home", "right")
        await until(still(screen, 1))


class Leaving(Oracle):
    """Answers some questions, and then has ended."""

    async def answer(self, question, heard=None):
        self.wrong = 1000 * (len(self.asked) >= 12)
        return await super().answer(question, heard)


async def test_a_review_that_cannot_be_finished_shows_what_is_sure_and_what_is_missing():
    app = reviewing(a_game(), engine=Leaving())
    async with app.run_test(size=(100, 30)):
        screen = await opened(app, judged=False)
        count = screen.game.own_choices
        await until(shows(app, f"12 of {count} choices analysed; the engine has ended"))
        assert screen.game.moments, "the marks that are known can be looked at"
        await until(still(screen, screen.game.turning_ply))
        await until(hides(app, "Accuracy"))


async def test_the_position_is_copied_as_the_viewer_sees_it(monkeypatch):
    app = reviewing()
    copied = []
    monkeypatch.setattr(app, "copy_to_clipboard", copied.append)
    async with app.run_test(size=(80, 24)):
        screen = await opened(app)
        send(app, "home", "right", "f")
        await settled()  # a hand that changes takes the last message away
        send(app, "y")
        await until(shows(app, "Copied: the position as Boris sees it."))
        seen = screen.game.states[1].observation(1)
        assert copied == [write_observation(seen)]
        assert read_observation(copied[0]).hand == seen.hand


async def test_a_moment_is_copied_as_a_question_without_its_answer():
    app = reviewing(a_game(seed=3))
    copied = []
    app.copy_to_clipboard = copied.append
    async with app.run_test(size=(100, 30)):
        screen = await opened(app)
        send(app, "home", "right")
        await until(still(screen, 1))
        send(app, "x")
        await until(shows(app, "Copied: "))
        seen = screen.game.shown.observation(screen.game.shown.turn)
        hand = " ".join(card.pretty for card in seen.hand)
        (attack,) = [pair.attack.pretty for pair in seen.table]
        (line,) = copied
        assert line.startswith("Durak · Podkidnoy, 2 players · trump card ")
        assert line.endswith(f"table: {attack} · hand: {hand} · what would you play?")
        send(app, "end", "x")
        await until(shows(app, "go back to a move"))
        assert len(copied) == 1


async def test_the_judged_game_is_written_to_a_file():
    app = reviewing()
    async with app.run_test(size=(80, 24)):
        await opened(app)
        send(app, "e")
        await until(on_screen(app, Write))
        send(app, "enter")
        await until(shows(app, "Written: "))
        (path,) = (app.saves.folder / "reviews").iterdir()
        assert "best" in path.read_text("utf-8")


async def test_the_game_is_played_on_from_what_is_shown():
    app = reviewing(a_game(Player0="human", Player1="greedy"))
    async with app.run_test(size=(80, 24)):
        screen = await opened(app)
        send(app, "home")
        await until(still(screen, 0))
        other = next(
            choice.action for choice in screen.game.candidates if choice.action != screen.game.played
        )
        screen.game.follow(other)
        path = screen.game.path
        send(app, "f", "r")
        await until(on_screen(app, TableScreen))
        session = app.screen.session
        assert tuple(session.states[:2]) == path
        assert session.setup.players[1] == "human"
        assert session.setup.names == ("Anna", "You")
        await my_turn(app)
        assert len(app.saves.unfinished()) == 0  # this program holds it
        assert len(list(app.saves.running.glob("*.durak"))) == 1
        assert session.used.undos, "it is not rated"
        app.screen.leave_game()
        await until(on_screen(app, ReviewScreen))


async def test_nobody_plays_on_from_the_end():
    app = reviewing()
    async with app.run_test(size=(80, 24)):
        screen = await opened(app)
        send(app, "end", "r")
        await until(shows(app, "The game is over here"))
        assert app.screen is screen


async def test_what_was_judged_is_remembered_while_the_app_runs():
    engine = Oracle()
    app = reviewing(engine=engine)
    async with app.run_test(size=(80, 24)):
        screen = await opened(app)
        asked = len(engine.asked)
        send(app, "escape")
        await until(on_screen(app, MenuScreen))
        app.show_review(screen.game.record)
        again = await opened(app)
        assert again is not screen
        assert len(engine.asked) == asked


async def test_the_library_learns_how_accurate_a_whole_game_was(monkeypatch):
    engine = Oracle()
    engine.may_answer.clear()
    app = reviewing(engine=engine)
    learnt = []

    async def remember(game, _shelf):
        learnt.append(game.review)
        game.answers.is_stored = True

    monkeypatch.setattr(ReviewGame, "remember", remember)
    async with app.run_test(size=(80, 24)):
        screen = await opened(app, judged=False)
        assert learnt == []
        engine.may_answer.set()
        await until(lambda: learnt)
        assert learnt == [screen.game.review]
        assert learnt[0].is_complete


async def test_a_game_of_the_library_is_opened_with_its_judgement_even_by_another_run_of_the_app():
    first = reviewing()
    first.library.store.add(entry_of(a_game(SMALL)))
    async with first.run_test(size=(80, 24)):
        screen = await opened(first)
        await until(lambda: screen.game.answers.is_stored)
        evaluations = screen.game.review.evaluations
    engine = Oracle()
    second = reviewing(engine=engine)
    async with second.run_test(size=(80, 24)):
        screen = await opened(second)
        assert screen.game.review.evaluations == evaluations
        assert engine.asked == []
        send(second, "N")
        await until(lambda: len(engine.asked) == screen.game.free_moves)
        await until(lambda: screen.game.review.is_complete and screen.game.answers.is_stored)
        assert screen.game.review.evaluations == evaluations


async def test_what_is_still_open_is_searched_when_the_game_is_opened_again():
    engine = Oracle()
    app = reviewing(engine=engine)
    app.library.store.add(entry_of(a_game(SMALL)))
    half = ReviewGame(a_game(SMALL))
    for ply in list(half.review.open_plies)[::2]:
        lines = [
            SearchedAction(action, 0.5, 100, low=0.49, high=0.51)
            for action in half.states[ply - 1].legal_actions
        ]
        half.answers.add_lines((ply - 1, ()), lines)
    half.answers.source = Source("Another", 200)
    await half.remember(app.library)
    async with app.run_test(size=(80, 24)):
        screen = await opened(app)
        assert len(engine.asked) == screen.game.free_moves - half.evaluated_moves > 0
        await until(lambda: app.library.store.evaluation(a_game(SMALL))[:2] == ("Oracle", 300))


async def test_of_several_games_one_is_picked():
    games = (a_game(seed=3), a_game(seed=4))
    app = reviewing(*games)
    async with app.run_test(size=(80, 24)):
        await until(on_screen(app, Pick))
        await until(shows(app, "Anna, Boris"))
        send(app, "down", "enter")
        screen = await opened(app)
        assert screen.game.record == games[1]


async def test_the_menu_asks_for_a_file(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text(write_json_line(a_game()))
    app = an_app(at_once="")
    app.engines.adviser = Oracle()
    async with app.run_test(size=(80, 24)):
        await until(on_screen(app, MenuScreen))
        send(app, "v")
        await until(on_screen(app, Pick))
        send(app, "down", "enter")
        await until(on_screen(app, Write))
        app.screen.query_one("Input").value = str(path)
        send(app, "enter")
        screen = await opened(app)
        assert screen.game.record == a_game()
        send(app, "escape")
        await until(on_screen(app, MenuScreen))
        send(app, "V")
        await until(on_screen(app, Pick))
        send(app, "down", "enter")
        await until(on_screen(app, Write))
        path.write_text("{}")
        app.screen.query_one("Input").value = str(path)
        send(app, "enter")
        await until(shows(app, "The game cannot be read"))


async def test_a_finished_game_is_reviewed_from_its_result():
    app = an_app(SMALL)
    app.engines.adviser = Oracle()
    async with app.run_test(size=(80, 24)) as pilot:
        while not (table := await my_turn(app)).session.is_over:
            table.session.submit(table.session.state.legal_actions[0])
        await until(on_screen(app, Ask))
        await click(pilot, "#answer-review")
        screen = await opened(app)
        assert screen.game.states == table.session.states
        assert screen.game.viewer == table.session.setup.human
        assert screen.game.you == table.session.setup.human
        await pilot.press("escape")
        await until(lambda: app.screen is table)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("changes", [{"ascii": True}, {"theme": "textual-light"}])
async def test_other_looks(changes):
    app = reviewing(**changes)
    async with app.run_test(size=(80, 24)):
        await opened(app)
        send(app, "percent_sign")
        await until(shows(app, "safe 70%"))
        if "ascii" in changes:
            assert screen_text(app).isascii()


async def test_without_colours(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    app = reviewing()
    async with app.run_test(size=(80, 24)):
        await opened(app)
        await until(shows(app, "best"))


@pytest.mark.slow
async def test_four_hands_are_open_in_a_small_board():
    game = a_game("podkidnoy:seats=4", players=("greedy",) * 4)
    app = reviewing(game)
    async with app.run_test(size=(80, 24)):
        screen = await opened(app)
        send(app, "o")
        await until(shows(app, "hands are open"))
        state, names = screen.game.shown, screen.game.names
        for seat in (1, 2, 3):
            card = min(state.hands[seat], key=lambda card: (card.suit == state.trump_suit, card))
            await until(shows(app, names[seat]))
            await until(shows(app, f"{card.suit.symbol} {card.pretty[:-1]}"))
        hand = f"{card.suit.symbol} {card.pretty[:-1]}"
        send(app, "o")
        await until(lambda: "hands are open" not in screen_text(app) and hand not in screen_text(app))


@pytest.mark.slow
async def test_a_real_engine_judges_a_game(monkeypatch):
    monkeypatch.setitem(os.environ, "DURAK_COMPILED", "0")
    monkeypatch.delenv("DURAK_ENGINE")
    settings = {"reduced_motion": True, "review_time": "0.2 s"}
    app = DurakApp(Launch(None, (), None, "review", settings, (a_game(SMALL),)))
    async with app.run_test(size=(80, 24)):
        screen = await opened(app, judged=False)
        await until(lambda: screen.game.review.is_complete, 60)
        for ply, evaluation in screen.game.review.evaluations.items():
            state = screen.game.states[ply - 1]
            assert (evaluation.best is None) == (len(state.legal_actions) == 1)
            assert evaluation.best is None or evaluation.best.action in state.legal_actions
