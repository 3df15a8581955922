"""Exact endgame search for two seats without hidden cards: won, drawn or lost by force; also compiled.

Alpha-beta with an explicit stack and a transposition table. Values do not depend on the path to a position.
Without transfers no position repeats (rules 8.5), so the search reaches the end of the game. With transfers,
and to find the length of a win, it stops after a given bout, where unfinished games have a given value. The
bouts left are then part of the key.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from durak_core.kernel.compiled import compiled, zeros
from durak_core.kernel.legal import (
    KIND_ATTACK,
    KIND_DEFEND,
    PASS_CODE,
    TAKE_CODE,
    answers,
    are_partners,
    card_of,
    kind_of,
    legal,
)
from durak_core.kernel.position import (
    DEFENCE,
    JOKERS,
    MAX_ACTIONS,
    OPENING,
    OVER,
    PILE_ON,
    VOLLEY,
    Position,
    copy_play,
    lowest_bit,
    popcount,
    rank_mates,
    scramble,
)
from durak_core.kernel.transition import apply

LEVELS: Final = 160
"""Maximum depth in decisions."""

_WIDTH: Final = 56  # codes kept for a level

LINE: Final = 8
"""Length of a continuation: codes and 1 each, then 0."""


@dataclass(slots=True)
class DepthFirst:
    """The memory of a search, besides the stack of positions and the transposition table."""

    seat: int = 0  # values are this seat's
    node_limit: int = 0  # nodes that may be searched
    nodes: int = 0  # nodes searched so far
    deepest: int = 0  # greatest depth in decisions
    forced: int = 0  # the only action's code and 1, if there is no choice
    level: int = 0  # where a search that ran out of nodes continues; 0 for a new search
    slots: int = 0  # entries of the transposition table, a power of two
    last_bout: int = 0  # nothing after this bout is searched; 0 for the whole game
    cut: int = 0  # the value of a game that continues after it
    alpha: list[int] = field(default_factory=zeros(LEVELS))
    beta: list[int] = field(default_factory=zeros(LEVELS))
    best: list[int] = field(default_factory=zeros(LEVELS))
    best_code: list[int] = field(default_factory=zeros(LEVELS))
    tried: list[int] = field(default_factory=zeros(LEVELS))
    count: list[int] = field(default_factory=zeros(LEVELS))
    key: list[int] = field(default_factory=zeros(LEVELS))  # 0: not to be stored
    codes: list[int] = field(default_factory=zeros(LEVELS * _WIDTH))
    fresh: list[int] = field(default_factory=zeros(MAX_ACTIONS))


def lay_code(search: DepthFirst, level: int, place: int, code: int, cost: int) -> None:
    """Insert a code of cost 0 to 127 on a level, after equally cheap ones, given the codes there."""
    base = level * _WIDTH
    j = base + place
    while j > base and search.codes[j - 1] & 127 > cost:
        search.codes[j] = search.codes[j - 1]
        j -= 1
    search.codes[j] = code << 7 | cost


def code_on(search: DepthFirst, level: int, place: int) -> int:
    return search.codes[level * _WIDTH + place] >> 7


def try_next(stack: Sequence[Position], search: DepthFirst, level: int, alpha: int, beta: int) -> None:
    """Play a level's next code on the position of the next level, with a window of values."""
    child = stack[level + 1]
    code = code_on(search, level, search.tried[level])
    search.tried[level] += 1
    copy_play(child, stack[level])
    apply(child, code)
    search.alpha[level + 1] = alpha
    search.beta[level + 1] = beta


# Costs of `move_score`; the rank of the card, at most 15, is added. Tuned on endgames of searching players:
# the untuned table needs about twice the nodes, and passing first three times.
_PLAIN: Final = 8
_TRUMP: Final = 24
_SEVERAL: Final = 5  # a lead with other cards of its rank in hand
_SHUT: Final = -10  # a defence whose rank the attacker does not hold
_STOP_PILING: Final = 26
_PASS: Final = 26
_TAKE: Final = 60


def move_score(p: Position, code: int) -> int:
    """Return the ordering key of an action for two seats, 0 to 63; the lowest is tried first."""
    if code == TAKE_CODE:
        return _TAKE
    if code == PASS_CODE:
        return _STOP_PILING if p.phase == PILE_ON else _PASS
    kind = kind_of(code)
    card = card_of(code)
    cost = _TRUMP if (p.trump_mask | JOKERS) >> card & 1 else _PLAIN
    mates = rank_mates(1 << card)
    if kind == KIND_ATTACK and popcount(p.hands[p.turn] & mates) > 1:
        cost += _SEVERAL
    elif kind == KIND_DEFEND and not p.hands[p.attacker] & mates:
        cost += _SHUT
    return cost + (card & 15)


