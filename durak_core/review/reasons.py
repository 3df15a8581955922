"""The catalogue of reasons why a move was worse than another one, by comparing the two.

Every reason describes the played move ("spends the trump Kh ..."). It uses the player's knowledge and the
expected continuations, never hidden cards. The first that applies is given, certain reasons first.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import takewhile
from operator import or_
from typing import Final, TypeAlias

from durak_core.actions import (
    EXCHANGE,
    PASS,
    TAKE,
    Action,
    Attack,
    Defend,
    Exchange,
    Pass,
    ShowTrump,
    Take,
    Transfer,
    card_of,
)
from durak_core.cards import Card, CardSet, Rank
from durak_core.errors import Message
from durak_core.game.observation import Observation, Phase, Role
from durak_core.knowledge.certain import possible_cards


@dataclass(frozen=True, slots=True)
class SeatName:
    """A seat as a message's value, to be shown as its player's name."""

    number: int

    def __str__(self) -> str:
        return f"seat {self.number}"


@dataclass(frozen=True)
class Comparison:
    """The played and the better action, each with its expected continuation.

    ``proved`` holds both proved values, the played action's first, or None.
    """

    observation: Observation
    played: Action
    better: Action
    after_played: Sequence[Action] = ()
    after_better: Sequence[Action] = ()
    proved: tuple[float, float] | None = None

    @property
    def card(self) -> Card | None:
        return card_of(self.played)

    @property
    def better_card(self) -> Card | None:
        return card_of(self.better)

    @property
    def talon(self) -> int:
        return self.observation.talon_size

    def reason(self, template: str, **values: object) -> Message:
        """Fill in a template; the cards, the talon's size and the defender are its values by default."""
        known = {
            "card": self.card,
            "better": self.better_card,
            "count": self.talon,
            "name": SeatName(self.observation.defender),
            **values,
        }
        names = [name for _, name, _, _ in string.Formatter().parse(template) if name]
        return Message(template, **{name: known[name] for name in names})

    def is_trump(self, card: Card) -> bool:
        return card.is_of(self.observation.trump_suit)

    def is_plain(self, card: Card) -> bool:
        return card.is_plain(self.observation.trump_suit)

    def is_good(self, card: Card) -> bool:
        return self.is_trump(card) or card.rank >= Rank.KING

    def is_spare(self, card: Card) -> bool:
        return not self.is_trump(card) and card.rank <= Rank.JACK

    def beaten_by(self, cards: CardSet, target: Card) -> CardSet:
        seen = self.observation
        return CardSet(cards.mask & seen.beating(target).mask)

    def shown(self, seat: int) -> CardSet:
        return self.observation.known[seat]

    @cached_property
    def possible(self) -> CardSet:
        """The defender's possible cards, for the player."""
        return possible_cards(self.observation, self.observation.defender)

    @cached_property
    def others(self) -> CardSet:
        """The cards that other players hold or may still draw, as far as the player knows."""
        seats = [seat for seat in range(len(self.observation.known)) if seat != self.observation.seat]
        return CardSet(reduce(or_, (possible_cards(self.observation, seat).mask for seat in seats), 0))

    def alike(self, card: Card, cards: CardSet) -> CardSet:
        """Return the other cards of a card's rank."""
        return CardSet.of(other for other in cards if other.rank == card.rank and other != card)

    def is_new(self, card: Card) -> bool:
        """Return whether its rank is not on the table."""
        return not self.alike(card, self.observation.table_cards)

    @property
    def is_piling_on(self) -> bool:
        return self.observation.phase == Phase.PILE_ON

    @property
    def is_last_open(self) -> bool:
        return len(self.observation.open_attacks) == 1

    @property
    def room(self) -> int:
        """Number of attack cards that still fit into this bout."""
        return self.observation.limit - len(self.observation.table)

    @cached_property
    def throwers(self) -> tuple[int, ...]:
        """The seats that can throw in at the player, the defender; none if the bout is full."""
        return throwers(self.observation) if self.room else ()

    def followers(self, card: Card) -> CardSet:
        """Return the cards of a card's rank that can be thrown in at the player."""
        masks = (possible_cards(self.observation, seat).mask for seat in self.throwers)
        return self.alike(card, CardSet(reduce(or_, masks, 0)))

    def is_taken_after(self, action: Action, ahead: Sequence[Action]) -> bool:
        """Return whether the search expects a take after an action, before any pass.

        Continuations omit forced moves: an attack with a new rank or by the defender is of the next bout.
        """
        if self.is_piling_on:
            return False
        seat, card = self.observation.defender, card_of(action)
        defending = self.observation.hand if seat == self.observation.seat else self.shown(seat)
        ranks = {other.rank for other in (*self.observation.table_cards, *([card] if card else ()))}
        for one in ahead:
            if one in {PASS, TAKE}:
                return one == TAKE
            if isinstance(one, Attack) and (one.card.rank not in ranks or one.card in defending):
                return False
            ranks |= {other.rank for other in [card_of(one)] if other}
        return False


