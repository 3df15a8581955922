"""What the screens of people at a table have to show, from the state that the table's server has."""

# ruff: noqa: SLF001 - what the screens show is compared with what the server has

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from benchmarks.table_people import Person
from durak_core import Card
from durak_tui.friends.game import Chair
from durak_tui.friends.screens.lobby import FriendsScreen, LobbyScreen
from durak_tui.friends.screens.table import EveningDialog, FriendsTable
from durak_tui.friends.table import USUAL_TIMING, HostedTable

PRESENCES: Final = ("thinking", "time is up", "connection lost", "will be back", "has left", "away")


def around(seconds: float, words: Callable[[int], str]) -> str:
    """Return a pattern for a number of seconds that was measured a moment ago."""
    near = {max(0, round(seconds) + more) for more in (-1, 0, 1)}
    return "(" + "|".join(re.escape(words(one)) for one in sorted(near)) + ")"


def minutes(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02}"


def listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


@dataclass(frozen=True)
class Truth:
    """The table as its server knows it, in the place of what its messages say."""

    table: HostedTable

    @property
    def chairs(self) -> list[Chair]:
        return self.table._chairs

    @property
    def is_running(self) -> bool:
        return self.table.game is not None and not self.table.game.is_over

    def seat(self, name: str) -> int:
        return next(seat for seat, chair in enumerate(self.chairs) if chair.name == name)

    def name(self, seat: int) -> str:
        """Return who is shown at a seat; empty for a free one."""
        game, chair = self.table.game, self.chairs[seat]
        if game is not None and (self.is_running or (not chair.name and game.players[seat])):
            return game.names[seat]
        bot = self.table.plan.players[seat].capitalize()
        return chair.name or bot

    def is_person(self, seat: int) -> bool:
        game = self.table.game
        if game is not None and self.is_running:
            return not game.players[seat]
        return bool(self.chairs[seat].name)

    def presence(self, seat: int) -> str:
        """Return the words for where a person is; empty for one who is there."""
        chair, game = self.chairs[seat], self.table.game
        if not self.is_person(seat):
            return ""
        if game is not None and self.is_running and seat in game.left:
            return "has left"
        if chair.link is None:
            return "will be back" if chair.returns else "connection lost"
        if chair.is_late:
            return "time is up" if self.table.plan.clock else "thinking"
        return ""

    def hand(self, seat: int) -> Iterable[Card]:
        return self.table.game.state.hands[seat] if self.table.game is not None else ()

    def has_stand_in(self, seat: int) -> bool:
        game = self.table.game
        return game is not None and (seat in game.left or self.chairs[seat].is_replaced)

    def stands_in_after(self, seat: int) -> float | None:
        """Return the seconds until Viktor plays for a person."""
        chair = self.chairs[seat]
        if chair.away_since is None or not chair.plays or not (self.table.plan.clock or chair.link is None):
            return None
        since = max(chair.away_since, self.table._present_since)
        return since + USUAL_TIMING.absence - time.monotonic()

    @property
    def turn(self) -> int | None:
        return self.table.game.state.turn if self.table.game is not None and self.is_running else None

    @property
    def left(self) -> float | None:
        """The seconds on the clock of the person to act; None without a clock, or for Viktor."""
        turn, clock = self.turn, self.table.plan.clock
        game = self.table.game
        if turn is None or not clock or game is None or game.players[turn] or self.has_stand_in(turn):
            return None
        return max(0.0, self.table._turn_since + clock - time.monotonic())

    @property
    def agreed(self) -> list[str]:
        return [self.name(seat) for seat in sorted(self.table._agreed)]

    @property
    def begins(self) -> float:
        return self.table._begins_at - time.monotonic()


Expectation = tuple[str, str, str]
"""What is compared, a pattern for the truth, and what the screen shows."""


def expectations(person: Person, truth: Truth) -> Iterator[Expectation]:
    """Yield what the screen in front of a person has to show."""
    guest, screen = person.guest, person.screen
    me = truth.seat(person.name)
    plays = truth.is_running and truth.chairs[me].plays
    if guest is None or isinstance(screen, FriendsScreen):
        yield "way to the table", "at the table", f"at {type(screen).__name__}"
    elif isinstance(screen, LobbyScreen):
        yield from in_lobby(person, truth, me, plays=plays)
    elif isinstance(screen, FriendsTable) and truth.is_running and plays:
        yield from at_table(person, truth, me)
    elif isinstance(screen, FriendsTable) and not truth.is_running:
        yield "what is next", next_game(truth, me), person.text("#friends-bar")
    elif isinstance(screen, EveningDialog):
        yield from at_result(person, truth, me)
    elif not isinstance(screen, FriendsTable) and guest.seat is not None:
        yield "line above", line_pattern(truth, me, plays=plays), person.text("ScreenLine")


