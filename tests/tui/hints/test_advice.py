"""Advice: its words, the panel in its two places, and an engine that crashes, hangs or is not there."""

import shlex
from dataclasses import replace

import pytest
from waiting import PATIENCE

from durak_core import EXCHANGE, Card, Rules, State, parse_action, read_game
from durak_core.engine.client import Search
from durak_core.engine.protocol import Budget, Progress, parse_line, write_go
from durak_core.review.reasons import foreseeable
from durak_tui.engine import Engine, EngineQuestion
from durak_tui.hints.model import Advice, Adviser, by_figure
from durak_tui.hints.view.advice import AdviceView, advice_view, outlook
from durak_tui.hints.widgets import AdvicePanel
from durak_tui.text.phrases import Voice
from tui.helpers import NAMES, an_app, fake_engine, hides, my_turn, paused, screen_text, shows, until
from tui.reviewing import Oracle

OPENING = State.setup(Rules(seats=2), ["6c7c", "8cKdAh"], talon="9sTs6s", trump="6s", attacker=0)
DEFENCE = OPENING.apply(OPENING.legal_actions[0])
SEEN = DEFENCE.observation(1)
VOICE = Voice(NAMES[:2], 1)


def a_line(text):
    return parse_line(f"info line {text}")[1]


LINES = (
    a_line("1 action 8cx6c score 0.4782 interval 0.4688 0.4875 visits 10900 exact no continuation 7c take"),
    a_line("2 action take score 0.4 interval 0 1 visits 0 exact no"),
)


@pytest.fixture
def engine(monkeypatch):
    """Let the app start a fake engine."""

    def use(manner, *rest):
        monkeypatch.setenv("DURAK_ENGINE", shlex.join(fake_engine(manner, *rest)))

    return use


# Words


def test_lines_become_words():
    view = advice_view(Advice(SEEN, LINES, 12400), VOICE)
    first, second = view.rows
    assert (first.words, first.chance, first.is_rough) == ("beat 6♣ with 8♣", "best", False)
    assert first.ahead == ("if Anna throws in more: take", "likely: Anna throws in more")
    assert (second.words, second.chance, second.is_rough) == ("take", "not tried yet", True)
    assert view.basis == "comparing the moves"
    assert advice_view(Advice(SEEN, LINES), VOICE, figures=True).rows[0].chance == "safe 48%"
    assert view.is_running
    assert (view.title, advice_view(Advice(SEEN), Voice(NAMES[:2])).title) == ("Hint", "Hint for Boris")
    assert advice_view(Advice(SEEN), VOICE).room == 2


@pytest.mark.parametrize(
    ("facts", "words", "outcome"),
    [
        ("score 1 interval 1 1 visits 0 exact yes", "wins by force", "win"),
        ("score 1 interval 1 1 visits 0 exact yes in 3", "wins by force in 3 bouts", "win"),
        ("score 0 interval 0 0 visits 4 exact yes in 1", "loses by force in 1 bout", "loss"),
        ("score 0.5 interval 0.5 0.5 visits 0 exact yes", "draws by force", "draw"),
    ],
)
def test_what_is_proved_is_said_so(facts, words, outcome):
    view = advice_view(Advice(SEEN, (a_line(f"1 action take {facts}"),), 5), VOICE)
    assert (view.rows[0].chance, view.rows[0].outcome) == (words, outcome)
    assert view.basis == "everything is known: played out to the end"


def test_without_a_choice_nobody_is_asked():
    state = State.setup(Rules(seats=2), ["Ac7d", "6d6h"], talon="9sTs6s", trump="6s", attacker=0)
    seen = state.apply(state.legal_actions[0]).observation(1)
    heard = []
    adviser = Adviser(Engine(()), heard.append)
    adviser.ask(seen)
    assert [advice.is_running for advice in heard] == [False]
    view = advice_view(heard[0], VOICE)
    assert (view.basis, view.rows[0].words, view.rows[0].chance) == ("there is no choice", "take", "")


def test_ascii_is_ascii():
    view = advice_view(Advice(SEEN, LINES, 12400), Voice(NAMES[:2], 1, ascii=True))
    words = [row.words + row.chance + "".join(row.ahead) for row in view.rows]
    assert "".join([view.basis, *words]).isascii()