Kind: TypeAlias = Callable[[Comparison], Message | None]
"""A reason: a text if it applies, otherwise None."""

Kinds: TypeAlias = dict[tuple[type[Action], type[Action]], tuple[Kind, ...]]
"""Reasons by the types of the played and the better action, in the order of checking."""


def cards_of(action: Action) -> CardSet:
    """Return the cards that an action names."""
    match action:
        case Defend(card, target):
            return CardSet.of((card, target))
        case Attack(card) | Transfer(card) | ShowTrump(card):
            return CardSet.of((card,))
        case _:
            return CardSet()


def throwers(observation: Observation) -> tuple[int, ...]:
    """Return the seats whose role lets them throw in (rules 5.6)."""
    roles = enumerate(observation.roles)
    return tuple([seat for seat, role in roles if role in {Role.ATTACKER, Role.HELPER}])


def foreseeable(observation: Observation, ahead: Sequence[Action]) -> tuple[Action, ...]:
    """Return a continuation up to the first card that the player has not seen.

    The later moves depend on the deals that a search has sampled. A face-up card that can be exchanged counts
    as seen, and an exchange names the lowest trump.
    """
    hands = observation.known if observation.hands is None else observation.hands
    exchanged = [observation.trump_card] * (EXCHANGE in observation.legal_actions)
    face_up = CardSet.of(card for card in exchanged if card)
    seen = reduce(or_, (held.mask for held in (observation.hand, observation.table_cards, face_up, *hands)))
    lowest = CardSet.of(card for card in (observation.lowest_trump,) if card)

    def is_foreseeable(action: Action) -> bool:
        return not (lowest if action == EXCHANGE else cards_of(action)).mask & ~seen

    return tuple(takewhile(is_foreseeable, ahead))


def spends_a_trump_for_nothing(it: Comparison) -> Message | None:
    """A non-trump card beats it too."""
    if not it.card or not it.better_card or not it.is_trump(it.card) or not it.is_plain(it.better_card):
        return None
    if it.talon:
        return it.reason("spends a trump, {card}, with {count} still in the talon; {better} beats it too")
    return it.reason("spends a trump, {card}; {better} beats it too")


def spends_the_highest_trump(it: Comparison) -> Message | None:
    """The talon is empty, and no card of the others beats it."""
    card, better = it.card, it.better_card
    is_spent = card and better and it.is_trump(card) and not it.talon
    if card is None or not is_spent or it.beaten_by(it.others, card):
        return None
    return it.reason("spends the highest trump left, {card}; {better} beats it too")


def spends_a_high_trump(it: Comparison) -> Message | None:
    card, better = it.card, it.better_card
    if card and better and it.is_trump(card) and it.is_trump(better) and card.rank > better.rank:
        return it.reason("spends {card} where a lower trump, {better}, is enough")
    return None


