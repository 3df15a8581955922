"""The whole tree of a look-ahead search, without pruning, for display: every move that it considers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from durak_core.actions import Action, decode
from durak_core.cards import CardSet
from durak_core.game.observation import Observation
from durak_core.kernel.legal import legal
from durak_core.kernel.position import MAX_ACTIONS, OVER, Position, copy_into, copy_position
from durak_core.kernel.transition import apply
from durak_core.knowledge.belief import belief_of
from durak_core.knowledge.sampling import sample_deal
from durak_core.search.determinized.evaluations import weakest_seat
from durak_core.search.determinized.look_ahead import (
    COALITION,
    PROSPECT,
    Plan,
    evaluate,
    greedy_order,
    objective,
)
from durak_core.search.determinized.searches import LookAheadSettings, plan_of


@dataclass(frozen=True, slots=True)
class ConsideredMove:
    """A move in a look-ahead tree.

    Attributes:
        action: The move.
        seat: The seat that moves.
        forced: The forced moves after it.
        values: Its value in points, for every seat or only for the searching one.
        is_best: Whether the seat prefers it to its other moves.
        replies: The moves considered after it; empty at the end of the game or of the depth.
    """

    action: Action
    seat: int
    forced: tuple[Action, ...]
    values: tuple[int, ...]
    is_best: bool
    replies: tuple[ConsideredMove, ...]


def look_ahead_tree(
    observation: Observation, seed: int, settings: LookAheadSettings
) -> tuple[tuple[CardSet, ...], tuple[ConsideredMove, ...]]:
    """Return the hands of the first deal that a search with this seed samples, and all moves considered."""
    known, belief = belief_of(observation)
    plan = plan_of(settings, seed)
    p = copy_position(known)
    sample_deal(p, known, belief, plan.rng)
    if plan.temper == COALITION:
        plan.weakest = weakest_seat(p, p.turn, plan.weights)
    hands = tuple([CardSet(p.hands[seat]) for seat in range(p.seats)])
    return hands, tuple(_Tree(plan, p).moves(p, plan.depth))


class _Tree:
    def __init__(self, plan: Plan, p: Position) -> None:
        self._plan = plan
        self._searcher = p.turn
        self._desk = copy_position(p)
        copy_into(self._desk, p)

    def moves(self, p: Position, ahead: int) -> Iterator[ConsideredMove]:
        """Yield the moves of a position with a choice, in the order of greedy's preference."""
        codes = [0] * MAX_ACTIONS
        n = legal(p, codes)
        found = []
        for code in sorted(codes[:n], key=lambda code: greedy_order(p, code)):
            child = copy_position(p)
            apply(child, code)
            forced = tuple(_play_forced(child))
            replies = () if child.phase == OVER or ahead == 1 else tuple(self.moves(child, ahead - 1))
            values = next((reply.values for reply in replies if reply.is_best), None)
            found.append((decode(code), forced, values or self._evaluated(child), replies))
        scores = [self._objective(p, values) for _, _, values, _ in found]
        best = scores.index(max(scores))
        for place, (action, forced, values, replies) in enumerate(found):
            yield ConsideredMove(action, p.turn, forced, values, place == best, replies)

    def _evaluated(self, p: Position) -> tuple[int, ...]:
        evaluate(p, self._desk, self._searcher, self._plan, 0)
        if self._plan.evaluation == PROSPECT:
            return tuple(self._plan.vectors[: p.seats])
        return (self._plan.vectors[self._searcher],)

    def _objective(self, p: Position, values: tuple[int, ...]) -> int:
        if self._plan.evaluation == PROSPECT:
            self._plan.vectors[: p.seats] = values
        else:
            self._plan.vectors[self._searcher] = values[0]
        return objective(p, self._plan, self._searcher, 0)


def _play_forced(p: Position) -> Iterator[Action]:
    codes = [0] * MAX_ACTIONS
    while p.phase != OVER and legal(p, codes) == 1:
        apply(p, codes[0])
        yield decode(codes[0])
