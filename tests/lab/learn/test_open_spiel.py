"""Durak in OpenSpiel: a game of chance nodes and information states that its algorithms run on."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import comb, factorial

import pytest

pyspiel = pytest.importorskip(
    "pyspiel", reason="OpenSpiel is not installed: it comes with the extra examples"
)
pytest.importorskip("gymnasium", reason="the extra learn is not installed")

import numpy as np  # noqa: E402 - after the check
from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.algorithms import cfr, exploitability  # noqa: E402

from durak_core import DurakError  # noqa: E402
from durak_core.lab.learn.adapters import open_spiel_game  # noqa: E402

TINY = "podkidnoy:lowest_rank=11,suits=1,hand_size=2"


def game_of(rules: str):
    return pyspiel.load_game(open_spiel_game.NAME, {"rules": rules})


@pytest.mark.parametrize(
    "rules", [TINY, "perevodnoy:seats=3,show_trump=yes,exchange_trump=yes", "groningen", "larsenbier"]
)
def test_its_own_test_passes(rules: str) -> None:
    """Random games, with what OpenSpiel checks at every state."""
    pyspiel.random_sim_test(game_of(rules), 2, False, False)


@pytest.mark.parametrize(
    ("rules", "deals"),
    [
        ("podkidnoy:lowest_rank=11,suits=2,hand_size=2", 8 * comb(7, 2) * comb(5, 2) * factorial(3)),
        ("podkidnoy:lowest_rank=11,suits=1,hand_size=2", 4 * comb(3, 2)),
        ("podkidnoy:lowest_rank=11,suits=2,hand_size=2,deal_all=yes", 8 * comb(7, 4)),
        ("podkidnoy:lowest_rank=11,suits=2,hand_size=2,seats=3,deal_all=yes", 8 * comb(7, 3) * comb(4, 2)),
    ],
)
def test_every_deal_is_as_likely_as_any_other(rules: str, deals: int) -> None:
    """The hands as sets and the talon in its order: each comes once, and all with the same probability."""
    found: Counter[tuple] = Counter()

    def walk(deal: open_spiel_game._Deal, share: Fraction) -> None:
        if deal.is_done:
            found[tuple(deal.deck())] += share
            return
        for card, chance in deal.outcomes():
            walk(
                open_spiel_game._Deal(deal.rules, (*deal.cards, card)),
                share * Fraction(chance).limit_denominator(10_000),
            )

    walk(open_spiel_game._Deal(game_of(rules).rules), Fraction(1))
    assert len(found) == deals
    assert set(found.values()) == {Fraction(1, deals)}


def test_an_information_state_hides_the_other_hand() -> None:
    """A seat's own cards stand in it; what differs only in the other hand looks the same."""
    games = []
    for cards in ([14, 11, 12, 13], [14, 11, 13, 12]):  # J♠ and one more against the ace, the bottom card
        state = game_of("podkidnoy:lowest_rank=11,suits=1,hand_size=1").new_initial_state()
        for card in cards[:3]:
            state.apply_action(card)
        games.append(state)
    assert games[0].information_state_string(0) == games[1].information_state_string(0)
    assert games[0].information_state_string(1) != games[1].information_state_string(1)
    assert np.array_equal(games[0].observation_tensor(0), games[1].observation_tensor(0))


def test_counterfactual_regret_is_minimised() -> None:
    """CFR+ of OpenSpiel comes close to an equilibrium of a deck of four cards."""
    game = game_of(TINY)
    solver = cfr.CFRPlusSolver(game)
    before = exploitability.exploitability(game, solver.average_policy())
    for _ in range(4):
        solver.evaluate_and_update_policy()
    assert exploitability.exploitability(game, solver.average_policy()) < before / 4


def test_learners_have_an_environment() -> None:
    """OpenSpiel's reinforcement learning sees the planes, and the rewards are a game's returns."""
    table = rl_environment.Environment(game_of("podkidnoy"), seed=1)
    step, steps = table.reset(), 0
    while not step.last():
        player = step.observations["current_player"]
        assert sum(step.observations["info_state"][player]) > 10
        step = table.step([step.observations["legal_actions"][player][0]])
        steps += 1
    assert steps > 10
    assert sum(step.rewards) == 0


def test_deals_that_are_dealt_again_are_refused() -> None:
    """Chance would have to know which deals stand (rules 3.4)."""
    with pytest.raises(DurakError, match="redeal_same_suit=never"):
        open_spiel_game.OpenSpielGame({"rules": "huji"})
    with pytest.raises(DurakError, match="redeal_trump_ace=no"):
        open_spiel_game.OpenSpielGame({"rules": "podkidnoy:redeal_trump_ace=yes"})
