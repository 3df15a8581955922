"""Specs of your own agents and of their options: files, modules, entry points, Python objects.

A spec is ``path.py:Class`` or ``module:Class``, then options: ``lowest.py:Lowest,depth=3``. Options are the
keyword arguments of the class, or of a function that returns the agent. Agents of other packages are entry
points of the group ``durak.agents`` and have a name: ``lowest:depth=3``. An agent needs only the method
``choose``, and gets observations only.
"""

from __future__ import annotations

import importlib
import inspect
import math
import os
import re
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module, metadata
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Literal, TypeAlias

from durak_core.agents.base import OPEN, Agent, AgentInfo, AgentOption, AgentValues
from durak_core.agents.registry import NamedAgent, read_options
from durak_core.errors import AgentError, DurakError, Message, unknown
from durak_core.files import read_bytes
from durak_core.lab.own_agents.adapter import (
    FAILURES,
    Within,
    adapted,
    attribute_of,
    copied,
    described,
    is_agent,
    said_of,
)
from durak_core.lab.own_agents.origins import (
    DIGITS,
    LARGEST,
    AgentOrigin,
    digest_of,
    file_digest,
    origin_of_code,
    own_folder,
    own_modules,
    version_of,
)

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
    values = {**words, _NONE: None} if allows_none else words
    return ParameterOption(parameter.name, "", default, tuple(words), kinds=kinds, values=values)


def _word(value: object) -> str:
    """Return a value of a ``Literal`` as written in specs."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return _NONE if value is None else str(value)


@dataclass(frozen=True)
class ParameterOption(AgentOption):
    """An option that is a keyword argument; ``none`` among ``values`` stands for None.

    ``kinds`` are the types of an argument without choices, some of int, float, str and Path; the first that
    fits is taken.
    """

    kinds: tuple[type, ...] = (str,)

    @property
    def is_flag(self) -> bool:
        return set(self.choices) == {"off", "on"}

    def beside_choices(self) -> list[Message | str]:
        others = [_NONE] if _NONE in self.values and _NONE not in self.choices else []
        return [*[_KINDS[kind] for kind in self.kinds], *others]

    def parse(self, word: str) -> Any:  # noqa: ANN401 - of the argument's type
        for kind in self.kinds:
            with suppress(ValueError):
                value: Any = kind(word)
                return None if isinstance(value, float) and not math.isfinite(value) else value
        return None

    def show(self, value: Any) -> str:  # noqa: ANN401 - as above
        if value is REQUIRED:
            return "required"
        if isinstance(value, float) and float(f"{value:g}") == value:
            return f"{value:g}"
        return _word(value)


Entrant: TypeAlias = Any
"""A player: an agent spec, a class or function that returns an agent, or an agent.

An object is copied for each of its seats.
"""

GROUP: Final = "durak.agents"
"""Group of the entry points of other packages' agents."""

_FILE: Final = re.compile(r'(?:"([^"]+\.py)"|([^"]+?\.py))(?::([^,]*))?(?:,(.*))?', re.DOTALL)
_MODULE: Final = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*):([^\W\d][\w.]*)(?:,(.*))?", re.DOTALL)

_SEPARATORS: Final = re.compile(r"[,+=]|^\s|\s$")

Recipe: TypeAlias = tuple[Callable[..., NamedAgent], tuple[Any, ...]]
"""How another process reads an agent again: a function and its arguments."""


@dataclass(frozen=True)
class OwnAgent(NamedAgent):
    """An agent from outside this package.

    Attributes:
        recipe: How another process reads it.
        entrant: The object that is no spec, or None.
    """

    origin: AgentOrigin
    recipe: Recipe
    entrant: object = None

    def build(self) -> Agent:
        agent = NamedAgent.build(self)
        if self.values[OPEN.name] is not True and getattr(agent, "wants_all", False):
            raise AgentError("{text} sees all cards: expected its option open", text=self.text)
        return agent

    def check_lasting(self) -> None:
        """Raise `AgentError` if another object of the same source would have the same spec."""
        made_at_run_time = "<" in attribute_of(self.entrant, "__qualname__", "<")
        if self.entrant is not None and made_at_run_time and not _given_text(self.entrant):
            raise AgentError(
                "games of the object {text} cannot be saved: expected an attribute text that names this "
                "object and no other",
                text=self.text,
            )


def files_of(players: Iterable[NamedAgent]) -> list[Path]:
    """Return the files that players' options name: networks, equilibria, any ``Path`` of an own agent."""
    return [file for player in players for file in _named_files(player.info.options, player.values)]


def _named_files(options: Iterable[AgentOption], values: AgentValues) -> Iterator[Path]:
    for option in options:
        value = values[option.name]
        is_path = isinstance(value, Path) or (option.is_file and value not in option.choices)
        if is_path and os.path.isfile(value):  # noqa: PTH113 - Path.is_file raises for long names
            yield Path(value)


