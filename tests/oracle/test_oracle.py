"""Self-checks of the second engine: it has to be trustworthy before it can judge another."""

from __future__ import annotations

import random
from typing import Any

import pytest
from playing import TABLES
from properties import few_or_many

from durak_core.actions import EXCHANGE, PASS, TAKE, Action, Attack, Defend, ShowTrump, Transfer, parse_action
from durak_core.cards import Card, CardSet, Rank, Suit
from durak_core.rules import PRESETS, Rules
from oracle.engine import OracleGame, is_dealt_again, lowest_trump_holder


def cards(text: str) -> list[Card]:
    """Read cards written with spaces between them."""
    return [Card.parse(word) for word in text.split()]


def actions(text: str) -> set[Action]:
    """Read actions written with spaces between them."""
    return {parse_action(word) for word in text.split()}


def shuffled(rules: Rules, seed: int) -> list[Card]:
    """Shuffle the deck of some rules."""
    deck = list(rules.deck)
    random.Random(seed).shuffle(deck)
    return deck


def dealt(rules: Rules, hands: list[str], talon: str = "") -> OracleGame:
    """Deal so that the seats hold these equally large hands; the first seat attacks."""
    rows = [cards(hand) for hand in hands]
    return OracleGame(rules, [card for row in zip(*rows, strict=True) for card in row] + cards(talon), 0)


def play(game: OracleGame, text: str) -> OracleGame:
    """Play actions written with spaces between them."""
    for word in text.split():
        game.apply(parse_action(word))
    return game


def left_with(rules: Rules, *hands: str) -> OracleGame:
    """Begin a bout with the talon empty: seats without cards are out, 0 attacks, clubs are trumps."""
    game = OracleGame(rules, rules.deck, 0)
    game.hands = [set(cards(hand)) for hand in hands]
    game.talon = []
    game.places = [seat for seat, hand in enumerate(hands) if not hand]
    game.begin_bout(0)
    return game


BLACK, RED = cards("*s *h")


def with_jokers(way: str, **options: Any) -> Rules:
    """Make rules with jokers that beat any card, or cards of their colour (1.6)."""
    return Rules(jokers=way, **options)


def holding(rules: Rules, *hands: str, black: int | None = None, red: int | None = None) -> OracleGame:
    """Begin as `left_with` does, with the jokers in the hands of these seats."""
    game = left_with(rules, *hands)
    for card, seat in ((BLACK, black), (RED, red)):
        if seat is not None:
            game.hands[seat].add(card)
    game.begin_bout(0)  # the limit counts the jokers (5.2)
    return game


@few_or_many("games", 2, 6)
@pytest.mark.sampled(23)
@pytest.mark.parametrize(("teams", "seats"), TABLES)
@pytest.mark.parametrize("preset", PRESETS)
def test_no_card_is_lost_and_every_game_ends(preset: str, teams: str | None, seats: int, games: int) -> None:
    """Random games keep every card in exactly one place and come to an end."""
    rules = Rules.preset(preset, teams=teams, seats=seats)
    chance = random.Random(seats)
    for seed in range(games):
        game = OracleGame(rules, shuffled(rules, seed), seed % seats)
        for _ply in range(20_000):
            lying = [card for hand in game.hands for card in hand] + game.table_cards() + game.talon
            lying += game.discards
            assert sorted(lying) == list(rules.deck)
            if game.over:
                break
            assert game.legal() <= game.accepted()
            game.apply(chance.choice(sorted(game.legal(), key=str)))
        assert game.over
        assert sum(game.returns()) == 0
        assert game.turn is None
        assert game.legal() == set()


def test_the_deal_goes_round_one_card_at_a_time() -> None:
    """The first cards of the deck go to different seats, and the last card of the deck shows trumps."""
    rules = Rules(seats=3, hand_size=2)
    game = OracleGame(rules, rules.deck, 0)
    assert game.hands == [set(cards(text)) for text in ("6s 9s", "7s Ts", "8s Js")]
    assert game.talon[0] == Card.parse("Qs")
    assert game.trump_card == Card.parse("Ac")


