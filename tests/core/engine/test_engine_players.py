"""Other programs in matches: what they play counts, and what they do wrong loses a game and no more."""

from __future__ import annotations

import math
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from talking import ROOT, plain_environment
from waiting import PATIENCE, wait_until

from durak_core import Action, AgentError, Rules, State, make_agent, read_json_lines, read_observation
from durak_core.cli import cli
from durak_core.cli.commands.match import match_tables
from durak_core.engine.agent import EngineAgent
from durak_core.engine.client import DURAK, EngineClient
from durak_core.engine.protocol import LONGEST_LINE, Budget, parse_events, write_events
from durak_core.errors import ForfeitError, Message
from durak_core.lab import (
    Match,
    make_player,
    play_from,
    play_game,
    play_match,
    play_matches,
    player_text,
    tally_match,
)
from durak_core.lab.own_agents.adapter import AdaptedAgent
from durak_core.lab.stats.match_results import agent_json

FAKE = ROOT / "tests" / "fake_engine.py"
BIN = sys.executable


@pytest.fixture(autouse=True)
def paths(monkeypatch) -> Iterator[None]:
    """Engines find the package, start quickly, and are gone after the test with their threads."""
    for name, value in plain_environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("STARTED_BY", str(os.getpid()))
    yield
    assert not [thread for thread in threading.enumerate() if thread.name == "durak-engine-agent"]


def fake(mode: str, mark: Path | None = None, grace_period: int = round(PATIENCE * 1000)) -> str:
    words = f"{BIN} {FAKE} {mode}" + (f" {mark}" if mark else "")
    return player_text(f'engine:cmd="{words}",patience={grace_period}')


