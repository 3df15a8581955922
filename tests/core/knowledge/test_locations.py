"""Where every card may be: exact, after every event, against an oracle that plays every deal."""

from __future__ import annotations

import random
from itertools import combinations, pairwise, permutations, product

import pytest
from deals import Deals, this_one, together
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from playing import STYLES, cards, play, random_game, random_rules
from properties import few_and_many

from durak_core import Card, CardSet, KnowledgeError, Rules, State, Transferred
from durak_core.game.events import Attacked, Drew
from durak_core.knowledge.belief import belief_of
from durak_core.knowledge.certain import possible_cards, visible_position
from durak_core.knowledge.hidden_hand import HiddenHand, assign, spread
from durak_core.knowledge.locations import (
    BOTTOM,
    TALON,
    FollowedLocations,
    PublicLocations,
    SeatLocations,
    all_locations,
)

SMALL = [
    "podkidnoy:suits=2,lowest_rank=11,hand_size=2",
    "podkidnoy:suits=2,lowest_rank=11,hand_size=3,forced_play=yes",
    "podkidnoy:seats=3,suits=2,lowest_rank=11,hand_size=2,forced_play=yes",
    "podkidnoy:suits=2,lowest_rank=11,hand_size=2,forced_play=yes,attack_style=volley",
    "podkidnoy:suits=2,lowest_rank=11,hand_size=2,lowest_card=defence",
    "podkidnoy:suits=2,lowest_rank=11,hand_size=3,forced_play=yes,lowest_card=always",
    "groningen:seats=3,suits=2,lowest_rank=11,hand_size=2",
    "perevodnoy:seats=3,suits=2,lowest_rank=11,hand_size=2,show_trump=yes",
    "perevodnoy:seats=3,suits=2,lowest_rank=11,hand_size=2,forced_play=yes,show_trump=yes",
    (
        "perevodnoy:seats=3,suits=2,lowest_rank=11,hand_size=2,forced_play=yes,"
        "first_bout_limit=1,first_limit_lasts=until_beaten"
    ),
    "podkidnoy:suits=2,lowest_rank=11,hand_size=2,exchange_trump=yes",
    "perevodnoy:seats=3,suits=2,lowest_rank=11,hand_size=2,forced_play=yes,exchange_trump=yes",
    "podkidnoy:suits=2,lowest_rank=11,hand_size=3,trumps=no",
    "podkidnoy:suits=2,lowest_rank=11,hand_size=3,visibility=open",
]


SEEDS = (1,)
EXCHANGES = (44, 3)
"""Seeds of games in which the lowest trump is exchanged, later and at once."""


@pytest.mark.sampled(5)
@pytest.mark.parametrize("text", SMALL)
def test_possible_means_that_some_deal_has_it_so(text: str) -> None:
    """For each seat, card and place, and for what it knows that others know, after every action."""
    rules = Rules.parse(text)
    answers = {True: 0, False: 0, None: 0}
    for seed in EXCHANGES if rules.exchange_trump else SEEDS:
        for state, twins in together(random_game(rules, seed, STYLES[seed % len(STYLES)])):
            deals = Deals(twins)
            actual = this_one(state, twins)
            for seat in range(rules.seats):
                places = SeatLocations.from_observation(state.observation(seat))
                for card in rules.deck:
                    expected = deals.possible(seat, actual, card)
                    assert set(places.places_of(card)) == expected, (state, seat, card)
                    for place in all_locations(rules.seats):
                        assert (card in places.possible(place)) == (place in expected)
                        assert (card in places.certain(place)) == ({place} == expected)
                        for other in range(rules.seats):
                            answer = places.knows_that_knows(other, card, place)
                            answers[answer] += 1
                            if answer is not None:
                                truth = deals.knows_that_knows(seat, other, actual, card, place)
                                assert answer == truth, (state, seat, other, card, place)
    assert answers[True]
    assert answers[False]
    assert answers[None] == 0 or rules.forced_play or rules.trumps