def test_lowest_trump_holder() -> None:
    """The six of trumps counts only in a hand, and a deal without trumps in hand names nobody."""
    rules = Rules(seats=2, hand_size=1)
    rest = [card for card in rules.deck if str(card) not in {"7c", "8c", "6c"}]
    assert lowest_trump_holder(rules, [*cards("8c 7c"), *rest, *cards("6c")]) == 1
    rest = [card for card in rules.deck if str(card) not in {"7d", "8d", "6c"}]
    assert lowest_trump_holder(rules, [*cards("8d 7d"), *rest, *cards("6c")]) is None
    assert lowest_trump_holder(rules.changed(trumps=False), [*cards("8d 7d"), *rest, *cards("6c")]) is None


def test_which_decks_are_dealt_again() -> None:
    """Long suits (3.4), and an ace that shows the trump suit, wherever it lies (3.5)."""
    deck = Rules().deck
    assert deck[-1] == Card.parse("Ac")
    cases: tuple[tuple[dict[str, Any], bool], ...] = (
        ({}, False),
        ({"redeal_trump_ace": True}, True),
        ({"redeal_trump_ace": True, "deal_all": True}, True),
        ({"redeal_trump_ace": True, "trumps": False}, False),
        ({"redeal_same_suit": 5}, True),
        ({"redeal_same_suit": 6}, False),
    )
    for options, again in cases:
        assert is_dealt_again(Rules(**options), deck) is again
    assert not is_dealt_again(Rules(redeal_trump_ace=True), deck[::-1])


def test_the_first_limit_ends_with_a_bout_or_with_the_first_one_beaten_off() -> None:
    """Taken bouts leave it as it is with until_beaten, and the bout that is beaten off still has it (5.2)."""
    hands, talon = ["6s 6h 9d 9h", "7s 7h 8s 8h"], "Ts Th Td Tc Js Jh Jd Jc Qs Qh"
    for lasts, expected in (("one_bout", [2, 5, 6, 4]), ("until_beaten", [2, 2, 2, 4])):
        game = dealt(Rules(hand_size=4, first_bout_limit=2, first_limit_lasts=lasts), hands, talon)
        bouts = ("6s take pass", "9d take pass", "6h 7hx6h pass")
        assert [game.limit, *(play(game, bout).limit for bout in bouts)] == expected


def exchanging(hands: list[str], talon: str, **options: Any) -> OracleGame:
    """Deal two hands of two cards; the last card of the talon is face up and may be exchanged."""
    return dealt(Rules(hand_size=2, exchange_trump=True, **options), hands, talon)


def test_the_lowest_trump_is_exchanged_for_the_face_up_card() -> None:
    """The same seat still opens the bout, and all know both cards: in the hand and at the bottom (5.9)."""
    game = exchanging(["6c 7h", "7s 8h"], "9d Tc Ac")
    assert game.legal() == actions("6c 7h exchange")
    play(game, "exchange")
    assert (game.phase, game.turn, game.bout) == ("opening", 0, 1)
    assert game.legal() == actions("7h Ac")
    assert (game.hands[0], game.known[0]) == (set(cards("7h Ac")), set(cards("Ac")))
    assert (game.talon, game.trump_card) == (cards("9d Tc 6c"), Card.parse("6c"))
    # The card that was exchanged is drawn last, and all know by whom (3.2, 9.2).
    play(game, "7h 8hx7h pass")
    assert (game.turn, game.talon, game.known) == (1, cards("6c"), [set(cards("Ac")), set()])
    assert game.legal() == actions("7s Tc")
    play(game, "7s take pass")
    assert (game.talon, game.known) == ([], [set(cards("Ac 7s")), set(cards("6c"))])


