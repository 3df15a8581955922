"""Section 7 of docs/rules.md: transfer."""

from __future__ import annotations

from playing import deck_of, legal, play, refused

from durak_core import Card, CardSet, Phase, Role, Rules, ShowTrump, State

TWO = Rules(transfer=True)
THREE = Rules(seats=3, transfer=True)
SHOWING = Rules(seats=3, transfer=True, show_trump=True)


def test_rule_7_without_the_option_nothing_is_transferred() -> None:
    """In the throw-in game a card of the rank cannot be handed on, and the refusal says so."""
    state = play(State.setup(Rules(), ["6s9sAs", "6h7h8h"], trump="9c"), "6s")
    assert legal(state) == {"take"}
    assert refused(state, ">6h") == "7"
    assert refused(state, "^6h") == "7"


def test_rule_7_1_a_card_of_the_rank_hands_the_attack_on() -> None:
    """The seat that transfers is the principal attacker, and the next one has to beat all the cards."""
    state = play(State.setup(THREE, ["6s9sAs", "6h7h8h", "7s8dTd"], trump="9c"), "6s >6h")
    assert (state.attacker, state.defender, state.turn) == (1, 2, 2)
    assert state.roles == (Role.HELPER, Role.ATTACKER, Role.DEFENDER)
    assert [str(pair.attack) for pair in state.table] == ["6s", "6h"]
    assert state.hands[1] == CardSet.parse("7h8h")
    assert legal(state) == {"7sx6s", "take"}
    state = play(state, "7sx6s")
    assert (state.phase, state.turn, legal(state)) == (Phase.DEFENCE, 2, {"take"})


def test_rule_7_1_the_next_round_begins_with_the_one_who_transferred() -> None:
    """Throwing in goes from the new principal attacker clockwise, the old one included."""
    state = State.setup(THREE, ["6s9sAs", "6h7h8h", "7s9hTd"], trump="9c")
    state = play(state, "6s >6h 7sx6s 9hx6h")
    assert (state.phase, state.turn, legal(state)) == (Phase.THROW_IN, 1, {"7h", "pass"})
    state = play(state, "pass")
    assert (state.turn, legal(state)) == (0, {"9s", "pass"})
    assert play(state, "pass").attacker == 2


def test_rule_7_1_an_attack_can_go_round() -> None:
    """The next seat may transfer again, until it is back with the first attacker."""
    state = State.setup(THREE, ["6s9sAsJs", "6h7h8h", "6d7s8d"], trump="9c")
    state = play(state, "6s >6h >6d")
    assert (state.attacker, state.defender, len(state.table)) == (2, 0, 3)
    state = play(State.setup(TWO, ["6s6d9s", "6h7h8h"], trump="9c"), "6s >6h")
    assert (state.attacker, state.defender, state.turn) == (1, 0, 0)


def test_rule_7_1_not_after_a_card_was_beaten() -> None:
    """Once one attack card of the bout has been beaten, no transfer is possible any more."""
    state = play(State.setup(THREE, ["6s7dAs", "6h7h7s", "8s8dTd"], trump="9c"), "6s 7sx6s 7d")
    assert legal(state) == {"take"}
    assert refused(state, ">7h") == "7.1"
    volley = Rules(seats=3, transfer=True, attack_style="volley")
    state = play(State.setup(volley, ["6s6dAs", "6h7h7s", "8s8dTd"], trump="9c"), "6s 6d pass 7sx6s")
    assert refused(state, ">6h") == "7.1"


def test_rule_7_1_only_a_card_of_the_attacks_rank() -> None:
    """Another rank does not transfer, nor does anything before the attack or by another seat."""
    state = State.setup(THREE, ["6s9sAs", "6h7h8h", "7s8dTd"], trump="9c")
    assert refused(state, ">6s") == "7.1"
    state = play(state, "6s")
    assert refused(state, ">7h") == "7.1"
    assert refused(state, ">9s") == "5.1"