# The reason, and what may follow


def seen_after(moves, *, attacker=0, hands=("6c 7c Kd", "8c 9c Ah"), seat=0, known="9s"):
    """Return what a seat sees after some moves of a small game with spades as trumps."""
    state = State.setup(Rules(seats=2), list(hands), talon=f"{known}Ts6s", trump="6s", attacker=attacker)
    for move in moves.split():
        state = state.apply(parse_action(move))
    return state.observation(seat)


@pytest.mark.parametrize(
    ("action", "continuation", "told"),
    [
        ("6c", "8cx6c pass", ("likely: Boris beats it",)),
        ("6c", "9sx6c pass", ("likely: Boris beats it with a trump",)),
        ("6c", "take 7c", ("likely: Boris takes",)),  # 7c needs a rank of its own first
        ("6c", "take 6d", ("if Boris takes: throw in 6♦", "likely: Boris takes")),
        ("6c", "6d 9sx6d", ()),
        ("6c", "", ()),
    ],
)
def test_an_answer_is_told_without_cards_that_only_the_search_has_dealt(action, continuation, told):
    seen = seen_after("", hands=("6c 6d 7c", "8c 9c Ah"))
    ahead = [parse_action(one) for one in continuation.split()]
    words = outlook(seen, parse_action(action), ahead, Voice(NAMES[:2], 0))
    assert words == told


@pytest.mark.parametrize(
    ("continuation", "known", "told"),
    [
        ("Kh take", 2, ("then attack with K♥; likely: Boris takes", "then attack with K♥")),
        ("9s Jsx9s", 1, ("then attack with 9♠; likely: Boris beats it", "then attack with 9♠")),
        ("7s", 0, ()),
        ("", 0, ()),
    ],
)
def test_after_an_exchange_the_hint_names_the_card_that_comes_into_the_hand(continuation, known, told):
    state = State.setup(Rules(exchange_trump=True), ["6h9sAc", "7s8s9d"], talon="TsTdKh")
    ahead = [parse_action(one) for one in continuation.split()]
    seen = state.observation(0)
    assert outlook(seen, EXCHANGE, ahead, Voice(NAMES[:2], 0)) == told
    assert foreseeable(seen, ahead) == tuple(ahead[:known])


async def test_the_reason_is_the_reviews_and_compares_with_the_simple_move():
    seen = seen_after("6c", seat=1)
    lines = (
        a_line("1 action take score 0.6 interval 0.59 0.61 visits 9 exact no"),
        a_line("2 action 8cx6c score 0.5 interval 0.49 0.51 visits 9 exact no"),
        a_line("3 action 9cx6c score 0.4 interval 0.39 0.41 visits 9 exact no"),
    )
    view = advice_view(Advice(seen, (lines[1], lines[2], lines[0])), VOICE)
    assert view.why == ("Beat 6♣ with 8♣. 9♣ is worse: gives up 9♣ where a lower card, 8♣, is enough.")
    assert view.card == Card.parse("8c")
    alike = advice_view(Advice(seen, lines[1:2] * 2), VOICE).why
    assert alike == "Beat 6♣ with 8♣, or any other: these are about equal."
    equal = advice_view(Advice(seen, (lines[1], replace(lines[2], score=0.5))), VOICE).why
    assert equal == "Beat 6♣ with 8♣: these are about equal, and this card is the easiest to spare."
    rough = a_line("1 action 8cx6c score 0.5 interval 0.3 0.7 visits 9 exact no")
    view = advice_view(Advice(seen, (rough, *lines[2:])), VOICE)
    assert (view.why, view.card, view.rows[0].is_rough) == ("", None, True)
    assert advice_view(Advice(seen, (rough, *lines[2:]), is_running=False), VOICE).why


def test_no_sentence_calls_a_move_worse_while_its_row_says_that_it_is_hard_to_tell():
    seen = seen_after("6c", seat=1)
    best = a_line("1 action 8cx6c score 0.5 interval 0.49 0.51 visits 9 exact no")
    rough = a_line("2 action 9cx6c score 0.4 interval 0.2 0.6 visits 9 exact no")
    view = advice_view(Advice(seen, (best, rough)), VOICE)
    assert view.rows[1].chance == "hard to tell"
    assert view.why == ""
    assert "9♣ is worse" in advice_view(Advice(seen, (best, rough), is_running=False), VOICE).why