def test_what_may_not_be_exchanged() -> None:
    """Not by others, not later in a bout, not another card, and not where no card lies face up (5.9.1)."""
    hands, talon = ["6c 7h", "7s 8h"], "9d Tc Ac"
    refusing = [
        dealt(Rules(hand_size=2), hands, talon),
        exchanging(hands, talon, trumps=False),
        exchanging(hands, "9d Tc As"),
        exchanging(hands, talon, lowest_rank=5),
        exchanging(hands[::-1], talon),
        exchanging(["7c 7h", "7s 8h"], "9d Tc 6c"),
        play(exchanging(hands, talon), "7h"),
        play(exchanging(hands, talon), "7h 8hx7h"),
        play(exchanging(hands[::-1], talon), "7s"),
        left_with(Rules(exchange_trump=True), "6c 7h", "7s 8h"),
    ]
    assert [game for game in refusing if EXCHANGE in game.accepted()] == []
    assert EXCHANGE in exchanging(["5c 7h", "7s 8h"], talon, lowest_rank=5).legal()
    assert EXCHANGE in exchanging(hands, "Ac").legal()  # the face-up card is all that is left of the talon


def test_a_short_game_from_opening_to_fool() -> None:
    """One bout is beaten off, seats draw in order, and the seat left with cards is the fool."""
    game = dealt(Rules(seats=2, hand_size=2), ["6s 7h", "7s 8h"], "9d Tc Ac")
    assert game.legal() == actions("6s 7h")
    play(game, "6s 7sx6s")
    assert game.legal() == actions("7h pass")
    play(game, "7h 8hx7h")
    # The limit of two is reached and the defender is empty: the attacker fills up, then the defender.
    assert game.hands == [set(cards("9d Tc")), set(cards("Ac"))]
    assert (game.attacker, game.defender, game.bout, game.limit) == (1, 0, 2, 2)
    play(game, "Ac")
    assert game.legal() == {TAKE}
    play(game, "take")
    assert (game.over, game.fools, game.places) == (True, [0], [1, 0])


def test_piling_on_starts_again_with_the_principal_attacker() -> None:
    """After each piled-on card the principal attacker is asked first again."""
    game = dealt(Rules(seats=3, hand_size=3), ["6s 6h 9d", "7d 8d Td", "6d 6c Ks"], "As")
    play(game, "6s take")
    assert (game.phase, game.turn) == ("pile_on", 0)
    play(game, "pass")
    assert (game.turn, game.passed) == (2, {0})
    play(game, "6d")
    assert (game.turn, game.passed) == (0, set())
    play(game, "6h")
    # Three cards against three held: the limit is reached and the table is taken at once.
    assert game.hands[1] == set(cards("7d 8d Td 6s 6d 6h"))
    assert (game.attacker, game.defender) == (2, 0)


def test_open_cards_may_be_beaten_in_any_order() -> None:
    """The canonical list offers the oldest open card only; answers to the others are accepted too."""
    game = dealt(Rules(seats=2, hand_size=3, attack_style="volley"), ["6s 6h 9c", "7s 7h Tc"], "As 9d")
    play(game, "6s 6h pass")
    assert game.legal() == actions("7sx6s take")
    assert game.accepted() == actions("7sx6s 7hx6h take")
    forced = dealt(
        Rules(seats=2, hand_size=3, attack_style="volley", forced_play=True), ["6s 6h 9d", "8d 7h Td"], "Ac"
    )
    play(forced, "6s 6h")
    assert forced.legal() == {PASS}
    play(forced, "pass")
    assert forced.legal() == actions("7hx6h")


