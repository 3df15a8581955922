"""Section 5 of docs/rules.md: the bout."""

from __future__ import annotations

import pytest
from playing import allowed, cards, deck_of, legal, play, refused

from durak_core import (
    Card,
    CardSet,
    Drew,
    Exchanged,
    IllegalActionError,
    Phase,
    Role,
    Rules,
    State,
    parse_action,
    unseen_cards,
)

TWO = Rules()
THREE = Rules(seats=3)
FIVE = Rules(seats=5)
VOLLEY = Rules(attack_style="volley")
FORCED = Rules(forced_play=True)


def test_rule_5_1_the_principal_attacker_opens_with_any_card() -> None:
    """Every card of the hand may open; passing, taking and other seats' cards may not."""
    state = State.setup(THREE, ["6s9hAc", "7s8s", "9d9c"], trump="6c")
    assert (state.phase, state.turn, state.attacker) == (Phase.OPENING, 0, 0)
    assert legal(state) == {"6s", "9h", "Ac"}
    assert refused(state, "pass") == "5.1"
    assert refused(state, "7s") == "5.1"
    assert refused(state, "take") == "5.5"


def test_rule_5_1_the_next_seat_is_the_defender() -> None:
    """The seat after the attacker answers, whoever attacks."""
    for attacker in range(3):
        state = State.setup(THREE, ["6s9h", "7s8s", "9d9c"], trump="6c", attacker=attacker)
        assert state.defender == (attacker + 1) % 3
        after = state.apply(state.legal_actions[0])
        assert (after.phase, after.turn) == (Phase.DEFENCE, state.defender)


def test_rule_5_2_six_attack_cards_at_most() -> None:
    """Against eight cards the sixth attack card ends the bout, though a seventh would fit."""
    hands = ["6s6h6d6c8h8d8c", "8sTsThTdTcJsJhJd"]
    state = State.setup(TWO, hands, trump="9c")
    assert state.limit == 6
    state = play(state, "6s 8sx6s 6h take 6d 6c 8h")
    assert (state.phase, state.turn, len(state.table)) == (Phase.PILE_ON, 0, 5)
    assert legal(state) == {"8d", "8c", "pass"}
    state = play(state, "8d")
    assert (state.phase, state.bout) == (Phase.OPENING, 3)
    assert str(state.hands[0]) == "8c"
    assert len(state.hands[1]) == 8 - 1 + 7


def test_rule_5_2_attack_limit_none_leaves_the_defenders_hand() -> None:
    """Without a limit a seventh and an eighth card may come, as many as the defender held."""
    rules = Rules(attack_limit=None)
    hands = ["6s6h6d6c8h8d8c", "8sTsThTdTcJsJhJd"]
    state = State.setup(rules, hands, trump="9c")
    assert state.limit == 8
    state = play(state, "6s 8sx6s 6h take 6d 6c 8h 8d")
    assert legal(state) == {"8c", "pass"}
    assert str(play(state, "8c").hands[0]) == ""


def test_rule_5_2_never_more_than_the_defender_held() -> None:
    """Two cards held allow two attack cards, counted from the beginning of the bout."""
    state = State.setup(TWO, ["6s6h6d9s", "7s7h"], trump="9c")
    assert state.limit == 2
    state = play(state, "6s 7sx6s 6h")
    assert state.limit == 2
    assert legal(state) == {"7hx6h", "take"}
    taken = play(state, "take")
    assert str(taken.hands[1]) == "6s7s6h7h"
    assert str(taken.hands[0]) == "9s6d"


def test_rule_5_2_cards_on_the_table_are_not_attack_cards() -> None:
    """Defence cards do not count: with a limit of three, three attacks can be beaten by three cards."""
    state = State.setup(Rules(attack_limit=3), ["6s6h6d6c", "7s7h7dTs"], trump="9c")
    state = play(state, "6s 7sx6s 6h 7hx6h")
    assert (state.phase, len(state.table)) == (Phase.THROW_IN, 2)
    state = play(state, "6d 7dx6d")
    assert (state.phase, len(state.discards)) == (Phase.OPENING, 36 - 2)