# The adviser


async def test_a_hint_begins_with_what_the_analysis_knows_and_adds_what_it_finds(engine):
    engine("advise")
    app = an_app("podkidnoy:seats=2", seed=4)
    async with app.run_test(size=(80, 24)) as pilot:
        table = await a_choice(app)
        session = table.session
        await pilot.press("h")
        await until(lambda: table.advice.found and table.advice.found.lines)
        found = session.answers.lines_at((session.ply, ()))
        assert found == table.advice.found.lines
        session.submit(session.state.legal_actions[0])
        assert session.undo()
        assert session.answers.lines_at((session.ply, ())) == found


async def test_asked_again_what_was_found_stays_and_more_is_searched():
    engine = Engine(fake_engine("advise"))
    adviser = Adviser(engine, lambda _advice: None)
    adviser.ask(SEEN)
    assert adviser.advice == Advice(SEEN)
    await until(lambda: adviser.advice.lines)
    found = adviser.advice.lines
    adviser.stop()
    assert adviser.advice == Advice(SEEN, found, 1000, is_running=False)
    adviser.ask(SEEN)
    assert adviser.advice == Advice(SEEN, found, 1000, is_running=True)
    await until(lambda: adviser.advice.iterations == 2000)
    assert engine.starts == 1
    adviser.clear()
    assert adviser.advice is None
    await engine.close()


async def test_less_than_was_found_before_is_shown_only_where_it_is_proved():
    adviser = Adviser(Engine(()), lambda _advice: None)
    adviser.advice = Advice(SEEN, LINES, 12_400)
    proved = a_line("1 action take score 1 interval 1 1 visits 0 exact yes")
    for line, shown in ((LINES[0], LINES), (proved, (proved,))):
        search = Search()
        search.tell(Progress(500, 900, 10, "compiled"))
        search.tell((1, line))
        adviser._show(search)
        assert adviser.advice.lines == shown


def test_the_order_follows_the_figures_and_stays_where_they_are_equal():
    def lines(*scores):
        told = zip(("6c", "7c", "8c", "take"), scores, strict=False)
        facts = "interval 0.4 0.6 visits {visits} exact no"
        return [
            a_line(f"{rank} action {action} score {score} {facts.format(visits=1 if score else 0)}")
            for rank, (action, score) in enumerate(told, 1)
        ]

    def names(found):
        return " ".join(str(line.action) for line in found)

    first = by_figure(lines(0.5, 0.6, 0, 0.504))
    assert names(first) == "7c 6c take 8c"
    assert names(by_figure(lines(0.501, 0.599, 0, 0.504), first)) == "7c 6c take 8c"
    assert names(by_figure(lines(0.501, 0.499, 0, 0.51), first)) == "take 7c 6c 8c"


async def test_unsure_figures_wait_sure_ones_do_not_and_none_changes_before_it_can_be_read():
    heard = []
    adviser = Adviser(Engine(()), heard.append)
    adviser.ask(SEEN)
    adviser.stop()
    search = Search()

    def tell(iterations, score, half):
        search.tell(Progress(iterations, 900, 10, "compiled"))
        interval = f"interval {score - half:.2f} {score + half:.2f}"
        search.tell((1, a_line(f"1 action take score {score} {interval} visits 9 exact no")))
        adviser._show_in_time(search)

    tell(100, 0.5, 0.2)
    assert not adviser.advice.lines, "it waits half a second for surer ones"
    tell(200, 0.5, 0.05)
    assert adviser.advice.iterations == 200
    tell(300, 0.6, 0.05)
    assert adviser.advice.iterations == 200
    await until(lambda: adviser.advice.iterations == 300)
    adviser.close()


async def test_an_engine_that_crashes_once_is_started_again(tmp_path):
    engine = Engine(fake_engine("crash-once", tmp_path / "crashed"))
    heard = []
    adviser = Adviser(engine, heard.append)
    adviser.ask(SEEN)
    await until(lambda: adviser.advice.lines)
    assert engine.starts == 2
    assert any("Started again" in advice.problem for advice in heard)
    assert adviser.advice.problem == ""
    adviser.close()
    await engine.close()


