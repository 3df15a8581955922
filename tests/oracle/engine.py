"""Durak by the book: slow, obvious and independent of the program's own engine.

Everything here follows docs/rules.md paragraph by paragraph, with plain lists and sets of cards.
Only the vocabulary (cards, actions, rules) is shared with the program.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

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
)
from durak_core.cards import Rank, Suit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from durak_core.cards import Card
    from durak_core.rules import Rules

_RED: Final = (Suit.HEARTS, Suit.DIAMONDS)


class Pair:
    """An attack card on the table, and the card that beat it or None while it is open."""

    def __init__(self, attack: Card) -> None:
        self.attack = attack
        self.defence: Card | None = None


def deal(rules: Rules, deck: Sequence[Card]) -> tuple[list[set[Card]], list[Card]]:
    """Deal a shuffled deck: the hands by seat and what is left as the talon, top card first."""
    # 3.1: one card at a time, clockwise from seat 0; 3.3: or the whole deck, as evenly as it goes.
    count = len(deck) if rules.deal_all else rules.seats * rules.hand_size
    hands: list[set[Card]] = [set() for _ in range(rules.seats)]
    for place, card in enumerate(deck[:count]):
        hands[place % rules.seats].add(card)
    # 3.2: the rest of the deck is the talon.
    return hands, list(deck[count:])


def is_joker(card: Card) -> bool:
    """Whether a card is one of the two jokers, which have no suit (1.6)."""
    return card.rank == Rank.JOKER


def is_trump(card: Card, trump_suit: Suit | None) -> bool:
    """Whether a card is a trump; a joker never is (1.4, 1.6)."""
    return card.suit == trump_suit and not is_joker(card)


def trump_suit_of(rules: Rules, deck: Sequence[Card]) -> Suit | None:
    """The suit of the bottom card, or of the last card dealt (3.2); None without trumps (1.4)."""
    return deck[-1].suit if rules.trumps else None


def lowest_trump_holder(rules: Rules, deck: Sequence[Card]) -> int | None:
    """The seat that holds the lowest trump in hand (4.1), or None when no hand holds a trump."""
    trump_suit = trump_suit_of(rules, deck)
    hands, _talon = deal(rules, deck)
    holder = None
    lowest = None
    for seat in range(rules.seats):
        for card in hands[seat]:
            if is_trump(card, trump_suit) and (lowest is None or card.rank < lowest):
                holder, lowest = seat, card.rank
    return holder


def is_dealt_again(rules: Rules, deck: Sequence[Card]) -> bool:
    """Whether no game begins with this deck: it is shuffled and dealt once more (1.6, 3.4, 3.5)."""
    hands, _talon = deal(rules, deck)
    if rules.redeal_same_suit is not None:  # 3.4: a hand with that many cards of one suit
        for hand in hands:
            suits = [card.suit for card in hand if not is_joker(card)]
            if any(suits.count(suit) >= rules.redeal_same_suit for suit in suits):
                return True
    if not rules.trumps:  # 1.4
        return False
    # 3.2: the last card of the deck shows it, under the talon or in a hand. 1.6: a joker does not.
    return is_joker(deck[-1]) or (rules.redeal_trump_ace and deck[-1].rank == Rank.ACE)


class OracleGame:
    """One game, changed in place by `apply`."""

    def __init__(self, rules: Rules, deck: Sequence[Card], first_attacker: int) -> None:
        self.rules = rules
        self.deck = list(deck)
        # 3.2, 1.4: the last card shows trumps; without trumps no card lies face up.
        self.trump_card = deck[-1] if rules.trumps else None
        self.trump_suit = trump_suit_of(rules, deck)
        self.hands, self.talon = deal(rules, deck)
        self.table: list[Pair] = []
        self.discards: set[Card] = set()
        self.places: list[int] = []
        self.over = False
        self.fools: list[int] = []  # the fool, or with teams (2.2.5) all seats of the fool's team
        self.draw = False
        self.stall = 0
        self.shown: set[int] = set()  # 7.4: who has used the one showing of the game, or of the bout
        self.ran_out: list[int] = []  # 8.4: seats in the order in which their hands ran out
        # 9.2: what everybody knows to be in a hand.
        self.known: list[set[Card]] = [set() for _ in range(rules.seats)]
        if not self.talon and self.trump_card is not None:  # 3.2: all know who holds the last card dealt
            self.known[self.holder_of(self.trump_card)].add(self.trump_card)
        self.bout = 0
        self.is_beginning = True  # 5.2: the beginning of the game, for which there is a limit of its own
        self.begin_bout(first_attacker)

    # --- seats ---------------------------------------------------------------------------------

    def holder_of(self, card: Card) -> int:
        """The seat that holds a card."""
        return next(seat for seat in range(self.rules.seats) if card in self.hands[seat])

    def is_in(self, seat: int) -> bool:
        """Whether a seat has not left the game (8.1)."""
        return seat not in self.places

    def seat_after(self, seat: int) -> int:
        """The next seat clockwise that is still in the game (2.1)."""
        step = (seat + 1) % self.rules.seats
        while not self.is_in(step):
            step = (step + 1) % self.rules.seats
        return step

    def team(self, seat: int) -> list[int]:
        """A seat and its partners, in the order of seats and whether they are in or not (2.2)."""
        if self.rules.teams is None:
            return [seat]
        teams, _seats_of_each = map(int, self.rules.teams.split("x"))
        return [other for other in range(self.rules.seats) if other % teams == seat % teams]

    def opponent_after(self, seat: int) -> int:
        """The next seat clockwise, still in, that is not a partner of this one (2.2.1, 2.2.3)."""
        step = (seat + 1) % self.rules.seats
        while not self.is_in(step) or step in self.team(seat):
            step = (step + 1) % self.rules.seats
        return step

    def opponent_before(self, seat: int) -> int:
        """The nearest such seat on the other side (2.2.2)."""
        step = (seat - 1) % self.rules.seats
        while not self.is_in(step) or step in self.team(seat):
            step = (step - 1) % self.rules.seats
        return step

    def plays_in(self, place: int) -> int:
        """The seat that plays in a place: the one with that number, or its partner once it is out (2.2.8)."""
        if self.is_in(place):
            return place
        return next(seat for seat in self.team(place) if self.is_in(seat))

    def place_after(self, place: int) -> int:
        """The next of all places (2.2.8); without `partner_plays_on` only of seats still in (2.1)."""
        return (place + 1) % self.rules.seats if self.rules.partner_plays_on else self.seat_after(place)

    def place_attacked_from(self, place: int) -> int:
        """Where an attack or a transfer from a place goes: to the next (2.2.8), or as 2.2.1 and 2.2.3 say."""
        return self.place_after(place) if self.rules.partner_plays_on else self.opponent_after(place)

    def clockwise_from(self, seat: int) -> list[int]:
        """All seats still in, clockwise, beginning with this one."""
        order = [(seat + step) % self.rules.seats for step in range(self.rules.seats)]
        return [other for other in order if self.is_in(other)]

    def throwers(self) -> list[int]:
        """Who may throw in, principal attacker first, then clockwise (5.6); empty hands are skipped (5.7)."""
        if self.rules.throw_in == "attacker":
            may = {self.attacker}
        elif self.rules.throw_in == "neighbours":
            may = {self.opponent_before(self.defender), self.opponent_after(self.defender)}
        else:
            may = set(range(self.rules.seats))
        may -= set(self.team(self.defender))  # 2.2.2: only opponents of the defender
        return [seat for seat in self.clockwise_from(self.attacker) if seat in may and self.hands[seat]]

    # --- limits and ranks ----------------------------------------------------------------------

    def limit_against(self, defender: int) -> int:
        """The most attack cards of a bout, fixed for a defender as the attack reaches that seat (5.2)."""
        limits = [len(self.hands[defender])]
        if self.rules.attack_limit is not None:
            limits.append(self.rules.attack_limit)
        if self.is_beginning and self.rules.first_bout_limit is not None:
            limits.append(self.rules.first_bout_limit)
        return min(limits)

    def table_cards(self) -> list[Card]:
        """All cards on the table, attack and defence."""
        cards = [pair.attack for pair in self.table]
        return cards + [pair.defence for pair in self.table if pair.defence is not None]

    def fitting(self, seat: int) -> set[Card]:
        """The cards of a hand that have the rank of a card on the table (5.3)."""
        ranks = {card.rank for card in self.table_cards()}
        return {card for card in self.hands[seat] if card.rank in ranks}

    def open_cards(self) -> list[Card]:
        """Attack cards that are not beaten, oldest first."""
        return [pair.attack for pair in self.table if pair.defence is None]

    def beats(self, card: Card, target: Card) -> bool:
        """Whether a card beats another (1.4, 1.5, 1.6)."""
        if is_joker(target):  # 1.6: nothing beats a joker
            return False
        if is_joker(card):  # 1.6: trumps included
            is_same_colour = (card.suit in _RED) == (target.suit in _RED)
            return is_same_colour or self.rules.jokers == "any"
        if card.suit == target.suit:
            return card.rank > target.rank or self.is_lowest_against_ace(card, target)
        return self.is_trump(card)

    def is_trump(self, card: Card) -> bool:
        """Whether a card is a trump of this game (1.4, 1.6)."""
        return is_trump(card, self.trump_suit)

    def is_lowest_against_ace(self, card: Card, target: Card) -> bool:
        """Whether the lowest card of a suit beats this ace of the same suit (1.5)."""
        if card.rank != self.rules.lowest_rank or target.rank != Rank.ACE:
            return False
        way = self.rules.lowest_beats_ace
        return way == "any" or (way == "trump" and self.is_trump(card))

    # --- bouts ---------------------------------------------------------------------------------

    def attack_from(self, place: int) -> None:
        """Make the seat in a place the principal attacker, and the seat in the place it attacks the defender.

        Without `partner_plays_on` (2.2.8) a place is the seat with that number, which is in.
        """
        self.attacker = self.plays_in(place)
        self.attacked_place = self.place_attacked_from(place)  # 2.2.1, 2.2.3
        self.defender = self.plays_in(self.attacked_place)
        self.limit = self.limit_against(self.defender)  # 5.2

    def begin_bout(self, place: int) -> None:
        """Begin the next bout (5.1, 5.2)."""
        self.bout += 1
        self.attack_from(place)
        self.passed: set[int] = set()
        if self.rules.show_trump_once == "bout":  # 7.4
            self.shown = set()
        self.phase = "opening"
        self.turn: int | None = self.attacker

    def next_round(self) -> None:
        """Give the turn to the next who may throw in, or end the bout (5.6, 6.1, 6.2)."""
        waiting = [seat for seat in self.throwers() if seat not in self.passed]
        limit_reached = len(self.table) == self.limit
        # 6.1: a defender without cards has beaten the bout off at once.
        defender_is_done = self.phase == "throw_in" and not self.hands[self.defender]
        if waiting and not limit_reached and not defender_is_done:
            self.turn = waiting[0]
        else:
            self.end_bout(taken=self.phase == "pile_on")

    def end_bout(self, *, taken: bool) -> None:
        """Clear the table, draw, see who is out, and begin the next bout or end the game."""
        talon_before = len(self.talon)
        cards = set(self.table_cards())
        if taken:  # 6.2: the defender takes the whole table; all have seen it (9.2)
            self.hands[self.defender] |= cards
            self.known[self.defender] |= cards
        else:  # 6.1: to the discard pile
            self.discards |= cards
        # 5.2: the beginning of the game is one bout, or all bouts up to the first that is beaten off.
        if not taken or self.rules.first_limit_lasts == "one_bout":
            self.is_beginning = False
        self.table = []
        self.passed = set()

        # 6.3: the principal attacker first, then the other seats clockwise, the defender last.
        order = [seat for seat in self.clockwise_from(self.attacker) if seat != self.defender]
        for seat in [*order, self.defender]:
            while self.talon and len(self.hands[seat]) < self.rules.hand_size:
                card = self.talon.pop(0)
                self.hands[seat].add(card)
                # 9.2: the bottom card lay face up, so all know who drew it; without trumps it did not (1.4).
                if not self.talon and self.trump_suit is not None:
                    self.known[seat].add(card)

        # 8.1: with the talon empty, empty hands are out; 8.4: in the order in which they ran out.
        gone = [seat for seat in self.ran_out if not self.talon and not self.hands[seat] and self.is_in(seat)]
        self.places += gone
        self.ran_out = []

        # 8.5: taken bouts in which nobody drew and nobody left the game.
        nobody_drew = len(self.talon) == talon_before
        self.stall = self.stall + 1 if taken and nobody_drew and not gone else 0

        left = [seat for seat in range(self.rules.seats) if self.is_in(seat)]
        if left and set(left) <= set(self.team(left[0])):  # 8.2, 2.2.5: only one team has cards
            self.end_game(fools=self.team(left[0]))
        elif not left or self.stall >= self.rules.stall_limit:  # 8.3, 8.5
            self.end_game(fools=[] if self.rules.draws else self.team(self.defender))
        elif taken:  # 6.2: the seat after the defender attacks next, even its partner (2.2.1)
            self.begin_bout(self.place_after(self.attacked_place))
        elif self.rules.partner_plays_on or self.is_in(self.defender):  # 6.1, 2.2.8
            self.begin_bout(self.attacked_place)
        else:  # 8.1: where a seat that is out would attack, the next seat does
            self.begin_bout(self.seat_after(self.defender))

    def end_game(self, fools: list[int]) -> None:
        """End the game (8.2, 8.3, 2.2.5); nobody is the fool of a draw."""
        self.over = True
        self.phase = "over"
        self.turn = None
        self.fools = fools
        self.draw = not fools
        if self.rules.teams is None:  # 8.4: the fool comes last, though its hand may have run out
            self.places = [seat for seat in self.places if seat not in fools]
        # 2.2.6: with teams, whoever got out keeps that place.
        self.places += [seat for seat in fools if self.is_in(seat)]

    def next_first_attacker(self) -> int | None:
        """Who begins the next game of a series with `after_fool`, else `under_fool` (4.2).

        None where 4.1 says it.
        """
        # 4.2: of a team, the fool is its first seat in the order of seats.
        # All are in again, and the seat before a seat is never its partner (2.2).
        step = 1 if self.rules.next_first_attacker == "after_fool" else -1
        return (min(self.fools) + step) % self.rules.seats if self.fools else None

    # --- what may be done ----------------------------------------------------------------------

    def lowest(self, cards: set[Card]) -> set[Card]:
        """The cards of the lowest rank; trumps count as higher than plain cards, jokers as highest (5.10)."""
        others = {card for card in cards if not self.is_trump(card) and not is_joker(card)}
        kept = others or cards
        return {card for card in kept if card.rank == min(one.rank for one in kept)}

    def beating(self, target: Card) -> set[Action]:
        """All ways in which the defender may beat one open card (1.4, 1.5, 1.6, 5.10)."""
        cards = {card for card in self.hands[self.defender] if self.beats(card, target)}
        if self.rules.lowest_card != "any":
            cards = self.lowest(cards)
        return {Defend(card, target) for card in cards}

    def attacking(self, cards: set[Card]) -> set[Action]:
        """Attacks with some of the cards that fit (5.10)."""
        return {
            Attack(card) for card in (self.lowest(cards) if self.rules.lowest_card == "always" else cards)
        }

    def transfers(self) -> tuple[set[Action], set[Action]]:
        """Transfers by playing a card (7.1), and by showing a trump (7.4)."""
        played: set[Action] = set()
        showing: set[Action] = set()
        if not self.rules.transfer:
            return played, showing
        if self.bout == 1 and not self.rules.transfer_first_bout:  # 7.3: in no way, be it 7.1 or 7.4
            return played, showing
        if any(pair.defence is not None for pair in self.table):  # 7.1
            return played, showing
        rank = self.table[0].attack.rank
        new_place = self.place_attacked_from(self.attacked_place)  # 2.2.3, 2.2.8
        new_limit = self.limit_against(self.plays_in(new_place))
        for card in self.hands[self.defender]:
            if card.rank != rank:
                continue
            if len(self.table) + 1 <= new_limit:  # 7.2
                played.add(Transfer(card))
            if (  # 7.4: 7.2 counts the attack cards as they are
                self.rules.show_trump
                and self.is_trump(card)
                and self.defender not in self.shown
                and len(self.table) <= new_limit
            ):
                showing.add(ShowTrump(card))
        return played, showing

    def defender_may(self, *, any_order: bool) -> set[Action]:
        """What the defender may do (5.5)."""
        answers = [self.beating(target) for target in self.open_cards()]
        if any_order:
            beatings: set[Action] = set().union(*answers)
        else:
            beatings = answers[0]
            if self.rules.forced_play and not beatings:
                # 5.8: a younger card that could be beaten has to be offered, as taking is forbidden.
                beatings = next((ways for ways in answers if ways), set())
        played, showing = self.transfers()
        actions = beatings | played | showing
        # 5.8: with forced play nobody may take while holding a card that could be played.
        if not (self.rules.forced_play and (any(answers) or played)):
            actions.add(TAKE)
        return actions

    def lowest_trump(self) -> Card:
        """The lowest trump of the deck, wherever it is (5.9)."""
        return next(card for card in sorted(self.rules.deck) if self.is_trump(card))

    def may_exchange(self) -> bool:
        """Whether the principal attacker may exchange the lowest trump before opening the bout (5.9)."""
        if not self.rules.exchange_trump:
            return False
        # 5.9.1: a card has to lie face up under the talon, and the attacker to hold the lowest trump. A
        # lowest trump that lies face up itself is in no hand.
        is_face_up = bool(self.talon) and self.trump_suit is not None
        return is_face_up and self.phase == "opening" and self.lowest_trump() in self.hands[self.attacker]

    def may(self, *, any_order: bool) -> set[Action]:
        """What the seat whose turn it is may do."""
        if self.over or self.turn is None:
            return set()
        if self.phase == "opening":  # 5.1: any card
            opening = self.attacking(self.hands[self.turn])
            return opening | {EXCHANGE} if self.may_exchange() else opening
        if self.phase == "defence":
            return self.defender_may(any_order=any_order)
        # Throwing in, piling on or going on with a volley: fitting cards, or a pass (5.3, 5.4, 5.6).
        actions = self.attacking(self.fitting(self.turn))
        if not (self.rules.forced_play and actions):  # 5.8, 5.7
            actions.add(PASS)
        return actions

    def legal(self) -> set[Action]:
        """The canonical list: of several open cards, only the oldest is offered to be beaten."""
        return self.may(any_order=False)

    def accepted(self) -> set[Action]:
        """All that the rules allow: open cards may be beaten in any order (5.5)."""
        return self.may(any_order=True)

    # --- doing it ------------------------------------------------------------------------------

    def play_from_hand(self, seat: int, card: Card) -> None:
        """Take a card out of a hand."""
        self.hands[seat].remove(card)
        self.known[seat].discard(card)
        if not self.hands[seat]:
            self.ran_out.append(seat)

    def hand_on(self) -> None:
        """Make the defender the principal attacker, and the next opponent the defender (7.1, 2.2.3)."""
        self.attack_from(self.attacked_place)
        self.turn = self.defender  # 5.4: the new defender answers at once

    def apply(self, action: Action) -> None:
        """Do one action.

        Raises:
            AssertionError: If the rules forbid it here.
        """
        if action not in self.accepted():
            raise AssertionError(f"{action} is not accepted in phase {self.phase}, turn {self.turn}")
        seat = self.turn
        assert seat is not None
        match action:
            case Attack(card):
                self.attack(seat, card)
            case Defend(card, target):
                self.play_from_hand(seat, card)
                next(pair for pair in self.table if pair.attack == target).defence = card
                if not self.open_cards():  # 5.6: the others may throw in, or 6.1: it is beaten off
                    self.phase = "throw_in"
                    self.next_round()
            case Transfer(card):
                self.play_from_hand(seat, card)
                self.table.append(Pair(card))
                self.hand_on()
            case ShowTrump(card):
                self.shown.add(seat)
                self.known[seat].add(card)  # 7.4: all know it from then on
                self.hand_on()
            case Exchange():
                self.exchange(seat)
            case Pass():
                self.no_more_from(seat)
            case Take():
                self.take()

    def take(self) -> None:
        """Let the others pile on, if the rules have it, before the defender takes the table (6.2)."""
        self.phase = "pile_on"
        if self.rules.pile_on:
            self.next_round()
        else:
            self.end_bout(taken=True)

    def exchange(self, seat: int) -> None:
        """Exchange the lowest trump for the face-up card; the same seat still opens the bout (5.9)."""
        lowest, face_up = self.lowest_trump(), self.talon[-1]
        self.hands[seat].remove(lowest)
        self.known[seat].discard(lowest)
        self.hands[seat].add(face_up)
        self.known[seat].add(face_up)
        self.talon[-1] = self.trump_card = lowest

    def no_more_from(self, seat: int) -> None:
        """Let a seat pass."""
        if self.phase == "volley":  # 5.4: the pass ends the volley
            self.await_answer()
        else:
            self.passed.add(seat)
            self.next_round()

    def await_answer(self) -> None:
        """Give the turn to the defender."""
        self.phase = "defence"
        self.turn = self.defender

    def attack(self, seat: int, card: Card) -> None:
        """Put an attack card on the table."""
        self.play_from_hand(seat, card)
        self.table.append(Pair(card))
        self.passed = set()  # 5.6: a card thrown in clears all passes
        if self.phase == "pile_on":  # 6.2: without an answer, and the round starts again
            self.next_round()
        elif self.rules.attack_style == "volley" and len(self.table) < self.limit and self.hands[seat]:
            self.phase = "volley"  # 5.4
            self.turn = seat
        else:
            self.await_answer()

    def points(self) -> list[int]:
        """Points of a series by seat: one for each seat after it, or without a place (8.6)."""
        found = []
        for seat in range(self.rules.seats):
            is_placed = seat in self.places and seat not in self.fools
            before = self.places.index(seat) + 1 if is_placed else self.rules.seats
            found.append(self.rules.seats - before)
        return found

    def returns(self) -> list[Fraction]:
        """Returns by seat; they sum to zero (8.4, 2.2.6)."""
        seats = range(self.rules.seats)
        if not self.fools:
            return [Fraction(0) for _ in seats]
        share = Fraction(len(self.fools), self.rules.seats - len(self.fools))
        return [Fraction(-1) if seat in self.fools else share for seat in seats]
