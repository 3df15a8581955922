"""Evenings of scripted people with friends: the words of every screen against the table's true state.

    python3 -m benchmarks.evenings [--evenings 50] [--steps 40] [--seed 1] [--film] [--games]

Each person runs the app without a terminal, and each host a table server. They share this process, so that
its clock can skip the waiting. By seed, people play, run out of time, read reviews, close their window, come
back, leave for good, sit down late, and change the rules. After each step every screen is read and compared.
"""

# ruff: noqa: SLF001 - what the screens show is compared with what the server has

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

from benchmarks.table_people import DATA, Person, Server, prepare
from benchmarks.table_truth import Expectation, Truth, expectations
from durak_core import Rules, State
from durak_core.lab.experiments.results import commit
from durak_tui.friends import table as table_module
from durak_tui.friends.messages import Open
from durak_tui.friends.screens.lobby import FriendsScreen, LobbyScreen
from durak_tui.friends.screens.table import EveningDialog, FriendsTable
from durak_tui.friends.table import USUAL_TIMING, HostedTable
from durak_tui.ui.screens.base import ScreenLine
from durak_tui.ui.screens.dialogs import Ask

NAMES: Final = ("Anna", "Jörg", "Маша", "Konstantin")
RULES: Final = "podkidnoy:seats={seats},lowest_rank={lowest},hand_size=3"
SIZES: Final = ((80, 24), (100, 32), (46, 50), (120, 36))
PATIENCE: Final = 10.0
"""Seconds until a screen has to show the truth."""

Step: TypeAlias = tuple[str, Callable[[], Awaitable[None]]]


async def until(condition: Callable[[], object]) -> None:
    """Wait until something is the case, but not for ever: then the comparison tells."""
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:  # noqa: ASYNC110 - screens have no event for it
        await asyncio.sleep(0.01)


