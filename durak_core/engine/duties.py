"""The duties of an engine, as docs/protocol.md names them, and what a talk with one says about them.

>>> listener = Listener()
>>> for mark, line in ((">", "isready"), ("<", "readyok"), ("<", "readyok")):
...     listener.note(mark, line)
>>> [breach.duty for breach in listener.breaches.values()]
['once']
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final

from durak_core.messages import shortened

DUTIES: Final[Mapping[str, str]] = {
    "start": "It starts, and ends only after `quit` or the end of its input.",
    "greeting": "It answers `durak` with `id name`, its options, its `protocol` and `durakok`.",
    "version": "Before `durakok` it names a version of the protocol: 1 or 2.",
    "ready": "It answers each `isready` with `readyok`, after all that came before.",
    "options": "It takes every value that its `option` lines allow, the name in any case.",
    "form": "Its lines are ASCII of at most 16,384 characters; what begins as an answer ends as one.",
    "silence": "It writes nothing where nothing is asked.",
    "once": "It answers each question once: a `go` with one `bestmove` or one `error`.",
    "legal": "Its `bestmove` is an action that the rules allow.",
    "refusal": "Rules that it does not play it refuses after `newgame`; by all others it plays to the end.",
    "time": "It answers `go` within its `time`, and without a budget within a second.",
    "alive": "While it searches without a `time`, it answers `isready`.",
    "stop": "After `stop` it ends its search with a `bestmove`.",
    "unknown": "A command, an option or a value that it does not know gets an `error` or nothing.",
    "lines": "It ignores empty lines, and carriage returns at the ends of lines.",
    "newgame": "After `newgame` it has forgotten all games: the same `Seed` brings the same choices.",
    "quit": "After `quit` it ends with exit code 0, also while it searches.",
    "end": "At the end of its input it ends with exit code 0.",
}
"""What each of them says, by name."""

_SHOWN: Final = 6
"""So many of the last lines a breach is shown with."""

_LONGEST_SHOWN: Final = 300


@dataclass(frozen=True, slots=True)
class Breach:
    """A duty that an engine did not do.

    Attributes:
        why: What was wrong, and what would have been right.
        lines: What was said last, with marks as `EngineClient.note` has them.
        times: How often it happened.
        where: By which rules, if it was in a game.
    """

    duty: str
    why: str
    lines: tuple[str, ...] = ()
    times: int = 1
    where: str = ""


class Listener:
    """Hears what a client and its engine say, line by line, and notes which duties the engine does not do."""

    def __init__(self) -> None:
        self.breaches: dict[str, Breach] = {}
        """The first breach of each duty, by name."""
        self.where = ""
        """What is noted with breaches."""
        self.slowest = 0.0
        """The most seconds from a ``go`` with a time to its answer."""
        self.tried = ""
        """The duty that is tried just now, `unknown` or `lines`: nothing is answered but what it allows."""
        self._lines: deque[str] = deque(maxlen=_SHOWN)
        self._due: Counter[str] = Counter()
        self._stops = 0
        self._may_refuse = False
        self._has_name = False
        self._asked: float | None = None

    def add(self, duty: str, why: str) -> None:
        """Note that a duty was not done, with the last lines said."""
        kept = self.breaches.get(duty) or Breach(duty, why, tuple(self._lines), 0, self.where)
        self.breaches[duty] = replace(kept, times=kept.times + 1)

    def note(self, mark: str, line: str) -> None:
        """Take in a line, with the mark of whose it is."""
        if not line.startswith(("info ", "events ")):
            self._lines.append(shortened(f"{mark} {line.rstrip()}", _LONGEST_SHOWN))
        word = line.partition(" ")[0].strip()
        if mark == ">":
            self._said(word, line)
        elif mark == "<" and word:
            self._heard(word, line)

    def _said(self, word: str, line: str) -> None:
        self._may_refuse = True
        if word == "durak":
            self._due.clear()
            self._has_name = False
        answer = {"durak": "durakok", "isready": "readyok", "go": "bestmove"}.get(word)
        if answer:
            self._due[answer] += 1
        if word == "stop":
            self._stops += 1
        if word == "go":
            self._asked = monotonic() if " time " in line else None

    def _heard(self, word: str, line: str) -> None:
        if not line.isascii():
            self.add("form", "found a character that is not ASCII: expected none")
        if word in ("durakok", "readyok", "bestmove"):
            self._answered(word)
        elif word == "error":
            self._refused(line)
        elif not self._due.total():
            self.add("silence", "nothing was asked: expected no line")
        elif self.tried and word != "info":
            self.add(self.tried, f"found {word}: expected an error or nothing")
        elif line.startswith("id name "):
            self._has_name = True

    def _answered(self, word: str) -> None:
        if not self._due[word]:
            question = {"durakok": "durak", "readyok": "isready", "bestmove": "go"}[word]
            self.add("once", f"found {word} once more: expected one for each {question}")
            return
        self._due[word] -= 1
        if word == "durakok" and not self._has_name:
            self.add("greeting", "found no name: expected id name NAME before durakok")
        if word == "bestmove" and self._asked is not None:
            self.slowest = max(self.slowest, monotonic() - self._asked)
        self._may_refuse = bool(self._due.total())

    def _refused(self, line: str) -> None:
        subject, colon, _ = line.removeprefix("error ").partition(":")
        if not colon or " " in subject:
            self.add("form", "found an error that names no command: expected error COMMAND: TEXT")
        if self.tried == "lines":
            self.add("lines", "found an error: expected nothing")
        elif subject == "go" and self._due["bestmove"]:
            self._due["bestmove"] -= 1
        elif subject == "stop" and self._stops:
            self._stops -= 1  # it came too late, as it may
        elif not self._may_refuse:
            self.add("silence", "nothing was asked: expected no error")
