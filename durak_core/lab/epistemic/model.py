"""S5 Kripke models of card locations, and pictures of small ones.

Worlds are the deals consistent with public information. A seat cannot distinguish two worlds in which it
holds the same cards. A joint model covers all hidden cards; a partial one covers some, and its worlds are
their possible locations. While any hidden card may be in any hidden location, mapping joint worlds to
partial ones is a bisimulation, so both satisfy the same formulas about these cards. If the first attack
is informative (rules 4.1), models always include the hidden trumps, and worlds also record each seat's
lowest dealt trump, which that seat remembers.

The extension of a formula is a byte string with 1 for each world that satisfies it.

Source: R. Fagin et al., "Reasoning About Knowledge", 1995; J. Plaza, "Logics of public communications",
1989 (announcements).

In pictures, edges join worlds that a seat cannot distinguish, one chain per equivalence class.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import compress, pairwise
from typing import Final
from xml.etree import ElementTree as ET

from durak_core.cards import Card, CardSet
from durak_core.errors import KnowledgeError
from durak_core.knowledge.locations import Location, all_locations
from durak_core.lab.epistemic import formulas
from durak_core.lab.epistemic.worlds import Scenario, columns_of, count_deals

_FLIP: Final = bytes([1, 0, *range(2, 256)])


def flipped(inside: bytes) -> bytes:
    return inside.translate(_FLIP)


def throughout(view: array[int], inside: bytes) -> bytes:
    """Return the equivalence classes that are entirely inside."""
    failing = set(compress(view, flipped(inside)))
    if not failing:
        return inside
    table = bytearray(b"\1") * (max(view) + 1)
    for class_ in failing:
        table[class_] = 0
    return bytes(map(table.__getitem__, view))


def touched(view: array[int], inside: bytes) -> bytes:
    """Return the equivalence classes that are at least partly inside."""
    return flipped(throughout(view, flipped(inside)))


def both(left: bytes, right: bytes) -> bytes:
    both = int.from_bytes(left, "little") & int.from_bytes(right, "little")
    return both.to_bytes(len(left), "little")


def either(left: bytes, right: bytes) -> bytes:
    either = int.from_bytes(left, "little") | int.from_bytes(right, "little")
    return either.to_bytes(len(left), "little")


def join_views(left: array[int], right: array[int]) -> array[int]:
    """Return the finest common coarsening of two partitions."""
    above = list(range(max(left) + 1))

    def root(class_: int) -> int:
        while above[class_] != class_:
            above[class_] = above[above[class_]]
            class_ = above[class_]
        return class_

    partner: dict[int, int] = {}
    for mine, other in set(zip(left, right, strict=True)):
        if other in partner:
            above[root(mine)] = root(partner[other])
        else:
            partner[other] = mine
    roots = [root(class_) for class_ in range(len(above))]
    return array("I", map(roots.__getitem__, left))


MAX_WORLDS: Final = 2_000_000
"""Size limit of a model: some hundred megabytes, some seconds."""


@dataclass(frozen=True, slots=True)
class World:
    """A world: its number in the model, from 0, and the model's cards by location."""

    number: int
    cards: Mapping[Location, CardSet]

    def place_of(self, card: Card) -> Location | None:
        return next((place for place, cards in self.cards.items() if card in cards), None)

    def __str__(self) -> str:
        return " ".join([f"{place}:{cards}" for place, cards in self.cards.items() if cards])


def count_worlds(scenario: Scenario, about: Iterable[Card] | None = None) -> int:
    """Return the size of `KripkeModel.of`; an upper bound if the first attack is informative (rules 4.1)."""
    return count_deals(scenario, _hidden_part(scenario, about))


