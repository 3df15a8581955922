"""Facts about the game that are easily guessed wrong: shares of whole games, and of solved endgames.

python3 -m benchmarks.facts [--games 10000] [--positions 2000] [--seed 2000000590] [--document docs/facts.md]

Each question was answered by a guess first, which is in the table. In whole games one agent plays on all
seats, and drawn games do not count. Endgames are random hands without a talon, solved exactly. An action is
right if it keeps the best value and some other action does not. Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Final

from benchmarks.exits import with_exit_codes
from benchmarks.figures import HELD_OUT, check_numbers
from durak_core import (
    TAKE,
    Action,
    Attack,
    Card,
    CardSet,
    Defend,
    Drew,
    Pass,
    Rules,
    State,
    TableTaken,
    Transfer,
)
from durak_core.game.json_form import from_json
from durak_core.game.record import Record
from durak_core.lab import SoloMatch, play_matches
from durak_core.lab.experiments.report import put_into
from durak_core.lab.experiments.results import commit
from durak_core.lab.matches.schedule import Wanted
from durak_core.search.endgame.solver import solve_actions
from durak_core.statistics import wilson_interval

PLAYERS: Final = ("greedy", "expert")
TABLES: Final = {
    "24 cards": "podkidnoy:lowest_rank=9",
    "36 cards": "podkidnoy",
    "52 cards": "podkidnoy:lowest_rank=2",
    "36 cards, transfers": "perevodnoy",
    "36 cards, no trumps": "podkidnoy:trumps=no",
    "36 cards, 3 seats": "podkidnoy:seats=3",
    "36 cards, 4 seats": "podkidnoy:seats=4",
    "24 cards, 4 seats": "podkidnoy:seats=4,lowest_rank=9",
    "36 cards, 5 seats": "podkidnoy:seats=5",
    "36 cards, 6 seats": "podkidnoy:seats=6",
    "36 cards, 6 seats, transfers": "perevodnoy:seats=6",
    "52 cards, 6 seats": "podkidnoy:seats=6,lowest_rank=2",
}
PLACES: Final = 6
GAMES: Final = {
    "first attacker": 45,
    "dealt no trump": 60,
    "dealt three trumps or more": 30,
    "takes first": 58,
    "takes the most cards at once": 65,
    "draws the open trump": 42,
    "fewer cards when the talon is empty": 35,
    "more trumps when the talon is empty": 25,
    "trump ace when the talon is empty": 30,
    "first attack without a talon": 45,
}
"""Who is the fool, and the guess in percent; 50 if it did not matter."""
ENDGAMES: Final = {
    "the attacker wins, 3 cards each": 55,
    "the attacker wins, 5 cards each": 55,
    "the attacker wins, 6 cards against 4": 40,
    "the attacker wins, 4 cards against 6": 70,
    "the highest free trump for a plain card: better": 40,
    "the highest free trump for a plain card: worse": 0,
    "attacking wins and defending does not": 25,
    "defending wins and attacking does not": 10,
    "neither side can win by attacking, but both by defending": 0,
    "of a won position, only one card wins": 15,
    "lead: the lowest plain card": 85,
    "lead: the highest plain card": 40,
    "lead: a trump": 20,
    "defence: the lowest card that beats": 80,
    "defence: taking": 15,
    "after a beaten attack: stopping": 30,
    "transfer game: transferring": 75,
    "transfer game: beating": 40,
    "transfer game: taking": 20,
}
"""What is right or happens, and the guess in percent."""


class Shares:
    """Hits and trials of several questions."""

    def __init__(self) -> None:
        self._counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])

    def add(self, question: str, hit: bool) -> None:
        self._counts[question][0] += hit
        self._counts[question][1] += 1

    def cell(self, question: str) -> str:
        """Return a share in percent with its interval and number of trials."""
        hits, trials = self._counts[question]
        if not trials:
            return "-"
        low, high = wilson_interval(hits / trials, trials)
        return f"{100 * hits / trials:.1f} % ({100 * low:.1f} to {100 * high:.1f}) of {trials:,}"


def played(player: str, games: int, seed: int) -> Iterator[Record]:
    """Yield games of one agent on both seats, each with its own deal."""
    match = SoloMatch(Rules(), (player,), games, seed)
    with closing(play_matches([match], wanted=Wanted(lines=True))) as found:
        for _, game in found:
            yield from_json(json.loads(game.line))


def count_game(shares: Shares, record: Record) -> None:
    """Add what one game tells to the questions of `GAMES`."""
    states = record.replay()
    fool = states[-1].fool
    if fool is None:
        return
    for question, seat in seats_of_interest(states):
        shares.add(question, seat == fool)


def seats_of_interest(states: Sequence[State]) -> Iterator[tuple[str, int]]:
    """Yield the seats that `GAMES` asks for, if exactly one of the two is meant."""
    deal = states[0]
    yield "first attacker", deal.first_attacker
    trumps = [sum(card.suit == deal.trump_suit for card in hand) for hand in deal.hands]
    for seat, count in enumerate(trumps):
        if count == 0:
            yield "dealt no trump", seat
        elif count > 2:
            yield "dealt three trumps or more", seat
    events = states[-1].events
    takes = [event for event in events if isinstance(event, TableTaken)]
    if takes:
        yield "takes first", takes[0].seat
        most = max(len(take.cards) for take in takes)
        seats = {take.seat for take in takes if len(take.cards) == most}
        if len(seats) == 1:
            yield "takes the most cards at once", seats.pop()
    yield from (("draws the open trump", it.seat) for it in events if isinstance(it, Drew) and it.trump)
    without = next((it for it in states if not it.talon and not it.table and it.turn is not None), None)
    if without is not None:
        yield from _without_talon(without)


def _without_talon(state: State) -> Iterator[tuple[str, int]]:
    yield "first attack without a talon", state.attacker
    sizes = list(map(len, state.hands))
    if sizes[0] != sizes[1]:
        yield "fewer cards when the talon is empty", sizes.index(min(sizes))
    trumps = [[card for card in hand if card.suit == state.trump_suit] for hand in state.hands]
    counts = list(map(len, trumps))
    if counts[0] != counts[1]:
        yield "more trumps when the talon is empty", counts.index(max(counts))
    for seat, held in enumerate(trumps):
        if any(card.rank.letter == "A" for card in held):
            yield "trump ace when the talon is empty", seat


def values(state: State) -> Mapping[Action, int]:
    """Return the value of every action for the seat to act; nothing if it is not found."""
    return {} if state.turn is None else solve_actions(state.observation(state.turn)) or {}


def right(found: Mapping[Action, int], actions: Iterable[Action]) -> bool | None:
    """Return whether one of the actions has the best value; None if all actions do or there is none."""
    some = [found[action] for action in actions if action in found]
    best = max(found.values(), default=0)
    return None if not some or set(found.values()) <= {best} else best in some


def hands_of(chance: Random, mine: int, other: int) -> tuple[list[CardSet], list[Card]]:
    """Return two random hands, and the rest of the deck; its last card is the trump card."""
    deck = list(Rules().deck)
    chance.shuffle(deck)
    return [CardSet.of(deck[:mine]), CardSet.of(deck[mine : mine + other])], deck[mine + other :]


def count_changes(shares: Shares, chance: Random) -> None:
    """Add an endgame with unequal hands, and one in which the attacker's plain card becomes a trump."""
    for mine, other in ((6, 4), (4, 6)):
        hands, rest = hands_of(chance, mine, other)
        best = _best(hands, rest[-1])
        if best is not None:
            shares.add(f"the attacker wins, {mine} cards against {other}", best == 1)
    hands, rest = hands_of(chance, 5, 5)
    suit = rest[-1].suit
    plain = [card for card in hands[0] if card.suit != suit]
    trumps = sorted((card for card in rest if card.suit == suit), key=lambda card: card.rank)
    if plain:
        changed = hands[0] - CardSet.of([chance.choice(plain)]) | CardSet.of(trumps[-1:])
        before, after = _best(hands, rest[-1]), _best([changed, hands[1]], rest[-1])
        if before is not None and after is not None:
            shares.add("the highest free trump for a plain card: better", after > before)
            shares.add("the highest free trump for a plain card: worse", after < before)