def lets_known_cards_in(it: Comparison) -> Message | None:
    """The answer adds a rank that an attacker has shown."""
    card, better = it.card, it.better_card
    if card is None or not it.is_new(card):
        return None
    for seat in it.throwers:
        cards = it.alike(card, it.shown(seat))
        if cards and not (better and it.is_new(better) and it.alike(better, it.shown(seat))):
            return it.reason(
                "lets {name} throw in {cards}, seen in that hand", name=SeatName(seat), cards=cards
            )
    return None


def spends_a_high_card(it: Comparison) -> Message | None:
    """A lower card of the same suit beats it too, or any card beats what a joker was played on."""
    card, better = it.card, it.better_card
    if card and better and (card.suit == better.suit or card.is_joker) and card.rank > better.rank:
        return it.reason("gives up {card} where a lower card, {better}, is enough")
    return None


def brings_a_new_rank(it: Comparison) -> Message | None:
    card, better = it.card, it.better_card
    if card and better and it.is_new(card) and it.followers(card) and not it.is_new(better):
        return it.reason("brings a new rank to the table, so more can be thrown in; {better} brings none")
    return None


def invites_more(it: Comparison) -> Message | None:
    """The throwers-in can hold more cards of its rank than of the better one's."""
    card, better = it.card, it.better_card
    if not card or not better or not it.is_new(card):
        return None
    cards, fewer = it.followers(card), it.followers(better)
    if len(cards) <= len(fewer):
        return None
    if fewer:
        return it.reason("lets {cards} be thrown in; fewer cards fit {better}", cards=cards)
    return it.reason("lets {cards} be thrown in; nothing fits {better}", cards=cards)


def breaks_up_a_pair(it: Comparison) -> Message | None:
    card, better, hand = it.card, it.better_card, it.observation.hand
    if card and better and not it.is_trump(card) and it.alike(card, hand) and not it.alike(better, hand):
        cards = CardSet(it.alike(card, hand).mask | card.mask)
        return it.reason("breaks up {cards}, which belong together in an attack", cards=cards)
    return None


def is_taken_anyway(it: Comparison) -> Message | None:
    if it.better != TAKE and it.is_taken_after(it.better, it.after_better):
        return None
    if it.is_taken_after(it.played, it.after_played):
        return it.reason("does not save the bout: more is thrown in, and all of it is taken in the end")
    return None


def refuses_a_catch(it: Comparison) -> Message | None:
    """The table has good cards to take."""
    cards = CardSet.of(pair.attack for pair in it.observation.table if it.is_good(pair.attack))
    return it.reason("turns down {cards}, worth having in hand", cards=cards) if cards else None


def loses_what_has_beaten(it: Comparison) -> Message | None:
    """Good cards of the player have beaten others in this bout."""
    spent = (pair.defence for pair in it.observation.table if pair.defence)
    cards = CardSet.of(card for card in spent if it.is_good(card))
    return it.reason("discards {cards}, which taking would bring back", cards=cards) if cards else None


def costs_a_trump(it: Comparison) -> Message | None:
    if it.card is None or not it.is_trump(it.card):
        return None
    if it.talon:
        return it.reason("costs a trump, {card}, with {count} still in the talon; taking costs less")
    return it.reason("costs a trump, {card}; taking costs less")


def costs_a_high_card(it: Comparison) -> Message | None:
    is_high = it.card and not it.is_spare(it.card)
    return it.reason("costs {card}; taking keeps it in hand") if is_high else None


def takes_what_a_spare_card_beats(it: Comparison) -> Message | None:
    is_spare = it.better_card and it.is_last_open and it.is_spare(it.better_card)
    return it.reason("no need, you can spare {better}") if is_spare else None


def takes_with_nothing_to_draw(it: Comparison) -> Message | None:
    if it.talon == 0 and it.is_last_open and it.better_card:
        return it.reason(
            "takes with the talon empty, when every card has to be shed again; {better} beats it"
        )
    return None


def gives_the_attack_away(it: Comparison) -> Message | None:
    """The better move beats the last open card."""
    is_beaten = it.is_last_open and it.better_card
    return it.reason("gives the next attack away; {better} beats it") if is_beaten else None


def takes_too_early(it: Comparison) -> Message | None:
    return it.reason("takes too early: {better} still beats a card") if it.better_card else None


