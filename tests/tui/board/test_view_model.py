"""What the table shows of a position, without any terminal."""

from __future__ import annotations

import random

import pytest
from playing import play, random_game

from durak_core import EXCHANGE, PASS, PRESETS, TAKE, Attack, Card, Defend, Rules, State, Transfer
from durak_tui.play.commands import current_target, next_target
from durak_tui.play.commands import play as played
from durak_tui.play.game import card_options
from durak_tui.text.phrases import Voice, why_words
from durak_tui.ui.view.board_data import Look
from tui.boards import a_view, bout, defence, finished, lone_bout, perevodnoy, three, volley


def card(text):
    return Card.parse(text)


# What may be done


def test_every_legal_action_is_among_the_options_in_random_games_of_all_presets():
    for seed, preset in enumerate(PRESETS):
        rules = Rules.preset(preset, seats=3, show_trump=True, exchange_trump=True)
        for state in random_game(rules, seed):
            if state.is_over:
                continue
            options = card_options(state.why_not, state.observation(state.turn))
            actions = {action for choice in options.cards for action in choice.actions}
            actions |= {PASS} if options.can_pass else set()
            actions |= {TAKE} if options.can_take else set()
            actions |= {options.show_trump} if options.show_trump else set()
            actions |= {EXCHANGE} if options.can_exchange else set()
            assert set(state.legal_actions) <= actions
            assert all(state.why_not(action) is None for action in actions)
            assert all(bool(choice.actions) != bool(choice.why) for choice in options.cards)


def test_a_card_may_beat_any_open_attack_and_not_only_the_oldest():
    state = volley()
    options = card_options(state.why_not, state.observation(0))
    trump = options.of(card("Kd"))
    assert trump.actions == tuple(Defend(card("Kd"), card(target)) for target in ("6s", "6h", "6c"))
    assert options.of(card("9h")).actions == (Defend(card("9h"), card("6h")),)


def test_at_anothers_turn_there_are_no_options_and_no_reasons():
    state = defence()
    options = card_options(state.why_not, state.observation(1))
    assert not any(choice.actions or choice.why for choice in options.cards)
    assert (options.can_pass, options.can_take, options.show_trump) == (False, False, None)


def test_a_card_that_is_not_in_the_hand_has_no_actions():
    state = defence()
    assert card_options(state.why_not, state.observation(0)).of(card("As")).actions == ()


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("7h", Transfer(card("7h"))),
        ("7d", Defend(card("7d"), card("7c"))),
        ("9c", Defend(card("9c"), card("7c"))),
    ],
)
def test_playing_a_card_beats_first_and_transfers_when_it_beats_nothing(text, action):
    state = perevodnoy()
    options = card_options(state.why_not, state.observation(0))
    assert played(options, card(text), card("7c")) == action


def test_playing_a_card_beats_the_chosen_attack_else_another():
    options = card_options(volley().why_not, volley().observation(0))
    assert played(options, card("Kd"), card("6c")) == Defend(card("Kd"), card("6c"))
    assert played(options, card("9h"), card("6c")) == Defend(card("9h"), card("6h"))
    state = three(0)
    assert played(card_options(state.why_not, state.observation(0)), card("6h")) == Attack(card("6h"))


def test_the_target_goes_round_the_open_attacks():
    seen = volley().observation(0)
    first, second, third = map(card, ("6s", "6h", "6c"))
    assert current_target(seen) == first
    assert current_target(seen, third) == third
    assert current_target(seen, card("As")) == first
    assert [next_target(seen, target) for target in (None, second, third)] == [second, third, first]
    assert next_target(seen, first, -1) == third
    assert current_target(three().observation(0)) is None
    assert next_target(three().observation(0)) is None


# Why a card may not be played


def whys(state):
    """Why each card of Anna's hand cannot be played."""
    return {str(held.card): held.why for held in a_view(state).hand.cards}


def test_a_card_that_beats_nothing_says_so():
    assert whys(defence())["9c"] == "9♣ does not beat J♥."
    assert whys(defence())["Kd"] == ""


def test_a_joker_that_beats_nothing_says_so():
    """Of another colour; and nothing beats a joker."""
    rules = Rules.preset("perevodnoy", jokers="colour")
    state = State.setup(rules, ["*s9h9d", "7d8h9c*h"], trump="6c", attacker=1)
    assert whys(play(state, "7d"))["*s"] == "*♠ does not beat 7♦."
    assert whys(play(state, "*h")) == {
        "9h": "Nothing beats a joker.",
        "9d": "Nothing beats a joker.",
        "*s": "",
    }


