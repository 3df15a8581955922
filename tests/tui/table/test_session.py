"""The game loop without any screen: whole games, refusals, pausing, stepping, looking back."""

import asyncio
import threading

import pytest
from waiting import PATIENCE, a_while

from durak_core import PASS, PRESETS, TAKE, Attack, Rules, State, make_agent
from durak_core.agents.base import Decision
from durak_core.errors import AgentError, DealError
from durak_core.lab import play_game
from durak_tui.play.session import Session
from durak_tui.play.setup import NO_HELP, GameSetup
from durak_tui.players import HUMAN
from tui.helpers import NAMES, a_setup, until


async def play_lowest(session):
    """Play a person's seat to the end: always the first legal action."""
    while not session.is_over:
        await until(lambda: session.is_over or session.state.turn == session.setup.human)
        if not session.is_over:
            assert session.submit(session.state.legal_actions[0]) is None


class Script:
    """A bot that does what a function says."""

    text = "script"

    def __init__(self, choose):
        self._choose = choose

    def begin(self, rules, seat, seed):
        pass

    def choose(self, observation):
        return self._choose(observation)


def with_bot(monkeypatch, choose):
    monkeypatch.setattr("durak_tui.play.bots.make_bot", lambda _text: Script(choose))
    monkeypatch.setattr("durak_tui.play.setup.check_bot", lambda text, _rules, **_options: text)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("preset", PRESETS)
async def test_bots_play_whole_games_of_every_preset(preset):
    session = Session(a_setup(("random", "smart", "greedy"), preset))
    session.start()
    await until(lambda: session.is_over)
    await session.close()
    assert session.ply == len(session.states) - 1 > 20
    assert session.moment.observation.is_over


@pytest.mark.parametrize("preset", PRESETS)
async def test_a_person_and_a_bot_play_whole_games_of_every_preset(preset):
    session = Session(a_setup((HUMAN, "greedy"), preset, seed=3))
    session.start()
    await play_lowest(session)
    await session.close()
    assert session.moment.human == 0


async def test_the_same_setup_gives_the_same_game():
    one, other = (Session(a_setup(("random", "random", "smart"))) for _ in range(2))
    one.start()
    other.start()
    await until(lambda: one.is_over and other.is_over)
    await one.close()
    await other.close()
    assert one.states == other.states


async def test_the_library_plays_the_same_game():
    setup = a_setup(("random", "random", "smart"))
    session = Session(setup)
    session.start()
    await until(lambda: session.is_over)
    await session.close()
    played = play_game(setup.rules, [make_agent(text) for text in setup.players], setup.seed)
    assert session.state.events == played.state.events


async def test_a_refused_action_changes_nothing_and_says_why():
    session = Session(a_setup((HUMAN, "greedy"), seed=3))
    session.start()
    await until(lambda: session.state.turn == 0)
    heard = []
    session.subscribe(heard.append)
    states = list(session.states)
    absent = next(card for card in session.state.rules.deck if card not in session.state.hands[0])
    why = session.submit(Attack(absent))
    assert why is not None
    assert why.paragraph
    assert session.states == states
    assert heard == []
    await session.close()


async def test_nobody_acts_for_another_seat():
    session = Session(a_setup((HUMAN, "greedy"), seed=3))
    while session.state.turn == 0:
        session.submit(session.state.legal_actions[0])
    states = list(session.states)
    why = session.submit(session.state.legal_actions[0])
    assert why is not None
    assert why.paragraph == "11.1"
    assert session.states == states


async def test_bots_see_their_own_observation_and_nothing_else(monkeypatch):
    seen = []

    def choose(observation):
        seen.append(observation)
        return Decision(observation.legal_actions[0], "the first")

    with_bot(monkeypatch, choose)
    session = Session(a_setup(("x", "y")))
    session.start()
    await until(lambda: session.is_over)
    await session.close()
    assert len(seen) == len(session.states) - 1
    for state, observation in zip(session.states, seen, strict=False):
        assert observation == state.observation(state.turn)
        assert observation.hands is None


async def test_a_slow_bot_blocks_nobody_and_is_said_to_think(monkeypatch):
    ready = threading.Event()

    def choose(observation):
        assert ready.wait(PATIENCE)
        return Decision(observation.legal_actions[0], "")

    with_bot(monkeypatch, choose)
    session = Session(a_setup(("x", "y")))
    moments = []
    session.subscribe(moments.append)
    session.start()
    await until(lambda: any(moment.thinking is not None for moment in moments))
    assert len(session.states) == 1
    ready.set()
    await until(lambda: len(session.states) > 1)
    await session.close()
    assert session.moment.thinking is None


