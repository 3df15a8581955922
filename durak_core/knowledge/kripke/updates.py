"""Events of the game as changes of a joint model: something is made public, then cards move.

A played card is announced to have been in the hand, and then lies on the table in every world. A draw is
the one event that is not public: each world splits into one for each way the talon's cards may have come,
and only the seat that drew can tell them apart. Worlds are not merged afterwards: a seat remembers which
of its cards it drew when, and whatever was announced before.

Source: H. van Ditmarsch, W. van der Hoek, B. Kooi, "Dynamic Epistemic Logic", 2007, chapters 4 and 6.
"""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import combinations
from math import comb

from durak_core.cards import CardSet
from durak_core.errors import KnowledgeError
from durak_core.game.events import (
    Attacked,
    BeatenOff,
    Defended,
    Drew,
    Event,
    Passed,
    TableTaken,
    TookUp,
    Transferred,
    TrumpShown,
)
from durak_core.knowledge.kripke.formulas import In
from durak_core.knowledge.kripke.model import MAX_WORLDS, KripkeModel
from durak_core.knowledge.places import BOTTOM, DISCARD, TABLE, TALON, Place

__all__ = ["after"]


def after(model: KripkeModel, event: Event, lacking: CardSet | None = None) -> KripkeModel:
    """Return the model after an event of the game.

    Args:
        model: A joint model.
        event: What has happened, as those see it who do not see what others draw: the cards of a
            `Drew` are not looked at.
        lacking: Cards that the seat of the event has proved not to hold (rules 5.8), as
            `PublicPlaces.lacking` finds them before it observes the event.

    Raises:
        KnowledgeError: If the model is not joint, the event contradicts it, or there would be too many
            worlds.
    """
    if not model.is_joint:
        raise KnowledgeError("events change joint models only: other cards may move as well")
    match event:
        case Attacked(seat, card) | Defended(seat, card) | Transferred(seat, card):
            changed = _moved(model.announce(In(card, seat)), card.mask, seat, TABLE)
        case TrumpShown(seat, card):
            changed = model.announce(In(card, seat))
        case TableTaken(seat, cards):
            changed = _moved(model, cards.mask, TABLE, seat)
        case BeatenOff(_, cards):
            changed = _moved(model, cards.mask, TABLE, DISCARD)
        case Drew():
            changed = _drawn(model, event)
        case Passed(seat) | TookUp(seat) if lacking:
            changed = model.announce(lambda world: not world.cards[seat] & lacking)
        case _:
            changed = model
    return changed


def _moved(model: KripkeModel, cards: int, source: Place, target: Place) -> KripkeModel:
    """Return the model after cards that lay in one place in every world have moved to another."""
    fixed = dict(model.fixed)
    sets = dict(model.sets)
    fixed[source] &= ~cards
    fixed[target] |= cards
    if source in sets:
        sets[source] = [there & ~cards for there in sets[source]]
    return KripkeModel(model.about, fixed, sets, model.which, model.views, is_joint=True)


def _drawn(model: KripkeModel, event: Drew) -> KripkeModel:
    seat, count = event.seat, event.count
    if event.trump:
        model = _moved(model, model.fixed[BOTTOM], BOTTOM, seat)
        count -= 1
    if count == 0:
        return model
    talon = model.which[TALON]
    draws = [_draws(there, count) for there in model.sets[TALON]]
    size = sum([n * len(draws[i]) for i, n in Counter(talon).items()])
    if size == 0:
        raise KnowledgeError(f"seat {seat} cannot draw {count} cards: the talon has not so many")
    if size > MAX_WORLDS:
        raise KnowledgeError(
            f"the model would have {size:,} worlds; models of more than {MAX_WORLDS:,} are not made"
        )
    origins: array[int] = array("I")
    drawn: list[int] = []
    for number, there in enumerate(talon):
        origins.extend(array("I", [number]) * len(draws[there]))
        drawn += draws[there]
    sets, which = dict(model.sets), {}
    for place, column in model.which.items():
        which[place] = array("I", map(column.__getitem__, origins))
    for place, sign in ((seat, 1), (TALON, -1)):
        new = {
            there: i
            for i, there in enumerate(
                dict.fromkeys(
                    model.sets[place][there] + sign * taken
                    for there, taken in zip(which[place], drawn, strict=True)
                )
            )
        }
        which[place] = array(
            "I",
            [
                new[model.sets[place][there] + sign * taken]
                for there, taken in zip(which[place], drawn, strict=True)
            ],
        )
        sets[place] = list(new)
    views = [array("I", map(view.__getitem__, origins)) for view in model.views]
    classes: dict[tuple[int, int], int] = {}
    views[seat] = array(
        "I", [classes.setdefault(pair, len(classes)) for pair in zip(views[seat], drawn, strict=True)]
    )
    return KripkeModel(model.about, model.fixed, sets, which, tuple(views), is_joint=True)


def _draws(talon: int, count: int) -> list[int]:
    """Return the card masks that may be drawn from a talon of hidden cards."""
    cards = [1 << i for i in range(talon.bit_length()) if talon >> i & 1]
    if comb(len(cards), count) > MAX_WORLDS:
        raise KnowledgeError(f"{count} cards can be drawn from {len(cards)} in more than {MAX_WORLDS:,} ways")
    return [sum(chosen) for chosen in combinations(cards, count)]
