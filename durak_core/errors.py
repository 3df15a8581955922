"""The exceptions of `durak_core`.

The tree::

    DurakError
    ├── RulesError            unplayable rules, unknown options and presets
    ├── DealError             a deck or deal that does not fit the rules
    ├── ActionError           an invalid action
    │   └── IllegalActionError    an action that the rules forbid here (rules 10.1)
    ├── NotationError         text that does not parse; has its position
    │   └── RecordError           a game that parses but is illegal
    │       └── BrokenGameError       a damaged game; keeps the readable part
    │                                 (durak_core.game.record)
    ├── KnowledgeError        a contradiction, an unknown subject, or a computation beyond the limits
    ├── FileError             a file that cannot be read or written, or is too large
    ├── AgentError            unknown agents, unknown or invalid parameters, illegal choices
    │   └── ForfeitError          an external agent failed in its game
    ├── ClusterError          a cluster that does not respond, has no workers, or runs other sources
    └── EngineError           an engine that does not start, breaks the protocol, hangs or crashes

All are also ``ValueError``.
"""

from __future__ import annotations

from durak_core.messages import Message, by_rule


class DurakError(ValueError):
    """Base class; its text can be shown to users.

    Args:
        template: The template of a `Message`, or a finished `Message`.
        rule: The paragraph of docs/rules.md to cite, such as ``"5.3"``.
    """

    def __init__(self, template: str | Message, /, rule: str = "", **values: object) -> None:
        message = template if isinstance(template, Message) else Message(template, **values)
        super().__init__(by_rule(rule, message) if rule else message)

    @property
    def message(self) -> Message:
        message: Message = self.args[0]
        return message


class RulesError(DurakError):
    """Unplayable rules, or an unknown or invalid option, value or preset."""


class DealError(DurakError):
    """A deck or a deal that does not fit the rules."""


class ActionError(DurakError):
    """An invalid action text or code."""


class IllegalActionError(ActionError):
    """An action that the rules forbid in this state (rules 10.1).

    Attributes:
        paragraph: The forbidding paragraph of docs/rules.md, such as ``"5.3"``.
        reason: The reason, one clause.
        legal: The texts of the legal actions.
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
        """Support pickling, which would pass the message only."""
        return type(self), (self.action, self.paragraph, self.reason, self.legal)


class NotationError(DurakError):
    """Text that does not follow the notation; ``position`` is the offending index, or None."""

    def __init__(
        self, template: str | Message, /, position: int | None = None, rule: str = "", **values: object
    ) -> None:
        self.position = position
        super().__init__(template, rule, **values)
        if position is not None:
            where = Message("{what} (at character {number})", what=self.message, number=position + 1)
            self.args = (where,)


class RecordError(NotationError):
    """An illegal recorded game; ``ply`` is the number of the offending action, from 1, or None."""

    def __init__(
        self, template: str | Message, /, ply: int | None = None, rule: str = "", **values: object
    ) -> None:
        self.ply = ply
        super().__init__(template, None, rule, **values)
        if ply is not None:
            self.args = (Message("ply {ply}: {what}", ply=ply, what=self.message),)


class KnowledgeError(DurakError):
    """An event or announcement that contradicts what is known, or a query without an answer."""


class FileError(DurakError):
    """A file that cannot be read or written, or has the wrong type; ``why`` does not name it."""

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
    """An unknown agent or option, or an invalid value."""


class ForfeitError(AgentError):
    """An external agent crashed, hung, or chose an illegal action, and forfeits its game."""


class ClusterError(DurakError):
    """A cluster that does not respond, has no workers, or runs other sources."""


class EngineError(DurakError):
    """An engine that does not start, violates the protocol, hangs or crashes.

    ``requirement`` names the violated conformance requirement of docs/protocol.md, if any.
    """

    def __init__(self, template: str | Message, /, requirement: str = "", **values: object) -> None:
        self.requirement = requirement
        super().__init__(template, "", **values)