async def test_closing_while_a_bot_thinks_leaves_the_game_as_it_was(monkeypatch):
    asked, ready = threading.Event(), threading.Event()

    def choose(observation):
        asked.set()
        assert ready.wait(PATIENCE)
        return Decision(observation.legal_actions[0], "")

    with_bot(monkeypatch, choose)
    session = Session(a_setup(("x", "y")))
    session.start()
    await until(asked.is_set)
    await session.close()
    ready.set()
    assert len(session.states) == 1
    assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []


@pytest.mark.parametrize("fault", [RuntimeError("broken"), AgentError("no idea")])
async def test_a_bot_that_fails_stops_the_game_with_a_sentence(monkeypatch, fault):
    def choose(_observation):
        raise fault

    with_bot(monkeypatch, choose)
    told = []
    session = Session(a_setup(("x", "y")), tell=told.append)
    session.start()
    await until(lambda: session.problem)
    await session.close()
    assert told == [session.problem]
    assert "cannot go on" in session.problem
    assert str(fault) in session.problem


async def test_a_bot_that_breaks_the_rules_stops_the_game_and_nothing_is_replaced(monkeypatch):
    with_bot(monkeypatch, lambda _observation: Decision(PASS, ""))
    session = Session(a_setup(("x", "y")), tell=lambda _text: None)
    session.start()
    await until(lambda: session.problem)
    await session.close()
    assert "rules 5.1" in session.problem
    assert len(session.states) == 1


async def test_pause_step_and_back():
    session = Session(a_setup(("greedy", "greedy")))
    session.pause()
    session.start()
    await a_while()
    assert len(session.states) == 1
    for count in (2, 3, 4):
        session.step()
        await until(lambda: len(session.states) == count)  # noqa: B023 - awaited at once
    assert not session.is_running
    session.go(session.ply - 1)
    assert (session.ply, len(session.states)) == (2, 4)
    assert session.moment.last_ply == 3
    assert session.moment.story == session.state.observation(0).events
    session.step()
    assert (session.ply, len(session.states), session.moment.story) == (3, 4, None)
    await session.close()


async def test_steps_asked_for_at_once_are_all_played():
    session = Session(a_setup(("greedy", "greedy")))
    session.pause()
    session.start()
    for _ in range(5):
        session.step()
    await until(lambda: len(session.states) == 6)
    await a_while()
    assert len(session.states) == 6
    await session.close()


async def test_who_goes_elsewhere_wants_no_more_steps():
    session = Session(a_setup(("greedy", "greedy")))
    session.pause()
    session.start()
    for _ in range(5):
        session.step()
    session.go(0)
    await a_while()
    assert len(session.states) == 1
    await session.close()


async def test_running_on_from_an_earlier_moment_shows_what_was_played_then_plays_on():
    session = Session(a_setup(("greedy", "greedy")))
    session.pause()
    session.start()
    for _ in range(6):
        session.step()
    await until(lambda: len(session.states) == 7)
    session.go(0)
    plies = []
    session.subscribe(lambda moment: plies.append(moment.ply))
    session.resume()
    await until(lambda: session.is_over and session.is_live)
    await session.close()
    assert plies == sorted(plies)
    assert set(plies) == set(range(len(session.states)))


async def test_bouts_can_be_leafed_through():
    session = Session(a_setup(("greedy", "smart")))
    session.start()
    await until(lambda: session.is_over)
    session.go(0)
    bouts = [session.moment.observation.bout]
    while not session.is_live:
        session.go_bout(1)
        bouts.append(session.moment.observation.bout)
    assert bouts[:-1] == list(range(1, len(bouts)))
    assert session.moment.observation.is_over
    for bout in reversed(range(1, len(bouts))):
        session.go_bout(-1)
        assert session.moment.observation.bout == bout
        assert session.moment.observation.table == ()
    assert session.ply == 0
    session.go(10**6)
    assert session.is_live
    await session.close()


async def test_the_pace_keeps_bots_waiting_and_a_change_counts_at_once():
    session = Session(a_setup(("greedy", "greedy")))
    session.set_pace(3600)
    session.start()
    session.step()
    await until(lambda: len(session.states) == 2)
    session.resume()
    await a_while()
    assert len(session.states) == 2
    session.set_pace(0)
    await until(lambda: session.is_over)
    await session.close()


async def test_the_viewer_sees_one_hand_until_all_are_opened():
    session = Session(a_setup(("greedy", "greedy", "greedy")))
    assert session.moment.human is None
    assert session.moment.open_hands is None
    session.viewer = 2
    assert session.moment.observation == session.state.observation(2)
    session.open_hands = True
    assert session.moment.open_hands == session.state.hands


async def test_options_are_the_persons_own_and_only_at_their_turn():
    session = Session(a_setup((HUMAN, "greedy"), seed=3))
    session.start()
    await until(lambda: session.state.turn == 0)
    options = session.moment.options
    legal = {action for choice in options.cards for action in choice.actions}
    assert legal == {action for action in session.state.legal_actions if action not in (PASS, TAKE)}
    await session.close()


