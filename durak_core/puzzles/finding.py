"""Mines puzzles from games between agents, at most one per game and no duplicates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain
from typing import Any, Final, TypeAlias, TypeVar

from durak_core.actions import Action
from durak_core.agents.learned import AUTO, NetworkSelector
from durak_core.agents.registry import make_agent
from durak_core.cards import Rank
from durak_core.errors import DurakError
from durak_core.game.notation.position_text import (
    read_observation,
    read_position,
    write_observation,
    write_position,
)
from durak_core.game.observation import Observation, Phase
from durak_core.game.state import State
from durak_core.kernel.position import AGENTS_STREAM, derive
from durak_core.puzzles.grading import Grader, choice, choices, grade, grade_by
from durak_core.puzzles.puzzle import GOALS, HiddenPuzzle, Puzzle, hidden_likeness, likeness, themes_of
from durak_core.puzzles.solution import Attempt, KnownSolutions, Solutions, only_action
from durak_core.rules import Rules
from durak_core.search.analysis import Analysis
from durak_core.search.backend.backend import backend
from durak_core.search.endgame.alpha_beta import solvable
from durak_core.search.endgame.solver import known_to_the_end
from durak_core.search.ismcts.tree_search import SearchSettings
from durak_core.search.search_result import SearchedAction

PLAYERS: Final = ("expert", "level:viktor")
"""Agents of the games: strong but different, so that many positions are close."""

_CHOICES: Final = 3

_DECISIONS: Final = 2
"""Minimum moves in the solution at which a mistake is possible."""

_CARDS: Final = 10
"""Maximum cards in play, for the solver's player and for the second proof."""

_NODES: Final = 20_000

STAGES: Final = ((2_000, 0.06), (10_000, 0.10), (100_000, 0.12))
"""Iterations, and the required lead of the best action, of hidden-card puzzles."""

_ANALYSES: Final = 4
"""Analyses that must agree, because one search can lock on to an early favourite."""

_AHEAD: Final = 4

_TRIVIAL_FOR: Final = ("greedy", "expert", "level:viktor")
"""Agents that must not all find a hidden-card solution."""

_Found = TypeVar("_Found")

Run: TypeAlias = Callable[
    [Callable[[Rules, int], Any], Iterable[tuple[Rules, int]]], Generator[Any, None, None]
]
"""Ordered map over games, serial or parallel."""


def run_here(
    search: Callable[[Rules, int], _Found], games: Iterable[tuple[Rules, int]]
) -> Generator[_Found, None, None]:
    yield from (search(rules, seed) for rules, seed in games)


def find_puzzles(
    rules: Rules, seeds: Iterable[int], known: Iterable[Puzzle], run: Run = run_here
) -> Generator[Puzzle | None, None, None]:
    """Play a game per seed and yield its puzzle, or None if it has no new one.

    Raises:
        DurakError: If the rules have more than two seats.
    """
    return _find(puzzle_of_game, lambda puzzle: likeness(puzzle.state), rules, seeds, known, run)


def find_hidden_puzzles(
    rules: Rules, seeds: Iterable[int], known: Iterable[HiddenPuzzle], run: Run = run_here
) -> Generator[HiddenPuzzle | None, None, None]:
    """Yield hidden-card puzzles like `find_puzzles`; raises `DurakError` if the rules show all cards."""
    if rules.visibility == "open":
        raise DurakError("no cards are hidden by these rules: expected visibility=closed")
    return _find(hidden_puzzle_of_game, hidden_likeness, rules, seeds, known, run)


def _find(  # noqa: PLR0913, PLR0917 - and the arguments of `find_puzzles`
    search: Callable[[Rules, int], _Found | None],
    alike: Callable[[_Found], tuple[object, ...]],
    rules: Rules,
    seeds: Iterable[int],
    known: Iterable[_Found],
    run: Run,
) -> Generator[_Found | None, None, None]:
    if rules.seats != len(PLAYERS):
        raise DurakError("puzzles are for two players: expected seats=2, got {seats}", seats=rules.seats)
    seen = {alike(puzzle) for puzzle in known}
    with closing(run(search, ((rules, seed) for seed in seeds))) as found:
        for puzzle in found:
            of_this = None if puzzle is None else alike(puzzle)
            if of_this is None or of_this in seen:
                yield None
            else:
                seen.add(of_this)
                yield puzzle