def test_rule_5_2_first_bout_limit_holds_in_the_first_bout_only() -> None:
    """Five cards in the first bout, six in the second."""
    rules = Rules(first_bout_limit=5)
    hands = ["6s6h6d6c8h8d8c", "8sTsThTdTcJsJhJd"]
    assert State.setup(rules, hands, trump="9c", bout=1).limit == 5
    assert State.setup(rules, hands, trump="9c", bout=2).limit == 6
    state = play(State.setup(rules, hands, trump="9c", bout=1), "6s 8sx6s 6h take 6d 6c 8h")
    assert (state.phase, state.bout) == (Phase.OPENING, 2)
    dealt = State.deal(rules, 1)
    assert (dealt.limit, State.deal(Rules(), 1).limit) == (5, 6)


def test_rule_5_2_the_second_bout_of_a_dealt_game_has_the_full_limit() -> None:
    """However the first bout ends, its own limit is gone in the second."""
    rules = Rules(first_bout_limit=2)
    state = State.from_deck(rules, deck_of(rules, ["6s7h8h9hThJh", "7sQhKhAhTsJs"]), first_attacker=0)
    assert state.limit == 2
    for ending in ("take pass", "7sx6s pass"):
        second = play(state, f"6s {ending}")
        assert (second.bout, second.limit) == (2, 6)


def test_rule_5_2_the_first_limit_lasts_until_a_bout_is_beaten_off() -> None:
    """Taken bouts do not end it, and the first one beaten off is the last with it."""
    rules = Rules(first_bout_limit=2, first_limit_lasts="until_beaten")
    state = State.from_deck(rules, deck_of(rules, ["6s7h8h9hThJh", "7sQhKhAhTsJs"]), first_attacker=0)
    for ending in ("6s take pass", "7h take", "8h take"):
        assert state.limit == 2
        state = play(state, ending)
        if state.phase != Phase.OPENING:
            state = play(state, "pass")
    assert (state.bout, state.limit, state.discards) == (4, 2, CardSet())
    state = play(state, "9h Qhx9h pass")
    assert (state.bout, state.attacker, state.limit) == (5, 1, 6)


def test_rule_5_2_until_beaten_a_transfer_has_the_first_limit_too() -> None:
    """In the second bout, nothing being beaten off, two sixes cannot become three."""
    hands = ["6s9s9h9d", "6h7h7d7s", "6d8s8h8d"]
    for lasts, third in (("one_bout", True), ("until_beaten", False)):
        rules = Rules(seats=3, transfer=True, first_bout_limit=2, first_limit_lasts=lasts)
        talon = [card for card in rules.deck if card not in cards("".join(hands))]
        state = play(State.setup(rules, hands, talon=talon, bout=2), "6s >6h")
        assert allowed(state, ">6d") is third
        assert refused(state, ">6d") == ("" if third else "7.2")
        assert State.setup(rules, hands, trump="9c", bout=2).limit == 4


def test_rule_5_2_after_a_transfer_the_new_defenders_hand_counts() -> None:
    """The limit is fixed again when the attack reaches the next seat."""
    rules = Rules(seats=3, transfer=True)
    state = State.setup(rules, ["6s9s9h", "6h9dTdJd", "7s7h7d"], trump="9c")
    assert state.limit == 4
    state = play(state, "6s >6h")
    assert (state.defender, state.limit) == (2, 3)


def test_rule_5_3_further_attacks_need_a_rank_on_the_table() -> None:
    """After a seven has beaten a six, sixes and sevens may come and an eight may not."""
    state = play(State.setup(TWO, ["6s6h7d8sAs", "7s8hTsJs"], trump="9c"), "6s 7sx6s")
    assert legal(state) == {"6h", "7d", "pass"}
    assert refused(state, "8s") == "5.3"
    assert refused(state, "As") == "5.3"
    assert refused(state, "7c") == "5.1"


