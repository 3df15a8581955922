"""Puzzles out of games between agents: at most one of a game, no two alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain
from typing import Any, Final, TypeAlias, TypeVar

from durak_core.actions import Action
from durak_core.agents.guiding import AUTO, Guides
from durak_core.agents.registry import make_agent
from durak_core.errors import DurakError
from durak_core.game.notation.position_text import read_observation, write_observation, write_position
from durak_core.game.observation import Observation
from durak_core.game.state import State
from durak_core.kernel.random import AGENTS_STREAM, derive
from durak_core.puzzles.attempt import Attempt
from durak_core.puzzles.grading import Grader, choice, choices, grade, grade_by
from durak_core.puzzles.hidden import HiddenPuzzle, Line, hidden_likeness
from durak_core.puzzles.puzzle import GOALS, Puzzle, likeness
from durak_core.puzzles.solution import Solutions, only_action
from durak_core.puzzles.themes import themes_of
from durak_core.rules import Rules
from durak_core.search.analysis import Analysis, AnalysisLine
from durak_core.search.backend.backend import backend
from durak_core.search.endgame.alpha_beta import solvable
from durak_core.search.endgame.solver import known_to_the_end
from durak_core.search.ismcts.tree_search import SearchSettings

PLAYERS: Final = ("expert", "level:viktor")
"""Whose games are looked through: they play well and differently, so that many positions are close."""

_CHOICES: Final = 3
"""Actions that a puzzle has at least."""

_DECISIONS: Final = 2
"""Moves of a puzzle's line, its first one counted, at which the game can still be spoilt."""

_CARDS: Final = 10
"""Cards in play that a puzzle has at most: more is too much for a person, and for a second proof."""

_NODES: Final = 20_000
"""Positions that may be searched for the solution of one."""

STAGES: Final = ((2_000, 0.06), (10_000, 0.10), (100_000, 0.12))
"""Iterations after which an action with hidden cards has to be so much better than all others."""

_ANALYSES: Final = 4
"""How many of them have to agree: one that likes an action early may look at nothing else any more."""

_AHEAD: Final = 4
"""Actions expected after each one that are kept."""

_TRIVIAL_FOR: Final = ("greedy", "expert", "level:viktor")
"""What all of them find is too easy with hidden cards."""

_Found = TypeVar("_Found")

Run: TypeAlias = Callable[
    [Callable[[Rules, int], Any], Iterable[tuple[Rules, int]]], Generator[Any, None, None]
]
"""Calls a function with each of some arguments, here or elsewhere, and yields the results in order."""


def run_here(
    search: Callable[[Rules, int], _Found], games: Iterable[tuple[Rules, int]]
) -> Generator[_Found, None, None]:
    yield from (search(rules, seed) for rules, seed in games)


def find_puzzles(
    rules: Rules, seeds: Iterable[int], known: Iterable[Puzzle], run: Run = run_here
) -> Generator[Puzzle | None, None, None]:
    """Play the games of some seeds and yield the puzzle found in each, or None where there is no new one.

    Args:
        rules: For two seats.
        seeds: All chance comes from them, game by game.
        known: Puzzles that are not found again.
        run: Who searches the games; it changes nothing.

    Raises:
        DurakError: If the rules are for more than two.
    """
    return _find(puzzle_of_game, lambda puzzle: likeness(puzzle.state), rules, seeds, known, run)


def find_hidden_puzzles(
    rules: Rules, seeds: Iterable[int], known: Iterable[HiddenPuzzle], run: Run = run_here
) -> Generator[HiddenPuzzle | None, None, None]:
    """Do as `find_puzzles` does with puzzles with hidden cards.

    Raises:
        DurakError: If the rules are for more than two, or all cards are open by them.
    """
    if rules.visibility == "open":
        raise DurakError("no cards are hidden by these rules: expected visibility=closed")
    return _find(hidden_puzzle_of_game, hidden_likeness, rules, seeds, known, run)