@few_and_many(10, 150, data=st.data())
def test_events_one_by_one_and_an_observation_say_the_same(data: st.DataObject) -> None:
    """Under any rules: going on from the deal, or from the middle, ends where an observation begins."""
    rules = random_rules(lambda options: data.draw(st.sampled_from(options)))
    seed = data.draw(st.integers(0, 999))
    states = list(random_game(rules, seed, data.draw(st.sampled_from(STYLES))))[:80]
    seat = data.draw(st.integers(0, rules.seats - 1))
    middle = data.draw(st.integers(0, len(states) - 1))
    running = [SeatLocations.from_observation(states[at].observation(seat)) for at in (0, middle)]
    for ply, (before, state) in enumerate(pairwise(states)):
        seen = state.observation(seat)
        expected = SeatLocations.from_observation(seen)
        for places, first in zip(running, (0, middle), strict=True):
            if ply >= first:
                for event in seen.events[len(before.events) :]:
                    places.observe(event)
                assert places == expected
        assert tuple(expected.public.sizes()) == state.hand_sizes
        check_against_the_game(state, expected)


def check_against_the_game(state: State, places: SeatLocations) -> None:
    """Every card may be where it is, and what is certain is true."""
    there = [*state.hands, CardSet.of(state.talon)]
    for place, true in zip([*range(state.rules.seats), TALON], there, strict=True):
        bottom = places.possible(BOTTOM) if place == TALON else CardSet()
        assert true - bottom <= places.possible(place)
        assert places.certain(place) <= true
    assert places.possible("table") == state.observation(0).table_cards
    assert places.possible("discard") == state.discards


@few_and_many(13, 200, data=st.data())
def test_going_on_from_the_decision_before_says_the_same(data: st.DataObject) -> None:
    """Two games, one after the other, by one seat that looks now and then."""
    rules = random_rules(lambda options: data.draw(st.sampled_from(options)))
    seat = data.draw(st.integers(0, rules.seats - 1))
    chance = data.draw(st.randoms(use_true_random=False))
    followed = FollowedLocations()
    for seed in data.draw(st.tuples(*[st.integers(0, 1000)] * 2)):
        for state in random_game(rules, seed, STYLES[seed % len(STYLES)]):
            if chance.random() < 0.4:
                observation = state.observation(seat)
                assert belief_of(observation, followed.of) == belief_of(observation)


def test_a_game_is_followed_and_not_read_again() -> None:
    """Also when the seat itself transfers: its knowledge goes on from the decision before."""
    followed = FollowedLocations()
    start, *rest = random_game(Rules.parse("perevodnoy:seats=3"), 1, "transfer")
    places = followed.of(start.observation(0))
    for state in rest:
        seen = state.observation(0)
        assert followed.of(seen) is places
        assert places.hand == seen.hand.mask
    assert any(isinstance(event, Transferred) and event.seat == 0 for event in seen.events)


@few_and_many(40, 600, data=st.data())
def test_exchanges_find_every_place(data: st.DataObject) -> None:
    """Against all ways to fill small hands of several lots."""
    n = data.draw(st.integers(1, 6))
    pool = (1 << n) - 1
    rooms = data.draw(
        st.lists(st.integers(1, 3), min_size=1, max_size=3).filter(lambda sizes: sum(sizes) >= n)
    )
    loose = sum(rooms) - n
    draw_batches = tuple((room, data.draw(st.integers(0, pool))) for room in rooms)
    half = data.draw(st.integers(0, len(draw_batches)))
    first = HiddenHand(draw_batches[:half])
    loose_cards = (
        tuple(
            (1 << n + i, data.draw(st.integers(1, (1 << len(draw_batches) - half) - 1))) for i in range(loose)
        )
        if half < len(draw_batches)
        else ()
    )
    hands = [first, HiddenHand(draw_batches[half:], loose_cards)]
    last = [count for count, _ in draw_batches[half:]]
    assume(
        any(  # the loose cards alone have room: they did lie there
            all(own >> i & 1 for (_, own), i in zip(loose_cards, choice, strict=True))
            and all(choice.count(i) <= count for i, count in enumerate(last))
            for choice in product(range(len(last)), repeat=len(loose_cards))
        )
    )
    expected = by_hand(hands, pool)
    if len(loose_cards) != loose or expected is None:
        with pytest.raises(KnowledgeError):
            spread(hands, pool)
    else:
        assert spread(hands, pool) == expected
        for hand, mask in zip(hands, expected, strict=True):
            assert hand.size or not mask