class Evening:
    """One evening.

    Attributes:
        compared: How often each kind of words was compared.
        faults: What a screen said that is not true.
        film: Who was told what, when.
    """

    def __init__(self, seed: int, folder: Path, *, is_filmed: bool = False, is_whole: bool = False) -> None:
        self._chance = random.Random(seed)
        self._seed = seed
        self._folder = folder
        self._server: Server | None = None
        self._code = ""
        self._is_own = self._chance.random() < 0.5
        self._gone = ""
        self._is_filmed = is_filmed
        self._began = time.monotonic()
        self._shown: dict[str, str] = {}
        self.compared: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.faults: list[str] = []
        self.games = 0
        sizes = SIZES if is_whole else [self._chance.choice(SIZES) for _ in NAMES]
        count = len(NAMES) if is_whole else self._chance.randint(2, len(NAMES))
        people = zip(NAMES[:count], sizes, strict=False)
        self.people = [Person(name, folder / name, size) for name, size in people]
        self._bots = self._chance.randint(0, 4 - count)
        deals = random.Random(seed)
        table_module.deal_secretly = lambda rules, first=None: State.deal_with(rules, deals, first)
        table_module.secret_seed = lambda: seed

    @property
    def table(self) -> HostedTable | None:
        tables = None if self._server is None else self._server.tables
        return None if tables is None else tables.find(self._code)

    @property
    def truth(self) -> Truth:
        table = self.table
        if table is None:
            raise ValueError("there is no table")
        return Truth(table)

    @property
    def here(self) -> list[Person]:
        return [person for person in self.people if person.state == "here"]

    async def run(self, steps: int) -> None:
        try:
            await self._open(self.people[0])
            for person in self.people[1 : self._chance.randint(2, len(self.people))]:
                await self._arrive(person)
            for _ in range(steps):
                if self.table is None or not self.here or self._gone == "left":
                    break
                await self._step(*self._chance.choice(self._possible()))
                self.games = 0 if self.table is None or self.table.game is None else self.table.game.number
        finally:
            await self._end()

    async def run_three_games(self) -> None:
        """Let four people play three games: two in terminals, one on a phone, and one who comes late."""
        late = self.people[-1]
        try:
            await self._open(self.people[0])
            for person in self.people[1:-1]:
                await self._step("arrive", lambda person=person: self._arrive(person))
            await self._step("start", lambda: self._start(self.people[0]))
            for number in range(1, 4):
                while self.truth.is_running:
                    await self._step(f"game {number}", self._play)
                    if late.state == "new":
                        await self._step("arrive", lambda: self._arrive(late))
                await asyncio.sleep(3)
                if number == 1:
                    for person in self.here:
                        await self._step(f"{person.name} agrees", lambda person=person: self._agree(person))
                elif number == 2:  # one reads the review when the game begins
                    await self._step("read", lambda: self._read(self.people[1]))
                    await self._step("agree", lambda: self._agree(self.people[2]))
                    await self._step("ten seconds", lambda: asyncio.sleep(USUAL_TIMING.agreement))
            self.games = 3
        finally:
            await self._end()

    async def _step(self, name: str, step: Callable[[], Awaitable[None]]) -> None:
        self.done[name] += 1
        await step()
        await self._compare(name)

    async def _end(self) -> None:
        for person in self.here:
            await person.go()
        if self._server is not None:
            await self._server.stop()

    # What people do

    async def _open(self, host: Person) -> None:
        await host.come()
        await until(lambda: isinstance(host.screen, FriendsScreen))
        if self._is_own:
            await self._change(host)
        else:
            DATA.set(self._folder)
            address = await Server(is_own=False).start()
            rules, players, clock = self._some_table()
            opening = Open(rules.text, tuple(one.replace("human", "") for one in players), clock)
            screen = LobbyScreen(address, host.name, opening)
            host.app.call_next(host.app.push_screen, screen)
        await until(lambda: host.guest is not None and host.guest.lobby is not None)
        self._server, self._code = Server.latest, "" if host.guest is None else host.guest.address.code

    def _some_table(self) -> tuple[Rules, tuple[str, ...], int]:
        players = ("human",) * len(self.people) + ("misha", "boris")[: self._bots]
        rules = RULES.format(seats=len(players), lowest=self._chance.choice(("Q", "J", "10")))
        return Rules.parse(rules), players, self._chance.choice((0, 30, 60))

    def _possible(self) -> list[Step]:
        """Return the steps that are possible now, often ones more than once."""
        truth = self.truth
        table = truth.table
        host = next((one for one in self.here if one.name == truth.chairs[table.host].name), None)
        some = self._chance.choice(self.here)
        steps: list[Step] = []
        if truth.is_running:
            steps += 10 * [("play", self._play)]
            steps += [("run out of time", lambda: asyncio.sleep(self._chance.choice((32, 62, 125))))] * 2
            steps += [("look around", lambda: self._at_table(some, "escape", "question_mark", "f2", "p"))]
            steps += [("Viktor", lambda: self._at_table(some, "v")), ("back", lambda: self._go_back(some))]
        elif not table._games:
            steps += 3 * [("start", lambda: self._start(host))]
        else:
            steps += 4 * [("agree", lambda: self._agree(some)), ("read", lambda: self._read(some))]
            steps += [("wait", lambda: self._at_table(some, "n"))]
            steps += [("ten seconds", lambda: asyncio.sleep(5 + USUAL_TIMING.agreement))]
        if host and not table.is_playing:
            steps += [("change", lambda: self._change(host))]
        for person in self.people:
            steps += self._comings_and_goings(person, is_free=table.free_seat() is not None)
        return steps

    def _comings_and_goings(self, person: Person, *, is_free: bool) -> list[Step]:
        ways = ("lost", "later", "left") if len(self.here) > 2 else ("lost", "later")
        match person.state:
            case "new" if is_free:
                return [("arrive", lambda: self._arrive(person))]
            case "lost" | "later":
                return 3 * [("return", lambda: self._return(person))]
            case "here" if len(self.here) == 1:
                return []
            case "here" if self._is_own and person is self.people[0]:
                way = self._chance.choice(("lost", "later", "left") if self.games > 1 else ("lost", "later"))
                return [(f"the host goes ({way})", lambda: self._close(way))]
            case "here":
                return [(way, lambda way=way: self._leave(person, way)) for way in ways]
        return []

    async def _arrive(self, person: Person) -> None:
        if self._server is not None:
            await person.come(self._server.in_network.at_table(self._code).link)
            await until(lambda: person.guest is not None and person.guest.seat is not None)

    async def _return(self, person: Person) -> None:
        await person.come()
        await until(lambda: "Back to your table" in person.look())
        person.press("enter")
        await until(lambda: person.guest is not None and person.guest.seat is not None)

    async def _leave(self, person: Person, state: str) -> None:
        """Leave by the question in the lobby, or close the window."""
        for _ in range(6 if state != "lost" else 0):
            if isinstance(person.screen, Ask):
                break
            person.press("escape")
            await asyncio.sleep(0.1)
        if isinstance(person.screen, Ask):
            person.press("c" if state == "later" else "l")
            await until(lambda: isinstance(person.screen, FriendsScreen))
        await person.go(state)

    async def _close(self, state: str) -> None:
        """Let the host go with the server; the others read it. Unless it is for good, the host returns."""
        host = self.people[0]
        await self._leave(host, state)
        self._gone = state
        await self._compare(f"the host goes ({state})")
        if state != "left":
            await self._return(host)
            self._server, self._gone = Server.latest, ""
            await asyncio.sleep(10)

    async def _start(self, host: Person | None) -> None:
        if host is not None:
            await self._go_to_lobby(host)
            host.press("enter")
            await until(lambda: self.truth.is_running)

    async def _go_to_lobby(self, person: Person) -> None:
        for _ in range(4):
            if isinstance(person.screen, LobbyScreen):
                return
            person.press("escape")
            await asyncio.sleep(0.1)

    async def _play(self) -> None:
        """Let everyone who is there play some actions."""
        for _ in range(self._chance.randint(4, 24)):
            truth = self.truth
            turn, game = truth.turn, truth.table.game
            if turn is None or game is None:
                return
            state, names = game.state, {truth.chairs[turn].name: turn}
            person = next((one for one in self.here if one.name in names and not game.players[turn]), None)
            if person is None:
                await asyncio.sleep(1.0)
                continue
            await self._go_back(person)
            if isinstance(person.screen, FriendsTable):
                person.app.call_next(person.screen.submit, self._chance.choice(state.legal_actions))
            await until(lambda game=game, state=state: game.state is not state)

    async def _agree(self, person: Person) -> None:
        if isinstance(person.screen, LobbyScreen | FriendsTable | EveningDialog):
            await asyncio.sleep(1.0)
            person.press("enter")
            await asyncio.sleep(0.05)

    async def _at_table(self, person: Person, *keys: str) -> None:
        """Press one of some keys, if the person looks at the table."""
        if isinstance(person.screen, FriendsTable):
            person.press(self._chance.choice(keys))
            await asyncio.sleep(0.1)

    async def _read(self, person: Person) -> None:
        """Open the review or the share box from the result, or close what is read."""
        if isinstance(person.screen, EveningDialog):
            person.press(self._chance.choice(("r", "Y")))
        elif not isinstance(person.screen, LobbyScreen | FriendsTable):
            person.press("escape")
        await asyncio.sleep(0.1)

    async def _change(self, host: Person) -> None:
        """Open the table, or change its game."""
        rules, players, clock = self._some_table()
        host.app.call_next(lambda: host.app.host_table(rules, players, clock, spectators=True))
        await asyncio.sleep(0.1)

    async def _go_back(self, person: Person) -> None:
        """Go back to the table by Enter where the screen offers it, and else by Escape.

        A way back that does not lead to the table is a fault, unless the game has ended meanwhile.
        """
        way = []
        for _ in range(6):
            screen = person.app.screen
            if isinstance(screen, FriendsTable):
                return
            is_offered = isinstance(screen, LobbyScreen) or any(line.way for line in screen.query(ScreenLine))
            way.append(f"{'enter' if is_offered else 'escape'} in {type(screen).__name__}")
            person.press("enter" if is_offered else "escape")
            await asyncio.sleep(0.1)
        truth = self.truth
        if truth.is_running and truth.chairs[truth.seat(person.name)].plays:
            self.faults.append(f"seed {self._seed}: {person.name} cannot go back: {', '.join(way)}")

    # Comparing

    async def _compare(self, step: str) -> None:
        """Compare every screen with the truth; a screen has a moment to follow."""
        end = time.monotonic() + PATIENCE
        while (found := self._look())[1] and time.monotonic() < end:  # noqa: ASYNC110 - see `until`
            await asyncio.sleep(0.05)
        self.compared += found[0]
        self.faults += [f"seed {self._seed}, after {step!r}: {one}" for one in found[1]]
        if self._is_filmed:
            self._film(step)

    def _expected(self, person: Person) -> Iterator[Expectation]:
        person.look()
        if self._gone:
            ways = ("#lobby-next", "#friends-bar", "#evening-next", "ScreenLine")
            wanted = "has closed the table" if self._gone == "left" else "will be back: waiting"
            yield "the host", f"{self.people[0].name} {wanted}", " ".join(map(person.text, ways))
            return
        if self.table is not None:
            with contextlib.suppress(StopIteration):
                yield from expectations(person, Truth(self.table))

    def _look(self) -> tuple[Counter[str], list[str]]:
        """Return how often each kind of words was compared, and what is wrong."""
        compared: Counter[str] = Counter()
        wrong: list[str] = []
        for person in self.here:
            for kind, wanted, shown in self._expected(person):
                compared[kind] += 1
                if not re.search(wanted, shown):
                    at = f"{type(person.screen).__name__}, {person.size[0]}x{person.size[1]}"
                    wrong.append(f"{person.name} ({at}), {kind}: {wanted!r}; {shown!r}")
        return compared, wrong

    def _film(self, step: str) -> None:
        print(f"{time.monotonic() - self._began:6.0f} s  {step}")
        for person in self.here:
            person.look()
            parts = ("#lobby-next", "#friends-bar", "Prompt", "#headline", "#evening-next", "ScreenLine")
            told = " | ".join(filter(None, [person.text(part) for part in parts]))
            if self._shown.get(person.name) != told:
                self._shown[person.name] = told
                print(f"          {person.name} ({type(person.screen).__name__}): {told}")