def _best(hands: Sequence[CardSet], trump: Card) -> int | None:
    return max(values(State.setup(Rules(), hands, trump=trump, attacker=0)).values(), default=None)


def count_endgame(shares: Shares, cards: int, chance: Random) -> None:
    """Add one random endgame with so many cards on each side to the questions of `ENDGAMES`."""
    hands, rest = hands_of(chance, cards, cards)
    state = State.setup(Rules(), hands, trump=rest[-1], attacker=0)
    leads = values(state)
    other = values(State.setup(Rules(), hands, trump=rest[-1], attacker=1))
    if not leads or not other:
        return
    best, waiting = max(leads.values()), -max(other.values())
    shares.add(f"the attacker wins, {cards} cards each", best == 1)
    if cards != 5:
        shares.add("neither side can win by attacking, but both by defending", (best, waiting) == (-1, 1))
        return
    shares.add("attacking wins and defending does not", best == 1 > waiting)
    shares.add("defending wins and attacking does not", waiting == 1 > best)
    if best == 1:
        shares.add("of a won position, only one card wins", list(leads.values()).count(1) == 1)
    plain = [it for it in leads if isinstance(it, Attack) and it.card.suit != state.trump_suit]
    ranks = [lead.card.rank for lead in plain]
    for name, wanted in (("lowest", min), ("highest", max)):
        some = [lead for lead in plain if lead.card.rank == wanted(ranks)]
        _add(shares, f"lead: the {name} plain card", right(leads, some))
    _add(shares, "lead: a trump", right(leads, set(leads) - set(plain)))
    count_replies(shares, state.apply(chance.choice(list(leads))), chance)


