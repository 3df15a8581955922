"""The pace of a game: only moves play themselves, and a player who is out skips to the end."""

import pytest

from durak_core import PASS, Passed, Phase, Rules, State, make_agent
from durak_tui.play.game import forced_action
from durak_tui.play.session import Session
from durak_tui.players import HUMAN
from durak_tui.table.screens import TableScreen
from tui.helpers import a_setup, an_app, my_turn, send, shows, until


async def play_out(session, *, plays_itself):
    """Play the first legal action at every turn that waits for the person; return the number of turns."""
    session.set_only_moves(plays_itself)
    session.start()
    turns = 0
    while not session.is_over:
        await until(lambda: session.is_over or (session.is_persons_turn and session.forced is None))
        if not session.is_over:
            turns += 1
            assert session.submit(session.state.legal_actions[0]) is None
    await session.close()
    return turns


@pytest.mark.parametrize("rules", ["podkidnoy", "perevodnoy", "online"])
async def test_only_moves_play_themselves_and_change_no_game(rules):
    setup = a_setup((HUMAN, "greedy", "smart", "greedy"), rules=rules, seed=5)
    by_hand, by_itself = Session(setup), Session(setup)
    turns = await play_out(by_hand, plays_itself=False)
    fewer = await play_out(by_itself, plays_itself=True)
    assert by_itself.state.events == by_hand.state.events
    assert fewer < turns
    forced = [state for state in by_hand.states if state.turn == 0 and forced_action(state) is not None]
    assert fewer == turns - len(forced)


def test_a_pass_with_a_card_that_fits_is_a_choice():
    state = State.setup(Rules(), ["6s7h8h", "9sTsJs"], trump="Ah")
    for text in ("6s", "9sx6s"):
        state = state.apply(next(action for action in state.legal_actions if str(action) == text))
    assert state.phase == Phase.THROW_IN
    assert forced_action(state) == PASS
    state = State.setup(Rules(), ["6s6h8h", "9sTsJs"], trump="Ah")
    for text in ("6s", "9sx6s"):
        state = state.apply(next(action for action in state.legal_actions if str(action) == text))
    assert forced_action(state) is None


def test_who_has_passed_to_one_who_takes_is_not_asked_again():
    rules = Rules(seats=3)
    state = State.setup(rules, ["6s6h8h", "9cTcJc", "6d6c7c"], trump="Ah")
    for text in ("6s", "take", "pass", "6d"):
        state = state.apply(next(action for action in state.legal_actions if str(action) == text))
    assert (state.turn, state.phase) == (0, Phase.PILE_ON)
    assert len(state.legal_actions) > 1
    assert forced_action(state) == PASS


async def test_an_only_move_is_no_decision_to_take_back():
    setup = a_setup((HUMAN, "greedy", "smart", "greedy"), seed=5)
    session = Session(setup)
    session.set_only_moves(True)
    session.start()
    decisions = []
    while not any(state.turn == 0 and forced_action(state) for state in session.states[:-1]):
        await until(lambda: session.is_persons_turn and session.forced is None)
        decisions.append(session.ply)
        session.submit(session.state.legal_actions[0])
    await until(lambda: session.is_persons_turn and session.forced is None)
    assert session.undo()
    assert session.ply == decisions[-1]
    await session.close()


async def test_at_a_shared_keyboard_no_move_plays_itself():
    """How fast somebody passes would tell the others about the hand."""
    session = Session(a_setup((HUMAN, "greedy", HUMAN, "greedy"), seed=5))
    session.set_only_moves(True)
    session.start()
    met = False
    while not session.is_over:
        await until(lambda: session.is_over or session.hand_over is not None or session.is_persons_turn)
        if session.hand_over is not None:
            session.take_seat()
        elif session.is_persons_turn:
            met = met or forced_action(session.state) is not None
            assert session.forced is None
            session.submit(session.state.legal_actions[0])
    await session.close()
    assert met


async def test_only_moves_are_played_at_the_table_and_shown_in_the_log():
    app = an_app("podkidnoy:seats=4", ("greedy", "smart", "greedy"), seed=5, only_moves=True)
    async with app.run_test(size=(120, 36)):
        table = await my_turn(app)
        session = table.session
        while not any(isinstance(event, Passed) and event.seat == 0 for event in session.state.events):
            await until(lambda: session.is_over or (session.is_persons_turn and session.forced is None))
            assert not session.is_over
            session.submit(session.state.legal_actions[0])
        await until(lambda: any("pass" in line.words.lower() for line in table.view().log))


async def test_a_player_who_is_out_skips_to_the_end():
    app = an_app("podkidnoy:seats=4", ("greedy", "level:misha", "greedy"), seed=1, only_moves=True)
    async with app.run_test(size=(80, 24)):
        table = await my_turn(app)
        session = table.session
        adviser = make_agent("smart")
        adviser.begin(session.setup.rules, 0, 1)
        while not session.can_skip:
            await until(lambda: session.can_skip or (session.is_persons_turn and session.forced is None))
            if session.can_skip:
                break
            observation = session.state.observation(0)
            assert session.submit(adviser.choose(observation).action) is None
            if 0 in session.state.places:
                session.set_pace(600.0)
        await until(shows(app, "skip to the end"))
        assert not session.is_over
        send(app, "space")
        await until(lambda: session.is_over)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("key", ["space", "enter", "t"])
async def test_a_key_meant_for_a_forced_move_does_not_answer_the_next_question(key, monkeypatch):
    timers = []
    monkeypatch.setattr(TableScreen, "set_timer", lambda _self, *timer, **_more: timers.append(timer))
    bots = ("greedy", "smart", "greedy")
    app = an_app("podkidnoy:seats=4", bots, seed=16, only_moves=True, confirm=False)
    async with app.run_test(size=(80, 24)) as pilot:
        session = (await my_turn(app)).session
        while not forced_before(session):
            await until(lambda: session.is_persons_turn and session.forced is None)
            session.submit(session.state.legal_actions[0])
            await until(lambda: session.is_persons_turn and session.forced is None)
        asked = session.ply
        await my_turn(app)
        await pilot.press(key, key)
        assert session.ply == asked
        await until(lambda: reading(timers, asked))
        seconds, read = reading(timers, asked)[-1]
        assert 0.1 < seconds < 1
        read()
        await pilot.press(key)
        await until(lambda: session.ply > asked)


def reading(timers, ply):
    """Return the timers after which the question at this ply counts as read."""
    return [timer for timer in timers if getattr(timer[1], "args", None) == (ply,)]


def forced_before(session):
    """Tell whether the person's last move played itself."""
    mine = [state for state in session.states[:-1] if state.turn == 0]
    return session.is_persons_turn and bool(mine) and forced_action(mine[-1]) is not None
