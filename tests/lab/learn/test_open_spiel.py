"""Durak in OpenSpiel: a game of chance nodes and information states that its algorithms run on."""

from __future__ import annotations

import random
import unittest
from collections import Counter
from fractions import Fraction
from math import comb, factorial
from pathlib import Path

import pytest

pyspiel = pytest.importorskip(
    "pyspiel", reason="OpenSpiel is not installed: it comes with the extra examples"
)
pytest.importorskip("gymnasium", reason="the extra learn is not installed")

import numpy as np  # noqa: E402 - after the check
from absl import flags  # noqa: E402
from open_spiel.integration_tests import api_test  # noqa: E402
from open_spiel.python import policy as open_spiel_policy  # noqa: E402
from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.algorithms import (  # noqa: E402
    cfr,
    expected_game_score,
    exploitability,
    generate_playthrough,
    ismcts,
    mcts,
)

from durak_core import DurakError, Rules  # noqa: E402
from durak_core.lab import make_player  # noqa: E402
from durak_core.lab.equilibrium import saved, small_game  # noqa: E402
from durak_core.lab.equilibrium.saved import FORMAT, EquilibriumAbout, write_equilibrium  # noqa: E402
from durak_core.lab.learn.adapters import open_spiel_game  # noqa: E402
from durak_core.search.backend.backend import plain_backend  # noqa: E402
from durak_core.search.network.encoding import indexed_actions  # noqa: E402

PLAYTHROUGH = Path(__file__).parents[2] / "golden" / "open_spiel" / "python_durak.txt"
TINY = "podkidnoy:lowest_rank=11,suits=1,hand_size=2"


def game_of(rules: str):
    return pyspiel.load_game(open_spiel_game.NAME, {"rules": rules})


@pytest.mark.parametrize(
    "rules", [TINY, "perevodnoy:seats=3,show_trump=yes,exchange_trump=yes", "groningen", "larsenbier"]
)
def test_its_own_test_passes(rules: str) -> None:
    """Random games, with what OpenSpiel checks at every state."""
    pyspiel.random_sim_test(game_of(rules), 2, False, False)


@pytest.mark.parametrize("rules", [TINY, "podkidnoy"])
def test_its_tests_of_the_interface_pass(rules: str) -> None:
    """Those for each of its games: sizes, invalid players, strings of public and private information."""
    members = {"game_name": open_spiel_game.NAME, "game": game_of(rules)}
    case = type("Durak", (api_test.EnforceAPIOnPartialTreeBase,), members)
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun >= 5
    assert result.failures == result.errors == []


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


RULES = (
    "podkidnoy:lowest_rank=9,suits=1,hand_size=2",
    "podkidnoy",
    "perevodnoy:seats=3,show_trump=yes,exchange_trump=yes",
    "podkidnoy:trumps=no",
    "podkidnoy:seats=6",
    "podkidnoy:visibility=open",
    "larsenbier",
    "groningen",
)


def played(game, chance: random.Random):
    """Yield the states of a random game in which a player is to act."""
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            cards, shares = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(chance.choices(cards, shares)[0])
        else:
            yield state
            state.apply_action(chance.choice(state.legal_actions()))


@pytest.mark.parametrize("rules", RULES)
def test_a_resampled_state_looks_the_same_to_the_player(rules: str) -> None:
    """To each player, whoever is to act: the same strings, actions and observation."""
    game, chance = game_of(rules), random.Random(4)
    changed = met = 0
    for state in played(game, chance):
        if chance.random() < 0.3 / game.num_players():
            for player in range(game.num_players()):
                other = state.resample_from_infostate(player, chance.random)
                assert other.information_state_string(player) == state.information_state_string(player)
                assert other.moment.now.observation(player) == state.moment.now.observation(player)
                assert other.history()[-1] == state.history()[-1] or not state.moment.played
                met += 1
                changed += str(other) != str(state)
    assert changed > met / 3 or rules in {"groningen", "podkidnoy:visibility=open", RULES[0]}


