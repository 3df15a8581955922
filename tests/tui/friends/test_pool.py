"""A few engine processes answer the questions of many games."""

import asyncio

import pytest

from durak_core import Rules, State
from durak_core.engine.protocol import Budget
from durak_core.errors import EngineError
from durak_tui.engine import EnginePool, EngineQuestion
from tui.helpers import fake_engine


def question(game):
    state = State.deal(Rules(), 1)
    return EngineQuestion(state.observation(state.turn), Budget(time=50), 60.0, {}, game)


async def test_each_game_stays_with_its_process_and_more_games_wait():
    pool = EnginePool(fake_engine("judge"), 2)
    games = [object() for _ in range(3)]
    try:
        answers = await asyncio.gather(*(pool.answer(question(game)) for game in games))
        assert all(answer.lines for answer in answers)
        first, second = (engine.pid for engine in pool._engines)
        assert first != second
        owner = pool._games.copy()
        await pool.answer(question(games[2]))
        assert pool._games == owner
    finally:
        await pool.close()
    with pytest.raises(EngineError):
        await pool.answer(question(games[0]))
