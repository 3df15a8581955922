"""The results file: JSON with one entry per task, rewritten after each."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from durak_core.errors import DurakError, FileError
from durak_core.files import MEGABYTE, read_text, write_text_atomically
from durak_core.json_text import read_json
from durak_core.lab.experiments.tasks import DRAW, Task, key_of
from durak_core.lab.matches.game import GameSummary
from durak_core.lab.matches.match import Match, filled
from durak_core.lab.stats.match_results import ResultMeasure, agent_json, tally_match
from durak_core.rules import Rules
from durak_core.statistics import Share

FORMAT: Final = "durak-experiment/1"
"""Format name in the files of a results folder."""

_LARGEST: Final = 64 * MEGABYTE

Kind = TypeVar("Kind")


class ResultsError(DurakError):
    """An invalid results file."""


def load_json(path: Path, parse: Callable[[Any], Kind]) -> Kind:
    """Read a file of this format; `ResultsError` if it has other content, `FileError` if it is unreadable."""
    text = read_text(path, _LARGEST)
    try:
        told: Any = read_json(text, _LARGEST)
        found = told["format"]
        if found == FORMAT:
            return parse(told)
    except DurakError as error:
        raise ResultsError("{path} holds no results: {why}", path=path, why=error) from None
    except KeyError as error:
        raise ResultsError("{path} holds no results: there is no {key}", path=path, key=error) from None
    except (ArithmeticError, AttributeError, TypeError, ValueError) as error:
        raise ResultsError("{path} holds no results: {why!r}", path=path, why=error) from None
    raise ResultsError("{path}: format {found!r}: expected {known!r}", path=path, found=found, known=FORMAT)


@dataclass(frozen=True)
class Figure:
    """A player's score or loss rate in a match; ``decisions`` counts timed decisions.

    ``otherwise`` is a contradicting figure of the same match with another seed and at least as many games.
    """

    share: Share
    games: int
    forfeits: int
    decisions: int
    seconds: float
    otherwise: Figure | None = None

    @classmethod
    def of(cls, agent: Mapping[str, Any], measure: ResultMeasure) -> Self:
        share = Share(float(agent[measure.key]), *map(float, agent[measure.interval_key]))
        games, forfeits, decisions = (int(agent[name]) for name in ("games", "forfeits", "decisions"))
        if agent["seconds"] is None:  # an external engine without psutil
            return cls(share, games, forfeits, 0, 0.0)
        return cls(share, games, forfeits, decisions, float(agent["seconds"]))

    def contradicts(self, other: Figure) -> bool:
        """Return whether two figures differ significantly (p < 0.05)."""
        low, high = sorted([self.share, other.share], key=lambda share: share.value)
        return high.value - low.value > math.hypot(low.high - low.value, high.value - high.low)


@dataclass(frozen=True)
class TaskResult:
    """A completed task with its `Task.play` output in ``tally``; ``jobs`` is the number of processes."""

    settings: Mapping[str, Any]
    commit: str
    machine: str
    jobs: int
    seconds: float
    tally: Mapping[str, Any]

    @classmethod
    def checked(cls, key: str, entry: Mapping[str, Any]) -> Self:
        result = cls(**entry)
        if key != key_of(result.settings):
            raise ResultsError("{key} is not the key of its settings", key=key)
        tally, agents = result.tally, []
        if "pruning" in result.settings:
            for what, way in product(("nodes", "seconds"), ("pruned", "whole")):
                float(tally[what][way]) / int(tally["positions"])
        else:
            int(tally["games"])
            agents = tally["agents"]
        for agent, measure in product(agents, ResultMeasure):
            share = Figure.of(agent, measure).share
            if not 0 <= share.low <= share.value <= share.high <= 1:
                raise ResultsError("{share}: expected a share within its interval", share=share)
        texts = (result.commit, result.machine, *[agent["agent"] for agent in agents])
        numbers = (result.jobs, result.settings["seed"])
        for kind, told in [*product([str], texts), *product([int], numbers)]:
            if not isinstance(told, kind):
                raise ResultsError("{told!r}: expected {kind}", told=told, kind=kind.__name__)
        return result

    def agent(self, text: str) -> Mapping[str, Any]:
        """Return a player's figures by spec, the first ones if two players share it."""
        for agent in self.tally["agents"]:
            if agent["agent"] == text:
                found: Mapping[str, Any] = agent
                return found
        message = "{text} did not play in the match of {players}"
        raise ResultsError(message, text=text, players=tuple(one["agent"] for one in self.tally["agents"]))

    def figure(self, player: str, measure: ResultMeasure) -> Figure:
        return Figure.of(self.agent(player), measure)

    def recounted(self) -> bool:
        """Recount a match from its losers; False if they are missing, `ResultsError` if a figure differs."""
        losers = self.tally.get("losers")
        if not losers:
            return False
        settings = self.settings
        rules = Rules.parse(settings["rules"])
        stand_ins = filled(rules, ["greedy"] * len(settings["players"]))  # own agents may be gone
        match = Match(rules, stand_ins, settings["games"], settings["seed"])
        if len(losers) != match.games:
            message = "losers of {found} games: expected {games}"
            raise ResultsError(message, found=len(losers), games=match.games)
        games = (_game(match, number, lost) for number, lost in enumerate(losers))
        for told, agent in zip(self.tally["agents"], tally_match(match, games).agents, strict=True):
            for measure in ResultMeasure:
                kept, again = Figure.of(told, measure).share, Figure.of(agent_json(agent), measure).share
                if not all(map(_is_close, astuple(kept), astuple(again))):
                    raise ResultsError(
                        "{player}: {name} {kept}, but by the losers of the games {again}",
                        player=told["agent"],
                        name=measure.phrase,
                        kept=kept,
                        again=again,
                    )
        return True


