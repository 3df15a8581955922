"""Background computations: hints, win probabilities and models of the other players.

Each seat has an `OpponentModel` that sees only its own observations. A whole game takes dozens of
milliseconds, so `PlayerModels.read` works in slices.

An engine evaluates the decision shown first, then the others from newest to oldest, and doubtful ones again.
Without teams, each player is a team.
"""

from __future__ import annotations

import asyncio
import copy
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import ClassVar, Final, Protocol, TypeAlias

from durak_core import PLAYER_TYPES, Action, Observation, OpponentModel, Rules, SearchedAction, State
from durak_core.engine.client import Info, Search
from durak_core.engine.protocol import Budget
from durak_core.errors import EngineError
from durak_core.game.events import ActionEvent, action_of
from durak_core.review import MoveEvaluation, evaluate_move, is_known, question_of
from durak_tui.engine import (
    ALL_LINES,
    Engine,
    EngineQuestion,
    ask_twice,
    plain,
)
from durak_tui.play.analysis import AnalysisCache, GameSearch, PositionKey
from durak_tui.play.setup import GameSetup
from durak_tui.sandbox import is_confined
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext

SHOWN: Final = 3
"""Number of actions that are shown; the others give the reason for the first one."""
_MILLISECONDS: Final = 5_000
"""Time of the first search; each repetition doubles it."""
_MOST_DOUBLINGS: Final = 3
_VISITORS_DOUBLINGS: Final = 1
_SILENCE: Final = 10.0
"""Seconds without output after which a searching engine counts as hung."""
_UNSURE_FOR: Final = 0.5
"""Seconds after which figures are shown regardless of their intervals."""
_BETWEEN: Final = 1.0
"""Minimum seconds between two updates."""


def shown_percent(line: SearchedAction) -> int:
    """Return the percentage of games in which the acting player is not the fool."""
    return round(100 * line.score)


def by_figure(
    lines: Iterable[SearchedAction], before: Iterable[SearchedAction] = ()
) -> tuple[SearchedAction, ...]:
    """Sort lines by the figures shown, best first; ties keep their order from ``before``."""
    stood = {line.action: place for place, line in enumerate(before)}
    ordered = sorted(lines, key=lambda line: stood.get(line.action, len(stood)))

    def key(line: SearchedAction) -> tuple[bool, int]:
        return not line.is_tried, -shown_percent(line)

    return tuple(sorted(ordered, key=key))


@dataclass(frozen=True, slots=True)
class Advice:
    """The current hint for a decision; the lines are empty until the first figures, and best first."""

    observation: Observation
    lines: tuple[SearchedAction, ...] = ()
    iterations: int = 0
    is_running: bool = True
    problem: str = ""

    @property
    def is_forced(self) -> bool:
        """Whether there is only one legal action, so that no search runs."""
        return len(self.observation.legal_actions) == 1