def origin_of(player: NamedAgent) -> AgentOrigin | None:
    """Return the origin of an own agent, or of an agent with a file; None for others."""
    if isinstance(player, OwnAgent):
        return player.origin
    return next((AgentOrigin(file.name, file_digest(file)) for file in files_of([player])), None)


def origins_of(players: Iterable[NamedAgent]) -> dict[str, dict[str, str]]:
    """Return the `AgentOrigin` of each agent that has one, by spec, as JSON data."""
    origins = {one.text: origin_of(one) for one in players}
    return {text: origin.as_json() for text, origin in origins.items() if origin}


def own_agent(text: str) -> OwnAgent | None:
    """Read the spec of an own agent; None if it names no file, importable module or entry point.

    Raises:
        AgentError: If the code cannot be loaded, has no such class, or an option is wrong.
    """
    name, _, rest = text.strip().partition(":")
    entry = _entry_points().get(name)
    if entry is not None:
        return _of_entry_point(name, rest)
    if found := _FILE.fullmatch(text.strip()):
        in_quotes, plain, target, rest = found.groups("")
        path = Path(in_quotes or plain)
        head = path.as_posix()
        return _of_file(path, f'"{head}"' if _SEPARATORS.search(head) else head, target.strip(), rest)
    found = _MODULE.fullmatch(text.strip())
    if found is None or not _is_importable(found[1]):
        return None
    module, target, rest = found.groups("")
    return _of_module(module, target, rest, Path.cwd())


def agent_of_object(entrant: Entrant) -> OwnAgent:
    """Read a class, a function that returns an agent, or an agent.

    Its spec is its attribute ``text``, by default the name of its class.

    Raises:
        AgentError: If it is none of these.
    """
    is_object = is_agent(entrant)
    if not is_object and not callable(entrant):
        raise AgentError(
            "{entrant} is no agent: expected an agent spec such as 'greedy', a class with the method choose, "
            "an object of one, or a function that returns one",
            entrant=said_of(entrant),
        )
    kind = type(entrant) if is_object else entrant
    info = _info(_given_text(entrant) or _name_of(kind), entrant, ())
    text, values = read_options(info, OPEN.name if attribute_of(entrant, "sees_all") else "")
    origin = origin_of_code(kind, f"{kind.__module__}:{_name_of(kind)}")
    return OwnAgent(info, text, values, origin, (agent_of_object, (entrant,)), entrant)


def installed_names() -> tuple[str, ...]:
    return tuple(sorted(_entry_points()))


def installed_agents() -> tuple[dict[str, AgentInfo], list[str]]:
    """Return the agents of entry points by name, and a sentence for each one that cannot be loaded."""
    found, errors = {}, []
    for name in installed_names():
        try:
            found[name] = _of_entry_point(name, "").info
        except AgentError as error:
            errors.append(str(error))
    return found, errors


@cache
def _entry_points() -> dict[str, metadata.EntryPoint]:
    return {entry.name: entry for entry in metadata.entry_points(group=GROUP)}


def _of_entry_point(name: str, rest: str) -> OwnAgent:
    entry = _entry_points()[name]
    try:
        kind = entry.load()
    except FAILURES as error:
        package = entry.dist.name if entry.dist else entry.value
        message = "the agent {name} of the package {package} cannot be loaded: {why}"
        raise AgentError(message, name=name, package=package, why=described(error)) from error
    origin = origin_of_code(kind, entry.value, entry.dist.version if entry.dist else "")
    return _read(name, kind, rest, origin, (_of_entry_point, (name, rest)))


def _of_module(module: str, target: str, rest: str, folder: Path, digest: str = "") -> OwnAgent:
    name = f"{module}:{target}"
    _search(folder)
    try:
        loaded = importlib.import_module(module)
    except FAILURES as error:
        message = "the module {module} cannot be imported: {why}"
        raise AgentError(message, module=module, why=described(error)) from error
    kind = _member(loaded, module, target)
    origin = origin_of_code(kind, name, version_of(loaded))
    _check_digest(name, origin.sha256, digest)
    return _read(name, kind, rest, origin, (_of_module, (module, target, rest, folder, origin.sha256)))


def _of_file(path: Path, head: str, target: str, rest: str, digest: str = "") -> OwnAgent:
    try:
        source = read_bytes(path, LARGEST)
    except DurakError as error:
        raise AgentError("{why}: expected FILE.py:CLASS", why=error) from None
    path = path.resolve()
    imported = own_modules(path, source)
    found = digest_of(path, source, imported)
    _check_digest(head, found, digest)
    folder = own_folder(path.parent)
    folder.expect(imported)
    importlib.invalidate_caches()
    with folder.opened():
        loaded = _loaded(path, found)
        kind = _member(loaded, head, target)
        origin = AgentOrigin(f"{path.name}:{target}", found, version_of(loaded))
        recipe = (_of_file, (path, head, target, rest, found))
        return _read(f"{head}:{target}", kind, rest, origin, recipe, folder.opened)


