"""Conformance check of external engines (docs/protocol.md): games under all rules, and special cases."""

from __future__ import annotations

import asyncio
import shlex
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from time import monotonic
from typing import Final

from durak_core.agents.base import Agent
from durak_core.agents.registry import make_agent
from durak_core.engine.agent import EngineAgent
from durak_core.engine.client import EngineClient
from durak_core.engine.process import signal_name
from durak_core.engine.protocol import Budget, is_number
from durak_core.errors import AgentError, EngineError, ForfeitError, shortened
from durak_core.game.observation import Observation
from durak_core.game.record import Move
from durak_core.game.state import State
from durak_core.kernel.position import AGENTS_STREAM, derive
from durak_core.lab.matches.match import play_from
from durak_core.rules import PRESETS, Rules

REQUIREMENTS: Final[Mapping[str, str]] = {
    "start": "Starts, and ends only after `quit` or the end of its input.",
    "greeting": "Answers `durak` with `id name`, its options, `protocol` and `durakok`.",
    "version": "Names a protocol version, 1 or 2, before `durakok`.",
    "ready": "Answers each `isready` with `readyok`, after all earlier answers.",
    "options": "Accepts every value that its `option` lines allow, the name in any case.",
    "form": "Writes ASCII lines of at most 16,384 characters; what begins as an answer ends as one.",
    "silence": "Writes nothing unasked.",
    "once": "Answers each command once: a `go` with one `bestmove` or one `error`.",
    "legal": "Gives a legal action as `bestmove`.",
    "refusal": "Refuses unsupported rules after `newgame`, and plays all others to the end.",
    "time": "Answers `go` within its `time`, or within a second without a budget.",
    "alive": "Answers `isready` during a search without `time`.",
    "stop": "Ends its search with a `bestmove` after `stop`.",
    "unknown": "Answers unknown commands, options and values with `error` or nothing.",
    "lines": "Ignores empty lines, and carriage returns at line ends.",
    "newgame": "Forgets all games after `newgame`: equal `Seed`s give equal choices.",
    "quit": "Ends with exit code 0 after `quit`, also during a search.",
    "end": "Ends with exit code 0 at the end of its input.",
}
"""Conformance requirements by name."""

GAMES: Final = 100
"""Default number of games."""

_SHOWN_LINES: Final = 6
_LONGEST_SHOWN: Final = 300

_SHORT: Final = Budget(time=20)
_SAME: Final = Budget(iterations=20)
"""Budget for comparing repeated choices."""
_ENDLESS: Final = Budget(infinite=True)

_MOST_FAILED: Final = 5
"""Number of lost games at which the check stops."""

_HOPELESS: Final = ("greeting", "version", "ready", "time")
"""Requirements whose breach ends the check, because games are impossible or every answer times out."""

_ANSWERS: Final = {"durak": "durakok", "isready": "readyok", "go": "bestmove"}

_OTHERS: Final = (
    "perevodnoy:seats=4,show_trump=yes,show_trump_once=bout",
    "perevodnoy:seats=3,transfer_first_bout=no",
    "podkidnoy:seats=4,throw_in=neighbours",
    "perevodnoy:seats=4,teams=2x2,partner_plays_on=yes",
    "podkidnoy:forced_play=yes",
    "podkidnoy:lowest_card=always",
    "podkidnoy:seats=3,exchange_trump=yes",
    "podkidnoy:pile_on=no,first_bout_limit=5",
    "perevodnoy:seats=3,first_bout_limit=5,first_limit_lasts=until_beaten,redeal_trump_ace=yes",
    "podkidnoy:seats=3,trumps=no",
    "podkidnoy:suits=3,lowest_rank=2",
    "perevodnoy:seats=3,jokers=colour",
    "podkidnoy:seats=3,visibility=open",
    "podkidnoy:draws=no,stall_limit=4",
    "podkidnoy:hand_size=8,attack_limit=none,lowest_beats_ace=any",
    "podkidnoy:seats=3,deal_all=yes,attack_style=volley",
)


def checked_rules() -> Iterator[Rules]:
    for seats in range(2, 7):
        yield from (Rules.preset(name, seats=seats) for name in PRESETS)
    for name in ("podkidnoy", "perevodnoy"):
        yield from (Rules.preset(name, seats=seats, lowest_rank=2) for seats in range(2, 7))
        yield from (Rules.preset(name, seats=seats, lowest_rank=9) for seats in range(2, 5))
        yield from (
            Rules.preset(name, seats=seats, teams=teams)
            for teams, seats in (("2x2", 4), ("2x3", 6), ("3x2", 6))
        )
    yield from map(Rules.parse, _OTHERS)


@dataclass(frozen=True, slots=True)
class Breach:
    """A requirement that an engine violated, in ``times`` cases.

    ``why`` names what was found and expected. ``lines`` end the conversation, marked as in
    `EngineClient.note`. ``where`` are the rules of the game, if any.
    """

    requirement: str
    why: str
    lines: tuple[str, ...]
    times: int
    where: str


class EngineCheck:
    """Monitors the conversation with an engine line by line and records breaches.

    ``refused`` maps rules to the engine's message. ``slowest`` is the longest time in milliseconds from a
    timed ``go`` to its answer. ``tried`` is the requirement under test, `unknown` or `lines`, which restricts
    valid answers.
    """

    def __init__(self) -> None:
        self.name = ""
        self.games = 0
        self.rules: dict[str, Rules] = {}
        self.refused: dict[str, str] = {}
        self.slowest = 0.0
        self.where = ""
        self.tried = ""
        self._breaches: dict[str, Breach] = {}
        self._lines: deque[str] = deque(maxlen=_SHOWN_LINES)
        self._due: Counter[str] = Counter()
        self._stops = 0
        self._may_refuse = False
        self._has_name = False
        self._asked: float | None = None

    @property
    def breaches(self) -> tuple[Breach, ...]:
        """The first breach of each requirement."""
        return tuple(self._breaches.values())

    def misses(self, *requirements: str) -> bool:
        return not self._breaches.keys().isdisjoint(requirements)

    def add_breach(self, requirement: str, why: str) -> None:
        kept = self._breaches.get(requirement) or Breach(requirement, why, tuple(self._lines), 0, self.where)
        self._breaches[requirement] = replace(kept, times=kept.times + 1)

    def note(self, mark: str, line: str) -> None:
        if not line.startswith(("info ", "events ")):
            self._lines.append(shortened(f"{mark} {line.rstrip()}", _LONGEST_SHOWN))
        word = line.partition(" ")[0].strip()
        if mark == ">":
            self._note_question(word, line)
        elif mark == "<" and word:
            self._note_answer(word, line)

    def _note_question(self, word: str, line: str) -> None:
        self._may_refuse = True
        self._stops += word == "stop"
        if word == "durak":
            self._due.clear()
            self._has_name = False
        if word == "go":
            self._asked = monotonic() if " time " in line else None
        if word in _ANSWERS:
            self._due[_ANSWERS[word]] += 1

    def _note_answer(self, word: str, line: str) -> None:
        if not line.isascii():
            self.add_breach("form", "found a character that is not ASCII: expected none")
        if word in _ANSWERS.values():
            self._settle(word)
        elif word == "error":
            self._check_error(line)
        elif not self._due.total():
            self.add_breach("silence", "nothing was asked: expected no line")
        elif self.tried and word != "info":
            self.add_breach(self.tried, f"found {word}: expected an error or nothing")
        elif line.startswith("id name "):
            self._has_name = True

    def _settle(self, word: str) -> None:
        if not self._due[word]:
            question = next(asked for asked, answer in _ANSWERS.items() if answer == word)
            self.add_breach("once", f"found {word} once more: expected one for each {question}")
            return
        self._due[word] -= 1
        if word == "durakok" and not self._has_name:
            self.add_breach("greeting", "found no name: expected id name NAME before durakok")
        if word == "bestmove" and self._asked is not None:
            self.slowest = max(self.slowest, 1000 * (monotonic() - self._asked))
        self._may_refuse = bool(self._due.total())

    def _check_error(self, line: str) -> None:
        subject, colon, _ = line.removeprefix("error ").partition(":")
        if not colon or " " in subject:
            self.add_breach("form", "found an error that names no command: expected error COMMAND: TEXT")
        if self.tried == "lines":
            self.add_breach("lines", "found an error: expected nothing")
        elif subject == "go" and self._due["bestmove"]:
            self._due["bestmove"] -= 1
        elif subject == "stop" and self._stops:
            self._stops -= 1  # allowed to arrive too late
        elif not self._may_refuse:
            self.add_breach("silence", "nothing was asked: expected no error")


