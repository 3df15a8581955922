"""Builds the knowledge panel's view from `SeatLocations` and player models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal, TypeAlias

from durak_core import BOTTOM, DISCARD, TABLE, TALON, Card, Location, Observation, Role, SeatLocations, Suit
from durak_tui.hints.model import NO_MODELS, Posteriors
from durak_tui.players import team_mark
from durak_tui.text.i18n import gettext, pgettext
from durak_tui.text.phrases import any_of, card_text, reading_text
from durak_tui.ui.view.board_data import Look

Side: TypeAlias = Literal["places", "hand"]

Kind: TypeAlias = Literal[
    "own", "seat", "talon", "bottom", "table", "discard", "open", "some", "known", "none"
]
"""How a card is coloured: by a certain location, as ``open`` if it is in any hidden location, as ``some`` if
only in some, as ``known`` if others know it in the hand, or as ``none`` without information.
"""

_SOMEWHERE: Final = "~"


@dataclass(frozen=True, slots=True)
class KnownCard:
    """A card of the deck with the signs of its locations, or of the seats that know it."""

    card: Card
    kind: Kind
    signs: tuple[tuple[str, int | None], ...]
    words: str


@dataclass(frozen=True, slots=True)
class PanelState:
    """The selected side and card, and the text shown while no card is selected."""

    side: Side = "places"
    cursor: Card | None = None
    hint: str = ""


AS_IT_OPENS: Final = PanelState()


@dataclass(frozen=True, slots=True)
class LegendItem:
    """A sign and its meaning."""

    sign: str
    words: str
    kind: Kind
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class CharacterRow:
    """A line about another seat: texts by importance, and a brief one if not even the first fits."""

    seat: int
    sign: str
    name: str
    parts: tuple[str, ...]
    is_quiet: bool = False
    brief: str = ""


@dataclass(frozen=True, slots=True)
class KnowledgeView:
    """Contents of the knowledge panel: the deck by suit, a legend, and rows about the other seats."""

    look: Look
    title: str
    side: Side
    trump: Suit | None
    deck: tuple[tuple[KnownCard, ...], ...]
    legend: tuple[LegendItem, ...]
    heading: str
    rows: tuple[CharacterRow, ...]
    description: str
    cursor: Card | None = None

    def beside(self, right: int, down: int) -> Card:
        """Return the card some columns and rows from the selected one, cyclically, or the first card."""
        if self.cursor is None:
            return self.deck[0][0].card
        cells = ((y, x, known) for y, row in enumerate(self.deck) for x, known in enumerate(row))
        y, x = next((y, x) for y, x, known in cells if known.card == self.cursor)
        row = self.deck[(y + down) % len(self.deck)]
        return row[(min(x, len(row) - 1) + right) % len(row)].card


_SIGNS: Final[Mapping[Location, tuple[str, str]]] = {
    TALON: ("▒", ":"),
    BOTTOM: ("▲", "^"),
    TABLE: ("×", "x"),  # noqa: RUF001 - the sign is meant
    DISCARD: ("·", "."),
}
_KINDS: Final[Mapping[Location, Kind]] = {
    TALON: "talon",
    BOTTOM: "bottom",
    TABLE: "table",
    DISCARD: "discard",
}
_ANYWHERE: Final = "?"
_EVERYBODY: Final = "*"
_NOBODY: Final = "-"
_LIKELY: Final = 0.6
"""Minimum probability to name a player type."""
_NEARLY_CERTAIN: Final = 0.95


@dataclass(frozen=True, slots=True)
class _Eye:
    """The viewer's knowledge, and the texts to describe it."""

    observation: Observation
    places: SeatLocations
    names: Sequence[str]
    marked: Sequence[str]
    signs: Sequence[str]
    look: Look
    others: tuple[int, ...]

    def sign(self, place: Location) -> tuple[str, int | None]:
        if isinstance(place, int):
            return self.signs[place], place
        return _SIGNS[place][self.look.ascii], None

    def place(self, place: Location) -> str:
        return place_words(place, self.names)

    def card(self, card: Card) -> str:
        return card_text(card, ascii=self.look.ascii)


_COURT: Final = frozenset("JQKA")


def place_words(place: Location, names: Sequence[str]) -> str:
    """Return the name of the player or place where a card is."""
    if isinstance(place, int):
        return names[place]
    return {
        TALON: pgettext("place of a card", "the talon"),
        BOTTOM: pgettext("place of a card", "under the talon"),
        TABLE: pgettext("place of a card", "the table"),
        DISCARD: pgettext("place of a card", "discarded"),
    }[place]