def _states(rules: Rules, seed: int) -> list[State]:
    """Play the game of a seed and return the state before each decision."""
    players = [make_agent(text) for text in (PLAYERS if seed % 2 == 0 else PLAYERS[::-1])]
    for seat, player in enumerate(players):
        player.begin(rules, seat, derive(derive(seed, AGENTS_STREAM), seat))
    states, state = [], State.deal(rules, seed)
    while state.turn is not None:
        states.append(state)
        state = state.apply(players[state.turn].choose(state.observation(state.turn)).action)
    return states


def puzzle_of_game(rules: Rules, seed: int) -> Puzzle | None:
    """Play the game of a seed and return its first puzzle, rated, or None."""
    return next(filter(None, (puzzle_at(state, seed) for state in _states(rules, seed))), None)


def hidden_puzzle_of_game(rules: Rules, seed: int) -> HiddenPuzzle | None:
    """Play the game of a seed and return its first hidden-card puzzle, rated, or None."""
    seen = (state.observation(state.turn or 0) for state in _states(rules, seed))
    return next(filter(None, (hidden_puzzle_at(observation, seed) for observation in seen)), None)


def puzzle_at(state: State, seed: int) -> Puzzle | None:
    """Return the rated puzzle of a position; None if it is unsuitable or cannot be proved."""
    if len(state.legal_actions) < _CHOICES or not solvable(state.to_position()) or _cards(state) > _CARDS:
        return None
    runner = backend("search")
    found = only_action(state, runner, _NODES)
    if found is None:
        return None
    action, value = found
    goal = next(goal for goal, goal_value in GOALS.items() if goal_value == value)
    puzzle = Puzzle(write_position(state), action, goal, themes_of(state, action), 0)
    solutions = Solutions(runner, _NODES)
    try:
        if _decisions(puzzle, solutions) < _DECISIONS:
            return None
        themes = (*puzzle.themes, *proved_themes(puzzle, solutions))
        return replace(puzzle, themes=themes, rating=grade(puzzle, solutions, seed))
    except DurakError:
        return None  # a position of its line cannot be proved


def proved_themes(puzzle: Puzzle, solutions: KnownSolutions) -> tuple[str, ...]:
    """Return the themes of a puzzle that need a proof: ``ace`` and ``zugzwang``.

    Raises:
        DurakError: If a position of the solution is too hard.
    """
    attempt = Attempt(puzzle, solutions)
    while not attempt.is_over:
        attempt.play(attempt.answers[0])
    worse = {"ace": _with_the_trump_ace(puzzle.state), "zugzwang": _with_the_attack(attempt)}

    def is_worse(state: State) -> bool:
        found = solutions.of(state)
        return found is not None and found.value < puzzle.value

    return tuple([key for key, states in worse.items() if any(map(is_worse, states))])


def _with_the_trump_ace(state: State) -> Iterator[State]:
    """Yield the position with the discarded trump ace in place of each plain card of the seat to act."""
    aces = [card for card in state.discards if card.rank == Rank.ACE and card.is_of(state.trump_suit)]
    for card in state.hands[state.turn or 0]:
        if aces and aces[0] != state.trump_card and not card.is_of(state.trump_suit):
            hands = str(_fields(state)["hands"]).replace(str(card), str(aces[0]))
            yield _changed(state, hands=hands)


def _with_the_attack(attempt: Attempt) -> Iterator[State]:
    """Yield the positions of a solution in which the other seat leads, with the attack exchanged."""
    for state in attempt.states:
        if state.phase == Phase.OPENING and state.turn == state.attacker != attempt.seat and not state.talon:
            limit = min(state.rules.attack_limit or state.rules.deck_size, state.hand_sizes[state.attacker])
            seats = {"attacker": state.defender, "turn": state.defender, "defender": state.attacker}
            yield _changed(state, **seats, limit=limit)