def _is_close(kept: float, again: float) -> bool:
    return math.isclose(kept, again, abs_tol=1e-9)


def _game(match: Match, number: int, lost: str) -> GameSummary:
    seating = match.seating(number)
    seats = len(seating)
    if lost != DRAW and lost not in map(str, seating):
        raise ResultsError(
            "game {number} lost by {lost!r}: expected 0 to {last}, or - for a draw",
            number=number,
            lost=lost,
            last=max(seating),
        )
    fool = None if lost == DRAW else seating.index(int(lost))
    return GameSummary(number, seating, fool, 0, 0, (0,) * seats, (0.0,) * seats)


@dataclass
class Results:
    """All results of a file by task key."""

    path: Path
    by_key: dict[str, TaskResult] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Results:
        """Read a file; a missing one has no results. Raises as `load_json` does."""
        try:
            return cls(path, load_json(path, _entries))
        except FileError as error:
            if error.is_missing:
                return cls(path)
            raise

    def get(self, work: Task) -> TaskResult | None:
        return self.by_key.get(work.key)

    def figure(self, work: Task, player: str, measure: ResultMeasure) -> Figure | None:
        """Return a player's figure with any contradicting one, or None if not played."""
        result = self.get(work)
        if result is None:
            return None
        figure = result.figure(player, measure)
        others = [other.figure(player, measure) for other in self.with_other_seeds(work)]
        contradicting = [one for one in others if one.games >= figure.games and figure.contradicts(one)]
        return replace(figure, otherwise=max(contradicting, key=lambda one: one.games, default=None))

    def with_other_seeds(self, work: Task) -> list[TaskResult]:
        wanted = _but_luck(work.settings)
        return [
            result
            for result in self.by_key.values()
            if result.settings["seed"] != work.seed and _but_luck(result.settings) == wanted
        ]

    def recounted(self) -> tuple[int, int]:
        """Recount all matches whose losers are kept; return their number and the total number."""
        matches = {key: result for key, result in self.by_key.items() if "players" in result.settings}
        found = 0
        for key, result in matches.items():
            try:
                found += result.recounted()
            except DurakError as error:
                raise ResultsError("{path}, {key}: {why}", path=self.path, key=key, why=error) from None
        return found, len(matches)

    def add(self, work: Task, result: TaskResult) -> None:
        """Add a result and rewrite the file, keeping entries from concurrent runs.

        Raises as `load_json` does. If the file cannot be written, it is unchanged.
        """
        self.by_key = {**self.by_key, **Results.load(self.path).by_key, work.key: result}
        told = {"format": FORMAT, "entries": {key: vars(one) for key, one in self.by_key.items()}}
        write_text_atomically(self.path, json.dumps(told, indent=1, ensure_ascii=False) + "\n")


def _entries(told: Any) -> dict[str, TaskResult]:  # noqa: ANN401 - JSON
    return {key: TaskResult.checked(key, entry) for key, entry in told["entries"].items()}


def _but_luck(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings without seed and sample size."""
    return {name: value for name, value in settings.items() if name not in ("seed", "games", "positions")}