@pytest.mark.parametrize(
    ("rules", "seed", "talon"),
    [
        ("podkidnoy:lowest_rank=11,suits=2,hand_size=2", 1, 3),
        ("podkidnoy:lowest_rank=11,suits=2,hand_size=2,exchange_trump=yes", 13, 2),
        ("perevodnoy:lowest_rank=11,suits=2,hand_size=2,seats=3,show_trump=yes", 217, 2),
        ("podkidnoy:lowest_rank=10,suits=1,hand_size=1,trumps=no", 1, 3),
    ],
)
def test_every_deal_that_agrees_is_resampled_as_often(rules: str, seed: int, talon: int) -> None:
    """Compared with all deals from which the same actions lead there, such as exchanges and shown trumps."""
    game, chance = game_of(rules), random.Random(seed)
    states = [state.clone() for state in played(game, chance)]
    state = next(one for one in reversed(states) if one.moment.now.observation(0).talon_size >= talon)
    player = state.current_player()
    seen = state.information_state_string(player)
    agreeing: dict[str, float] = {}

    def walk(deal, share: float) -> None:
        if deal.is_done:
            other = state._replayed(
                deal, state.moment.now.first_attacker, state.history()[-len(state.moment.played) :]
            )
            if other is not None and other.information_state_string(player) == seen:
                agreeing[str(other)] = share
            return
        for card, part in deal.outcomes():
            walk(open_spiel_game._Deal(deal.rules, (*deal.cards, card)), share * part)

    walk(open_spiel_game._Deal(game.rules, state.moment.deal.cards[: game.rules.trumps]), 1.0)
    assert 3 < len(agreeing) < 200
    assert len({round(share, 9) for share in agreeing.values()}) == 1
    found = Counter(
        str(state.resample_from_infostate(player, chance.random)) for _ in range(40 * len(agreeing))
    )
    assert set(found) == set(agreeing)
    assert sum((count - 40) ** 2 / 40 for count in found.values()) < 3 * len(agreeing)


def test_its_search_by_information_sets_runs() -> None:
    """OpenSpiel's IS-MCTS finds a move, in the tiny game and in the real one."""
    for rules, simulations in ((RULES[0], 30), ("podkidnoy", 3)):
        game, chance = game_of(rules), random.Random(1)
        bot = ismcts.ISMCTSBot(
            game,
            mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)),
            uct_c=1.0,
            max_simulations=simulations,
            random_state=np.random.RandomState(2),
        )
        state = next(state for state in played(game, chance) if len(state.legal_actions()) > 1)
        assert bot.step(state) in state.legal_actions()


def test_the_tensor_has_named_parts() -> None:
    """By planes of the encoding, public ones apart from private ones, and with all hands for critics."""
    game, chance = game_of("perevodnoy:seats=3"), random.Random(2)
    for state in played(game, chance):
        whole = game.make_py_observer()
        whole.set_from(state, 1)
        assert np.array_equal(whole.tensor, state.observation_tensor(1))
        assert whole.dict["known"].shape == (2, 4, 13)
        assert whole.dict["hand_sizes"].shape == (3, 24)
        assert whole.dict["hand"].sum() == len(state.moment.now.hands[1])
        assert whole.dict["turn"].argmax() == (state.current_player() - 1) % 3
        private_info = pyspiel.PrivateInfoType
        public, private, everything = (
            game.make_py_observer(pyspiel.IIGObservationType(shown, False, hidden))
            for shown, hidden in (
                (True, private_info.NONE),
                (False, private_info.SINGLE_PLAYER),
                (True, private_info.ALL_PLAYERS),
            )
        )
        for part in (public, private, everything):
            part.set_from(state, 1)
        assert {**public.dict, **private.dict}.keys() == whole.dict.keys()
        for name, plane in (*public.dict.items(), *private.dict.items()):
            assert np.array_equal(plane, whole.dict[name])
        assert np.array_equal(everything.dict["hands"][0], whole.dict["hand"])
        assert everything.dict["hands"].sum() == sum(map(len, state.moment.now.hands))
        assert str(state.moment.now.hands[1]) in private.string_from(state, 1)
        if chance.random() < 0.1:
            other = state.resample_from_infostate(0, chance.random)
            assert public.string_from(other, 1) == public.string_from(state, 1)
            assert {name: plane.tolist() for name, plane in public.dict.items()} == seen_in(public, other)
        assert all(str(hand) in everything.string_from(state, 1) for hand in state.moment.now.hands if hand)


