"""The knowledge panel on the screens: its keys, its place, and that it follows what is shown."""

import random

import pytest
from rich.cells import cell_len

from durak_core import Record, Rules, make_agent
from durak_core.lab import play_game
from durak_tui.app import DurakApp
from durak_tui.hints.view.knowledge import manner_words
from durak_tui.hints.widgets import KnowledgePanel
from durak_tui.menu import MenuScreen
from durak_tui.play.session import Session
from durak_tui.play.setup import GameSetup, Launch
from durak_tui.players import HUMAN
from durak_tui.review.screen import ReviewScreen
from durak_tui.table.screens import HandOverScreen, TableScreen
from durak_tui.watch.screen import WatchScreen
from tui.boards import NAMES
from tui.helpers import CALM, an_app, hides, my_turn, on_screen, screen_text, send, shows, until
from tui.hints.test_knowledge_view import reshuffled, view_of
from tui.reviewing import Oracle, a_game
from tui.settling import settled

SIZES = [(80, 24), (120, 36)]
DECKS = [
    "podkidnoy:seats=2,lowest_rank=9",
    "podkidnoy:seats=3,trumps=no",
    "perevodnoy:seats=4,lowest_rank=2,forced_play=yes",
    "podkidnoy:seats=6,lowest_rank=2",
]


def panel_of(app):
    """The panel that is shown, or None."""
    shown = [panel for panel in app.screen.query(KnowledgePanel) if panel.display]
    assert len(shown) <= 1
    return shown[0] if shown else None


def is_open(app, title):
    """Return a condition: the panel is shown with these words, read to the end and drawn."""
    return lambda: panel_of(app) is not None and title in screen_text(app)


def lines_of(app):
    """What the panel shows, row by row."""
    panel = panel_of(app)
    return [] if panel is None else [panel.render_line(y).text.rstrip() for y in range(panel.size.height)]


def shows_view_of(app, state, seat):
    """Return a condition: the grid is that of a state as a seat sees it."""
    rows = [
        "".join(sign for known in row for sign, _seat in known.signs) for row in view_of(state, seat).deck
    ]

    def condition():
        lines = [line.strip()[1:] for line in lines_of(app)[2 : 2 + len(rows)]]
        cells = ["".join(line[:36].split()) for line in lines]
        return panel_of(app) is not None and cells == rows

    return condition


async def watching(app, rules, players):
    """Show a game of bots that has ended."""
    game = play_game(Rules.parse(rules), [make_agent(player) for player in players], 3).record
    await until(on_screen(app, MenuScreen))
    setup = GameSetup(game.rules, players, NAMES[: game.rules.seats], 3)
    states = game.replay()
    app.push_screen(WatchScreen(Session(setup, states)))
    await until(on_screen(app, WatchScreen))
    await until(lambda: not app.screen._is_drawing)
    return app.screen


def reviewing(game):
    """Make an app that reviews a game, which nobody judges."""
    app = DurakApp(Launch(None, (), None, "review", CALM, (game,)))
    app.engines.adviser = oracle = Oracle()
    oracle.may_answer.clear()
    return app


async def opened(app):
    await until(on_screen(app, ReviewScreen))
    screen = app.screen
    await until(lambda: not screen._is_drawing)
    return screen


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("size", "key"), list(zip(SIZES, "kл", strict=True)))
async def test_in_a_review_a_key_opens_the_panel_which_follows_moves_and_views(size, key):
    app = reviewing(a_game("podkidnoy:seats=3", players=("greedy", "smart", "cautious")))
    async with app.run_test(size=size):
        screen = await opened(app)
        states = screen.game.states
        assert panel_of(app) is None
        send(app, key)
        await until(is_open(app, "Anna: where the cards are"))
        assert panel_of(app).narrow == (size != SIZES[0])
        await until(shows_view_of(app, states[screen.game.ply], 0))
        screen.action_go(30)
        await until(shows_view_of(app, states[30], 0))
        send(app, "f")
        await until(is_open(app, "Boris: where the cards are"))
        await until(shows_view_of(app, states[30], 1))
        send(app, "left")
        await until(shows_view_of(app, states[29], 1))
        send(app, key)
        await until(lambda: panel_of(app) is None and "where the cards are" not in screen_text(app))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("size", "seats"), [(SIZES[0], 2), (SIZES[1], 6)])