def seat_signs(names: Sequence[str]) -> tuple[str, ...]:
    """Return a sign for each seat: the first letter of its name, or its number if letters are ambiguous.

    If a language has letters of its own for the court cards, they are also taken.
    """
    letters = tuple([name[:1].upper() for name in names])
    taken = {pgettext("card", letter) for letter in _COURT} - _COURT
    is_clear = len(set(letters)) == len(names) and taken.isdisjoint(letters)
    if is_clear and all(letter.isalpha() and len(letter) == 1 for letter in letters):
        return letters
    return tuple([str(seat + 1) for seat in range(len(names))])


def knowledge_view(
    observation: Observation,
    names: Sequence[str],
    look: Look,
    panel: PanelState = AS_IT_OPENS,
    posteriors: Posteriors = NO_MODELS,
) -> KnowledgeView:
    """Build the panel's contents; the posteriors are `NO_MODELS` until they are computed."""
    seat = observation.seat
    others = tuple([(seat + step) % len(names) for step in range(1, len(names))])
    present = tuple([other for other in others if observation.roles[other] != Role.OUT])
    signs = seat_signs(names)
    marked = [
        team_mark(observation.rules, seat, ascii_only=look.ascii) + name for seat, name in enumerate(names)
    ]
    places = SeatLocations.from_observation(observation)
    eye = _Eye(observation, places, names, marked, signs, look, present or others)
    cards = sorted(observation.rules.deck)
    if panel.side == "places":
        anywhere = _anywhere(eye)
        title = gettext("{name}: where the cards are", name=names[seat])
        known = {card: _place(eye, card, anywhere) for card in cards}
        legend = _place_legend(eye, anywhere)
        heading = gettext("Read from their choices")
        rows = tuple([_character(eye, other, posteriors) for other in others])
    else:
        title = gettext("{name}: what the others know", name=names[seat])
        known = {card: _knowers(eye, card) for card in cards}
        legend = _hand_legend(eye)
        heading = gettext("What they certainly know")
        rows = tuple([_knower(eye, other) for other in eye.others])
    by_suit = groupby(cards, key=lambda card: card.suit)
    deck = tuple([tuple([known[card] for card in group]) for _suit, group in by_suit])
    cursor = panel.cursor if panel.cursor in known else None
    description = panel.hint if cursor is None else known[cursor].words
    trump = observation.trump_suit
    return KnowledgeView(look, title, panel.side, trump, deck, legend, heading, rows, description, cursor)


# Locations of the cards


def _anywhere(eye: _Eye) -> tuple[Location, ...]:
    found = [eye.places.places_of(card) for card in eye.observation.rules.deck]
    hidden = {place for places in found if len(places) > 1 for place in places}
    return tuple([place for place in (*range(len(eye.names)), TALON) if place in hidden])


def _place(eye: _Eye, card: Card, anywhere: tuple[Location, ...]) -> KnownCard:
    places = eye.places.places_of(card)
    signs = tuple([eye.sign(place) for place in places])
    name = eye.card(card)
    if len(places) > 1:
        words = gettext("{card}: {places}", card=name, places=any_of([eye.place(place) for place in places]))
        if places == anywhere:
            return KnownCard(card, "open", ((_ANYWHERE, None),), words)
        return KnownCard(card, "some", signs, words)
    (place,) = places
    if place == eye.places.seat:
        return KnownCard(card, "own", signs, _own_words(eye, card))
    if isinstance(place, int):
        words = gettext("{card}: certainly {name}", card=name, name=eye.names[place])
        return KnownCard(card, "seat", signs, words)
    return KnownCard(
        card, _KINDS[place], signs, gettext("{card}: {places}", card=name, places=eye.place(place))
    )


def _place_legend(eye: _Eye, anywhere: tuple[Location, ...]) -> tuple[LegendItem, ...]:
    seats = [eye.places.seat, *eye.others]
    items = [
        LegendItem(eye.signs[seat], eye.marked[seat], "own" if seat == eye.places.seat else "seat", seat)
        for seat in seats
    ]
    places: list[Location] = [TABLE, DISCARD]
    if eye.observation.talon_size:
        places[1:1] = [BOTTOM, TALON] if eye.observation.trump_card else [TALON]
    items += [LegendItem(_SIGNS[place][eye.look.ascii], eye.place(place), _KINDS[place]) for place in places]
    if anywhere:
        words = any_of([eye.sign(place)[0] for place in anywhere])
        items.append(LegendItem(_ANYWHERE, words, "open"))
    return tuple(items)


