"""The client: from the handshake over crashes and hangs to the end."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from pathlib import Path

import pytest
from talking import OPENING, plain_environment
from waiting import PATIENCE, a_while, until

from durak_core import read_observation
from durak_core.engine.client import EngineClient, Search
from durak_core.engine.process import EngineProcess
from durak_core.engine.protocol import Budget, Progress
from durak_core.errors import LONGEST, EngineError
from durak_core.game.notation.position_text import write_observation

SEEN = read_observation(OPENING)
FAKE_ENGINE = Path(__file__).parents[2] / "fake_engine.py"
ENDLESS = Budget(infinite=True)

POLITE = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "quit":
        break
    known = {"durak": "protocol 1\\ndurakok", "isready": "readyok"}
    answer = known.get(word, ANSWER.get(word, "info string"))
    print(answer.replace("LONG", "x" * 200_000), flush=True)
"""


def client(**options: str) -> EngineClient:
    return EngineClient(grace_period=PATIENCE, environment=plain_environment(), options=options)


def fake(answers: dict[str, str]) -> EngineClient:
    """Return the client of an engine that can shake hands, and otherwise says what it is told."""
    code = f"ANSWER = {answers!r}\n{POLITE}"
    return EngineClient((sys.executable, "-c", code), grace_period=PATIENCE)


async def test_a_search_is_followed_and_ends():
    """Name and options, running infos, the newest lines, and the choice; then a clean end."""
    async with client(Lines="2") as engine:
        assert engine.name.startswith("Durak ")
        assert set(engine.options) == {
            "Seed",
            "Memory",
            "Threads",
            "Lines",
            "Compiled",
            "Agent",
            "Net",
            "Compare",
        }
        search = await engine.go(SEEN, Budget(iterations=100))
        heard = [info async for info in search]
        async with asyncio.timeout(PATIENCE):
            assert [info async for info in search] == []
        best = await search.best()
        assert best == search.lines[1].action
        assert set(search.lines) == {1, 2}
        assert search.progress is not None
        assert search.progress.iterations == 100
        assert {type(info) for info in heard} == {str, Progress, tuple}
        process = engine._process
        assert process is not None
    assert process.returncode == 0
    assert engine.pid is None


async def test_the_same_seed_is_the_same_choice():
    """In two processes, and twice in one."""
    budget = Budget(iterations=30)
    found = []
    for _ in range(2):
        async with client(Seed="5") as engine:
            for _ in range(2):
                search = await engine.go(SEEN, budget)
                await search.best()
                found.append(search.lines)
    assert found == [found[0]] * 4


async def test_a_search_is_stopped():
    """Its choice comes at once, and the engine is there for the next question."""
    async with client() as engine:
        search = await engine.go(SEEN, ENDLESS)
        async for info in search:
            if isinstance(info, Progress):
                break
        assert await search.stop() in SEEN.legal_actions
        assert await engine.choose(SEEN, Budget(iterations=20)) in SEEN.legal_actions
        assert engine.starts == 1


async def test_cancelling_stops_the_engine_too():
    """Who waits no longer leaves no busy engine behind, and the next search is another one."""
    async with client() as engine:
        search = await engine.go(SEEN, ENDLESS)
        waiting = asyncio.create_task(search.best())
        async for info in search:
            if isinstance(info, Progress):
                break
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        other = await engine.go(SEEN, Budget(iterations=20))
        await other.best()
        assert other.progress is not None
        assert other.progress.iterations == 20
        assert search.is_over
        assert engine.starts == 1


async def test_a_new_search_stops_the_old_one():
    """Two at a time are never asked for."""
    async with client() as engine:
        first = await engine.go(SEEN, ENDLESS)
        second = await engine.go(SEEN, Budget(iterations=20))
        assert await second.best() in SEEN.legal_actions
        assert await first.best() in SEEN.legal_actions


async def test_stop_is_said_once(tmp_path):
    """An engine that answered every one would end the next search as well."""
    path = tmp_path / "heard"
    answers = {"go": "info string busy", "stop": "bestmove " + str(SEEN.legal_actions[0])}
    code = f"ANSWER = {answers!r}\n{POLITE}".replace(
        "    word =", f"    open({str(path)!r}, 'a').write(line)\n    word ="
    )
    async with EngineClient((sys.executable, "-c", code), grace_period=PATIENCE) as engine:
        search = await engine.go(SEEN, ENDLESS)
        search.abandon()
        search.abandon()
        await search.stop()
    assert path.read_text(encoding="utf-8").splitlines().count("stop") == 1


async def test_after_a_crash_there_is_a_new_process():
    """Killed with signal 9 in the middle of a search: an error, and then all is well again."""
    async with client() as engine:
        search = await engine.go(SEEN, ENDLESS)
        assert engine.pid is not None
        os.kill(engine.pid, signal.SIGKILL)
        with pytest.raises(EngineError, match="has ended"):
            await search.best()
        assert await engine.choose(SEEN, Budget(iterations=20)) in SEEN.legal_actions
        assert engine.starts == 2