def misses_a_free_transfer(it: Comparison) -> Message | None:
    if isinstance(it.better, ShowTrump) and not isinstance(it.played, ShowTrump):
        return it.reason("misses a free transfer: {better} is only shown, and stays")
    return None


def misses_the_transfer(it: Comparison) -> Message | None:
    if isinstance(it.better, Transfer) and not isinstance(it.played, Transfer | ShowTrump):
        return it.reason("misses the transfer: after {better} another player defends")
    return None


def transfers_with_a_trump(it: Comparison) -> Message | None:
    if isinstance(it.played, Transfer) and it.is_trump(it.played.card) and it.talon:
        return it.reason("transfers with a trump, {card}, with {count} still in the talon")
    return None


def is_transferred_on(it: Comparison) -> Message | None:
    """The only other player has shown a card of the rank, and the search expects no other answer."""
    card, better, rules = it.card, it.better_card, it.observation.rules
    if card is None or not rules.transfer or it.observation.phase not in {Phase.OPENING, Phase.DEFENCE}:
        return None
    roles = enumerate(it.observation.roles)
    others = [seat for seat, role in roles if role != Role.OUT and seat != it.observation.seat]
    if len(others) > 1 or (it.after_played and not isinstance(it.after_played[0], Transfer | ShowTrump)):
        return None
    shown = it.shown(others[0])
    cards = it.alike(card, shown)
    if not cards or (better and it.alike(better, shown)):
        return None
    return it.reason(
        "is transferred back with {cards}, seen with {name}", cards=cards, name=SeatName(others[0])
    )


def transfers_what_could_be_beaten(it: Comparison) -> Message | None:
    if it.card and it.is_last_open and isinstance(it.better, Defend):
        return it.reason("gives the next attack away; {better} beats it")
    return None


_NOT_TRANSFERRING: Final[tuple[Kind, ...]] = (misses_a_free_transfer, misses_the_transfer)
_TRANSFERRING: Final[tuple[Kind, ...]] = (misses_a_free_transfer, transfers_with_a_trump, is_transferred_on)

ANSWERS: Final[Kinds] = {
    (Defend, Defend): (
        spends_the_highest_trump,
        spends_a_trump_for_nothing,
        lets_known_cards_in,
        spends_a_high_trump,
        spends_a_high_card,
        brings_a_new_rank,
        is_taken_anyway,
        invites_more,
        breaks_up_a_pair,
    ),
    (Defend, Take): (
        is_taken_anyway,
        refuses_a_catch,
        loses_what_has_beaten,
        costs_a_trump,
        lets_known_cards_in,
        costs_a_high_card,
    ),
    (Take, Defend): (
        takes_what_a_spare_card_beats,
        takes_with_nothing_to_draw,
        gives_the_attack_away,
        takes_too_early,
    ),
    **{(one, other): _NOT_TRANSFERRING for one in (Defend, Take) for other in (Transfer, ShowTrump)},
    **{
        (Transfer, other): (*_TRANSFERRING, transfers_what_could_be_beaten)
        for other in (Defend, Take, Transfer, ShowTrump)
    },
    (ShowTrump, Defend): (transfers_what_could_be_beaten,),
}


_MUCH_EASIER: Final = 3
"""Least difference in the number of cards that beat one card rather than another."""

_A_PAIR: Final = 2
"""Attack cards that must still fit into the bout for a second card to follow."""


def leaves_out_what_cannot_be_beaten(it: Comparison) -> Message | None:
    """The defender cannot hold a card that beats the better card."""
    card, better = it.card, it.better_card
    if better is None or it.is_piling_on or not isinstance(it.better, Attack):
        return None
    if it.beaten_by(it.possible, better) or (card and not it.beaten_by(it.possible, card)):
        return None
    seat = it.observation.defender
    if len(it.shown(seat)) < it.observation.hand_sizes[seat] and not it.beaten_by(it.others, better):
        return it.reason("leaves out {better}: none of the cards still out beats it")
    return it.reason("leaves out {better}: {name} cannot beat it")


