"""Options of your own agents: the keyword arguments of their classes."""

from __future__ import annotations

import inspect
import math
import types
import typing
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Literal

from durak_core.agents.options import OPEN, AgentOption
from durak_core.errors import AgentError
from durak_core.messages import Message, alternatives

REQUIRED: Final = object()
"""Default of an option that the spec must give."""

_NONE: Final = "none"
_KINDS: Final[Mapping[type, str]] = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    Path: "a path",
}


def parameters_of(name: str, kind: Any) -> list[AgentOption]:  # noqa: ANN401 - as above
    """Return the options that a class or function takes as keyword arguments."""
    try:
        signature = inspect.signature(kind)
    except NameError:  # from Python 3.14 on
        late: dict[str, Any] = {"annotation_format": import_module("annotationlib").Format.FORWARDREF}
        signature = inspect.signature(kind, **late)
    except (TypeError, ValueError):  # classes in C
        return []
    is_class = isinstance(kind, type)
    function = inspect.unwrap(kind.__init__ if is_class else getattr(kind, "func", kind))
    names = getattr(function, "__globals__", {})
    found = []
    for parameter in [_evaluated(one, names) for one in signature.parameters.values()]:
        if parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}:
            continue
        option = None
        if parameter.kind is not parameter.POSITIONAL_ONLY:
            with suppress(Exception):  # of objects that cannot be hashed or compared
                option = _option(parameter)
        if parameter.name == OPEN.name:
            raise AgentError("{name}: the argument open is an option of every agent: rename it", name=name)
        if option is not None:
            found.append(option)
        elif parameter.default is parameter.empty:
            raise AgentError(
                "{name} needs {argument}, which no text can give: expected a default, or an argument that is "
                "a number, a text, a path, yes or no",
                name=name,
                argument=str(parameter),
            )
    return found


def _evaluated(parameter: inspect.Parameter, names: dict[str, Any]) -> inspect.Parameter:
    """Evaluate an annotation that is text, unless it has names that only type checkers import."""
    if isinstance(parameter.annotation, str):
        with suppress(Exception):
            return parameter.replace(annotation=eval(parameter.annotation, names))  # noqa: S307 - code of the agent
    return parameter


def _option(parameter: inspect.Parameter) -> AgentOption | None:
    """Return the option of a keyword argument, or None if a text cannot give its value."""
    default: Any = REQUIRED if parameter.default is parameter.empty else parameter.default
    bool(default == REQUIRED)  # fails here if values cannot be compared with it
    kinds: tuple[Any, ...] = (parameter.annotation,)
    if typing.get_origin(parameter.annotation) in {typing.Union, types.UnionType}:
        kinds = typing.get_args(parameter.annotation)
    if parameter.annotation is parameter.empty:
        kinds = (str if default is REQUIRED or default is None else type(default),)
    allows_none = default is None or types.NoneType in kinds
    kinds = tuple([kind for kind in kinds if kind is not types.NoneType])
    choices: tuple[Any, ...] = (False, True) if kinds == (bool,) else ()
    if len(kinds) == 1 and typing.get_origin(kinds[0]) is Literal:
        choices = typing.get_args(kinds[0])
    words = {_word(value): value for value in choices}
    if not words and (not kinds or not all(kind in _KINDS for kind in kinds)):
        return None
    kinds = () if words else tuple([kind for kind in _KINDS if kind in kinds])
    return ParameterOption(
        parameter.name, "", default, tuple(words), kinds=kinds, values=words, allows_none=allows_none
    )


def _word(value: object) -> str:
    """Return a value of a ``Literal`` as written in specs."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return _NONE if value is None else str(value)


@dataclass(frozen=True, slots=True)
class ParameterOption(AgentOption):
    """An option that is a keyword argument.

    Attributes:
        kinds: Types of the argument, some of int, float, str and Path; the first that fits is taken.
        values: Values of the choices, of a bool or ``Literal`` without ``kinds``.
        allows_none: Whether ``none`` stands for None.
    """

    kinds: tuple[type, ...] = (str,)
    values: Mapping[str, Any] = field(default_factory=dict)
    allows_none: bool = False

    @property
    def is_flag(self) -> bool:
        return set(self.choices) == {"off", "on"}

    @property
    def expected(self) -> Message | str:
        words: tuple[str, ...] = self.choices or tuple([_KINDS[kind] for kind in self.kinds])
        return alternatives(*words, *[_NONE] * self.allows_none)

    def read(self, text: str) -> Any:  # noqa: ANN401 - of the argument's type
        word = text.strip()
        if self.allows_none and word == _NONE:
            return None
        if word in self.values:
            return self.values[word]
        for kind in self.kinds:
            with suppress(ValueError):
                value: Any = kind(word)
                if not isinstance(value, float) or math.isfinite(value):
                    return value
                break
        raise self._refused(text)

    def show(self, value: Any) -> str:  # noqa: ANN401 - as above
        if value is REQUIRED:
            return "required"
        if isinstance(value, float) and float(f"{value:g}") == value:
            return f"{value:g}"
        return _word(value)
