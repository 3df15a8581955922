"""Games with real cards: what one seat reports is what it sees, and nothing else is needed."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from durak_core import (
    Attack,
    Attacked,
    BoutBegan,
    Card,
    DealError,
    Drew,
    RealGame,
    Record,
    RecordError,
    Rules,
    State,
    from_json,
    read_game,
    to_json,
    write_game,
)
from durak_core.game.notation.game_code import write_game_code
from durak_core.game.real_game import reporting_seat, seat_to_show
from durak_core.game.record import REAL_TAG
from durak_core.lab.stats.recorded_games import decision_rows
from durak_core.review.evaluation import questions

RULES = (
    "podkidnoy",
    "perevodnoy:seats=3",
    "podkidnoy:seats=6",
    "perevodnoy:seats=4,teams=2x2,show_trump=yes,exchange_trump=yes",
    "larsenbier:seats=4,deal_all=yes,trumps=no",
    "online:seats=5,lowest_rank=2",
)


def dealt(rules: str, seed: int) -> State:
    """A deal whose first attacker is not chosen by its cards: a table of wood says who begins."""
    known = replace(Rules.parse(rules), next_first_attacker="under_fool")
    return State.deal(known, seed, seed % known.seats)


def begun(state: State, seat: int) -> RealGame:
    hand = list(state.hands[seat] - state.known[seat])
    Random(seat).shuffle(hand)
    game = RealGame.begin(state.rules, seat, state.first_attacker, state.trump_card)
    return game.name(hand)


def drawn(before: State, after: State, seat: int) -> list[Card]:
    news = after.observation(seat).events[len(before.observation(seat).events) :]
    cards = [card for event in news if isinstance(event, Drew) for card in event.cards or ()]
    return [card for card in cards if card not in after.known[seat]]


def reported(state: State, seat: int, plies: int = 1000, *, seed: int = 0) -> tuple[State, RealGame]:
    """Play at random, and report it from a seat."""
    chance, game = Random(seed), begun(state, seat)
    for _ in range(plies):
        if state.is_over:
            break
        action = chance.choice(state.legal_actions)
        after = state.apply(action)
        game = game.play(action).name(drawn(state, after, seat))
        state = after
    return state, game


@pytest.mark.parametrize(("number", "rules"), list(enumerate(RULES)))
def test_a_seat_that_reports_a_game_sees_what_it_saw(number, rules):
    state, chance = dealt(rules, number), Random(number)
    seat = (number + 1) % state.rules.seats
    game = begun(state, seat)
    assert game.observation == state.observation(seat)
    while not state.is_over:
        action = chance.choice(state.legal_actions)
        after = state.apply(action)
        game = game.play(action)
        cards = drawn(state, after, seat)
        assert len(game.unnamed) == len(cards)
        game, state = game.name(cards), after
        assert game.observation == state.observation(seat)


def test_a_report_does_not_depend_on_the_deal_behind_it():
    """Whatever the hidden cards stand for before, unseen cards are the same."""
    _, game = reported(dealt("podkidnoy:seats=3", 4), 0, 12)
    for card in list(game.unseen)[:8]:
        if card not in game.state.hands[game.state.turn or 0]:
            try:
                moved = game.holding(card)
            except RecordError:
                continue
            assert moved.observation == game.observation
            assert moved.unseen == game.unseen


def test_nothing_is_invented_where_cards_have_no_names_yet():
    game = RealGame.begin("podkidnoy", 0, 0, "Kc")
    with pytest.raises(RecordError, match="name the cards that were drawn first: 6"):
        _ = game.observation
    with pytest.raises(RecordError, match="name the cards"):
        game.play("6s")
    assert len(game.unseen) == 35
    assert game.name("6s7s").unseen == game.unseen - {Card("6s"), Card("7s")}


@pytest.mark.parametrize("first", [0, 1])
def test_the_rules_stay_as_chosen_and_who_begins_tells_of_no_card(first):
    game = RealGame.begin("podkidnoy", 0, first, "Kc").name("6s7s8d9dThAc")
    assert game.state.rules == Rules()
    for state in (game.state, game.states[0], read_game(write_game(game.record(("", "")))).start):
        begun = state.events[0]
        assert isinstance(begun, BoutBegan)
        assert (begun.attacker, begun.first_by) == (first, None)


def seen_twice() -> tuple[RealGame, Card, Card]:
    """A game after a bout that was beaten off, with a card of it and a card of the hand."""
    game = RealGame.begin("podkidnoy", 0, 1, "Kc").name("6s7s8d9dThAc")
    game = game.play("6h").play("Thx6h").play("pass").name("7h")
    return game, Card("6h"), Card("6s")


def test_a_card_that_was_seen_elsewhere_is_refused_with_its_place():
    game, gone, own = seen_twice()
    game = game.play(f"{own}")
    with pytest.raises(RecordError, match="6h cannot be in that hand: it was beaten off in bout 1"):
        game.play(f"{gone}x{own}")
    for text, where in (("7s", "it is in your hand"), ("Kc", "it lies under the talon")):
        with pytest.raises(RecordError, match=f"{text} cannot be in that hand: {where}"):
            game.play(f"{text}x6s")
    with pytest.raises(RecordError, match="5h is not of the deck"):
        game.play("5hx6s")
    taken = game.play("take").play("pass")
    with pytest.raises(RecordError, match="6s cannot be in that hand: it was taken up in bout 2"):
        taken.name("6s")


def test_a_card_named_twice_or_too_many_are_refused():
    game = RealGame.begin("podkidnoy", 0, 1, "Kc")
    with pytest.raises(RecordError, match="6s cannot be in that hand: it is in your hand"):
        game.name("6s6s")
    with pytest.raises(RecordError, match="8h cannot be drawn: no card was drawn"):
        game.name("6s7s8d9dThAc8h")


def test_a_move_against_the_rules_is_refused_without_telling_unseen_cards():
    game, _, _ = seen_twice()
    game = game.play("7s")
    with pytest.raises(RecordError, match=r"rules 1\.4") as caught:
        game.play("6dx7s")
    assert "legal" not in str(caught.value)


def test_a_move_is_taken_back_and_said_anew():
    game, _, _ = seen_twice()
    after = game.play("6s").play("9sx6s").play("pass").name("8h")
    again = after.undo()
    assert again.observation == game.play("6s").play("9sx6s").observation
    assert again.play("pass").name("Jh").observation.hand == (after.observation.hand - {Card("8h")}) | {
        Card("Jh")
    }
    first = RealGame.begin("podkidnoy", 0, 1, "Kc").name("6s7s8d9dThAc")
    assert len(first.undo().unnamed) == len(first.observation.hand)


@pytest.mark.parametrize(
    "text", [lambda record: read_game(write_game(record)), lambda r: from_json(to_json(r))]
)
def test_a_game_goes_on_from_its_record(text):
    _, game = reported(dealt("perevodnoy:seats=3", 2), 1, 25)
    names = ("Anna", "Boris", "Vera")
    found = RealGame.of(text(game.record(names, "2026-11-28")))
    assert (found.observation, found.unseen) == (game.observation, game.unseen)
    waiting = RealGame.begin("podkidnoy", 0, 1, "Kc").name("6s7s")
    assert RealGame.of(text(waiting.record(names[:2]))).name("8d9dThAc").observation.hand_sizes == (6, 6)


def test_a_record_of_other_cards_is_no_real_game():
    record = Record.of(State.deal(Rules(), 1), ("Anna", "Boris"))
    with pytest.raises(RecordError, match="its cards were not real"):
        RealGame.of(record)
    for tag in ("7", "x", "0 6s7s8s9sTsJsQsKsAs"):
        with pytest.raises(RecordError):
            RealGame.of(replace(record, tags={REAL_TAG: tag}))


@pytest.mark.parametrize(
    "options", ["groningen", "podkidnoy:visibility=open", "podkidnoy:lowest_card=always"]
)
def test_rules_that_ask_for_hidden_cards_are_refused(options):
    with pytest.raises(RecordError, match="rules"):
        RealGame.begin(options, 0, 0, "Kc")


def test_a_trump_that_cannot_be_is_refused():
    with pytest.raises(RecordError, match="2c is not of the deck"):
        RealGame.begin("podkidnoy", 0, 0, "2c")
    with pytest.raises(RecordError, match="a card shows the trumps"):
        RealGame.begin("podkidnoy", 0, 0)
    with pytest.raises(DealError, match="there is no seat 2"):
        RealGame.begin("podkidnoy", 2, 0, "Kc")


def test_a_review_asks_only_what_the_seat_could_know():
    end, game = reported(dealt("podkidnoy:seats=3", 8), 2)
    record = game.record(("Anna", "Boris", "Vera"))
    asked = questions(record)
    assert asked
    assert {one.seat for one in asked} == {2}
    own = [event for event in end.events if isinstance(event, Attacked) and event.seat == 2]
    assert len(own) <= len(asked) < len(record.moves)


def test_a_game_that_fits_one_deal_only_is_recorded_with_all_hands():
    """If all cards are dealt, the cards that were played and the last ones held are all hands."""
    names = ("Anna", "Boris", "Vera", "Gleb", "Dora", "Egor")
    end, game = reported(dealt("podkidnoy:seats=6", 5), 3)
    record = read_game(write_game(game.record(names)))
    assert record.tags[REAL_TAG] == "3 whole"
    assert reporting_seat(record) is None
    assert [state.hands for state in record.replay()] == [
        state.hands for state in Record.of(end, names).replay()
    ]
    assert {one.seat for one in questions(record)} == set(range(6))


def test_a_game_that_fits_several_deals_stays_the_seats_own():
    """Which of two hidden cards was drawn first is unknown."""
    for seed in range(5):
        _, game = reported(dealt("podkidnoy", seed), 0)
        assert reporting_seat(game.record(("Anna", "Boris"))) == 0


@pytest.mark.parametrize(("number", "rules"), list(enumerate(RULES)))
def test_what_another_seat_may_have_done_does_not_depend_on_its_unseen_cards(number, rules):
    """All that the true hand allows is possible, and what is not possible the table forbids."""
    state, chance = dealt(rules, number), Random(number)
    game = begun(state, 0)
    while not state.is_over and state.plies < 60:
        if state.turn != 0:
            assert state.hands[state.turn] <= game.possible
            assert all(game.why_not(action) is None for action in state.legal_actions)
            assert not game.possible & game.state.hands[0]
        for card in list(game.possible)[::5]:
            if game.why_not(Attack(card)) is None:
                assert game.play(Attack(card)).moves[-1].action == Attack(card)
        action = chance.choice(state.legal_actions)
        after = state.apply(action)
        game, state = game.play(action).name(drawn(state, after, 0)), after


def test_only_what_the_seat_knew_is_shown_and_exported():
    _, game = reported(dealt("podkidnoy:seats=3", 8), 2)
    record = game.record(("Anna", "Boris", "Vera"))
    assert [seat_to_show(record, seat) for seat in (None, 2)] == [2, 2]
    with pytest.raises(RecordError, match="only the hand of seat 2"):
        seat_to_show(record, 0)
    with pytest.raises(RecordError, match="only the hand of seat 2"):
        seat_to_show(record, 2, needs_all=True)
    assert {row.seat for row in decision_rows([record])} == {2}
    with pytest.raises(RecordError, match="has no code"):
        write_game_code(record)
    ordinary = Record.of(State.deal(Rules(), 1), ("Anna", "Boris"))
    assert [seat_to_show(ordinary, seat) for seat in (None, 1)] == [None, 1]
