"""Section 4 of docs/rules.md: who begins."""

from __future__ import annotations

import pytest
from playing import deck_of, play, random_game

from durak_core import (
    BoutBegan,
    Record,
    Rules,
    State,
    from_json,
    next_first_attacker,
    read_game,
    to_json,
    write_game,
)
from durak_core.engine.protocol import parse_event, write_event
from durak_core.errors import DealError


def lowest_trump_seat(state: State) -> int | None:
    """Who holds the lowest trump, found the long way."""
    trumps = [
        (card.rank, seat)
        for seat, hand in enumerate(state.hands)
        for card in hand
        if card.suit == state.trump_suit
    ]
    return min(trumps)[1] if trumps else None


@pytest.mark.parametrize("seats", range(2, 7))
def test_rule_4_1_the_lowest_trump_in_hand_attacks_first(seats: int) -> None:
    """In a hundred deals the holder of the lowest trump begins, wherever one is held."""
    found = 0
    for seed in range(100):
        state = State.deal(Rules(seats=seats), seed)
        holder = lowest_trump_seat(state)
        found += holder is not None
        assert holder in (None, state.attacker)
        assert state.attacker == state.turn == state.first_attacker
    assert found > 90


def test_rule_4_1_the_open_trump_card_does_not_count() -> None:
    """The six of trumps under the talon is in nobody's hand: the seven attacks."""
    rules = Rules(seats=3, hand_size=2)
    deck = deck_of(rules, ["6s 8c", "Kd 9c", "7c Ad"], bottom="6c")
    assert State.from_deck(rules, deck).attacker == 2


def test_rule_4_1_a_trump_shown_in_hand_counts() -> None:
    """When the whole deck is dealt the trump card lies in a hand and counts like any other."""
    rules = Rules(seats=2, deal_all=True, lowest_rank=11)
    deck = deck_of(rules, ["Js Qs Ks As Jh Qh Kh Qc", "Ah Jd Qd Kd Ad Kc Ac Jc"])
    assert str(deck[-1]) == "Jc"
    assert State.from_deck(rules, deck).attacker == 1


def test_rule_4_1_nobody_holds_a_trump() -> None:
    """Then the seed draws the seat, each seat sometimes and always the same one for one seed."""
    rules = Rules(seats=3, hand_size=1)
    deck = deck_of(rules, ["6s", "7s", "8s"], bottom="6c")
    drawn = [State.from_deck(rules, deck, seed=seed).attacker for seed in range(60)]
    assert {drawn.count(seat) > 8 for seat in range(3)} == {True}
    assert drawn == [State.from_deck(rules, deck, seed=seed).attacker for seed in range(60)]
    with pytest.raises(DealError, match=r"rules 4\.1"):
        State.from_deck(rules, deck)


def test_rule_4_1_without_trumps_the_seed_draws_the_seat() -> None:
    """With `trumps` no there is no lowest trump; all seats begin equally often."""
    begun = [State.deal(Rules(seats=4, trumps=False), seed).attacker for seed in range(400)]
    assert all(70 < begun.count(seat) < 130 for seat in range(4))


def test_rule_4_2_lowest_trump_applies_every_time() -> None:
    """By default the deal decides in every game of a series."""
    rules = Rules(seats=3)
    end = list(random_game(rules, 1))[-1]
    assert end.fool is not None
    assert next_first_attacker(rules, None) is None
    assert next_first_attacker(rules, end.fool) is None


def test_rule_4_2_under_fool_attacks_the_fool() -> None:
    """With `under_fool` the seat before the fool begins, so the fool is the first defender."""
    rules = Rules(seats=3, next_first_attacker="under_fool")
    assert next_first_attacker(rules, None) is None
    fools = set()
    for seed in range(30):
        end = list(random_game(rules, seed))[-1]
        if end.fool is not None:
            fools.add(end.fool)
            first = next_first_attacker(rules, end.fool)
            assert State.deal(rules, seed, first).defender == end.fool
    assert fools == {0, 1, 2}


@pytest.mark.parametrize(("teams", "seats"), [("2x2", 4), ("2x3", 6), ("3x2", 6)])
def test_rule_4_2_under_fool_attacks_the_first_seat_of_a_team(teams: str, seats: int) -> None:
    """The nearest opponent before that seat begins."""
    rules = Rules(seats=seats, teams=teams, next_first_attacker="under_fool")
    lost = set()
    for seed in range(12):
        end = list(random_game(rules, seed))[-1]
        if end.fools:
            lost.add(end.fool)
            first = next_first_attacker(rules, end.fool)
            assert first == (end.fools[0] - 1) % seats
            assert State.deal(rules, seed, first).defender == min(end.fools)
    assert lost == set(range(rules.team_count))


def test_rule_4_2_after_fool_the_next_seat_attacks() -> None:
    """The seat after the fool begins; of a team, the seat after its first seat."""
    rules = Rules(seats=3, next_first_attacker="after_fool")
    assert [next_first_attacker(rules, fool) for fool in (None, 0, 1, 2)] == [None, 1, 2, 0]
    assert State.deal(rules, 1, 1).attacker == 1
    teams = Rules(seats=6, teams="3x2", next_first_attacker="after_fool")
    assert [next_first_attacker(teams, fool) for fool in range(3)] == [1, 2, 3]


def test_rule_4_2_after_a_draw_the_deal_decides() -> None:
    """After a draw there is no fool to attack."""
    rules = Rules(next_first_attacker="under_fool")
    end = play(State.setup(rules, ["6s", "7s"], trump="6c"), "6s 7sx6s")
    assert end.is_draw
    assert next_first_attacker(rules, end.fool) is None


def test_rule_4_2_the_deal_may_name_the_first_attacker() -> None:
    """A seat given to the deal begins, and a seat that does not exist is refused."""
    assert [State.deal(Rules(seats=3), 1, seat).attacker for seat in range(3)] == [0, 1, 2]
    for wrong in (3, -1):
        with pytest.raises(DealError):
            State.deal(Rules(seats=3), 1, wrong)


def first_by(state: State) -> str | None:
    event = state.observation(1).events[0]
    assert isinstance(event, BoutBegan)
    return event.first_by


def test_rule_4_1_all_know_why_a_seat_begins() -> None:
    """By the lowest trump, by chance, or for another reason; records, JSON and the engine's words keep it."""
    rules = Rules(seats=3, hand_size=1, next_first_attacker="under_fool")
    plain = rules.changed(next_first_attacker="lowest_trump")
    none_held = deck_of(rules, ["6s", "7s", "8s"], bottom="6c")
    one_held = deck_of(rules, ["6s", "7c", "8s"], bottom="6c")
    states = [
        (State.from_deck(rules, one_held), "trump"),
        (State.from_deck(plain, one_held, 1), "trump"),
        (State.from_deck(rules, one_held, 1), None),  # under the fool (4.2), who happens to sit so
        (State.from_deck(plain, one_held, 2), None),  # the deal speaks against it
        (State.from_deck(plain, none_held, seed=1), "chance"),
        (State.setup(plain, ["6s", "7c", "8s"], trump="6c", attacker=1, bout=1), None),
    ]
    for state, expected in states:
        assert first_by(state) == expected
        assert parse_event(write_event(state.events[0])) == state.events[0]
        if state.deck is not None:
            record = Record.of(state, ("",) * 3)
            for again in (record, read_game(write_game(record)), from_json(to_json(record))):
                assert first_by(again.start) == expected
                assert again == record