@dataclass(frozen=True, eq=False, repr=False)
class KripkeModel:
    """A Kripke model; `of` builds one, `announce` restricts it.

    Attributes:
        about: Covered cards; ``is_joint`` if these are all.
        fixed: Mask by location of cards that are there in every world.
        sets: Masks by location of other possible contents.
        which: Index into ``sets`` by location, one per world.
        views: By seat, the equivalence class of each world.
        lowest: The seat's lowest dealt trump for each of ``sets``, as a mask or 0; empty if irrelevant.
    """

    about: CardSet
    is_joint: bool
    fixed: Mapping[Location, int]
    sets: Mapping[Location, list[int]]
    which: Mapping[Location, array[int]]
    views: tuple[array[int], ...]
    lowest: Mapping[Location, list[int]] = field(default_factory=dict)
    _known: dict[formulas.Formula, bytes] = field(default_factory=dict, init=False)
    _joined: dict[tuple[int, ...], array[int]] = field(default_factory=dict, init=False)

    @property
    def seats(self) -> int:
        return len(self.views)

    @property
    def size(self) -> int:
        return len(self.views[0])

    @classmethod
    def of(cls, scenario: Scenario, about: Iterable[Card] | None = None) -> KripkeModel:
        """Build a scenario's model.

        It covers ``about`` (all cards by default), all public cards, and trumps linked by rules 4.1.

        Raises:
            KnowledgeError: If it has no worlds or more than `MAX_WORLDS`, or if ``about`` is partial although
                cards are known to be missing from a hand.
        """
        cards = _hidden_part(scenario, about)
        is_joint = cards == scenario.hidden.mask
        if not is_joint and scenario.is_tied:
            raise KnowledgeError(
                "it is known of a seat what it lacks, which ties all hidden cards together: only the "
                "joint model of all cards is right"
            )
        count = count_deals(scenario, cards)
        if count > MAX_WORLDS:
            raise too_large(count)
        first = scenario.first if cards else None
        laid, columns = columns_of(replace(scenario, first=first), cards)
        if not len(columns[0]):
            raise KnowledgeError("no deal agrees with all that is public")
        places: tuple[Location, ...] = all_locations(scenario.seats)[: len(columns)]
        return cls(
            CardSet(cards | scenario.deck.mask & ~scenario.hidden.mask),
            is_joint,
            dict(scenario.public),
            {place: [mask for mask, _ in column] for place, column in zip(places, laid, strict=True)},
            dict(zip(places, columns, strict=True)),
            tuple(columns[: scenario.seats]),
            {place: [card for _, card in column] for place, column in zip(places, laid, strict=True)}
            if first
            else {},
        )

    # Worlds

    def world(self, number: int) -> World:
        cards = dict(self.fixed)
        for place, column in self.which.items():
            cards[place] |= self.sets[place][column[number]]
        return World(number, {place: CardSet(mask) for place, mask in cards.items()})

    def worlds(self) -> Iterator[World]:
        return map(self.world, range(self.size))

    def find(self, deal: Mapping[Location, CardSet], lowest: Mapping[Location, int] | None = None) -> World:
        """Return the first world that matches a deal and lowest trumps, or raise `KnowledgeError`."""
        fits = b"\1" * self.size
        for place, fixed in self.fixed.items():
            there = deal.get(place, CardSet()).mask & self.about.mask
            if place in self.which:
                table = bytes([fixed | mask == there for mask in self.sets[place]])
                if lowest is not None and place in lowest and place in self.lowest:
                    remembered = bytes([card == lowest[place] for card in self.lowest[place]])
                    fits = both(fits, _spread(remembered, self.which[place]))
                fits = both(fits, _spread(table, self.which[place]))
            elif fixed != there:
                fits = bytes(self.size)
        number = fits.find(1)
        if number < 0:
            raise KnowledgeError("this deal is none of the model's worlds: it contradicts what is public")
        return self.world(number)

    def alike(self, seat: int, number: int) -> list[int]:
        """Return the worlds that a seat cannot distinguish from one, including that one."""
        view = self.views[seat]
        mine = view[number]
        return [other for other, class_ in enumerate(view) if class_ == mine]

    # Formulas

    def extension(self, formula: formulas.Formula) -> bytes:
        """Return a byte per world, 1 if the formula is true; `KnowledgeError` for unknown cards or seats."""
        unknown = CardSet(formulas.cards_of(formula).mask & ~self.about.mask)
        if unknown:
            raise KnowledgeError("the model does not speak of {unknown}", unknown=unknown)
        strangers = sorted(seat for seat in formulas.seats_of(formula) if seat >= self.seats)
        if strangers:
            raise no_seat(strangers[0], self.seats)
        return self._evaluate(formula)

    def _evaluate(self, formula: formulas.Formula) -> bytes:
        if formula not in self._known:
            self._known[formula] = self._work_out(formula)
        return self._known[formula]

    def _work_out(self, formula: formulas.Formula) -> bytes:
        evaluate = self._evaluate
        match formula:
            case formulas.In(card, place):
                found = self.atom(card, place)
            case formulas.Not(body):
                found = flipped(evaluate(body))
            case formulas.And(left, right):
                found = both(evaluate(left), evaluate(right))
            case formulas.Or(left, right):
                found = either(evaluate(left), evaluate(right))
            case formulas.Implies(left, right):
                found = either(flipped(evaluate(left)), evaluate(right))
            case formulas.Knows(seat, body):
                found = throughout(self.views[seat], evaluate(body))
            case formulas.Possible(seat, body):
                found = touched(self.views[seat], evaluate(body))
            case formulas.Everybody(seats, body):
                found = reduce(both, [evaluate(formulas.Knows(seat, body)) for seat in _group(seats)])
            case formulas.Common(seats, body):
                found = throughout(self._view_of_group(seats), evaluate(body))
        return found

    def _view_of_group(self, seats: tuple[int, ...]) -> array[int]:
        """Return the classes of the transitive closure of the seats' relations."""
        if seats not in self._joined:
            self._joined[seats] = reduce(join_views, [self.views[seat] for seat in _group(seats)])
        return self._joined[seats]

    def true_at(self, formula: formulas.Formula, world: World | int) -> bool:
        number = world if isinstance(world, int) else world.number
        return bool(self.extension(formula)[number])

    def holds(self, formula: formulas.Formula) -> bool:
        """Return whether all worlds satisfy a formula."""
        return 0 not in self.extension(formula)

    def false_world(self, formula: formulas.Formula) -> World | None:
        number = self.extension(formula).find(0)
        return None if number < 0 else self.world(number)

    # Announcements

    def announce(self, fact: formulas.Formula | Callable[[World], bool]) -> KripkeModel:
        """Return the model restricted to worlds that satisfy ``fact``; `KnowledgeError` if none does."""
        kept = bytes([fact(world) for world in self.worlds()]) if callable(fact) else self.extension(fact)
        if 1 not in kept:
            raise KnowledgeError(
                "nobody can truthfully announce this: {fact} is true in no world", fact=_named(fact)
            )
        return replace(
            self,
            which={place: array("I", compress(column, kept)) for place, column in self.which.items()},
            views=tuple([array("I", compress(view, kept)) for view in self.views]),
        )

    def atom(self, card: Card, place: Location) -> bytes:
        """Return the worlds in which a card is at a location, in the form of `extension`."""
        mask = card.mask
        if place not in self.fixed:
            raise KnowledgeError("there is no place {place!r}", place=place)
        if self.fixed[place] & mask:
            return b"\1" * self.size
        if place not in self.which:
            return bytes(self.size)
        return _spread(bytes([there & mask != 0 for there in self.sets[place]]), self.which[place])


