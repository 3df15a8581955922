"""Sentences about cards, seats, events and refusals, with signs or in words for screen readers.

Most templates have two forms: addressed to the player ("You attack") and with a name ("Masha attacks").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, Final, Self

from durak_core import (
    Attacked,
    BeatenOff,
    BoutBegan,
    Card,
    Defended,
    Drew,
    Event,
    Exchanged,
    GameEnded,
    Observation,
    Passed,
    Rank,
    Rules,
    Suit,
    TableTaken,
    TookUp,
    Transferred,
    TrumpShown,
    WentOut,
    WhyNot,
)
from durak_core.agents.personas import OPPONENTS
from durak_core.game.events import ActionEvent
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, mark, ngettext, pgettext

DOT: Final = {False: " · ", True: " - "}
"""The sign between parts of a line; under True in ASCII."""


def reading_text(*, ascii_only: bool) -> str:
    """Return what stands in place of a figure that is still being read or counted."""
    return gettext("reading...") if ascii_only else gettext("reading…")


def choice_words(words: Iterable[str]) -> dict[str, str]:
    return {word: pgettext("choice", word) for word in words}


def preset_text(preset: str) -> str:
    return capital(pgettext("preset", preset))


def players_words(seats: int, teams: int) -> str:
    """Return the number of players or the division into teams: "4 players", "2 against 2"."""
    if teams == seats:
        return ngettext("{count} player", "{count} players", seats)
    words = {(4, 2): gettext("2 against 2"), (6, 2): gettext("3 against 3"), (6, 3): gettext("three pairs")}
    return words[seats, teams]


def game_words(rules: Rules) -> str:
    """Return a game's name and number of players: "Podkidnoy, 3 players"."""
    return f"{preset_text(rules.base)}, {players_words(rules.seats, rules.team_count)}"


def rank_text(card: Card, *, ascii: bool = False) -> str:  # noqa: A002 - the deck is called that
    """Return a card's rank: ``6`` to ``10``, the language's letters or ``*``; ``J Q K A`` in ASCII."""
    rank = card.pretty[:-1]
    return pgettext("card", rank) if rank.isalpha() and not ascii else rank


def suit_text(suit: Suit, *, ascii: bool = False) -> str:  # noqa: A002 - the deck is called that
    return suit.letter if ascii else suit.symbol


def card_text(card: Card, *, ascii: bool = False) -> str:  # noqa: A002 - the deck is called that
    """Return a card: ``9♣`` or a joker, ``*♠``; ``9c`` and ``*s`` in ASCII."""
    return rank_text(card, ascii=ascii) + suit_text(card.suit, ascii=ascii)


def ordinal(place: int) -> str:
    """Return a finishing place: 1st, 2nd."""
    names = (gettext("1st"), gettext("2nd"), gettext("3rd"), gettext("4th"), gettext("5th"), gettext("6th"))
    return names[place - 1]


def accusative(name: str) -> str:
    """Return a name as the one attacked or transferred to; some languages inflect it."""
    opponent, number = _opponent_called(name), _number_in(name)
    if number:
        return pgettext("whom", "Player {number}", number=number)
    known = pgettext("whom", opponent) if opponent else in_case(name, 0)
    return known or pgettext("whom", "{name}", name=name)


def dative(name: str) -> str:
    """Return a name as the one given something; some languages inflect it."""
    opponent, number = _opponent_called(name), _number_in(name)
    if number:
        return pgettext("to whom", "Player {number}", number=number)
    known = pgettext("to whom", opponent) if opponent else in_case(name, 1)
    return known or pgettext("to whom", "{name}", name=name)


def in_case(name: str, case: int) -> str:
    """Return a name in the accusative (0) or dative (1); empty if its ending is in no list.

    The translation of ``-`` lists endings in the nominative and both cases; the first that fits counts.
    Letters after a plus stay before the endings.
    """
    if not (name.isalpha() and name.istitle()):
        return ""
    for ending, *forms in (row.split("-") for row in pgettext("endings of names", "-").split()):
        if ending[:1] == "+" and name[-1] in ending:
            return name + forms[case]
        if ending and name.endswith(ending):
            return name.removesuffix(ending) + forms[case]
    return ""


def _opponent_called(name: str) -> str:
    return next((one.name for one in OPPONENTS if name == gettext(one.name)), "")


def _number_in(name: str) -> str:
    """Return the number of a player called by it, "Player 2"; empty for other names."""
    number = "".join(re.findall(r"[0-9]", name))
    return number if number and name == gettext("Player {number}", number=number) else ""