@pytest.mark.parametrize(
    ("manner", "problem"), [("crash", "the engine has failed"), ("hang", "this machine was too busy")]
)
async def test_an_engine_that_fails_for_good_costs_a_sentence(monkeypatch, manner, problem):
    if manner == "hang":
        monkeypatch.setattr("durak_tui.hints.model._SILENCE", 0.1)
    engine = Engine(fake_engine(manner))
    adviser = Adviser(engine, lambda _advice: None)
    adviser.ask(SEEN)
    await until(lambda: not adviser.advice.is_running)
    assert engine.starts == 2
    assert adviser.advice.problem == f"No hint: {problem}. You can ask again."
    await engine.close()


@pytest.mark.parametrize(("wanted", "told"), [(1, 1), (3, 3), (50, 8)])
async def test_advice_uses_as_many_threads_as_there_are(tmp_path, wanted, told):
    """The engine says how many it can have at most; it is told before it searches."""
    engine = Engine(fake_engine("note", str(tmp_path / "heard")), wanted)
    await engine.answer(EngineQuestion(SEEN, Budget(time=10), PATIENCE))
    await engine.close()
    heard = (tmp_path / "heard").read_text(encoding="utf-8").splitlines()
    assert heard.index(f"setoption name Threads value {told}") < heard.index(write_go(Budget(time=10)))


async def test_only_a_question_by_playouts_does_without_the_network(tmp_path):
    engine = Engine(fake_engine("note", str(tmp_path / "heard")))
    for by_playouts in (True, False):
        await engine.answer(EngineQuestion(SEEN, Budget(time=10), PATIENCE, by_playouts=by_playouts))
    await engine.close()
    heard = (tmp_path / "heard").read_text(encoding="utf-8").splitlines()
    search = write_go(Budget(time=10))
    told = [line for line in heard if line == search or line.startswith("setoption name Net ")]
    assert told == ["setoption name Net value off", search, "setoption name Net value auto", search]


async def test_an_engine_that_cannot_be_started_is_an_error_like_any_other():
    for command in ((), ("/no/such/engine",)):
        adviser = Adviser(Engine(command), lambda _advice: None)
        adviser.ask(SEEN)
        await until(lambda: not adviser.advice.is_running)  # noqa: B023 - awaited at once
        assert "No hint: " in adviser.advice.problem


# At the table


def panels(app):
    """Return the advice panels that are in sight."""
    return [panel for panel in app.screen.query(AdvicePanel) if panel.display and panel.region.area]


def tags(app):
    path = next(app.saves.running.glob("*.durak"))
    return read_game(path.read_text("utf-8")).tags


async def a_choice(app):
    """Wait for a turn of the person with something to choose."""
    table = await my_turn(app)
    while len(table.session.state.legal_actions) == 1:
        table.session.submit(table.session.state.legal_actions[0])
        table = await my_turn(app)
    return table


async def test_h_shows_advice_playing_on_ends_it_and_it_counts(engine):
    engine("advise")
    app = an_app("podkidnoy:seats=2", seed=4)
    async with app.run_test(size=(80, 24)) as pilot:
        table = await a_choice(app)
        assert panels(app) == []
        await pilot.press("h")
        for words in (  # the engine tells line by line, and each may be drawn before the next has come
            "best",
            "much worse",
            "loses by force in 2 bouts",
            "everything is known, but not yet played out",
        ):
            await until(shows(app, words))
        assert table.advice.found.is_running
        assert tags(app)["Hints"] == "1"
        table.session.submit(table.session.state.legal_actions[0])
        assert table.advice.found is None
        assert len(table.session.states) > 1
        await until(lambda: panels(app) == [])
        await a_choice(app)
        await pilot.press("р")  # noqa: RUF001 - the key of h in a Russian layout
        await until(lambda: panels(app))
        await until(lambda: tags(app)["Hints"] == "2")
        await pilot.press("h")
        await until(lambda: panels(app) == [])
        assert not table.advice.found.is_running


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 36)])
async def test_advice_covers_neither_hand_nor_table(engine, size):
    engine("advise")
    app = an_app("podkidnoy:seats=3", seed=4)
    async with app.run_test(size=size) as pilot:
        table = await a_choice(app)
        await pilot.press("h")
        await until(shows(app, "best"))
        await pilot.pause()
        (panel,) = panels(app)
        for name in ("Table", "Hand", "Prompt", "Talon"):
            widget = table.board.query_one(name)
            assert widget.region.intersection(panel.region).area == 0, name
        assert (panel.region.x > 80) == (size[0] >= 120)
        hand = {card.card for card in table.board.hand._view.cards}
        assert hand == set(table.session.state.hands[0])


