"""Specs of your own agents: classes of a file or a module, entry points, and Python objects.

A spec is ``path.py:Class`` or ``module:Class``, then options: ``lowest.py:Lowest,depth=3``. Options are the
keyword arguments of the class, or of a function that returns the agent. Agents of other packages are entry
points of the group ``durak.agents`` and have a name: ``lowest:depth=3``. An agent needs only the method
``choose``, and gets observations only.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeAlias

from durak_core.agents.base import Agent
from durak_core.agents.options import OPEN, AgentInfo, AgentOption, AgentValues
from durak_core.agents.registry import NamedAgent, read_options
from durak_core.errors import AgentError, DurakError
from durak_core.files import reading
from durak_core.lab.own_agents.adapter import adapted, copied
from durak_core.lab.own_agents.calls import FAILURES, Within, attribute_of, described, is_agent, said_of
from durak_core.lab.own_agents.folders import own_folder
from durak_core.lab.own_agents.origins import (
    DIGITS,
    Origin,
    digest_of,
    file_digest,
    origin_of_code,
    version_of,
)
from durak_core.lab.own_agents.parameters import REQUIRED, parameters_of
from durak_core.lab.own_agents.sources import own_modules
from durak_core.messages import Message, unknown

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

    origin: Origin
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


def origin_of(player: NamedAgent) -> Origin | None:
    """Return the origin of an own agent, or of an agent with a file; None for others."""
    if isinstance(player, OwnAgent):
        return player.origin
    return next((Origin(file.name, file_digest(file)) for file in files_of([player])), None)


def origins_of(players: Iterable[NamedAgent]) -> dict[str, dict[str, str]]:
    """Return the `Origin` of each agent that has one, by spec, as JSON data."""
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
        return _of_file(path, quoted_path(path), target.strip(), rest)
    found = _MODULE.fullmatch(text.strip())
    if found is None or not _is_importable(found[1]):
        return None
    module, target, rest = found.groups("")
    return _of_module(module, target, rest, Path.cwd())


def quoted_path(path: Path) -> str:
    """Return a path as written in a spec, in quotes if it has signs that separate specs."""
    text = path.as_posix()
    return f'"{text}"' if _SEPARATORS.search(text) else text


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
    text = _given_text(entrant) or _name_of(kind)

    def make(text: str, _values: AgentValues) -> Agent:
        return adapted(text, (lambda: copied(text, entrant)) if is_object else entrant)

    info = AgentInfo(text, _name_of(kind), "", "own", make, (OPEN,), method=_summary(kind))
    text, values = read_options(info, OPEN.name if attribute_of(entrant, "sees_all") else "")
    origin = origin_of_code(kind, f"{kind.__module__}:{_name_of(kind)}")
    return OwnAgent(info, text, values, origin, (agent_of_object, (entrant,)), entrant)


def installed_names() -> tuple[str, ...]:
    """Return the names of other packages' agents."""
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
        with reading(path):
            source = path.read_bytes()
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
        origin = Origin(f"{path.name}:{target}", found, version_of(loaded))
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
    """Return whether a module is installed or in the current folder."""
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
    origin: Origin,
    recipe: Recipe,
    within: Within = nullcontext,
) -> OwnAgent:
    is_object = is_agent(kind)
    if not is_object and not callable(kind):
        raise AgentError("{name} is no class: expected one with the method choose", name=name)
    try:
        options = () if is_object else tuple(parameters_of(name, kind))
    except AgentError:
        raise
    except FAILURES as error:
        why = described(error)
        raise AgentError("the arguments of {name} cannot be read: {why}", name=name, why=why) from error

    def make(text: str, values: AgentValues) -> Agent:
        given = {one.name: values[one.name] for one in options if not one.is_default(values[one.name])}
        return adapted(text, (lambda: copied(text, kind)) if is_object else lambda: kind(**given), within)

    info = AgentInfo(name, name, "", "own", make, (*options, OPEN), method=_summary(kind))
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


def _given_text(entrant: Entrant) -> str:
    given = attribute_of(entrant, "text")
    return given if isinstance(given, str) and given.strip() else ""


def _name_of(kind: Any) -> str:  # noqa: ANN401 - as above
    kind = attribute_of(kind, "func", kind)
    return str(attribute_of(kind, "__qualname__", type(kind).__qualname__)).rpartition("<locals>.")[2]


def _summary(kind: Any) -> str:  # noqa: ANN401 - as above
    return next(iter((inspect.getdoc(kind) or "").splitlines()), "")