def runs_into_known_cards(it: Comparison) -> Message | None:
    """The defender has publicly shown a card that beats it."""
    card, better = it.card, it.better_card
    shown = it.shown(it.observation.defender)
    cards = it.beaten_by(shown, card) if card else CardSet()
    if not cards or it.is_piling_on or (better and it.beaten_by(shown, better)):
        return None
    return it.reason("runs into {cards}, seen with {name}", cards=cards)


def attacks_with_a_trump(it: Comparison) -> Message | None:
    card, better = it.card, it.better_card
    if card is None or not it.is_trump(card) or not it.talon or (better and it.is_trump(better)):
        return None
    if not it.observation.table:
        return it.reason("attacks with a trump, {card}, with {count} still in the talon; hold it for later")
    if it.beaten_by(it.others, card):
        return it.reason("throws in a trump, {card}, with {count} still in the talon; hold it for later")
    return it.reason("throws in a trump, {card}, with {count} still in the talon; nothing can beat it later")


def opens_with_a_single_card(it: Comparison) -> Message | None:
    """The hand holds more cards of the better card's rank to throw in."""
    card, better = it.card, it.better_card
    if card is None or better is None or it.observation.phase != Phase.OPENING or it.room < _A_PAIR:
        return None
    others = CardSet.of(other for other in it.alike(better, it.observation.hand) if not it.is_trump(other))
    if not others or it.alike(card, it.observation.hand):
        return None
    return it.reason("cannot be followed up; {better} can, with {cards}", cards=others)


def is_easier_to_beat(it: Comparison) -> Message | None:
    card, better = it.card, it.better_card
    if card is None or better is None or it.is_piling_on:
        return None
    many, few = len(it.beaten_by(it.possible, card)), len(it.beaten_by(it.possible, better))
    if many < few + _MUCH_EASIER:
        return None
    return it.reason(
        "is easy to beat: {count} of the cards still out beat it, and only {fewer} beat {better}",
        count=many,
        fewer=few,
    )


def attacks_too_high(it: Comparison) -> Message | None:
    card, better = it.card, it.better_card
    if card is None or better is None or it.is_trump(better):
        return None
    if it.is_trump(card):
        return it.reason("gives up a trump, {card}; {better} can be spared sooner")
    if card.rank > better.rank:
        return it.reason("gives up {card}; a lower card, {better}, can be spared sooner")
    return None


def makes_a_present(it: Comparison) -> Message | None:
    is_present = it.card and it.is_piling_on and not it.is_spare(it.card)
    return it.reason("makes {name} a present of {card}") if is_present else None


def throws_in_a_good_card(it: Comparison) -> Message | None:
    is_wasted = it.card and not it.is_spare(it.card)
    return it.reason("parts with {card}, which is worth keeping") if is_wasted else None


def is_beaten_for_nothing(it: Comparison) -> Message | None:
    match it.after_played:
        case [Defend(beating, target), *_] if target == it.card:
            return it.reason("is likely beaten by {reply}; passing keeps {card}", reply=beating)
        case _:
            return None


def keeps_what_could_be_given(it: Comparison) -> Message | None:
    is_gift = it.is_piling_on and it.better_card
    return it.reason("keeps {better}, which could be given to {name} for good") if is_gift else None


def lets_off_who_would_take(it: Comparison) -> Message | None:
    """The search expects a take after the better move."""
    is_likely = it.is_taken_after(it.better, it.after_better)
    if it.better_card and is_likely and not it.is_taken_after(it.played, it.after_played):
        return it.reason("lets {name} off: {better} would likely be taken")
    return None


def stops_too_early(it: Comparison) -> Message | None:
    return it.reason("stops too early: {better} can still be thrown in") if it.better_card else None