def test_transfers_and_shown_trumps() -> None:
    """A transfer adds a card and a seat; a shown trump stays in hand and can be shown once."""
    game = dealt(
        Rules(seats=3, hand_size=2, transfer=True, show_trump=True), ["6s 9h", "6h 6c", "7s 6d"], "9d Ac"
    )
    play(game, "6s")
    assert game.legal() == {TAKE} | actions(">6h >6c ^6c 6cx6s")
    play(game, "^6c")
    assert (game.attacker, game.defender, game.limit) == (1, 2, 2)
    assert game.hands[1] == set(cards("6h 6c"))
    # One attack card and one more against the single card of the first seat: not allowed (7.2).
    assert not any(isinstance(action, Transfer) for action in game.legal())
    play(game, "7sx6s 6h take")
    assert ShowTrump(Card.parse("6c")) not in game.accepted()


def test_a_trump_is_shown_again_in_the_next_bout_or_not_at_all() -> None:
    """Never twice in a bout that comes round, and again in a later one only with bout (7.4)."""
    for once, again in (("game", ""), ("bout", "^6c")):
        rules = Rules(transfer=True, show_trump=True, show_trump_once=once)
        game = play(left_with(rules, "6s 6h 6d Kh", "6c 8d 9d"), "6s")
        assert game.legal() == actions("6cx6s >6c ^6c take")
        # Two attack cards against two cards in hand: 7.2 would allow the showing, but not a third card.
        assert play(game, "^6c >6h").accepted() == actions("6cx6s 6cx6h take")
        assert play(game, "take pass 6d").legal() == actions(f"6cx6d 8dx6d 9dx6d take {again}")


def test_the_lowest_card_beats_the_ace_of_its_suit() -> None:
    """Of trumps or of every suit; no other card does, and the ace still beats the lowest card (1.5)."""
    hands = "As Ac 6d", "6s 7s 6c 7c 6h Ad"
    for text, plain, trump in (
        ("lowest_beats_ace=none", "6cxAs 7cxAs", ""),
        ("lowest_beats_ace=trump", "6cxAs 7cxAs", "6cxAc"),
        ("lowest_beats_ace=any", "6sxAs 6cxAs 7cxAs", "6cxAc"),
        ("lowest_beats_ace=any,lowest_rank=5", "6cxAs 7cxAs", ""),
        ("lowest_beats_ace=trump,trumps=no", "", ""),
        ("lowest_beats_ace=any,trumps=no", "6sxAs", "6cxAc"),
        # 5.10: this defence counts, and any trump is higher than the lowest card of another suit.
        ("lowest_beats_ace=trump,lowest_card=defence", "6cxAs", "6cxAc"),
        ("lowest_beats_ace=any,lowest_card=defence", "6sxAs", "6cxAc"),
    ):
        rules = Rules.parse(f"podkidnoy:{text}")
        assert play(left_with(rules, *hands), "As").legal() == actions(f"{plain} take")
        assert play(left_with(rules, *hands), "Ac").legal() == actions(f"{trump} take")
        assert parse_action("Adx6d") in play(left_with(rules, *hands), "6d").legal()
    forced = left_with(Rules(lowest_beats_ace="any", forced_play=True), "As 9d", "6s 7s")
    assert play(forced, "As").legal() == actions("6sxAs")  # 5.8: nor may the defender take


def test_which_cards_a_joker_beats() -> None:
    """Any card but a joker, or all of its colour, trumps included (1.6)."""
    for way, text, jokers in (
        ("any", "As", {BLACK, RED}),
        ("any", "Ah", {BLACK, RED}),
        ("any", "6d", {BLACK, RED}),
        ("any", "Ac", {BLACK, RED}),  # clubs are trumps
        ("colour", "As", {BLACK}),
        ("colour", "Ah", {RED}),
        ("colour", "6d", {RED}),
        ("colour", "Ac", {BLACK}),
    ):
        game = play(holding(with_jokers(way), f"{text} 9d", "6h 7h", black=1, red=1), text)
        assert game.legal() == {Defend(card, Card.parse(text)) for card in jokers} | {TAKE}