def in_lobby(person: Person, truth: Truth, me: int, *, plays: bool) -> Iterator[Expectation]:
    table, shown = truth.table, person.text("#lobby-seats")
    lines = []
    for seat in range(len(truth.chairs)):
        name = truth.name(seat)
        about = []
        is_person = truth.is_person(seat)
        if name and not is_person:
            about.append("bot")
        if seat == me:
            about.append("you" if is_person else "then you")
        if seat == table.host and name:
            about.append("host")
        if name in truth.agreed:
            about.append("ready")
        there = truth.presence(seat)
        if there or (plays and seat == truth.turn and is_person and seat != me):
            about.append(there or "thinking")
        lines.append(f"{seat + 1} {name or 'free'}" + (f" ({', '.join(about)})" if about else ""))
    yield "seats in the lobby", "^" + re.escape(" ".join(lines)) + "$", shown
    score = [f"{truth.name(seat)} {lost}" for seat, lost in enumerate(table.score) if truth.name(seat)]
    wanted = "Games lost: .*" + ".*".join(map(re.escape, score)) if any(table.score) else "^(?!.*Games lost)"
    yield "score", wanted, person.text("#lobby-score")
    clock = f"{table.plan.clock} seconds a move" if table.plan.clock else "up, Cards each: 3$"
    lowest = {10: "10", 11: "J", 12: "Q"}[table.plan.rules.lowest_rank]
    yield "rules", f"^(?=.*from {lowest} up)(?=.*{clock})", person.text("#lobby-rules")
    if truth.is_running:
        wanted = "back to the game" if plays else "A game is running. You play from the next one on"
    elif table._games:
        wanted = next_game(truth, me)
    else:
        wanted = "start" if me == table.host else f"{re.escape(truth.name(table.host))} starts the game"
    yield "what is next", wanted, person.text("#lobby-next")


def next_game(truth: Truth, me: int) -> str:
    waits_for = truth.table._waits_for
    if truth.agreed:
        own = "(?!.*: ready)" if truth.name(me) in truth.agreed else "(?=.*: ready)"
        when = around(truth.begins, minutes)
        return f"^{own}.*Next game in {when}. Ready: {re.escape(listed(truth.agreed))}\\."
    if waits_for == me:
        return "The others wait for you"
    return ": next game" if waits_for is None else f"{re.escape(truth.name(waits_for))} asks you to wait"


def at_table(person: Person, truth: Truth, me: int) -> Iterator[Expectation]:
    shown, bar = person.text(), person.text("#friends-bar")
    for card in truth.hand(me):
        yield "own cards", str(card).replace("T", "10"), letters(shown)
    turn = truth.turn or 0
    who = "You|" + re.escape(person.name) if turn == me else re.escape(truth.name(turn)[:6])
    yield "whose turn", f"▶ ?({who})", shown
    for pattern in present_words(truth, me):
        yield "who is there", pattern, bar
    for seat in range(len(truth.chairs)):
        if seat != me and truth.is_person(seat) and not truth.presence(seat):
            absent = "|".join(PRESENCES)
            yield "who is there", f"^(?!.*{re.escape(truth.name(seat))}: ({absent}))", bar


def present_words(truth: Truth, me: int) -> Iterator[str]:
    """Yield what the bar of the table has to say about who is there."""
    if truth.has_stand_in(me):
        yield "Viktor plays for you"
        return
    at = truth.stands_in_after(me)
    if truth.presence(me):
        late = "Your time is up" if truth.table.plan.clock else "The others wait for you"
        yield late if at is None else f"{late}. Viktor plays for you in {around(at, minutes)}"
        return
    turn, left = truth.turn, truth.left
    if left is not None and turn is not None and not truth.presence(turn):
        whose = "Your time" if turn == me else re.escape(truth.name(turn))
        yield f"{whose}: {around(left, str)} s"
    for seat in range(len(truth.chairs)):
        name, there, at = re.escape(truth.name(seat)), truth.presence(seat), truth.stands_in_after(seat)
        if there and truth.has_stand_in(seat):
            yield f"Viktor plays for .*{name}"
        elif there:
            yield f"{name}: {there}." + ("" if at is None else f" Viktor plays in {around(at, minutes)}")


def at_result(person: Person, truth: Truth, me: int) -> Iterator[Expectation]:
    game = truth.table.game
    if truth.is_running:
        yield "what is next", "The next game has begun", person.text("#evening-next")
        return
    yield "what is next", next_game(truth, me), person.text("#evening-next")
    if game is None or not truth.chairs[me].plays:
        return
    fools = [game.names[seat] for seat in game.state.fools]
    mine = me in game.state.fools
    wanted = "you are the fool" if mine else f"{fools[0]} is the fool" if fools else "nobody is the fool"
    yield "who is the fool", wanted, person.text("#headline")
    score = [f"{game.names[seat]} {lost}" for seat, lost in enumerate(truth.table.score) if seat != me]
    wanted = ".*".join(map(re.escape, score)) if any(truth.table.score) else "^$"
    yield "score", wanted, person.text("#evening")


def line_pattern(truth: Truth, me: int, *, plays: bool) -> str:
    """Return the line above a review, a share box or another screen."""
    if plays and truth.has_stand_in(me):
        return "Viktor plays for you"
    if plays and truth.presence(me):
        return "Your time is up|The others wait for you"
    if plays and truth.turn == me:
        left = truth.left
        return "^Your turn\\." if left is None else f"^Your turn, {around(left, minutes)}\\."
    if truth.agreed:
        return f"Next game in {around(truth.begins, minutes)}"
    return "^$"


def letters(shown: str) -> str:
    """Return cards as text: their signs are the suits' letters."""
    return shown.translate(str.maketrans("♠♥♦♣", "shdc"))
