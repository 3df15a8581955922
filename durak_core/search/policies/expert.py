"""The rule book: a table of costs for every choice, and its stochastic variants; also compiled.

The cheapest legal action is played. A card costs its value in hand; attacking, throwing in, beating and
taking add costs for their effects. The integer weights depend on the length of the talon or, once it is
empty, of the hand, and on whether two or more seats are still in. The policy reads the seat's hand, the
table, the discards, the trump card, the length of the talon and the seats still in. It ignores known cards of
other hands. A joker costs as a trump one rank above the ace.

Source: the smart player of the Charles University thesis (rules 12, `zarlykov`).

A temperament has seven weights in ranks and a noise. Each weight makes one habit cheaper or more expensive;
an action's probability halves with every ``noise`` of cost. The policy uses integers throughout, so that
CPython and compiled code draw the same actions.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from durak_core.kernel.legal import (
    EXCHANGE_CODE,
    KIND_ATTACK,
    KIND_DEFEND,
    KIND_TRANSFER,
    PASS_CODE,
    TAKE_CODE,
    card_of,
    face_up_card,
    kind_of,
    next_in,
)
from durak_core.kernel.position import (
    DEFENCE,
    JOKERS,
    OPENING,
    PILE_ON,
    RANK_COLUMN,
    Position,
    beating,
    popcount,
    random_below,
    rank_mates,
)
from durak_core.kernel.transition import may_throw_in
from durak_core.knowledge.certain import badly_covered, rank_set, weak_ranks
from durak_core.search.policies.policies import LegalCodes, greedy_policy

STEP: Final = 10
"""Value of a non-trump for each step of its rank, the unit of all costs."""

# Rows of the table of weights.
TRUMP: Final = 0  # value of a trump, besides its rank
TRUMP_STEP: Final = 1  # value of a trump, for each step of its rank
TRUMP_ATTACK: Final = 2  # attacking with a trump, besides its value
MATE: Final = 3  # attacking with a card: for each other non-trump of its rank in hand
SAFE: Final = 4  # attacking with a card that no unseen card beats
THROW_IN_LIMIT: Final = 5  # passing when cards may be thrown in
PILE_ON_LIMIT: Final = 6  # passing when the defender takes
FRESH: Final = 7  # beating with a rank that is not on the table: for each unseen card of it
SPLIT: Final = 8  # beating with a card: for each other non-trump of its rank in hand
TAKE: Final = 9  # taking
TAKE_PLAIN: Final = 10  # taking: for each non-trump on the table, 10 or lower
TAKE_TRUMP: Final = 11  # taking: for each trump on the table
TRANSFER: Final = 12  # transferring, besides the card's value
SHOW: Final = 13  # transferring by showing a trump
N_ROWS: Final = 14

# Columns: the talon has so many cards, or is empty with so many in hand.
N_TIMES: Final = 6
N_COLUMNS: Final = 2 * N_TIMES  # for two seats still in, and for more
N_WEIGHTS: Final = N_ROWS * N_COLUMNS
LONG_TALON: Final = 17  # cards or more
MIDDLING_TALON: Final = 11
SHORT_TALON: Final = 5
FEW_CARDS: Final = 4  # or fewer in hand

LOW_RANKS: Final = 0x07FC * RANK_COLUMN  # 2 to 10
NEVER: Final = 1 << 40  # a cost above all others
FREE: Final = -NEVER  # the cost of an exchange: a higher trump for the lowest

_TABLE: Final = (
    # Talon of 17 or more, 11, 5, 1, none, none and few cards in hand; for two seats, then for more.
    (179, 208, 200, 223, 76, 150, 270, 225, 175, 287, 255, 252),  # TRUMP
    (27, 27, 12, 8, 12, 4, 20, 25, 14, 8, 9, 11),  # TRUMP_STEP
    (-15, 70, 47, -37, 90, 110, 0, 188, 24, 94, 198, 131),  # TRUMP_ATTACK
    (-88, -56, -15, 1, -94, -110, -105, -46, -10, -18, -4, -162),  # MATE
    (-97, -116, -27, -51, -68, -184, -19, -67, -7, 17, -34, -135),  # SAFE
    (198, 237, 224, 483, 421, 418, 172, 310, 177, 440, 334, 630),  # THROW_IN_LIMIT
    (128, 108, 102, 174, 181, 181, 225, 182, 172, 197, 193, 173),  # PILE_ON_LIMIT
    (25, 52, 36, 50, 98, 71, 44, 55, 64, 95, 122, 50),  # FRESH
    (11, -6, 19, 37, 32, 30, 16, -29, -36, 8, -6, -6),  # SPLIT
    (335, 317, 269, 417, 348, 447, 276, 288, 214, 344, 406, 575),  # TAKE
    (72, 102, 83, 54, 11, 24, 75, 68, 51, 52, 4, 40),  # TAKE_PLAIN
    (-202, -212, -136, 145, -12, -52, -223, -175, -65, 153, 30, 47),  # TAKE_TRUMP
    (-77, 0, 0, 100, 26, 28, -58, -85, -14, -75, -80, -74),  # TRANSFER
    (-156, -100, 2, 14, 0, 200, -145, -139, 51, 71, 120, 34),  # SHOW
)
WEIGHTS: Final[tuple[int, ...]] = tuple([weight for column in zip(*_TABLE, strict=True) for weight in column])
"""The tuned weights, column by column."""


def weight(weights: Sequence[int] | None, i: int) -> int:
    """Return a weight of a table, by default of `WEIGHTS`, which is faster as a compiled constant."""
    if weights is None:
        return WEIGHTS[i]
    return weights[i]


def unseen_cards(p: Position, seat: int) -> int:
    """Return the cards a seat does not see: in other hands, or hidden in the talon."""
    return p.deck_mask & ~(p.hands[seat] | p.table | p.discards | face_up_card(p))


def _column_of(p: Position) -> int:
    """Return the column of weights that applies."""
    talon = p.deck_size - p.drawn
    if talon >= LONG_TALON:
        column = 0
    elif talon >= MIDDLING_TALON:
        column = 1
    elif talon >= SHORT_TALON:
        column = 2
    elif talon > 0:
        column = 3
    elif popcount(p.hands[p.turn]) > FEW_CARDS:
        column = 4
    else:
        column = 5
    if popcount(p.in_mask) > 2:
        column += N_TIMES
    return column


def _cheapest_attack(
    p: Position,
    codes: Sequence[int],
    n: int,
    weights: Sequence[int] | None,
    costs: MutableSequence[int] | None,
) -> int:
    """Choose among ``n`` attack cards, passing and the exchange; arguments as for `_cheapest_answer`."""
    at = _column_of(p) * N_ROWS
    trump_mask, aces, jokers = p.trump_mask, p.ace_beaters, p.jokers
    trumps = trump_mask | JOKERS
    plain = p.hands[p.turn] & ~trumps
    unseen = unseen_cards(p, p.turn)
    trump = weight(weights, at + TRUMP) + weight(weights, at + TRUMP_ATTACK)
    trump_step = weight(weights, at + TRUMP_STEP) - STEP
    mate = weight(weights, at + MATE)
    safe = weight(weights, at + SAFE)
    limit = THROW_IN_LIMIT
    if p.phase == PILE_ON:
        limit = PILE_ON_LIMIT
        mate = 0
        safe = 0
    best = codes[n - 1]
    least = NEVER
    if best == PASS_CODE:
        n -= 1
        least = weight(weights, at + limit)
        if costs is not None:
            costs[n] = least
    elif best == EXCHANGE_CODE:
        n -= 1
        least = FREE
        if costs is not None:
            costs[n] = least
    for i in range(n):
        card = card_of(codes[i])
        rank = card & 15
        is_trump = trumps >> card & 1
        cost = STEP * rank + is_trump * (trump + trump_step * rank)
        cost += mate * popcount(plain & ~(1 << card) & (RANK_COLUMN << rank))
        if unseen & beating(card, trump_mask, aces, jokers) == 0:
            cost += safe
        if costs is not None:
            costs[i] = cost
        if cost < least:
            least = cost
            best = codes[i]
    return best


def _cheapest_answer(
    p: Position,
    codes: Sequence[int],
    n: int,
    weights: Sequence[int] | None,
    costs: MutableSequence[int] | None,
) -> int:
    """Choose among beating, transferring, showing and taking; write costs to ``costs`` if not None."""
    at = _column_of(p) * N_ROWS
    trumps = p.trump_mask | JOKERS
    plain = p.hands[p.turn] & ~trumps
    trump = weight(weights, at + TRUMP)
    trump_step = weight(weights, at + TRUMP_STEP) - STEP
    split = weight(weights, at + SPLIT)
    fresh = weight(weights, at + FRESH)
    opened = 0  # unseen cards of ranks that are not on the table
    if p.n_attacks < p.limit:
        opened = unseen_cards(p, p.turn) & ~rank_mates(p.table)
    best = codes[n - 1]
    least = NEVER
    if best == TAKE_CODE:
        n -= 1
        least = weight(weights, at + TAKE)
        least += weight(weights, at + TAKE_PLAIN) * popcount(p.table & LOW_RANKS & ~trumps)
        least += weight(weights, at + TAKE_TRUMP) * popcount(p.table & trumps)
        if costs is not None:
            costs[n] = least
    for i in range(n):
        code = codes[i]
        card = card_of(code)
        rank = card & 15
        cost = STEP * rank + (trumps >> card & 1) * (trump + trump_step * rank)
        kind = kind_of(code)
        if kind == KIND_DEFEND:
            column = RANK_COLUMN << rank
            cost += split * popcount(plain & ~(1 << card) & column) + fresh * popcount(opened & column)
        elif kind == KIND_TRANSFER:
            cost += weight(weights, at + TRANSFER)
        else:
            cost = weight(weights, at + SHOW)
        if costs is not None:
            costs[i] = cost
        if cost < least:
            least = cost
            best = code
    return best


def expert_policy(p: Position, codes: Sequence[int], n: int, weights: Sequence[int] | None) -> int:
    """Choose the cheapest of ``n`` legal codes, 1 or more, by the rule book.

    ``weights`` are `N_WEIGHTS` integers below 2^20, or None for `WEIGHTS`. Other hands and the order of the
    talon are ignored.
    """
    if n == 1:
        return codes[0]
    if p.phase == DEFENCE:
        return _cheapest_answer(p, codes, n, weights, None)
    return _cheapest_attack(p, codes, n, weights, None)


def write_costs(
    p: Position, codes: Sequence[int], n: int, weights: Sequence[int] | None, costs: MutableSequence[int]
) -> int:
    """Write each legal action's cost, and return the cheapest code; arguments as for `expert_policy`."""
    if p.phase == DEFENCE:
        return _cheapest_answer(p, codes, n, weights, costs)
    return _cheapest_attack(p, codes, n, weights, costs)


