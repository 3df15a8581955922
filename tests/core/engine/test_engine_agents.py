"""The engine plays as an agent: one decision for each go, by the agent's text."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from talking import OPENING, plain_environment
from waiting import PATIENCE, let_pass

from durak_core import Rules, State, make_agent, read_observation, write_observation
from durak_core.engine.client import EngineClient
from durak_core.engine.protocol import Budget
from durak_core.engine.server import Agents
from durak_core.errors import EngineError
from durak_core.search.backend import backend as backends

SEEN = read_observation(OPENING)
TINY = Path(__file__).parents[2] / "golden" / "network.npz"
SLOW = "ismcts:iterations=1000000000"


def decided(text: str, seed: int, times: int = 1) -> list[str]:
    """Return what an agent in this process says, asked so often."""
    agent = make_agent(text)
    agent.begin(SEEN.rules, SEEN.seat, seed)
    lines = []
    for _ in range(times):
        decision = agent.choose(SEEN)
        lines += [f"info string reason: {decision.reason}", f"bestmove {decision.action}"]
    return lines


@pytest.mark.sampled(2)
@pytest.mark.parametrize("text", ["greedy", "smart", "random:uniform", "ismcts:iterations=20"])
def test_the_agents_choice_is_the_engines(talk, text):
    """The same action and reason as the library's agent, seeded the same, also when asked again."""
    engine = talk()
    engine.say(f"setoption name Agent value {text}", "setoption name Seed value 9", f"observation {OPENING}")
    heard = []
    for _ in range(2):
        engine.say("go iterations 1")
        heard += engine.until("bestmove")
    assert heard == decided(text, 9, times=2)
    engine.say("newgame podkidnoy", f"observation {OPENING}", "go")
    assert engine.until("bestmove") == decided(text, 9)


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("gredy", "error setoption: there is no agent 'gredy'; did you mean greedy?"),
        ("greedy:open", "error setoption: greedy:open needs all cards, and an observation has only its seat"),
        ("ismcts:time=soon", "error setoption: time=soon: expected a whole number from 0 to"),
    ],
)
def test_agents_that_cannot_play_are_refused(answers, value, error):
    """The option stays as it was."""
    lines = answers(f"setoption name Agent value {value}\nisready\n".encode())
    assert lines[0].startswith(error)
    assert lines[-1] == "readyok"


def test_the_value_analysis_asks_no_agent(answers):
    """One can go back."""
    sent = f"setoption name agent value greedy\nsetoption name Agent value analysis\nobservation {OPENING}\n"
    lines = answers(f"{sent}go iterations 5 lines 1\n".encode(), "bestmove")
    assert any(line.startswith("info line 1") for line in lines)


def test_an_analysis_can_have_a_network(answers):
    """The package's own guides where it fits, unless it is off; what does not fit is refused."""
    go = f"observation {OPENING}\ngo iterations 20 lines 2\n"

    def found(before: str, then: str = go) -> list[str]:
        """Return the lines of the end; a slow search reports others before."""
        heard = answers(f"{before}\n{then}".encode(), "bestmove")
        lines = [line for line in heard if line.startswith("info line")]
        last = max(number for number, line in enumerate(lines) if line.startswith("info line 1 "))
        return lines[last:]

    usual = found("setoption name Net value off")
    guided = found("isready")
    assert guided != usual
    assert guided == found("setoption name Net value auto") == found("setoption name Net value dmc")
    assert found(f"setoption name Net value {TINY}") not in (usual, guided)
    assert found(f"setoption name Net value {TINY}\nsetoption name Net value off") == usual
    many = State.deal(Rules.preset("perevodnoy", seats=5), 1)
    assert many.turn is not None
    fourth = f"observation {write_observation(many.observation(many.turn))}\ngo iterations 20\n"
    assert found("isready", fourth) == found("setoption name Net value off", fourth)
    assert "there is no such file" in answers(b"setoption name Net value nothing.npz\n")[0]
    state = State.deal(Rules.preset("perevodnoy"), 1)
    assert state.turn is not None
    other = write_observation(state.observation(state.turn))
    refused = answers(f"setoption name Net value {TINY}\nobservation {other}\ngo\n".encode())
    assert refused[0].startswith(f"error go: net={TINY} was trained for podkidnoy with 2 seats")