def attacker_has_won(p: Position, last_bout: int) -> bool:
    """Return whether the attacker wins for sure by leading unbeatable cards and one last rank.

    Unbeatable cards are led in ascending order, then trumps, then jokers: the cards the defender takes beat
    none of the others. The beatable ones must be of one rank, fit into one bout, and leave the defender a
    card when all are beaten. If a low card beats an ace (rules 1.5), no order is safe. The win must come by
    ``last_bout``; 0 for any. False proves nothing.
    """
    if p.phase != OPENING or p.drawn < p.deck_size or p.transfer or p.volleys:
        return False
    if p.forced_play or p.lowest_card or p.ace_beaters:
        return False
    hand = p.hands[p.attacker]
    if last_bout and p.bout + popcount(hand) > last_bout + 1:
        return False
    if p.stall + popcount(hand) >= p.stall_limit:
        return False
    beatable = 0
    rest = hand
    while rest:
        if answers(p, lowest_bit(rest)):
            beatable |= rest & -rest
            if beatable & ~rank_mates(rest & -rest):
                return False
        rest &= rest - 1
    n = popcount(beatable)
    return n <= p.limit and (popcount(p.hands[p.defender]) > n or popcount(hand) > n)


UNKNOWN: Final = 9
"""The value when nodes or levels ran out."""

_WORD: Final = 0xFFFF_FFFF
_SALT: Final = 0x5BD1_E995


class EndgameMemory(NamedTuple):
    """The memory of `solve`."""

    stack: Sequence[Position]  # `LEVELS` positions of one deal, overwritten; the first is searched
    search: Sequence[DepthFirst]  # one; the action is in `forced` if it is the only one, or in `best_code[0]`
    keys: MutableSequence[int]  # ``slots`` keys of positions, 0 if empty
    facts: MutableSequence[int]  # facts about them, packed by `store`


def solvable(p: Position) -> bool:
    """Return whether two opponents are left and nothing can be drawn but the open trump."""
    if p.phase == OVER or popcount(p.in_mask) != 2:
        return False
    return p.drawn == p.deck_size or (p.trump_mask != 0 and p.drawn == p.deck_size - 1)


def _position_key(p: Position, search: DepthFirst) -> int:
    """Hash hands, table, turn, phase, room for attacks, last bout and exchanged card to 1 to 2^62."""
    near = p.hands[p.attacker]
    far = p.hands[p.defender]
    rest = p.phase | p.attacker << 3 | p.turn << 6 | (p.limit - p.n_attacks) << 9
    rest |= (p.deck_size - p.drawn) << 16 | p.shown << 18
    if p.exchange_trump:
        rest |= p.deck[p.deck_size - 1] << 24
    # The count of stalled bouts only matters if it can still reach its limit; otherwise leaving it out lets
    # positions transpose. It grows at most once a bout, and without transfers at most once a card, because
    # each stalled bout gives the defender one.
    ahead = popcount(near | far)
    if search.last_bout:
        ahead = search.last_bout - p.bout
        rest ^= scramble(_SALT + (ahead << 2 | (search.cut + 1)))
    elif p.transfer:
        ahead = p.stall_limit
    if p.stall + ahead + 1 >= p.stall_limit:
        rest ^= scramble(_WORD ^ p.stall)
    low = scramble(near & _WORD)
    high = scramble((far & _WORD) ^ _SALT)
    low = scramble(low ^ (near >> 32))
    high = scramble(high ^ (far >> 32))
    low = scramble(low ^ high ^ (p.table & _WORD))
    high = scramble(high ^ low ^ (p.table >> 32))
    low = scramble(low ^ rest)
    high = scramble(high ^ low)
    return ((high & 0x3FFF_FFFF) << 32 | low) + 1


def outcome(p: Position, seat: int) -> int:
    """Return a finished game's value for a seat and its team: 1 won, 0 drawn, -1 lost."""
    if p.fool < 0:
        return 0
    return -1 if are_partners(p, seat, p.fool) else 1


def order(p: Position, search: DepthFirst, level: int, n: int) -> None:
    """Insert the fresh codes on a level, the remembered best first, then by `move_score`."""
    first = search.best_code[level]
    for i in range(n):
        code = search.fresh[i]
        lay_code(search, level, i, code, 0 if code == first else move_score(p, code) + 1)


