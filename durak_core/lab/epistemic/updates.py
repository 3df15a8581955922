"""Game events as updates of a joint model, and opponent modelling by it.

A played card is announced to be in the hand, then moves to the table in every world. Draws are private:
each world splits into one per possible draw, and only the drawing seat can distinguish them. Worlds are
never merged, because seats have perfect recall.

Source: H. van Ditmarsch, W. van der Hoek, B. Kooi, "Dynamic Epistemic Logic", 2007, chapters 4 and 6.

A seat weighs the worlds that it cannot rule out. In each world a type gives every observed choice a
probability, with the hand that the player then had. Unlike `durak_core.OpponentModel`, which samples hands,
this enumerates all of them.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import comb
from typing import Final

from durak_core.actions import Action
from durak_core.cards import CardSet
from durak_core.errors import KnowledgeError
from durak_core.game import events
from durak_core.game.events import Event
from durak_core.game.record import Record
from durak_core.game.state import State
from durak_core.knowledge.locations import BOTTOM, DISCARD, TABLE, TALON, Location, PublicLocations
from durak_core.lab.epistemic.formulas import In
from durak_core.lab.epistemic.model import MAX_WORLDS, KripkeModel, too_large
from durak_core.lab.epistemic.questions import actual_world, deal_of
from durak_core.lab.epistemic.worlds import Scenario, subsets
from durak_core.search.opponents.model import PLAYER_TYPES, choice_of
from durak_core.search.opponents.particle_filter import Reading, choice_chance
from durak_core.search.players import Player


def after(model: KripkeModel, event: Event, lacking: CardSet | None = None) -> KripkeModel:
    """Return the joint model after an event; hidden drawn cards are ignored.

    ``lacking`` are cards that the acting seat is proved not to hold (rules 5.8, or a lowest-card defence),
    from `PublicLocations.lacking` before the event.

    Raises:
        KnowledgeError: If the model is not joint, contradicts the event, or would become too large.
    """
    if not model.is_joint:
        raise KnowledgeError("events change joint models only: other cards may move as well")
    match event:
        case events.Attacked(seat, card) | events.Defended(seat, card) | events.Transferred(seat, card):
            changed = model.announce(In(card, seat))
            if lacking:
                changed = changed.announce(lambda world: not world.cards[seat] & lacking)
            changed = _moved(changed, card.mask, seat, TABLE)
        case events.TrumpShown(seat, card):
            changed = model.announce(In(card, seat))
        case events.Exchanged(seat, given, taken):
            changed = model.announce(In(given, seat))
            changed = _moved(_moved(changed, given.mask, seat, BOTTOM), taken.mask, BOTTOM, seat)
        case events.TableTaken(seat, cards):
            changed = _moved(model, cards.mask, TABLE, seat)
        case events.BeatenOff(_, cards):
            changed = _moved(model, cards.mask, TABLE, DISCARD)
        case events.Drew():
            changed = _drawn(model, event)
        case events.Passed(seat) | events.TookUp(seat) if lacking:
            changed = model.announce(lambda world: not world.cards[seat] & lacking)
        case _:
            changed = model
    return changed


def _moved(model: KripkeModel, cards: int, source: Location, target: Location) -> KripkeModel:
    fixed = dict(model.fixed)
    sets = dict(model.sets)
    fixed[source] &= ~cards
    fixed[target] |= cards
    if source in sets:
        sets[source] = [there & ~cards for there in sets[source]]
    return replace(model, fixed=fixed, sets=sets, lowest={})


def _drawn(model: KripkeModel, event: events.Drew) -> KripkeModel:
    seat, count = event.seat, event.count
    bottom = model.fixed[BOTTOM] if event.trump else 0
    known = CardSet.of(event.cards or ()).mask & model.fixed[TALON]  # in open games (rules 9.3)
    model = _moved(_moved(model, bottom, BOTTOM, seat), known, TALON, seat)
    count -= (bottom | known).bit_count()
    if count == 0:
        return model
    left = model.sets[TALON][model.which[TALON][0]].bit_count()
    size = model.size * comb(left, count)
    if size == 0:
        raise KnowledgeError(
            "seat {seat} cannot draw {count} cards: the talon has not so many", seat=seat, count=event.count
        )
    if size > MAX_WORLDS:
        raise too_large(size)
    talons = model.sets[TALON]
    draws = {there: list(subsets(talons[there], count, count)) for there in set(model.which[TALON])}
    origins: array[int] = array("I")
    drawn: list[int] = []
    for number, there in enumerate(model.which[TALON]):
        origins.extend(array("I", [number]) * len(draws[there]))
        drawn += draws[there]
    which = {place: array("I", map(column.__getitem__, origins)) for place, column in model.which.items()}
    sets = dict(model.sets)
    for place, sign in ((seat, 1), (TALON, -1)):
        before = map(model.sets[place].__getitem__, which[place])
        masks = [mask + sign * taken for mask, taken in zip(before, drawn, strict=True)]
        sets[place] = list(dict.fromkeys(masks))
        numbers = {mask: number for number, mask in enumerate(sets[place])}
        which[place] = array("I", map(numbers.__getitem__, masks))
    views = [array("I", map(view.__getitem__, origins)) for view in model.views]
    classes: dict[tuple[int, int], int] = {}
    views[seat] = array(
        "I", [classes.setdefault(pair, len(classes)) for pair in zip(views[seat], drawn, strict=True)]
    )
    return replace(model, sets=sets, which=which, views=tuple(views), lowest={})


MAX_HANDS: Final = 20_000
"""Limit of hands times choices of a player: some minutes of computing."""


def read_types(
    record: Record, ply: int, seat: int, types: Mapping[str, Player] = PLAYER_TYPES
) -> dict[int, dict[str, float]]:
    """Return a seat's posterior over the types of each other seat, from a uniform prior.

    Choices before the last draw of cards are ignored, because the hands at that time are not determined by a
    world. In games without a talon, such as ``groningen``, all choices count.

    Args:
        record: The game.
        ply: Number of moves to use.
        seat: The observing seat.
        types: The possible types by name, without networks.

    Raises:
        KnowledgeError: If the model is too large, or there are too many hands to weigh.
    """
    states = record.replay()[: ply + 1]
    now = states[-1]
    public = PublicLocations.from_observation(now.observation(seat))
    model = KripkeModel.of(Scenario.from_locations(public))
    actual = actual_world(model, public, deal_of(now), states[0].hands)
    possible = model.alike(seat, actual.number)
    since = next(at for at, state in enumerate(states) if len(state.talon) == len(now.talon))
    moves = [
        (state, move.action) for state, move in zip(states[since:-1], record.moves[since:], strict=False)
    ]
    read = {}
    for other in range(now.rules.seats):
        if other != seat:
            column = model.which.get(other)
            held = Counter([0 if column is None else column[world] for world in possible])
            hidden = [0] if column is None else model.sets[other]
            hands = {model.fixed[other] | hidden[number]: count for number, count in held.items()}
            read[other] = _posterior(moves, now, (seat, other), hands, types)
    return read


def _posterior(
    moves: Sequence[tuple[State, Action]],
    now: State,
    seats: tuple[int, int],
    hands: Mapping[int, int],
    types: Mapping[str, Player],
) -> dict[str, float]:
    """Return the posterior of a player's type.

    ``seats`` are the reader's and the player's; ``hands`` counts the worlds of each present hand.
    """
    seat, other = seats
    held = now.hands[other].mask
    choices = []
    for state, action in moves:
        if state.turn == other:
            seen = choice_of(state.observation(seat), action, [1])
            then = state.hands[other].mask
            reading = Reading(code=seen.code, hidden=seen.hidden)
            reading.known[: len(seen.known)] = seen.known
            choices.append((seen.position, reading, held & ~then, then & ~held))
    if len(hands) * len(choices) > MAX_HANDS:
        raise KnowledgeError(
            "seat {seat} may have {hands:,} hands and made {choices} choices: expected a later move, with "
            "at most {most:,} hands",
            seat=other,
            hands=len(hands),
            choices=len(choices),
            most=MAX_HANDS // len(choices),
        )

    def likelihood(hand: int, player: Player) -> float:
        """Return the probability of all choices, of a player who now has this hand."""
        return math.prod(
            [choice_chance(p, player, reading, hand & ~gained | lost) for p, reading, gained, lost in choices]
        )

    found = {
        name: math.fsum([count * likelihood(hand, player) for hand, count in hands.items()])
        for name, player in types.items()
    }
    total = math.fsum(found.values())
    return {name: value / total if total else 1 / len(types) for name, value in found.items()}
