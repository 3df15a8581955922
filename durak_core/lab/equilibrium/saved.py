"""Files of equilibria, read within limits and without NumPy, and the agent `equilibrium` that plays them.

The file holds four arrays:

==========  =======  ==========================================================================
``about``   uint8    an `EquilibriumAbout` as JSON in UTF-8
``keys``    int64    the information sets with hidden cards, ascending, as `information_set` computes them
``widths``  uint8    number of legal actions of each
``shares``  float32  probability of each legal action, in order, set after set
==========  =======  ==========================================================================

Once both seats know all cards, optimal play needs no file: `durak_core.lab.equilibrium.endgames`.
"""

from __future__ import annotations

import json
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

from durak_core.actions import decode, encode
from durak_core.agents.base import (
    ONLY,
    Agent,
    AgentInfo,
    AgentOption,
    AgentValues,
    Decision,
    SeededAgent,
    legal_codes,
)
from durak_core.cards import CardSet
from durak_core.config import TABLE, OneOf, Range, expected, read
from durak_core.errors import AgentError, DurakError, FileError, Message
from durak_core.files import MEGABYTE, read_bytes, read_json, unreadable, write_bytes_atomically
from durak_core.game import events
from durak_core.game.observation import Observation
from durak_core.kernel.position import MAX_ACTIONS, mixed, next_random
from durak_core.knowledge.certain import visible_position
from durak_core.lab.equilibrium import cfr  # noqa: F401 - declares all that is compiled with the endgames
from durak_core.lab.equilibrium.endgames import BY_CHANCE, EndgameTable
from durak_core.npz import Expected, archive_of, read_arrays
from durak_core.rules import Rules
from durak_core.search.backend.backend import backend
from durak_core.search.endgame.solver import known_to_the_end

FORMAT: Final = "durak-equilibrium/1"
"""Name of this format; any change of the arrays, the keys or the order of actions changes it."""

