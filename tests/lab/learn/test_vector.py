"""Games side by side: the same ones in CPython and machine code, one after the other in each place."""

from __future__ import annotations

import pytest

np = pytest.importorskip("numpy", reason="numpy comes with numba or the extra learn")
pytest.importorskip("torch", reason="the extra learn is not installed")

from durak_core import DurakError, Rules, State  # noqa: E402 - after the check
from durak_core.kernel.position import OVER, derive  # noqa: E402
from durak_core.lab.learn.vector import Setting, VectorGames  # noqa: E402
from durak_core.search.backend.backend import backend, plain_backend  # noqa: E402
from durak_core.search.network.encoding import active_inputs, indexed_actions  # noqa: E402
from durak_core.search.network.vector import OUTSIDE  # noqa: E402
from durak_core.search.policies.playouts import GREEDY  # noqa: E402


def firsts(games: VectorGames, step: int):
    """Some place for each game, never out of range."""
    return (np.arange(games.games) * 7 + step) % games.counts


def test_a_place_plays_the_games_of_states() -> None:
    """Number by number: seats, observations, legal actions and returns are those of `State`."""
    rules = Rules.preset("perevodnoy", seats=3)
    games = VectorGames(Setting(rules, 11), 2, plain_backend())
    games.reset()
    states = [State.deal(rules, derive(11, number)) for number in range(2)]
    ended = 0
    for step in range(400):
        for place, state in enumerate(states):
            seen = state.observation(int(games.turns[place]))
            assert state.turn == seen.seat
            count = games.counts[place]
            assert list(games.actions[place][:count]) == list(indexed_actions(seen))
            assert list(games.active[place][: games.lengths[place]]) == active_inputs(seen)
            assert list(np.flatnonzero(games.masks()[place])) == sorted(indexed_actions(seen))
            assert list(np.flatnonzero(games.observations()[place])) == sorted(active_inputs(seen))
        choices = firsts(games, step)
        numbers = games.numbers.copy()
        states = [state.apply(state.legal_actions[k]) for state, k in zip(states, choices, strict=True)]
        games.step(games.actions[np.arange(2), choices])
        for place, state in enumerate(states):
            assert (games.ended[place] == numbers[place]) == state.is_over
            if state.is_over:
                ended += 1
                assert list(games.rewards[place][:3]) == list(state.returns)
                assert games.numbers[place] == numbers[place] + 2
                states[place] = State.deal(rules, derive(11, int(games.numbers[place])))
    assert ended > 2


@pytest.mark.parametrize(
    "line_up", [(GREEDY, GREEDY), (OUTSIDE,), (OUTSIDE,) * 3, (OUTSIDE, 99), (OUTSIDE, 2.7)]
)
def test_wrong_line_ups_are_refused(line_up: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="expected line-ups of 2 players"):
        VectorGames(Setting(Rules(), 1, (line_up,)), 2, plain_backend())


def test_wrong_numbers_are_refused() -> None:
    """Places are whole numbers of any type, also in a list."""
    games = VectorGames(Setting(Rules(), 1), 2, plain_backend())
    games.reset()
    for wrong in ([0], [0, 99], [0.0, 0.0], [None, 0]):
        with pytest.raises(ValueError, match="expected for each game a place"):
            games.step_places(wrong)
    games.step_places([0, 0])
    games.step_places(np.zeros(2, np.int32))
    for seed in (-1, 2**63, 1.5):
        with pytest.raises(ValueError, match="expected 0 to 9223372036854775807"):
            VectorGames(Setting(Rules(), seed), 2, plain_backend())


def test_games_without_a_choice_are_refused_where_forced_actions_are_skipped() -> None:
    rules = Rules.parse("podkidnoy:suits=2,lowest_rank=A,hand_size=1")
    VectorGames(Setting(rules, 1), 2, plain_backend()).reset()
    with pytest.raises(DurakError, match="has a choice: expected"):
        VectorGames(Setting(rules, 1, skips=True), 2, plain_backend())


@pytest.mark.parametrize("rules", ["podkidnoy", "larsenbier:seats=4", "groningen:seats=3"])
def test_games_are_the_same_compiled(rules: str) -> None:
    """Both ways write the same decisions, also where policies play and decisions are skipped."""
    compiled = backend("learn")
    if compiled.name != "compiled":
        pytest.skip(f"no machine code here: {compiled.note}")
    read = Rules.parse(rules)
    line_ups = [[OUTSIDE] * read.seats, [OUTSIDE] + [GREEDY] * (read.seats - 1)]
    setting = Setting(read, 5, line_ups, skips=True)
    pair = [VectorGames(setting, 3, runner) for runner in (plain_backend(), compiled)]
    for games in pair:
        games.reset()
    for step in range(150):
        plain, fast = pair
        assert all(np.array_equal(*both) for both in zip(plain.board, fast.board, strict=True))
        assert np.array_equal(plain.numbers, fast.numbers)
        choices = firsts(plain, step)
        for games in pair:
            games.step_places(choices)
        assert np.array_equal(plain.ended, fast.ended)
        assert np.array_equal(plain.rewards, fast.rewards)


def test_policies_play_their_seats_and_single_actions_by_themselves() -> None:
    """Only the seat outside is asked, and only where it has a choice."""
    games = VectorGames(Setting(Rules(), 3, [[OUTSIDE, GREEDY]], skips=True), 4, plain_backend())
    games.reset()
    for step in range(60):
        assert (games.turns == 0).all()
        assert (games.counts > 1).all()
        assert all(position.phase != OVER for position in games.positions)
        games.step_places(firsts(games, step))


def test_a_choice_out_of_range_is_refused() -> None:
    """Nothing is played where one of the choices cannot be."""
    games = VectorGames(Setting(Rules(), 3), 2, plain_backend())
    games.reset()
    for wrong in (games.counts, np.array([0, -1]), np.zeros(3, np.int64)):
        with pytest.raises(ValueError, match="expected for each game a place"):
            games.step_places(wrong)
    before = games.active.copy()
    for wrong in ([210, 0], [0.0, 0.0], [0], [int(games.masks()[0].argmin()), int(games.actions[1][0])]):
        with pytest.raises(ValueError, match="expected for each game the index of a legal action"):
            games.step(wrong)
    assert np.array_equal(games.active, before)
