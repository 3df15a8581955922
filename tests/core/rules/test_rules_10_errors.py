"""Section 10 of docs/rules.md: errors."""

from __future__ import annotations

import pytest
from playing import conceivable, play, random_game

from durak_core import Rules, State, parse_action
from durak_core.errors import DurakError, IllegalActionError

RULES = Rules(seats=3, lowest_rank=9, hand_size=4, transfer=True, show_trump=True)


def test_rule_10_1_the_error_names_action_paragraph_and_legal_actions() -> None:
    """Text and attributes of the error say what was refused, by which paragraph, and what is legal."""
    state = play(State.setup(Rules(), ["6s7hAs", "7s8s9s"], trump="9c"), "6s 7sx6s")
    with pytest.raises(IllegalActionError) as caught:
        state.apply(parse_action("As"))
    error = caught.value
    assert (error.action, error.paragraph, set(error.legal)) == ("As", "5.3", {"7h", "pass"})
    assert str(error).startswith("As is not allowed here:")
    assert "rules 5.3" in str(error)
    assert "7h" in str(error)
    assert "pass" in str(error)
    assert isinstance(error, DurakError)


def test_rule_10_1_the_state_stays_as_it_was() -> None:
    """Every refused action of a position leaves the state equal to what it was before."""
    state = play(State.deal(RULES, 5, first_attacker=0), "")
    for _bout in range(12):
        twin = State.deal(RULES, 5, first_attacker=0)
        before = (state.hands, state.table, state.turn, state.legal_actions, state.plies, state.events)
        for action in conceivable(RULES):
            if state.why_not(action) is not None:
                with pytest.raises(IllegalActionError):
                    state.apply(action)
        after = (state.hands, state.table, state.turn, state.legal_actions, state.plies, state.events)
        assert before == after
        assert twin == State.deal(RULES, 5, first_attacker=0)
        state = state.apply(state.legal_actions[0])


def test_rule_10_1_no_action_is_replaced_by_another() -> None:
    """What is done is exactly the action given: the last event names its card, or it is refused."""
    state = State.deal(RULES, 8, first_attacker=0)
    for _ply in range(40):
        for action in state.legal_actions:
            after = state.apply(action)
            news = after.events[len(state.events) :]
            assert news
            assert getattr(news[0], "card", None) == getattr(action, "card", None)
            assert getattr(news[0], "seat", None) == state.turn
            assert after.plies == state.plies + 1
        state = state.apply(state.legal_actions[-1])
        if state.is_over:
            break


def test_rule_10_1_every_refusal_gives_a_paragraph_that_exists(paragraphs: set[str]) -> None:
    """All the paragraphs named in refusals of a whole game are paragraphs of the law."""
    refusals = set()
    for state in random_game(RULES, 3, "transfer"):
        refusals.update(map(state.why_not, conceivable(RULES)))
    refusals.discard(None)
    assert all(why.reason for why in refusals)
    named = {why.paragraph for why in refusals}
    assert named <= paragraphs
    assert named >= {"5.1", "5.5", "8.2"}