def _changed(state: State, **fields: object) -> State:
    """Return a position with other values of fields of its notation."""
    values = {**_fields(state), **fields}
    return read_position(" ".join(f"{key}={value}" for key, value in values.items()))


def _fields(state: State) -> Mapping[str, object]:
    return dict(field.split("=", 1) for field in write_position(state).split())


def hidden_puzzle_at(observation: Observation, seed: int) -> HiddenPuzzle | None:
    """Return the rated puzzle of an observation, or None.

    Only the observation's notation counts, because the solver of the puzzle sees no events.
    """
    seen = read_observation(write_observation(observation))
    if len(seen.legal_actions) < _CHOICES or len(seen.open_attacks) > 1 or known_to_the_end(seen):
        return None
    guided = NetworkSelector(AUTO).fit(SearchSettings(), seen.rules)
    analyses = [_analysis(seen, derive(seed, number), guided) for number in range(_ANALYSES)]
    best = _found_by_all(analyses, {choice(make_agent(text), seen, seed) for text in _TRIVIAL_FOR})
    alone = _analysis(seen, derive(seed, _ANALYSES), SearchSettings())
    if best is None or _outstanding(alone, STAGES[-1][0], 0) != best:
        return None
    chosen = choices(seen, seed)
    lines = _mean_lines([analysis.lines(_AHEAD) for analysis in analyses])
    puzzle = HiddenPuzzle(write_observation(seen), lines, _usual(lines, chosen), themes_of(seen, best), 0)
    if not puzzle.is_explained:
        return None
    return replace(puzzle, rating=grade_by(chosen, puzzle.right))


def _analysis(observation: Observation, seed: int, settings: SearchSettings) -> Analysis:
    return Analysis(observation, seed, backend(settings.group), settings)


def _found_by_all(analyses: Sequence[Analysis], obvious: Collection[Action]) -> Action | None:
    """Return the outstanding action of all analyses at all stages, unless it is the obvious one."""
    found: set[Action | None] = set()
    for stage in STAGES:
        for analysis in analyses:
            found.add(_outstanding(analysis, *stage))
            if len(found) > 1 or found in ({None}, obvious):
                return None
    return found.pop()


def _outstanding(analysis: Analysis, iterations: int, margin: float) -> Action | None:
    """Continue an analysis and return its best action if its lead reaches the margin."""
    analysis.run(iterations)
    best, *others = analysis.lines(_AHEAD)
    return best.action if best.score - max(line.score for line in others) >= margin else None


def _mean_lines(found: Sequence[Sequence[SearchedAction]]) -> tuple[SearchedAction, ...]:
    """Return lines with mean scores and the continuations of the first analysis."""
    scores: defaultdict[Action, float] = defaultdict(float)
    for line in chain.from_iterable(found):
        scores[line.action] += line.score / len(found)
    lines = [
        SearchedAction(line.action, round(scores[line.action], 3), continuation=line.continuation)
        for line in found[0]
    ]
    return tuple(sorted(lines, key=lambda line: -line.score))


def _usual(lines: Sequence[SearchedAction], chosen: Mapping[Grader, Sequence[Action]]) -> Action:
    """Return the most frequent wrong action, with equal weight per grader."""
    counts = {line.action: 0.0 for line in lines[1:]}
    for actions in chosen.values():
        for action in actions:
            if action in counts:
                counts[action] += 1 / len(actions)
    return max(counts, key=counts.__getitem__)


def _cards(state: State) -> int:
    return state.rules.deck_size - len(state.discards)


def _decisions(puzzle: Puzzle, solutions: KnownSolutions) -> int:
    """Count the moves of the solution at which a mistake is possible."""
    attempt = Attempt(puzzle, solutions)
    count = 0
    while not attempt.is_over:
        count += len(attempt.answers) < len(attempt.state.legal_actions)
        attempt.play(attempt.answers[0])
    return count
