"""A table: its seats, who is there, the clock, the bots, and the games of an evening.

A table knows neither sockets nor files. People reach it through a `Link`, and `Table.run` moves the bots.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from durak_core import next_first_attacker, parse_action
from durak_core.errors import DurakError
from durak_tui.engine import Answering, in_thread
from durak_tui.friends import messages
from durak_tui.friends.game import (
    Chair,
    Gallery,
    Link,
    TableGame,
    deal_secretly,
    is_token,
    new_token,
    secret_seed,
    token_hash,
)
from durak_tui.friends.messages import STAND_IN, FromServer, Lobby, LobbySeat, No, TablePlan, refusal
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
    """

    bot: float = 0.7
    absence: float = 120.0


USUAL_TIMING: Final = Timing()


class Table:
    """A table and its people.

    Args:
        code: Its code.
        visitor: The visitor who opened it.
        plan: The host's choices.
        engine: Runs searching bots.
        timing: Its times.
        keep: Called after every change that has to survive the server.
        report: Called with a bot's failure, for the server's owner.

    Attributes:
        host: The host's seat.
        score: By seat, the number of lost games.
        game: The current or last game.
        gallery: The spectators.
        used_at: When a person last did something, in seconds of `time.monotonic`.
    """

    def __init__(  # noqa: PLR0913 - what a table is made of
        self,
        code: str,
        visitor: str,
        plan: TablePlan,
        engine: Answering | None,
        *,
        timing: Timing = USUAL_TIMING,
        keep: Callable[[Table], None] = lambda _table: None,
        report: Callable[[str], None] = lambda _text: None,
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
        self._chairs[seat] = Chair(next(one for one in numbered if one not in taken), token_hash(token))
        self.score[seat] = 0
        self.connect(seat, token, link)
        self._keep(self)

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

    def disconnect(self, seat: int, link: Link) -> None:
        """Note that a connection has ended."""
        if self._chairs[seat].link is link:
            self._chairs[seat].disconnect()
            self._announce()

    def is_at(self, seat: int, link: Link) -> bool:
        """Return whether this connection has the seat."""
        return self._chairs[seat].link is link

    def start(self, seat: int) -> No | None:
        """Start the first game for the host; return why this is refused."""
        if seat != self.host:
            return refusal("not_host")
        return self._begin_soon() if self.game is None else refusal("not_now")

    def again(self) -> No | None:
        """Start the next game; return why this is refused."""
        return refusal("not_now") if self.game is None else self._begin_soon()

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

    def leave(self, seat: int) -> None:
        """Free a person's seat. In a running game the stand-in plays on."""
        if self._chairs[seat].plays and self.game is not None and not self.game.is_over:
            self.game.left.add(seat)
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
            if self._is_due:
                await self._begin()
            pause = self._keep_time()
            if self.game is not None and self._is_bots_turn(self.game) and not self.is_deserted:
                await self._let_bot_play(self.game)
            else:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(pause):
                        await self._woken.wait()

    def _begin_soon(self) -> No | None:
        if self.is_playing:
            return refusal("not_now")
        self._is_due = True
        self._woken.set()
        return None

    async def _begin(self) -> None:
        """Deal the next game. Free seats get bots."""
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
        self.game = TableGame(1 if self.game is None else self.game.number + 1, state, names, players)
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
            for seat in game.state.fools:
                self.score[seat] += 1
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
        due: list[float] = []
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
            elif self.is_playing and chair.plays and (self.plan.clock or chair.link is None):
                chair.is_replaced = changed = True
            changed |= gone <= now and seat == self.host and self._pass_on_host()
        if changed:
            self._announce()
        return max(0.0, min(due) - now) if due else None

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
        return Lobby(self.code, rules, clock, self.host, seats, score, self.is_playing, count)

    def _seat(self, seat: int) -> LobbySeat:
        """Return a seat as the lobby shows it: during a game with the player who is in the game."""
        chair, game = self._chairs[seat], self.game
        in_game = "" if game is None else game.players[seat]
        if game is not None and not game.is_over and not in_game:
            return LobbySeat(game.names[seat], "person", is_away=seat in game.left or chair.is_away)
        if chair.name and (game is None or game.is_over):
            return LobbySeat(chair.name, "person", is_away=chair.is_away)
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
        return StoredTable(*planned, self.host, tuple(self.score), seats, game, plan.spectators)

    def restore(self, stored: StoredTable, actions: tuple[str, ...]) -> None:
        """Take over a stored table. Everyone is away until they return.

        Raises:
            DurakError: If it is damaged.
        """
        self.host, self.score = stored.host, list(stored.score)
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
            self.game = game
