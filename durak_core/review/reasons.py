"""Why a move was worse than another one, in words: the catalogue of reasons.

Every reason is said of the move that was played ("spends the trump Kh ..."), and is made from what its
player could know and from what the search expects after both moves; hidden cards have no part in it. The
first one that holds is given, those that are certain before those that are likely.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from durak_core.actions import Attack, Defend, Pass, ShowTrump, Take, Transfer
from durak_core.cards import CardSet, Rank
from durak_core.game.observation import Phase
from durak_core.messages import Message
from durak_core.review.comparison import Comparison, Seat

_MUCH_EASIER: Final = 3
"""So many more cards have to beat one card than another for that to be a reason."""

_LOW: Final = Rank.JACK
"""Up to here nobody is sorry for a plain card."""

Kind: TypeAlias = Callable[[Comparison], Message | None]
"""A reason, where it holds."""


# Of any two moves


def misses_the_way_out(it: Comparison) -> Message | None:
    """The better move plays the last card, and nothing is left to draw."""
    is_last = len(it.observation.hand) == 1 and it.talon == 0 and not isinstance(it.better, ShowTrump)
    if is_last and it.better_card is not None and it.card is None:
        return Message("misses the way out: {better} is the last card", better=it.better_card)
    return None


def gives_away_a_win(it: Comparison) -> Message | None:
    """Both are played out to the end: the better move wins."""
    if it.proved is not None and it.proved[1] == 1:
        return Message("lets the win slip: {better} wins whatever the others do", better=it.better)
    return None


def gives_away_a_draw(it: Comparison) -> Message | None:
    """Both are played out to the end: the better move draws."""
    if it.proved is not None and it.proved[1] < 1:
        return Message("loses: {better} holds a draw whatever the others do", better=it.better)
    return None


# Answers


def spends_a_trump_for_nothing(it: Comparison) -> Message | None:
    """A plain card beats it too."""
    card, better = it.card, it.better_card
    if card is None or better is None or not it.is_trump(card) or it.is_trump(better):
        return None
    if it.talon:
        return Message(
            "spends the trump {card} with {count} still in the talon; {better} beats it too",
            card=card,
            count=it.talon,
            better=better,
        )
    return Message("spends the trump {card}; {better} beats it too", card=card, better=better)


def spends_a_high_trump(it: Comparison) -> Message | None:
    card, better = it.card, it.better_card
    if card and better and it.is_trump(card) and it.is_trump(better) and card.rank > better.rank:
        return Message("spends the trump {card} where the lower {better} is enough", card=card, better=better)
    return None


def lets_known_cards_in(it: Comparison) -> Message | None:
    """The answer brings a rank to the table of which an attacker has shown a card."""
    card, better = it.card, it.better_card
    if card is None or not it.is_new(card):
        return None
    for seat in it.throwers:
        cards = it.alike(card, it.shown(seat))
        if cards and not (better and it.is_new(better) and it.alike(better, it.shown(seat))):
            return Message("lets {name} throw in {cards}, seen in that hand", name=Seat(seat), cards=cards)
    return None


def spends_a_high_card(it: Comparison) -> Message | None:
    """A lower card of the same suit beats it too."""
    card, better = it.card, it.better_card
    if card and better and card.suit == better.suit and card.rank > better.rank:
        return Message("gives up {card} where the lower {better} is enough", card=card, better=better)
    return None


def brings_a_new_rank(it: Comparison) -> Message | None:
    card, better = it.card, it.better_card
    if card and better and it.is_new(card) and not it.is_new(better):
        return Message(
            "brings a new rank to the table, so more can be thrown in; {better} brings none", better=better
        )
    return None


def breaks_up_a_pair(it: Comparison) -> Message | None:
    card, better = it.card, it.better_card
    if card is None or better is None or it.is_trump(card):
        return None
    twins, others = it.alike(card, it.observation.hand), it.alike(better, it.observation.hand)
    if twins and not others:
        cards = CardSet(twins.mask | card.mask)
        return Message("breaks up {cards}, which belong together in an attack", cards=cards)
    return None


def is_taken_anyway(it: Comparison) -> Message | None:
    """The search expects that after beating this everything is taken all the same."""
    if it.is_taken_after(it.after_played) and not it.is_taken_after(it.after_better):
        return Message("does not save the bout: more is thrown in, and all of it is taken in the end")
    return None


def refuses_a_catch(it: Comparison) -> Message | None:
    """Good cards lie on the table for whoever takes."""
    cards = CardSet.of(card for card in it.observation.table_cards if it.is_good(card))
    if cards:
        return Message("beats what is worth having: taking brings {cards}", cards=cards)
    return None


def costs_a_trump(it: Comparison) -> Message | None:
    card = it.card
    if card is None or not it.is_trump(card):
        return None
    if it.talon:
        return Message(
            "costs the trump {card} with {count} still in the talon; taking costs less",
            card=card,
            count=it.talon,
        )
    return Message("costs the trump {card}; taking costs less", card=card)


def costs_a_high_card(it: Comparison) -> Message | None:
    card = it.card
    if card and card.rank > _LOW:
        return Message("costs {card}; taking keeps it in hand", card=card)
    return None


# Taking


def takes_what_a_spare_card_beats(it: Comparison) -> Message | None:
    better = it.better_card
    if better and not it.is_trump(better) and better.rank <= _LOW:
        return Message("takes although {better} beats it, a card that can be spared", better=better)
    return None


def takes_with_nothing_to_draw(it: Comparison) -> Message | None:
    if it.talon == 0 and it.better_card:
        return Message(
            "takes when the talon is empty: every card has to be got rid of again; {better} beats it",
            better=it.better_card,
        )
    return None


def gives_the_attack_away(it: Comparison) -> Message | None:
    """The better move beats the last open card."""
    if len(it.observation.open_attacks) == 1 and it.better_card:
        return Message("gives the next attack away; {better} beats it", better=it.better_card)
    return None


def takes_too_early(it: Comparison) -> Message | None:
    if it.better_card:
        return Message("takes too early: {better} still beats a card", better=it.better_card)
    return None


# Transferring


def misses_a_free_transfer(it: Comparison) -> Message | None:
    if isinstance(it.better, ShowTrump) and not isinstance(it.played, ShowTrump):
        return Message("misses a free transfer: {better} is only shown, and stays", better=it.better_card)
    return None


def misses_the_transfer(it: Comparison) -> Message | None:
    if isinstance(it.better, Transfer) and not isinstance(it.played, Transfer | ShowTrump):
        return Message("misses the transfer: with {better} somebody else defends", better=it.better_card)
    return None


def transfers_with_a_trump(it: Comparison) -> Message | None:
    card = it.card
    if isinstance(it.played, Transfer) and card and it.is_trump(card) and it.talon:
        return Message(
            "transfers with the trump {card} with {count} still in the talon", card=card, count=it.talon
        )
    return None


def is_transferred_on(it: Comparison) -> Message | None:
    """The next defender has shown a card of the rank."""
    card, rules = it.card, it.observation.rules
    if card is None or not rules.transfer or it.observation.phase not in {Phase.OPENING, Phase.DEFENCE}:
        return None
    seats = [seat for seat in range(rules.seats) if seat != it.observation.seat]
    seat = it.observation.defender if isinstance(it.played, Attack) else seats[0] if len(seats) == 1 else None
    cards = it.alike(card, it.shown(seat)) if seat is not None else CardSet()
    better = it.better_card
    if seat is None or not cards or (better and it.alike(better, it.shown(seat))):
        return None
    return Message("is transferred back: {name} holds {cards}", name=Seat(seat), cards=cards)


def transfers_what_could_be_beaten(it: Comparison) -> Message | None:
    if it.card and isinstance(it.better, Defend):
        return Message(
            "hands the attack on with {card}; {better} beats it, and the next attack is gained",
            card=it.card,
            better=it.better_card,
        )
    return None


# Attacks


def leaves_out_what_cannot_be_beaten(it: Comparison) -> Message | None:
    """Nothing that the defender can hold beats the better card."""
    card, better = it.card, it.better_card
    if better is None or not isinstance(it.better, Attack) or it.beaten_by(it.possible, better):
        return None
    if card is not None and not it.beaten_by(it.possible, card):
        return None
    return Message("leaves out {better}: {name} cannot beat it", better=better, name=it.defender)


def runs_into_known_cards(it: Comparison) -> Message | None:
    """The defender has shown what beats it."""
    card, better = it.card, it.better_card
    shown = it.shown(it.observation.defender)
    cards = it.beaten_by(shown, card) if card else CardSet()
    if not cards or (better and it.beaten_by(shown, better)):
        return None
    return Message("runs into {cards}, seen with {name}", cards=cards, name=it.defender)


def attacks_with_a_trump(it: Comparison) -> Message | None:
    card, better = it.card, it.better_card
    if card is None or not it.is_trump(card) or not it.talon or (better and it.is_trump(better)):
        return None
    return Message("attacks with the trump {card} with {count} still in the talon", card=card, count=it.talon)


def opens_with_a_single_card(it: Comparison) -> Message | None:
    """Of the better card's rank there are more in hand, to be thrown in after it."""
    card, better = it.card, it.better_card
    if card is None or better is None or it.observation.phase != Phase.OPENING:
        return None
    others = CardSet.of(other for other in it.alike(better, it.observation.hand) if not it.is_trump(other))
    if not others or it.alike(card, it.observation.hand):
        return None
    return Message("has nothing to follow it; after {better} comes {cards}", better=better, cards=others)