def by_hand(hands: list[HiddenHand], pool: int) -> list[int] | None:
    """All ways to put every card into a lot, tried one after the other."""
    bins = [
        (owner, i, barred)
        for owner, hand in enumerate(hands)
        for i, (_, barred) in enumerate(hand.draw_batches)
    ]
    room = [count for hand in hands for count, _ in hand.draw_batches]
    items = [(card, None) for card in bits(pool)]
    items += [(card, (owner, own)) for owner, hand in enumerate(hands) for card, own in hand.loose]
    found = [0] * len(hands)
    fits = False

    def fill(at: int, laid: list[int]) -> None:
        nonlocal fits
        if at == len(items):
            if room == [laid.count(i) for i in range(len(bins))]:
                fits = True
                for (card, loose), b in zip(items, laid, strict=True):
                    if loose is None:
                        found[bins[b][0]] |= card
            return
        card, loose = items[at]
        for b, (owner, i, barred) in enumerate(bins):
            allowed = not barred & card if loose is None else loose[0] == owner and loose[1] >> i & 1
            if allowed and laid.count(b) < room[b]:
                fill(at + 1, [*laid, b])

    fill(0, [])
    return found if fits else None


def bits(mask: int) -> list[int]:
    return [1 << i for i in range(mask.bit_length()) if mask >> i & 1]


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.randoms(use_true_random=False), st.integers(5, 6))
def test_lots_remember_what_was_lacking_when(chance: random.Random, n: int) -> None:
    """A hand draws, plays and proves what it lacks: it may be what some order of the talon makes it."""
    deck = [1 << i for i in range(n)]
    orders = list(permutations(deck))
    true = chance.choice(orders)
    hand, drawn, played, hidden = HiddenHand(), 0, 0, (1 << n) - 1
    held = [0 for _ in orders]
    for _ in range(12):
        mine = held[orders.index(true)]
        kind = chance.choice(["draw", "play", "lack"])
        if kind == "draw" and drawn < n:
            count = chance.randint(1, min(2, n - drawn))
            hand = hand.drawn(count, hidden)
            held = [cards | sum(o[drawn : drawn + count]) for cards, o in zip(held, orders, strict=True)]
            drawn += count
        elif kind == "play" and mine:
            card = chance.choice(bits(mine))
            hand, hidden, played = hand.without(card), hidden ^ card, played | card
            kept = [i for i, cards in enumerate(held) if cards & card]
            orders, held = [orders[i] for i in kept], [held[i] ^ card for i in kept]
        elif kind == "lack":
            lacking = sum(card for card in bits(hidden & ~mine) if chance.random() < 0.7)
            hand = hand.barred(lacking & hidden)
            kept = [i for i, cards in enumerate(held) if not cards & lacking]
            orders, held = [orders[i] for i in kept], [held[i] for i in kept]
        assert hand.size == held[0].bit_count()
        for some in combinations(bits(hidden), hand.size):
            assert hand.accepts(sum(some)) == (sum(some) in held)


def test_assigning_is_as_large_as_it_can_be() -> None:
    """Augmenting paths of any length are found."""
    n = 12
    chain = [0b11 << i for i in range(n - 1)]
    random.Random(1).shuffle(chain)
    assert sorted(assign([*chain, 1], [1] * n) or []) == list(range(n))
    assert assign([*chain, 1, 1], [1] * n) is None


def test_the_last_hidden_hand_is_known_by_counting() -> None:
    """With two seats and only the trump card in the talon, whatever is not seen is in the other hand."""
    state = State.setup(Rules(), ["6s7s", "8h9h"], talon="Td", attacker=0)
    places = SeatLocations.from_observation(state.observation(0))
    assert places.certain(1) == CardSet.parse("8h9h")
    assert places.possible(TALON) == CardSet()
    assert places.certain(BOTTOM) == CardSet.parse("Td")
    assert places.known_to(1) == CardSet(Rules().deck_mask)