def test_rule_5_3_holds_for_helpers_and_after_a_take() -> None:
    """Others who throw in, and those who pile on, are bound by the same ranks."""
    state = play(State.setup(THREE, ["6s8s", "7sTs9h", "8d6d7h"], trump="9c"), "6s take pass")
    assert (state.turn, legal(state)) == (2, {"6d", "pass"})
    assert refused(state, "8d") == "5.3"


def test_rule_5_4_one_by_one_each_card_is_answered_first() -> None:
    """The defender answers before a second six may come."""
    state = play(State.setup(TWO, ["6s6h9s", "7s7hTs"], trump="9c"), "6s")
    assert (state.phase, state.turn) == (Phase.DEFENCE, 1)
    assert refused(state, "6h") == "5.1"
    state = play(state, "7sx6s 6h")
    assert (state.phase, state.turn) == (Phase.DEFENCE, 1)


def test_rule_5_4_a_volley_lasts_until_a_pass() -> None:
    """With volleys the attacker may lay more cards of the rank; a pass hands over to the defender."""
    state = play(State.setup(VOLLEY, ["6s6h6d9s", "7s7hTsJs"], trump="9c"), "6s")
    assert (state.phase, state.turn, legal(state)) == (Phase.VOLLEY, 0, {"6h", "6d", "pass"})
    state = play(state, "6h")
    assert (state.phase, state.turn) == (Phase.VOLLEY, 0)
    state = play(state, "pass")
    assert (state.phase, state.turn, state.passed) == (Phase.DEFENCE, 1, ())
    assert [str(pair.attack) for pair in state.table] == ["6s", "6h"]


def test_rule_5_4_a_volley_ends_by_itself_at_the_limit_or_with_an_empty_hand() -> None:
    """Neither at the limit nor with an empty hand is a pass needed; with other cards left it is."""
    state = play(State.setup(VOLLEY, ["6s6h6d9s", "7s7h"], trump="9c"), "6s 6h")
    assert (state.phase, state.turn) == (Phase.DEFENCE, 1)
    state = play(State.setup(VOLLEY, ["6s6h", "7s7h8s"], trump="9c"), "6s 6h")
    assert (state.phase, state.turn) == (Phase.DEFENCE, 1)
    state = play(State.setup(VOLLEY, ["6s6hAs", "7s7h8s"], trump="9c"), "6s 6h")
    assert (state.phase, legal(state)) == (Phase.VOLLEY, {"pass"})


def test_rule_5_4_throwing_in_can_be_a_volley_too() -> None:
    """A seat that throws in may go on before the defender answers, and ranks of its own cards count."""
    rules = Rules(seats=3, attack_style="volley")
    state = play(State.setup(rules, ["6sAs", "7s8dTs9h9d", "6d7h7d"], trump="9c"), "6s pass 7sx6s pass 7h")
    assert (state.phase, state.turn, legal(state)) == (Phase.VOLLEY, 2, {"6d", "7d", "pass"})
    state = play(state, "7d pass")
    assert (state.phase, state.turn) == (Phase.DEFENCE, 1)


def test_rule_5_4_a_transfer_is_a_single_card() -> None:
    """After a transfer the new defender answers at once, though the other side could lay more."""
    rules = Rules(attack_style="volley", transfer=True)
    state = play(State.setup(rules, ["6s7h7d7c8s", "6h6d9s"], trump="9c"), "6s pass >6h")
    assert (state.phase, state.turn, state.defender) == (Phase.DEFENCE, 0, 0)


def test_rule_5_5_the_defender_beats_transfers_or_takes() -> None:
    """All three answers are offered; passing or attacking is refused."""
    state = play(State.setup(Rules(transfer=True), ["6s9sAs", "6hTs9c"], trump="8c"), "6s")
    assert legal(state) == {"Tsx6s", "9cx6s", ">6h", "take"}
    assert refused(state, "pass") == "5.5"
    assert refused(state, "6h") == "5.5"
    assert refused(state, "Tsx9s") == "5.5"
    assert refused(state, "9sx6s") == "5.1"