def expects_worse(it: Comparison) -> Message | None:
    """The search expects other cards to beat the better one, or no transfer of it."""
    match it.after_played, it.after_better:
        case [Defend(reply, one), *_], [Defend(other, two), *_] if (one, two) == (it.card, it.better_card):
            if (not it.is_plain(reply), reply.rank) < (not it.is_plain(other), other.rank):
                return it.reason(
                    "is likely beaten by {reply}; {better} would draw out {other}", reply=reply, other=other
                )
            if reply != other and it.is_trump(reply) and it.is_trump(other):
                return it.reason(
                    "is likely beaten by {reply}, and {better} by {other}", reply=reply, other=other
                )
        case [Transfer() | ShowTrump(), *_], [Defend() | Take(), *_]:
            return it.reason("is likely transferred on; {better} is not")
    return None


def leaves_the_higher_trump(it: Comparison) -> Message | None:
    """The better move exchanges the lowest trump for the face-up card (rules 5.9)."""
    if not isinstance(it.better, Exchange):
        return None
    given, taken = it.observation.lowest_trump, it.observation.trump_card
    return it.reason(
        "leaves {card} under the talon; {lowest} can be exchanged for it", card=taken, lowest=given
    )


ATTACKS: Final[Kinds] = {
    (Attack, Exchange): (leaves_the_higher_trump,),
    (Attack, Attack): (
        makes_a_present,
        attacks_with_a_trump,
        is_transferred_on,
        runs_into_known_cards,
        lets_off_who_would_take,
        opens_with_a_single_card,
        is_easier_to_beat,
        attacks_too_high,
        expects_worse,
    ),
    (Attack, Pass): (
        makes_a_present,
        attacks_with_a_trump,
        runs_into_known_cards,
        throws_in_a_good_card,
        is_beaten_for_nothing,
    ),
    (Pass, Attack): (
        keeps_what_could_be_given,
        lets_off_who_would_take,
        stops_too_early,
    ),
}


def misses_the_way_out(it: Comparison) -> Message | None:
    """The better move plays the last card with an empty talon."""
    is_last = len(it.observation.hand) == 1 and it.talon == 0 and not isinstance(it.better, ShowTrump)
    if is_last and it.better_card is not None and it.card is None:
        return it.reason("misses the way out: {better} is the last card")
    return None


def gives_away_a_win(it: Comparison) -> Message | None:
    if it.proved is None or it.proved[1] < 1:
        return None
    match it.played, it.better:
        case Attack(card), Attack(better) if not it.observation.table and card.rank < better.rank:
            if not it.is_trump(card) and not it.is_trump(better):
                return it.reason("misses a forced win with a high lead, {better}")
        case Defend(), Take():
            return it.reason("misses a forced win by {better}, although {card} beats it", better=TAKE)
        case Attack(), Pass() if it.observation.phase == Phase.THROW_IN:
            return it.reason("misses a forced win by {better}: {card} is better kept", better=PASS)
    if isinstance(it.better, Attack | Defend):
        return it.reason("misses a forced win with {better}", better=it.better)
    return it.reason("misses a forced win by {better}", better=it.better)


def gives_away_a_draw(it: Comparison) -> Message | None:
    if it.proved is None or it.proved[1] == 1:
        return None
    if isinstance(it.better, Attack | Defend):
        return it.reason("misses a forced draw with {better}", better=it.better)
    return it.reason("misses a forced draw by {better}", better=it.better)


_FIRST: Final[tuple[Kind, ...]] = (
    misses_the_way_out,
    leaves_out_what_cannot_be_beaten,
    gives_away_a_win,
    gives_away_a_draw,
)
"""Certain reasons, for all types of moves."""


def reason_of(it: Comparison) -> Message:
    """Return why the better action is better, with a fallback."""
    return known_reason(it) or it.reason("has no simple flaw, but {better} is better", better=it.better)


def known_reason(it: Comparison) -> Message | None:
    """Return the catalogue's reason why the better action is better, or None."""
    kinds = {**ATTACKS, **ANSWERS}.get((type(it.played), type(it.better)), ())
    match it.played, it.better:
        case Defend(_, target), Defend(_, other) if target != other:
            kinds = ()  # answers to different cards cannot be compared
    return next((found for kind in (*_FIRST, *kinds) if (found := kind(it)) is not None), None)