async def test_a_game_goes_on_from_states_played_before():
    setup = a_setup(("greedy", "smart"))
    state = setup.deal()
    states = [state]
    for _ in range(7):
        state = state.apply(state.legal_actions[0])
        states.append(state)
    session = Session(setup, states)
    assert session.ply == 7
    session.start()
    await until(lambda: session.is_over)
    await session.close()
    assert session.states[:8] == states


async def test_a_keeper_gets_every_state():
    class Keeper:
        unsaved = None

        def __init__(self):
            self.kept = []

        def keep(self, state, used):
            assert used == NO_HELP
            self.kept.append(state)

    keeper = Keeper()
    session = Session(a_setup(("greedy", "greedy")), keeper=keeper)
    session.start()
    await until(lambda: session.is_over)
    await session.close()
    assert keeper.kept == session.states[1:]


async def test_the_first_attacker_of_a_series_can_be_given():
    setup = GameSetup(Rules(seats=3), ("greedy",) * 3, NAMES[:3], 5, first_attacker=2)
    assert Session(setup).state.attacker == 2
    assert Session(setup).state == State.deal(Rules(seats=3), 5, 2)


@pytest.mark.parametrize(
    ("players", "names", "error"),
    [
        (("greedy",), ("A", "B"), DealError),
        (("greedy", "greedy"), ("A",), DealError),
        (("greedy", "gredy"), ("A", "B"), AgentError),
    ],
)
def test_a_setup_that_cannot_be_is_refused(players, names, error):
    with pytest.raises(error):
        GameSetup(Rules(), players, names, 1)


# Taking back


async def test_taking_back_goes_to_the_persons_last_decision_and_is_counted():
    kept = []

    class Keeper:
        unsaved = None

        def keep(self, state, used):
            kept.append((state, used))

    session = Session(a_setup((HUMAN, "greedy"), seed=3), keeper=Keeper())
    assert not session.can_undo
    assert not session.undo()
    session.start()
    before = []
    for _ in range(3):
        await until(lambda: session.state.turn == 0)
        before.append(session.state)
        assert session.submit(session.state.legal_actions[0]) is None
    await until(lambda: session.state.turn == 0)
    for state in reversed(before):
        assert session.can_undo
        assert session.undo()
        assert session.state is state
        assert session.ply == len(session.states) - 1 == state.plies
        assert kept[-1] == (state, session.used)
    assert not session.undo()
    assert (session.moment.undos, session.moment.hints) == (3, 0)
    assert max(session.reasons, default=0) <= session.ply
    await play_lowest(session)
    await session.close()
    assert session.used.undos == 3


async def test_bots_have_nothing_to_take_back_and_finished_games_stay():
    session = Session(a_setup(("greedy", "greedy")))
    session.start()
    await until(lambda: session.is_over)
    assert not session.undo()
    await session.close()
    session = Session(a_setup((HUMAN, "greedy"), seed=3))
    session.start()
    await play_lowest(session)
    assert not session.can_undo
    assert not session.undo()
    await session.close()


async def test_a_hint_counts_once_for_a_decision():
    session = Session(a_setup((HUMAN, "greedy"), seed=3))
    session.start()
    await until(lambda: session.state.turn == 0)
    session.count_hint()
    session.count_hint()
    assert session.used.hints == 1
    session.submit(session.state.legal_actions[0])
    await until(lambda: session.state.turn == 0)
    session.count_hint()
    assert session.used.hints == 2
    await session.close()


async def test_open_hands_count_as_help_and_bots_see_no_more():
    """Once for each decision, also if the hands are hidden before it is made."""
    session = Session(a_setup((HUMAN, "greedy"), seed=3))
    session.start()
    await until(lambda: session.state.turn == 0)
    assert session.moment.open_hands is None
    session.show_hands(shown=True)
    assert session.moment.open_hands == session.state.hands
    assert session.moment.observation.hands is None
    session.submit(session.state.legal_actions[0])
    await until(lambda: session.state.turn == 0)
    assert session.used.hints == 1
    session.submit(session.state.legal_actions[0])
    assert session.used.hints == 2
    await until(lambda: session.state.turn == 0)
    session.show_hands(shown=False)
    session.submit(session.state.legal_actions[0])
    assert session.used.hints == 2
    assert session.state.observation(1).hands is None
    await session.close()


async def test_a_hint_counts_again_for_a_decision_that_was_taken_back():
    """Who takes a move back and looks at the advice again has been helped once more."""
    session = Session(a_setup((HUMAN, "greedy"), seed=3))
    session.start()
    await until(lambda: session.state.turn == 0)
    session.count_hint()
    session.submit(session.state.legal_actions[0])
    assert session.undo()
    session.count_hint()
    assert session.used.hints == 2
    await session.close()