def test_rule_5_5_open_cards_may_be_beaten_in_any_order() -> None:
    """Of two open cards either may be beaten first, with the same position at the end."""
    state = play(State.setup(VOLLEY, ["6s6hAs", "7s7hTs"], trump="9c"), "6s 6h pass")
    assert legal(state) == {"7sx6s", "Tsx6s", "take"}
    assert allowed(state, "7hx6h")
    assert play(state, "7hx6h 7sx6s") == play(state, "7sx6s 7hx6h")
    half = play(state, "7hx6h")
    assert (half.phase, half.turn) == (Phase.DEFENCE, 1)
    assert refused(half, "7hx6h") == "5.1"
    assert refused(half, "Tsx6h") == "5.5"


def test_rule_5_6_the_principal_attacker_first_then_clockwise() -> None:
    """After the answer the turn goes attacker, then on past the defender, each a card or a pass."""
    state = State.setup(FIVE, ["6s7h", "7s8s9s", "9d8h", "9h8d", "6d8c"], trump="9c")
    state = play(state, "6s 7sx6s")
    order = []
    while state.phase == Phase.THROW_IN:
        order.append(state.turn)
        state = play(state, "pass")
    assert order == [0, 2, 3, 4]


def test_rule_5_6_a_card_thrown_in_clears_all_passes() -> None:
    """When a later seat throws in, those who had passed are asked again, the attacker first."""
    state = State.setup(FIVE, ["6s7h", "7sTd9sJs", "9d8h", "Th8d", "6d8c"], trump="9c")
    state = play(state, "6s 7sx6s pass pass pass")
    assert (state.turn, state.passed) == (4, (0, 2, 3))
    state = play(state, "6d")
    assert state.passed == ()
    state = play(state, "Tdx6d")
    assert (state.turn, legal(state)) == (0, {"7h", "pass"})
    state = play(state, "pass pass")
    assert legal(state) == {"Th", "pass"}


@pytest.mark.parametrize(
    ("throw_in", "asked"), [("all", [0, 2, 3, 4]), ("neighbours", [0, 2]), ("attacker", [0])]
)
def test_rule_5_6_who_may_throw_in(throw_in: str, asked: list[int]) -> None:
    """All, both neighbours of the defender, or the principal attacker alone, before and after a take."""
    rules = Rules(seats=5, throw_in=throw_in)
    opened = play(State.setup(rules, ["6s7h", "7s8s9s", "7d8h", "7c8d", "6d8c"], trump="9c"), "6s")
    for answer in ("7sx6s", "take"):
        state, turns = play(opened, answer), []
        while state.phase in (Phase.THROW_IN, Phase.PILE_ON):
            turns.append(state.turn)
            state = play(state, "pass")
        assert turns == asked
    helpers = [seat for seat, role in enumerate(opened.roles) if role in (Role.ATTACKER, Role.HELPER)]
    assert helpers == asked


def test_rule_5_6_neighbours_are_the_nearest_seats_still_in() -> None:
    """A seat that is out is stepped over on either side; one with a momentarily empty hand is not."""
    rules = Rules(seats=6, throw_in="neighbours")
    state = State.setup(rules, ["6s7h", "", "7s8s9s", "", "7d8h", "7c8d"], trump="9c")
    state = play(state, "6s 7sx6s pass")
    assert (state.turn, play(state, "pass").phase) == (4, Phase.OPENING)
    state = State.setup(rules, ["6s", "", "7s8s9s", "", "7d8h", "7c8d"], trump="9c")
    state = play(state, "6s 7sx6s")
    assert state.turn == 4
    assert play(state, "pass").attacker == 2


def test_rule_5_7_a_seat_without_a_fitting_card_still_passes() -> None:
    """Such a seat gets its turn with nothing but a pass, so that nobody can tell."""
    state = play(State.setup(THREE, ["6sAs", "7s8s", "QhQd"], trump="9c"), "6s 7sx6s")
    assert (state.turn, legal(state)) == (0, {"pass"})
    state = play(state, "pass")
    assert (state.turn, legal(state)) == (2, {"pass"})


