"""What fails for a while, such as saving on a full disk: said once, and once more when it works again."""

from __future__ import annotations

from collections.abc import Callable

from durak_core.messages import Message
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import translate


class Trouble:
    """Hears of every attempt, and tells the person only of the first that fails and the next that works.

    Args:
        tell: Called with a sentence for the person.
        is_over: The sentence that says that it works again, marked for translation.

    Attributes:
        problem: What the last attempt came to; None if it worked.
    """

    def __init__(self, tell: Callable[[str], None], is_over: str) -> None:
        self._tell = tell
        self._is_over = is_over
        self.problem: Message | str | None = None

    def report(self, problem: Message | str | None) -> None:
        """Hear what an attempt came to: a sentence that says what is wrong, or None."""
        before, self.problem = self.problem, problem
        if problem is not None and before is None:
            self._tell(core_words(problem))
        elif problem is None and before is not None:
            self._tell(translate(self._is_over))
