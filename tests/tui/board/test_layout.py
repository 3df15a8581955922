"""Where everything lies on the board, in every size: pure functions, without an app."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from properties import few_or_many
from textual.geometry import Region

from durak_tui.board.widgets.layout import LEAST_LOG, LOG_FROM, BoardPlan, Needs, Panel, plan
from durak_tui.ui.view.board_data import CardSize
from durak_tui.ui.widgets.cards import GIANT, HUGE, LARGE, NORMAL, SIZES, SMALL, TINY, lay_hand, lay_table

PHONE_SIZES = [(width, height) for width in range(40, 60) for height in range(19, 45)]
"""Of the board: on a phone held upright, or in a narrow window."""
ALL_SIZES = [
    *PHONE_SIZES,
    *((width, height) for width in range(60, 201) for height in range(20, 51)),
]
USUAL_SIZES = [(46, 27), (46, 38), (60, 20), (72, 22), (80, 24), (100, 30), (120, 36), (160, 48), (200, 50)]
SOME_SIZES = sorted({*ALL_SIZES[::113], *USUAL_SIZES})
"""Every height, with widths of which none is near another."""

LOG = Panel("log", lambda _width: LEAST_LOG, lambda _width: LEAST_LOG + 2)
ADVICE = Panel("advice", lambda _width: 9, lambda _width: 4)
KNOWLEDGE = Panel("knowledge", lambda width: 17 if width >= 31 else 0, lambda width: 9 if width >= 72 else 10)


def seats_of(made: BoardPlan) -> list[Region]:
    return [region for name, region in made.parts.items() if name.startswith("seat-")]


def panels_of(made: BoardPlan) -> set[str]:
    return {"log", "advice", "knowledge"} & set(made.parts)


def check(made: BoardPlan, width: int, height: int, needs: Needs) -> None:
    """Nothing overlaps, nothing is cut, and every card has a place of its own."""
    board = Region(0, 0, width, height)
    parts = {name: region for name, region in made.parts.items() if name != "side"}
    assert {"status", "table", "own", "prompt"} <= set(parts), (width, height)
    gives_way = "knowledge" in parts and "hand" not in parts
    assert gives_way or "hand" in parts, (width, height)
    assert sum(name.startswith("seat-") for name in parts) == needs.opponents
    for (name, region), (other, beside) in itertools.combinations(parts.items(), 2):
        assert not region.overlaps(beside), (width, height, name, other)
    assert all(board.contains_region(region) for region in made.parts.values()), (width, height)
    for name, region in parts.items():
        if "side" in made.parts and name not in made.beside:
            assert not region.overlaps(made.parts["side"]), (width, height, name)
    check_table(made, needs)
    if not gives_way:
        check_hand(made, needs)


def check_table(made: BoardPlan, needs: Needs) -> None:
    layout = lay_table(made.parts["table"].size, needs.pairs, needs.limit, made.card, made.centre)
    assert layout is not None
    room = made.parts["table"].size.region
    pairs = [
        Region(*layout.place(number), layout.size.pair_width, layout.size.pair_height)
        for number in range(needs.pairs)
    ]
    assert all(room.contains_region(pair) for pair in pairs), (made.parts["table"], pairs)
    assert not any(one.overlaps(other) for one, other in itertools.combinations(pairs, 2))


def check_hand(made: BoardPlan, needs: Needs) -> None:
    layout = lay_hand(needs.hand, made.parts["hand"].width, made.card)
    assert layout.height == made.parts["hand"].height
    room = made.parts["hand"].size.region
    cards = [Region(*layout.place(i), made.card.width, made.card.height) for i in range(needs.hand)]
    assert all(room.contains_region(card) for card in cards)
    for number, card in enumerate(cards):
        index = Region(card.x, card.y, 3, min(2, card.height))
        above = cards[number + 1 :]
        assert not any(other.overlaps(index) for other in above), (made.card, number)


def panels() -> Iterator[tuple[Panel, ...]]:
    for count in range(4):
        yield from itertools.permutations((LOG, ADVICE, KNOWLEDGE), count)


@few_or_many("step", 7, 2)
def test_in_every_size_everything_has_room(step):
    """Every width and height, with other seats, another hand, attack and panels each time."""
    opponents = itertools.cycle(range(1, 6))
    hands, pairs = itertools.cycle(range(31)), itertools.cycle(range(7))
    wanted, sizes = itertools.cycle(panels()), itertools.cycle(["auto", "giant", "huge", "normal", "tiny"])
    for width, height in ALL_SIZES[::step]:
        needs = Needs(
            next(opponents),
            next(hands),
            next(pairs),
            size=next(sizes),
            panels=next(wanted),
            status=1 + width % 2,
        )
        check(plan(width, height, needs), width, height, needs)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("hand", range(31))
def test_every_hand_and_every_attack_has_room(hand):
    for (width, height), pairs in itertools.product(SOME_SIZES, range(7)):
        needs = Needs(1 + (hand + width) % 5, hand, pairs)
        check(plan(width, height, needs), width, height, needs)


@pytest.mark.parametrize("pairs", range(7, 14))
def test_a_long_bout_has_room_too(pairs):
    for (width, height), opponents in itertools.product(USUAL_SIZES, range(1, 6)):
        needs = Needs(opponents, 14, pairs, limit=36)
        check(plan(width, height, needs), width, height, needs)


def test_open_hands_have_room_or_as_much_as_there_is():
    for (width, height), opponents, rows in itertools.product(SOME_SIZES, range(1, 6), range(1, 9)):
        needs = Needs(opponents, 6, 3, opened=lambda _width, rows=rows: rows, is_open=rows % 2 > 0)
        made = plan(width, height, needs)
        check(made, width, height, needs)
        assert made.whole or rows > 3
        if rows <= 3:
            least = rows + (2 if made.boxed else 3)
            assert all(seat.height >= least for seat in seats_of(made)), (width, height)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("panel", [LOG, ADVICE, KNOWLEDGE])
def test_every_panel_alone_has_room_in_every_size(panel):
    pairs = itertools.cycle((0, 3, 6))
    for width, height in ALL_SIZES[::4]:
        needs = Needs(1 + width % 5, 6, next(pairs), panels=(panel,))
        assert panel.name in plan(width, height, needs).parts, (width, height)


def test_where_there_is_no_room_for_all_panels_the_last_give_way():
    for (width, height), wanted in itertools.product(SOME_SIZES, panels()):
        shown = panels_of(plan(width, height, Needs(2, 6, 3, panels=wanted)))
        assert shown == {panel.name for panel in wanted[: len(shown)]}, (width, height)
    all_three = panels_of(plan(160, 48, Needs(2, 6, 3, panels=(LOG, ADVICE, KNOWLEDGE))))
    assert all_three == {"log", "advice", "knowledge"}
    assert panels_of(plan(60, 20, Needs(2, 6, 3, panels=(KNOWLEDGE, ADVICE)))) == {"knowledge"}


def test_panels_stand_in_a_column_where_there_is_room_for_one():
    made = plan(120, 36, Needs(2, 6, 3, panels=(ADVICE, KNOWLEDGE, LOG)))
    assert made.beside == {"log", "advice", "knowledge"}
    assert made.parts["log"].y < made.parts["advice"].y < made.parts["knowledge"].y
    made = plan(80, 24, Needs(2, 6, 3, panels=(ADVICE,)))
    assert not made.beside
    assert made.parts["advice"].width == 80


def test_opponents_sit_around_the_table_in_playing_order():
    sizes = [size for size in SOME_SIZES if size not in PHONE_SIZES]
    for (width, height), opponents in itertools.product(sizes, range(2, 6)):
        made = plan(width, height, Needs(opponents, 6, 3, panels=(LOG,) if width >= LOG_FROM else ()))
        lefts = [seat.x for seat in seats_of(made)]
        assert lefts == sorted(lefts)
        first, *top, last = seats_of(made)
        if first.y > 1:
            assert first.right <= made.parts["table"].x
            assert last.x >= made.parts["table"].right
            assert all(seat.bottom <= made.parts["table"].y for seat in top)
        else:
            assert {seat.y for seat in seats_of(made)} == {1}
    for size in ((120, 36), (160, 48), (200, 50)):
        assert all(seats_of(plan(*size, Needs(n, 6, 1, panels=(LOG,))))[0].y > 1 for n in range(2, 6))


@pytest.mark.parametrize(
    ("size", "card"), [((60, 20), NORMAL), ((80, 24), LARGE), ((120, 36), HUGE), ((200, 50), GIANT)]
)
def test_cards_are_larger_where_there_is_room(size, card):
    made = plan(*size, Needs(2, 6, 1, panels=(LOG,) if size[0] >= LOG_FROM else ()))
    assert made.card is card
    layout = lay_table(made.parts["table"].size, 1, 6, made.card)
    assert layout is not None
    assert layout.size is card


def test_a_taller_board_never_has_smaller_cards():
    for width, opponents in itertools.product((60, 80, 88, 120, 160), range(1, 6)):
        cards = [plan(width, height, Needs(opponents, 6, 2)).card.height for height in range(20, 51)]
        assert cards == sorted(cards), (width, opponents)


def test_cards_are_no_larger_than_asked_for():
    names: list[CardSize] = ["giant", "huge", "large", "normal", "small", "tiny"]
    for size, name in zip(SIZES, names, strict=True):
        for width, height in SOME_SIZES:
            assert plan(width, height, Needs(2, 6, 2, size=name)).card.height <= size.height


def test_the_cards_of_a_bout_lie_in_the_middle_of_the_table():
    for width, height in SOME_SIZES:
        made = plan(width, height, Needs(2, 6, 1))
        layout = lay_table(made.parts["table"].size, 1, 6, made.card, made.centre)
        assert layout is not None
        middle = made.parts["table"].x + layout.place(0).x + layout.size.pair_width // 2
        assert abs(middle - made.parts["prompt"].width // 2) <= 1, (width, height)


def test_a_hand_overlaps_only_where_it_must():
    assert lay_hand(6, 80, LARGE).step == 8
    assert lay_hand(10, 80, LARGE).rows == 1
    assert lay_hand(26, 80, LARGE).rows == 2
    assert lay_hand(40, 60, TINY).rows == 2
    assert lay_hand(0, 60, SMALL).height == SMALL.height + 1


def test_on_a_phone_five_opponents_sit_in_two_rows_around_the_table():
    for opponents, height in itertools.product((4, 5), range(27, 45)):
        seats = seats_of(plan(46, height, Needs(opponents, 6, 3)))
        first, *above, last = seats
        assert first.y == last.y == above[0].bottom, height
        assert {seat.y for seat in above} == {1}
        assert first.x == 0
        assert last.right == 46
        assert all(seat.width >= 14 for seat in seats)


def test_on_a_phone_a_finger_hits_every_card():
    for count in range(1, 31):
        layout = lay_hand(count, 46, LARGE)
        assert layout.step >= 5
        assert layout.rows == -(-count // 8)
        assert layout.peek >= 2


def test_on_a_phone_the_prompt_has_rows_for_large_buttons():
    for width, height in itertools.product((40, 46, 59), range(24, 45)):
        assert plan(width, height, Needs(2, 6, 3)).parts["prompt"].height >= 5, (width, height)
