"""Game events as updates of a joint model: a public announcement, then card movements.

A played card is announced to be in the hand, then moves to the table in every world. Draws are private:
each world splits into one per possible draw, and only the drawing seat can distinguish them. Worlds are
never merged, because seats have perfect recall.

Source: H. van Ditmarsch, W. van der Hoek, B. Kooi, "Dynamic Epistemic Logic", 2007, chapters 4 and 6.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from itertools import combinations
from math import comb

from durak_core.cards import CardSet
from durak_core.errors import KnowledgeError
from durak_core.game import events
from durak_core.game.events import Event
from durak_core.knowledge.locations.public_locations import BOTTOM, DISCARD, TABLE, TALON, Location
from durak_core.lab.epistemic.formulas import In
from durak_core.lab.epistemic.model import MAX_WORLDS, KripkeModel, too_large


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
    draws = {there: _draws(model.sets[TALON][there], count) for there in set(model.which[TALON])}
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


def _draws(talon: int, count: int) -> list[int]:
    cards = [1 << i for i in range(talon.bit_length()) if talon >> i & 1]
    return [sum(chosen) for chosen in combinations(cards, count)]
