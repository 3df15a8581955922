"""Bots that think in the engine's process: the same choices, crashes in the middle, and who may sit."""

import asyncio
import os
import re
import signal
from dataclasses import replace
from types import SimpleNamespace

import pytest
from waiting import PATIENCE

from durak_core import Rules, make_agent
from durak_core.agents.personas import OPPONENTS
from durak_core.agents.registry import thinks
from durak_core.config import ConfigError
from durak_core.deadline import Deadline
from durak_core.engine.protocol import Budget
from durak_core.errors import AgentError, EngineError
from durak_core.lab import make_player, play_game
from durak_tui.engine import Engine, EngineQuestion, engine_command
from durak_tui.help.screens import HelpDialog
from durak_tui.play.bots import ThinkingBot, try_own
from durak_tui.play.session import Session
from durak_tui.play.setup import GameSetup, Launch, play_on_setup, play_setup, read_players
from durak_tui.players import (
    HUMAN,
    TIMES,
    check_bot,
    describe,
    manner,
    short_name,
    thinking_time,
    time_label,
    with_time,
)
from durak_tui.storage.settings import Settings
from durak_tui.table.screens import TableScreen
from tui.helpers import NAMES, a_setup, an_app, fake_engine, on_screen, send, until

SLOW = "ismcts:time=3600000"


@pytest.fixture
async def plain_engine(monkeypatch):
    """An engine of this package that compiles nothing, so that it starts quickly."""
    monkeypatch.setenv("DURAK_COMPILED", "0")
    monkeypatch.delenv("DURAK_ENGINE")
    engine = Engine(engine_command())
    yield engine
    await engine.close()


async def played(session):
    session.start()
    await until(lambda: session.is_over)
    await session.close()


# In the engine


@pytest.fixture
async def unhurried(plain_engine, monkeypatch):
    """A game of bots with much time for each move, all played by an engine, and what people are told."""
    monkeypatch.setattr("durak_tui.play.bots.thinking_time", lambda _: 60_000)
    told = []
    players = ("ismcts:iterations=2,nodes=50", "solver:nodes=50", "smart")
    setup = a_setup(players, "podkidnoy:lowest_rank=10", seed=3)
    return Session(setup, engine=plain_engine, tell=told.append), told


def played_by_the_library(setup):
    """Return the states of the same game between the library's agents."""
    return list(
        play_game(setup.rules, [make_agent(text) for text in setup.players], setup.seed).record.replay()
    )


async def test_a_game_with_thinking_bots_is_the_librarys(plain_engine, unhurried):
    session, told = unhurried
    said = {}
    session.subscribe(lambda moment: said.update({moment.ply: moment.reason}))
    await played(session)
    assert plain_engine.starts == 1
    assert told == []
    assert session.states == played_by_the_library(session.setup)
    assert any("games tried" in str(reason) for reason in session.reasons.values())
    given = {ply: reason for ply, reason in said.items() if reason}
    assert given
    for ply, reason in given.items():
        assert reason.startswith(f"{session.names[session.states[ply - 1].turn]}: ")


async def test_a_game_with_thinking_bots_is_the_librarys_until_the_engine_is_killed(plain_engine, unhurried):
    session, told = unhurried

    def kill(moment):
        if moment.ply == 5 and plain_engine.starts == 1:
            os.kill(plain_engine.pid, signal.SIGKILL)

    session.subscribe(kill)
    await played(session)
    assert plain_engine.starts == 2
    assert told == []
    assert session.states[:6] == played_by_the_library(session.setup)[:6]
    assert any("games tried" in str(reason) for reason in session.reasons.values())


