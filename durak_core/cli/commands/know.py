"""`durak know`: what each seat knows about the cards, and about the others' knowledge."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click

from durak_core.cards import Card, CardSet, Suit
from durak_core.cli.choices import file_argument, file_option, game_option, json_option, moment, ply_option
from durak_core.cli.game_words import seat_names
from durak_core.cli.output import TextTable, check_targets, print_lines
from durak_core.errors import KnowledgeError, NotationError
from durak_core.files import write_text_atomically
from durak_core.game.record import Record
from durak_core.game.state import State
from durak_core.game.state_view import checked_seat
from durak_core.knowledge.locations import (
    BOTTOM,
    DISCARD,
    TABLE,
    TALON,
    Location,
    PublicLocations,
    SeatLocations,
)
from durak_core.lab import epistemic as kripke
from durak_core.messages import printable

_LETTERS: Final[dict[Location, str]] = {TALON: "t", BOTTOM: "b", DISCARD: "d", TABLE: "x"}
_WORDS: Final[dict[Location, str]] = {
    TALON: "in the talon",
    BOTTOM: "at the talon's bottom",
    DISCARD: "in the discard pile",
    TABLE: "on the table",
}


@click.command()
@file_argument
@game_option()
@ply_option()
@click.option("--seat", type=int, metavar="K", help="Show only what seat K knows.")
@click.option("--formula", "text", metavar="F", help="Formula to evaluate, such as 'K0 !K1 in(6s,2)'.")
@click.option(
    "--lowest", is_flag=True, help="Assume common knowledge that defenders use the lowest card that works."
)
@click.option(
    "--types", is_flag=True, help="Show what type of player each other seat is, as far as seat K knows."
)
@json_option
@file_option("--dot", metavar="FILE", help="Write the Kripke model as a Graphviz file.")
@file_option("--svg", metavar="FILE", help="Draw the Kripke model as an SVG file.")
def know(  # noqa: PLR0913, PLR0917 - an argument for each option
    file: Path,
    game: int | None,
    ply: int | None,
    seat: int | None,
    text: str | None,
    dot: Path | None,
    svg: Path | None,
    *,
    lowest: bool,
    types: bool,
    as_json: bool,
) -> None:
    """Show where each card of a recorded game may be, as far as each seat knows.

    With --formula, evaluate a formula in that position, and show a counterexample if it is false. in(As,1):
    the card is with seat 1 (or in talon, bottom, discard or table). K0 f: seat 0 knows f. M0 f: seat 0
    considers f possible. E{0,1} f: both know f. C{0,1} f: f is common knowledge between them. Connectives:
    !, &, | and ->. With --types, weigh the types of player over all worlds that seat K cannot rule out. See
    docs/knowledge.md.
    """
    if types:
        _show_types(moment(file, game, ply), seat, as_json=as_json, others=(text, dot, svg, lowest))
        return
    if text is not None and seat is not None:
        raise click.UsageError("--seat belongs to the maps of cards; a formula names its seats itself")
    formula = None if text is None else _parsed(text)
    check_targets(dot, svg, inputs=[file])
    record, state, number = moment(file, game, ply)
    public = _public(state, lowest=lowest)
    if formula is None:
        seats = range(record.rules.seats) if seat is None else [checked_seat(record.rules, seat)]
        dealt = record.start.hands
        known = [SeatLocations(who, state.hands[who], public, dealt[who]) for who in seats]
        if dot or svg:
            model = kripke.KripkeModel.of(kripke.Scenario.from_locations(public))
            _draw(model, model.find(kripke.deal_of(state)).number, dot, svg)
        if as_json:
            click.echo(json.dumps({"ply": number, "seats": [_map_json(record, places) for places in known]}))
        else:
            for places in known:
                _map_table(record, places).print()
            print_lines(
                f"0 to {record.rules.seats - 1}: in that seat's hand, t: talon, b: its bottom, "
                "d: discard pile, x: table; several letters: it may be in any of these"
            )
        return
    deal = kripke.deal_of(state)
    found = kripke.answer(public, deal, formula, record.start.hands)
    if as_json:
        click.echo(json.dumps(_answer_json(found, formula, number, state)))
    else:
        print_lines(*_answer_lines(found, formula, number, state))
    if not (dot or svg):
        return
    if found.model is not None and found.actual is not None and found.model.size <= kripke.MAX_PICTURE:
        _draw(found.model, found.actual.number, dot, svg)
        return
    about = kripke.cards_of(formula)
    model = kripke.model_of_cards(public, about)
    _draw(model, model.find(deal).number, dot, svg)
    click.echo(f"the picture has the possible locations of {about} alone", err=True)


def _public(state: State, *, lowest: bool) -> PublicLocations:
    """Return the common knowledge; with ``lowest`` it includes what lowest defences reveal."""
    if not lowest:
        return PublicLocations.from_observation(state.observation(0))
    try:
        public = PublicLocations.from_observation(state.observation(0), lowest=True)
        held = all(
            public.hands[seat].accepts(hand.mask & public.hidden) for seat, hand in enumerate(state.hands)
        )
    except KnowledgeError:
        held = False
    if not held:
        raise KnowledgeError(
            "in this game a seat did not defend with its lowest card: leave out --lowest, or ask about an "
            "earlier move"
        )
    return public


def _parsed(text: str) -> kripke.Formula:
    try:
        return kripke.parse_formula(text)
    except NotationError as error:
        pointer = "" if error.position is None else f"\n  {printable(text)}\n  {' ' * error.position}^"
        raise click.UsageError(f"--formula: {error}{pointer}") from None


def _draw(model: kripke.KripkeModel, actual: int, dot: Path | None, svg: Path | None) -> None:
    for path, write in ((dot, kripke.write_dot), (svg, kripke.write_svg)):
        if path:
            write_text_atomically(path, write(model, actual))


# Maps


def _map_table(record: Record, places: SeatLocations) -> TextTable:
    rules = record.rules
    ranks = [card.rank for card in rules.deck if card.suit == Suit.SPADES]
    rows = []
    for suit in sorted({card.suit for card in rules.deck}):
        there = [places.places_of(Card(suit, rank)) for rank in ranks]
        cells = ["".join([_LETTERS.get(place, str(place)) for place in cell]) for cell in there]
        rows.append((suit.symbol, *cells))
    header = [Card(Suit.SPADES, rank).pretty.removesuffix(Suit.SPADES.symbol) for rank in ranks]
    return TextTable((seat_names(record.players)[places.seat], *header), tuple(rows))


def _map_json(record: Record, places: SeatLocations) -> dict[str, object]:
    seat, rules = places.seat, record.rules
    return {
        "seat": seat,
        "name": record.players[seat],
        "cards": {str(card): list(places.places_of(card)) for card in rules.deck},
        "knows_that_others_know": {
            str(other): [str(card) for card in places.known_to(other)]
            for other in range(rules.seats)
            if other != seat
        },
    }


def _show_types(
    at: tuple[Record, State, int], seat: int | None, *, as_json: bool, others: tuple[object, ...]
) -> None:
    """Print a seat's posterior over the others' types; ``others`` are options that exclude it."""
    if seat is None or any(others):
        raise click.UsageError(
            "--types is what one seat knows: expected --seat, and otherwise only --game, --ply and --json"
        )
    record, _, ply = at
    checked_seat(record.rules, seat)
    found = kripke.read_types(record, ply, seat)
    if as_json:
        click.echo(json.dumps({"ply": ply, "seat": seat, "types": found}))
        return
    names = seat_names(record.players)
    rows = [(names[other], *[f"{part:.1%}" for part in types.values()]) for other, types in found.items()]
    TextTable((f"as seat {seat} knows", *next(iter(found.values()))), tuple(rows)).print()


# Formulas


def _answer_lines(found: kripke.FormulaAnswer, formula: kripke.Formula, ply: int, state: State) -> list[str]:
    cards = kripke.cards_of(formula)
    word = "true" if found.value else "false"
    lines = [f"{word} after {ply} moves: {formula}", f"in the game: {_lying(cards, kripke.deal_of(state))}"]
    if found.model is None:
        return [*lines, "answered from what each seat knows of single cards"]
    for step in found.steps:
        world = found.model.world(step.world)
        lines.append(f"seat {step.seat} cannot rule out: {_lying(cards, world.cards)}")
        lines.append(f"  and there this is false: {step.formula}")
    true, size = sum(found.model.extension(formula)), found.model.size
    known = "one world: all know where these cards lie"
    return [*lines, known if size == 1 else f"true in {true:,} of {size:,} worlds"]


def _lying(cards: CardSet, deal: Mapping[Location, CardSet]) -> str:
    places = _places_json(cards, deal).items()
    return ", ".join([f"{card} {_WORDS.get(place, f'with seat {place}')}" for card, place in places])


def _answer_json(
    found: kripke.FormulaAnswer, formula: kripke.Formula, ply: int, state: State
) -> dict[str, object]:
    cards = kripke.cards_of(formula)
    model = found.model
    return {
        "ply": ply,
        "formula": str(formula),
        "value": found.value,
        "worlds": None if model is None else model.size,
        "true_in": None if model is None else sum(model.extension(formula)),
        "actual": _places_json(cards, kripke.deal_of(state)),
        "counterexample": [
            {
                "seat": step.seat,
                "cards": _places_json(cards, model.world(step.world).cards),
                "false": str(step.formula),
            }
            for step in found.steps
            if model is not None
        ],
    }


def _places_json(cards: CardSet, deal: Mapping[Location, CardSet]) -> dict[str, Location]:
    return {str(card): next(place for place, there in deal.items() if card in there) for card in cards}
