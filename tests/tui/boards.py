"""Moments of games for the tests of the table, and an app that shows one of them."""

from __future__ import annotations

from contextlib import asynccontextmanager

from playing import play
from textual.app import App

from durak_core import Rules, State
from durak_tui.board.view import table_view
from durak_tui.board.widgets.board import GameBoard
from durak_tui.board.widgets.cards import Hand, Table
from durak_tui.board.widgets.prompt import Prompt
from durak_tui.play.game import Moment, card_options
from durak_tui.ui.screens.base import AppScreen
from durak_tui.ui.view.board_data import Look
from durak_tui.ui.widgets.plot import PlyChosen

NAMES = ("Anna", "Boris", "Clara", "Dima", "Elena", "Fedor")


def a_moment(state, seat=0, human=0, **changes):
    """Publish a state as the session would, seen by a seat."""
    seen = state.observation(seat)
    names = NAMES[: state.rules.seats]
    options = card_options(state.why_not, seen)
    fields = {"human": human, "ply": state.plies, "last_ply": state.plies} | changes
    return Moment(seen, names, options, **fields)


def a_view(state, seat=0, human=0, look=None, target=None, *, extra=(), **changes):
    """Make the view of a state."""
    return table_view(a_moment(state, seat, human, **changes), look or Look(), target, extra)


def three(attacker=2, **options):
    """Three seats with a talon of five, diamonds trumps; Anna can beat the jack of hearts with Kd alone."""
    hands = ["Js Kd 6h 9c 7c Qc", "6s 7s 8d 9d Td Ac", "Ts Jh Jc Kh Qd As"]
    return State.setup(Rules(seats=3, **options), hands, talon="8h8c7hKc6d", attacker=attacker)


def defence():
    """Anna defends; one attack is beaten, one is open."""
    return play(three(), "Ts JsxTs Jh")


def volley():
    """Anna has three attacks to beat, and may not transfer: Boris has too few cards."""
    rules = Rules.preset("larsenbier")
    hands = ["7s 8s 9h Td 6d Ac Kd", "6s 6h 6c 7h"]
    state = State.setup(rules, hands, talon="8h8c7d", attacker=1)
    return play(state, "6s 6h 6c pass")


def six_seats():
    """Six seats and 52 cards, some moves into the game; Anna is to throw in."""
    state = State.deal(Rules(seats=6, lowest_rank=2), 3)
    while not (state.turn == 0 and len(state.table) >= 2):
        state = state.apply(state.legal_actions[0])
    return state


def large_hand():
    """Anna holds 36 cards and opens."""
    suits = ("s", "h", "d")
    hand = "".join(rank + suit for suit in suits for rank in "3456789TJQKA")
    return State.setup(Rules(lowest_rank=2, attack_limit=None), [hand, "2c3c4c"])


def long_bout():
    """Anna has beaten nine cards and has a tenth to beat."""
    rules = Rules(lowest_rank=2, attack_limit=None)
    ranks = "23456789T"
    hands = [
        "".join(rank + "s" for rank in "3456789TJQKA"),
        "".join(rank + "c" for rank in ranks + "JQKA"),
    ]
    state = State.setup(rules, hands, trump="2s", attacker=1)
    moves = " ".join(f"{low}c {high}sx{low}c" for low, high in zip(ranks, "3456789TJ", strict=True))
    return play(state, moves + " Jc")


def perevodnoy(**options):
    """Anna may transfer the seven with two sevens, one of them the trump she may also show."""
    rules = Rules.preset("perevodnoy", seats=3, **options)
    hands = ["7d 7h 9c Ac", "6s 7s 8d 9d Td", "7c Jh Jc Kh"]
    return play(State.setup(rules, hands, talon="8h8c6d", attacker=2), "7c")


def bout(moves, **options):
    """Play some moves of a bout: Anna attacks Boris, whom Clara may attack too."""
    hands = ["6d9c9hKh", "9s7s8dTd", "6s7hJc"]
    state = State.setup(Rules(seats=3, **options), hands, talon="8h8c7cKcQd", attacker=0)
    return play(state, moves)


def lone_bout(moves, hands, **options):
    """Play some moves of a bout without a talon: Boris attacks Anna; diamonds are trumps."""
    return play(State.setup(Rules(**options), hands, trump="6d", attacker=1), moves)


def volley_bout(moves):
    """Play some moves of a volley: Anna attacks Boris."""
    hands = ["6d6h9c9hKh", "9s7s8dTd8s"]
    return play(State.setup(Rules.preset("larsenbier"), hands, talon="8h8c7cKcQd"), moves)


def finished():
    """Boris is the fool, Anna has won."""
    state = State.setup(Rules(seats=3), ["Ad", "6h7h", "6c"], trump="6d", attacker=2)
    return play(state, "6c Adx6c")


class BoardApp(App[None]):
    """Shows a board and remembers what it says."""

    def get_default_screen(self):
        return AppScreen()

    def __init__(self, view=None):
        super().__init__()
        self.view = view
        self.heard = []

    def compose(self):
        yield GameBoard()

    def on_mount(self):
        if self.view is not None:
            self.board.show(self.view)
        self.board.hand.focus()

    @property
    def board(self):
        return self.screen.query_one(GameBoard)

    @property
    def strips(self):
        """What the screen shows, with its styles."""
        return self.screen._compositor.render_strips()

    @property
    def lines(self):
        """What the screen shows, row by row."""
        return [strip.text.rstrip() for strip in self.strips]

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"

    def on_hand_card_chosen(self, message: Hand.CardChosen):
        self.heard.append(("card", str(message.card)))

    def on_table_target_chosen(self, message: Table.TargetChosen):
        self.heard.append(("target", str(message.card)))

    def on_prompt_button_chosen(self, message: Prompt.ButtonChosen):
        self.heard.append(("button", message.name))

    def on_ply_chosen(self, message: PlyChosen):
        self.heard.append(("ply", message.ply))


@asynccontextmanager
async def shown(view, size=(80, 24)):
    """Run an app that shows a view, once its layout has settled; yields the app and its pilot."""
    app = BoardApp(view)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot
