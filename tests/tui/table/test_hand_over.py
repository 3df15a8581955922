"""Several people at one keyboard: nobody sees another's hand, and the rest works as for one person."""

import pytest

from durak_tui.library.model.entries import entry_of
from durak_tui.menu import MenuScreen
from durak_tui.play.saves import game_record
from durak_tui.play.session import Session
from durak_tui.play.setup import names_at_table, play_setup, usual_players
from durak_tui.players import HUMAN
from durak_tui.storage.settings import Settings
from durak_tui.table import screens
from durak_tui.table.screens import HandOverScreen, TableScreen
from durak_tui.text.phrases import Voice, log_lines
from tui.helpers import a_setup, an_app, on_screen, screen_text, send, shows, until


@pytest.fixture(autouse=True)
def _no_grace(monkeypatch):
    monkeypatch.setattr(screens, "GRACE", 0.0)


def two_people(seed=3, bots=("greedy",)):
    return a_setup((HUMAN, *bots, HUMAN), seed=seed)


# The session


async def play_on(session):
    """Take every seat that is offered and play the first legal action there, to the end."""
    while not session.is_over:
        await until(lambda: session.is_over or session.hand_over is not None or session.is_persons_turn)
        if session.hand_over is not None:
            session.take_seat()
        elif session.is_persons_turn:
            assert session.submit(session.state.legal_actions[0]) is None


async def test_a_whole_game_shows_nobody_anothers_hand():
    session = Session(two_people())
    seen = []

    def look(moment):
        if moment.hand_over is None and not moment.observation.is_over:
            seen.append(moment.observation.seat)
            assert moment.human == moment.observation.seat
            turn = moment.observation.turn
            assert turn not in session.setup.humans or turn == moment.observation.seat

    session.subscribe(look)
    session.start()
    await play_on(session)
    await session.close()
    assert set(seen) == {0, 2}
    assert session.moment.human is None


async def test_bots_wait_until_somebody_has_taken_the_keyboard():
    setup = next(
        setup for seed in range(50) if (setup := two_people(seed)).deal().turn == 1
    )  # a bot begins, and nobody sits there yet
    session = Session(setup)
    session.start()
    assert session.hand_over == 2
    assert session.submit(session.state.legal_actions[0]) is not None
    assert session.ply == 0
    session.take_seat()
    await until(lambda: session.ply > 0)
    await session.close()


async def test_a_move_is_taken_back_before_the_keyboard_is_handed_over_and_after():
    session = Session(a_setup((HUMAN, HUMAN), seed=3))
    session.start()
    first = session.hand_over
    session.take_seat()
    assert session.person == first
    before = session.state
    session.submit(before.legal_actions[0])
    assert session.hand_over == 1 - first
    assert session.undo()
    assert (session.state, session.hand_over, session.person) == (before, None, first)
    session.submit(before.legal_actions[0])
    session.take_seat()
    assert not session.can_undo  # the other one has decided nothing yet
    second = session.state
    session.submit(second.legal_actions[0])
    if session.hand_over is not None:
        session.take_seat()
    mine = session.person
    assert session.undo()
    assert session.state.turn == session.person == mine
    assert session.used.undos == 2
    await session.close()


# Names, saves, library


def test_people_have_names():
    players = (HUMAN, "greedy", HUMAN, HUMAN)
    assert names_at_table(players, Settings()) == ("Player 1", "Greedy", "Player 2", "Player 3")
    assert names_at_table(players, Settings(name="Ann"))[0] == "Ann"
    guests = Settings(guests=("Vera", "Vera", "Greedy"))
    assert names_at_table(players, guests) == ("Vera", "Greedy 2", "Player 2", "Greedy")
    assert names_at_table((HUMAN, "greedy"), guests) == ("You", "Greedy")


def test_people_keep_their_seats_when_seats_come_or_go():
    three = (HUMAN, "smart", HUMAN)
    assert usual_players(3, human=True, chosen=three) == three
    assert usual_players(4, human=True, chosen=three)[:3] == three
    assert usual_players(2, human=True, chosen=three[:2]) == three[:2]
    assert play_setup(Settings(rules="podkidnoy:seats=3", players=three)).humans == {0, 2}


