"""Everything the core raises on purpose.

The tree::

    DurakError
    ├── RulesError            rules that cannot be played, unknown options and presets
    ├── DealError             a deck or a deal that the rules do not allow
    ├── ActionError           anything wrong with an action
    │   └── IllegalActionError    an action the rules forbid here (rules 10.1)
    ├── NotationError         text that does not parse; knows where
    │   └── RecordError           a game that parses but cannot have been played
    │       └── BrokenGameError       a game that breaks off; keeps what could be read
    │                                 (durak_core.game.record)
    ├── KnowledgeError        what contradicts the known, speaks of what is not there, or is too much
    │                         to be worked out
    ├── FileError             a file that cannot be read or written, or is larger than it may be
    ├── AgentError            unknown agents, unknown or wrong agent parameters, illegal choices
    │   └── ForfeitError          an agent that is another program failed in its game
    ├── ClusterError          a cluster that does not answer, has no workers, or other sources
    └── EngineError           an engine that does not start, breaks the protocol, hangs or crashes

All of them are also ``ValueError``: each one means that some input was wrong, if only another program's.
"""

from __future__ import annotations

from durak_core.messages import Message, by_rule


class DurakError(ValueError):
    """Base of all errors of this package; its text is fit to be shown to a person.

    Args:
        template: The text, as for `Message`, or one that is made already.
        rule: The paragraph of docs/rules.md behind it, such as ``"5.3"``, where it shall be named.
        values: What is filled in.
    """

    def __init__(self, template: str | Message, /, rule: str = "", **values: object) -> None:
        message = template if isinstance(template, Message) else Message(template, **values)
        super().__init__(by_rule(rule, message) if rule else message)

    @property
    def message(self) -> Message:
        """The text with its values."""
        message: Message = self.args[0]
        return message


class RulesError(DurakError):
    """Rules that cannot be played, or an option, value or preset that does not exist."""


class DealError(DurakError):
    """A deck or a deal that does not fit the rules."""


class ActionError(DurakError):
    """An action that cannot be encoded or understood."""


class IllegalActionError(ActionError):
    """An action that the rules forbid in this state.

    Attributes:
        action: The action's text.
        paragraph: The number of the forbidding paragraph in docs/rules.md, such as ``"5.3"``.
        reason: One clause in words.
        legal: The texts of the legal actions.

    Source: rules 10.1.
    """

    def __init__(self, action: str, paragraph: str, reason: Message, legal: tuple[str, ...]) -> None:
        self.action = action
        self.paragraph = paragraph
        self.reason = reason
        self.legal = legal
        message = Message(
            "{action} is not allowed here: {why}; legal: {legal}",
            action=action,
            why=by_rule(paragraph, reason),
            legal=legal or Message("none, the game is over"),
        )
        super().__init__(message)

    def __reduce__(self) -> tuple[type[IllegalActionError], tuple[object, ...]]:
        """Survive the way from one process to another."""
        return type(self), (self.action, self.paragraph, self.reason, self.legal)


class NotationError(DurakError):
    """Text that does not follow the notation.

    Attributes:
        position: Index of the offending character, or None where it has no place.
    """

    def __init__(
        self, template: str | Message, /, position: int | None = None, rule: str = "", **values: object
    ) -> None:
        self.position = position
        super().__init__(template, rule, **values)
        if position is not None:
            where = Message("{what} (at character {number})", what=self.message, number=position + 1)
            self.args = (where,)


class RecordError(NotationError):
    """A recorded game that cannot have been played as written.

    Attributes:
        ply: Number of the offending action, counted from 1, or None.
    """

    def __init__(
        self, template: str | Message, /, ply: int | None = None, rule: str = "", **values: object
    ) -> None:
        self.ply = ply
        super().__init__(template, None, rule, **values)
        if ply is not None:
            self.args = (Message("ply {ply}: {what}", ply=ply, what=self.message),)


class KnowledgeError(DurakError):
    """An event or announcement that contradicts what is known, or a question about it without an answer."""


class FileError(DurakError):
    """A file that cannot be read or written, or is not what it should be.

    Attributes:
        why: The reason alone, for sentences that name the file in their own way.
        is_missing: Whether there is no such file.
    """

    def __init__(
        self,
        template: str | Message,
        /,
        why: Message | str = "",
        *,
        is_missing: bool = False,
        **values: object,
    ) -> None:
        self.why = why
        self.is_missing = is_missing
        super().__init__(template, "", why=why, **values)


class AgentError(DurakError):
    """An agent text that names no agent, no parameter of it, or a value out of range."""


class ForfeitError(AgentError):
    """An agent that is another program has crashed, hung, or chosen what it may not: its game is lost."""


class ClusterError(DurakError):
    """A cluster that does not answer, has nobody who works, or plays by other sources than these."""


class EngineError(DurakError):
    """An engine that does not start, says what the protocol does not know, hangs or crashes.

    Attributes:
        duty: Which of the duties of docs/protocol.md it did not do, by name; empty where it is none of them.
    """

    def __init__(self, template: str | Message, /, duty: str = "", **values: object) -> None:
        self.duty = duty
        super().__init__(template, "", **values)
