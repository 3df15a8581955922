"""What the tests of look-ahead searches share: random positions, and a way to play what is forced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endgames import solve_position

from durak_core import Action, CardSet, Pass, Rules, ShowTrump, State, Take, Transfer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from durak_core.search.backend.backend import Backend

RULES = (
    "podkidnoy",
    "zarlykov",
    "perevodnoy:show_trump=yes",
    "podkidnoy:exchange_trump=yes",
    "podkidnoy:attack_style=volley",
    "podkidnoy:forced_play=yes,pile_on=no",
    "podkidnoy:trumps=no",
    "perevodnoy:seats=3",
    "podkidnoy:seats=3,draws=no",
    "perevodnoy:seats=4,teams=2x2",
)


def small_states(rng: Random, number: int, cards: int, talon: int) -> Iterator[State]:
    """Yield random states with a choice: few cards in hands and talon, after some actions.

    Args:
        rng: Where the randomness comes from.
        number: How many.
        cards: Most cards in all hands together.
        talon: Most cards in the talon.
    """
    while number:
        rules = Rules.parse(rng.choice(RULES))
        deck = list(rules.deck)
        rng.shuffle(deck)
        hands = [[deck.pop()] for _ in range(rules.seats)]
        for _ in range(rng.randint(0, cards - rules.seats)):
            rng.choice(hands).append(deck.pop())
        drawn = [deck.pop() for _ in range(rng.randint(0, talon))]
        trump = drawn[-1] if drawn else deck.pop()
        state = State.setup(
            rules,
            [CardSet.of(hand) for hand in hands],
            talon=drawn,
            trump=trump if rules.trumps and not drawn else None,
            attacker=rng.randrange(rules.seats),
        )
        for _ in range(rng.randint(0, 6)):
            if not state.is_over:
                state = state.apply(rng.choice(state.legal_actions))
        if len(state.legal_actions) > 1:
            number -= 1
            yield state


def forced(state: State) -> State:
    """Return a state with a choice, or the end: play whatever is the only legal action."""
    while len(state.legal_actions) == 1:
        state = state.apply(state.legal_actions[0])
    return state


def cheapest_first(state: State) -> list[Action]:
    """Return the legal actions: plain transfers, plain cards, showing, trumps, stopping; low ranks first."""

    def cost(action: Action) -> tuple[int, int]:
        if isinstance(action, Pass | Take):
            return 4, 0
        if isinstance(action, ShowTrump):
            return 2, int(action.card.rank)
        if action.card.suit == state.trump_suit:
            return 3, int(action.card.rank)
        return (0 if isinstance(action, Transfer) else 1), int(action.card.rank)

    return sorted(state.legal_actions, key=cost)


def hand_to_be(state: State, seat: int) -> CardSet:
    """Return a seat's hand, with the table's cards if it is taking them."""
    cards = state.hands[seat]
    if state.phase.name == "PILE_ON" and seat == state.defender:
        for pair in state.table:
            cards |= CardSet.of([card for card in (pair.attack, pair.defence) if card])
    return cards


def weak_ranks(hand: CardSet, other: CardSet) -> int:
    """Count the ranks of a hand each of whose cards the other hand beats in suit."""
    weak = {card.rank for card in hand}
    for card in hand:
        if not any(higher.suit == card.suit and higher.rank > card.rank for higher in other):
            weak.discard(card.rank)
    return len(weak)


def one_way_to_win(rng: Random, number: int, runner: Backend) -> Iterator[tuple[State, Action]]:
    """Yield endgames of three cards each in which one action wins by force and both others lose.

    Args:
        rng: Where the randomness comes from.
        number: How many.
        runner: Where they are solved; it has the searches.

    Yields:
        The state, in which seat 0 is to act, and that action.
    """
    found = 0
    while found < number:
        cards = list(Rules().deck)
        rng.shuffle(cards)
        hands = [CardSet.of(cards[:3]), CardSet.of(cards[3:6])]
        state = State.setup(Rules(), hands, trump=cards[6])
        values = {}
        for action in state.legal_actions:
            solution = solve_position(state.apply(action).to_position(), 0, runner)
            values[action] = solution.value if solution else 0
        if sorted(values.values()) == [-1, -1, 1]:
            found += 1
            yield state, max(values, key=values.__getitem__)