@compiled("search", "guided")
def solve(  # noqa: C901, PLR0912, PLR0915 - one loop, to be stopped and continued
    memory: EndgameMemory, alpha: int, beta: int
) -> int:
    """Return the first position's value for the search's seat: 1 won, 0 drawn, -1 lost, or `UNKNOWN`.

    If the nodes run out, ``level`` is kept and the same call with a greater limit continues the search. A
    ``level`` of 0 after `UNKNOWN` means that levels ran out. The window ``alpha`` to ``beta`` is -1 to 1 for
    exact values; values outside it are bounds.
    """
    stack = memory.stack
    search = memory.search[0]
    keys = memory.keys
    facts = memory.facts
    level = search.level
    search.level = 0
    if level == 0:
        search.forced = 0
        search.alpha[0] = alpha
        search.beta[0] = beta
    # No recursion: compiled code cannot allocate, and the stack keeps a search that ran out of nodes. A level
    # is entered once, and visited again with the value of each child. Its ``alpha`` and ``beta`` are narrowed
    # on entry only, so that `store` can tell exact values from bounds.
    entering = True
    value = 0
    while True:
        p = stack[level]
        if entering:
            search.deepest = max(search.deepest, level)
            n = 0
            while p.phase != OVER and (search.last_bout == 0 or p.bout <= search.last_bout):
                n = legal(p, search.fresh)
                if n > 1:
                    break
                if level == 0 and search.forced == 0:
                    search.forced = search.fresh[0] + 1
                apply(p, search.fresh[0])
            # Forced actions belong to the level above, so that chains of them cost no level and no node.
            known = n <= 1
            if known:
                value = outcome(p, search.seat) if p.phase == OVER else search.cut
            elif level and attacker_has_won(p, search.last_bout):
                known = True
                value = 1 if p.attacker == search.seat else -1
            if known:
                entering = False
                level -= 1
                if level < 0:
                    return value
                continue
            # Levels that ran out cannot be continued, which ``search.level`` 0 marks; nodes that ran out can.
            if level == LEVELS - 1:
                return UNKNOWN
            if search.nodes >= search.node_limit:
                search.level = level
                return UNKNOWN
            search.nodes += 1
            search.best_code[level] = -1
            search.key[level] = 0
            # In a volley or a defence the key would have to hold which attacks are beaten. The positions
            # before and after are enough to find transpositions.
            if p.phase not in (VOLLEY, DEFENCE):
                key = _position_key(p, search)
                slot = key & (search.slots - 1)
                search.key[level] = key
                if keys[slot] == key:
                    fact = facts[slot]
                    search.best_code[level] = (fact >> 4) - 1
                    low = (fact & 3) - 1
                    high = (fact >> 2 & 3) - 1
                    search.alpha[level] = max(search.alpha[level], low)
                    search.beta[level] = min(search.beta[level], high)
                    if search.alpha[level] >= search.beta[level]:
                        value = low if low >= search.beta[level] else high
                        entering = False
                        if level == 0:
                            return value
                        level -= 1
                        continue
            order(p, search, level, n)
            search.count[level] = n
            search.tried[level] = 0
            search.best[level] = -2 if p.turn == search.seat else 2
        else:
            code = code_on(search, level, search.tried[level] - 1)
            if p.turn == search.seat:
                if value > search.best[level]:
                    search.best[level] = value
                    search.best_code[level] = code
            elif value < search.best[level]:
                search.best[level] = value
                search.best_code[level] = code
        best = search.best[level]
        mine = p.turn == search.seat
        floor = search.alpha[level]
        roof = search.beta[level]
        if mine and best > floor:
            floor = best
        if not mine and best < roof:
            roof = best
        if floor >= roof or search.tried[level] == search.count[level]:
            value = best
            if search.key[level]:
                store(search, level, keys, facts)
            entering = False
            if level == 0:
                return value
            level -= 1
            continue
        try_next(stack, search, level, floor, roof)
        level += 1
        entering = True


def store(search: DepthFirst, level: int, keys: MutableSequence[int], facts: MutableSequence[int]) -> None:
    """Store a finished level's bounds and best action."""
    best = search.best[level]
    low = -1
    high = 1
    if best > search.alpha[level]:
        low = best
    if best < search.beta[level]:
        high = best
    slot = search.key[level] & (search.slots - 1)
    keys[slot] = search.key[level]
    facts[slot] = (search.best_code[level] + 1) << 4 | (high + 1) << 2 | (low + 1)
