"""The agent `smart`: closing ranks and the weakness rules, by constructed hands."""

from __future__ import annotations

import pytest
from playing import play

from durak_core import CardSet, Rules, State, make_agent
from durak_core.knowledge.certain import badly_covered, rank_set, weak_ranks


def smart(state: State) -> tuple[str, str]:
    """What smart and greedy do in a state."""
    assert state.turn is not None
    observation = state.observation(state.turn)
    return tuple(str(make_agent(name).choose(observation).action) for name in ("smart", "greedy"))  # type: ignore[return-value]


def ranks(*numbers: int) -> int:
    return sum(1 << number for number in numbers)


def mask(text: str) -> int:
    return CardSet.parse(text).mask


@pytest.mark.parametrize(
    ("hand", "other", "weak"),
    [
        ("7s9h", "8s", ranks(7)),
        ("7s7h", "8s", 0),
        ("7s7h", "8s8h", ranks(7)),
        ("7s9h", "6sTd", 0),
        ("7s8s9h", "TsTh", ranks(7, 8, 9)),
        ("As", "6s", 0),
    ],
)
def test_a_weakness_is_a_rank_all_of_whose_cards_can_be_beaten(hand: str, other: str, weak: int) -> None:
    """Bonnet's definition."""
    assert weak_ranks(mask(hand), mask(other)) == weak


def test_a_weakness_is_badly_covered_when_its_answers_open_a_rank_of_the_hand() -> None:
    """Every card that beats it has to be of a rank that the hand holds."""
    assert badly_covered(mask("6h7s9d"), mask("9sTh")) == mask("7s")
    assert badly_covered(mask("6h7s9d"), mask("9sTsTh")) == 0
    assert badly_covered(mask("9dKd"), mask("9sTh")) == 0
    assert rank_set(mask("6h7s9d6d")) == ranks(6, 7, 9)


def test_a_single_weakness_is_played_last() -> None:
    """Every other rank comes first, against an opponent without trumps."""
    assert smart(State.setup(Rules(), ["7sKh", "8sTdAh"], trump="6c")) == ("7s", "7s")
    assert smart(State.setup(Rules(), ["7sKh", "8sTd"], trump="6c")) == ("Kh", "7s")
    assert smart(State.setup(Rules(), ["7s9c", "8sTd"], trump="6c")) == ("9c", "7s")


def test_an_opponent_with_a_trump_is_attacked_as_greedy_does() -> None:
    """The weakness rules hold against no trumps only."""
    assert smart(State.setup(Rules(), ["7sKh", "8s7c"], trump="6c")) == ("7s", "7s")


def test_a_hand_that_is_not_known_is_attacked_as_greedy_does() -> None:
    """Two hidden cards in the talon leave the opponent's hand open, unless all cards lie open."""
    hands, talon = ["7sKh", "8sTd"], "9s8cAc"
    assert smart(State.setup(Rules(), hands, talon=talon)) == ("7s", "7s")
    assert smart(State.setup(Rules(visibility="open"), hands, talon=talon)) == ("Kh", "7s")


def test_weaknesses_do_not_count_against_two_opponents() -> None:
    """The rules are for the endgame of two; a seat that is out does not matter."""
    assert smart(State.setup(Rules(seats=3), ["7sKh", "8sTd", "9sTh"], trump="6c")) == ("7s", "7s")
    assert smart(State.setup(Rules(seats=3), ["7sKh", "8sTd", ""], trump="6c")) == ("Kh", "7s")
    seen = Rules(seats=3, visibility="open")
    assert smart(State.setup(seen, ["7sKh", "8sTd", "9sTh"], trump="6c")) == ("7s", "7s")


def test_open_visibility_shows_what_the_attacker_holds() -> None:
    """Rules 9.3: in open games ranks are closed that could be anywhere in closed ones."""
    hands, talon = ["6s7hKd", "7s8sAdAh"], "9d8hAc"
    closed = State.setup(Rules(), hands, talon=talon)
    assert smart(play(closed, "6s")) == ("7sx6s", "7sx6s")
    seen = State.setup(Rules(visibility="open"), hands, talon=talon)
    assert smart(play(seen, "6s")) == ("8sx6s", "7sx6s")