def _character(eye: _Eye, seat: int, posteriors: Posteriors) -> CharacterRow:
    found, brief = posteriors.get(seat), ""
    words = reading_text(ascii_only=eye.look.ascii) if found is None else manner_words(found)
    if found and words:
        kind = _kind(found)
        brief = character_words()[kind] + ("?" if found[kind] < _NEARLY_CERTAIN else "")
    return CharacterRow(
        seat, eye.signs[seat], eye.marked[seat], (words or gettext("hard to tell yet"),), not brief, brief
    )


def _kind(posterior: Mapping[str, float]) -> str:
    return max(posterior, key=posterior.__getitem__)


def manner_words(posterior: Mapping[str, float]) -> str:
    """Return how a player plays, from the probabilities of the types, to follow the name; may be empty."""
    kind = _kind(posterior)
    manner = {
        "aggressive": gettext("plays boldly"),
        "cautious": gettext("plays carefully"),
        "moderate": gettext("plays evenly"),
        "greedy": gettext("always plays the lowest card"),
        "smart": gettext("plays sensibly"),
        "random": gettext("plays at random"),
    }[kind]
    if posterior[kind] < _LIKELY:
        return ""
    if posterior[kind] < _NEARLY_CERTAIN:
        return gettext("{plays}, it seems", plays=manner)
    return manner


def character_words() -> Mapping[str, str]:
    return {
        "aggressive": pgettext("character", "aggressive"),
        "cautious": pgettext("character", "cautious"),
        "moderate": pgettext("character", "moderate"),
        "greedy": pgettext("character", "greedy"),
        "smart": pgettext("character", "smart"),
        "random": pgettext("character", "random"),
    }


# What the others know about the hand


def known_by(places: SeatLocations, others: Iterable[int], card: Card) -> tuple[list[int], list[int]]:
    """Return the other seats that certainly know a card of the hand, and the undecidable ones."""
    known = {other: places.knows_that_knows(other, card, places.seat) for other in others}
    return [other for other in known if known[other]], [other for other in known if known[other] is None]


def _knowers(eye: _Eye, card: Card) -> KnownCard:
    if eye.places.places_of(card) != (eye.places.seat,):
        words = gettext("{card}: not in this hand", card=eye.card(card))
        return KnownCard(card, "none", (), words)
    knowing, unsure = known_by(eye.places, eye.others, card)
    signs = [eye.sign(other) for other in knowing]
    if len(knowing) == len(eye.others) > 1:
        signs = [(_EVERYBODY, None)]
    elif not knowing and not unsure:
        signs = [(_NOBODY, None)]
    if unsure:
        signs.append((_ANYWHERE, None))
    return KnownCard(card, "known" if knowing else "own", tuple(signs), _own_words(eye, card))


def _own_words(eye: _Eye, card: Card) -> str:
    return held_words(eye.places, eye.others, card, eye.card(card), eye.names)


def held_words(
    places: SeatLocations, others: Sequence[int], card: Card, named: str, names: Sequence[str]
) -> str:
    """Return which of the others know a card of the hand, as far as this is certain."""
    knowing, unsure = known_by(places, others, card)
    if unsure:
        return gettext("{card}: in hand. Can't tell who knows", card=named)
    if not knowing:
        return gettext("{card}: in hand. Nobody else knows", card=named)
    if len(knowing) == len(others):
        return gettext("{card}: in hand. The others know", card=named)
    known_to = ", ".join([names[other] for other in knowing])
    return gettext("{card}: in hand. Known to {names}", card=named, names=known_to)


def _hand_legend(eye: _Eye) -> tuple[LegendItem, ...]:
    items = [LegendItem(_NOBODY, gettext("nobody knows it"), "own")]
    if len(eye.others) > 1:
        items.append(LegendItem(_EVERYBODY, gettext("the others know it"), "known"))
    items += [LegendItem(eye.signs[seat], eye.marked[seat], "seat", seat) for seat in eye.others]
    if not eye.places.public.is_plain:
        items.append(LegendItem(_ANYWHERE, gettext("can't tell"), "open"))
    return tuple(items)


def _knower(eye: _Eye, seat: int) -> CharacterRow:
    hand = eye.observation.hand
    known = [card for card in hand if eye.places.knows_that_knows(seat, card, eye.places.seat)]
    numbers = {"known": len(known), "count": len(hand)}
    count = gettext("{known} of {count}:", **numbers) if known else gettext("{known} of {count}", **numbers)
    parts = (count, *(eye.card(card) for card in known))
    return CharacterRow(seat, eye.signs[seat], eye.marked[seat], parts, is_quiet=not known)


def cell_text(known: KnownCard, width: int) -> tuple[tuple[str, int | None], ...]:
    """Return the signs in a cell of this width, each with its seat."""
    return known.signs if len(known.signs) <= width else ((_SOMEWHERE, None),)
