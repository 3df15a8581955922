"""The agent `kripke`: what is sure to be taken comes first, by constructed hands."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from playing import play
from properties import few_or_many

from durak_core import Rules, State, make_agent
from durak_core.lab import Match, play_match, tally_match

SURE = "knows that the defender cannot beat it"


def kripke(
    hands: Sequence[str], moves: str = "", rules: str = "groningen", talon: str = ""
) -> tuple[str, str]:
    """What it does in a position, and whether that is what greedy does."""
    trump = {} if talon else {"trump": "Ac"}
    state = play(State.setup(Rules.parse(rules), hands, talon=talon, **trump), moves)
    assert state.turn is not None
    observation = state.observation(state.turn)
    decision = make_agent("kripke").choose(observation)
    return str(decision.action), str(decision.reason)


@pytest.mark.parametrize(
    ("hands", "action", "reason"),
    [
        (["6s9hKh", "7s8hQd"], "9h", SURE),
        (["6s9hAd", "7sThQd"], "Ad", SURE),
        (["6s9h", "7sTh"], "6s", "plays the lowest plain card"),
        (["6s9h", "7s8h7c"], "6s", "plays the lowest plain card"),
        (["6s9c", "7s8c"], "6s", "plays the lowest plain card"),
        (["8c9c", "7s8h"], "8c", SURE),
        (["7cKc", "9cTh"], "Kc", SURE),
    ],
)
def test_what_has_to_be_taken_comes_first(hands: Sequence[str], action: str, reason: str) -> None:
    """With two seats and no talon the hand is known: the lowest card that it cannot beat, trumps last."""
    assert kripke(hands) == (action, reason)


def test_a_card_is_sure_only_when_no_possible_hand_beats_it() -> None:
    """With three seats a card may lie with either; only what nobody can hold above it is sure."""
    rules = "groningen:seats=3"
    assert kripke(["6s9h", "7s8s", "Th9d"], rules=rules) == ("6s", "plays the lowest plain card")
    assert kripke(["6sAh", "7s8s", "Th9d"], rules=rules) == ("Ah", SURE)
    assert kripke(["6sAh", "7s7c", "Th9d"], rules=rules) == ("6s", "plays the lowest plain card")


def test_it_throws_in_as_it_opens_and_defends_with_the_lowest() -> None:
    """Of two cards that fit, the one that cannot be beaten; the lowest that beats an attack."""
    assert kripke(["7s9h9dKh", "9sThQh"], "7s 9sx7s") == ("9d", SURE)
    assert kripke(["7s", "8s9s7c"], "7s") == ("8sx7s", "beats it with the lowest plain card")


def test_what_is_piled_on_is_the_lowest() -> None:
    """Nobody answers what is piled on, so it need not be high."""
    rules = "podkidnoy"
    assert kripke(["7s9sKh9h7d", "8d6d6h"], "7s take", rules) == ("7d", "plays the lowest plain card")


def test_what_a_defence_with_the_lowest_card_proves() -> None:
    """Seat 1 beat a six with the ten, so by rules 5.10 it has no nine, and the eight is sure."""
    hands = ["6s8s7h", "TsKdQh", "9sJh"]
    moves = "6s Tsx6s pass Kd take"
    assert kripke(hands, moves, "groningen:seats=3") == ("7h", "plays the lowest plain card")
    assert kripke(hands, moves, "groningen:seats=3,lowest_card=defence") == ("8s", SURE)


@few_or_many("games", 80, 200)
def test_certainty_helps_in_its_own_game(games: int) -> None:
    """By the rules of the Groningen project it does better than greedy."""
    match = Match(Rules.preset("groningen"), ("kripke", "greedy"), games, 6)
    assert tally_match(match, play_match(match)).agents[0].score > 0.5