async def test_the_game_is_saved_and_counts_as_nobodys_own(tmp_path):
    session = Session(two_people())
    session.start()
    await play_on(session)
    await session.close()
    entry = entry_of(game_record(session.setup, session.state))
    assert entry.has_people
    assert entry.human is None
    assert entry.outcome not in {"won", "lost"}


# The screen


async def at_table(app):
    await until(lambda: any(isinstance(screen, TableScreen) for screen in app.screen_stack))
    return next(screen for screen in app.screen_stack if isinstance(screen, TableScreen))


def a_shared_app(seats=2, **changes):
    return an_app(f"podkidnoy:seats={seats}", bots=(HUMAN, HUMAN), guests=("Masha", "Boris"), **changes)


def told(session):
    return log_lines(session.state.observation(0).events, Voice(session.setup.names))


def hand_texts(session, seat):
    return {card.rank.letter.replace("T", "10") + card.suit.symbol for card in session.state.hands[seat]}


async def test_the_table_is_hidden_until_the_next_one_presses_enter():
    app = a_shared_app()
    async with app.run_test(size=(80, 24)):
        await until(on_screen(app, HandOverScreen))
        table = await at_table(app)
        session = table.session
        for _ in range(6):
            name = session.setup.names[session.hand_over]
            news = [line.words for line in told(session) if line.is_action]
            await until(shows(app, f"{name}, your turn", *news[-1:]))
            shown = screen_text(app)
            assert not any(text in shown for seat in (0, 1) for text in hand_texts(session, seat))
            send(app, "enter")
            await until(on_screen(app, TableScreen))
            await until(lambda: not table._is_drawing and table.moment.hand_over is None)
            drawn = {held.card for held in table.board.hand._view.cards}
            assert drawn == set(session.state.hands[session.person])
            plies = len(session.states)
            while session.hand_over is None:
                session.submit(session.state.legal_actions[0])
            assert len(session.states) > plies
            await until(on_screen(app, HandOverScreen))


async def test_a_key_pressed_once_too_often_opens_nothing(monkeypatch):
    monkeypatch.setattr(screens, "GRACE", 3600.0)
    app = a_shared_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(on_screen(app, HandOverScreen))
        await pilot.press("enter", "enter")
        assert isinstance(app.screen, HandOverScreen)
        monkeypatch.setattr(screens, "GRACE", 0.0)
        await pilot.press("enter")
        await until(on_screen(app, TableScreen))


async def test_what_was_played_is_taken_back_on_the_screen_between():
    app = a_shared_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(on_screen(app, HandOverScreen))
        await pilot.press("u")
        assert isinstance(app.screen, HandOverScreen)
        await pilot.press("enter")
        table = await at_table(app)
        session = table.session
        await until(lambda: session.hand_over is None)
        before = session.state
        session.submit(before.legal_actions[0])
        await until(on_screen(app, HandOverScreen))
        await until(shows(app, "u undo"))
        await pilot.press("u")
        await until(on_screen(app, TableScreen))
        assert session.state is before


async def test_left_and_continued_the_game_asks_who_looks():
    app = a_shared_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(on_screen(app, HandOverScreen))
        await pilot.press("enter")
        table = await at_table(app)
        await until(lambda: table.session.hand_over is None)
        table.session.submit(table.session.state.legal_actions[0])
        await until(on_screen(app, HandOverScreen))
        await pilot.press("escape")
        await until(on_screen(app, MenuScreen))
        await until(shows(app, "Continue"))
        await pilot.press("c")
        await until(on_screen(app, HandOverScreen))
        again = [screen for screen in app.screen_stack if isinstance(screen, TableScreen)][-1]
        assert again.session.setup.names == ("Masha", "Boris")
        assert again.session.states[-1] == table.session.states[-1]


async def test_a_finished_game_names_the_fool_and_is_taken_up_by_the_library():
    app = a_shared_app()
    async with app.run_test(size=(80, 24)):
        await until(on_screen(app, HandOverScreen))
        table = await at_table(app)
        session = table.session
        while not session.is_over:
            session.take_seat()
            session.submit(session.state.legal_actions[0])
        send(app, "enter")
        fool = session.state.fool
        words = "drawn" if fool is None else f"{session.setup.names[fool]} is the fool."
        await until(shows(app, words))
        await app.library.collect()
        assert app.library.store.count() == 1
        assert app.library.store.played_by(HUMAN) == []
