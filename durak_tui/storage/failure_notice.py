"""Notices of persistent failures, such as a full disk."""

from __future__ import annotations

from collections.abc import Callable

from durak_core.messages import Message
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import translate


class FailureNotice:
    """Reports the first of several failures, and the next success.

    Args:
        tell: Called with a message for the player.
        is_over: The message after a success, marked for translation.

    Attributes:
        problem: Why the last attempt failed; None if it succeeded.
    """

    def __init__(self, tell: Callable[[str], None], is_over: str) -> None:
        self._tell = tell
        self._is_over = is_over
        self.problem: Message | str | None = None

    def report(self, problem: Message | str | None) -> None:
        """Record an attempt's outcome: an error message, or None."""
        before, self.problem = self.problem, problem
        if problem is not None and before is None:
            self._tell(core_words(problem))
        elif problem is None and before is not None:
            self._tell(translate(self._is_over))
