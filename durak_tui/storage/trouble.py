"""Trouble that lasts for a while, such as a full disk: reported once, and once more when it is over."""

from __future__ import annotations

from collections.abc import Callable

from durak_core.messages import Message
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import translate


class Trouble:
    """Tells the person of the first attempt that fails and of the next that works.

    Args:
        tell: Called with a sentence for the person.
        is_over: The sentence for an attempt that works again, marked for translation.

    Attributes:
        problem: Why the last attempt failed; None if it worked.
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
