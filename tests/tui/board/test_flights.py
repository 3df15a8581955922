"""Cards on their way: which ones, from where to where, and that they are in nobody's way."""

import pytest

from durak_core import Card, Rules, State
from durak_tui.board.view import Flight, Spot, flights_between
from durak_tui.board.widgets.cards import Hand, Table
from durak_tui.board.widgets.seats import Seat
from durak_tui.ui.widgets.cards import Flyer
from durak_tui.watch.screen import WatchScreen
from tui.boards import a_view, three
from tui.helpers import an_app, on_screen, screen_text, until


def cards(text):
    return [Card.parse(text[at : at + 2]) for at in range(0, len(text), 2)]


def moves(text, seat=0):
    """Return the cards that move at the last of some actions."""
    before = after = three()
    for word in text.split():
        action = next(action for action in after.legal_actions if str(action) == word)
        before, after = after, after.apply(action)
    return flights_between(a_view(before, seat), a_view(after, seat))


def test_an_attack_comes_from_its_seat_and_an_answer_from_the_hand():
    (attack,) = moves("Ts")
    assert attack == Flight(Card.parse("Ts"), Spot("seat", 2), Spot("attack", 0))
    (answer,) = moves("Ts JsxTs")
    assert answer == Flight(Card.parse("Js"), Spot("hand", 0), Spot("defence", 0))
    (second,) = moves("Ts JsxTs Jh")
    assert (second.end, second.card) == (Spot("attack", 1), Card.parse("Jh"))


def finished(state, seat):
    """Let everybody pass until the bout is over; return the last two views."""
    before = state
    while state.table:
        before = state
        passes = [action for action in state.legal_actions if str(action) == "pass"]
        state = state.apply(passes[0] if passes else state.legal_actions[-1])
    return a_view(before, seat), a_view(state, seat)


def test_what_is_beaten_goes_to_the_discard_pile():
    state = three()
    for word in ("Ts", "JsxTs"):
        state = state.apply(next(action for action in state.legal_actions if str(action) == word))
    flights = flights_between(*finished(state, 0))
    assert [flight.card for flight in flights] == cards("TsJs")
    assert {flight.end for flight in flights} == {Spot("discards")}


@pytest.mark.parametrize(("seat", "end"), [(0, Spot("hand", 0)), (1, Spot("seat", 0))])
def test_what_is_taken_goes_to_whoever_has_taken_it(seat, end):
    state = three()
    for word in ("Ts", "take"):
        state = state.apply(next(action for action in state.legal_actions if str(action) == word))
    flights = flights_between(*finished(state, seat))
    assert flights
    assert {flight.end for flight in flights} == {end}


def test_nothing_moves_between_moments_that_are_not_neighbours():
    state = three()
    later = state.apply(state.legal_actions[0])
    again = later.apply(later.legal_actions[0])
    assert flights_between(None, a_view(later)) == ()
    assert flights_between(a_view(later), a_view(state)) == ()
    assert flights_between(a_view(state), a_view(again)) == ()
    assert flights_between(a_view(state), a_view(later, 1)) == ()
    assert flights_between(a_view(state), a_view(state)) == ()


def test_no_card_moves_that_nobody_may_see():
    state = State.deal(Rules(seats=3), 4)
    before = a_view(state)
    while not state.is_over:
        state = state.apply(state.legal_actions[0])
        after = a_view(state)
        public = {
            card
            for pair in (*before.moment.observation.table, *after.moment.observation.table)
            for card in (pair.attack, pair.defence)
        }
        assert {flight.card for flight in flights_between(before, after)} <= public
        before = after


async def watch_one_move(pilot, app):
    await until(on_screen(app, WatchScreen))
    screen = app.screen
    await pilot.press("space")
    app.simulate_key("home")  # on a busy machine somebody may have moved before the pause
    await until(lambda: screen.moment.ply == 0 and not screen._is_drawing)
    app.simulate_key("right")
    await until(lambda: screen.moment.ply == 1 and not screen._is_drawing)
    return screen


async def test_a_card_flies_and_a_key_lets_it_land_at_once(monkeypatch):
    monkeypatch.setattr("durak_tui.board.screens.board._LONGEST_FLIGHT", 60.0)
    app = an_app("podkidnoy:seats=3", at_once="watch", pace="0.5x", reduced_motion=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(on_screen(app, WatchScreen))
        monkeypatch.setattr(type(app.screen), "flight_seconds", 60.0)
        screen = await watch_one_move(pilot, app)
        board = screen.board
        assert board.is_flying
        (flyer,) = [flyer for flyer in board.query(Flyer) if flyer.display]
        attack = screen.moment.observation.table[0].attack
        assert flyer._card == attack
        assert board.query_one(Table)._held == {attack}
        app.simulate_key("c")
        await until(lambda: app.settings.colours == "two")
        assert not board.is_flying
        assert not board.query_one(Table)._held
        index = attack.rank.letter.replace("T", "10") + attack.suit.symbol
        await until(lambda: index in screen_text(app))


async def test_a_flight_ends_by_itself():
    app = an_app("podkidnoy:seats=3", at_once="watch", pace="4x", reduced_motion=False)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await watch_one_move(pilot, app)
        assert 0 < screen.flight_seconds <= 0.25
        await until(lambda: not screen.board.is_flying)
        assert not screen.board.query_one(Table)._held


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("size", "changes"),
    [((79, 24), {}), ((80, 23), {}), ((80, 24), {"reduced_motion": True}), ((80, 24), {"pace": "instant"})],
)
async def test_nothing_flies_without_room_or_where_it_is_not_wanted(size, changes):
    app = an_app(at_once="watch", **{"pace": "0.5x", "reduced_motion": False, **changes})
    async with app.run_test(size=size):
        await until(on_screen(app, WatchScreen))
        assert app.screen.flight_seconds == 0


async def test_places_lie_on_the_board():
    app = an_app("podkidnoy:seats=3", at_once="watch", pace="0.5x")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await watch_one_move(pilot, app)
        board = screen.board
        hand = board.query_one(Hand)
        for held in hand._view.cards:
            assert hand.place_of(held.card) in hand.region.reset_offset
        for number, seat in zip((1, 2), board.query(Seat), strict=False):
            assert seat.region.contains_point(
                board._offset_of(Spot("seat", number), hand._view.cards[0].card)
            )
        for spot in (Spot("hand"), Spot("seat", 1), Spot("discards"), Spot("attack"), Spot("defence")):
            at = board._offset_of(spot, hand._view.cards[0].card)
            assert board.region.contains(at.x, at.y)