def pids_of(mode: str) -> list[int]:
    """The fake engines of a mode that run now, and that no other process with tests has started."""
    found = []
    mine = f"STARTED_BY={os.getpid()}".encode()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                environment = (entry / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if {str(FAKE).encode(), mode.encode()} <= {*words} and mine in environment:
                found.append(int(entry.name))
    return found


def test_a_good_engine_plays_and_is_gone() -> None:
    """Game after game in one process a seat, with the choices that it made; nothing is left behind."""
    match = Match(Rules(), (fake("good"), "greedy"), 4, 1)
    kept = list(play_match(match))
    assert pids_of("good") == []
    assert [game.forfeit for game in kept] == [""] * 4
    first = kept[0]
    lowest = State.deal(match.rules, first.state.seed or 0)
    while lowest.turn is not None:
        assert first.record.moves[lowest.plies].seat == lowest.turn
        if lowest.turn == 0:
            assert first.record.moves[lowest.plies].action == lowest.legal_actions[0]
        lowest = lowest.apply(first.record.moves[lowest.plies].action)
    assert first.players == (match.agents[0], "greedy")
    assert list(play_match(match)) == kept


@pytest.fixture
def sent(monkeypatch) -> list[str]:
    """What engines are told."""
    lines: list[str] = []
    send = EngineClient.send

    def spy(client: EngineClient, text: str) -> None:
        lines.append(text)
        send(client, text)

    monkeypatch.setattr(EngineClient, "send", spy)
    return lines


def test_the_seed_is_the_games(sent: list[str]) -> None:
    """Whatever the engine calls its option and its range; so its games can be repeated."""
    match = Match(Rules(), (fake("good"), "random"), 3, 1)
    list(play_match(match))
    seeds = [line for line in sent if line.startswith("setoption name SEED value ")]
    sent.clear()
    list(play_match(match))
    assert [line for line in sent if line.startswith("setoption")] == seeds
    assert len(set(seeds)) > 1
    assert all(10 <= int(line.rpartition(" ")[2]) <= 19 for line in seeds)


def test_a_seed_may_be_anything_that_the_engine_takes(sent: list[str]) -> None:
    """The least and the most of the range too."""
    agent = make_player(fake("good"))
    assert isinstance(agent, EngineAgent)
    for seed in range(100):
        agent.begin(Rules(), 0, seed)
    agent.close()
    seeds = {line for line in sent if line.startswith("setoption")}
    assert seeds == {f"setoption name SEED value {seed}" for seed in range(10, 20)}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        (
            "crash",
            "the engine has ended with exit code 3.*expected bestmove with .*last lines: .*out of luck",
        ),
        ("nonsense", "does not follow the protocol.*banana"),
        (
            "illegal",
            r"chose an illegal action: (take|pass) is not allowed here.*legal: .*last lines: ",
        ),
        ("refuse", "no idea"),
    ],
)
def test_who_fails_has_lost_the_game_and_the_match_goes_on(tmp_path: Path, mode: str, reason: str) -> None:
    """The first game is forfeited with a reason that names the engine; the next ones are played."""
    rival = fake(mode, tmp_path / "mark")
    match = Match(Rules(), (rival, "greedy"), 4, 1)
    games = list(play_match(match))
    assert pids_of(mode) == []
    broken, *others = games
    assert broken.forfeit
    assert broken.fool == 0
    assert broken.returns == (-1, 1)
    assert broken.places == (1, 0)
    assert mode != "crash" or broken.seconds[0] > 0.05
    assert [game.forfeit for game in others] == [""] * 3
    text = broken.summary(with_line=True)
    assert text.forfeit.startswith(str(Message("the engine {engine} failed: ", engine=rival)))
    assert re.search(reason, text.forfeit)
    record = read_json_lines(text.line)[0]
    assert record.tags == {"Forfeit": "0"}
    assert record.comment == text.forfeit
    assert record.result is None
    counted = tally_match(match, games)
    assert (counted.agents[0].forfeits, counted.agents[1].forfeits) == (1, 0)
    assert counted.agents[0].losses >= 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("mode", "limit", "grace_period", "reason"),
    [
        ("hang", "iterations=5", 0.2, r"it said nothing for 0\.2 s.*expected bestmove with one of .*"),
        (
            "babble",
            "iterations=5",
            0.2,
            r"it said nothing for 0\.2 s.*expected bestmove with one of .*la la la",
        ),
        ("think", "time=400", 2.0, "no bestmove 2 s after its time.*expected bestmove with one of .*readyok"),
    ],
    ids=["hang", "babble", "think"],
)
def test_an_engine_that_hangs_is_ended_and_started_again(
    tmp_path: Path, mode: str, limit: str, grace_period: float, reason: str
) -> None:
    """Silence and nonsense are no life. Who has a time is waited for a little longer."""
    agent = make_player(f"{fake(mode, tmp_path / 'mark')},{limit}")
    assert isinstance(agent, EngineAgent)
    state = State.deal(Rules(), 3, 0)
    try:
        agent.begin(state.rules, 0, 1)
        pid = agent._client.pid
        agent._client._grace_period = grace_period
        before = agent.computed()
        with pytest.raises(ForfeitError, match=reason):
            agent.choose(state.observation(0))
        assert agent.computed() >= before > 0
        agent._client._grace_period = PATIENCE
        agent.begin(state.rules, 0, 1)
        assert agent._client.pid != pid
        assert agent.choose(state.observation(0)).action == state.legal_actions[0]
    finally:
        agent.close()
    assert pids_of(mode) == []


def test_an_engine_that_fails_is_ended_at_once() -> None:
    """Not only when the match is over: there can be many failures in a match."""
    agent = make_player(fake("refuse"))
    assert isinstance(agent, EngineAgent)
    state = State.deal(Rules(), 3, 0)
    try:
        agent.begin(state.rules, 0, 1)
        assert len(pids_of("refuse")) == 1
        with pytest.raises(ForfeitError, match="no idea"):
            agent.choose(state.observation(0))
        assert pids_of("refuse") == []
    finally:
        agent.close()


def test_an_engine_with_one_thread_may_be_silent_within_its_time() -> None:
    """It thinks longer than anybody is patient, and nobody asks whether it is there."""
    agent = make_player(fake("busy") + ",time=60000")
    assert isinstance(agent, EngineAgent)
    state = State.deal(Rules(), 3, 0)
    try:
        agent.begin(state.rules, 0, 1)
        agent._client._grace_period = 0.1
        assert agent.choose(state.observation(0)).action == state.legal_actions[0]
    finally:
        agent.close()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (fake("dead"), "has ended.*last lines: no such luck"),
        (fake("picky"), "podkidnoy is not for me"),
        ("engine:cmd=no-such-engine", "no-such-engine cannot be started.*it wrote nothing"),
        ("engine:cmd='open", "cmd is no command line: No closing quotation"),
    ],
)
def test_an_engine_that_never_plays_ends_the_match(text: str, reason: str) -> None:
    """That is no forfeit, it is a mistake of who planned the match."""
    with pytest.raises(AgentError, match=reason) as failed:
        list(play_match(Match(Rules(), (text, "greedy"), 4, 1)))
    assert not isinstance(failed.value, ForfeitError)


