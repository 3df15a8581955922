"""An oracle for what players know, by brute force: every deal is played through beside the real one.

Nothing of `durak_core.knowledge` is used. Two deals agree publicly when every action of the game was legal
in both and everybody else saw the same; a seat cannot tell them apart when its own observation, draws
included, is the same as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, permutations

from durak_core import Card, Drew, Event, Observation, State
from durak_core.errors import IllegalActionError


def places_in(state: State) -> dict[Card, int | str]:
    """Where every card lies."""
    found: dict[Card, int | str] = {card: seat for seat, hand in enumerate(state.hands) for card in hand}
    found |= dict.fromkeys(state.talon, "talon")
    if state.talon and state.trump_card is not None:
        found[state.talon[-1]] = "bottom"
    found |= dict.fromkeys(state.discards, "discard")
    found |= {card: "table" for pair in state.table for card in (pair.attack, pair.defence) if card}
    return found


def in_public(events: Iterable[Event]) -> list[Event]:
    """What a person sees who holds no cards."""
    return [event.seen_by(-1) if isinstance(event, Drew) else event for event in events]


def all_deals(state: State) -> list[State]:
    """Every deal with the same trump card, after which the same seat attacks first, for the same reason.

    Hands are sets, and the talon lies in every order.
    """
    rules = state.rules
    assert state.deck is not None

    def hands(cards: list[Card], seat: int) -> Iterator[tuple[list[list[Card]], list[Card]]]:
        if seat == rules.seats:
            yield [], cards
            return
        for hand in combinations(cards, len(state.hands[seat])):
            for rest, left in hands([card for card in cards if card not in hand], seat + 1):
                yield [list(hand), *rest], left

    found = []
    for dealt, talon in hands(list(rules.deck), 0):
        for order in permutations(talon):
            deck = stacked(dealt, order, state.deck[-1])
            if rules.trumps and deck[-1] != state.deck[-1]:
                continue
            twin = State.from_deck(rules, deck, state.first_attacker)
            if twin.events == state.events[:1]:  # else somebody else holds the lowest trump (rules 4.1)
                found.append(twin)
    return found


def stacked(dealt: list[list[Card]], order: tuple[Card, ...], last: Card) -> list[Card]:
    """The deck of these hands and talon; where all is dealt out, the card that shows the trumps is last."""
    deck = [hand[i] for i in range(max(map(len, dealt))) for hand in dealt if i < len(hand)] + [*order]
    if not order and last in dealt[(len(deck) - 1) % len(dealt)]:
        i = deck.index(last)
        deck[i], deck[-1] = deck[-1], deck[i]
    return deck


def together(states: Iterable[State]) -> Iterator[tuple[State, list[State]]]:
    """Yield each state of a game with all states that agree with it publicly, itself among them."""
    twins: list[State] = []
    before: State | None = None
    for state in states:
        if before is None:
            twins = all_deals(state)
            if state.rules.visibility == "open":  # then everything is public
                twins = [twin for twin in twins if twin.observation(0) == state.observation(0)]
        else:
            last = next(action for action in before.legal_actions if before.apply(action) == state)
            seen = in_public(state.events[len(before.events) :])
            twins = [
                after
                for twin in twins
                if (after := applied(twin, last)) is not None
                and in_public(after.events[len(before.events) :]) == seen
            ]
        yield state, twins
        before = state


def this_one(state: State, twins: list[State]) -> int:
    """The number of the state itself: of those that are equal to it now, the one that came about so."""
    return next(i for i, twin in enumerate(twins) if twin == state and twin.events == state.events)


def applied(state: State, action: object) -> State | None:
    try:
        return state.apply(action)  # type: ignore[arg-type]
    except IllegalActionError:
        return None


def private(state: State, seat: int) -> Observation:
    """What a seat has seen; two deals with the same cannot be told apart by it."""
    return state.observation(seat)


class Deals:
    """All deals that agree publicly, and who can tell which of them apart.

    Args:
        twins: The states.
    """

    def __init__(self, twins: list[State]) -> None:
        self.worlds = [places_in(state) for state in twins]
        seats = twins[0].rules.seats
        self.views = [[str(private(state, seat)) for state in twins] for seat in range(seats)]
        self.classes: list[dict[str, list[int]]] = []
        for view in self.views:
            classes: dict[str, list[int]] = {}
            for number, seen in enumerate(view):
                classes.setdefault(seen, []).append(number)
            self.classes.append(classes)

    def alike(self, seat: int, world: int) -> list[int]:
        """The worlds that a seat cannot tell from one."""
        return self.classes[seat][self.views[seat][world]]

    def possible(self, seat: int, world: int, card: Card) -> set[int | str]:
        """Where a card may be as far as a seat can tell."""
        return {self.worlds[other][card] for other in self.alike(seat, world)}

    def knows_that_knows(self, seat: int, other: int, world: int, card: Card, place: int | str) -> bool:
        """Whether a seat knows that another knows a card to be in a place."""
        return all(self.possible(other, w, card) == {place} for w in self.alike(seat, world))