def check_engine(
    command: Sequence[str],
    *,
    games: int = GAMES,
    grace_period: float = 10.0,
    moment: float = 0.3,
    on_game: Callable[[], None] = lambda: None,
) -> EngineCheck:
    """Play games under all rules with an engine, then test special cases.

    Args:
        command: Command line of the engine.
        games: Number of games.
        grace_period: Grace period in seconds beyond an answer's time.
        moment: Seconds to observe an engine that must stay silent, or search.
        on_game: Called after each game.

    Raises:
        AgentError: If the engine cannot start, or refuses all rules.
    """
    check = EngineCheck()
    engine = partial(EngineAgent, shlex.join(command), command, grace_period=grace_period, note=check.note)
    with closing(engine(_SHORT)) as agent:
        _play_games(agent, check, games, on_game)
        check.name = agent.name
    if check.rules and not check.misses(*_HOPELESS):
        rules = next(iter(check.rules.values()))
        with closing(engine(_SAME)) as agent:
            _play_again(agent, check, rules)
        client = EngineClient(command, grace_period=grace_period)
        client.note = check.note
        deals = (State.deal(rules, seed) for seed in count())
        seen = next(deal.observation(deal.turn or 0) for deal in deals if len(deal.legal_actions) > 1)
        asyncio.run(_try_all(_Cases(client, check, seen, moment)))
    elif check.refused and not check.games:
        raise AgentError("the engine refuses all rules: {why}", why=next(iter(check.refused.values())))
    return check