def test_nothing_beats_a_joker() -> None:
    """Not a trump, not the other joker, and not an ace of the suit that its number has (1.6)."""
    for way in ("any", "colour"):
        for mine, theirs in ((BLACK, RED), (RED, BLACK)):
            game = holding(with_jokers(way, lowest_beats_ace="any"), "6s", "As Ah Ac 6c")
            game.hands[0].add(mine)
            game.hands[1].add(theirs)
            game.apply(Attack(mine))
            assert game.accepted() == {TAKE}
            game.apply(TAKE)
            assert game.legal() == {PASS}  # 5.3: the six has another rank


def test_a_joker_opens_and_only_the_other_one_is_thrown_in() -> None:
    """The other joker may be thrown in to an attack or a defence with one, or piled on (1.6, 5.3)."""
    rules = with_jokers("any", seats=3)
    game = holding(rules, "6s 6h", "7s 8s 9s", "As Ks", black=0, red=2)
    assert game.legal() == actions("6s 6h") | {Attack(BLACK)}
    game.apply(Attack(BLACK))
    game.apply(TAKE)
    assert (game.turn, game.legal()) == (0, {PASS})
    game.apply(PASS)
    assert (game.turn, game.legal()) == (2, {Attack(RED), PASS})
    game.apply(Attack(RED))
    play(game, "pass pass")
    assert game.hands[1] == {*cards("7s 8s 9s"), BLACK, RED}
    game = play(holding(rules, "6s", "8s 9s Td", "As Ks", black=1, red=0), "6s")
    game.apply(Defend(BLACK, Card.parse("6s")))
    assert (game.turn, game.legal()) == (0, {Attack(RED), PASS})
    game = play(holding(rules, "6s 9h", "7s 8s 9s", "As Ks", red=0), "6s 7sx6s")
    assert game.legal() == {PASS}  # without a joker on the table, none is thrown in


def test_a_joker_is_transferred_with_the_other_one() -> None:
    """With no other card and not by showing one, as a joker is no trump (1.6, 7.1, 7.4)."""
    options: dict[str, Any] = {"seats": 3, "transfer": True, "show_trump": True}
    game = holding(with_jokers("any", **options), "6s 9h", "As Ac", "8s 8h", black=0, red=1)
    game.trump_suit = Suit.HEARTS  # the suit of the red joker's number
    game.apply(Attack(BLACK))
    assert game.accepted() == {Transfer(RED), TAKE}
    game.apply(Transfer(RED))
    assert (game.attacker, game.defender, game.accepted()) == (1, 2, {TAKE})
    game = play(holding(with_jokers("any", **options), "6s 9h", "As Ad", "8s 8h", black=1), "6s")
    assert game.accepted() == {Defend(BLACK, Card.parse("6s")), TAKE} | actions("Asx6s")


def test_a_deal_is_repeated_if_a_joker_would_show_the_trump_suit() -> None:
    """Not if there are no trumps; and jokers count to no suit (1.6, 3.4)."""
    plain = list(Rules().deck)
    for card in (BLACK, RED):
        deck = [*plain, card]
        assert is_dealt_again(with_jokers("any"), deck)
        assert is_dealt_again(with_jokers("colour", deal_all=True), deck)
        assert not is_dealt_again(with_jokers("any", trumps=False), deck)
        assert not is_dealt_again(with_jokers("any"), deck[::-1])
    # Seat 0 gets every other card.
    deck = [*cards("6s 6h 7s 7h 8s 8d 9d 9c"), BLACK, *cards("Tc Td Jd Ac")]
    assert not is_dealt_again(with_jokers("any", redeal_same_suit=4), deck)
    deck[8] = Card.parse("As")
    assert is_dealt_again(with_jokers("any", redeal_same_suit=4), deck)