async def test_the_coach_speaks_at_every_turn_until_switched_off(engine):
    engine("advise")
    app = an_app("podkidnoy:seats=2", seed=4)
    async with app.run_test(size=(80, 24)) as pilot:
        table = await a_choice(app)
        await pilot.press("H")
        await until(shows(app, "best"))
        assert app.settings.coach
        for _ in range(2):
            table.session.submit(table.session.state.legal_actions[0])
            await a_choice(app)
            await until(shows(app, "best"))
        await pilot.press("h")
        await until(lambda: panels(app) == [])
        await pilot.press("H")
        assert not app.settings.coach
        table.session.submit(table.session.state.legal_actions[0])
        await a_choice(app)
        assert table.advice.found is None


async def test_a_failing_engine_leaves_the_game_alone(engine):
    engine("crash")
    app = an_app("podkidnoy:seats=2,lowest_rank=11", seed=4)
    async with app.run_test(size=(120, 36)) as pilot:
        table = await a_choice(app)
        await pilot.press("h")
        await until(shows(app, "No hint: "))
        assert table.session.used.hints == 0
        while not table.session.is_over:
            table.session.submit(table.session.state.legal_actions[0])
            await my_turn(app)


async def test_the_hint_button_does_the_same(engine):
    engine("advise")
    app = an_app("podkidnoy:seats=2", seed=4)
    async with app.run_test(size=(80, 24)) as pilot:
        await a_choice(app)
        await until(shows(app, "[ Hint h ]"))
        prompt = app.screen.query_one("Prompt")
        left = next(region.x for region, button in prompt._marks if button.name == "hint")
        await pilot.click(prompt, offset=(left + 2, prompt.size.height - 1))
        await until(shows(app, "best"))


async def test_advice_goes_along_with_a_watched_game(engine):
    engine("advise")
    app = an_app("podkidnoy:seats=3", at_once="watch", pace="0.5x")
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await paused(app)
        await pilot.press("h")
        first = screen.session.ply
        for ply in range(first, first + 3):
            await until(lambda: screen.advice.found and screen.advice.found.lines)
            assert screen.session.ply == ply
            seen = screen.session.states[ply]
            assert screen.advice.found.observation == seen.observation(seen.turn)
            await until(shows(app, screen.session.setup.names[seen.turn]))
            await pilot.press("right")
            await until(lambda: screen.session.ply > ply)  # noqa: B023 - awaited at once
        await pilot.press("h")
        await until(lambda: panels(app) == [])
        await pilot.press("left")
        await until(lambda: screen.session.ply == first + 2)
        assert screen.advice.found is None
        assert screen.session.used.hints == 0


async def test_the_real_engine_advises(monkeypatch):
    monkeypatch.delenv("DURAK_ENGINE")
    monkeypatch.setenv("DURAK_COMPILED", "0")
    app = an_app("podkidnoy:seats=2", seed=4)
    async with app.run_test(size=(120, 36)) as pilot:
        table = await a_choice(app)
        await pilot.press("h")
        await until(lambda: table.advice.found and table.advice.found.lines, 60)
        legal = table.session.state.legal_actions
        assert {line.action for line in table.advice.found.lines} <= set(legal)
        await until(lambda: table.advice.found.lines)
        process = app.engines.adviser.pid
        assert process is not None
    assert app.engines.adviser.pid is None


# Playing a line of the hint


async def hinted(app, pilot):
    """Show a hint that lists each legal action, and return the table."""
    table = await a_choice(app)
    await pilot.press("h")
    await until(lambda: table.advice.is_shown and table.board.hand.hinted)
    await pilot.pause()
    return table