def is_easier_to_beat(it: Comparison) -> Message | None:
    card, better = it.card, it.better_card
    if card is None or better is None:
        return None
    many, few = len(it.beaten_by(it.possible, card)), len(it.beaten_by(it.possible, better))
    if many < few + _MUCH_EASIER:
        return None
    return Message(
        "is easy to beat: {count} of the cards still out do it, and {fewer} beat {better}",
        count=many,
        fewer=few,
        better=better,
    )


def attacks_too_high(it: Comparison) -> Message | None:
    card, better = it.card, it.better_card
    if card and better and not it.is_trump(better) and card.rank > better.rank:
        return Message("gives up {card}; the lower {better} can be spared sooner", card=card, better=better)
    return None


def makes_a_present(it: Comparison) -> Message | None:
    card = it.card
    if card and it.observation.phase == Phase.PILE_ON and (it.is_good(card) or card.rank > _LOW):
        return Message("makes {name} a present of {card}", name=it.defender, card=card)
    return None


def throws_in_a_good_card(it: Comparison) -> Message | None:
    card = it.card
    if card and (it.is_good(card) or card.rank > _LOW):
        return Message("throws in {card}, which is worth keeping", card=card)
    return None


# Passing


def keeps_what_could_be_given(it: Comparison) -> Message | None:
    if it.observation.phase == Phase.PILE_ON and it.better_card:
        return Message(
            "keeps {better}, which could be given to {name} for good", better=it.better_card, name=it.defender
        )
    return None