def smart_codes(
    p: Position,
    choices: LegalCodes,
    known: Sequence[int],
    sizes: Sequence[int],
    kept: MutableSequence[int],
) -> int:
    """Write the codes `smart` is restricted to and return their number, 0 for no restriction.

    Reads only the own hand, the public cards ``known`` and the hand ``sizes``. As defender, these are answers
    of ranks that no attacker can hold, if greedy would open another one. As attacker against a single certain
    hand without trumps, they follow the weakness rules. ``kept`` has room for as many codes.
    """
    codes, n = choices
    cards = 0
    if p.phase == DEFENCE:
        cards = _closing_cards(p, choices, known, sizes)
    elif p.phase == OPENING and popcount(p.in_mask) == 2 and codes[n - 1] != EXCHANGE_CODE:
        cards = _opening_cards(p, known, sizes)
    count = 0
    for i in range(n):
        kind = kind_of(codes[i])
        if cards >> card_of(codes[i]) & 1 and kind in (KIND_ATTACK, KIND_DEFEND):
            kept[count] = codes[i]
            count += 1
    return count


def smart_policy(
    p: Position,
    choices: LegalCodes,
    known: Sequence[int],
    sizes: Sequence[int],
    kept: MutableSequence[int],
) -> int:
    """Choose greedily among the codes of `smart_codes`."""
    talon = p.deck_size - p.drawn
    count = smart_codes(p, choices, known, sizes, kept)
    if count:
        return greedy_policy(kept, count, p.trump_mask, talon, p.phase)
    return greedy_policy(choices.codes, choices.n, p.trump_mask, talon, p.phase)