async def measure(options: argparse.Namespace, folder: Path) -> int:
    """Run the evenings, print what was compared, and return the number of faults."""
    compared: Counter[str] = Counter()
    done: Counter[str] = Counter()
    faults: list[str] = []
    games = 0
    for seed in range(options.seed, options.seed + options.evenings):
        place = folder / str(seed)
        place.mkdir()
        evening = Evening(seed, place, is_filmed=options.film, is_whole=options.games)
        await (evening.run_three_games() if options.games else evening.run(options.steps))
        compared += evening.compared
        done += evening.done
        games += evening.games
        faults += evening.faults
        count, wrong = evening.compared.total(), len(evening.faults)
        print(f"seed {seed}: {count} compared, {wrong} wrong", *evening.faults, sep="\n", flush=True)
    print(f"commit {commit()}, seeds {options.seed} to {options.seed + options.evenings - 1}, {games} games")
    print("steps: " + ", ".join(f"{name} {count}" for name, count in done.most_common()))
    for kind, count in sorted(compared.items()):
        print(f"{kind:<20} {count:6} compared")
    print(f"{sum(compared.values())} compared, {len(faults)} wrong")
    return len(faults)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--evenings", type=int, default=50)
    parser.add_argument("--steps", type=int, default=40, help="most steps of an evening")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--film", action="store_true", help="print who is told what, and when")
    parser.add_argument("--games", action="store_true", help="three games of four people instead")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        clock = prepare(Path(folder))
        with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(clock)) as runner:
            faults = runner.run(measure(options, Path(folder)))
    raise SystemExit(bool(faults))


if __name__ == "__main__":
    main()