def _play_games(agent: EngineAgent, check: EngineCheck, games: int, on_game: Callable[[], None]) -> None:
    """Play games under evenly spaced rules, with the engine on every seat in turn."""
    every = tuple(checked_rules())
    every = every[:: max(1, len(every) // games)]
    failed = 0
    for number in count():
        if check.games == games or len(check.refused) == len(every) or failed == _MOST_FAILED:
            break
        rules = every[number % len(every)]
        if rules.text in check.refused:
            continue
        check.where = rules.text
        try:
            _play(agent, State.deal(rules, number), number, number % rules.seats)
        except AgentError as error:
            cause = error.__cause__
            if isinstance(cause, EngineError) and not cause.requirement:
                check.refused[rules.text] = str(cause)
                continue
            if cause is None or isinstance(cause.__cause__, OSError):
                raise
            if _note_failure(check, cause) in _HOPELESS or not isinstance(error, ForfeitError):
                break
            failed += 1
        check.rules[rules.text] = rules
        check.games += 1
        on_game()
    check.where = ""


def _play(agent: EngineAgent, state: State, seed: int, seat: int) -> tuple[Move, ...]:
    agents: list[Agent] = [make_agent(("random", "greedy")[place % 2]) for place in range(state.rules.seats)]
    agents[seat] = agent
    return play_from(state, agents, derive(seed, AGENTS_STREAM)).record.moves


def _note_failure(check: EngineCheck, cause: BaseException | None) -> str:
    """Record a failure, and return the requirement that the client or the rules name."""
    requirement = cause.requirement if isinstance(cause, EngineError) else "legal"
    check.add_breach(requirement, str(cause))
    return requirement


def _play_again(agent: EngineAgent, check: EngineCheck, rules: Rules) -> None:
    """Play a game twice with another in between; with the option Seed, choices must repeat."""
    state, other = State.deal(rules, 1), State.deal(rules, 2)
    try:
        moves = _play(agent, state, 1, 0)
        agent.begin(rules, other.turn or 0, 2)
        agent.choose(other.observation(other.turn or 0))
        again = _play(agent, state, 1, 0)
    except AgentError as error:
        _note_failure(check, error.__cause__)
        return
    if agent.seed_option is not None and moves != again:
        before, now = next(pair for pair in zip(moves, again, strict=False) if pair[0] != pair[1])
        found = f"it chose {now.action} where it had chosen {before.action}"
        check.add_breach("newgame", f"{found}: expected the same with the same Seed")


@dataclass(frozen=True, slots=True)
class _Cases:
    """Special cases; a new process starts if the last one has ended."""

    client: EngineClient
    check: EngineCheck
    seen: Observation
    moment: float

    async def is_silent_and_takes_a_second(self) -> None:
        await self.client.choose(self.seen, _SHORT)
        await asyncio.sleep(self.moment)
        await self.client.choose(self.seen, Budget())

    async def survives_the_unknown(self) -> None:
        self.check.tried = "unknown"
        for line in ("yodel 7 times", "setoption name Yodel value 7", "observation yodel"):
            self.client.send(line)
        await self.client.ready()
        for option in self.client.options.values():
            if is_number(option):
                self.client.send(f"setoption name {option.name} value yodel")
        await self.client.ready()
        self.check.tried = ""
        await self.client.choose(self.seen, _SHORT)

    async def ignores_empty_lines(self) -> None:
        self.check.tried = "lines"
        self.client.send("")
        self.client.send("  ")
        await self.client.ready("isready\r")

    async def ignores_case(self) -> None:
        for option in tuple(self.client.options.values()):
            if option.default:
                await self.client.set_option(option.name.swapcase(), option.default)

    async def answers_while_it_searches(self) -> None:
        search = await self.client.go(self.seen, _ENDLESS)
        await asyncio.sleep(self.moment)
        try:
            await self.client.ready()
        except EngineError as error:
            if error.requirement == "start" and search.is_over:
                search.choice  # noqa: B018 - raises the reason why the process ended
            raise
        await search.stop()

    async def stops(self) -> None:
        search = await self.client.go(self.seen, _ENDLESS)
        await search.stop()
        self.client.send("stop")  # allowed to arrive too late
        await self.client.ready()
        await self.client.choose(self.seen, _SHORT)

    async def quits(self) -> None:
        await self.client.go(self.seen, _ENDLESS)
        self._check_end("quit", await self.client.close())

    async def ends_with_its_input(self) -> None:
        self._check_end("end", await self.client.close_input())

    def _check_end(self, requirement: str, code: int | None) -> None:
        if self.check.misses("start", "form"):
            return  # the process has already ended
        if code is None:
            self.check.add_breach(requirement, "it did not end: expected exit code 0")
        elif code < 0:
            why = f"it ended by signal {signal_name(code)}: expected exit code 0"
            self.check.add_breach(requirement, why)
        elif code:
            self.check.add_breach(requirement, f"it ended with exit code {code}: expected 0")


async def _try_all(cases: _Cases) -> None:
    """Run every case; errors count as breaches of its requirement unless the client names another."""
    check = cases.check
    try:
        for requirement, attempt in (
            ("", cases.is_silent_and_takes_a_second),
            ("unknown", cases.survives_the_unknown),
            ("lines", cases.ignores_empty_lines),
            ("options", cases.ignores_case),
            ("alive", cases.answers_while_it_searches),
            ("stop", cases.stops),
            ("quit", cases.quits),
            ("end", cases.ends_with_its_input),
        ):
            check.tried = ""
            try:
                await cases.client.new_game(cases.seen.rules)
                await attempt()
            except EngineError as error:
                # the engine fails to start or get ready because of this case
                is_symptom = (
                    requirement
                    and error.requirement in ("start", "ready")
                    and not check.misses(error.requirement)
                )
                check.add_breach(requirement if is_symptom else error.requirement or "refusal", str(error))
    finally:
        await cases.client.close()
