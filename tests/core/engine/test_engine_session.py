"""Sessions with an engine: in this process, and as a process of its own."""

from __future__ import annotations

import io
import random
import signal
import string
import subprocess
import sys
import weakref

import pytest
from talking import ENDGAME, OPENING, plain_environment
from waiting import wait_for_end

from durak_core import EXCHANGE, Rules, State, parse_action, read_observation, write_observation
from durak_core.engine.protocol import LONGEST_LINE, EventSync, parse_line, parse_progress, write_event
from durak_core.engine.server import GoThread, Server
from durak_core.search.backend.backend import backend

LEGAL = {str(action) for action in read_observation(OPENING).legal_actions}


def test_the_engine_introduces_itself(answers):
    """Name, author, options, version and the word that ends it."""
    lines = answers(b"durak\nisready\nquit\n")
    assert lines[0] == "id name Durak 0"
    assert lines[1].startswith("id author ")
    assert lines[-3:] == ["protocol 2", "durakok", "readyok"]


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        ("stp", "error input: unknown command 'stp': did you mean stop? expected one of durak, isready"),
        ("stop", "error stop: no search is running: expected go before stop"),
        ("events 0 from 1 0:6c", "error events: seat 0 from 1: expected a seat below 6, and at most 0,"),
        ("events 0 from 0 0:6c:1", "error events: found '0:6c:1': expected an event, as in 0:6c"),
        ("endgame", "error endgame: the result is missing"),
        ("go", "error go: there is nothing to search: expected observation TEXT before go"),
        ("go time x", "error go: time cannot be 'x': expected a number from 1 to"),
        ("observation", "error observation: the text is missing"),
        ("observation rules=podkidnoy", "error observation: bout is missing"),
        ("observation " + "9" * 10_000, "error observation: '9999"),
        (f"newgame perevodnoy\nobservation {OPENING}", "error observation: the rules are podkidnoy, but"),
        ("newgame", "error newgame: the rules are missing"),
        ("newgame poker", "error newgame: "),
        ("setoption name Depth value 3", "error setoption: unknown option 'Depth': expected one of Seed"),
        ("setoption name Compiled value yes", "error setoption: Compiled cannot be 'yes': expected on or"),
        ("setoption Seed", "error setoption: found 'Seed': expected setoption name NAME value VALUE"),
        ("isready " * LONGEST_LINE, "error input: a line is too long"),
        (f"observation {OPENING}\nobservation x\ngo", "error observation: 'x'"),
        (f"observation {OPENING}\nnewgame podkidnoy\ngo", "error go: there is nothing to search"),
        (f"observation {OPENING}\nendgame draw\ngo", "error go: there is nothing to search"),
    ],
)
def test_what_is_wrong_is_named(answers, sent, error):
    """One line of error, and the next command is answered."""
    lines = answers(f"{sent}\nisready\n".encode())
    assert lines[0].startswith(error)
    assert lines[-1] == "readyok"
    assert all(len(line) < 1000 for line in lines)


def test_a_new_game_forgets_what_was_told_of_the_last_one(answers):
    """Events that no observation has followed do not count for the next game's."""
    new = "newgame podkidnoy\n"
    lines = answers(f"{new}events 0 from 0 0:6c\n{new}observation {OPENING}\nisready\n".encode())
    assert lines == ["readyok"]


def test_events_belong_to_the_observation_that_follows():
    """Events from an index replace those told from there on, and each story is told to one observation."""
    out = io.StringIO()
    server = Server(io.BytesIO(), out)

    def told(*lines: str) -> list[str]:
        for line in (*lines, f"observation {OPENING}"):
            server._answer(line)
        assert server._observation is not None
        return [write_event(event) for event in server._observation.events]

    assert told("newgame podkidnoy", "events 0 from 0 1:6c 0:take") == ["1:6c", "0:take"]
    assert told() == []
    assert told("events 0 from 1 0:7cx6c 1:pass") == ["1:6c", "0:7cx6c", "1:pass"]
    assert told("events 1 from 0 1:6c") == []
    assert told("events 0 from 0 1:6c") == ["1:6c"]
    assert out.getvalue() == ""
    told("newgame podkidnoy", "events 0 from 1 0:take")
    assert out.getvalue().startswith("error events: seat 0 from 1: expected a seat below 6, and at most 0,")


