"""The table of friends: the board of one's own seat, fed by a server."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.timer import Timer
from textual.widgets import Static

from durak_core import PASS, Action
from durak_tui.board.screens.playing import PlayingScreen
from durak_tui.board.widgets.board import GameBoard
from durak_tui.friends import messages
from durak_tui.friends.client import refusal_words
from durak_tui.friends.guest import Guest
from durak_tui.friends.messages import FromServer
from durak_tui.friends.view import (
    bar_words,
    between_words,
    news,
    score_line,
    spectators_line,
    trouble,
)
from durak_tui.hints.model import PlayerModels
from durak_tui.keys.keymap import key_label
from durak_tui.play.game import Moment, openly_forced_action
from durak_tui.table.view import headline, places_line
from durak_tui.text.i18n import gettext, pgettext, translate
from durak_tui.text.phrases import Voice, all_of
from durak_tui.ui.screens.dialogs import Pick, SharingAsk
from durak_tui.ui.view.board_data import ButtonView

TICK: Final = 0.5
"""Seconds between two looks at the clock."""
_BLINK: Final = 0.3
"""Most seconds before a pass that is known to be forced plays itself."""
_SHORTEST: Final = 0.02
_QUIET: Final = frozenset({"late", "not_your_turn", "pause", "closed"})
"""Refusals of an action that crossed another one on its way, and what the bar shows."""
_BESIDES: Final = 2
"""Columns next to the words of the bar."""
_STARTLE: Final = 0.6
"""Seconds in which a key that was meant for the board does not agree to the next game."""


class PhraseDialog(Pick):
    """Lists the set phrases; the key of a number chooses one at once. Returns its number."""

    def __init__(self) -> None:
        phrases = enumerate(map(translate, messages.PHRASES))
        choices = [(str(number), f"{(number + 1) % 10}  {words}") for number, words in phrases]
        super().__init__(gettext("To the table"), choices, "0")

    def on_key(self, event: events.Key) -> None:
        if event.key.isdecimal() and len(event.key) == 1:
            event.stop()
            self.dismiss(str((int(event.key) - 1) % 10))


class FriendsTable(PlayingScreen, place="friends"):
    """Plays a person's seat at a table of friends."""

    PLANS = True

    def __init__(self, guest: Guest, moment: Moment) -> None:
        super().__init__()
        self.guest = guest
        self._moment = moment
        self._number = 0
        self._spectators = 0 if guest.lobby is None else guest.lobby.spectators
        self._stand_ins = guest.stand_ins
        self._result: EveningDialog | None = None
        self._result_was_shown = False
        self._stop: Callable[[], None] | None = None
        self._clock: Timer | None = None

    def compose_body(self) -> ComposeResult:
        yield Static(id="friends-bar", markup=False, classes="-over")
        yield GameBoard(log=self.LOG)

    def on_mount(self) -> None:
        self._take_moment()
        self._stop = self.guest.listen(self._heard)
        self._clock = self.set_interval(TICK, self._show_bar)

    def on_screen_resume(self) -> None:
        self.redraw()

    def on_unmount(self) -> None:
        self.host.announce((), is_turn=False)
        if self._stop is not None:
            self._stop()

    def settings_changed(self) -> None:
        super().settings_changed()
        self._take_moment()

    # Messages from the server

    def _heard(self, message: FromServer | None) -> None:
        if not self.is_complete:
            return
        match message:
            case messages.No(kind=kind) if kind not in _QUIET:
                self.board.tell(refusal_words(message), "refusal")
            case messages.Said(seat=seat, phrase=phrase):
                self.board.tell(f"{self.guest.names[seat]}: {messages.phrase_words(phrase)}")
                if phrase == messages.NUDGE and self.is_my_turn and seat != self.guest.seat:
                    self.app.bell()
            case messages.GameLook():
                self._tell_stand_ins()
                self._take_moment()
            case messages.Lobby(spectators=count) if count > self._spectators:
                self._spectators = count
                self.board.tell(spectators_line(count))
            case messages.Lobby() if news(self.guest):
                self.board.tell(news(self.guest))
                self.redraw()
            case _:
                self.redraw()

    def _tell_stand_ins(self) -> None:
        """Announce which seats Viktor plays from now on, and which players have returned."""
        before, self._stand_ins = self._stand_ins, self.guest.stand_ins
        names, others = self.guest.names, {self.guest.seat}
        new = [names[seat] for seat in self._stand_ins if seat not in {*before, *others}]
        back = [names[seat] for seat in before if seat not in {*self._stand_ins, *others}]
        if new and self.guest.is_playing:
            self.board.tell(gettext("Viktor plays for {names} now.", names=all_of(new)))
        elif back and self.guest.is_playing:
            self.board.tell(gettext("{name} is back.", name=all_of(back)))

    def _take_moment(self) -> None:
        """Show the latest position; start again with a new game."""
        moment, game = self.guest.moment, self.guest.game
        if moment is None or game is None:
            return
        if moment.ply != self._moment.ply:
            self.forget_choices()
        self._moment = moment
        if game.number != self._number:
            self._number = game.number
            self.readings = PlayerModels(game.rules, game.states)
            self._result_was_shown = False
            if self._result is not None and self._result.has_agreed and self.app.screen is self._result:
                self._result.dismiss(None)
        self._play_only_move()
        self.redraw()

    def _play_only_move(self) -> None:
        """Let an action play itself soon if everyone knows that there is no other."""
        moment, number, settings = self.moment, self._number, self.host.settings
        action = openly_forced_action(moment.observation, moment.options)
        if action is None or not settings.only_moves or self.guest.seat in self.guest.away:
            return

        def play() -> None:
            if (self._number, self.moment.ply) == (number, moment.ply):
                self.guest.submit(action)

        longest = _BLINK if action == PASS else settings.pace_seconds
        self.set_timer(max(min(settings.pace_seconds, longest), _SHORTEST), play)

    # Drawing

    @property
    def moment(self) -> Moment:
        return self._moment

    @property
    def read_up_to(self) -> int:
        return len(self.guest.game.states) - 1 if self.guest.game is not None else 0

    def extra_buttons(self) -> tuple[ButtonView, ...]:
        if not self.moment.observation.is_over:
            return ()
        words = gettext("Wait") if self.guest.has_agreed else gettext("Next game")
        does = "wait" if self.guest.has_agreed else "play"
        return (ButtonView(does, words), ButtonView("back", gettext("Table")))

    @property
    def seconds_per_move(self) -> float:
        return self.host.settings.pace_seconds

    def draw(self) -> None:
        super().draw()
        self.announce()
        self._show_bar()
        if self.guest.record is not None and not self._result_was_shown and self.is_in_front:
            self._result_was_shown = True
            self._show_result()

    def _show_bar(self) -> None:
        if not self.is_complete:
            return
        settings = self.host.settings
        names = ("friends.replace", "friends.play", "friends.wait")
        keys = [settings.keymap.label(name, ascii_only=settings.ascii) for name in names]
        words, tone = bar_words(self.guest, *keys)
        bar = self.query_one("#friends-bar", Static)
        bar.update(words)
        # Rows that come and go would move the whole table: with a clock the bar stays, otherwise it covers a
        # row. A second row would cover the names.
        has_clock = self.guest.lobby is not None and self.guest.lobby.clock > 0
        is_over = not has_clock and cell_len(words) <= self.app.size.width - _BESIDES
        bar.display = bool(words) or has_clock
        bar.set_classes(f"-{tone} -over" if is_over else f"-{tone}")

    def offers(self, action: str) -> bool:
        over = self.moment.observation.is_over
        return {
            "left": not over,
            "right": not over,
            "play": over or super().offers("play"),
            "replace": not over
            and (bool(self.guest.can_be_replaced) or self.guest.seat in self.guest.stand_ins),
            "wait": self.guest.lobby is not None and self.guest.lobby.begins is not None,
            "sort": not over,
        }.get(action, super().offers(action))

    # Playing

    @property
    def is_my_turn(self) -> bool:
        return self.guest.is_my_turn

    def submit(self, action: Action) -> None:
        if not self.guest.is_connected:
            self.app.bell()
            self._show_bar()
            return
        why = self.guest.submit(action)
        if why is None:
            self.forget_choices()
        else:
            self.refuse_action(action, why)

    def action_play(self) -> None:
        if self.moment.observation.is_over:
            self.guest.send(messages.Again())
        else:
            super().action_play()

    def action_wait(self) -> None:
        """Ask for a later start of the next game."""
        self.guest.send(messages.Wait())

    def action_say(self) -> None:
        self.ask(PhraseDialog(), lambda number: self.guest.send(messages.Say(int(number))))

    def action_let_replace(self) -> None:
        """Let Viktor play for someone who is away, or take one's own cards back from him."""
        missing = self.guest.can_be_replaced
        if self.guest.seat in self.guest.stand_ins:
            self.guest.play_on()
        elif len(missing) == 1:
            self.guest.send(messages.Replace(missing[0]))
        elif missing:
            choices = [(str(seat), self.moment.names[seat]) for seat in missing]
            pick = Pick(gettext("Who is away?"), choices, choices[0][0])
            self.ask(pick, lambda seat: self.guest.send(messages.Replace(int(seat))))
        elif self.guest.stand_ins:
            replaced = all_of([self.guest.names[seat] for seat in self.guest.stand_ins])
            self.board.tell(gettext("Viktor plays for {names}.", names=replaced))
        else:
            self.board.tell(gettext("Everyone is here."))

    # The end

    def _show_result(self) -> None:
        self._result = EveningDialog(self.guest, self.moment)

        def answered(answer: str | None) -> None:
            self._result = None
            if answer == "review" and self.guest.record is not None:
                self.host.show_review(self.guest.record, self.guest.seat)
            elif answer == "table":
                self.dismiss()

        self.app.push_screen(self._result, answered)

    def action_back(self) -> None:
        """Cancel the question for a card, or return to the lobby."""
        if not self.asks_no_more():
            self.dismiss()