async def test_in_a_watched_game_it_goes_along_and_reads_the_others(size, seats):
    players = ("greedy", "cautious", "smart", "random", "aggressive", "greedy")[:seats]
    app = an_app(at_once="")
    async with app.run_test(size=size):
        screen = await watching(app, f"podkidnoy:seats={seats}", players)
        send(app, "k")
        await until(is_open(app, "Anna: where the cards are"))
        await until(lambda: "reading" not in screen_text(app))
        found = screen.readings.at(0, screen.session.ply)
        at = next(y for y, line in enumerate(lines_of(app)) if "Read from their choices" in line)
        for seat, row in zip(range(1, seats), lines_of(app)[at + 1 :], strict=False):
            assert f"{NAMES[seat][0]} {NAMES[seat]}" in row
            best = max(found[seat], key=lambda kind: found[seat][kind])
            words = manner_words(found[seat]) or "hard to tell yet"
            assert words in row or best in row
        send(app, "home", "f")
        await until(is_open(app, "Boris: where the cards are"))
        await until(lambda: screen_text(app).count("hard to tell yet") == seats - 1)


async def test_a_new_game_of_the_same_players_goes_on_with_what_was_read():
    app = an_app(at_once="")
    async with app.run_test(size=(120, 36)):
        screen = await watching(app, "podkidnoy:seats=2", ("greedy", "cautious"))
        first, read = screen.session, screen.readings
        send(app, "k")
        await until(is_open(app, "B Boris plays carefully"))
        await screen.action_new()
        screen.session.pause()
        assert screen.session is not first
        send(app, "home")
        await until(lambda: screen.moment.ply == 0 and not screen._is_drawing)
        await until(lambda: screen.readings.at(0, 0) == read.at(0, len(first.states) - 1))
        await until(is_open(app, "B Boris plays carefully"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("size", "key"), list(zip(SIZES, "iш", strict=True)))
async def test_at_the_table_a_key_opens_it_for_the_own_seat(size, key):
    app = an_app("podkidnoy", bots=("greedy", "smart"))
    async with app.run_test(size=size):
        table = await my_turn(app)
        session = table.session
        send(app, key)
        await until(is_open(app, "You: where the cards are"))
        await until(shows_seen(app, table))
        for _ in range(6):
            session.submit(session.state.legal_actions[0])
            table = await my_turn(app)
            await until(shows_seen(app, table))
        assert session.used.hints == session.used.undos == 0
        send(app, key)
        await until(lambda: panel_of(app) is None)


def shows_seen(app, table):
    """Return a condition: the own cards, and no others, are marked as the own hand's."""

    def condition():
        if panel_of(app) is None:
            return False
        signs = "".join("".join(line[3:39]) for line in lines_of(app)[2:6])
        return signs.count("Y") == len(table.session.state.hands[0])

    return condition


async def test_while_it_is_open_hands_show_what_everybody_knows_of_them():
    """What the key of seen cards is for: backs that all know are turned, and own cards marked."""
    app = reviewing(a_game("podkidnoy:seats=2"))
    async with app.run_test(size=(120, 36)):
        screen = await opened(app)
        ply = next(ply for ply, state in enumerate(screen.game.states) if all(state.known))
        screen.action_go(ply)
        await until(lambda: screen.board._view.ply == ply)
        assert not screen.board._view.opponents[0].shown
        send(app, "k")
        await until(lambda: bool(screen.board._view.opponents[0].shown))
        known = screen.game.states[ply].known
        assert set(screen.board._view.opponents[0].shown) == set(known[1])
        assert {held.card for held in screen.board._view.hand.cards if held.known} == set(known[0])


async def test_the_app_may_end_while_the_others_are_read(monkeypatch):
    """Reading goes on in between all else, and may reach the moment when the panel is gone already."""
    app = reviewing(a_game("podkidnoy:seats=2"))
    async with app.run_test(size=(120, 36)):
        screen = await opened(app)
        monkeypatch.setattr(screen.readings, "read", lambda *_until: not screen.board.query(KnowledgePanel))
        send(app, "k")
        await until(is_open(app, "where the cards are"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("size", "key"), list(zip(SIZES, "jо", strict=True)))  # noqa: RUF001 - a Russian key
async def test_another_key_opens_it_and_turns_it_over(size, key):
    app = reviewing(a_game("podkidnoy:seats=3", players=("greedy", "smart", "cautious")))
    async with app.run_test(size=size):
        screen = await opened(app)
        ply = next(ply for ply, state in enumerate(screen.game.states) if len(state.known[0]) > 2)
        screen.action_go(ply)
        send(app, key)
        await until(is_open(app, "Anna: where the cards are"))
        send(app, key)
        await until(is_open(app, "Anna: what the others know"))
        state = screen.game.states[ply]
        count = f"{len(state.known[0])} of {len(state.hands[0])}:"
        await until(lambda: sum(count in line for line in lines_of(app)) == 2)
        send(app, key)
        await until(is_open(app, "Anna: where the cards are"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", SIZES)
async def test_cards_are_told_of_by_keys_and_by_the_mouse(size):
    app = reviewing(a_game("podkidnoy:seats=3,lowest_rank=2", players=("greedy", "smart", "cautious")))
    async with app.run_test(size=size) as pilot:
        screen = await opened(app)
        send(app, "k")
        await until(is_open(app, "a click: a card"))
        send(app, "ctrl+right")
        await until(is_open(app, "2♠: "))
        send(app, "ctrl+right", "ctrl+down", "ctrl+left", "ctrl+up")
        await until(lambda: str(screen.knowledge.asked) == "2s")
        send(app, "ctrl+down")
        await until(is_open(app, "2♥: "))
        panel = panel_of(app)
        region, card = panel._marks[0]
        assert str(card) == "Ac"
        assert region.width >= 2
        await pilot.click(panel, offset=region.offset)
        await until(is_open(app, "A♣: "))
        send(app, "k", "k")
        await until(is_open(app, "a click: a card"))


async def test_a_card_in_several_places_has_a_letter_for_each():
    app = reviewing(a_game("podkidnoy:seats=3,forced_play=yes", players=("greedy", "smart", "cautious")))
    async with app.run_test(size=(80, 24)):
        screen = await opened(app)

        def some(ply):
            cells = [known for row in view_of(screen.game.states[ply], 0).deck for known in row]
            return next((known for known in cells if known.kind == "some" and len(known.signs) == 2), None)

        ply = next(ply for ply in range(len(screen.game.states)) if some(ply))
        screen.action_go(ply)
        send(app, "k")
        signs = "".join(sign for sign, _seat in some(ply).signs)
        await until(lambda: panel_of(app) and any(f" {signs} " in line for line in lines_of(app)))


@pytest.mark.parametrize(
    ("size", "decks"),
    [
        ((60, 20), DECKS[1::3]),
        *(pytest.param(size, DECKS, marks=pytest.mark.slow) for size in ((60, 20), *SIZES[:2], (160, 50))),
    ],
)
async def test_every_deck_has_room_and_nothing_is_cut(size, decks):
    app = an_app(at_once="")
    async with app.run_test(size=size):
        for rules in decks:
            bots = ("greedy", "smart", "cautious", "random", "aggressive", "greedy")
            screen = await watching(app, rules, bots[: Rules.parse(rules).seats])
            screen.session.go(screen.session.ply // 3)
            titles = {"k": "Anna: where the cards are", "j": "Anna: what the others know"}
            for key, title in titles.items():
                send(app, key)
                await until(is_open(app, title))
                await until(lambda: "reading" not in screen_text(app))
                await until(lambda: is_whole(panel_of(app)))
                check_panel(panel_of(app), lines_of(app))
            assert len(panel_of(app)._marks) == len(screen.session.setup.rules.deck)
            send(app, "escape")
            await until(on_screen(app, MenuScreen))


def is_whole(panel):
    """Tell whether the panel has been given the rows that it needs by now."""
    rows = panel.rows_beside if panel.narrow else panel.rows_across
    return panel.size.height >= rows(panel.size.width)


def check_panel(panel, lines):
    """Everything is there, and whole."""
    text = "\n".join(lines)
    assert "…" not in text
    assert panel._view.heading in text
    assert all(f"{item.sign} {item.words}" in text for item in panel._view.legend)
    assert all(f"{row.sign} {row.name}" in text for row in panel._view.rows)
    assert all(cell_len(line) <= panel.size.width for line in lines)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", SIZES)
async def test_without_colours_and_in_ascii_it_says_the_same(size, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    app = reviewing(a_game("podkidnoy:seats=3", players=("greedy", "smart", "cautious")))
    async with app.run_test(size=size):
        screen = await opened(app)
        screen.action_go(30)
        send(app, "k", "ctrl+right")
        await until(shows_view_of(app, screen.game.states[30], 0))
        await until(is_open(app, "6♠: "))
        cursor = [segment for segment in panel_of(app).render_line(2) if segment.style.reverse]
        assert len(cursor) == 1
        app.change_settings(ascii=True)
        await until(lambda: all(line.isascii() for line in lines_of(app)))


async def test_other_hidden_cards_show_the_same_panel():
    """The panel of two games that differ in nothing but what the seat cannot know, on the screen itself."""
    whole = a_game("podkidnoy:seats=3", players=("greedy", "smart", "cautious"))
    states, ply = whole.replay(), 40
    twin = reshuffled(states, ply, 0, random.Random(2))[-1]
    assert twin.hands != states[ply].hands
    seen = []
    for end in (states[ply], twin):
        app = reviewing(Record.of(end, NAMES[:3]))
        async with app.run_test(size=(120, 36)):
            screen = await opened(app)
            screen.action_go(ply)
            send(app, "k")
            await until(is_open(app, "Anna: where the cards are"))
            await until(lambda: "reading" not in screen_text(app))  # noqa: B023 - it is awaited here
            await until(shows_view_of(app, end, 0))
            await until(lambda: is_whole(panel_of(app)))  # noqa: B023 - as above
            await settled()
            seen.append(lines_of(app))
            send(app, "j")
            await until(is_open(app, "Anna: what the others know"))
            await until(lambda: is_whole(panel_of(app)))  # noqa: B023 - as above
            await settled()
            seen.append(lines_of(app))
    assert seen[0] == seen[2]
    assert seen[1] == seen[3]


async def test_what_is_tried_out_says_nothing_about_the_players():
    app = reviewing(a_game("podkidnoy:seats=2"))
    async with app.run_test(size=(120, 36)):
        screen = await opened(app)
        game = screen.game
        ply = next(
            ply for ply, state in enumerate(game.states) if state.turn == 1 and len(state.legal_actions) > 1
        )
        screen.action_go(ply)
        send(app, "k")
        await until(is_open(app, "where the cards are"))
        before = screen.readings.at(0, ply)
        other = next(action for action in game.shown.legal_actions if action != game.played)
        game.follow(other)
        screen.moment_changed()
        await until(lambda: not screen._is_drawing)
        assert screen.knowledge.view.rows[0].parts == view_of(game.shown, 0, None, before).rows[0].parts
        await until(shows_view_of(app, game.shown, 0))


async def test_two_people_at_one_keyboard_see_each_their_own(monkeypatch):
    monkeypatch.setattr("durak_tui.table.screens.GRACE", 0.0)
    app = an_app(at_once="")
    async with app.run_test(size=(120, 36)):
        await until(on_screen(app, MenuScreen))
        app.begin(GameSetup(Rules(), (HUMAN, HUMAN), ("Anna", "Boris"), 3))
        await until(on_screen(app, HandOverScreen))
        send(app, "enter")
        await until(on_screen(app, TableScreen))
        table = app.screen
        await until(lambda: table.session.hand_over is None)
        first = table.session.names[table.session.viewer]
        send(app, "i")
        await until(is_open(app, f"{first}: where the cards are"))
        table.session.submit(table.session.state.legal_actions[0])
        await until(on_screen(app, HandOverScreen))
        assert "where the cards are" not in screen_text(app)
        send(app, "enter")
        await until(on_screen(app, TableScreen))
        await until(lambda: table.session.hand_over is None)
        second = table.session.names[table.session.viewer]
        assert second != first
        await until(is_open(app, f"{second}: where the cards are"))
        await until(hides(app, f"{first}: where"))


async def test_a_long_game_is_read_between_other_things(monkeypatch):
    """Opened late, the panel is there at once; the others are read in slices that no key has to wait for."""
    monkeypatch.setattr("durak_tui.board.screens.board.AT_ONCE", 0.0)
    app = an_app(at_once="")
    async with app.run_test(size=(120, 36)):
        screen = await watching(app, "podkidnoy:seats=3", ("greedy", "smart", "cautious"))
        send(app, "k")
        await until(shows(app, "reading…"))
        send(app, "f")
        await until(is_open(app, f"{screen.session.names[1]}: where the cards are"))
        monkeypatch.setattr("durak_tui.board.screens.board.AT_ONCE", 0.001)
        await until(lambda: "reading" not in screen_text(app))
        assert screen.readings.at(1, screen.session.ply)


async def test_beside_advice_both_have_their_place():
    app = reviewing(a_game("podkidnoy:seats=2"))
    async with app.run_test(size=(120, 36)):
        screen = await opened(app)
        send(app, "k")
        await until(is_open(app, "where the cards are"))
        regions = [panel_of(app).region, screen.query_one("MoveLog").region]
        assert regions[0].width > 30
        assert not regions[0].overlaps(regions[1])
        assert regions[1].height >= 4
