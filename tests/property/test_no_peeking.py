"""What a seat is shown depends on nothing that the seat cannot know (rules 9)."""

from __future__ import annotations

import gc
import random
from types import FunctionType, MethodType, ModuleType
from typing import Any

import pytest
from playing import mixed, pick
from properties import few_or_many

from durak_core import Action, Card, Rules, State
from durak_core.rules import PRESETS


def unseen(state: State, seen: set[Card], seat: int) -> list[Card]:
    """The cards that a seat has never seen: in other hands, and in the talon without the trump card."""
    places = [hand for other, hand in enumerate(state.hands) if other != seat]
    cards = {card for place in [*places, state.talon] for card in place} - seen
    return sorted(cards - {state.trump_card} if state.trump_card else cards)


def shown_to(state: State, seat: int) -> set[Card]:
    """The cards that lie before a seat's eyes just now."""
    table = {card for pair in state.table for card in (pair.attack, pair.defence) if card is not None}
    return set(state.hands[seat]) | table | {card for known in state.known for card in known}


def replay(rules: Rules, deck: list[Card], first_attacker: int, actions: list[Action]) -> list[State]:
    """Play actions on a given deck and return all states."""
    states = [State.from_deck(rules, deck, first_attacker)]
    for action in actions:
        states.append(states[-1].apply(action))
    return states


def exchanged(deck: list[Card], cards: list[Card], others: list[Card]) -> list[Card]:
    """The deck with each of some cards replaced by the other in the same place of a list."""
    other = dict(zip(cards, others, strict=True))
    return [other.get(card, card) for card in deck]


def hidden_twins(rules: Rules, seed: int, chance: random.Random) -> int:
    """Compare a random game, for each seat and at many plies, with games of other hidden cards.

    Returns:
        How many positions were compared that really differ.
    """
    state = State.deal(rules, seed)
    first = state.first_attacker
    states, actions = [state], []
    while not state.is_over:
        action = pick(state.legal_actions, chance, "play")
        actions.append(action)
        state = state.apply(action)
        states.append(state)
    compared = 0
    for seat in range(rules.seats):
        seen: set[Card] = set()
        for ply, moment in enumerate(states):
            seen |= shown_to(moment, seat)
            if ply % 12 != seat % 12:
                continue
            hidden = unseen(moment, seen, seat)
            twins = replay(rules, mixed(moment, hidden, chance), first, actions[:ply])
            for one, other in zip(states, twins, strict=False):
                assert one.observation(seat) == other.observation(seat)
            assert repr(moment.observation(seat)) == repr(twins[-1].observation(seat))
            compared += (twins[-1].hands, twins[-1].talon) != (moment.hands, moment.talon)
    return compared


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seats", [2, 3, 6])
@pytest.mark.parametrize("preset", [name for name in PRESETS if not Rules.preset(name).forced_play])
def test_hidden_cards_do_not_show(preset: str, seats: int) -> None:
    """Exchanging cards that a seat has never seen leaves all its observations up to that ply equal."""
    # Under forced play a pass says that a hand lacks ranks, so that not every exchange stays a legal game.
    rules = Rules.preset(preset, seats=seats)
    assert hidden_twins(rules, seats, random.Random(seats)) > 5


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seats", [3, 4])
@pytest.mark.parametrize(
    "options",
    [
        {"transfer": True, "show_trump": True},
        {"deal_all": True},
        {"trumps": False, "transfer": True},
        {"attack_style": "volley", "throw_in": "neighbours"},
    ],
    ids=str,
)
def test_hidden_cards_do_not_show_with_other_options(options: dict[str, Any], seats: int) -> None:
    """The same with trumps shown to transfer, with the whole deck dealt, and without trumps."""
    assert hidden_twins(Rules(seats=seats, **options), 9, random.Random(9)) > 5


@pytest.mark.parametrize("rules", ["perevodnoy:seats=4,teams=2x2", "podkidnoy:seats=6,teams=2x3"])
def test_a_partners_cards_do_not_show_either(rules: str) -> None:
    """The hidden cards that are exchanged lie with partners, too."""
    assert hidden_twins(Rules.parse(rules), 9, random.Random(9)) > 5


def test_a_change_of_what_is_visible_shows() -> None:
    """Exchanging a card of the own hand, the trump card, or a card that was played is seen at once."""
    rules = Rules(seats=3)
    state = State.deal(rules, 4)
    assert state.deck is not None
    deck = list(state.deck)
    hidden = unseen(state, shown_to(state, 1), 1)
    for card in [next(iter(state.hands[1])), deck[-1]]:
        twin = State.from_deck(rules, exchanged(deck, [card, hidden[0]], [hidden[0], card]), state.attacker)
        assert twin.observation(1) != state.observation(1)
    played = state.legal_actions[0]
    other = state.legal_actions[1]
    for seat in range(3):
        assert state.apply(played).observation(seat) != state.apply(other).observation(seat)


@few_or_many("games", 1, 3)
def test_every_public_event_shows(games: int) -> None:
    """All observations that one seat gets in the course of a game are different from each other."""
    for seed in range(games):
        chance = random.Random(seed)
        states = [State.deal(Rules(seats=3), seed)]
        while not states[-1].is_over:
            states.append(states[-1].apply(pick(states[-1].legal_actions, chance, "any")))
        for seat in range(3):
            views = {repr(state.observation(seat)) for state in states}
            assert len(views) == len(states)


def test_nothing_in_an_observation_leads_back_to_the_state() -> None:
    """Following every reference from an observation reaches no state and no cards of the other hands."""
    state = State.deal(Rules(seats=3), 6)
    for _ply in range(30):
        state = state.apply(state.legal_actions[-1])
    secrets = [state.hands[0].mask, state.hands[2].mask]
    pending: list[object] = [state.observation(1)]
    reached: dict[int, object] = {}
    while pending:
        thing = pending.pop()
        if id(thing) in reached or isinstance(thing, ModuleType | FunctionType | MethodType | type):
            continue
        reached[id(thing)] = thing
        pending.extend(gc.get_referents(thing))
    assert not [thing for thing in reached.values() if isinstance(thing, State)]
    assert not [thing for thing in reached.values() if thing in secrets]
    kinds = {type(thing).__name__ for thing in reached.values()}
    assert not kinds & {"Position", "EventLog", "Origin"}
    assert "Observation" in kinds