def _find(  # noqa: PLR0913, PLR0917 - how, and what `find_puzzles` is given
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
    """Play the game of a seed and return the state of each decision."""
    players = [make_agent(text) for text in (PLAYERS if seed % 2 == 0 else PLAYERS[::-1])]
    for seat, player in enumerate(players):
        player.begin(rules, seat, derive(derive(seed, AGENTS_STREAM), seat))
    states, state = [], State.deal(rules, seed)
    while state.turn is not None:
        states.append(state)
        state = state.apply(players[state.turn].choose(state.observation(state.turn)).action)
    return states


def puzzle_of_game(rules: Rules, seed: int) -> Puzzle | None:
    """Play the game of a seed and return its earliest puzzle, graded, or None where it has none."""
    found = (puzzle_at(state, seed) for state in _states(rules, seed))
    return next((puzzle for puzzle in found if puzzle is not None), None)


def hidden_puzzle_of_game(rules: Rules, seed: int) -> HiddenPuzzle | None:
    """Do as `puzzle_of_game` does with puzzles with hidden cards."""
    found = (hidden_puzzle_at(state.observation(state.turn or 0), seed) for state in _states(rules, seed))
    return next((puzzle for puzzle in found if puzzle is not None), None)


def puzzle_at(state: State, seed: int) -> Puzzle | None:
    """Return the puzzle of a position, graded with a seed; None where it is none, or cannot be proved."""
    if len(state.legal_actions) < _CHOICES or not solvable(state.to_position()) or _cards(state) > _CARDS:
        return None
    runner = backend("search")
    found = only_action(state, runner, _NODES)
    if found is None:
        return None
    action, value = found
    goal = next(goal for goal, worth in GOALS.items() if worth == value)
    puzzle = Puzzle(write_position(state), action, goal, themes_of(state, action), 0)
    solutions = Solutions(runner, _NODES)
    try:
        if _decisions(puzzle, solutions) < _DECISIONS:
            return None
        return replace(puzzle, rating=grade(puzzle, solutions, seed))
    except DurakError:
        return None  # somewhere in its line it cannot be proved


def hidden_puzzle_at(observation: Observation, seed: int) -> HiddenPuzzle | None:
    """Return the puzzle of what a seat sees, graded with a seed, or None where it is none.

    Only the observation's text counts: what it does not say, such as the events, nobody has who solves it.
    """
    seen = read_observation(write_observation(observation))
    if len(seen.legal_actions) < _CHOICES or len(seen.open_attacks) > 1 or known_to_the_end(seen):
        return None
    guided = Guides(AUTO).fit(SearchSettings(), seen.rules)
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
    """Return the action that stands out in all analyses, at all stages, and is not the obvious one."""
    found: set[Action | None] = set()
    for stage in STAGES:
        for analysis in analyses:
            found.add(_outstanding(analysis, *stage))
            if len(found) > 1 or found in ({None}, obvious):
                return None
    return found.pop()


def _outstanding(analysis: Analysis, iterations: int, margin: float) -> Action | None:
    """Go on with an analysis and return its best action if that is so much better than all others."""
    analysis.run(iterations)
    best, *others = analysis.lines(_AHEAD)
    return best.action if best.score - max(line.score for line in others) >= margin else None


def _mean_lines(found: Sequence[Sequence[AnalysisLine]]) -> tuple[Line, ...]:
    """Return the mean of several analyses, with what the first one expects."""
    scores: defaultdict[Action, float] = defaultdict(float)
    for line in chain.from_iterable(found):
        scores[line.action] += line.score / len(found)
    lines = [Line(line.action, round(scores[line.action], 3), line.continuation) for line in found[0]]
    return tuple(sorted(lines, key=lambda line: -line.chance))


def _usual(lines: Sequence[Line], chosen: Mapping[Grader, Sequence[Action]]) -> Action:
    """Return the wrong action that players choose most, each of them counting as one."""
    counts = {line.action: 0.0 for line in lines[1:]}
    for actions in chosen.values():
        for action in actions:
            if action in counts:
                counts[action] += 1 / len(actions)
    return max(counts, key=counts.__getitem__)


def _cards(state: State) -> int:
    return state.rules.deck_size - len(state.discards)


def _decisions(puzzle: Puzzle, solutions: Solutions) -> int:
    """Count the moves of a puzzle's line at which not everything keeps the game."""
    attempt = Attempt(puzzle, solutions)
    count = 0
    while not attempt.is_over:
        count += len(attempt.answers) < len(attempt.state.legal_actions)
        attempt.play(attempt.answers[0])
    return count