class EveningDialog(SharingAsk):
    """The result of a game, the score of the evening, and what to do next."""

    def __init__(self, guest: Guest, moment: Moment) -> None:
        record = guest.record
        super().__init__(
            lambda: record,
            (
                ("again", gettext("Next game")),
                ("wait", gettext("Wait")),
                ("review", pgettext("button", "Review")),
                ("table", gettext("Table")),
            ),
        )
        self._guest = guest
        self._moment = moment
        self._score = guest.score
        self._since = time.monotonic()
        self.has_agreed = False

    def compose_text(self) -> ComposeResult:
        observation, names = self._moment.observation, self._moment.names
        plain = self.host.settings.ascii
        voice = Voice(names, self._moment.human, plain)
        yield Static(headline(observation, voice), id="headline", markup=False)
        yield Static(places_line(observation, voice), markup=False)
        score = score_line(names, self._score, observation.rules, ascii_only=plain)
        yield Static(score, id="evening", markup=False)
        yield Static(id="evening-next", markup=False)

    def on_mount(self) -> None:
        self.set_interval(TICK, self._show_next)
        self._show_next()

    def _show_next(self) -> None:
        guest = self._guest
        ascii_only = self.host.settings.ascii
        keys = key_label("enter", ascii_only=ascii_only), self._keys[1]
        words = trouble(guest) or between_words(guest, *keys) or gettext("The next game has begun.")
        self.query_one("#evening-next", Static).update(words)
        if guest.lobby is not None and guest.lobby.begins is None and not guest.is_playing:
            self.has_agreed = False

    def answer(self, name: str) -> None:
        """Agree to the next game, or ask for a later start, without closing the result."""
        guest = self._guest
        if name not in {"again", "wait"} or guest.is_playing:
            super().answer("" if name in {"again", "wait"} else name)
        elif name == "wait":
            guest.send(messages.Wait())
        elif time.monotonic() - self._since >= _STARTLE:
            self.has_agreed = guest.send(messages.Again())