def hidden_cards(p: Position, seat: int, known: Sequence[int]) -> int:
    """Return the cards that a seat cannot locate, given the cards publicly in each hand."""
    hidden = unseen_cards(p, seat)
    for other in range(p.seats):
        hidden &= ~known[other]
    return hidden


def _closing_cards(p: Position, choices: LegalCodes, known: Sequence[int], sizes: Sequence[int]) -> int:
    """Return the cards of ranks that no attacker can hold, or 0 if greedy's answer is one of them."""
    greedy = greedy_policy(choices.codes, choices.n, p.trump_mask, p.deck_size - p.drawn, p.phase)
    if kind_of(greedy) != KIND_DEFEND:
        return 0
    hidden = hidden_cards(p, p.turn, known)
    possible = 0
    for seat in range(p.seats):
        if (seat == p.attacker and p.in_mask >> seat & 1) or may_throw_in(p, seat):
            possible |= known[seat]
            if sizes[seat] > popcount(known[seat]):
                possible |= hidden
    held = rank_mates(possible)
    if not held >> card_of(greedy) & 1:
        return 0
    return p.hands[p.turn] & ~held


def _opening_cards(p: Position, known: Sequence[int], sizes: Sequence[int]) -> int:
    """Return the cards that the weakness rules allow, or 0 if they do not apply."""
    seat = next_in(p, p.turn)
    other = known[seat]
    missing = sizes[seat] - popcount(other)
    if missing > 0:
        hidden = hidden_cards(p, p.turn, known)
        if missing < popcount(hidden):
            return 0
        other |= hidden
    if other & (p.trump_mask | JOKERS):
        return 0
    hand = p.hands[p.turn]
    weak = weak_ranks(hand, other)
    if popcount(weak) == 1:
        return hand & ~rank_mates(weak)
    if 2 * popcount(weak) <= popcount(rank_set(hand)):
        return badly_covered(hand, other)
    return 0


