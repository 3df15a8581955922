"""Which bots visitors in the browser may name, and the owner of the machine for them."""

import asyncio

import pytest

from durak_core import Record
from durak_core.agents.registry import AGENTS
from durak_core.errors import AgentError
from durak_tui.engine import in_thread, processors
from durak_tui.play.setup import GameSetup, play_on_setup, usual_players
from durak_tui.players import HUMAN, OPPONENT_WORDS, TIMES, allowing, check_bot, thinking_time, with_time
from tui.helpers import a_setup

OPTIONS = [(info.name, option) for info in AGENTS.values() for option in info.options]


@pytest.fixture(autouse=True)
def _a_visitor(monkeypatch):
    monkeypatch.setenv("DURAK_CONFINED", "1")


def refusal(text):
    with pytest.raises(AgentError) as refused:
        check_bot(text)
    return str(refused.value)


@pytest.mark.parametrize(("agent", "option"), [(agent, option) for agent, option in OPTIONS if option.words])
def test_no_option_names_a_file_and_the_answer_tells_nothing_of_it(agent, option, tmp_path):
    (tmp_path / "there.npz").touch()
    answers = set()
    for path in ("/dev/zero", str(tmp_path), str(tmp_path / "there.npz"), str(tmp_path / "not-there.npz")):
        answers.add(refusal(f"{agent}:{option.name}={path}").replace(path, "PATH"))
    assert len(answers) == 1


@pytest.mark.parametrize(
    ("agent", "option"), [(agent, option) for agent, option in OPTIONS if option.visitors is not None]
)
def test_numbers_that_cost_memory_threads_or_time_are_bounded(agent, option, monkeypatch):
    assert check_bot(f"{agent}:{option.name}={option.visitors:g}")
    above = f"{agent}:{option.name}={option.visitors + 1:.0f}"
    assert f"to {option.visitors:,}" in refusal(above)
    monkeypatch.delenv("DURAK_CONFINED")
    assert check_bot(above)


def test_threads_memory_and_time_of_every_agent_are_among_them():
    names = {"threads", "memory", "time", "depth", "samples", "nodes", "limit"}
    free = [
        (agent, option.name)
        for agent, option in OPTIONS
        if option.name in names and option.high is not None and option.visitors is None
    ]
    assert not free


def test_no_other_program_is_started():
    assert "there is no agent 'engine'" in refusal("engine:cmd=id")


def test_everybody_whom_the_lists_name_may_sit_with_every_time():
    for name in (*OPPONENT_WORDS, *AGENTS):
        assert check_bot(name)
        for milliseconds in TIMES.values():
            longer = with_time(check_bot(name), milliseconds)
            assert longer is None or check_bot(longer)


def test_the_owner_names_any_bot_and_visitors_that_one_alone():
    theirs = "ismcts:threads=4,memory=512"
    refusal(theirs)
    with allowing((HUMAN, theirs)):
        text = check_bot(theirs)
        assert check_bot(text) == text
        refusal("ismcts:memory=512,threads=5")
    refusal(theirs)


async def test_what_the_owner_allows_holds_where_the_app_works_and_nowhere_else():
    """In tasks that were begun inside, and in their threads; another app of the process has its own."""
    theirs = "ismcts:threads=4,memory=512"
    with allowing((theirs,)):
        inside = asyncio.create_task(in_thread(check_bot, theirs))
    assert await inside == "ismcts:memory=512,threads=4"
    with pytest.raises(AgentError):
        await in_thread(check_bot, theirs)


def test_saved_and_recorded_games_bring_no_other_bots():
    setup = a_setup(("human", "greedy", "greedy"))
    others = {"Player1": "dmc:weights=/dev/zero", "Player2": "ismcts:threads=64"}
    record = Record.of(setup.deal(), setup.names, "", Player0=HUMAN, **others)
    assert play_on_setup(record, 0, "You").players == (HUMAN, *usual_players(3, human=False)[1:])
    with pytest.raises(AgentError, match="expected shipped"):
        GameSetup(setup.rules, (HUMAN, *others.values()), setup.names, 1)


def test_a_visitors_searches_take_one_thread_and_no_minute():
    assert processors() == 1
    assert thinking_time("mcts:limit=1000") <= 10_000