def test_a_joker_is_no_trump() -> None:
    """It does not decide who begins (4.1); but it is higher than trumps (5.10)."""
    rules = with_jokers("any", hand_size=2)
    for trump_card in cards("As Ah"):
        assert (
            lowest_trump_holder(rules, [BLACK, Card.parse("Kd"), RED, Card.parse("Qd"), trump_card]) is None
        )
        highest = Card(trump_card.suit, Rank.KING)
        assert lowest_trump_holder(rules, [BLACK, highest, RED, Card.parse("Qd"), trump_card]) == 1
    lowest = with_jokers("any", lowest_card="defence")
    game = play(holding(lowest, "As 9d", "6c 7c", black=1), "As")
    assert game.legal() == actions("6cxAs take")
    game = play(holding(lowest, "Ks 9d", "As 6c", black=1), "Ks")
    assert game.legal() == actions("AsxKs take")


def test_what_is_not_accepted_is_refused() -> None:
    """An action outside the accepted ones raises and changes nothing."""
    game = dealt(Rules(seats=2, hand_size=2), ["6s 7h", "7s 8h"], "9d Tc Ac")
    with pytest.raises(AssertionError, match="not accepted"):
        game.apply(Defend(Card.parse("7s"), Card.parse("6s")))
    assert game.legal() == {Attack(card) for card in CardSet.parse("6s7h")}


def test_endless_taking_is_drawn() -> None:
    """Three seats that hand the same cards round for ever are stopped by the stall limit."""
    rules = Rules(seats=3, suits=1, hand_size=3, stall_limit=7, draws=True)
    stalled = 0
    for seed in range(300):
        game = OracleGame(rules, shuffled(rules, seed), 0)
        while not game.over:
            options = sorted(game.legal(), key=str)
            game.apply(TAKE if TAKE in options else options[0])
        if game.draw and game.stall == rules.stall_limit:
            stalled += 1
            assert game.returns() == [0, 0, 0]
            assert game.fools == []
    assert stalled


PAIRS = Rules(seats=4, teams="2x2", transfer=True)
THREES = Rules(seats=6, teams="2x3", transfer=True)
THREE_PAIRS = Rules(seats=6, teams="3x2", transfer=True)


def test_an_attack_passes_over_partners_and_over_seats_that_are_out() -> None:
    """The next opponent defends (2.2.1), and who sits behind a defender that took attacks next."""
    assert left_with(PAIRS, "6s", "", "7s", "8s").defender == 3
    assert left_with(THREES, "6s", "", "7s", "", "8s", "9s").defender == 5
    assert left_with(THREE_PAIRS, "6s", "", "", "7s", "8s", "9s").defender == 4
    game = play(left_with(PAIRS, "6s 9h", "7d 8d", "", "Jd"), "6s take pass")
    assert (game.attacker, game.defender) == (3, 0)
    game = play(left_with(PAIRS, "6s 9h", "7s", "", "Jd"), "6s 7sx6s")
    assert (game.places, game.attacker, game.defender) == ([2, 1], 3, 0)


def test_only_opponents_of_the_defender_throw_in() -> None:
    """The nearest of them are those who are still in, even with a hand that has just run out (2.2.2)."""
    hands = "6s", "7d 8d Td", "6d", "6h Jd", "6c Qd", "7h"
    for rules, throw_in, throwers in (
        (THREES, "all", [2, 4]),
        (THREES, "neighbours", [2]),
        (THREES, "attacker", []),
        (THREE_PAIRS, "all", [2, 3, 5]),
        (THREE_PAIRS, "neighbours", [2]),
    ):
        game = play(left_with(rules.changed(throw_in=throw_in), *hands), "6s")
        assert game.throwers() == throwers
    game = play(left_with(THREES.changed(throw_in="neighbours"), *hands[:2], "", *hands[3:]), "6s")
    assert game.throwers() == [4]
    game = play(left_with(THREES, *hands), "6s take 6d 6c")
    assert game.hands[1] == set(cards("7d 8d Td 6s 6d 6c"))
    assert game.hands[3] == set(cards("6h Jd"))