def test_where_no_card_can_be_played_the_prompt_says_so_and_no_card_does():
    assert set(whys(lone_bout("Ad", ["Ah6h7h", "Ad9h"])).values()) == {""}


def test_a_rank_that_is_not_on_the_table_is_named():
    assert whys(bout("9c Tdx9c"))["Kh"] == "Only 9 or 10 may be added."


def test_reasons_against_a_transfer():
    short = State.setup(Rules.preset("perevodnoy"), ["7d8hAs", "7c"], talon="8c6s", attacker=1)
    assert whys(play(short, "7c"))["7d"] == "The next player holds too few cards."
    rules = Rules.preset("perevodnoy", transfer_first_bout=False)
    first = State.setup(rules, ["7d8hAs", "7c9c"], talon="8c6s", attacker=1, bout=1)
    assert whys(play(first, "7c"))["7d"] == "The first bout may not be transferred."
    begun = State.setup(Rules.preset("perevodnoy"), ["7d9cAh", "7c7hTc"], talon="8c6s", attacker=1)
    state = play(begun, "7c 9cx7c 7h")
    assert whys(state)["7d"] == "Too late to transfer: a card is beaten."


def test_a_refusal_names_what_is_possible_under_these_rules():
    voice = Voice(("Anna", "Boris"))

    def words(state, action):
        return why_words(state.why_not(action), state.observation(state.turn), voice)

    assert words(three(0), TAKE) == "There is nothing for you to take (rules 5.5)."
    assert words(three(0), PASS) == "You attack: play a card (rules 5.1)."
    for rules, told in (("podkidnoy", "Beat it or take"), ("perevodnoy", "Beat it, transfer it or take")):
        state = State.setup(Rules.preset(rules), ["7d8hAs", "9cKd"], attacker=0).apply("7d")
        assert words(state, PASS) == f"{told} (rules 5.5)."


# The seats


def test_opponents_come_clockwise_with_their_roles_and_counts():
    view = a_view(defence(), seat=1, human=1)
    assert [(seat.name, seat.role, seat.cards) for seat in view.opponents] == [
        ("Clara", "attacking", 4),
        ("Anna", "defending", 5),
    ]
    assert (view.viewer.name, view.viewer.role, view.viewer.seat) == ("Boris", "may add", 1)
    assert [seat.is_turn for seat in view.opponents] == [False, True]
    assert [seat.is_defender for seat in view.opponents] == [False, True]


def test_roles_follow_the_bout():
    def role(state, seat):
        return a_view(state, seat).viewer.role

    assert [role(bout("9c take"), seat) for seat in range(3)] == ["attacking", "taking", "may add"]
    assert [role(bout("9c Tdx9c pass"), seat) for seat in range(3)] == ["passed", "defending", "throwing in"]
    assert role(bout("9c", throw_in="attacker"), 2) == "waiting"
    assert [role(finished(), seat) for seat in range(3)] == ["out, 2nd", "the fool", "out, 1st"]
    assert [seat.place for seat in (a_view(finished()).viewer, *a_view(finished()).opponents)] == [2, None, 1]
    stalled = Rules(seats=3, stall_limit=1)
    state = play(State.setup(stalled, ["7h8h", "6c6h", "9s"], trump="6d"), "8h take pass pass")
    assert state.is_draw
    assert role(state, 0) == "draw"


def test_hands_are_hidden_unless_they_are_open():
    assert all(seat.shown == () for seat in a_view(defence()).opponents)
    state = defence()
    opened = a_view(state, open_hands=state.hands)
    assert [len(seat.shown) for seat in opened.opponents] == [6, 4]
    visible = three(visibility="open")
    assert [len(seat.shown) for seat in a_view(visible).opponents] == [6, 6]


def test_cards_that_all_know_of_are_shown_only_when_asked_for():
    state = bout("9c take pass pass")
    assert a_view(state).opponents[0].shown == ()
    assert a_view(state, look=Look(seen=True)).opponents[0].shown == (card("9c"),)
    own = a_view(state, seat=1, human=1, look=Look(seen=True)).hand.cards
    assert [str(held.card) for held in own if held.known] == ["9c"]


