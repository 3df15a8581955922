"""Section 8 of docs/rules.md: the end of the game."""

from __future__ import annotations

import pytest
from playing import deck_of, legal, play, random_game
from properties import few_or_many

from durak_core import CardSet, Phase, Role, Rules, State
from durak_core.errors import IllegalActionError, RulesError

TWO = Rules()
THREE = Rules(seats=3)


def test_rule_8_1_an_empty_hand_is_out_when_the_talon_is_empty() -> None:
    """The attacker's last card was beaten and nothing is left to draw: the seat is out."""
    state = play(State.setup(THREE, ["6s", "7s8s", "9dTh"], trump="9c"), "6s 7sx6s pass")
    assert state.places == (0,)
    assert state.roles[0] == Role.OUT
    assert (state.attacker, state.defender) == (1, 2)


def test_rule_8_1_an_empty_hand_with_a_talon_draws_and_stays() -> None:
    """While there are cards to draw nobody is out."""
    rules = Rules(hand_size=1)
    state = State.from_deck(rules, deck_of(rules, ["6s", "7s"], "8s 9s", "9c"), first_attacker=0)
    state = play(state, "6s 7sx6s")
    assert not state.is_over
    assert state.places == ()
    assert state.hands == (CardSet.parse("8s"), CardSet.parse("9s"))


def test_rule_8_1_the_drawing_comes_before_the_going_out() -> None:
    """The last card of the talon keeps the attacker in; the defender behind it gets none and is out."""
    state = State.setup(Rules(seats=3, hand_size=1), ["6s", "7s", "Kd"], talon="9c")
    state = play(state, "6s 7sx6s")
    assert state.places == (1,)
    assert state.hands[0] == CardSet.parse("9c")
    assert (state.attacker, state.defender) == (2, 0)


def test_rule_8_1_out_only_at_the_end_of_the_bout() -> None:
    """A hand that is empty in mid-bout has no place yet, and its seat is still somebody's next seat."""
    state = play(State.setup(THREE, ["6s", "7s8s", "9dTh"], trump="9c"), "6s")
    assert (state.hand_sizes[0], state.places, state.roles[0]) == (0, (), Role.ATTACKER)
    assert state.phase == Phase.DEFENCE


def test_rule_8_1_a_defender_with_an_empty_hand_has_beaten_off() -> None:
    """The bout ends with the last card, without asking those who could throw in."""
    state = play(State.setup(THREE, ["6s6h", "7s", "7h7d"], trump="9c"), "6s 7sx6s")
    assert (state.places, state.phase, state.table) == ((1,), Phase.OPENING, ())


def test_rule_8_1_the_next_seat_attacks_for_one_that_is_out() -> None:
    """A defender who goes out does not attack; the seat after does, and the one after that defends."""
    state = play(State.setup(THREE, ["6s6h", "7s", "7h7d"], trump="9c"), "6s 7sx6s")
    assert (state.attacker, state.defender) == (2, 0)
    four = State.setup(Rules(seats=4), ["6s8d", "7s8s", "7h7d", "Ks"], trump="9c", attacker=3)
    four = play(four, "Ks take pass pass")
    assert four.places == (3,)
    assert (four.attacker, four.defender) == (1, 2)


def test_rule_8_2_the_last_seat_with_cards_is_the_fool() -> None:
    """At the end of a bout one seat holds cards: it is the fool, and the game is over."""
    state = play(State.setup(TWO, ["6s", "7h8h"], trump="9c"), "6s take")
    assert (state.is_over, state.fool, state.is_draw) == (True, 1, False)
    assert not state.observation(0).is_draw
    assert (state.turn, state.phase, state.legal_actions) == (None, Phase.OVER, ())
    with pytest.raises(IllegalActionError, match=r"game is over.*rules 8\.2"):
        play(state, "7h")


def test_rule_8_2_only_at_the_end_of_a_bout() -> None:
    """An attacker without cards has not won yet: the defender may answer with the last card."""
    state = play(State.setup(TWO, ["6s", "7s8h"], trump="9c"), "6s")
    assert not state.is_over
    assert legal(state) == {"7sx6s", "take"}
    assert play(state, "7sx6s").fool == 1
    assert play(State.setup(TWO, ["6s", "7s"], trump="9c"), "6s 7sx6s").fool is None


def test_rule_8_2_all_the_others_have_won() -> None:
    """With several seats the game goes on until one is left."""
    state = State.setup(THREE, ["6s", "7s8s", "9s"], trump="9c")
    state = play(state, "6s 7sx6s pass")
    assert not state.is_over
    state = play(state, "8s 9sx8s")
    assert (state.is_over, state.is_draw, state.places) == (True, True, (0, 1, 2))
    state = State.setup(THREE, ["6s", "7s8s", "7h"], trump="9c")
    state = play(state, "6s 7sx6s pass 8s take")
    assert (state.is_over, state.fool, state.returns) == (True, 2, (0.5, 0.5, -1.0))