@cache
def _loaded(path: Path, digest: str) -> ModuleType:
    """Run a file as a module of its own; a changed file is another module."""
    name = f"durak_own_{digest[:DIGITS]}_{path.stem}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise AgentError("{path} cannot be loaded: expected a file of Python", path=path)
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except FAILURES as error:
        del sys.modules[name]
        if isinstance(error, ImportError) and "relative import" in str(error):
            message = "{path} is part of a package: expected PACKAGE.MODULE:CLASS instead of a file"
            raise AgentError(message, path=path.name) from error
        message = "{path} cannot be loaded: {why}"
        raise AgentError(message, path=path.name, why=described(error)) from error
    return module


def _check_digest(name: str, found: str, expected: str) -> None:
    if expected and found != expected:
        raise AgentError(
            "{name} has another content here (sha256 {found}): expected {expected}, as it was when the "
            "match began",
            name=name,
            found=found[:DIGITS],
            expected=expected[:DIGITS],
        )


def _search(folder: Path) -> None:
    """Let modules of a folder be imported, after all else."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    importlib.invalidate_caches()


def _is_importable(module: str) -> bool:
    _search(Path.cwd())
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError, AttributeError):
        return False
    except FAILURES:  # of the package around it, which importing it reports
        return True


def _member(module: ModuleType, head: str, target: str) -> Any:  # noqa: ANN401 - a class or function
    """Return a class or function of a module by its name, which may have dots."""
    names = tuple(
        [
            name
            for name, kind in vars(module).items()
            if isinstance(kind, type) and kind.__module__ == module.__name__ and hasattr(kind, "choose")
        ]
    )
    if not target:
        raise AgentError(
            "{head}: expected {head}:CLASS, such as {head}:{example}",
            head=head,
            example=names[0] if names else "Agent",
        )
    name, _, options = target.partition(":")
    if options:
        raise AgentError(
            "{head}:{name}:{options}: options follow a comma: expected {head}:{name},{options}",
            head=head,
            name=name,
            options=options,
        )
    found: Any = module
    for name in target.split("."):
        found = attribute_of(found, name)
    if found is None:
        what = Message("{head} has no class {name}", head=head, name=repr(target))
        if not names:
            raise AgentError("{what}, and no other with the method choose", what=what)
        raise AgentError(unknown(what, target, names))
    return found


def _read(  # noqa: PLR0913, PLR0917 - the parts of an own agent
    name: str,
    kind: Any,  # noqa: ANN401 - as above
    rest: str,
    origin: AgentOrigin,
    recipe: Recipe,
    within: Within = nullcontext,
) -> OwnAgent:
    if not is_agent(kind) and not callable(kind):
        raise AgentError("{name} is no class: expected one with the method choose", name=name)
    try:
        options = () if is_agent(kind) else tuple(parameters_of(name, kind))
    except AgentError:
        raise
    except FAILURES as error:
        why = described(error)
        raise AgentError("the arguments of {name} cannot be read: {why}", name=name, why=why) from error
    info = _info(name, kind, options, within)
    text, values = read_options(info, rest)
    origin = origin.with_files(list(_named_files(options, values)))
    for option in options:
        if values[option.name] is REQUIRED:
            raise AgentError(
                "{name} needs {option}: expected {head}{option}=value, where the value is {expected}",
                name=name,
                head=name + info.separator,
                option=option.name,
                expected=option.expected,
            )
    return OwnAgent(info, text, values, origin, recipe)


def _info(name: str, kind: Any, options: tuple[AgentOption, ...], within: Within = nullcontext) -> AgentInfo:  # noqa: ANN401 - as above
    """Describe a class or function, called with the options that are no defaults, or an object to copy."""

    def make(text: str, values: AgentValues) -> Agent:
        given = {one.name: values[one.name] for one in options if not one.is_default(values[one.name])}
        return adapted(
            text, (lambda: copied(text, kind)) if is_agent(kind) else lambda: kind(**given), within
        )

    summary = next(iter((inspect.getdoc(kind) or "").splitlines()), "")
    return AgentInfo(name, name, "", "own", make, (*options, OPEN), method=summary)


def _given_text(entrant: Entrant) -> str:
    given = attribute_of(entrant, "text")
    return given if isinstance(given, str) and given.strip() else ""


def _name_of(kind: Any) -> str:  # noqa: ANN401 - as above
    kind = attribute_of(kind, "func", kind)
    return str(attribute_of(kind, "__qualname__", type(kind).__qualname__)).rpartition("<locals>.")[2]