def test_of_several_weaknesses_a_badly_covered_one_goes_first() -> None:
    """If the weak ranks are at most as many as the others."""
    assert smart(State.setup(Rules(), ["6h7s9dKd", "9sTh8h"], trump="6c")) == ("7s", "6h")
    assert smart(State.setup(Rules(), ["6h7s9d", "9sTh8h"], trump="6c")) == ("6h", "6h")


def test_without_any_weakness_smart_attacks_as_greedy_does() -> None:
    """Any order wins there."""
    assert smart(State.setup(Rules(), ["8s9h", "6s7d"], trump="6c")) == ("8s", "8s")


def test_the_weakness_rules_are_for_openings() -> None:
    """What smart throws in, greedy would throw in as well."""
    state = play(State.setup(Rules(), ["9s9hTd", "TsAhJd"], trump="6c"), "9s Tsx9s")
    assert smart(state) == ("9h", "9h")


def test_defending_closes_ranks_that_the_attacker_does_not_hold() -> None:
    """With the talon empty the attacker's hand is known."""
    state = play(State.setup(Rules(), ["6s7hKd", "7s8sAdAh"], trump="6c"), "6s")
    assert smart(state) == ("8sx6s", "7sx6s")
    state = play(State.setup(Rules(), ["6s9hKd", "7s8sAdAh"], trump="6c"), "6s")
    assert smart(state) == ("7sx6s", "7sx6s")
    state = play(State.setup(Rules(), ["6s7h8d", "7s8sAdAh"], trump="6c"), "6s")
    assert smart(state) == ("7sx6s", "7sx6s")


def test_defending_prefers_a_trump_of_a_rank_that_is_closed() -> None:
    """It comes before a plain card that lets the attacker go on."""
    state = play(State.setup(Rules(), ["6s7hKd", "7s8cAdAh"], trump="6c"), "6s")
    assert smart(state) == ("8cx6s", "7sx6s")


def test_defending_counts_what_the_talon_may_have_given() -> None:
    """While the talon lasts, a rank is closed only if all its cards are accounted for."""
    state = play(State.setup(Rules(), ["6s7hKd", "7s8sAdAh"], talon="9d8hAc"), "6s")
    assert smart(state) == ("7sx6s", "7sx6s")
    state = play(State.setup(Rules(), ["6s7hKd", "7s8sAdAh"], talon="9d9hAc"), "6s")
    assert smart(state) == ("8sx6s", "7sx6s")


def test_defending_against_two_looks_at_both() -> None:
    """Helpers may throw in too, bystanders may not."""
    hands = ["6sKd", "7s8sAdAh", "7h8h"]
    state = play(State.setup(Rules(seats=3), ["6s7hKd", "7s8sAdAh", "9h9d"], trump="6c"), "6s")
    assert smart(state) == ("8sx6s", "7sx6s")
    assert smart(play(State.setup(Rules(seats=3), hands, trump="6c"), "6s")) == ("7sx6s", "7sx6s")
    alone = Rules(seats=3, throw_in="attacker", visibility="open")
    hands = ["6s7d", "7s8sAdAh", "8h9h"]
    assert smart(play(State.setup(alone, hands, trump="6c"), "6s")) == ("8sx6s", "7sx6s")


def test_smart_gives_its_reasons() -> None:
    """In words."""
    state = State.setup(Rules(), ["7sKh", "8sTd"], trump="6c")
    assert (
        str(make_agent("smart").choose(state.observation(0)).reason) == "saves the weakest cards for the end"
    )
    state = play(State.setup(Rules(), ["6s7hKd", "7s8sAdAh"], trump="6c"), "6s")
    reason = str(make_agent("smart").choose(state.observation(1)).reason)
    assert reason == "beats it with a rank nobody can throw in"