def test_a_search_that_the_system_refuses_a_thread_leaves_the_engine_free(answers, monkeypatch):
    """As where the memory is limited: the next search may have more luck."""

    def refuse(_thread: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("durak_core.engine.server.GoThread.start", refuse)
    lines = answers(f"observation {OPENING}\ngo\nsetoption name Lines value 3\nisready\n".encode())
    assert lines[-2:] == [
        "error go: this engine has a fault: RuntimeError: can't start new thread",
        "readyok",
    ]


def test_a_search_keeps_no_memory_once_it_is_answered():
    class Search:
        def __call__(self, _thread: GoThread) -> list[str]:
            return []

    search = Search()
    thread = GoThread("it", search, lambda *_lines: None, lambda _message: [], can_stop=True)
    kept = weakref.ref(search)
    del search
    thread.start()
    thread.join()
    assert kept() is None


def test_half_a_line_at_the_end_is_named(answers):
    """A command counts with its line end only."""
    assert answers(b"isready\nquit") == [
        "readyok",
        "error input: the input ends within the line 'quit': expected a line end",
    ]


def test_another_seats_turn_is_refused(answers):
    """There is nothing to choose then."""
    other = OPENING.replace("seat=0", "seat=1").replace("ThJhKh8cKcAc/?5", "?6/7sAs9hJh9d")
    assert answers(f"observation {other}\ngo\n".encode())[0].startswith(
        "error go: seat 1 has nothing to decide: it is seat 0's turn"
    )


def test_a_search_reports_and_ends(talk):
    """Progress, lines sorted best first, and the best action, which is the first line's."""
    engine = talk()
    engine.say(f"observation {OPENING}", "go iterations 60 lines 3")
    heard = engine.until("bestmove")
    assert heard[0].startswith("info string plain: ")
    assert parse_progress(heard[-5]).iterations == 60
    lines = [parse_line(line) for line in heard[-4:-1]]
    assert [rank for rank, _ in lines] == [1, 2, 3]
    assert heard[-1] == f"bestmove {lines[0][1].action}"
    assert {str(line.action) for _, line in lines} <= LEGAL
    engine.say("quit")
    assert engine.end() == (0, "")


def test_an_exchange_is_searched_and_what_follows_it_too(talk):
    """It is an action like any other, and after it the engine knows where both cards are (rules 5.9)."""
    before = State.setup(Rules(exchange_trump=True), ["6h9sAc", "7s8s9d"], talon="TsTdKh")
    after = before.apply(EXCHANGE)
    engine = talk()
    for state in (before, after):
        seen = state.observation(0)
        engine.say(
            *EventSync().news(seen), f"observation {write_observation(seen)}", "go iterations 60 lines 9"
        )
        heard = engine.until("bestmove")
        found = {parse_line(line)[1].action for line in heard if line.startswith("info line")}
        assert found == {*state.legal_actions}
        assert parse_action(heard[-1].removeprefix("bestmove ")) in found
    engine.say("quit")
    assert engine.end() == (0, "")


def test_solved_and_forced_moves_need_no_budget(talk):
    """Also without end the engine says at once what cannot be said better."""
    engine = talk()
    engine.say(f"observation {ENDGAME}", "go infinite")
    assert all(" exact yes" in line for line in engine.until("bestmove") if line.startswith("info line"))
    forced = OPENING.replace("ThJhKh8cKcAc", "6s7s8sTsJsQs")
    engine.say(f"observation {forced}", "go infinite")
    assert engine.until("bestmove")[-1] == "bestmove take"


def test_a_running_search_leaves_the_engine_awake(talk):
    """Other commands are answered in between; a second search and changes are refused."""
    engine = talk()
    engine.say(f"observation {OPENING}", "go infinite lines 1")
    engine.until("info iterations")
    engine.say("isready")
    engine.until("readyok")
    for command in ("go", f"observation {OPENING}", "newgame podkidnoy", "setoption name Seed value 2"):
        engine.say(command)
        assert engine.until("error")[-1].endswith("a search is running: expected stop first, or its bestmove")
    engine.say("stop", "isready")
    heard = engine.until("readyok")
    assert heard[-2].removeprefix("bestmove ") in LEGAL
    engine.say("go iterations 20", "stop")
    engine.until("bestmove")


def test_quit_ends_a_running_search(talk):
    """Without a word more, and with exit code 0."""
    engine = talk()
    engine.say(f"observation {OPENING}", "go infinite")
    engine.until("info iterations")
    engine.say("quit")
    assert engine.end() == (0, "")


def test_the_end_of_the_input_stops_and_ends(talk):
    """The search's choice so far is still told."""
    engine = talk()
    engine.say(f"observation {OPENING}", "go infinite")
    engine.until("info iterations")
    engine.process.stdin.close()
    engine.until("bestmove")
    assert engine.end() == (0, "")


def test_a_closed_pipe_ends_the_engine():
    """Nobody reads any more: exit code 0 and no complaint, though the input is still open."""
    with subprocess.Popen(
        [sys.executable, "-m", "durak_core.cli", "engine"],
        env=plain_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(f"observation {OPENING}\ngo infinite\n".encode())
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"info")
        process.stdout.close()
        assert wait_for_end(process) == 0
        assert process.stderr.read() == b""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("module", [("durak_core.engine",), ("durak_core.cli", "engine")])
def test_an_order_ends_the_engine_however_it_was_started(talk, module):
    """The module that clients start, and the command that people type, end alike."""
    engine = talk(module=module)
    engine.say("isready")
    engine.until("readyok")
    engine.process.send_signal(signal.SIGTERM)
    assert engine.end() == (128 + signal.SIGTERM, "")


def random_line(rng: random.Random) -> bytes:
    """Return a line that may be anything but ``quit``."""
    kind = rng.randrange(8)
    if kind == 0:
        return bytes(rng.randrange(256) for _ in range(rng.randint(0, 80))).replace(b"\n", b"")
    if kind == 1:
        return "".join(rng.choices(string.printable.replace("\n", ""), k=rng.randint(0, 60))).encode()
    if kind in (2, 3):
        text = list(f"observation {OPENING if kind == 2 else ENDGAME}")
        for _ in range(rng.randint(0, 2)):
            text[rng.randrange(len(text))] = rng.choice(string.printable.replace("\n", ""))
        return "".join(text).encode()
    words = ["durak", "isready", "stop", "setoption", "name", "Seed", "value", "1", "0", "newgame", "go"]
    words += ["podkidnoy", "iterations", "lines", "time", "infinite", "observation", "-1", "x" * 200]
    if kind == 4 and rng.random() < 0.02:
        return b"isready " * 20_000
    return " ".join(rng.choices(words, k=rng.randint(1, 5))).encode()


def fuzz(talk, count: int, seed: int) -> None:
    rng = random.Random(seed)
    engine = talk()
    lines = [line for line in (random_line(rng) for _ in range(count)) if line.strip() != b"quit"]
    engine.say("setoption name Memory value 1")
    for line in lines:
        engine.process.stdin.write(line + b"\n")
        if rng.random() < 0.05:
            engine.process.stdin.write(b"stop\n")
    engine.process.stdin.write(b"stop\nquit now\n")
    engine.process.stdin.flush()
    engine.until("error input: quit takes no arguments")
    engine.say("isready")
    engine.until("readyok")
    engine.say("quit")
    assert engine.end() == (0, "")


def test_garbage_ends_nothing(talk):
    """Two thousand random lines are answered, and then the engine is as it was."""
    fuzz(talk, 2000, seed=1)


@pytest.mark.slow
def test_much_garbage_ends_nothing(talk):
    """A hundred thousand lines."""
    fuzz(talk, 100_000, seed=2)


def test_a_million_characters_are_one_error(talk):
    """However long a line is, it costs one answer and no memory."""
    engine = talk()
    engine.say("x" * 1_000_000, "isready")
    assert engine.until("readyok") == [
        f"error input: a line is too long: expected at most {LONGEST_LINE} characters",
        "readyok",
    ]


@pytest.mark.slow
def test_a_search_moves_to_machine_code(talk):
    """It begins at once in plain Python, or already compiled, and in the end it is machine code."""
    if backend("search").name != "compiled":
        pytest.skip(f"no machine code here: {backend('search').note}")
    environment = {name: value for name, value in plain_environment().items() if name != "DURAK_COMPILED"}
    engine = talk(environment)
    engine.say(f"observation {OPENING}", "go infinite lines 1")
    heard = [engine.until("info iterations")[-1]]
    while parse_progress(heard[-1]).backend != "compiled":
        heard.append(engine.until("info iterations")[-1])
    engine.say("stop", "go iterations 400")
    engine.until("bestmove")
    fast = [line for line in engine.until("bestmove") if not line.startswith(("info iter", "info string"))]
    engine.say("setoption name Compiled value off", "go iterations 400")
    slow = [line for line in engine.until("bestmove") if not line.startswith(("info iter", "info string"))]
    assert fast[-1] == slow[-1]
    assert fast[-5:] == slow[-5:]