def test_rule_5_7_an_empty_hand_is_skipped() -> None:
    """A seat that has played its last card is not asked."""
    state = play(State.setup(THREE, ["6s", "7s8s", "QhQd"], trump="9c"), "6s 7sx6s")
    assert state.turn == 2
    state = play(State.setup(THREE, ["6s", "7s8s", "QhQd"], trump="9c"), "6s take")
    assert state.turn == 2


def test_rule_5_8_forced_play_forbids_passing() -> None:
    """Whoever could throw in has to, in a bout, in a volley and after a take; others may pass."""
    state = play(State.setup(FORCED, ["6s7hAs", "7s8s9s"], trump="9c"), "6s 7sx6s")
    assert legal(state) == {"7h"}
    assert refused(state, "pass") == "5.8"
    state = play(State.setup(FORCED, ["6s9hAs", "7s8s9s"], trump="9c"), "6s 7sx6s")
    assert legal(state) == {"pass"}
    piling = play(State.setup(FORCED, ["6s6hAs", "7h8h9h"], trump="9c"), "6s take")
    assert (legal(piling), refused(piling, "pass")) == ({"6h"}, "5.8")
    volley = State.setup(Rules(forced_play=True, attack_style="volley"), ["6s6hAs", "7h8h9h"], trump="9c")
    volley = play(volley, "6s")
    assert (legal(volley), refused(volley, "pass")) == ({"6h"}, "5.8")
    assert legal(play(volley, "6h")) == {"pass"}


def test_rule_5_8_forced_play_forbids_taking() -> None:
    """Whoever could beat or transfer has to; only one who can do neither takes."""
    state = play(State.setup(FORCED, ["6s7hAs", "7s8s9s"], trump="9c"), "6s")
    assert legal(state) == {"7sx6s", "8sx6s", "9sx6s"}
    assert refused(state, "take") == "5.8"
    state = play(State.setup(FORCED, ["6sThAs", "7h8h9h"], trump="9c"), "6s")
    assert legal(state) == {"take"}
    rules = Rules(forced_play=True, transfer=True)
    state = play(State.setup(rules, ["6sThAs", "6h8h9h"], trump="9c"), "6s")
    assert (legal(state), refused(state, "take")) == ({">6h"}, "5.8")


def test_rule_5_8_a_younger_card_that_can_be_beaten_has_to_be() -> None:
    """When only the second of two cards can be beaten, that is the one way on; then the taking is free."""
    rules = Rules(forced_play=True, attack_style="volley")
    state = play(State.setup(rules, ["6s6hAs", "7h8h9h"], trump="9c"), "6s 6h pass")
    assert legal(state) == {"7hx6h", "8hx6h", "9hx6h"}
    assert refused(state, "take") == "5.8"
    assert legal(play(state, "7hx6h")) == {"take"}


def test_rule_5_8_showing_a_trump_is_not_playing_a_card() -> None:
    """Showing is neither demanded nor forbidden where play is forced; a card that beats still has to come."""
    rules = Rules(seats=3, forced_play=True, transfer=True, show_trump=True)
    # The seat after has one card: two attack cards are too many (7.2), the one shown is not.
    state = play(State.setup(rules, ["6sAs", "6c7h8h9h", "Ts"], trump="9c"), "6s")
    assert legal(state) == {"6cx6s", "^6c"}
    assert refused(state, "take") == "5.8"
    # Once it has been shown, nothing keeps the next seat from taking when it cannot beat.
    assert legal(play(state, "^6c")) == {"Tsx6s"}
    state = play(State.setup(rules, ["6sAs", "6c7h8h9h", "Th"], trump="9c"), "6s ^6c")
    assert legal(state) == {"take"}


