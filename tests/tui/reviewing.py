"""An engine for tests that answers at once, and games for it to judge."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from durak_core import Record, Rules, make_agent
from durak_core.engine.client import Search
from durak_core.engine.protocol import Progress
from durak_core.errors import EngineError
from durak_core.lab import play_game
from durak_core.search.search_result import SearchedAction
from durak_tui.library.model.entries import entry_of
from durak_tui.play.analysis import AnalysisCache, Source
from durak_tui.review.model import ReviewGame


def a_game(rules="podkidnoy:seats=2", seed=3, players=("greedy", "random"), **tags) -> Record:
    """Let bots play; the first tag Player0 can make a person of seat 0."""
    record = play_game(Rules.parse(rules), [make_agent(player) for player in players], seed).record
    return Record(
        record.rules,
        record.deck,
        record.first_attacker,
        ("Anna", "Boris", "Clara", "Dima")[: record.rules.seats],
        record.moves,
        record.seed,
        "2026-11-20",
        tags,
    )


class Oracle:
    """Says that the first legal action is worth 70 %, and each later one 6 points less.

    Args:
        backend: Where it claims to run.
        wrong: How many questions are answered by an error first.
        margin: Half the width of its intervals. If they are wide, only compared actions have equal visits.
        surest: The most of that if actions are compared.
    """

    name = "Oracle"

    def __init__(self, backend="compiled", wrong=0, margin=0.01, surest=1.0):
        self.surest = surest
        self.margin = margin
        self.backend = backend
        self.wrong = wrong
        self.asked = []
        self.compared = []
        self.by_playouts = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def answer(self, question, heard=None):
        observation = question.observation
        self.asked.append((observation, question.budget, question.options))
        self.compared.append(question.compared)
        self.by_playouts.append(question.by_playouts)
        await self.may_answer.wait()
        if self.wrong:
            self.wrong -= 1
            raise EngineError("the engine has ended, or was ended")
        search = Search()
        search.tell(Progress(1000, 1000, 1, self.backend))
        for number, action in enumerate(observation.legal_actions):
            margin = min(self.margin, self.surest) if question.compared else self.margin
            middles = (0.7, 0.7 - margin, 0.7 + margin)
            score, low, high = (round(middle - 0.06 * number, 4) for middle in middles)
            is_tried = action in question.compared or not question.compared
            visits = 500 if question.compared or self.margin < 0.05 else 500 >> number
            line = SearchedAction(action, score, visits, (action,), low, high)
            report = number + 1, line if is_tried else SearchedAction(action, 0.5, low=0.0, high=1.0)
            search.tell(report)
            if heard is not None:
                heard(search, report)
        search.finish(observation.legal_actions[0])
        return search

    def warm(self):
        """Be ready, as always."""

    async def close(self):
        """There is no process to end."""


class Content(Oracle):
    """Finds nothing between the actions."""

    async def answer(self, question, heard=None):
        search = await super().answer(question, heard)
        search.lines = {
            rank: replace(line, score=0.7, low=0.69, high=0.71) for rank, line in search.lines.items()
        }
        return search


def _lines_for(state, played, drop):
    """Say that the action that was played is worth so much less than all others."""
    scores = [(action, 0.7 - drop * (action == played)) for action in state.legal_actions]
    scores.sort(key=lambda one: -one[1])
    return tuple(
        SearchedAction(
            action, round(score, 4), 500, (action,), round(score - 0.01, 4), round(score + 0.01, 4)
        )
        for action, score in scores
    )


def judged(library, record, drops):
    """Store a game with its judgement: what each move of the person gave away, by its number."""
    library.add(entry_of(record))
    answers = AnalysisCache()
    game = ReviewGame(record, answers=answers)
    for ply, state in enumerate(game.states[:-1], 1):
        if len(state.legal_actions) > 1 and record.moves[ply - 1].action in state.legal_actions:
            answers.add_lines(
                (ply - 1, ()), _lines_for(state, record.moves[ply - 1].action, drops.get(ply, 0.0))
            )
    answers.source = Source("Oracle", 300)
    library.set_evaluation(record, "Oracle", 300, answers.text())


def own_moves(record, seat=0):
    """Return the numbers of the person's moves that were a choice."""
    return [
        ply
        for ply, (state, move) in enumerate(zip(record.replay(), record.moves, strict=False), 1)
        if move.seat == seat and len(state.legal_actions) > 1 and move.action in state.legal_actions
    ]