async def test_killed_in_the_middle_of_a_thought_the_bot_thinks_again(plain_engine):
    told = []
    session = Session(a_setup((SLOW, SLOW)), engine=plain_engine, tell=told.append)
    session.start()
    for starts in (1, 2):
        await until(lambda: plain_engine.starts == starts and plain_engine._search is not None)  # noqa: B023
        await until(lambda: not plain_engine._search.is_over)
        os.kill(plain_engine.pid, signal.SIGKILL)
    await until(lambda: len(session.states) == 2)
    name = NAMES[session.states[0].turn]
    assert len(told) == 1
    assert told[0].startswith(f"{name} cannot think (the engine has failed): Viktor plays")
    await session.close()


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (fake_engine("crash"), "the engine has failed"),
        ((), "switched off"),
        (("/no/such/engine",), "the engine has failed"),
        (fake_engine("answer", "Acx6c"), "not allowed here"),
    ],
)
async def test_without_a_working_engine_the_game_goes_on_with_one_sentence(command, problem):
    engine, told = Engine(command), []
    session = Session(a_setup((SLOW, "greedy"), seed=2), engine=engine, tell=told.append)
    session.start()
    await until(lambda: len(session.states) > 6 and told)
    await session.close()
    await engine.close()
    assert len(told) == 1
    assert problem in told[0]


async def test_an_engine_that_hangs_is_given_up(monkeypatch):
    monkeypatch.setattr("durak_tui.play.bots._PATIENCE", 0.1)
    engine, told = Engine(fake_engine("hang")), []
    session = Session(a_setup(("ismcts:time=1", "greedy"), seed=2), engine=engine, tell=told.append)
    session.start()
    await until(lambda: told)
    await until(lambda: len(session.states) > 1)
    await session.close()
    await engine.close()
    assert "this machine was too busy" in told[0]


class EngineOfOneMove:
    """Stands in for an engine: the last legal action, once a test's `ready` has come."""

    def __init__(self, ready):
        self.left = []
        self._ready = ready

    async def answer(self, question):
        self.left.append(question.deadline.left)
        await self._ready(question)
        return SimpleNamespace(choice=question.observation.legal_actions[-1], reason="thought")


async def at_once(_question):
    """Answer without waiting."""


async def test_a_deputy_plays_silently_while_the_engine_starts_and_then_the_bot_does(monkeypatch):
    monkeypatch.setattr("durak_tui.play.bots._LEAST_WAIT", 0.0)
    setup, told, started = a_setup(("ismcts:time=1", "greedy"), seed=2), [], asyncio.Event()
    seen = setup.deal().observation(0)
    engine = EngineOfOneMove(lambda _question: started.wait())
    bot = ThinkingBot(setup, 0, object(), engine, told.append)
    assert [(await bot(seen)).reason == "thought" for _ in range(2)] == [False, False]
    started.set()
    assert (await bot(seen)).reason == "thought"
    assert told == []


async def test_a_bot_that_answers_late_takes_less_time_and_then_more_again():
    setup = a_setup(("ismcts:time=1000", "greedy"), seed=2)
    engine = EngineOfOneMove(at_once)
    bot = ThinkingBot(setup, 0, object(), engine, print)
    margins = []
    for late in (0.2, 0.0, -0.5, -0.5, 5.0):
        bot._learn(late)
        margins.append(round(bot._margin, 3))
    assert margins == [0.17, 0.14, 0.112, 0.09, 0.5]
    await bot(setup.deal().observation(0))
    assert engine.left[0] <= 0.5


async def test_who_could_think_again_says_it_when_that_fails_again():
    setup = a_setup((SLOW, "greedy"), seed=2)
    observation = setup.deal().observation(0)
    works = iter([False, False, True, False, False])

    async def by_luck(_question):
        if not next(works):
            raise EngineError("no luck")

    told = []
    bot = ThinkingBot(setup, 0, object(), EngineOfOneMove(by_luck), told.append)
    for count in (1, 1, 2):
        await bot(observation)
        assert len(told) == count


@pytest.mark.parametrize(("text", "most"), [("ismcts:time=700", 700), ("ismcts:iterations=9", 1000)])
async def test_the_engine_gets_what_is_left_of_a_bots_time_when_it_has_started(
    tmp_path, monkeypatch, text, most
):
    monkeypatch.setattr("durak_tui.play.bots._LEAST_WAIT", PATIENCE)
    heard = tmp_path / "heard"
    engine = Engine(fake_engine("note", heard))
    setup = a_setup((text, "greedy"), seed=2)
    await ThinkingBot(setup, 0, object(), engine, print)(setup.deal().observation(0))
    await engine.close()
    told = heard.read_text("utf-8").splitlines()
    times = [int(line.removeprefix("go time ")) for line in told if line.startswith("go ")]
    assert times
    assert max(times) < most