def test_rule_7_1_the_transferring_card_is_played() -> None:
    """Roles change and the card leaves the hand; the seat that transfers with its last card goes out."""
    state = play(State.setup(THREE, ["6s9s", "6h", "7sTh"], trump="9c"), "6s >6h")
    assert state.hand_sizes == (1, 0, 2)
    state = play(state, "take")
    assert state.places == (1,)
    assert (state.attacker, state.defender) == (0, 2)


def test_rule_7_2_the_new_defender_must_hold_as_many_cards() -> None:
    """Two attack cards cannot go to a seat with one card."""
    state = play(State.setup(THREE, ["6s9sAs", "6h7h8h", "7s"], trump="9c"), "6s")
    assert legal(state) == {"take"}
    assert refused(state, ">6h") == "7.2"
    state = play(State.setup(THREE, ["6s9sAs", "6h7h8h", "7s8s"], trump="9c"), "6s")
    assert legal(state) == {">6h", "take"}
    state = play(State.setup(TWO, ["6s9s", "6h7h8h"], trump="9c"), "6s")
    assert refused(state, ">6h") == "7.2"


def test_rule_7_2_the_limits_must_allow_as_many_cards() -> None:
    """Neither the attack limit nor that of the first bout may be exceeded by transferring."""
    hands = ["6s9sAs", "6h7h8h", "7s8sTs"]
    one = play(State.setup(THREE.changed(attack_limit=1), hands, trump="9c"), "6s")
    assert refused(one, ">6h") == "7.2"
    first = THREE.changed(first_bout_limit=1)
    assert refused(play(State.setup(first, hands, trump="9c", bout=1), "6s"), ">6h") == "7.2"
    assert refused(play(State.setup(first, hands, trump="9c", bout=2), "6s"), ">6h") == ""


def test_rule_7_2_an_empty_hand_gets_no_attack() -> None:
    """The next seat is the one still in even if it has just played its last card: no transfer then."""
    state = State.setup(THREE, ["6s", "6h7h8h", "6d7sTd"], trump="9c")
    state = play(state, "6s >6h")
    assert state.hand_sizes[0] == 0
    assert refused(state, ">6d") == "7.2"


def test_rule_7_3_the_first_bout_may_be_transferred_by_default() -> None:
    """By default the first bout is like any other; with `transfer_first_bout` no it is not."""
    hands = ["6s9sAs", "6h7h8h", "7s8sTs"]
    assert ">6h" in legal(play(State.setup(THREE, hands, trump="9c", bout=1), "6s"))
    rules = SHOWING.changed(transfer_first_bout=False)
    state = play(State.setup(rules, ["6s9sAs", "6h6c8h", "7s8sTs"], trump="9c", bout=1), "6s")
    assert legal(state) == {"6cx6s", "take"}
    assert refused(state, ">6h") == "7.3"
    assert refused(state, "^6c") == "7.3"


def test_rule_7_3_the_second_bout_may_always_be_transferred() -> None:
    """The option ends with the first bout of the dealt game."""
    rules = Rules(transfer=True, transfer_first_bout=False, hand_size=3)
    deck = deck_of(rules, ["9d 6s Js", "9h 6h 8h"], "Qd", "9c")
    state = play(State.from_deck(rules, deck, first_attacker=0), "9d")
    assert (legal(state), refused(state, ">9h")) == ({"take"}, "7.3")
    state = play(state, "take pass 6s")
    assert state.bout == 2
    assert legal(state) == {">6h", "take"}


def test_rule_7_4_showing_the_trump_of_the_rank() -> None:
    """The defender shows the trump six, keeps it, and the attack goes on as it is."""
    state = play(State.setup(SHOWING, ["6s9sAs", "6c7h8h", "7s"], trump="9c"), "6s")
    # One card in the next hand: enough for the attack as it is (7.2).
    assert legal(state) == {"6cx6s", "^6c", "take"}
    state = play(state, "^6c")
    assert (state.attacker, state.defender, state.turn, len(state.table)) == (1, 2, 2, 1)
    assert state.hands[1] == CardSet.parse("6c7h8h")
    assert state.limit == 1