def too_large(worlds: int) -> KnowledgeError:
    return KnowledgeError(
        "this takes a model of {worlds:,} worlds: expected at most {most:,}, as later in a game",
        worlds=worlds,
        most=MAX_WORLDS,
    )


def no_seat(seat: int, seats: int) -> KnowledgeError:
    return KnowledgeError(
        "there is no seat {seat}: expected 0 to {last}", rule="2.1", seat=seat, last=seats - 1
    )


def _hidden_part(scenario: Scenario, about: Iterable[Card] | None) -> int:
    hidden = scenario.hidden.mask
    if about is None:
        return hidden
    wanted = CardSet.of(about).mask
    if wanted & ~scenario.deck.mask:
        raise KnowledgeError("not in the deck: {cards}", cards=CardSet(wanted & ~scenario.deck.mask))
    return hidden & wanted | scenario.tied_trumps if hidden & wanted else 0


def _spread(table: bytes, column: array[int]) -> bytes:
    return bytes(map(table.__getitem__, column))


def _named(fact: formulas.Formula | Callable[[World], bool]) -> str:
    return getattr(fact, "__name__", "it") if callable(fact) else str(fact)


def _group(seats: tuple[int, ...]) -> tuple[int, ...]:
    if not seats:
        raise KnowledgeError("a group needs at least one seat")
    return seats


MAX_PICTURE: Final = 200
"""Most worlds in a picture."""

_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#a6761d", "#56b4e9")
"""Seat colours, safe for colour-blind readers (after Okabe and Ito)."""
_ROW: Final = 15.0
_LETTER: Final = 7.0
_DOT_BREAK: Final = "\\n"
_GAP: Final = 12.0
_APART: Final = 4.0
"""Distance in pixels between edges of different seats that join the same worlds."""


def write_dot(model: KripkeModel, actual: int | None = None) -> str:
    """Render a model in Graphviz DOT; the actual world has a double border."""
    lines = ["graph model {", "  node [shape=box, fontname=monospace, fontsize=11];"]
    for number, rows in enumerate(_labels(model)):
        marked = ", peripheries=2" if number == actual else ""
        lines.append(f'  w{number} [label="{_DOT_BREAK.join(rows)}"{marked}];')
    for seat in range(model.seats):
        colour = _colour(seat)
        lines += [
            f'  w{a} -- w{b} [label="{seat}", color="{colour}", fontcolor="{colour}"];'
            for a, b in _lines(model, seat)
        ]
    return "\n".join([*lines, "}"]) + "\n"


