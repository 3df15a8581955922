"""What tests share to play games: texts of actions, policies for random play and random rules."""

from __future__ import annotations

import random
import struct
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from durak_core import PASS, TAKE, Action, Card, Record, Rules, State, Transfer, parse_action
from durak_core.actions import EXCHANGE, Attack, Defend, ShowTrump

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

T = TypeVar("T")


class Choose(Protocol):
    """Picks one of several things: a random generator's ``choice``, or a drawing of Hypothesis."""

    def __call__(self, options: Sequence[T], /) -> T:
        """Pick one."""
        ...


def play(state: State, text: str) -> State:
    """Play actions written with spaces between them, such as ``"6s 9sx6s pass"``."""
    for word in text.split():
        state = state.apply(parse_action(word))
    return state


def legal(state: State) -> set[str]:
    """The texts of the legal actions."""
    return set(map(str, state.legal_actions))


def allowed(state: State, text: str) -> bool:
    """Whether an action may be played."""
    return state.why_not(parse_action(text)) is None


def refused(state: State, text: str) -> str:
    """The paragraph that forbids an action; empty if nothing does."""
    why = state.why_not(parse_action(text))
    return "" if why is None else why.paragraph


def cards(text: str) -> list[Card]:
    """Read cards with or without spaces between them."""
    squeezed = "".join(text.split())
    return [Card.parse(squeezed[start : start + 2]) for start in range(0, len(squeezed), 2)]


def deck_of(rules: Rules, hands: Sequence[str], talon: str = "", bottom: str = "") -> list[Card]:
    """Stack a deck: these hands, then this top of the talon, then the rest, then this bottom."""
    rows = [cards(hand) for hand in hands]
    top = [row[index] for index in range(max(map(len, rows))) for row in rows if index < len(row)]
    top += cards(talon)
    end = cards(bottom)
    return top + [card for card in rules.deck if card not in top and card not in end] + end


def pick(options: Sequence[Action], chance: random.Random, style: str) -> Action:
    """Choose an action at random, with a leaning.

    Args:
        options: The legal actions.
        chance: Where the randomness comes from.
        style: ``any``; ``play`` seldom passes or takes; ``take`` likes to take; ``transfer`` likes to
            transfer. All like to exchange.
    """
    if EXCHANGE in options and chance.random() < 0.4:
        return EXCHANGE
    playing = [action for action in options if action not in (PASS, TAKE)]
    handing_on = [action for action in options if isinstance(action, Transfer | ShowTrump)]
    if style == "transfer" and handing_on and chance.random() < 0.8:
        return chance.choice([action for action in handing_on if isinstance(action, ShowTrump)] or handing_on)
    if style == "take" and TAKE in options and chance.random() < 0.7:
        return TAKE
    if style != "any" and playing and chance.random() < 0.8:
        return chance.choice(playing)
    return chance.choice(options)


TABLES = (*((None, seats) for seats in range(2, 7)), ("2x2", 4), ("2x3", 6), ("3x2", 6))
"""The teams and seats with which a game can be played."""

PLIES_AT_MOST = 20_000
STYLES = ("any", "play", "take", "transfer")


def random_game(rules: Rules, seed: int, style: str = "any") -> Iterator[State]:
    """Yield every state of a random game, from the deal to the end."""
    chance = random.Random(seed)
    state = State.deal(rules, seed)
    yield state
    while not state.is_over:
        assert state.plies < PLIES_AT_MOST
        state = state.apply(pick(state.legal_actions, chance, style))
        yield state


def random_record(rules: Rules, seed: int, style: str = "any", **tags: str) -> Record:
    """Return the record of a random game."""
    *_, last = random_game(rules, seed, style)
    return Record.of(last, tuple("ABCDEF"[: rules.seats]), **tags)


def random_rules(choose: Choose, *, teams: bool = False) -> Rules:
    """Choose rules that can be played, from all options that change the deal or how it is played.

    Where ``teams`` is wanted, some seats are partners.
    """
    lowest_rank: int = choose((2, 5, 6, 6, 6, 7, 9, 10, 11))
    suits: int = choose((1, 2, 3, 4, 4, 4))
    deck_size = suits * (15 - lowest_rank)
    tables = (4, 6, 6) if teams else (2, 2, 3, 3, 4, 5, 6)
    seats: int = choose([seats for seats in tables if seats <= deck_size])
    sizes = [size for size in (1, 2, 3, 4, 5, 6, 6, 6, 7, 9) if seats * size <= deck_size]
    options: dict[str, Any] = {
        "trumps": choose((True, True, True, False)),
        "hand_size": choose(sizes),
        "deal_all": choose((False, False, False, True)),
        "attack_limit": choose((None, 1, 2, 3, 5, 6, 6, 8)),
        "first_bout_limit": choose((None, None, 1, 2, 3, 5)),
        "attack_style": choose(("one_by_one", "volley")),
        "throw_in": choose(("all", "neighbours", "attacker")),
        "forced_play": choose((False, False, True)),
        "pile_on": choose((True, False)),
        "transfer": choose((True, True, False)),
        "transfer_first_bout": choose((True, False)),
        "show_trump": choose((True, True, False)),
        "draws": choose((True, False)),
        "stall_limit": choose((1, 3, 20, 60, 60, 60)),
        "visibility": choose(("closed", "open")),
    }
    if teams:
        options["teams"] = choose(("2x3", "3x2") if seats == 6 else ("2x2",))
    options["first_limit_lasts"] = choose(("one_bout", "until_beaten"))
    options["redeal_trump_ace"] = choose((False, True))
    options["exchange_trump"] = choose((False, True))
    options["lowest_card"] = choose(("any", "any", "defence", "always"))
    options["lowest_beats_ace"] = choose((None, None, "trump", "any"))
    options["show_trump_once"] = choose(("game", "bout"))
    options["partner_plays_on"] = options.get("teams") == "2x2" and choose((False, True))
    options["jokers"] = choose((None, None, "any", "colour"))
    options["series_score"] = "losses" if teams else choose(("losses", "places"))
    return Rules(seats=seats, lowest_rank=lowest_rank, suits=suits, **options)


def conceivable(rules: Rules) -> list[Action]:
    """All actions that can be written with the cards of a deck."""
    deck = rules.deck
    actions: list[Action] = [PASS, TAKE, EXCHANGE]
    for card in deck:
        actions += [Attack(card), Transfer(card), ShowTrump(card)]
        actions += [Defend(card, target) for target in deck]
    return actions


def mixed(state: State, hidden: Sequence[Card], chance: random.Random) -> list[Card]:
    """The deck of a game with some cards in each other's places, but for the same reason the same first seat.

    The deck as it is, if no such was found (rules 4.1).
    """
    assert state.deck is not None
    for _ in range(200):
        other = dict(zip(hidden, chance.sample(hidden, len(hidden)), strict=True))
        deck = [other.get(card, card) for card in state.deck]
        if State.from_deck(state.rules, deck, state.first_attacker).events == state.events[:1]:
            return deck
    return list(state.deck)


def halves(weights: Sequence[float]) -> bytes:
    """Return a network's weights as it holds them, each rounded to 16 bits."""
    return struct.pack(f"<{len(weights)}e", *weights)