async def test_a_line_has_the_number_of_its_card_and_the_best_card_is_marked(engine):
    engine("legal")
    app = an_app("podkidnoy:seats=2", seed=4)
    async with app.run_test(size=(80, 24)) as pilot:
        table = await hinted(app, pilot)
        rows = app.screen.query_one(AdvicePanel)._view.rows
        hand = [held.card for held in table.board.hand._view.cards]
        for row in rows:
            card = getattr(row.action, "card", None)
            assert row.key == (str(hand.index(card) + 1) if card else "t")
        assert table.board.hand.hinted == rows[0].action.card
        assert "★" in screen_text(app)
        await pilot.press("s")  # the numbers follow the order of the hand
        await until(lambda: hand != [held.card for held in table.board.hand._view.cards])
        await pilot.pause()
        hand = [held.card for held in table.board.hand._view.cards]
        view = app.screen.query_one(AdvicePanel)._view
        assert view.rows[0].key == str(hand.index(view.rows[0].action.card) + 1)
        await pilot.press(view.rows[0].key)
        await until(lambda: table.session.states[-1] is not table.session.states[0])
        assert "★" not in screen_text(app)


async def assert_played(table, ply, action):
    """Wait for the answer to a move, and compare the move with an action."""
    await until(lambda: len(table.session.states) > ply + 1)
    before, after = table.session.states[ply : ply + 2]
    assert before.apply(action) == after


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_a_click_on_a_line_plays_it(engine, size):
    engine("legal")
    app = an_app("podkidnoy:seats=2", seed=4)
    async with app.run_test(size=size) as pilot:
        table = await hinted(app, pilot)
        ply, panel = table.session.ply, app.screen.query_one(AdvicePanel)
        region, row = next(mark for mark in panel._marks if mark[1] == panel._view.rows[1])
        await pilot.click(panel, offset=(region.x + 3, region.y))
        await assert_played(table, ply, row.action)
        assert table.session.state.observation(0) is not None


async def test_arrows_choose_a_line_and_enter_plays_it(engine):
    engine("legal")
    app = an_app("podkidnoy:seats=2", seed=4)
    async with app.run_test(size=(80, 24)) as pilot:
        table = await hinted(app, pilot)
        ply, panel = table.session.ply, app.screen.query_one(AdvicePanel)
        await pilot.press("down", "down")
        await until(lambda: panel._view.chosen == 1)
        row = panel._view.rows[1]
        assert table.board.card == row.action.card
        await pilot.press("left")
        await until(lambda: panel._view.chosen is None)
        await pilot.press("up")
        await until(lambda: panel._view.chosen == len(panel._view.rows) - 1)
        row = panel._view.rows[-1]
        await pilot.press("enter")
        await assert_played(table, ply, row.action)


async def test_the_first_hint_that_comes_by_itself_says_once_that_the_game_is_not_rated(engine):
    engine("legal")
    app = an_app("podkidnoy:seats=2", seed=4, coach=True)
    async with app.run_test(size=(80, 24)):
        table = await my_turn(app)
        await until(shows(app, "this game will not be rated"))
        table.session.submit(table.session.state.legal_actions[0])
        await until(hides(app, "this game will not be rated"))
        await until(lambda: table.session.used.hints == 2)
        assert "not be rated" not in screen_text(app)


def test_on_a_phone_the_whole_reason_is_shown():
    why = "Throws in the trump ace while six cards are left to draw; hold it: nobody can beat it later."
    view = AdviceView((), 3, "Hint", "", why)
    panel = AdvicePanel()
    panel.show(view)
    assert " ".join(panel._about(view, 46)) == why
    assert panel.rows_across(46) == 3 + len(panel._about(view, 46))


async def test_against_thinking_players_the_engine_of_hints_starts_before_a_hint_is_asked_for():
    app = an_app(bots=("ismcts:iterations=2",))
    app.engines.players, app.engines.adviser = Oracle(), Oracle()
    started = []
    app.engines.adviser.warm = lambda: started.append(True)
    async with app.run_test(size=(80, 24)):
        await my_turn(app)
        assert started