def way_out(names: Sequence[str]) -> str:
    """Return the order in which players of teams ran out of cards. This is not the order of winning."""
    return gettext("out in this order: {names}", names=", ".join(names))


def any_of(words: Sequence[str]) -> str:
    if len(words) < 2:
        return "".join(words)
    return gettext("{most} or {last}", most=", ".join(words[:-1]), last=words[-1])


def all_of(words: Sequence[str]) -> str:
    if len(words) < 2:
        return "".join(words)
    return gettext("{most} and {last}", most=", ".join(words[:-1]), last=words[-1])


CARD_SIGN: Final = re.compile(r"((?:10|\w)?[♠♥♦♣])")
"""Matches cards and suits in a text of any language."""


_NAME_OF_FILE: Final = re.compile(r"\S*[^\W\d][./\\]\w")


def capital(text: str) -> str:
    """Return a text with a capital, unless it begins with the name of a file."""
    return text if _NAME_OF_FILE.match(text) else text[:1].upper() + text[1:]


class Inflected(str):  # noqa: SLOT000 - it has a form
    """A text in sentences, with forms that a translation chooses by a format spec: ``{card:acc}``.

    Args:
        text: The text, in the nominative.
        form: Returns another form by its spec; by default there is only one.
    """

    form: Callable[[str], str] | None

    def __new__(cls, text: str, form: Callable[[str], str] | None = None) -> Self:
        made = super().__new__(cls, text)
        made.form = form
        return made

    def __str__(self) -> Self:
        return self  # keeps its forms where values are made fit to be shown

    def __format__(self, spec: str) -> str:
        return self.form(spec) if spec and self.form is not None else "".join(self)


@dataclass(frozen=True, slots=True)
class Voice:
    """The form of address, names, and signs or letters for suits."""

    names: Sequence[str]
    you: int | None = None
    ascii: bool = False

    def who(self, seat: int) -> str:
        return gettext("You") if seat == self.you else self.names[seat]

    def placed(self, seat: int) -> str:
        """Return a name after a colon."""
        return pgettext("player", "you") if seat == self.you else self.names[seat]

    def whom(self, seat: int) -> str:
        return pgettext("whom", "you") if seat == self.you else accusative(self.names[seat])

    def to_whom(self, seat: int) -> str:
        return pgettext("to whom", "you") if seat == self.you else dative(self.names[seat])

    def together(self, seats: Iterable[int]) -> str:
        """Return a team's name: "You and Olga"."""
        return all_of([self.who(seat) for seat in sorted(seats, key=lambda seat: (seat != self.you, seat))])

    def team(self, rules: Rules) -> str:
        you = self.you or 0
        return self.together((you, *rules.partners(you)))

    def card(self, card: Card) -> str:
        return Inflected(card_text(card, ascii=self.ascii))

    def pair(self, card: Card, target: Card) -> str:
        """Return a card with the one that it beats, in short."""
        return f"{self.card(card)}{'x' if self.ascii else '×'}{self.card(target)}"  # noqa: RUF001

    def rank(self, card: Card) -> str:
        """Return the rank of a card to play; some languages spell it out."""
        return pgettext("a rank", "joker") if card.is_joker else pgettext("a rank", card.pretty[:-1])

    def place(self, place: int) -> str:
        return ordinal(place)

    def cards(self, cards: Iterable[Card]) -> str:
        return Inflected(" ".join(map(self.card, cards)))

    def exchanged(self, observation: Observation) -> dict[str, str]:
        """Return the cards of an exchange (rules 5.9), by the fields of its templates."""
        cards = {"given": observation.lowest_trump, "taken": observation.trump_card}
        return {name: self.card(card) for name, card in cards.items() if card is not None}

    def suit(self, suit: Suit) -> str:
        """Return a suit's sign, or its word if cards have letters."""
        words = (gettext("spade"), gettext("heart"), gettext("diamond"), gettext("club"))
        return words[suit] if self.ascii else suit.symbol

    def by_suit(self, suit: Suit) -> str:
        """Return the suit to beat with. Some languages have a separate form."""
        words = (pgettext("means", "spade"), pgettext("means", "heart"), pgettext("means", "diamond"))
        return (*words, pgettext("means", "club"))[suit] if self.ascii else suit.symbol

    def form(self, seat: int, to_you: str, of_others: str, **values: object) -> str:
        """Fill in the template that fits the seat; ``{name}`` is its name."""
        return gettext(to_you if seat == self.you else of_others, name=self.who(seat), **values)


def why_words(
    why: WhyNot, seen: Observation, voice: Voice, card: Card | None = None, target: Card | None = None
) -> str:
    """Return a short refusal with its rules paragraph."""
    words = refusal_words(why, seen, voice, card, target)
    return gettext("{words} (rules {paragraph}).", words=words, paragraph=why.paragraph)