def test_an_engine_that_knows_no_teams_says_so_and_ends_the_match() -> None:
    """Its error line is what the match says."""
    rules = Rules(seats=4, teams="2x2")
    match = Match(rules, (f"{fake('picky')}+greedy", "greedy+greedy"), 4, 1)
    with pytest.raises(AgentError, match="podkidnoy:seats=4,teams=2x2 is not for me"):
        next(play_match(match))


def test_a_single_game_has_no_forfeits() -> None:
    """Whoever plays one game gets the error."""
    agents = [make_player(fake("illegal")), make_player("greedy")]
    try:
        with pytest.raises(ForfeitError, match="chose an illegal action"):
            play_from(State.deal(Rules(), 3, 0), agents, 1)
    finally:
        agents[0].close()


def kill_in_a_search(agent: EngineAgent) -> None:
    wait_until(lambda: agent._client._search)
    os.kill(agent._client.pid, signal.SIGKILL)


def test_this_packages_engine_plays_and_survives_a_kill() -> None:
    """Killed with signal 9 in the middle of a search: one game is lost, the next has a new process."""
    text = player_text("engine:iterations=4")
    agent = make_player(text)
    hard = make_player("engine:iterations=1000000000,patience=50000")
    state = State.deal(Rules(), 3, 0)
    try:
        hard.begin(state.rules, 0, 1)
        pid = hard._client.pid
        killer = threading.Thread(target=kill_in_a_search, args=(hard,))
        killer.start()
        with pytest.raises(ForfeitError, match="the engine has ended by signal SIGKILL"):
            hard.choose(state.observation(0))
        killer.join()
        hard.begin(state.rules, 0, 2)
        assert hard._client.pid not in (pid, None)
        agent.begin(state.rules, 0, 1)
        first = agent.choose(state.observation(0))
        agent.begin(state.rules, 0, 1)
        assert agent.choose(state.observation(0)) == first
        assert first.action in state.legal_actions
        assert "of 4 games tried" in str(first.reason)
    finally:
        hard.close()
        agent.close()


def test_engines_play_in_parallel_matches() -> None:
    """The same games on two processes, and no engine survives."""
    match = Match(Rules(), (fake("good"), "random"), 6, 5)
    assert list(play_matches([match], 2)) == list(play_matches([match]))
    assert pids_of("good") == []


def choices_in(line: str) -> float:
    """Return the number of legal actions in the observation that a line tells, if any."""
    word, _, text = line.partition(" ")
    return len(read_observation(text).legal_actions) if word == "observation" else math.inf


@pytest.mark.sampled(1)
@pytest.mark.parametrize("text", ["ismcts:inference=on,iterations=10", "adaptive:memory=on"])
def test_an_engine_reads_the_others_as_the_agent_does_that_it_plays(sent: list[str], text: str) -> None:
    """What the seat has seen reaches it: the same moves, in two games of several bouts."""
    rules = Rules(seats=3, lowest_rank=9)
    told: list[list[Action]] = []
    fools = []
    through = EngineAgent("engine", DURAK, Budget(), PATIENCE)
    through._client = EngineClient(options={"Agent": text}, grace_period=PATIENCE)
    try:
        for agent in (AdaptedAgent(text, make_agent(text)), through):  # with the same hashed seeds
            told.append([])
            for seed in (3, 4):
                players = [agent, make_agent("greedy"), make_agent("greedy")]
                game = play_game(
                    rules, players, seed, None, lambda _, decision: told[-1].append(decision.action)
                )
                fools.append(game.fool)
    finally:
        through.close()
    assert told[0] == told[1]
    ends = [line for line in sent if line.startswith("endgame ")]
    assert ends == [f"endgame fool {fool}" for fool in fools[2:]]
    assert min(map(choices_in, sent)) == 1  # it is asked where there is no choice too