async def test_an_engine_that_refuses_says_why():
    """What cannot be searched is an error, and harms nothing."""
    text = write_observation(SEEN).replace("seat=0", "seat=1").replace("ThJhKh8cKcAc/?5", "?6/7sAs9hJh9d")
    async with client() as engine:
        with pytest.raises(EngineError, match="has nothing to decide"):
            await engine.choose(read_observation(text), Budget(iterations=20))
        assert await engine.choose(SEEN, Budget(iterations=20)) in SEEN.legal_actions
        assert engine.starts == 1


async def test_a_mute_engine_is_given_up():
    """No answer to the first word within the client's grace period, and the process is gone."""
    engine = EngineClient((sys.executable, "-c", "import sys; sys.stdin.read()"), grace_period=0.2)
    with pytest.raises(EngineError, match=r"did not answer durak within 0\.2 s"):
        await engine.start()
    assert not engine.is_running
    await engine.close()


async def test_an_engine_that_hangs_is_ended():
    """Neither its time nor stop brings a choice; the next question starts another process."""
    engine = fake({})
    await engine.start()
    engine._grace_period = 0.2
    search = await engine.go(SEEN, Budget(time=1))
    with pytest.raises(EngineError, match="hangs"):
        await search.best()
    engine._grace_period = PATIENCE
    search = await engine.go(SEEN, ENDLESS)
    assert engine.starts == 2
    search.grace_period = 0.2
    with pytest.raises(EngineError, match=r"hangs|did not stop"):
        await search.stop()
    await engine.close()


async def test_an_engine_that_answers_is_never_given_up():
    """However long it searches without a word of its own."""
    asked = asyncio.Event()
    search = Search(lambda _text: (search.note_sign(), asked.set()), pytest.fail, 0.02)
    search.expect_signs()
    for _ in range(3):
        await asked.wait()
        asked.clear()
    assert not search.is_over
    search.finish(SEEN.legal_actions[0])


@pytest.mark.parametrize("answer", ["bestmove 1x", "info line x", "info iterations many", "info LONG"])
async def test_an_engine_that_talks_nonsense_is_ended(answer):
    """What the protocol does not know ends the search and the process."""
    engine = fake({"go": answer})
    with pytest.raises(EngineError, match="does not follow the protocol"):
        await engine.choose(SEEN, ENDLESS)
    await engine.close()


async def test_an_engine_that_speaks_before_it_is_greeted_is_told_what_it_did_wrong(monkeypatch):
    """Its line may be read before the greeting is sent."""
    engine = fake({})
    engine._command = (sys.executable, "-c", "print('protocol 3', flush=True); open(0).read()")
    greet = engine._shake_hands

    async def greet_late():
        await until(lambda: not engine.is_running)
        await greet()

    monkeypatch.setattr(engine, "_shake_hands", greet_late)
    with pytest.raises(EngineError, match="speaks version '3', and this client 1 or 2"):
        await engine.start()
    await engine.close()


async def test_other_versions_are_refused():
    """The handshake compares the protocol's version."""
    engine = fake({})
    engine._command = (sys.executable, "-c", "input(); print('protocol 3', flush=True); open(0).read()")
    with pytest.raises(EngineError, match="speaks version '3', and this client 1 or 2"):
        await engine.start()
    engine._command = (sys.executable, "-c", "input(); print('durakok', flush=True); open(0).read()")
    with pytest.raises(EngineError, match="did not name its protocol: expected protocol 2 before durakok"):
        await engine.start()
    await engine.close()


def other(mode: str) -> EngineClient:
    return EngineClient((sys.executable, str(FAKE_ENGINE), mode), grace_period=PATIENCE)


async def test_nothing_that_an_engine_writes_reaches_a_terminal_as_more_than_text():
    """Its name, its last lines and its errors are printable and short from the moment they are kept."""
    engine = other("hostile")
    await engine.start()
    assert engine.name.startswith("?]0;X??[2Jnnn")
    assert len(engine.name) == 100
    with pytest.raises(EngineError) as caught:
        await engine.new_game(SEEN.rules)
    assert str(caught.value).startswith("newgame: ?[2Jeee")
    assert len(str(caught.value)) <= LONGEST
    await engine.close()
    assert any(line.startswith("?[2Jeee") for line in engine.output)
    assert all(line.isprintable() and len(line) <= 300 for line in engine.output)


@pytest.mark.parametrize(
    ("mode", "what"), [("wordy", "a line has more than 16384"), ("optional", "more than 200 options")]
)
async def test_an_engine_that_says_too_much_is_ended(mode, what):
    """It cannot fill the memory."""
    engine = other(mode)
    with pytest.raises(EngineError, match=what):
        await engine.start()
    assert not engine.is_running


@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="this system has no such priorities")
@pytest.mark.parametrize("gives_way", [False, True])
async def test_an_engine_gives_way_when_it_is_told_to(gives_way):
    """A search must not slow down whoever waits for it at a screen."""
    code = f"ANSWER = {{}}\n{POLITE}"
    async with EngineClient(
        (sys.executable, "-c", code), grace_period=PATIENCE, gives_way=gives_way
    ) as engine:
        assert engine.pid is not None
        niceness = os.getpriority(os.PRIO_PROCESS, engine.pid)
        assert (niceness > os.getpriority(os.PRIO_PROCESS, 0)) == gives_way