_LARGEST: Final = 300 * MEGABYTE
"""Maximum file size in bytes."""
_MOST_SETS: Final = 10_000_000
_ARRAYS: Final = {
    "about": Expected("|u1", MEGABYTE // 16),
    "keys": Expected("<i8", 8 * _MOST_SETS + MEGABYTE),
    "widths": Expected("|u1", _MOST_SETS + MEGABYTE),
    "shares": Expected("<f4", 16 * _MOST_SETS + MEGABYTE),
}
_CODES: Final = {"<i8": "q", "|u1": "B", "<f4": "f"}
_ROUNDING: Final = 1e-4

Strategy: TypeAlias = Iterable[tuple[int, Sequence[float]]]
"""The key of each information set, ascending, and the probabilities of its legal actions."""


@dataclass(frozen=True, slots=True)
class EquilibriumAbout:
    """An equilibrium's metadata.

    Attributes:
        rules: Spec of the solved rules.
        nash_conv: Sum of the best responses' values.
        value: First attacker's expected return.
        iterations: Number of iterations of CFR+.
    """

    format: Annotated[str, OneOf((FORMAT,))]
    rules: str
    nash_conv: Annotated[float, Range(0, 4)]
    value: Annotated[float, Range(-1, 1)]
    iterations: Annotated[int, Range(0, 10**9)]


@dataclass(frozen=True)
class Equilibrium:
    """A strategy for both seats; ``starts`` has the first share of each key, and the number of shares."""

    about: EquilibriumAbout
    rules: Rules
    keys: Sequence[int] = field(repr=False)
    starts: Sequence[int] = field(repr=False)
    shares: Sequence[float] = field(repr=False)

    def probabilities(self, key: int) -> Sequence[float] | None:
        """Return the probabilities of an information set's legal actions; None for an unknown key."""
        place = bisect_left(self.keys, key)
        if place == len(self.keys) or self.keys[place] != key:
            return None
        return self.shares[self.starts[place] : self.starts[place + 1]]


def information_set(observation: Observation) -> int:
    """Return the key of what the seat to act has seen, by the hash of `durak_core.lab.equilibrium.cfr`.

    It covers the initial hand, the first trump card, the first attacker and why it attacks first, every
    action, and the seat's hand after each. Histories that differ in any of these have different keys, even if
    they end in the same position.
    """
    hand = after = observation.hand.mask
    trump, first = observation.trump_card, 0
    steps = []
    for event in reversed(observation.events):
        if isinstance(event, events.ActionEvent):
            steps.append((encode(events.action_of(event)), after))
        before = _hand_before(event, hand) if getattr(event, "seat", None) == observation.seat else hand
        if isinstance(event, events.ActionEvent):
            after = before
        if isinstance(event, events.Exchanged):
            trump = event.taken
        if isinstance(event, events.BoutBegan):
            first = event.attacker + 1 + BY_CHANCE * (event.first_by == events.FirstBy.CHANCE)
        hand = before
    key = mixed(mixed(0 if trump is None else trump.number, first), hand)
    for code, held in reversed(steps):
        key = mixed(mixed(key, code), held)
    return mixed(key, observation.seat + 1)


def _hand_before(event: events.Event, hand: int) -> int:
    """Return a seat's cards before an event of its own."""
    match event:
        case events.Attacked(_, card) | events.Defended(_, card) | events.Transferred(_, card):
            return hand | card.mask
        case events.Exchanged(_, given, taken):
            return hand & ~taken.mask | given.mask
        case events.TableTaken(_, cards):
            return hand & ~cards.mask
        case events.Drew(cards=drawn) if drawn is not None:
            return hand & ~CardSet.of(drawn).mask
    return hand


def write_equilibrium(path: Path, about: EquilibriumAbout, strategy: Strategy) -> None:
    """Write an equilibrium's file.

    Raises:
        FileError: If it cannot be written.
        DurakError: If there are more information sets than `read_equilibrium` accepts.
    """
    keys, widths, shares = array("q"), array("B"), array("f")
    for key, probabilities in strategy:
        keys.append(key)
        widths.append(len(probabilities))
        shares.extend(probabilities)
    contents = {"keys": _little(keys), "widths": widths.tobytes(), "shares": _little(shares)}
    for name, data in contents.items():
        if len(data) > _ARRAYS[name].most - MEGABYTE:
            raise DurakError(
                "{count} information sets are too many for a file: expected at most {most}",
                count=f"{len(keys):,}",
                most=f"{_MOST_SETS:,}",
            )
    contents["about"] = json.dumps(asdict(about)).encode()
    write_bytes_atomically(path, archive_of({name: (_ARRAYS[name].kind, contents[name]) for name in _ARRAYS}))


def load_equilibrium(path: Path) -> Equilibrium:
    """Read a file with `read_equilibrium`, cached while it does not change."""
    try:
        changed = path.stat().st_mtime_ns
    except (OSError, ValueError) as error:
        raise AgentError(unreadable(path, error).message) from None
    return _read(path, changed)


@lru_cache(maxsize=4)
def _read(path: Path, _changed: int) -> Equilibrium:
    return read_equilibrium(path)


def read_equilibrium(path: Path) -> Equilibrium:
    """Read an equilibrium.

    Raises:
        AgentError: If the file cannot be read, is damaged, or is no equilibrium of rules that are known here.
    """
    try:
        return _equilibrium(read_arrays(read_bytes(path, _LARGEST), _ARRAYS))
    except FileError as error:
        raise AgentError(error.message) from None
    except DurakError as error:
        raise AgentError("{path} is not an equilibrium's file: {why}", path=path, why=error) from None


def _equilibrium(arrays: dict[str, bytes]) -> Equilibrium:
    try:
        told: Any = read_json(arrays["about"].decode("utf-8"))
    except UnicodeDecodeError:
        raise AgentError("about is not UTF-8 text") from None
    if not isinstance(told, dict):
        raise expected(TABLE, told).under("about")
    about = read(EquilibriumAbout, told)
    keys, widths, shares = (_numbers(arrays, name) for name in ("keys", "widths", "shares"))
    starts = array("q", accumulate(widths, initial=0))
    if len(widths) != len(keys) or starts[-1] != len(shares):
        raise AgentError("keys, widths and shares do not fit together")
    if any(after <= before for before, after in pairwise(keys)):
        raise AgentError("the keys do not ascend")
    if not all(2 <= width <= MAX_ACTIONS for width in set(widths)):
        raise AgentError("a width is not from 2 to {most}", most=MAX_ACTIONS)
    if not all(0 <= share <= 1 for share in shares):
        raise AgentError("a share is not from 0 to 1")
    for first, last in pairwise(starts):
        if abs(sum(shares[first:last]) - 1) > _ROUNDING:
            raise AgentError("the shares of an information set do not add up to 1")
    return Equilibrium(about, Rules.parse(about.rules), keys, starts, shares)


def _numbers(arrays: dict[str, bytes], name: str) -> array[Any]:
    numbers: array[Any] = array(_CODES[_ARRAYS[name].kind])
    numbers.frombytes(arrays[name])
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _little(numbers: array[Any]) -> bytes:
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers.tobytes()


_NO_FILE: Final = ""


class EquilibriumAgent(SeededAgent):
    """Draws its actions from an equilibrium's probabilities, and plays optimally once all cards are known.

    Raises:
        AgentError: For rules other than the solved ones, and for a position that no deal under them leads to.
    """

    def __init__(self, text: str, equilibrium: Equilibrium) -> None:
        super().__init__(text)
        self._equilibrium = equilibrium
        self._endgames: EndgameTable | None = None

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        self._check(rules)
        super().begin(rules, seat, seed)

    def choose(self, observation: Observation) -> Decision:
        codes = legal_codes(observation)
        if len(codes) == 1:
            return Decision(observation.legal_actions[0], ONLY)
        shares = self.probabilities(observation)
        sums = list(accumulate(shares))
        drawn = sums[-1] * next_random(self._rng) / (1 << 32)
        place = next(place for place, until in enumerate(sums) if drawn < until)
        reason = Message("plays this {share} of the time", share=f"{shares[place] / sums[-1]:.0%}")
        return Decision(decode(codes[place]), reason)

    def probabilities(self, observation: Observation) -> Sequence[float]:
        self._check(observation.rules)
        if known_to_the_end(observation):
            return self._in_endgame(observation)
        shares = self._equilibrium.probabilities(information_set(observation))
        if shares is None or len(shares) != len(observation.legal_actions):
            raise AgentError(
                "{agent} knows no such history: expected a game of {rules} from its deal, "
                "in which the lowest trump attacks first",
                agent=self.text,
                rules=self._equilibrium.rules,
            )
        return shares

    def _in_endgame(self, observation: Observation) -> Sequence[float]:
        if self._endgames is None:
            self._endgames = EndgameTable(observation.rules, backend("solve"))
        optimal = self._endgames.optimal(visible_position(observation))
        return [is_optimal / sum(optimal) for is_optimal in optimal]

    def _check(self, rules: Rules) -> None:
        if rules != self._equilibrium.rules:
            raise AgentError(
                "{agent} is an equilibrium of {solved} and cannot play {rules}: take another agent, or "
                "a file that durak solve wrote for these rules",
                agent=self.text,
                solved=self._equilibrium.rules,
                rules=rules,
            )


def _make_agent(text: str, values: AgentValues) -> Agent:
    if values["file"] == _NO_FILE:
        raise AgentError(
            "{agent} needs a file: expected equilibrium:file=FILE after durak solve RULES --save FILE",
            agent=text,
        )
    return EquilibriumAgent(text, load_equilibrium(Path(values["file"])))


EQUILIBRIUM: Final = AgentInfo(
    "equilibrium",
    "Equilibrium",
    "Plays a tiny deck so that no opponent can gain.",
    "exact",
    _make_agent,
    (
        AgentOption(
            "file",
            "saved equilibrium of the rules",
            _NO_FILE,
            words="the path of a file that durak solve --save wrote",
            is_file=True,
        ),
    ),
    method="Draws its actions from an equilibrium that durak solve saved.",
)