def test_rule_5_10_the_defender_plays_the_lowest_card_that_beats() -> None:
    """A card of the suit before any trump, and of trumps the lowest; attacks are free."""
    rules = Rules(lowest_card="defence")
    state = State.setup(rules, ["6s7s9sKh", "8sTsJs6c7c"], trump="9c")
    assert legal(state) == {"6s", "7s", "9s", "Kh"}
    state = play(state, "9s")
    assert legal(state) == {"Tsx9s", "take"}
    assert [refused(state, action) for action in ("Jsx9s", "6cx9s", "8sx9s")] == ["5.10", "5.10", "1.4"]
    state = play(State.setup(rules, ["Kh9s", "8sTs7c6c"], trump="9c"), "Kh")
    assert (legal(state), refused(state, "7cxKh")) == ({"6cxKh", "take"}, "5.10")


def test_rule_5_10_attackers_play_the_lowest_card_that_fits() -> None:
    """Of all suits, trumps last, also when they throw in or pile on; a transfer is not restricted."""
    rules = Rules(lowest_card="always", transfer=True)
    state = State.setup(rules, ["7s7h6cKh8d", "8s7dTs7cKc"], trump="9c")
    assert (legal(state), refused(state, "6c")) == ({"7s", "7h"}, "5.10")
    state = play(state, "7s")
    assert legal(state) == {"8sx7s", ">7d", ">7c", "take"}
    beaten = play(state, "8sx7s")
    assert (legal(beaten), refused(beaten, "8d")) == ({"7h", "pass"}, "5.10")
    assert refused(beaten, "Kh") == "5.3"
    assert legal(play(state, "take")) == {"7h", "pass"}


def test_rule_5_10_with_forced_play() -> None:
    """A defender who can beat the card has a single action."""
    rules = Rules(lowest_card="defence", forced_play=True)
    assert legal(play(State.setup(rules, ["9sKh", "TsJs6c"], trump="9c"), "9s")) == {"Tsx9s"}


def test_rule_5_8_without_forced_play_passing_and_taking_are_free() -> None:
    """By default nobody is forced."""
    state = play(State.setup(TWO, ["6s7hAs", "7s8s9s"], trump="9c"), "6s")
    assert "take" in legal(state)
    assert "pass" in legal(play(state, "7sx6s"))


EXCHANGE = Rules(exchange_trump=True)
SIX_HELD = ["6h9sAc", "7s8s9d"]
KING_BELOW = "TsTdKh"


def test_rule_5_9_the_lowest_trump_is_exchanged_for_the_face_up_card() -> None:
    """The six goes under the talon, the king into the hand, and the same seat opens the bout."""
    state = State.setup(EXCHANGE, SIX_HELD, talon=KING_BELOW)
    assert legal(state) == {"6h", "9s", "Ac", "exchange"}
    after = play(state, "exchange")
    assert (after.phase, after.turn, after.bout, after.table) == (Phase.OPENING, 0, state.bout, ())
    assert after.hands == (CardSet.parse("Kh9sAc"), state.hands[1])
    assert (after.trump_card, after.trump_suit, after.limit) == (
        Card.parse("6h"),
        Card.parse("6h").suit,
        state.limit,
    )
    assert after.talon == (*state.talon[:2], Card.parse("6h"))
    assert legal(after) == {"Kh", "9s", "Ac"}


def test_rule_5_9_the_lowest_trump_is_the_lowest_rank_of_the_deck() -> None:
    """With 52 cards the two is exchanged, with 24 the nine; a higher trump never is."""
    for lowest, held in ((2, "2h"), (9, "9h")):
        rules = EXCHANGE.changed(lowest_rank=lowest)
        state = State.setup(rules, [held + "JsAc", "JdQsQd"], talon="TsTdKh")
        assert play(state, "exchange").trump_card == Card.parse(held)
        higher = State.setup(rules, ["ThJsAc", "JdQsQd"], talon="TsTdKh")
        assert "exchange" not in legal(higher)
        assert refused(higher, "exchange") == "5.9.1"