async def test_a_process_that_starts_too_late_still_gets_a_moment(tmp_path):
    heard = tmp_path / "heard"
    engine = Engine(fake_engine("note", heard))
    setup = a_setup((SLOW, "greedy"), seed=2)
    await engine.answer(EngineQuestion(setup.deal().observation(0), Budget(), PATIENCE, deadline=Deadline(0)))
    await engine.close()
    assert "go time 50\n" in heard.read_text("utf-8")


async def test_a_thinking_bot_needs_an_engine():
    with pytest.raises(AgentError, match="needs an engine"):
        Session(a_setup((SLOW, "greedy")))


async def test_taking_back_ends_a_thought(monkeypatch):
    engine = Engine(fake_engine("hang"))
    session = Session(a_setup((HUMAN, SLOW), seed=4), engine=engine)
    while session.state.turn != 0:
        assert session.submit(session.state.legal_actions[0], 1) is None
    session.start()
    before = session.state
    while session.state.turn == 0:
        assert session.submit(session.state.legal_actions[0]) is None
    await until(lambda: session.moment.thinking == 1)
    assert session.undo()
    assert session.state == before
    assert session.moment.thinking is None
    await until(lambda: session._choice is None)
    await session.close()
    await engine.close()
    assert isinstance(session._bots[1], ThinkingBot)


def test_no_network_is_read_before_a_bot_is_to_move(monkeypatch):
    """It would hold the event loop while a game is opened."""
    monkeypatch.setattr("durak_core.agents.learned.load_network", lambda path: pytest.fail(str(path)))
    for opponent in OPPONENTS:
        Session(a_setup((HUMAN, opponent.text)), engine=Engine(fake_engine("hang")))


# Who may sit


def test_words_stand_for_opponents_and_agents_for_themselves():
    for opponent in OPPONENTS:
        assert check_bot(opponent.key) == opponent.text
        assert describe(opponent.text) == opponent.character
    old = [check_bot(word) for word in ("beginner", "club", "master", "grandmaster")]
    assert old == ["level:misha", "level:boris", "level:viktor", "level:nina"]
    assert check_bot("ismcts:time=500,iterations=30") == "ismcts:iterations=30,time=500"
    assert manner("smart") == "Smart, watchful"
    assert describe("nobody") == manner("nobody") == ""
    assert thinks("solver")
    assert not thinks("smart")
    assert [opponent.key for opponent in OPPONENTS if thinks(opponent.text)] == ["nina"]
    with pytest.raises(AgentError, match="opponents: misha, tanya"):
        check_bot("novice")
    assert check_bot("dmc", Rules()) == "dmc"
    assert check_bot("grandmaster", Rules.preset("perevodnoy", seats=4)) == "level:nina"
    with pytest.raises(AgentError, match="cannot play with seats=3"):
        check_bot("dmc", Rules.preset("perevodnoy", seats=3))


def test_times_are_set_and_read():
    for label, milliseconds in TIMES.items():
        text = with_time("ismcts:iterations=30", milliseconds)
        assert text == f"ismcts:iterations=1000000000,time={milliseconds}"
        assert (time_label(text), short_name(text), thinking_time(text)) == (label, "ismcts", milliseconds)
    assert with_time("solver", 100) is None
    assert time_label("ismcts:time=77") == ""
    assert short_name("ismcts:time=77") == "ismcts:time=77"
    assert thinking_time("ismcts") == thinking_time("ismcts:iterations=1000000") == 1000


@pytest.mark.parametrize("text", ["greedy:open", "ismcts:open", "random:uniform,open"])
def test_who_sees_all_cards_may_not_sit(text):
    with pytest.raises(AgentError, match="sees all cards and may not sit at the table"):
        GameSetup(Rules(), (HUMAN, text), NAMES[:2], 1)