def test_rule_8_3_nobody_holds_cards() -> None:
    """When the last two hands run out in one bout the game is a draw."""
    state = play(State.setup(TWO, ["6s", "7s"], trump="9c"), "6s 7sx6s")
    assert (state.is_over, state.is_draw, state.fool) == (True, True, None)
    assert state.observation(0).is_draw
    assert state.returns == (0.0, 0.0)


def test_rule_8_3_without_draws_the_last_defender_is_the_fool() -> None:
    """With `draws` no the defender of the last bout loses, and has the last place."""
    state = play(State.setup(Rules(draws=False), ["6s", "7s"], trump="9c"), "6s 7sx6s")
    assert (state.is_over, state.is_draw, state.fool, state.places) == (True, False, 1, (0, 1))
    assert state.returns == (1.0, -1.0)
    state = State.setup(Rules(draws=False), ["6s", "7s"], trump="9c", attacker=1)
    assert play(state, "7s take").fool == 0


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seats", range(2, 7))
def test_rule_8_4_returns_sum_to_zero(seats: int) -> None:
    """The fool has -1, the others share +1 equally, and a draw gives 0 to all."""
    drawn = lost = 0
    for seed in range(40):
        end = list(random_game(Rules(seats=seats), seed, "play"))[-1]
        assert sum(end.returns) == pytest.approx(0)
        if end.fool is None:
            assert end.returns == (0.0,) * seats
            drawn += 1
        else:
            others = [value for seat, value in enumerate(end.returns) if seat != end.fool]
            assert end.returns[end.fool] == -1
            assert others == [pytest.approx(1 / (seats - 1))] * (seats - 1)
            assert end.places[-1] == end.fool
            assert sorted(end.places) == list(range(seats))
            lost += 1
    assert lost > drawn


def test_rule_8_4_places_follow_the_order_in_which_hands_ran_out() -> None:
    """Of several hands that run out in one bout the one that was empty first has the better place."""
    rules = Rules(seats=4)
    state = State.setup(rules, ["7s7dKs", "6h", "9d9h", "6s"], trump="9c", attacker=3)
    state = play(state, "6s 7sx6s 6h")
    assert state.hand_sizes == (2, 0, 2, 0)
    assert state.places == ()
    state = play(state, "take pass")
    assert state.places == (3, 1)
    state = State.setup(THREE, ["6h", "7s7h", "6s"], trump="9c", attacker=0)
    state = play(state, "6h 7hx6h 6s 7sx6s")
    assert (state.places, state.is_draw) == ((0, 2, 1), True)
    state = State.setup(THREE, ["7s7h", "6h", "6s"], trump="9c", attacker=2)
    state = play(state, "6s 7sx6s 6h 7hx6h")
    assert (state.places, state.is_draw) == ((2, 1, 0), True)


def test_rule_8_4_the_fool_comes_last() -> None:
    """The seat left with cards closes the list of places."""
    state = play(State.setup(THREE, ["", "7s", "6h"], trump="9c", attacker=2), "6h take")
    assert state.places == (0, 2, 1)


def test_rule_8_6_points_go_by_place() -> None:
    """One for every seat that comes later or has no place; none for the fool."""
    rules = Rules(seats=4, series_score="places")
    state = State.setup(rules, ["", "6s", "", "7d8d"], trump="9c", attacker=1)
    state = play(state, "6s take")
    assert (state.places, state.fool) == ((0, 2, 1, 3), 3)
    assert state.points == (3, 1, 2, 0)
    state = State.setup(rules.changed(seats=3), ["6h", "7s7h", "6s"], trump="9c", attacker=0)
    state = play(state, "6h 7hx6h 6s 7sx6s")
    assert (state.places, state.points) == ((0, 2, 1), (2, 0, 1))
    with pytest.raises(RulesError, match=r"rules 8\.6"):
        rules.changed(teams="2x2")


@pytest.mark.parametrize(("draws", "places"), [(True, (3,)), (False, (3, 2))])
def test_rule_8_6_who_has_no_place_has_no_point(draws: bool, places: tuple[int, ...]) -> None:
    """After a stall only the seats that were out have points, and the fool has none."""
    rules = Rules(seats=4, series_score="places", draws=draws, stall_limit=3)
    state = State.setup(rules, [*ROUND_OF_THREE, ""], trump="9c")
    for card in SIX_BOUTS[:3]:
        state = play(state, f"{card} take pass pass")
    assert state.is_over
    assert state.places[0] == 3
    assert state.points == (0, 0, 0, 3)


ROUND_OF_THREE = ["6s9sKd", "7hTdKh", "6dJdKs"]
"""Six bouts, each taken, after which every card is back where it was."""
SIX_BOUTS = ("6s", "6d", "6s", "6d", "6s", "6d")


def holding(state: State) -> tuple[object, ...]:
    """What makes a position the same for the players: cards, roles and whose turn it is."""
    return state.hands, state.table, state.attacker, state.defender, state.turn, state.phase, state.discards


def test_rule_8_5_three_seats_could_go_on_for_ever() -> None:
    """Three seats hand two sixes round: after six bouts the position is the same card for card."""
    start = state = State.setup(THREE, ROUND_OF_THREE, trump="9c")
    for _round in range(5):
        for card in SIX_BOUTS:
            state = play(state, f"{card} take pass pass")
        assert holding(state) == holding(start)
        assert not state.is_over
    assert state.stall == 30