def count_replies(shares: Shares, state: State, chance: Random) -> None:
    """Add the defence of a random lead, and what follows if it is beaten."""
    found = values(state)
    beating = sorted((it for it in found if isinstance(it, Defend)), key=lambda it: _cost(it, state))
    if not beating:
        return
    _add(shares, "defence: the lowest card that beats", right(found, beating[:1]))
    _add(shares, "defence: taking", right(found, [TAKE]))
    after = state.apply(chance.choice(beating))
    if after.turn is not None and any(isinstance(it, Attack) for it in after.legal_actions):
        found = values(after)
        _add(
            shares,
            "after a beaten attack: stopping",
            right(found, [it for it in found if isinstance(it, Pass)]),
        )


def count_transfer(shares: Shares, chance: Random) -> None:
    """Add a random endgame of the transfer game, three cards each, if the lead can be transferred."""
    hands, rest = hands_of(chance, 3, 3)
    state = State.setup(Rules.preset("perevodnoy"), hands, trump=rest[-1], attacker=0)
    state = state.apply(chance.choice(state.legal_actions))
    if not any(isinstance(action, Transfer) for action in state.legal_actions):
        return
    found = values(state)
    for name, kind in (("transferring", Transfer), ("beating", Defend)):
        _add(shares, f"transfer game: {name}", right(found, [it for it in found if isinstance(it, kind)]))
    _add(shares, "transfer game: taking", right(found, [TAKE]))


def _cost(action: Defend, state: State) -> tuple[bool, int]:
    return action.card.suit == state.trump_suit, action.card.rank


def _add(shares: Shares, question: str, hit: bool | None) -> None:
    if hit is not None:
        shares.add(question, hit)


def table_of_places(games: int, seed: int) -> str:
    """Return how often each place is the fool, from the first attacker on, as Markdown."""
    heads = ("first attacker", "first defender", "third", "fourth", "fifth", "sixth", "draws")
    lines = [f"| table | {' | '.join(heads)} |", f"| --- | {'---: | ' * len(heads)}".rstrip()]
    for name, text in TABLES.items():
        match = SoloMatch(Rules.parse(text), (PLAYERS[-1],), games, seed)
        fools: Counter[int | None] = Counter()
        with closing(play_matches([match])) as found:
            for _, game in found:
                seats = match.rules.seats
                fools[None if game.fool is None else (game.fool - game.first_attacker) % seats] += 1
        shares = [f"{100 * fools[place] / games:.1f}" for place in range(match.rules.seats)]
        cells = [*shares, *[""] * (PLACES - len(shares)), f"{100 * fools[None] / games:.1f}"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def table_of_games(games: int, seed: int) -> str:
    """Return who is the fool in whole games, as Markdown."""
    columns = []
    for player in PLAYERS:
        shares = Shares()
        for record in played(player, games, seed):
            count_game(shares, record)
        columns.append(shares)
    heads = " | ".join(f"`{player}`" for player in PLAYERS)
    lines = [f"| is the fool | guess | {heads} |", "| --- | ---: | ---: | ---: |"]
    for question, guess in GAMES.items():
        cells = " | ".join(shares.cell(question) for shares in columns)
        lines.append(f"| {question} | {guess} % | {cells} |")
    return "\n".join(lines)


def table_of_endgames(positions: int, seed: int) -> str:
    """Return what is right in solved endgames, as Markdown."""
    chance = Random(seed)
    shares = Shares()
    for _ in range(positions):
        count_endgame(shares, 3, chance)
        count_endgame(shares, 5, chance)
        count_changes(shares, chance)
        for _ in range(4):
            count_transfer(shares, chance)
    lines = ["| endgames | guess | solved |", "| --- | ---: | ---: |"]
    lines += [f"| {question} | {guess} % | {shares.cell(question)} |" for question, guess in ENDGAMES.items()]
    return "\n".join(lines)


@with_exit_codes()
def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python3 -m benchmarks.facts", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--positions", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=HELD_OUT * 2 + 590)
    parser.add_argument(
        "--document", type=Path, help="write the tables there, at <!-- table: places -->, games and endgames"
    )
    given = parser.parse_args(arguments)
    check_numbers((), (given.games, given.positions))
    origin = f"Commit `{commit()}`, seed {given.seed}"
    tables = {
        "places": (table_of_places, 5 * given.games, "games for each row, `expert` on all seats, percent"),
        "games": (table_of_games, given.games, "games for each agent"),
        "endgames": (table_of_endgames, given.positions, "positions with three cards and as many with five"),
    }
    for name, (table, number, what) in tables.items():
        text = f"{table(number, given.seed)}\n\n*{origin}, {number:,} {what}.*"
        print(text, end="\n\n")
        if given.document:
            put_into(given.document, name, text)


if __name__ == "__main__":
    sys.exit(main())