def test_settings_take_the_words_of_opponents_and_games_get_their_agents():
    settings = Settings(rules="podkidnoy:seats=3", players=(HUMAN, "club", "smart"))
    setup = play_setup(settings)
    assert setup.players == (HUMAN, "level:boris", "smart")
    assert setup.names[1:] == ("Boris", "Smart")
    launched = play_setup(Settings(), Launch(Rules(seats=3), ("nina", "nina")))
    assert launched.names[1:] == ("Baba Nina", "Baba Nina 2")
    with pytest.raises(ConfigError, match="there are human, misha, tanya"):
        Settings(players=(HUMAN, "clubb"))


# Own agents


OWN = """
import os, time

class Last:
    def choose(self, observation):
        print("words that are no answer")
        return observation.legal_actions[-1]

class Illegal:
    def choose(self, observation):
        return "take"

class Two(Last):
    def begin(self, rules, seat, seed):
        if rules.seats > 2:
            raise ValueError("trained for 2 seats")

class Waits(Last):
    def __init__(self):
        while not os.path.exists("go on"):
            time.sleep(0.01)
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A folder with own agents, which the program runs in."""
    (tmp_path / "own.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


async def test_a_game_with_own_agents_is_the_laboratorys(plain_engine, own):
    """Their code runs in the engine process, and what it prints is no answer."""
    setup = a_setup(("own.py:Last", "own:Last", "greedy"), "podkidnoy:lowest_rank=10", seed=3)
    told = []
    session = Session(setup, engine=plain_engine, tell=told.append)
    await played(session)
    result = play_game(setup.rules, [make_player(text) for text in setup.players], setup.seed)
    assert told == []
    assert session.states == list(result.record.replay())


async def test_an_own_agent_that_fails_is_replaced_with_the_reason(plain_engine, own):
    told = []
    session = Session(a_setup(("own.py:Last", "own.py:Two", "greedy")), engine=plain_engine, tell=told.append)
    await played(session)
    reason = "own.py:Two at seat 1 failed in begin: ValueError: trained for 2 seats (own.py, line 16)"
    assert [text.partition("): Viktor plays")[0] for text in told] == [f"Boris cannot think (go: {reason}"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("none.py:Last", "none.py cannot be read"),
        ("own.py", "expected own.py:CLASS, such as own.py:Last"),
        ("own.py:Lest", "own.py has no class 'Lest'; did you mean Last?"),
        ("own.py:Last,depth=3", "there is no option of own.py:Last 'depth'"),
        ("own.py:Last,open", "needs all cards"),
        ("own.py:Two", "own.py:Two at seat 1 failed in begin: ValueError: trained for 2 seats"),
        ("own:Illegal", "the engine chose take, which is not allowed here"),
    ],
)
async def test_own_agents_that_cannot_play_are_named_before_the_deal(plain_engine, own, text, error):
    _rules, players = read_players(f"{text},greedy", Rules(seats=3))
    with pytest.raises(EngineError, match=re.escape(error)):
        await try_own(a_setup((HUMAN, *players)), plain_engine)


async def test_the_app_plays_an_own_agent_and_never_waits_for_it(own, monkeypatch):
    monkeypatch.setenv("DURAK_COMPILED", "0")
    monkeypatch.delenv("DURAK_ENGINE")
    app = an_app(bots=("own.py:Waits",))
    async with app.run_test(size=(100, 30)):
        await until(lambda: "Starting Waits..." in [one.message for one in app._notifications])
        send(app, "f1")
        await until(on_screen(app, HelpDialog))
        send(app, "escape")
        (own / "go on").touch()
        await until(on_screen(app, TableScreen))
        assert app.screen.session.setup.players == (HUMAN, "own.py:Waits")
        assert app.screen.session.setup.names[1] == "Waits"


def test_a_games_file_names_no_code_to_run(own):
    """A recorded own agent is replaced; only a player's own words name one."""
    record = play_game(Rules(), [make_player("own.py:Last"), make_player("greedy")], 1).record
    record = replace(record, tags={"Player0": "own.py:Last", "Player1": "own.py:Last"})
    assert "own.py:Last" not in play_on_setup(record, 0, "You").players
    with pytest.raises(AgentError, match="there is no agent"):
        check_bot("own.py:Last")