def test_rule_8_5_the_stall_limit_ends_it_as_a_draw() -> None:
    """After sixty such bouts the game is a draw between all three, and none has a place."""
    state = State.setup(THREE, ROUND_OF_THREE, trump="9c")
    for number in range(60):
        assert (state.is_over, state.stall) == (False, number)
        state = play(state, f"{SIX_BOUTS[number % 6]} take pass pass")
    assert (state.is_over, state.is_draw, state.fool) == (True, True, None)
    assert state.returns == (0.0, 0.0, 0.0)
    assert state.places == ()


ROUND_OF_TWO = ["6s9sKd", "6d6hTdKh"]
"""Seat 0 attacks with a six, gets it back with another, and seat 1 the same way: nothing has changed."""


def test_rule_8_5_two_seats_with_transfers_could_go_on_for_ever() -> None:
    """Two bouts, each transferred back and taken, bring the same position again, until sixty end it."""
    rules = Rules(transfer=True)
    start = state = State.setup(rules, ROUND_OF_TWO, trump="9c")
    for number in range(60):
        assert (state.is_over, state.stall) == (False, number)
        if number % 2 == 0:
            assert holding(state) == holding(start)
            state = play(state, "6s >6d take")
        else:
            state = play(state, "6h >6d take")
    assert (state.is_over, state.is_draw, state.returns, state.places) == (True, True, (0.0, 0.0), ())


@few_or_many("games", 15, 150)
def test_rule_8_5_two_seats_without_transfers_always_finish(games: int) -> None:
    """However often the defender takes, the attacker runs out of cards before the limit could count."""
    for seed in range(games):
        longest = 0
        for state in random_game(Rules(lowest_rank=2), seed, "take"):
            longest = max(longest, state.stall)
        assert state.is_over
        assert longest < 52
    endless = Rules(stall_limit=7)
    state = State.setup(endless, ["6s6h6d7s7h7d", "9s"], trump="9c")
    state = play(state, "6s take 7s take pass 6h take pass")
    assert state.stall == 3
    assert play(state, "7h take pass 7d take pass 6d take").fool == 1


def test_rule_8_5_the_count_starts_again() -> None:
    """A bout beaten off, and a bout in which somebody leaves, set the count to nothing."""
    state = State.setup(THREE, ["6s9sKd", "7sTdKh", "6dJdKs"], trump="9c")
    taken = play(state, "6s take pass pass")
    assert taken.stall == 1
    again = play(taken, "Ks take pass pass")
    assert again.stall == 2
    assert play(again, "Td JdxTd pass pass").stall == 0
    state = State.setup(THREE, ["6s9sKd", "7sTdKh", "6d"], trump="9c")
    state = play(state, "9s take pass pass")
    assert (state.stall, state.attacker) == (1, 2)
    state = play(state, "6d take pass")
    assert (state.stall, state.places) == (0, (2,))


def test_rule_8_5_bouts_with_a_drawing_do_not_count() -> None:
    """A taken bout after which somebody drew is no stall, even if the talon is then empty."""
    state = State.setup(Rules(hand_size=2), ["6s9s", "7h8h"], talon="9c")
    state = play(state, "6s take pass")
    assert (state.talon, state.stall) == ((), 0)
    assert play(state, "9s take pass").stall == 1


def test_rule_8_5_full_hands_can_stall_with_a_talon() -> None:
    """With more than `hand_size` cards each nobody draws, so that the talon alone ends nothing."""
    rules = Rules(seats=3, hand_size=2, stall_limit=12)
    start = state = State.setup(rules, ROUND_OF_THREE, talon="QhQd9c")
    for number in range(12):
        assert (state.is_over, state.stall) == (False, number)
        if number == 6:
            assert holding(state) == holding(start)
        state = play(state, f"{SIX_BOUTS[number % 6]} take pass pass")
    assert (state.is_over, state.is_draw, len(state.talon)) == (True, True, 3)


def test_rule_8_5_without_draws_the_last_defender_is_the_fool() -> None:
    """With `draws` no the stall limit makes the defender of the last bout the fool (8.3)."""
    rules = Rules(seats=3, draws=False, stall_limit=4)
    state = State.setup(rules, ROUND_OF_THREE, trump="9c")
    for card in SIX_BOUTS[:4]:
        defender = state.defender
        state = play(state, f"{card} take pass pass")
    assert (state.is_over, state.is_draw, state.fool) == (True, False, defender)
    assert state.returns[defender] == -1
    assert state.places[-1] == defender


def test_rule_8_5_those_who_left_before_keep_their_places() -> None:
    """A stall is a draw between the seats still in; one that had gone out has its place and gets 0 too."""
    rules = Rules(seats=4, stall_limit=2)
    state = State.setup(rules, [*ROUND_OF_THREE, ""], trump="9c")
    state = play(state, "6s take pass pass 6d take pass pass")
    assert (state.is_draw, state.places, state.returns) == (True, (3,), (0.0,) * 4)