def test_a_transfer_passes_over_partners() -> None:
    """It may reach the first attacker or its partner, whose team then may not throw in (2.2.3)."""
    game = play(left_with(PAIRS, "6s 9s", "6h 9h", "7d 8d", "Td"), "6s >6h")
    assert (game.attacker, game.defender, game.throwers()) == (1, 2, [1, 3])
    game = play(left_with(PAIRS, "6s 9s 9c", "6h 9h", "", "Td"), "6s >6h")
    assert (game.attacker, game.defender, game.throwers()) == (1, 0, [1, 3])
    game = play(left_with(THREE_PAIRS, "6s 9s", "6h 9h", "", "", "8d Kd", "Td Jd"), "6s >6h")
    assert (game.attacker, game.defender, game.throwers()) == (1, 5, [1, 4, 0])


def test_a_transfer_goes_to_nobody_behind_a_hand_that_is_too_small() -> None:
    """The next opponent still in holds one card against two, so nothing may be transferred (7.2)."""
    game = play(left_with(PAIRS, "6s 9s", "6h 9h", "7d", "Td Jd"), "6s")
    assert not any(isinstance(action, Transfer) for action in game.accepted())


def test_a_team_loses_together() -> None:
    """Also a seat that got out long before its partner was left with cards (2.2.4 to 2.2.6)."""
    game = play(left_with(PAIRS, "6s", "", "", "7d 8d"), "6s take")
    assert (game.fools, game.places) == ([1, 3], [1, 2, 0, 3])
    assert game.returns() == [1, -1, 1, -1]
    assert game.next_first_attacker() == 0
    game = play(left_with(THREE_PAIRS, "6s", "7d 8d", "", "", "9d Td", ""), "6s take")
    assert (game.fools, game.places, game.returns()[0]) == ([1, 4], [2, 3, 5, 0, 1, 4], pytest.approx(1 / 2))
    game = play(left_with(PAIRS, "6s 7s", "8s", "9s", ""), "6s 8sx6s")
    assert (game.fools, game.places, game.next_first_attacker()) == ([0, 2], [3, 1, 0, 2], 3)


def test_the_seat_before_or_after_the_fool_begins() -> None:
    """The next one all round the table, and of a team its first seat is the fool; 4.1 after a draw (4.2)."""
    for rules, hands, bout, fools, under, after in (
        (Rules(seats=3), ["6s", "", "7d 8d"], "6s take", [2], 1, 0),
        (Rules(seats=3), ["6s 9s", "7s", ""], "6s 7sx6s", [0], 2, 1),
        (PAIRS, ["6s", "", "", "7d 8d"], "6s take", [1, 3], 0, 2),
        (PAIRS, ["6s 7s", "8s", "9s", ""], "6s 8sx6s", [0, 2], 3, 1),
        (PAIRS, ["6s", "7s", "", ""], "6s 7sx6s", [], None, None),
    ):
        for way, begins in (("under_fool", under), ("after_fool", after)):
            game = play(left_with(rules.changed(next_first_attacker=way), *hands), bout)
            assert (game.fools, game.next_first_attacker()) == (fools, begins)


def test_when_no_team_has_cards_the_last_defender_decides() -> None:
    """A draw; without draws the team of the last defender loses, in the places in which it got out."""
    game = play(left_with(PAIRS, "6s", "7s", "", ""), "6s 7sx6s")
    assert (game.draw, game.places, game.returns()) == (True, [2, 3, 0, 1], [0, 0, 0, 0])
    assert game.next_first_attacker() is None
    game = play(left_with(PAIRS.changed(draws=False), "6s", "7s", "", ""), "6s 7sx6s")
    assert (game.fools, game.places, game.returns()) == ([1, 3], [2, 3, 0, 1], [1, -1, 1, -1])
    game = left_with(PAIRS.changed(draws=False, stall_limit=1), "6s 7d", "8d 9d", "Td", "")
    play(game, "6s take pass pass")
    assert (game.fools, game.places) == ([1, 3], [3, 1])
