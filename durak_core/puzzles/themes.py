"""The themes of puzzles: predicates of a position and its right action."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from durak_core.actions import TAKE, Action, Attack, Defend, Pass, ShowTrump, Take, Transfer
from durak_core.cards import Card
from durak_core.game.observation import Observation, Phase
from durak_core.game.state import State

View: TypeAlias = State | Observation
"""A position, or the observation of its seat to act; themes that need other hands do not hold there."""


@dataclass(frozen=True, slots=True)
class Theme:
    """A theme, with its English title and its predicate of a state and a legal action."""

    title: str
    holds: Callable[[View, Action], bool]


def themes_of(state: View, action: Action) -> tuple[str, ...]:
    return tuple([key for key, theme in THEMES.items() if theme.holds(state, action)])


def _card(action: Action) -> Card | None:
    return action.card if isinstance(action, Attack | Defend) else None


def _others(state: View, action: Action) -> list[Card]:
    """Return the other cards playable in the same way."""
    cards = map(_card, filter(lambda other: type(other) is type(action), state.legal_actions))
    return [card for card in cards if card is not None and card != _card(action)]


def _hand(state: View) -> Iterable[Card]:
    if isinstance(state, Observation):
        return state.hand
    return () if state.turn is None else state.hands[state.turn]


def _cheapest(state: View, cards: Iterable[Card]) -> Card | None:
    return min(cards, key=lambda card: (card.suit == state.trump_suit, card.rank), default=None)


def _is_of_several(state: View, card: Card) -> bool:
    return sum(held.rank == card.rank for held in _hand(state)) > 1


def _lets_throw_in(state: View, answer: Action) -> bool:
    if isinstance(state, Observation):
        return False
    after = state.apply(answer)
    return after.phase == Phase.THROW_IN and any(isinstance(one, Attack) for one in after.legal_actions)


def _must_be_taken(state: View, lead: Action) -> bool:
    if isinstance(state, Observation):
        return False
    after = state.apply(lead)
    return after.phase == Phase.DEFENCE and after.legal_actions == (TAKE,)


def _leads(state: View, action: Action) -> bool:
    return state.phase == Phase.OPENING and isinstance(action, Attack)


def keeps_the_low_card(state: View, action: Action) -> bool:
    """A higher card is led although a lower one, also trump or also not, is held."""
    card = _card(action)
    if card is None or not _leads(state, action):
        return False
    trump = state.trump_suit
    return any(
        other.rank < card.rank and (other.suit == trump) == (card.suit == trump)
        for other in _others(state, action)
    )


def spends_the_trump(state: View, action: Action) -> bool:
    """A non-trump card was playable as well."""
    card, trump = _card(action), state.trump_suit
    return (
        card is not None and card.suit == trump and any(one.suit != trump for one in _others(state, action))
    )


def beats_higher_than_needed(state: View, action: Action) -> bool:
    """A lower card of the same suit was enough."""
    return isinstance(action, Defend) and any(
        other.suit == action.card.suit and other.rank < action.card.rank for other in _others(state, action)
    )


def keeps_the_pair(state: View, action: Action) -> bool:
    """The cheapest card is one of several of its rank, and another card is played."""
    card, cheapest = _card(action), _cheapest(state, _others(state, action))
    if card is None or cheapest is None or _cheapest(state, (card, cheapest)) == card:
        return False
    return _is_of_several(state, cheapest) and cheapest.rank != card.rank


def leads_what_must_be_taken(state: View, action: Action) -> bool:
    return _leads(state, action) and _must_be_taken(state, action)


def offers_a_beatable_card(state: View, action: Action) -> bool:
    """An unbeatable lead existed, and is not played."""
    if not _leads(state, action) or _must_be_taken(state, action):
        return False
    return any(_must_be_taken(state, Attack(other)) for other in _others(state, action))


def leads_one_of_several(state: View, action: Action) -> bool:
    return isinstance(action, Attack) and _leads(state, action) and _is_of_several(state, action.card)


def takes_on_purpose(state: View, action: Action) -> bool:
    return isinstance(action, Take) and len(state.legal_actions) > 1


def leaves_nothing_to_throw_in(state: View, action: Action) -> bool:
    """Another answer would allow a throw-in."""
    if not isinstance(action, Defend) or _lets_throw_in(state, action):
        return False
    return any(_lets_throw_in(state, other) for other in state.legal_actions if isinstance(other, Defend))


def throws_in(state: View, action: Action) -> bool:
    return isinstance(action, Attack) and not _leads(state, action)


def stops_throwing_in(state: View, action: Action) -> bool:
    return isinstance(action, Pass) and len(state.legal_actions) > 1


def transfers(state: View, action: Action) -> bool:
    del state
    return isinstance(action, Transfer | ShowTrump)


THEMES: Final[Mapping[str, Theme]] = {
    "low": Theme("Keep the low card", keeps_the_low_card),
    "trump": Theme("Spend the trump", spends_the_trump),
    "higher": Theme("Beat higher than you need", beats_higher_than_needed),
    "pair": Theme("Keep the pair", keeps_the_pair),
    "unbeatable": Theme("Lead what has to be taken", leads_what_must_be_taken),
    "offer": Theme("Offer a card that can be beaten", offers_a_beatable_card),
    "several": Theme("Lead one of a pair", leads_one_of_several),
    "take": Theme("Take on purpose", takes_on_purpose),
    "close": Theme("Leave nothing to throw in", leaves_nothing_to_throw_in),
    "throw": Theme("Throw in", throws_in),
    "stop": Theme("Stop throwing in", stops_throwing_in),
    "transfer": Theme("Transfer", transfers),
}
"""All themes by their keys in puzzle files."""