def refusal_words(
    why: WhyNot, seen: Observation, voice: Voice, card: Card | None = None, target: Card | None = None
) -> str:
    """Return a short refusal, which names what is possible instead."""
    fitting = {one.rank: one for one in seen.table_cards}
    ranks = any_of([voice.rank(fitting[rank]) for rank in sorted(fitting)])
    answers = gettext("Beat it or take"), gettext("Beat it, transfer it or take")
    words = {
        "must_open": gettext("You attack: play a card"),
        "must_answer": answers[seen.rules.transfer],
        "rank_not_on_table": gettext("Only {ranks} may be added", ranks=ranks),
        "pass_forbidden": gettext("You hold a card that fits: you cannot pass"),
        "take_forbidden": gettext("You hold an answer: you cannot take"),
        "nothing_to_take": gettext("There is nothing for you to take"),
        "already_beaten": gettext("Too late to transfer: a card is beaten"),
        "first_bout": gettext("The first bout may not be transferred"),
        "next_seat_too_short": gettext("The next player holds too few cards"),
    }
    if card is not None and target is not None:
        fields = {"card": voice.card(card), "target": voice.card(target)}
        words["does_not_beat"] = gettext("{card} does not beat {target}", **fields)
        words["not_of_the_jokers_colour"] = words["does_not_beat"]
    return words.get(why.kind) or capital(core_words(why.reason))


_FORMS: Final[Mapping[type[Event], tuple[str, str]]] = {
    Attacked: (mark("You attack with {card}"), mark("{name} attacks with {card}")),
    Defended: (mark("You beat {target} with {card}"), mark("{name} beats {target} with {card}")),
    Transferred: (
        mark("You transfer to {whom} with {card}"),
        mark("{name} transfers to {whom} with {card}"),
    ),
    TrumpShown: (
        mark("You transfer to {whom} by showing {card}"),
        mark("{name} transfers to {whom} by showing {card}"),
    ),
    Exchanged: (
        mark("You exchange {given} for {taken}"),
        mark("{name} exchanges {given} for {taken}"),
    ),
    Passed: (mark("You pass"), mark("{name} passes")),
    TookUp: (mark("You say: I take"), mark("{name} says: I take")),
    TableTaken: (mark("You take {cards}"), mark("{name} takes {cards}")),
    Drew: (mark("You draw {cards}"), mark("{name} draws {cards}")),
    WentOut: (mark("You are out, {place}"), mark("{name} is out, {place}")),
}
"""Templates by event, addressed to the player and with a name."""

_THROWN_IN: Final = (mark("You throw in {card}"), mark("{name} throws in {card}"))
_DRAWN_UNSEEN: Final = (mark("You draw {count}"), mark("{name} draws {count}"))
_DRAWN_WITH_TRUMP: Final = (
    mark("You draw {count}, with the trump card"),
    mark("{name} draws {count}, with the trump card"),
)


def event_words(event: Event, voice: Voice, *, opening: bool = True, beaten: bool = False) -> str:
    """Describe an event. An attack card opens its bout or is thrown in; a pass may leave all cards beaten."""
    match event:
        case Passed() if beaten:
            if event.seat == voice.you:
                return pgettext("all beaten", "You pass")
            return pgettext("all beaten", "{name} passes", name=voice.who(event.seat))
        case BoutBegan():
            who, whom = voice.who(event.attacker), voice.whom(event.defender)
            return gettext(
                "Bout {bout}: {attacker} against {defender}", bout=event.bout, attacker=who, defender=whom
            )
        case BeatenOff():
            return gettext("Beaten off: {count} discarded", count=len(event.cards))
        case GameEnded():
            return _end_words(event, voice)
        case Attacked() if not opening:
            forms = _THROWN_IN
        case Drew(cards=None):
            forms = _DRAWN_WITH_TRUMP if event.trump else _DRAWN_UNSEEN
        case _:
            forms = _FORMS[type(event)]
    return voice.form(event.seat, *forms, **_values(event, voice))


def attack_words(seat: int, cards: Sequence[Card], voice: Voice, *, opening: bool) -> str:
    """Describe attack cards that a seat plays in a row."""
    forms = _FORMS[Attacked] if opening else _THROWN_IN
    return voice.form(seat, *forms, card=voice.card(cards[0]) if len(cards) == 1 else voice.cards(cards))