def test_who_began_with_the_lowest_trump_held_one_below_any_that_another_was_dealt() -> None:
    """Rules 4.1: seat 1 was dealt the 7 of trumps, so the first attacker holds the 6."""
    state = play(State.deal(Rules(seats=3), 34), "7h 7cx7h")
    places = SeatLocations.from_observation(state.observation(2))
    assert places.places_of(Card.parse("6c")) == (0,)


def test_everybody_saw_who_took_which_card() -> None:
    """Cards taken from the table are known to be in that hand, and all know that all know."""
    rules = Rules(seats=3, lowest_rank=9, hand_size=3)
    state = play(State.deal(rules, 1), "")
    while not any(state.known):
        takes = [action for action in state.legal_actions if str(action) in {"take", "pass"}]
        state = state.apply(takes[0] if takes else state.legal_actions[0])
    taken = next(known for known in state.known if known)
    holder = state.known.index(taken)
    places = SeatLocations.from_observation(state.observation((holder + 1) % 3))
    for card in taken:
        for other in range(3):
            assert places.knows_that_knows(other, card, holder) is True


def test_who_is_out_is_no_reason_not_to_transfer() -> None:
    """Rules 5.8: the next seat still in could have answered, so who takes holds no card to transfer."""
    rules = Rules(seats=4, transfer=True, forced_play=True)
    state = play(State.setup(rules, ["6s9hTd", "7hKd", "", "6h8h"], trump="Ac"), "6s take")
    places = SeatLocations.from_observation(state.observation(0))
    assert places.places_of(Card.parse("6h")) == (3,)


def test_what_cannot_have_happened_is_refused() -> None:
    """A card from a hand that cannot hold it, a draw from a talon that is too short, a draw unseen."""
    state = State.deal(Rules(), 7)
    own = next(iter(state.hands[0]))
    places = PublicLocations(state.observation(0))
    bottom = state.trump_card
    assert bottom is not None
    with pytest.raises(KnowledgeError, match="known to lie elsewhere"):
        places.observe(Attacked(1, bottom))
    with pytest.raises(KnowledgeError, match="the talon has not so many"):
        places.observe(Drew(0, 24, None, trump=False))
    with pytest.raises(KnowledgeError, match="has to know the cards"):
        SeatLocations.from_observation(state.observation(0)).observe(Drew(0, 1, None, trump=False))
    with pytest.raises(KnowledgeError, match="no seat 2"):
        SeatLocations.from_observation(state.observation(0)).possible(2)
    with pytest.raises(KnowledgeError, match="'pocket'"):
        SeatLocations.from_observation(state.observation(0)).possible("pocket")
    places.observe(Attacked(0, own))
    with pytest.raises(KnowledgeError):
        places.observe(Attacked(1, own))
    assert cards("6c") == [Card.parse("6c")]


def test_a_visible_position_has_the_fool_and_the_seats_that_ran_out_in_its_bout() -> None:
    """They keep their places when the bout ends (rules 8.1)."""
    seen = 0
    for seed in range(5):
        for state in random_game(Rules(seats=4), seed, "play"):
            one, other = visible_position(state.observation(0)), state._position
            emptied = {*other.emptied[: other.n_emptied]}
            assert {*one.emptied[: one.n_emptied]} == emptied
            assert one.fool == other.fool
            seen += bool(emptied)
    assert seen


def test_the_cards_that_a_seat_may_hold_are_its_hand_once_that_is_certain() -> None:
    certain = 0
    for state in random_game(Rules(), 1, "play"):
        for seat in (0, 1):
            seen = state.observation(seat)
            for other in (0, 1):
                hand, possible = CardSet(state._position.hands[other]), possible_cards(seen, other)
                assert hand <= possible
                if other == seat or seen.talon_size <= 1:
                    assert hand == possible
                    certain += other != seat
    assert certain