_STEPS: Final = 8  # steps of a halving in the table
_CERTAIN: Final = 1 << 24  # odds of the cheapest action; 64 times that stays below 2^31
HALVINGS: Final[tuple[int, ...]] = tuple([round(_CERTAIN * 2 ** (-i / _STEPS)) for i in range(25 * _STEPS)])
"""Odds by the extra cost in eighths of the noise."""


@dataclass(frozen=True, slots=True)
class Temperament:
    """A character: the differences of its costs from the rule book's, in ranks of a card."""

    aggression: float = 0.0  # added for not throwing in
    spite: float = 0.0  # added for not piling on
    thrift: float = 0.0  # added to trumps
    daring: float = 0.0  # off attacks with a trump
    defiance: float = 0.0  # added to taking
    evasion: float = 0.0  # off transfers and showing a trump
    secrecy: float = 0.0  # added to beating with a new rank, for each unseen card of it
    noise: float = 0.5  # costlier by this: half as likely; 0 for the cheapest only

    def table(self) -> list[int]:
        """Return this character's `N_WEIGHTS` integer weights."""
        added = dict.fromkeys(range(N_ROWS), 0.0)
        added[THROW_IN_LIMIT] = self.aggression
        added[PILE_ON_LIMIT] = self.spite
        added[TRUMP] = self.thrift
        added[TRUMP_ATTACK] = -self.daring
        added[TAKE] = self.defiance
        added[TRANSFER] = added[SHOW] = -self.evasion
        added[FRESH] = self.secrecy
        return [weight + round(STEP * added[i % N_ROWS]) for i, weight in enumerate(WEIGHTS)]

    @property
    def units(self) -> int:
        """The noise in units of cost."""
        return round(STEP * self.noise)


MODERATE: Final = Temperament()
"""Plays the rule book unchanged."""

AGGRESSIVE: Final = Temperament(
    aggression=12, spite=6, thrift=-6, daring=6, defiance=12, evasion=-8, secrecy=-3
)
"""Throws in, attacks and beats with trumps, and rarely transfers."""

CAUTIOUS: Final = Temperament(aggression=-6, spite=-8, thrift=6, daring=-6, defiance=-6, evasion=8, secrecy=2)
"""Saves cards and trumps for the end, and prefers taking or transferring."""


class Character(NamedTuple):
    """A temperament as a policy's argument."""

    weights: Sequence[int]  # its table of costs
    noise: int  # units of cost that halve an action's odds


def write_odds(p: Position, choices: LegalCodes, character: Character, odds: MutableSequence[int]) -> int:
    """Write each legal action's integer odds, and return their sum, below 2^31; the noise is 1 or more."""
    n, noise = choices.n, character.noise
    write_costs(p, choices.codes, n, character.weights, odds)
    least = odds[0]
    for i in range(1, n):
        least = min(least, odds[i])
    total = 0
    for i in range(n):
        step = (odds[i] - least) * _STEPS // noise
        odds[i] = HALVINGS[step] if step < len(HALVINGS) else 0
        total += odds[i]
    return total


def tempered_policy(
    p: Position,
    choices: LegalCodes,
    character: Character,
    odds: MutableSequence[int],
    rng: MutableSequence[int],
) -> int:
    """Draw by a temperament's odds, or with noise 0 choose by the rule book; see `write_odds`."""
    if choices.n == 1 or character.noise == 0:
        return expert_policy(p, choices.codes, choices.n, character.weights)
    drawn = random_below(rng, write_odds(p, choices, character, odds))
    i = 0
    while drawn >= odds[i]:
        drawn -= odds[i]
        i += 1
    return choices.codes[i]