def _values(event: Event, voice: Voice) -> dict[str, str]:
    words: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
        ("card", "card", voice.card),
        ("target", "target", voice.card),
        ("given", "given", voice.card),
        ("taken", "taken", voice.card),
        ("cards", "cards", voice.cards),
        ("defender", "whom", voice.whom),
        ("count", "count", str),
        ("place", "place", voice.place),
    )
    found = ((name, word, getattr(event, attribute, None)) for attribute, name, word in words)
    return {name: word(value) for name, word, value in found if value is not None}


def _end_words(event: GameEnded, voice: Voice) -> str:
    match event.fools:
        case () if event.stalled:
            return gettext("The game is drawn: nobody gets any further")
        case ():
            return gettext("The game is drawn: nobody is the fool")
        case (fool,):
            return voice.form(fool, "You are the fool", "{name} is the fool")
    return gettext("{names} have lost", names=voice.together(event.fools))


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of the move log.

    Attributes:
        ply: Number of actions played by then; 0 before the first.
        is_heading: Whether it starts a bout.
        is_action: Whether it is a seat's action, not a consequence.
        seat: The seat that acted; None if several did.
        first: For a line about several actions, the number of actions played after the first.
        opens: Whether it is the attack that opens a bout.
    """

    ply: int
    words: str
    is_heading: bool = False
    is_action: bool = False
    seat: int | None = None
    first: int | None = None
    opens: bool = False

    @property
    def plies(self) -> range:
        """The numbers of actions after which it is the last line."""
        return range(self.ply if self.first is None else self.first, self.ply + 1)


def log_lines(events: Iterable[Event], voice: Voice) -> tuple[LogLine, ...]:
    """Return the move log of a game's events, which start at its beginning."""
    lines = []
    ply = unbeaten = 0
    opening = True
    for event in events:
        seat = None
        unbeaten = _unbeaten_after(event, unbeaten)
        if isinstance(event, ActionEvent):
            seat = event.seat
            ply += 1
        words = event_words(event, voice, opening=opening, beaten=not unbeaten)
        is_heading = isinstance(event, BoutBegan)
        opens = opening and isinstance(event, Attacked)
        opening = is_heading or (opening and isinstance(event, Exchanged))
        is_action = seat is not None
        lines.append(LogLine(ply, words, is_heading=is_heading, is_action=is_action, seat=seat, opens=opens))
    return tuple(lines)


def _unbeaten_after(event: Event, unbeaten: int) -> int:
    """Return the number of unbeaten attack cards after an event."""
    match event:
        case Attacked() | Transferred():
            return unbeaten + 1
        case Defended():
            return unbeaten - 1
        case BoutBegan():
            return 0
    return unbeaten


def last_outcome(events: Sequence[Event], voice: Voice) -> str:
    """Return how the last bout ended; empty during the first one."""
    ends = (event for event in reversed(events) if isinstance(event, BeatenOff | TableTaken))
    return next((event_words(end, voice) for end in ends), "")


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
        15: pgettext("rank", "joker"),
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


def _in_form(words: str, case: str) -> str:
    first, *others = words.split(_BETWEEN_FORMS)
    return dict(other.split("=", 1) for other in others if "=" in other).get(case, first)


def _card_form(card: Card, case: str = "") -> str:
    if card.is_joker:
        black, red = pgettext("card in words", "the black joker"), pgettext("card in words", "the red joker")
        return _in_form(red if card.suit is Suit.HEARTS else black, case)
    rank = _in_form(rank_words(card.rank), case)
    return pgettext("card in words", "the {rank} of {suit}", rank=rank, suit=_of_suit(card.suit))


def _cards_form(cards: tuple[Card, ...], case: str = "") -> str:
    """List some cards one by one, and many by suit."""
    if len(cards) <= _FEW:
        return all_of([_card_form(card, case) for card in cards])
    count = ngettext("{count} card", "{count} cards", len(cards))
    return gettext("{count}: {cards}", count=count, cards=suits_words(cards))


def suits_words(cards: Iterable[Card], trump: Suit | None = None) -> str:
    """List sorted cards by suit: "spades: 6, 8; trumps, hearts: jack; the red joker"."""
    groups: list[str] = []
    for suit, group in groupby(cards, key=lambda card: None if card.is_joker else card.suit):
        if suit is None:
            groups.extend(map(_card_form, group))
            continue
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

    def place(self, place: int) -> str:
        """Return a finishing place as a word: a reader mispronounces the signs of some languages."""
        return pgettext("spoken places", "1st 2nd 3rd 4th 5th 6th").split()[place - 1]

    def rank(self, card: Card) -> str:
        forms = rank_words(card.rank).split(_BETWEEN_FORMS)
        return next((form[4:] for form in forms if form.startswith("acc=")), forms[0])