class Adviser:
    """Searches one decision at a time, and calls a listener with every new `advice`."""

    def __init__(self, engine: Engine, listener: Callable[[Advice | None], None]) -> None:
        self._engine = engine
        self._listener = listener
        self._task: asyncio.Task[None] | None = None
        self._asked = 0
        self._first_at: float | None = None
        self._shown_at = float("-inf")
        self._due: asyncio.TimerHandle | None = None
        self.advice: Advice | None = None

    def ask(self, observation: Observation, known: Sequence[SearchedAction] = ()) -> None:
        """Start a search from known lines; repeating the last one keeps its results and searches longer."""
        self.stop()
        before = self.advice
        if before is not None and before.observation == observation:
            most = _VISITORS_DOUBLINGS if is_confined() else _MOST_DOUBLINGS
            self._asked = min(self._asked + 1, most)
            self._publish(replace(before, is_running=not before.is_forced, problem=""))
        else:
            self._asked = 0
            visits = sum(line.visits for line in known)
            self._publish(Advice(observation, tuple(known), visits, len(observation.legal_actions) > 1))
        if len(observation.legal_actions) > 1:
            budget = Budget(time=_MILLISECONDS << self._asked, lines=ALL_LINES)
            self._first_at = None
            question = EngineQuestion(observation, budget, _SILENCE)
            self._task = asyncio.get_running_loop().create_task(self._run(question))

    def stop(self) -> None:
        """Stop searching; keep the hint."""
        self._cancel()
        if self.advice is not None and self.advice.is_running:
            self._publish(replace(self.advice, is_running=False))

    def clear(self) -> None:
        """Stop searching; drop the advice."""
        self._cancel()
        self._publish(None)

    def close(self) -> None:
        self._listener = lambda _advice: None
        self._cancel()

    def _cancel(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
        self._set_due(None)

    def _publish(self, advice: Advice | None) -> None:
        if advice != self.advice:
            self.advice = advice
            self._listener(advice)

    def _update(self, **changes: object) -> None:
        if self.advice is not None:
            self._publish(replace(self.advice, **changes))  # type: ignore[arg-type]

    async def _run(self, question: EngineQuestion) -> None:
        problem = ""
        try:
            await ask_twice(partial(self._follow, question), self._started_again)
        except EngineError as error:
            problem = gettext("No hint: {why}. You can ask again.", why=core_words(plain(error)))
        self._update(is_running=False, problem=problem)

    def _started_again(self, error: EngineError) -> None:
        self._update(problem=gettext("Started again: {why}.", why=core_words(plain(error))))

    async def _follow(self, question: EngineQuestion) -> None:
        last = min(SHOWN, len(question.observation.legal_actions))

        def take(search: Search, info: Info) -> None:
            if isinstance(info, tuple) and info[0] == last:  # all that are shown have been reported
                self._show_in_time(search)

        self._show(await self._engine.answer(question, take))

    def _show_in_time(self, search: Search) -> None:
        """Show the newest results once they are precise enough and the last ones were visible long enough."""
        due = self._shown_at + _BETWEEN
        if self._first_at is None:
            self._first_at = _now()
        if not all(map(is_known, search.ranked[:SHOWN])):
            due = max(due, self._first_at + _UNSURE_FOR)
        self._set_due(None)
        if due <= _now():
            self._show(search)
        else:
            self._set_due(asyncio.get_running_loop().call_at(due, self._show, search))

    def _set_due(self, due: asyncio.TimerHandle | None) -> None:
        if self._due is not None:
            self._due.cancel()
        self._due = due

    def _show(self, search: Search) -> None:
        """Show the newest results, unless an earlier search has more iterations."""
        self._set_due(None)
        iterations = search.progress.iterations if search.progress else 0
        before = self.advice.lines if self.advice else ()
        found = search.ranked
        lines = (*by_figure(found[:SHOWN], before), *found[SHOWN:])
        known = self.advice.iterations if self.advice else 0
        if lines and (iterations >= known or all(line.exact for line in lines)):
            self._shown_at = _now()
            self._update(lines=lines, iterations=iterations, problem="")


def _now() -> float:
    return asyncio.get_running_loop().time()


Posteriors: TypeAlias = Mapping[int, Mapping[str, float]]
"""Posterior probability of each player type, by seat."""

NO_MODELS: Final[Posteriors] = {}

_SEED: Final = 1
"""A fixed seed for sampling hands, so that results are reproducible."""
_LONGEST_MEMORY: Final = 10
"""Number of earlier games of a series that the models include."""


class Viewed(Protocol):
    """A position that seats look at, such as a `State`."""

    def observation(self, seat: int, /) -> Observation: ...


@dataclass(slots=True)
class _Track:
    """A seat's model, and the posteriors after each position processed so far."""

    reader: OpponentModel
    states: list[Viewed] = field(default_factory=list)
    found: list[Posteriors] = field(default_factory=list)


class PlayerModels:
    """Models of the players of one game, from the point of view of any seat.

    Args:
        states: The game's positions from the deal on; the list may grow, or shrink after a takeback.
        before: The models from these players' previous game, if any.
        moved: How many seats all players have moved since then.
    """

    def __init__(
        self, rules: Rules, states: Sequence[Viewed], before: PlayerModels | None = None, moved: int = 0
    ) -> None:
        self.rules = rules
        self._states = states
        self._before = before
        self._moved = moved
        self._tracks: dict[int, _Track] = {}
        self.forget(_LONGEST_MEMORY)

    def forget(self, games: int) -> None:
        """Drop the models from more than this many games ago."""
        if games == 0:
            self._before = None
        elif self._before is not None:
            self._before.forget(games - 1)

    def at(self, seat: int, ply: int) -> Posteriors:
        """Return a seat's posteriors at a ply; `NO_MODELS` until they are computed."""
        track = self._tracks.get(seat)
        if track is None or ply >= len(track.states) or not self._has(track.states[: ply + 1]):
            return NO_MODELS
        return track.found[ply]

    def read(self, seat: int, ply: int, seconds: float) -> bool:
        """Update a seat's model up to a ply, for a limited time in seconds; return whether it is done."""
        deadline = time.perf_counter() + seconds
        track = self._track(seat, deadline)
        if track is None:
            return False
        while len(track.states) <= min(ply, len(self._states) - 1):
            if time.perf_counter() >= deadline:
                return False
            state = self._states[len(track.states)]
            track.reader.follow(state.observation(seat))
            track.states.append(state)
            others = (other for other in range(self.rules.seats) if other != seat)
            track.found.append({other: track.reader.posterior(other) for other in others})
        return True

    def _track(self, seat: int, deadline: float) -> _Track | None:
        """Return a seat's progress, restarted after a takeback; None until it can start."""
        track = self._tracks.get(seat)
        if track is not None and self._has(track.states):
            return track
        reader = self._begun(seat, deadline)
        if reader is None:
            return None
        self._tracks[seat] = _Track(reader)
        return self._tracks[seat]

    def _has(self, read: Sequence[Viewed]) -> bool:
        last = len(read) - 1
        return last < 0 or (last < len(self._states) and read[last] is self._states[last])

    def _begun(self, seat: int, deadline: float) -> OpponentModel | None:
        """Return a model for the start of the game; None until the previous games are processed."""
        if self._before is None:
            return OpponentModel(self.rules, seat, PLAYER_TYPES, seed=_SEED)
        chair = (seat - self._moved) % self.rules.seats
        reader = self._before.at_the_end(chair, deadline - time.perf_counter())
        if reader is not None:
            reader.next_game(seat, self.rules)
        return reader

    def at_the_end(self, seat: int, seconds: float) -> OpponentModel | None:
        """Return a copy of a seat's model after the game; None if time ran out."""
        if not self.read(seat, len(self._states) - 1, seconds):
            return None
        reader = self._tracks[seat].reader
        reader.next_game(seat)  # drops data of this game before the copy
        return copy.deepcopy(reader)


class PlayerModelMemory:
    """Carries player models over to the next game of a series."""

    def __init__(self) -> None:
        self._last: tuple[GameSetup, Sequence[State], PlayerModels] | None = None

    def of(self, setup: GameSetup, states: Sequence[State]) -> PlayerModels:
        before, moved = None, None
        if self._last is not None:
            last, played, models = self._last
            if states is played:
                return models
            if played[-1].is_over:
                moved = _moved_on(last, played[-1], setup)
            before = models if moved is not None else None
        made = PlayerModels(setup.rules, states, before, moved or 0)
        self._last = setup, states, made
        return made


def _moved_on(before: GameSetup, end: State, after: GameSetup) -> int | None:
    """Return how many seats all players move for the next game; None if it is not in the series."""
    if before.rules != after.rules:
        return None
    score = before.series.after_game(end)
    chairs = list(zip(before.players, before.names, strict=True))
    now = list(zip(after.players, after.names, strict=True))
    if now == chairs and after.series == score:
        return 0
    return 1 if now == chairs[-1:] + chairs[:-1] and after.series == score.turned() else None


_MOVE_MILLISECONDS: Final = 600


def interpolated(known: Mapping[int, float], length: int) -> list[float | None]:
    """Interpolate linearly between known indices; other values are None."""
    values: list[float | None] = [None] * length
    points = sorted(known.items())
    for (start, low), (end, high) in pairwise(points):
        for index in range(start, end):
            values[index] = low + (high - low) * (index - start) / (end - start)
    if points:
        last, value = points[-1]
        values[last] = value
    return values


class Chances(GameSearch):
    """Evaluates the decisions of a running game, the one shown first, then from newest to oldest."""

    NAME: ClassVar[str] = "durak-chances"

    def __init__(self, engine: Engine, changed: Callable[[], None]) -> None:
        super().__init__(engine, changed, _MOVE_MILLISECONDS)
        self.answers = AnalysisCache()
        self._states: Sequence[State] = ()
        self._ply = 0
        self._evaluated: dict[int, tuple[object, object, MoveEvaluation]] = {}

    def follow(self, states: Sequence[State], ply: int, answers: AnalysisCache | None = None) -> None:
        """Evaluate a game, shown at a ply; the same list of positions means the same game, now longer."""
        if self._states is not states:
            self.answers = answers or AnalysisCache()
            self._evaluated = {}
        self._states, self._ply = states, ply
        self.attend()

    def curve(self, team: int) -> list[float | None]:
        """Return a team's win probability after each number of moves.

        Evaluations are at the team's own decisions, from its player's point of view; unknown ones are left
        out. Values between them are interpolated, later ones constant, earlier ones None. A team that is
        out has won.
        """
        states = self._states
        members = states[0].rules.members(team) if states else ()
        best = {ply - 1: lines[0] for ply, lines in self.answers.by_ply().items()}
        known = {
            ply: line.score for ply, line in best.items() if states[ply].turn in members and is_known(line)
        }
        won = next((ply for ply, state in enumerate(states) if {*members} <= {*state.places}), None)
        if won is not None:
            known[won] = 1.0
        if states and states[-1].is_over:
            fool = states[-1].fool
            known[len(states) - 1] = 0.5 if fool is None else float(fool != team)
        values = interpolated(known, len(states))
        if known:
            last = max(known)
            values[last:] = [known[last]] * (len(states) - last)
        return values

    @property
    def evaluations(self) -> Mapping[int, MoveEvaluation]:
        states, by_ply = self._states, self.answers.by_ply()
        done = self._evaluated
        played = [ply for ply in by_ply if ply < len(states)]
        actions: list[Action] = []
        for ply in played:
            stays = states[ply].turn == states[ply - 1].turn
            lines, after = by_ply[ply], by_ply.get(ply + 1) if stays else None
            if ply in done and done[ply][0] is lines and done[ply][1] is after:
                continue
            actions = actions or [action_of(one) for one in states[-1].events if isinstance(one, ActionEvent)]
            question = question_of(states[ply - 1], actions[ply - 1])
            done[ply] = lines, after, evaluate_move(question, lines, after)
        return {ply: done[ply][2] for ply in played}

    def _open(self) -> Iterator[PositionKey]:
        for ply in (self._ply, *range(len(self._states) - 1, -1, -1)):
            state = self._states[ply] if ply < len(self._states) else None
            if state is not None and (ply, ()) not in self.answers and len(state.legal_actions) > 1:
                yield ply, ()

    def _state(self, key: PositionKey) -> State:
        return self._states[key[0]]