def test_an_agent_plays_for_its_seat_and_seed_by_its_rules():
    """Asked again it is the same one, unless too many others were asked for since."""
    agents = Agents()
    first = agents.of("random", SEEN, 0)
    assert agents.of("random", SEEN, 0) is first
    other = State.deal(Rules.preset("perevodnoy"), 1).observation(SEEN.seat)
    assert agents.of("random", other, 0) is not first
    for seed in range(1, 23):
        agents.of("random", SEEN, seed)
    assert agents.of("random", SEEN, 0) is first
    agents.of("random", SEEN, 23)
    assert agents.of("random", SEEN, 0) is not first


def test_a_deciding_engine_is_awake_and_leaves_at_once(talk):
    """It answers isready, also after a stop that cannot stop, and quit does not wait."""
    engine = talk()
    engine.say(f"setoption name Agent value {SLOW}", f"observation {OPENING}", "go", "isready")
    assert engine.until("readyok") == ["readyok"]
    engine.say("go", "stop", "isready")
    assert engine.until("readyok") == [
        "error go: a search is running: expected stop first, or its bestmove",
        "readyok",
    ]
    engine.say("quit")
    assert engine.end() == (0, "")


def test_the_time_of_a_go_ends_an_agents_thought(talk):
    """However long it would think by its text, it has tried something by then."""
    engine = talk()
    engine.say(f"setoption name Agent value {SLOW}", f"observation {OPENING}", "go time 1")
    reason, best = engine.until("bestmove")
    assert reason.endswith(" games tried")
    assert best.removeprefix("bestmove ") in map(str, SEEN.legal_actions)


async def test_a_client_sets_the_agent():
    """A refused one is an error and the one before stays; after a crash it is set again."""
    async with EngineClient(grace_period=PATIENCE, environment=plain_environment()) as engine:
        await engine.set_option("Agent", "greedy")
        await engine.new_game(SEEN.rules)
        assert f"bestmove {await engine.choose(SEEN, Budget())}" == decided("greedy", 1)[-1]
        with pytest.raises(EngineError, match="there is no agent 'gredy'"):
            await engine.set_option("Agent", "gredy")
        engine._kill()
        search = await engine.go(SEEN, Budget())
        assert [info async for info in search] == [decided("greedy", 1)[0].removeprefix("info string ")]
        assert engine.starts == 2


def test_an_agent_in_the_engine_does_not_wait_for_machine_code(monkeypatch):
    """Where nobody may wait, plain Python runs while machine code is being made, once."""
    made, loads = threading.Event(), []

    def load(group, report, *, may_compile):
        loads.append((group, may_compile))
        made.wait(PATIENCE)
        return backends.plain_backend("made")

    monkeypatch.setattr(backends, "_load", load)
    monkeypatch.setattr(backends.CompiledCode, "is_compiled", lambda *_: False)
    process = backends.CompiledCode()
    process.disable_blocking_compile()
    notes = [process.backend("search").note for _ in range(2)]
    made.set()
    assert notes == ["compiled code is not ready yet"] * 2
    process.warm("search").join(PATIENCE)
    assert process.backend("search").note == "made"
    assert loads == [("search", False)]


def test_an_agent_in_the_engine_loads_cached_code_first(monkeypatch):
    """Its first search is as strong as the others, and needs no memory for an interpreted tree."""
    loads = []

    def load(group, report, *, may_compile):
        let_pass(0.05)
        loads.append((group, may_compile))
        return backends.plain_backend("loaded")

    monkeypatch.setattr(backends, "_load", load)
    monkeypatch.setattr(backends.CompiledCode, "is_compiled", lambda *_: True)
    process = backends.CompiledCode()
    process.disable_blocking_compile()
    assert [process.backend("search").note for _ in range(2)] == ["loaded"] * 2
    assert loads == [("search", False)]