def write_svg(model: KripkeModel, actual: int | None = None) -> str:
    """Render a model in SVG; the actual world has a thick border."""
    labels = _labels(model)
    box = (_LETTER * max(len(row) for rows in labels for row in rows) + 12, _ROW * max(map(len, labels)) + 8)
    spots = _ring(model.size, box)
    width = max(max(x for x, _ in spots) + box[0] / 2 + _GAP, 60.0 * model.seats)
    height = max(y for _, y in spots) + box[1] / 2 + _GAP
    root = ET.Element(
        "svg", xmlns="http://www.w3.org/2000/svg", width=f"{width:.0f}", height=f"{height + 24:.0f}"
    )
    ET.SubElement(root, "style").text = "text{font:11px monospace;text-anchor:middle}"
    ET.SubElement(root, "rect", width="100%", height="100%", fill="white")
    for seat in range(model.seats):
        shift = (seat - (model.seats - 1) / 2) * _APART
        for a, b in _lines(model, seat):
            _draw_line(root, spots[a], spots[b], shift, _colour(seat))
    for number, rows in enumerate(labels):
        _draw_world(root, spots[number], box, rows, marked=number == actual)
    for seat in range(model.seats):
        _write(root, 40 + 60 * seat, height + 14, f"seat {seat}", _colour(seat))
    return ET.tostring(root, encoding="unicode") + "\n"


def _labels(model: KripkeModel) -> list[list[str]]:
    if model.size > MAX_PICTURE:
        raise KnowledgeError(
            "the model has {size:,} worlds; pictures are drawn of at most {most}",
            size=model.size,
            most=MAX_PICTURE,
        )
    labels = []
    for number in range(model.size):
        rows = []
        for place, column in model.which.items():
            cards = CardSet(model.sets[place][column[number]])
            if cards:
                rows.append(f"{place}: {cards}")
        labels.append(rows or ["all is known"])
    return labels


def _lines(model: KripkeModel, seat: int) -> Iterator[tuple[int, int]]:
    classes: dict[int, list[int]] = {}
    for number, class_ in enumerate(model.views[seat]):
        classes.setdefault(class_, []).append(number)
    for members in classes.values():
        yield from pairwise(members)


def _ring(count: int, box: tuple[float, float]) -> list[tuple[float, float]]:
    width, height = box
    radius = math.hypot(width + _GAP, height + _GAP) / (2 * math.sin(math.pi / count)) if count > 1 else 0.0
    angles = [2 * math.pi * number / count for number in range(count)]
    x, y = radius + width / 2 + _GAP, radius + height / 2 + _GAP
    return [(x + radius * math.sin(angle), y - radius * math.cos(angle)) for angle in angles]


def _draw_line(
    root: ET.Element, start: tuple[float, float], end: tuple[float, float], shift: float, colour: str
) -> None:
    (x1, y1), (x2, y2) = start, end
    length = max(1.0, ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5)
    dx, dy = -(y2 - y1) / length * shift, (x2 - x1) / length * shift
    ET.SubElement(
        root,
        "line",
        {"x1": f"{x1 + dx:.1f}", "y1": f"{y1 + dy:.1f}", "x2": f"{x2 + dx:.1f}", "y2": f"{y2 + dy:.1f}"},
        stroke=colour,
    )


def _draw_world(
    root: ET.Element, spot: tuple[float, float], box: tuple[float, float], rows: list[str], *, marked: bool
) -> None:
    x, y = spot
    width, height = box
    ET.SubElement(
        root,
        "rect",
        {"stroke-width": "3" if marked else "1"},
        x=f"{x - width / 2:.1f}",
        y=f"{y - height / 2:.1f}",
        width=f"{width:.1f}",
        height=f"{height:.1f}",
        rx="4",
        fill="#fffbe6" if marked else "#f7f7f7",
        stroke="black",
    )
    top = y - (len(rows) - 1) * _ROW / 2 + 4
    for i, row in enumerate(rows):
        _write(root, x, top + i * _ROW, row, "black")


def _write(root: ET.Element, x: float, y: float, text: str, colour: str) -> None:
    ET.SubElement(root, "text", x=f"{x:.1f}", y=f"{y:.1f}", fill=colour).text = text


def _colour(seat: int) -> str:
    return _COLOURS[seat % len(_COLOURS)]