def test_a_thinking_bot_is_marked():
    assert [seat.is_thinking for seat in a_view(defence(), thinking=2).opponents] == [False, True]


# The rest of the table


def test_the_attack_that_is_to_be_beaten_is_marked():
    assert a_view(volley()).target == a_view(volley()).moment.observation.table[0].attack
    assert a_view(volley(), target=card("6c")).target == card("6c")
    assert a_view(defence()).target == card("Jh")
    assert a_view(bout("9c take"), seat=1, human=1).target is None


def test_an_empty_table_tells_how_the_last_bout_ended():
    assert a_view(three(0)).note == ""
    assert a_view(bout("9c take pass pass")).note == "Boris takes 9♣"
    assert a_view(bout("9c Tdx9c pass pass")).note == "Beaten off: 2 discarded"
    assert a_view(bout("9c Tdx9c")).note == ""


# The hand


def order(look, state=None):
    return " ".join(str(held.card) for held in a_view(state or defence(), look=look).hand.cards)


def test_the_hand_is_sorted_both_ways_with_trumps_at_the_end():
    assert order(Look()) == "6h 7c 9c Qc Kd"
    assert order(Look(descending=True)) == "Qc 9c 7c 6h Kd"
    assert order(Look(sort="rank")) == "6h 7c 9c Qc Kd"
    assert order(Look(sort="rank", descending=True)) == "Qc 9c 7c 6h Kd"
    trumps = State.setup(Rules(), ["6d Ad 7s 7h 6c", "8h"], trump="9d")
    assert order(Look(sort="rank"), trumps) == "6c 7s 7h 6d Ad"
    assert order(Look(sort="rank", descending=True), trumps) == "7h 7s 6c Ad 6d"


def test_jokers_lie_at_the_end_and_are_no_trumps():
    """They come after the trumps in both orders; the black one is no spade."""
    state = State.setup(Rules(jokers="any"), ["*s *h 6s As 7d", "8h"], trump="9s")
    assert order(Look(), state) == "7d 6s As *s *h"
    assert order(Look(sort="rank", descending=True), state) == "7d As 6s *h *s"


def test_the_hand_as_drawn_ends_with_the_card_that_was_exchanged():
    state = State.setup(Rules(exchange_trump=True), ["6hAc9s", "7s8s9d"], talon="TsKh")
    assert order(Look(sort="drawn"), play(state, "exchange")).split() == ["9s", "Ac", "Kh"]


def test_the_hand_as_drawn_ends_with_the_cards_that_came_last():
    state = bout("9c Tdx9c 9h 8dx9h pass pass")
    assert order(Look(sort="drawn"), state).split()[-4:] == ["8h", "8c", "7c", "Kc"]
    taken = bout("9c take pass pass")
    view = a_view(taken, seat=1, human=1, look=Look(sort="drawn"))
    assert str(view.hand.cards[-1].card) == "9c"
    backwards = a_view(taken, seat=1, human=1, look=Look(sort="drawn", descending=True))
    assert str(backwards.hand.cards[0].card) == "9c"


def test_cards_are_dim_only_at_your_own_turn():
    at_turn, waiting = a_view(defence()).hand, a_view(bout("9c")).hand
    assert at_turn.is_turn
    assert [held.playable for held in at_turn.cards] == [False] * 4 + [True]
    assert not waiting.is_turn
    assert all(held.why == "" for held in waiting.cards)


def test_a_hand_that_nobody_plays_has_no_cursor():
    assert a_view(defence()).hand.can_choose
    assert not a_view(defence(), human=None).hand.can_choose
    assert not a_view(finished()).hand.can_choose


def test_a_view_of_every_state_of_random_games_can_be_made():
    for seed in range(2):
        rules = Rules(
            seats=2 + 2 * seed, lowest_rank=9, hand_size=4, show_trump=True, transfer=bool(seed % 2)
        )
        for state in random_game(rules, seed):
            seat = state.plies % rules.seats
            view = a_view(state, seat, random.Random(state.plies).choice((seat, None)))
            assert view.log[-1].ply == state.plies
            assert len(view.hand.cards) == view.viewer.cards


def test_looking_back_the_log_may_tell_the_whole_game():
    later = defence()
    earlier = play(three(), "Ts")
    view = a_view(earlier, story=later.observation(0).events, last_ply=3)
    assert [line.ply for line in view.log] == [0, 1, 2, 3]
    assert view.ply == 1