def lets_off_who_would_take(it: Comparison) -> Message | None:
    """The search expects the defender to take after the better move."""
    if it.better_card and it.is_taken_after(it.after_better) and not it.is_taken_after(it.after_played):
        return Message(
            "lets {name} off: after {better} taking is likely", name=it.defender, better=it.better_card
        )
    return None


def stops_too_early(it: Comparison) -> Message | None:
    if it.better_card:
        return Message("stops too early: {better} can still go in", better=it.better_card)
    return None


# Where nothing else is to be said


def expects_worse(it: Comparison) -> Message | None:
    if it.after_played and it.after_better and it.after_played[0] != it.after_better[0]:
        return Message(
            "is likely answered by {reply}; after {better} it is {other}",
            reply=it.after_played[0],
            better=it.better,
            other=it.after_better[0],
        )
    return None


def costs_more(it: Comparison) -> Message:
    if it.card is None:
        return Message("gains less than {better}", better=it.better)
    return Message("spends {card}; {better} costs less in the end", card=it.card, better=it.better)


_FIRST: Final[tuple[Kind, ...]] = (
    misses_the_way_out,
    leaves_out_what_cannot_be_beaten,
    gives_away_a_win,
    gives_away_a_draw,
)
"""What is certain, of any two moves."""

_SPENDING: Final[tuple[Kind, ...]] = (
    spends_a_trump_for_nothing,
    lets_known_cards_in,
    spends_a_high_trump,
    spends_a_high_card,
    brings_a_new_rank,
    is_taken_anyway,
    breaks_up_a_pair,
)
_ATTACKING: Final[tuple[Kind, ...]] = (
    attacks_with_a_trump,
    is_transferred_on,
    runs_into_known_cards,
    makes_a_present,
    lets_off_who_would_take,
    opens_with_a_single_card,
    is_easier_to_beat,
    attacks_too_high,
)
_NOT_TRANSFERRING: Final[tuple[Kind, ...]] = (misses_a_free_transfer, misses_the_transfer)
_TRANSFERRING: Final[tuple[Kind, ...]] = (misses_a_free_transfer, transfers_with_a_trump, is_transferred_on)

_KINDS: Final[dict[tuple[type, type], tuple[Kind, ...]]] = {
    (Defend, Defend): _SPENDING,
    (Defend, Take): (is_taken_anyway, refuses_a_catch, costs_a_trump, lets_known_cards_in, costs_a_high_card),
    (Take, Defend): (
        takes_what_a_spare_card_beats,
        takes_with_nothing_to_draw,
        gives_the_attack_away,
        takes_too_early,
    ),
    (Attack, Attack): _ATTACKING,
    (Attack, Pass): (
        attacks_with_a_trump,
        makes_a_present,
        runs_into_known_cards,
        throws_in_a_good_card,
    ),
    (Pass, Attack): (
        keeps_what_could_be_given,
        lets_off_who_would_take,
        stops_too_early,
    ),
    **{(one, other): _NOT_TRANSFERRING for one in (Defend, Take) for other in (Transfer, ShowTrump)},
    **{
        (Transfer, other): (*_TRANSFERRING, transfers_what_could_be_beaten)
        for other in (Defend, Take, Transfer, ShowTrump)
    },
    (ShowTrump, Defend): (transfers_what_could_be_beaten,),
}
"""The reasons to look for, in this order, by what was played and what was better."""


def reason_of(it: Comparison) -> Message:
    """Return why the better of two actions is better; there is always something to say."""
    kinds = _KINDS.get((type(it.played), type(it.better)), ())
    if _answer_different_cards(it):
        kinds = ()
    for kind in (*_FIRST, *kinds, expects_worse):
        found = kind(it)
        if found is not None:
            return found
    return costs_more(it)


def _answer_different_cards(it: Comparison) -> bool:
    match it.played, it.better:
        case Defend(_, target), Defend(_, other):
            return target != other
        case _:
            return False
