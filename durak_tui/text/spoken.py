"""Cards in words, for screen readers: "the six of spades"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Final

from durak_core import Card, Rank, Suit
from durak_tui.text.i18n import gettext, ngettext, pgettext
from durak_tui.text.phrases import Inflected, Voice, all_of

_FEW: Final = 4
"""Most cards that are named one by one."""
_BETWEEN_FORMS: Final = "|"
"""A rank's translation has its nominative, then ``case=form`` for other cases used by the catalogue."""


def rank_words(rank: Rank) -> str:
    """Return a rank's word, and its other forms."""
    words: Mapping[int, str] = {
        2: pgettext("rank", "two"),
        3: pgettext("rank", "three"),
        4: pgettext("rank", "four"),
        5: pgettext("rank", "five"),
        6: pgettext("rank", "six"),
        7: pgettext("rank", "seven"),
        8: pgettext("rank", "eight"),
        9: pgettext("rank", "nine"),
        10: pgettext("rank", "ten"),
        11: pgettext("rank", "jack"),
        12: pgettext("rank", "queen"),
        13: pgettext("rank", "king"),
        14: pgettext("rank", "ace"),
    }
    return words[rank]


def rank_name(rank: Rank) -> str:
    return rank_words(rank).partition(_BETWEEN_FORMS)[0]


def suit_name(suit: Suit) -> str:
    """Return a suit as a heading: "spades"."""
    words = (pgettext("suit", "spades"), pgettext("suit", "hearts"), pgettext("suit", "diamonds"))
    return (*words, pgettext("suit", "clubs"))[suit]


def _of_suit(suit: Suit) -> str:
    words = (pgettext("of suit", "spades"), pgettext("of suit", "hearts"), pgettext("of suit", "diamonds"))
    return (*words, pgettext("of suit", "clubs"))[suit]


def _card_form(card: Card, case: str = "") -> str:
    first, *others = rank_words(card.rank).split(_BETWEEN_FORMS)
    forms = dict(other.split("=", 1) for other in others if "=" in other)
    rank = forms.get(case, first)
    return pgettext("card in words", "the {rank} of {suit}", rank=rank, suit=_of_suit(card.suit))


def _cards_form(cards: tuple[Card, ...], case: str = "") -> str:
    """List some cards one by one, and many by suit."""
    if len(cards) <= _FEW:
        return all_of([_card_form(card, case) for card in cards])
    count = ngettext("{count} card", "{count} cards", len(cards))
    return gettext("{count}: {cards}", count=count, cards=suits_words(cards))


def suits_words(cards: Iterable[Card], trump: Suit | None = None) -> str:
    """List sorted cards by suit: "spades: 6, 8; trumps, hearts: jack"."""
    groups = []
    for suit, group in groupby(cards, key=lambda card: card.suit):
        name = suit_name(suit)
        if suit == trump:
            name = gettext("trumps, {suit}", suit=name)
        groups.append(f"{name}: {', '.join(map(_short_rank, group))}")
    return "; ".join(groups)


def _short_rank(card: Card) -> str:
    return str(int(card.rank)) if card.rank <= Rank.TEN else rank_name(card.rank)


@dataclass(frozen=True, slots=True)
class SpokenVoice(Voice):
    """Writes cards, ranks and suits in words, in the cases of the language."""

    ascii: bool = True

    def card(self, card: Card) -> str:
        return Inflected(_card_form(card), partial(_card_form, card))

    def pair(self, card: Card, target: Card) -> str:
        def form(case: str) -> str:
            words = {"card": _card_form(card, case), "target": self.card(target)}
            return pgettext("cards", "{card} on {target}", **words)

        return Inflected(form(""), form)

    def cards(self, cards: Iterable[Card]) -> str:
        known = tuple(cards)
        return Inflected(_cards_form(known), partial(_cards_form, known))

    def rank(self, card: Card) -> str:
        forms = rank_words(card.rank).split(_BETWEEN_FORMS)
        return next((form[4:] for form in forms if form.startswith("acc=")), forms[0])

    def ranks(self, card: Card) -> str:
        name = Voice.ranks(self, card)
        return name if len(name) > len("10") else rank_name(card.rank)