def test_rule_5_9_all_know_both_cards_from_then_on() -> None:
    """The card that was taken is known in the hand, until it is played; the other lies open."""
    rules = EXCHANGE.changed(seats=3)
    state = play(State.setup(rules, [*SIX_HELD, "ThJhQh"], talon=KING_BELOW), "exchange")
    for seat in range(3):
        seen = state.observation(seat)
        assert seen.events[-1] == Exchanged(0, Card.parse("6h"), Card.parse("Kh"))
        assert seen.known[0] == CardSet.parse("Kh")
        assert seen.trump_card == Card.parse("6h")
        assert Card.parse("6h") not in unseen_cards(seen)
    assert not play(state, "Kh").observation(1).known[0]


def test_rule_5_9_the_exchanged_card_is_drawn_last_and_then_known() -> None:
    """The player who draws the last card draws the lowest trump, and all know it."""
    rules = EXCHANGE.changed(hand_size=3)
    state = play(State.setup(rules, ["6h9sAc", "7sTs9d"], talon="Kh"), "exchange 9s Tsx9s pass")
    assert [(event.seat, event.cards, event.trump) for event in state.events if isinstance(event, Drew)] == [
        (0, (Card.parse("6h"),), True)
    ]
    assert state.known[0] == CardSet.parse("6hKh")


def test_rule_5_9_the_first_attacker_may_exchange_before_the_first_bout() -> None:
    """In a dealt game it is the seat with the lowest trump that begins, so it can be done at once."""
    rules = EXCHANGE.changed(hand_size=3)
    deck = deck_of(rules, ["6h 9s Ac", "7s 8s 9d"], "Ts Td", "Kh")
    state = play(State.from_deck(rules, deck), "exchange")
    assert (state.first_attacker, state.bout, state.trump_card) == (0, 1, Card.parse("6h"))
    assert State.from_deck(rules, deck).deck == state.deck


def test_rule_5_9_by_default_nothing_is_exchanged() -> None:
    """Without the option the action is refused."""
    state = State.setup(TWO, SIX_HELD, talon=KING_BELOW)
    assert "exchange" not in legal(state)
    assert refused(state, "exchange") == "5.9"


@pytest.mark.parametrize(
    ("hands", "talon", "trump", "moves", "kind"),
    [
        (SIX_HELD, KING_BELOW, "Kh", "9s", "bout_is_open"),
        (SIX_HELD, KING_BELOW, "Kh", "9s take", "bout_is_open"),
        (["7h9sAc", "6h8s9d"], KING_BELOW, "Kh", "", "not_holding_the_lowest_trump"),
        (["7h9sAc", "7s8s9d"], "6hTsKh", "Kh", "", "not_holding_the_lowest_trump"),
        (["Kh9sAc", "7s8s9d"], "TsTd6h", "6h", "", "is_the_lowest_trump"),
        (SIX_HELD, KING_BELOW, "Kh", "exchange", "is_the_lowest_trump"),
        (SIX_HELD, "", "Kh", "", "no_face_up_card"),
    ],
)
def test_rule_5_9_1_what_is_refused(hands: list[str], talon: str, trump: str, moves: str, kind: str) -> None:
    """In an open bout, by others, without the lowest trump, for itself, and with the talon empty."""
    state = play(State.setup(EXCHANGE, hands, talon=talon, trump=trump), moves)
    why = state.why_not(parse_action("exchange"))
    assert why is not None
    assert (why.paragraph, why.kind) == ("5.9.1", kind)
    assert "exchange" not in legal(state)
    with pytest.raises(IllegalActionError, match=r"5\.9\.1"):
        state.apply(parse_action("exchange"))


def test_rule_5_9_1_nothing_is_exchanged_where_no_card_is_turned_up() -> None:
    """Without trumps, and when the whole deck is dealt."""
    bare = State.setup(EXCHANGE.changed(trumps=False), SIX_HELD, talon=KING_BELOW)
    dealt = State.deal(EXCHANGE.changed(deal_all=True), 1)
    for state in (bare, dealt):
        assert "exchange" not in legal(state)
        assert refused(state, "exchange") == "5.9.1"