def test_an_engine_of_the_first_version_is_told_what_it_always_was(sent: list[str]) -> None:
    """No events, no end of a game, and no question where there is no choice."""
    list(play_match(Match(Rules(), (fake("good"), "greedy"), 1, 1)))
    words = {line.split()[0] for line in sent}
    assert words == {"durak", "isready", "setoption", "newgame", "observation", "go", "quit"}
    assert min(map(choices_in, sent)) > 1


def test_what_a_seat_has_seen_comes_back_from_its_text() -> None:
    """Every kind of event, in lines of bounded length."""
    kinds = set()
    for seed in range(12):
        rules = Rules.preset("perevodnoy", seats=3, lowest_rank=9, show_trump=True)
        state = State.deal(rules, seed)
        while state.turn is not None:
            state = state.apply(state.legal_actions[-1 - seed % 2 * (len(state.legal_actions) // 2)])
        for seat in range(3):
            events = state.observation(seat).events
            lines = list(write_events(seat, 0, events))
            read = [parse_events(line.removeprefix("events ")) for line in lines]
            assert tuple(event for _, _, part in read for event in part) == events
            assert max(map(len, lines)) < LONGEST_LINE
            kinds |= set(map(type, events))
    assert len(kinds) >= 11


def test_an_abandoned_match_leaves_no_engine() -> None:
    """Closing the iterator ends the processes."""
    games = play_match(Match(Rules(), (fake("good"), "greedy"), 4, 1))
    next(games)
    assert len(pids_of("good")) == 1
    games.close()
    assert pids_of("good") == []


def test_the_command_line_counts_forfeits(tmp_path: Path) -> None:
    """In the games' lines, in the table's summary, in the file of games."""
    words = ["match", fake("crash", tmp_path / "mark"), "greedy", "--games", "2", "--seed", "1"]
    done = CliRunner().invoke(cli, [*words, "--json", str(tmp_path / "games.jsonl")], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "forfeited: the engine engine:cmd=" in done.output
    assert "1 forfeited by engine:cmd=" in done.output
    records = read_json_lines((tmp_path / "games.jsonl").read_text(encoding="utf-8"))
    assert [("Forfeit" in record.tags) for record in records] == [True, False]


def test_a_match_shows_an_engines_name_and_both_clocks(monkeypatch, capsys) -> None:
    """The processor's time of the program is measured with psutil, and said to be missing without."""
    agent = make_player(fake("good"))
    assert isinstance(agent, EngineAgent)
    agent.begin(Rules(), 0, 1)
    assert 0 < agent.computed() < 60
    agent.close()
    match = Match(Rules(), (fake("good"), "greedy"), 1, 1)
    counted = tally_match(match, play_match(match))
    engine, greedy = counted.agents
    assert (engine.name, greedy.name) == ("Fake", "")
    assert engine.seconds_a_move >= 0
    assert engine.waited_a_move > 0
    table, times = match_tables(counted)
    assert times.header == ("agent", "CPU ms a move", "wall ms a move")
    assert table.rows[0][0].endswith("(Fake)")
    times.print()
    assert "greedy" in capsys.readouterr().out
    assert agent_json(engine)["name"] == "Fake"
    monkeypatch.setitem(sys.modules, "psutil", None)
    counted = tally_match(match, play_match(match))
    assert match_tables(counted)[1].rows[0][1] == "needs psutil"
    assert agent_json(counted.agents[0])["seconds"] is None


def test_tables_of_many_matches_show_names_and_both_clocks() -> None:
    """As a match's does."""
    words = ["--games", "2", "--seed", "1"]
    planned = (
        ["tournament", fake("good"), "greedy"],
        ["tune", "random", "--grid", "uniform=off,on", "--against", fake("good")],
    )
    for command in planned:
        done = CliRunner().invoke(cli, [*command, *words], env={"COLUMNS": "200"}, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        assert "CPU ms a move" in done.output
        assert "wall ms a move" in done.output
        assert "(Fake)" in done.output or "calls itself Fake" in done.output