def test_rule_7_4_all_know_the_shown_card() -> None:
    """From then on everybody knows where the card is, until it is played."""
    state = play(State.setup(SHOWING, ["6s9sAs", "6c7h8h", "7s8d"], trump="9c"), "6s ^6c")
    for seat in range(3):
        seen = state.observation(seat)
        assert seen.known[1] == CardSet.parse("6c")
        assert seen.shown == (1,)
    state = play(state, "7sx6s 6c")
    assert not state.observation(0).known[1]


def test_rule_7_4_once_a_game_for_each_seat() -> None:
    """A seat that has shown may not show again, in a later bout either; another seat may."""
    rules = Rules(transfer=True, show_trump=True)
    state = State.setup(rules, ["6s6d9sAs7c", "6c7h8hTh"], trump="9c")
    state = play(state, "6s ^6c 9sx6s pass 6d")
    assert (state.attacker, state.defender, state.bout, state.shown) == (0, 1, 3, (1,))
    why = state.why_not(ShowTrump(Card.parse("6c")))
    assert why is not None
    assert (why.paragraph, why.kind) == ("7.4", "shown_before")
    assert refused(state, ">6c") == ""
    state = play(state, "6cx6d pass 7h")
    assert (state.defender, refused(state, "^7c")) == (0, "")
    assert play(state, "^7c").shown == (0, 1)


def test_rule_7_4_once_a_bout_if_the_table_says_so() -> None:
    """A seat may show again in a later bout, but not twice in one."""
    rules = Rules(transfer=True, show_trump=True, show_trump_once="bout")
    state = State.setup(rules, ["6s6d9sAs7c", "6c7h8hTh"], trump="9c")
    state = play(state, "6s ^6c")
    assert state.shown == (1,)
    state = play(state, ">6d")
    assert refused(state, "^6c") == "7.4"
    state = State.setup(rules, ["6s6d9sAs7c", "6c7h8hTh"], trump="9c")
    state = play(state, "6s ^6c 9sx6s pass 6d")
    assert (state.bout, state.shown) == (3, ())
    assert refused(state, "^6c") == ""


def test_rule_7_4_only_the_trump_of_the_rank_and_only_with_the_option() -> None:
    """Other trumps, other cards of the rank, and games without the option do not show."""
    state = play(State.setup(SHOWING, ["6s9sAs", "6h7c6c", "7s8s"], trump="9c"), "6s")
    assert refused(state, "^7c") == "7.4"
    assert refused(state, "^6h") == "7.4"
    assert refused(state, "^6c") == ""
    plain = play(State.setup(THREE, ["6s9sAs", "6h7c6c", "7s8s"], trump="9c"), "6s")
    why = plain.why_not(ShowTrump(Card.parse("6c")))
    assert why is not None
    assert (why.paragraph, why.kind) == ("7.4", "no_showing")
    bare = play(State.setup(SHOWING.changed(trumps=False), ["6s9sAs", "6h7c6c", "7s8s"]), "6s")
    assert refused(bare, "^6c") == "7.4"


def test_rule_7_4_showing_counts_the_cards_as_they_are() -> None:
    """Two attack cards can be shown on to two held cards, but not to one."""
    rules = SHOWING.changed(attack_style="volley")
    state = State.setup(rules, ["6s6hAs", "6c7h8h", "7s8d"], trump="9c")
    state = play(state, "6s 6h pass")
    assert legal(state) == {"6cx6s", "^6c", "take"}
    assert refused(state, "^7h") == "7.4"
    state = State.setup(rules, ["6s6hAs", "6c7h8h", "7s"], trump="9c")
    state = play(state, "6s 6h pass")
    assert refused(state, "^6c") == "7.2"


def test_rule_7_4_not_after_a_card_was_beaten() -> None:
    """Showing is a transfer and ends with the first beaten card, too."""
    state = play(State.setup(SHOWING, ["6s7dAs", "7s7c8h", "8s8dTd"], trump="9c"), "6s 7sx6s 7d")
    assert legal(state) == {"7cx7d", "take"}
    assert refused(state, "^7c") == "7.1"
