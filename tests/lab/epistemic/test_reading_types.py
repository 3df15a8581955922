"""Types of player, read from all worlds of a model: against brute force over all deals."""

from __future__ import annotations

import math

import pytest
from commands import bad, good
from deals import together
from playing import random_game

from durak_core import KnowledgeError, OpponentModel, Record, Rules, State, make_agent
from durak_core.lab import play_game
from durak_core.lab.epistemic import read_types
from durak_core.search.opponents.model import PLAYER_TYPES, choice_of
from durak_core.search.opponents.particle_filter import Reading, choice_chance


def by_brute_force(record: Record, twins: list[State], seat: int, other: int) -> dict[str, float]:
    """Weigh every deal that the seat cannot tell from the real one, by playing the game in it."""
    found = dict.fromkeys(PLAYER_TYPES, 0.0)
    states = record.replay()
    for twin in twins:
        assert twin.deck is not None
        state = State.from_deck(record.rules, twin.deck, record.first_attacker)
        chances = dict.fromkeys(PLAYER_TYPES, 1.0)
        for real, move in zip(states, record.moves, strict=False):
            if real.turn == other:
                seen = choice_of(real.observation(seat), move.action, [1])
                reading = Reading(code=seen.code, hidden=seen.hidden)
                reading.known[: len(seen.known)] = seen.known
                for name, player in PLAYER_TYPES.items():
                    hand = state.hands[other].mask
                    chances[name] *= choice_chance(seen.position, player, reading, hand)
            state = state.apply(move.action)
        for name, chance in chances.items():
            found[name] += chance
    total = math.fsum(found.values())
    return {name: value / total for name, value in found.items()}


@pytest.mark.parametrize("lowest", ["any", "defence"])
def test_every_world_counts(lowest: str) -> None:
    """After each bout of a game for three without a talon, for every reader."""
    rules = Rules.preset("groningen", seats=3, suits=2, lowest_rank=10, hand_size=3, lowest_card=lowest)
    for ply, (state, twins) in enumerate(together(random_game(rules, 3))):
        if ply in {4, 9}:
            record = Record.of(state, ("A", "B", "C"))
            for seat in range(3):
                mine = [twin for twin in twins if twin.observation(seat) == state.observation(seat)]
                for other, types in read_types(record, ply, seat).items():
                    assert types == pytest.approx(by_brute_force(record, mine, seat, other)), (ply, seat)
    assert ply >= 9


def test_with_one_world_the_opponent_model_says_the_same() -> None:
    """With two seats and no talon a hand is known, so that nothing is sampled."""
    rules = Rules.preset("groningen", lowest_rank=10)
    record = play_game(rules, [make_agent("cautious"), make_agent("greedy")], 5).record
    model = OpponentModel(rules, 0, PLAYER_TYPES)
    for state, move in zip(record.replay(), record.moves, strict=False):
        if state.turn == 1:
            model.observe(state.observation(0), 1, move.action)
    assert read_types(record, len(record.moves), 0)[1] == pytest.approx(model.posterior(1))


def test_choices_before_the_last_draw_are_not_read() -> None:
    """With cards still to be drawn, only the present bout counts, and at its beginning nothing does."""
    states = list(random_game(Rules(suits=2, lowest_rank=9, hand_size=3), 1))
    ply = next(at for at in range(1, len(states)) if states[at].bout == 2)
    record = Record.of(states[-1], ("A", "B"))
    assert set(read_types(record, ply, 0)[1].values()) == {1 / len(PLAYER_TYPES)}


def test_the_command_prints_probabilities(tmp_path) -> None:
    """One row for each other seat; without a reader it is an error, as is a model that is too large."""
    path = tmp_path / "game.jsonl"
    match = "match greedy random smart --rules groningen --set lowest_rank=10 --games 1 --seed 1 --json"
    good(*match.split(), path)
    told = good("know", path, "--ply", 12, "--seat", 1, "--types")
    assert "as seat 1 knows" in told
    assert told.count("%") == 2 * len(PLAYER_TYPES)
    assert "expected --seat" in bad("know", path, "--ply", 12, "--types")
    large = Record.of(State.deal(Rules.preset("groningen", seats=3), 1), ("A", "B", "C"))
    with pytest.raises(KnowledgeError, match="expected at most 2,000,000"):
        read_types(large, 0, 0)
