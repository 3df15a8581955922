"""A table: its seats, who is there, the clock, the bots, and the games of an evening.

A table knows neither sockets nor files. People reach it through a `Link`; `HostedTable.run` moves the bots.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from operator import add
from typing import Final

from durak_core import next_first_attacker, parse_action
from durak_core.errors import DurakError
from durak_tui.engine import Answering, in_thread
from durak_tui.friends import messages
from durak_tui.friends.game import (
    Chair,
    Gallery,
    Link,
    OldLink,
    TableGame,
    deal_secretly,
    is_token,
    new_token,
    secret_seed,
    token_hash,
)
from durak_tui.friends.messages import (
    STAND_IN,
    FromServer,
    Lobby,
    LobbySeat,
    No,
    Presence,
    TablePlan,
    refusal,
)
from durak_tui.friends.store import StoredSeat, StoredTable
from durak_tui.play.bots import Bot, seat_bots
from durak_tui.play.setup import GameSetup, usual_players
from durak_tui.players import bot_names, called, key_at


@dataclass(frozen=True, slots=True)
class Timing:
    """Times of a table in seconds.

    Attributes:
        bot: From an action until a bot's next action.
        absence: How long a person may be away before the stand-in plays. Without a clock, a person who is
            connected is late after this time, and the stand-in waits until another person asks for it.
        agreement: From the first person's agreement until the next game.
    """

    bot: float = 0.7
    absence: float = 120.0
    agreement: float = 10.0


USUAL_TIMING: Final = Timing()


class HostedTable:
    """A table and its people.

    Args:
        visitor: The visitor who opened it.
        plan: The host's choices.
        engine: Runs searching bots.
        keep: Called after every change that has to survive the server.
        report: Called with a bot's failure, for the server's owner.
        is_own: Whether the server belongs to the player who opened the table, and ends with them.

    Attributes:
        host: The host's seat.
        score: By seat, the number of lost games, or the points (rules 8.6).
        game: The current or last game.
        gallery: The spectators.
        used_at: When a person last did something, in seconds of `time.monotonic`.
        is_closed: Whether the owner of the server has left for good.
    """

    def __init__(  # noqa: PLR0913 - what a table is made of
        self,
        code: str,
        visitor: str,
        plan: TablePlan,
        engine: Answering | None,
        *,
        timing: Timing = USUAL_TIMING,
        keep: Callable[[HostedTable], None] = lambda _table: None,
        report: Callable[[str], None] = lambda _text: None,
        is_own: bool = False,
    ) -> None:
        self.code = code
        self.visitor = visitor
        self.plan = plan
        self.host = plan.players.index("")
        self.score = [0] * plan.rules.seats
        self.game: TableGame | None = None
        self.used_at = time.monotonic()
        self._engine = engine
        self._timing = timing
        self._keep = keep
        self._report = report
        self._is_own = is_own
        self.is_closed = False
        self.earlier: dict[str, int] = {}
        """Lost games by name, of people who have not sat down since the evening moved to this table."""
        self._games = 0
        self._agreed: set[int] = set()
        self._begins_at = 0.0
        self._waits_for: int | None = None
        self._chairs = [Chair() for _ in plan.players]
        self.gallery = Gallery()
        self._bots: dict[int, Bot] = {}
        self._turn_since = self.used_at
        self._present_since = self.used_at  # while everyone is away no clock runs: absences count from here
        self._is_due = False
        self._woken = asyncio.Event()

    # What people do

    @property
    def people(self) -> list[int]:
        """The seats that people have, whether or not they are there."""
        return [seat for seat, chair in enumerate(self._chairs) if chair.name]

    @property
    def is_deserted(self) -> bool:
        return all(chair.link is None for chair in self._chairs)

    @property
    def is_playing(self) -> bool:
        return self._is_due or (self.game is not None and not self.game.is_over)

    def free_seat(self) -> int | None:
        """Return the first seat for a person that is free."""
        seats = enumerate(zip(self._chairs, self.plan.players, strict=True))
        return next((seat for seat, (chair, player) in seats if not chair.name and not player), None)

    def sit(self, seat: int, name: str, link: Link) -> None:
        """Give a free seat to a person, who plays from the next game on."""
        taken = {chair.name for chair in self._chairs}
        numbered = (name, *(f"{name} {number}" for number in range(2, len(taken) + 3)))
        token = new_token()
        name = next(one for one in numbered if one not in taken)
        self._chairs[seat] = Chair(name, token_hash(token))
        self.score[seat] = self.earlier.pop(name, 0)
        self.connect(seat, token, link)
        self._keep(self)

    def seat_at(self, link: Link) -> int | None:
        """Return the seat of a connection; people move when the host changes the number of seats."""
        return next((seat for seat, chair in enumerate(self._chairs) if chair.link is link), None)

    def seat_of(self, token: str) -> int | None:
        """Return the seat of a token."""
        found = [seat for seat, chair in enumerate(self._chairs) if is_token(token, chair.token)]
        return found[0] if found else None

    def connect(self, seat: int, token: str, link: Link) -> None:
        """Connect a person to their seat. An older connection is closed."""
        if self.is_deserted:
            self._present_since = time.monotonic()
        chair = self._chairs[seat]
        chair.connect(link)
        self._return(seat)
        link.send(messages.Seated(self.code, seat, token))
        self._announce()
        if self.game is not None and self.game.is_over and chair.plays:
            link.send(self._end(self.game))

    def disconnect(self, link: Link) -> None:
        """Note that a connection has ended."""
        seat = self.seat_at(link)
        if seat is not None:
            self._agreed.discard(seat)
            self._chairs[seat].disconnect()
            self._announce()

    def start(self, seat: int) -> No | None:
        """Start the first game for the host; return why this is refused."""
        if seat != self.host:
            return refusal("not_host")
        return self.again(seat) if self._games else self._begin_soon()

    def again(self, seat: int) -> No | None:
        """Note that a person agrees to the next game; return why this is refused."""
        if not self._games or self.is_playing:
            return refusal("not_now")
        if not self._agreed:
            self._begins_at = time.monotonic() + self._timing.agreement
        self._agreed.add(seat)
        self._waits_for = None
        self._announce()
        return None

    def wait(self, seat: int) -> No | None:
        """Take back everyone's agreement for a person who asks for a later start; return why not."""
        if not self._agreed or self.is_playing:
            return refusal("not_now")
        self._agreed.clear()
        self._waits_for = seat
        self._announce()
        return None

    def change(self, seat: int, plan: TablePlan) -> No | None:
        """Play by another plan from the next game on; return why this is refused."""
        if seat != self.host or self.is_playing:
            return refusal("not_host" if seat != self.host else "not_now")
        free = [place for place, player in enumerate(plan.players) if not player]
        people = self.people
        if len(people) > len(free):
            return refusal("players")
        if plan.rules != self.plan.rules:
            links = (*[chair.link for chair in self._chairs], *self.gallery)
            if any(isinstance(link, OldLink) for link in links):
                return refusal("old")
        self._seat_anew(plan, dict(zip(people, free, strict=False)))
        self._announce()
        self._keep(self)
        return None

    def act(self, seat: int, act: messages.Act) -> No | None:
        """Play a person's action; return why it is refused."""
        game = self.game
        if game is None or not self._chairs[seat].plays:
            return refusal("not_now")
        if self._return(seat):
            self._announce()
        no = game.act(seat, act)
        if no is None:
            self._played(game)
        return no

    def _seat_anew(self, plan: TablePlan, moved: dict[int, int]) -> None:
        """Take another plan. People move from their old seats to new ones."""
        chairs, score = [Chair() for _ in plan.players], [0] * plan.rules.seats
        bots = list(enumerate(plan.players))
        for old, player in enumerate(self.plan.players):  # a bot that stays keeps its score
            same = next((one for one in bots if player and one[1] == player), None)
            if same is not None:
                bots.remove(same)
                score[same[0]] = self.score[old]
        for old, new in moved.items():
            chairs[new], score[new] = self._chairs[old], self.score[old]
        if plan.rules.series_score != self.plan.rules.series_score:  # points are not lost games
            score = [0] * plan.rules.seats
        # By other rules, the last game's fool no longer decides who attacks first.
        if plan.rules != self.plan.rules or any(old != new for old, new in moved.items()):
            self.game = None
        self.plan, self._chairs, self.score, self.host = plan, chairs, score, moved[self.host]
        self._agreed.clear()
        self._waits_for = None
        for old, new in moved.items():
            link = chairs[new].link
            if link is not None and old != new:
                link.send(messages.Seated(self.code, new, ""))

    def say(self, seat: int, phrase: int) -> None:
        if self._return(seat):
            self._announce()
        self._send_all(messages.Said(seat, phrase))

    def replace(self, seat: int) -> No | None:
        """Let the stand-in play for a person who is away; return why this is refused."""
        chair = self._chairs[seat] if seat < len(self._chairs) else Chair()
        if not (self.is_playing and chair.plays and chair.is_away):
            return refusal("not_now")
        chair.is_replaced = True
        self._announce()
        return None

    def leave(self, seat: int, *, returns: bool = False) -> None:
        """Free a person's seat, unless they return. In a running game the stand-in plays on."""
        self._agreed.discard(seat)
        if returns:
            self._chairs[seat].returns = True
            self._chairs[seat].disconnect()
            self._announce()
            return
        self.is_closed = self._is_own and seat == self.plan.players.index("")
        if self._chairs[seat].plays and self.game is not None and not self.game.is_over:
            self.game.left.add(seat)
        if not self.is_closed:  # everyone reads who has closed the table: it keeps its host
            self._chairs[seat] = Chair()
            if seat == self.host:
                self._pass_on_host()
            self._announce()
        self._keep(self)

    def watch(self, link: Link) -> No | None:
        """Let someone watch; return why this is refused."""
        if not self.plan.spectators:
            return refusal("no_spectators")
        if self.gallery.is_full:
            return refusal("many_spectators")
        self.gallery.enter(link)
        self._send_all(self.lobby())
        self.gallery.catch_up(link)
        if self.game is not None and self.game.is_over:
            link.send(self._end(self.game))
        return None

    def watch_no_more(self, link: Link) -> None:
        """Note that a spectator's connection has ended."""
        self.gallery.leave(link)
        self._send_all(self.lobby())

    def close(self, last: No) -> None:
        """Send a last message to everyone and close their connections."""
        self.gallery.close(last)
        for chair in self._chairs:
            link, chair.link = chair.link, None
            if link is not None:
                link.send(last)
                link.close()

    # The loop

    async def run(self) -> None:
        """Deal games, let bots play and keep the clock, until cancelled. A deserted table waits."""
        while True:
            self._woken.clear()
            self._agree()
            if self._is_due:
                await self._begin()
            pause = self._keep_time()
            if self.game is not None and self._is_bots_turn(self.game) and not self.is_deserted:
                await self._let_bot_play(self.game)
            else:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(pause):
                        await self._woken.wait()

    def _agree(self) -> None:
        """Begin the next game if everyone who is there has agreed, or the time for it is over."""
        here = {seat for seat, chair in enumerate(self._chairs) if chair.link is not None}
        if self._agreed and (here <= self._agreed or time.monotonic() >= self._begins_at):
            self._begin_soon()

    def _begin_soon(self) -> No | None:
        if self.is_playing:
            return refusal("not_now")
        self._is_due = True
        self._woken.set()
        return None

    async def _begin(self) -> None:
        """Deal the next game. Free seats get bots."""
        self._agreed.clear()
        self._waits_for = None
        rules, chairs = self.plan.rules, list(self._chairs)
        wanted = tuple(filter(None, self.plan.bots))
        fillers = iter(usual_players(rules.seats, human=False, chosen=wanted)[len(wanted) :])
        seats = zip(chairs, self.plan.bots, strict=True)
        players = tuple(["" if chair.name else bot or next(fillers) for chair, bot in seats])
        named = bot_names(filter(None, players), [chair.name for chair in chairs])
        names = tuple([chair.name or next(named) for chair in chairs])
        bots = tuple(player or STAND_IN for player in players)
        first = None if self.game is None else next_first_attacker(rules, self.game.state.fool)
        try:
            state = await in_thread(deal_secretly, rules, first)
            setup = GameSetup(rules, bots, names, secret_seed())
            self._bots = await in_thread(seat_bots, setup, self._engine, self._report)
        except DurakError as error:
            self._is_due = False
            self._send_all(No("rules", why=str(error)))
            return
        self._games += 1
        self.game = TableGame(self._games, state, names, players)
        for seat, chair in enumerate(self._chairs):
            chair.plays = chair is chairs[seat] and bool(chair.name)
            chair.known = 0
            if not players[seat] and not chair.plays:  # the person left while the bots were made
                self.game.left.add(seat)
        self._is_due = False
        self._turn_since = time.monotonic()
        self.gallery.begin(self.game.number, self.game.state)
        self._announce()
        self._keep(self)

    def _is_bots_turn(self, game: TableGame) -> bool:
        return game.state.turn is not None and self._plays_bot(game, game.state.turn)

    def _plays_bot(self, game: TableGame, seat: int) -> bool:
        return bool(game.players[seat]) or seat in game.left or self._chairs[seat].is_replaced

    async def _let_bot_play(self, game: TableGame) -> None:
        state = game.state
        assert state.turn is not None  # noqa: S101 - it is a bot's turn
        decision = await self._bots[state.turn](state.observation(state.turn))
        await asyncio.sleep(self._turn_since + self._timing.bot - time.monotonic())
        if game.state is state and self._is_bots_turn(game):
            game.play(decision.action)
            self._played(game)

    def _played(self, game: TableGame) -> None:
        """Show everyone an action, and the result after the last one."""
        self._turn_since = time.monotonic()
        self._woken.set()
        if game.is_over:
            by_place, fools = self.plan.rules.series_score == "places", game.state.fools
            found = game.state.points if by_place else [seat in fools for seat in range(len(self.score))]
            self.score = list(map(add, self.score, found))
        self._send_looks()
        self.gallery.follow(game.state)
        if game.is_over:
            end = self._end(game)
            self.gallery.send(end)
            for chair in self._chairs:
                if chair.plays and chair.link is not None:
                    chair.link.send(end)
            self._send_all(self.lobby())
        self._keep(self)

    def _keep_time(self) -> float | None:
        """Note who is late or has been away for too long; return the seconds until there is news."""
        if self.is_deserted:
            return None
        now = time.monotonic()
        due = [self._begins_at] if self._agreed else []
        changed = False
        runs_out = self._runs_out()
        turn = self.game.state.turn if self.game is not None else None
        if turn is not None and runs_out is not None and not self._chairs[turn].is_late:
            due.append(runs_out)
            if runs_out <= now:
                self._chairs[turn].run_out(now)
                changed = True
        for seat, chair in enumerate(self._chairs):
            if chair.away_since is None or chair.is_replaced:
                continue
            gone = max(chair.away_since, self._present_since) + self._timing.absence
            if gone > now:
                due.append(gone)
            elif self._replaced_at(seat) is not None:
                chair.is_replaced = changed = True
            changed |= gone <= now and seat == self.host and self._pass_on_host()
        if changed:
            self._announce()
        return max(0.0, min(due) - now) if due else None

    def _replaced_at(self, seat: int) -> float | None:
        """Return when the stand-in plays for a person; None if nothing but another person's wish lets him."""
        chair = self._chairs[seat]
        may = self.is_playing and chair.plays and (self.plan.clock > 0 or chair.link is None)
        if chair.away_since is None or chair.is_replaced or not may:
            return None
        return max(chair.away_since, self._present_since) + self._timing.absence

    def _presence(self, seat: int) -> Presence:
        chair = self._chairs[seat]
        if chair.link is None:
            return "later" if chair.returns else "lost"
        return "" if not chair.is_late else "late" if self.plan.clock else "idle"

    def _pass_on_host(self) -> bool:
        """Make a person who is there the host; return whether there is one.

        A short absence does not change the host: only when the host leaves for good or is away for longer
        than `Timing.absence`. Without an heir the host stays, so that the first who returns can start.
        """
        heir = next((seat for seat in self.people if not self._chairs[seat].is_away), None)
        self.host = self.host if heir is None else heir
        return heir is not None

    def _runs_out(self) -> float | None:
        """Return when the person to act is late; None if no person is to act."""
        game = self.game
        if game is None or game.state.turn is None or self._is_bots_turn(game):
            return None
        return self._turn_since + (self.plan.clock or self._timing.absence)

    def _return(self, seat: int) -> bool:
        """Note that a person does something; return whether they were late, away or replaced until now."""
        self.used_at = time.monotonic()
        changed = self._chairs[seat].return_()
        if changed and self.game is not None and self.game.state.turn == seat:
            self._turn_since = self.used_at  # a person who returns has a whole turn's time
        return changed

    # Messages

    def lobby(self) -> Lobby:
        seats = tuple(map(self._seat, range(len(self._chairs))))
        rules = self.plan.rules.text
        score = tuple(self.score)
        clock, count = self.plan.clock, len(self.gallery)
        begins = max(0.0, round(self._begins_at - time.monotonic(), 1)) if self._agreed else None
        now = (self.is_playing, count, begins, self._waits_for, self._games)
        return Lobby(self.code, rules, clock, self.host, seats, score, *now)

    def _seat(self, seat: int) -> LobbySeat:
        """Return a seat as the lobby shows it: during a game with the player who is in the game."""
        chair, game = self._chairs[seat], self.game
        in_game = "" if game is None else game.players[seat]
        is_running = game is not None and not game.is_over
        if game is not None and is_running and not in_game:
            if seat in game.left:
                return LobbySeat(game.names[seat], "person", is_away=True, presence="left")
            at = self._replaced_at(seat)
            due = None if at is None or self.is_deserted else max(0.0, round(at - time.monotonic(), 1))
            return LobbySeat(game.names[seat], "person", "", chair.is_away, self._presence(seat), due)
        if chair.name and not is_running:
            agrees = seat in self._agreed
            return LobbySeat(chair.name, "person", "", chair.is_away, self._presence(seat), agrees=agrees)
        if game is not None and in_game:
            return LobbySeat(game.names[seat], "bot", key_at(game.players, seat))
        bots = self.plan.bots
        if bots[seat]:
            return LobbySeat(called(bots[seat]), "bot", key_at(bots, seat))
        return LobbySeat("", "free")

    def _announce(self) -> None:
        """Show everyone the table, and the players the game."""
        self._woken.set()
        self._send_all(self.lobby())
        self._send_looks()

    def _send_all(self, message: FromServer) -> None:
        """Send a message to the players, and the table to the spectators as well."""
        if isinstance(message, Lobby):
            self.gallery.send(message)
        for chair in self._chairs:
            if chair.link is not None:
                chair.link.send(message)

    def _send_looks(self) -> None:
        game = self.game
        if game is None:
            return
        runs_out = self._runs_out() if self.plan.clock else None
        left = None if runs_out is None else max(0.0, round(runs_out - time.monotonic(), 1))
        playing = [seat for seat, player in enumerate(game.players) if not player]
        away = tuple([seat for seat in playing if seat in game.left or self._chairs[seat].is_away])
        stand_ins = tuple([seat for seat in playing if self._plays_bot(game, seat)])
        for seat in playing:
            chair = self._chairs[seat]
            if chair.plays and chair.link is not None:
                look = game.look(seat, chair.known, left, away, stand_ins)
                chair.known += len(look.events)
                chair.link.send(look)

    def _end(self, game: TableGame) -> messages.End:
        return messages.End(game.number, game.record(), tuple(self.score))

    # On disk

    def stored(self) -> StoredTable:
        plan = self.plan
        planned = (self.code, self.visitor, plan.rules.text, plan.players, plan.clock)
        seats = tuple([StoredSeat(chair.name, chair.token, chair.plays) for chair in self._chairs])
        game = None if self.game is None else self.game.stored()
        return StoredTable(*planned, self.host, tuple(self.score), seats, game, plan.spectators, self._games)

    def restore(self, stored: StoredTable, actions: tuple[str, ...]) -> None:
        """Take over a stored table. Everyone is away until they return.

        Raises:
            DurakError: If it is damaged.
        """
        self.host, self.score, self._games = stored.host, list(stored.score), stored.games
        self._chairs = [
            Chair(seat.name, seat.token, seat.plays, away_since=self.used_at if seat.name else None)
            for seat in stored.seats
        ]
        if stored.game is not None:
            game = TableGame.restored(stored.game)
            self.gallery.begin(game.number, game.state)
            for action in actions:
                game.play(parse_action(action))
                self.gallery.follow(game.state)
            bots = tuple(player or STAND_IN for player in game.players)
            setup = GameSetup(self.plan.rules, bots, game.names, secret_seed())
            self._bots = {} if game.is_over else seat_bots(setup, self._engine, self._report)
            self.game, self._games = game, game.number
