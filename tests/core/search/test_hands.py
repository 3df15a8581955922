"""The odds for hands: what a network says of hidden cards, and that it comes true more often than not."""

from __future__ import annotations

import pytest

from durak_core import AgentError, Observation, Rules, State, make_agent
from durak_core.agents import learned
from durak_core.agents.learned import shipped_network
from durak_core.knowledge.belief import NUMBERS, Belief, belief_of
from durak_core.lab import play_game
from durak_core.search.backend.backend import backend
from durak_core.search.network.hands import GuessedHands, write_odds
from durak_core.search.network.weights import HANDS, Network

_SEED = 1_000_000_500


def blind(state: State) -> tuple[Observation, Network, Belief, int]:
    """Return what the seat to act sees, the network, a belief without odds, and the other seat."""
    assert state.turn is not None
    observation = state.observation(state.turn)
    network = shipped_network(HANDS, state.rules)
    assert network is not None
    return observation, network, belief_of(observation)[1], 1 - state.turn


def squared_errors(state: State) -> tuple[float, float, int]:
    """Return the summed squared errors of the network and of dealing blindly, and of how many cards."""
    observation, network, belief, other = blind(state)
    pool = belief.pool[: belief.n_pool]
    if not 0 < belief.missing[other] < len(pool):
        return 0.0, 0.0, 0
    write_odds(belief, network, observation, backend("network"), {})
    assert belief.by_odds
    held = [float(state.hands[other].mask >> number & 1) for number in pool]
    odds = [belief.odds[other * NUMBERS + number] for number in pool]
    said = sum((one / (1 + one) - is_held) ** 2 for one, is_held in zip(odds, held, strict=True))
    uniform = belief.missing[other] / len(pool)
    return said, sum((uniform - is_held) ** 2 for is_held in held), len(pool)


@pytest.mark.parametrize("rules", ["podkidnoy", "perevodnoy"])
def test_the_shipped_networks_know_more_than_blind_deals(rules: str) -> None:
    """In games of strong players that they were not trained on."""
    sums = [0.0, 0.0, 0]
    states: list[State] = []
    for seed in range(12):
        players = [make_agent("dmc"), make_agent("dmc")]
        play_game(
            Rules.parse(rules), players, _SEED + seed, on_decision=lambda state, _: states.append(state)
        )
    for state in states[::3]:
        sums = [total + one for total, one in zip(sums, squared_errors(state), strict=True)]
    said, blind, cards = sums
    assert cards > 1000
    assert said / cards < blind / cards - 0.008


def chances(guesses: list[GuessedHands]) -> tuple[list[int], dict[int, float]]:
    """Return the hidden cards of a position, and by guesses the probability of each in the other hand."""
    observation, network, belief, other = blind(State.deal(Rules(), 5))
    write_odds(belief, network, observation, backend("network"), {other: guesses})
    pool = list(map(int, belief.pool[: belief.n_pool]))
    odds = [belief.odds[other * NUMBERS + number] ** (1 / 0.85) for number in pool]
    return pool, dict(zip(pool, [one / (1 + one) for one in odds], strict=True))


def test_guessed_hands_say_where_the_cards_are() -> None:
    """By how often a card is among them, with one hand in which every hidden card is equally likely."""
    pool, without = chances([])
    uniform = 6 / len(pool)
    assert list(without.values()) == pytest.approx([uniform] * len(pool))
    held, half = pool[:6], pool[6:9]
    whole, part, gone = (sum(1 << number for number in cards) for cards in (held, half, (0,)))
    hands = [whole | gone] * 62 + [part] * 37
    for chance in (1.0, 0.4):
        _, found = chances([GuessedHands(chance, hands)])
        of_others = 37 * 3 / (len(pool) - 3)
        expected = dict.fromkeys(held, (62 + of_others + uniform) / 100)
        expected |= dict.fromkeys(half, (37 + uniform) / 100)
        for number in pool:
            by_hands = expected.get(number, (of_others + uniform) / 100)
            assert found[number] == pytest.approx(chance * by_hands + (1 - chance) * uniform)


def test_guessed_hands_and_the_network_share_their_weight() -> None:
    _, by_network = chances([GuessedHands(1.0, [], share=0.0)])
    pool, mixed = chances([GuessedHands(1.0, [], share=0.5)])
    uniform = 6 / len(pool)
    assert max(by_network.values()) > uniform + 0.01
    for number in pool:
        assert mixed[number] == pytest.approx((by_network[number] + uniform) / 2)


def test_a_network_of_hands_neither_plays_nor_guides() -> None:
    """It values no actions."""
    path = learned.__file__.replace("learned.py", "networks/hands-podkidnoy-2.npz")
    for text in (f"dmc:weights={path}", f"ismcts:net={path}"):
        with pytest.raises(AgentError, match="says who holds which cards, and values no actions"):
            make_agent(text)