def seen_in(observer, state) -> dict[str, list]:
    observer.set_from(state, 1)
    return {name: plane.tolist() for name, plane in observer.dict.items()}


def test_actions_have_texts() -> None:
    """In a state as in this package's notation, and without one by relative suits."""
    game = game_of("podkidnoy")
    for state in played(game, random.Random(3)):
        texts = [state.action_to_string(action) for action in state.legal_actions()]
        assert sorted(texts) == sorted(map(str, state.moment.now.legal_actions))
        assert [state.string_to_action(text) for text in texts] == state.legal_actions()
    assert len({game.action_to_string(0, action) for action in range(210)}) == 210
    assert game.action_to_string(0, 2 + 5) == "attack with trump 7"
    assert game.action_to_string(-1, 6) == "deal 6s"
    assert game_of("podkidnoy:trumps=no").action_to_string(0, 2 + 13 + 5) == "attack with 7h"
    with pytest.raises(DurakError, match="there is no action 210: expected 0 to 209"):
        game.action_to_string(0, 210)


def test_a_game_string_brings_the_game_back() -> None:
    """Spaces take the place of what OpenSpiel's own parser would take."""
    for rules in RULES:
        game = game_of(rules)
        assert pyspiel.load_game(str(game)).rules == game.rules
    with pytest.raises(DurakError, match="hand_size"):
        open_spiel_game.OpenSpielGame({"rules": "podkidnoy:hand_size"})


def test_the_playthrough_is_the_same() -> None:
    """What OpenSpiel records of each of its games; make_playthrough.py writes it again."""
    flags.FLAGS.mark_as_parsed()
    expected, actual = generate_playthrough.replay(str(PLAYTHROUGH))
    assert actual == expected


def test_an_equilibrium_is_as_good_in_open_spiel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its value and NashConv, by OpenSpiel's own tree of every deal and history."""
    for module in (small_game, saved):
        monkeypatch.setattr(module, "backend", lambda _: plain_backend())
    rules = Rules.parse("podkidnoy:lowest_rank=11,suits=1,hand_size=1")
    solved = small_game.TinyGame(rules)
    solved.iterate(20)
    path, value, distance = tmp_path / "saved.npz", solved.first_attackers_return(), solved.distance()
    write_equilibrium(
        path, EquilibriumAbout(FORMAT, rules.text, distance.nash_conv, value, 20), solved.strategy()
    )
    agent = make_player(f"equilibrium:file={path}")

    def shares(state) -> dict[int, float]:
        seen = state.moment.now.observation(state.current_player())
        if len(state.legal_actions()) == 1:
            return {state.legal_actions()[0]: 1.0}
        return dict(zip(indexed_actions(seen), agent.probabilities(seen), strict=True))

    game = game_of(rules.text)
    policy = policy_of(game, shares)
    assert exploitability.nash_conv(game, policy) == pytest.approx(distance.nash_conv, abs=1e-5)
    assert distance.nash_conv > 0.001
    root = game.new_initial_state()
    returns = expected_game_score.policy_value(root, [policy] * 2)
    assert returns == pytest.approx([0, 0], abs=1e-3)


def policy_of(game, shares):
    """Return OpenSpiel's policy of a function from states to probabilities."""

    class _Policy(open_spiel_policy.Policy):
        def action_probabilities(self, state, player_id=None):
            return shares(state)

    return _Policy(game, list(range(game.num_players())))


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