CHILD = "import signal; signal.pause()"
LEAVING = (
    f"import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', {CHILD!r}]).pid, flush=True)"
)
"""Starts a program that has the same pipes, and says which."""


async def leaving(then: str) -> tuple[EngineProcess, int, list[EngineError]]:
    """Start a process that starts another one; return that one, too, and what there is to tell at its end."""
    told: list[str] = []
    over: list[EngineError] = []
    command = (sys.executable, "-c", f"{LEAVING}; {then}")
    engine = await EngineProcess.start(command, lambda _mark, text: told.append(text), over.append)
    await until(lambda: told)
    return engine, int(told[0]), over


@pytest.mark.skipif(not hasattr(signal, "pause"), reason="a child needs something to wait for")
def test_what_an_engine_has_started_does_not_keep_the_pipes():
    """They are closed at the engine's end, where another program may hold them open for years."""

    async def start_and_end() -> int:
        engine, child, _ = await leaving("sys.stdin.read()")
        await engine.end(0.01)
        return child

    child = asyncio.run(start_and_end())
    try:
        gc.collect()  # a pipe that is still open complains that its loop is closed
    finally:
        os.kill(child, signal.SIGKILL)


@pytest.mark.skipif(not hasattr(signal, "pause"), reason="a child needs something to wait for")
async def test_an_engine_is_over_when_it_has_ended_itself(monkeypatch):
    """Even if what it has started could still write."""
    monkeypatch.setattr("durak_core.engine.process._FAREWELL", 0.01)
    engine, child, over = await leaving("sys.exit(3)")
    try:
        assert "exit code 3" in str((await until(lambda: over))[0])
    finally:
        os.kill(child, signal.SIGKILL)
    await engine.end(PATIENCE)


BUSY = "import time\nwhile time.process_time() < 0.3: pass"


@pytest.mark.skipif(sys.platform == "win32", reason="the system does not say what an ended process took")
async def test_an_engine_is_billed_for_its_own_time_and_not_for_that_of_others():
    """Another child of this process works and ends meanwhile; an engine's own time is known after its end."""
    over: list[EngineError] = []
    idle, busy = [
        await EngineProcess.start((sys.executable, "-S", "-c", f"{work}; input()"), print, over.append)
        for work in ("pass", f"exec({BUSY!r})")
    ]
    idle.send("go on")
    other = await asyncio.create_subprocess_exec(sys.executable, "-S", "-c", BUSY)
    await other.wait()
    busy.send("go on")
    await until(lambda: len(over) == 2)
    assert busy.computed() >= 0.3 > idle.computed() > 0
    for process in (idle, busy):
        await process.end(PATIENCE)


async def test_who_stops_waiting_for_the_start_leaves_a_process_in_order():
    """The next question finds it started, once."""
    async with client() as engine:
        await engine.close()
        waiting = asyncio.create_task(engine.go(SEEN, ENDLESS))
        await until(lambda: engine.starts == 2)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert await engine.choose(SEEN, Budget(iterations=20)) in SEEN.legal_actions
        assert engine.starts == 2


async def test_a_start_that_is_cancelled_leaves_no_pipes(monkeypatch):
    """Neither the one that is connected already nor the others."""
    connecting = []

    async def listen(process, _pipe, _read):
        connecting.append(process)
        await process._gone

    monkeypatch.setattr(EngineProcess, "_listen", listen)
    gc.collect()
    command = (sys.executable, "-S", "-c", "input()")
    start = asyncio.create_task(EngineProcess.start(command, print, print))
    await until(lambda: connecting)
    start.cancel()
    with pytest.raises(asyncio.CancelledError):
        await start
    await a_while()
    gc.collect()  # a pipe that is still open complains


async def test_a_program_that_is_not_there_is_an_error():
    """Nothing but a sentence."""
    with pytest.raises(EngineError, match="cannot be started"):
        await EngineClient(("no-such-engine",)).start()


async def test_what_an_engine_tells_and_nobody_takes_is_bounded():
    """The newest is there, and the end."""
    search = Search()
    for number in range(100_000):
        search.tell(f"string {number}")
    search.finish(EngineError("over"))
    told = [info async for info in search]
    assert told[-1] == "string 99999"
    assert len(told) <= 1000


async def test_a_search_has_its_time_and_the_grace_period(monkeypatch):
    """Neither more nor less; without a limit an engine has a second."""
    engine, loop, delays = fake({"go": f"bestmove {SEEN.legal_actions[0]}"}), asyncio.get_running_loop(), []
    later = loop.call_later

    def noted(delay, *rest, **context):
        delays.append(delay)
        return later(delay, *rest, **context)

    monkeypatch.setattr(loop, "call_later", noted)
    for budget, seconds in ((Budget(time=400), 0.4), (Budget(), 1.0)):
        delays.clear()
        await engine.choose(SEEN, budget)
        assert max(delays) == pytest.approx(PATIENCE + seconds)
    await engine.close()
