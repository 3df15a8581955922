"""Your own agents: classes of a file or a module, entry points, and Python objects.

A spec is ``path.py:Class`` or ``module:Class``, then options: ``lowest.py:Lowest,depth=3``. Options are the
keyword arguments of the class, or of a function that returns the agent. Agents of other packages are entry
points of the group ``durak.agents`` and have a name: ``lowest:depth=3``. An agent needs only the method
``choose``, and gets observations only.
"""

from __future__ import annotations

import copy
import hashlib
import importlib
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from importlib import metadata
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path, PurePath
from types import ModuleType
from typing import Any, Final, TypeAlias

from durak_core.actions import Action, parse_action
from durak_core.agents.base import Agent, Decision, one_way
from durak_core.agents.options import OPEN, AgentInfo, AgentValues
from durak_core.agents.registry import NamedAgent, read_options
from durak_core.errors import AgentError, DurakError, ForfeitError
from durak_core.files import reading
from durak_core.game.observation import Observation
from durak_core.lab.matches.own_folders import own_folder
from durak_core.lab.matches.own_sources import own_modules
from durak_core.lab.matches.parameters import REQUIRED, parameters_of
from durak_core.messages import Message, unknown
from durak_core.rules import Rules
from durak_core.search.search_result import SearchResult

Entrant: TypeAlias = Any
"""A player: an agent spec, a class or function that returns an agent, or an agent.

An object is copied for each of its seats.
"""

GROUP: Final = "durak.agents"
"""Group of the entry points of other packages' agents."""

_FILE: Final = re.compile(r'(?:"([^"]+\.py)"|([^"]+?\.py))(?::([^,]*))?(?:,(.*))?', re.DOTALL)
_MODULE: Final = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*):([^\W\d][\w.]*)(?:,(.*))?", re.DOTALL)

_SEPARATORS: Final = re.compile(r"[,+=]|^\s|\s$")

_DIGITS: Final = 12
"""Digits of a digest shown in tables and errors."""

_FAILURES: Final = (Exception, SystemExit)
"""Errors of an agent's own code. A script may call `sys.exit` when it is imported."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Source of an agent: its code, or the file of its network or equilibrium.

    Attributes:
        name: The class or function, with its module or file; or the name of the file of an option.
        sha256: Digest of the file, and of imported modules in its folder or package; empty if there is no
            file, as in an interactive session.
        version: Version of its package, or ``__version__`` of its module; empty if there is none.
    """

    name: str
    sha256: str = ""
    version: str = ""

    def __str__(self) -> str:
        digest = f", sha256 {self.sha256[:_DIGITS]}" if self.sha256 else ""
        return self.name + (f" {self.version}" if self.version else "") + digest

    def as_json(self) -> dict[str, str]:
        return {name: value for name, value in asdict(self).items() if value}


def with_origins(told: dict[str, Any], origins: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Add the origins of agents to JSON data under ``origins``, if there are any."""
    return {**told, "origins": dict(origins)} if origins else told


_Within: TypeAlias = Callable[[], AbstractContextManager[None]]
"""What an agent's own code runs in."""

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


def origin_of(player: NamedAgent) -> Origin | None:
    """Return the origin of an own agent, or of an agent with a file; None for others."""
    if isinstance(player, OwnAgent):
        return player.origin
    for option in player.info.options:
        text = str(player.values[option.name])
        file = Path(text)
        if option.is_file and text not in option.choices and file.is_file():
            with reading(file):
                return Origin(file.name, hashlib.sha256(file.read_bytes()).hexdigest())
    return None


def origins_of(players: Iterable[NamedAgent]) -> dict[str, dict[str, str]]:
    """Return the `Origin` of each agent that has one, by spec, as JSON data."""
    origins = {one.text: origin_of(one) for one in players}
    return {text: origin.as_json() for text, origin in origins.items() if origin}


class AdaptedAgent:
    """Makes a complete agent of an object with ``choose``; its ``begin``, if any, gets a `one_way` seed."""

    sees_all = False

    def __init__(
        self,
        text: str,
        agent: Any,  # noqa: ANN401 - any object with the method
        within: _Within = nullcontext,
    ) -> None:
        self.text = text
        self._agent = agent
        self._within = within
        self._seat = 0
        self.wants_all = bool(getattr(agent, "sees_all", False))

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        self._seat = seat
        self._call(self._agent, "begin", rules, seat, one_way(seed))

    def choose(self, observation: Observation) -> Decision:
        decision = decision_of(self.text, self._call(self._agent, "choose", observation))
        if decision.search_info is None:
            return decision
        return replace(decision, search_info=partial(self._search_info, decision))

    def _search_info(self, decision: Decision) -> SearchResult:
        found = self._call(decision, "search_info")
        if not isinstance(found, SearchResult):
            raise AgentError(
                "{agent}: search_info returned {found}: expected a SearchResult",
                agent=self.text,
                found=_said(found),
            )
        return found

    def _call(self, owner: object, name: str, *values: object) -> Any:  # noqa: ANN401 - any result
        try:
            with self._within():
                method = getattr(owner, name, None)
                return None if method is None else method(*values)
        except ForfeitError:
            raise
        except AgentError as error:
            raise AgentError("{agent}: {why}", agent=self.text, why=error) from error
        except _FAILURES as error:
            message = "{agent} at seat {seat} failed in {name}: {why}"
            raise AgentError(
                message, agent=self.text, seat=self._seat, name=name, why=_described(error)
            ) from error


def decision_of(agent: str, chosen: object) -> Decision:
    """Return what an agent chose as a `Decision`: a decision, an action, or an action's text.

    Raises:
        AgentError: If it is none of these, or its search info is no function.
    """
    decision = chosen if isinstance(chosen, Decision) else Decision(chosen)  # type: ignore[arg-type]
    if decision.search_info is not None and not callable(decision.search_info):
        raise AgentError(
            "{agent} chose with the search_info {found}: expected None, or a function that returns a "
            "SearchResult",
            agent=agent,
            found=_said(decision.search_info),
        )
    action: object = decision.action
    if isinstance(action, Action):
        return decision
    try:
        return replace(decision, action=parse_action(str(action)))
    except _FAILURES:
        raise AgentError(
            "{agent} chose {chosen}: expected one of observation.legal_actions, or a Decision with one",
            agent=agent,
            chosen=_said(action),
        ) from None


# Reading


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
    is_agent = _is_agent(entrant)
    if not is_agent and not callable(entrant):
        raise AgentError(
            "{entrant} is no agent: expected an agent spec such as 'greedy', a class with the method choose, "
            "an object of one, or a function that returns one",
            entrant=_said(entrant),
        )
    kind = type(entrant) if is_agent else entrant
    text = _given_text(entrant) or _name_of(kind)

    def make(text: str, _values: AgentValues) -> Agent:
        return _adapted(text, (lambda: _copied(text, entrant)) if is_agent else entrant)

    info = AgentInfo(text, _name_of(kind), "", "own", make, (OPEN,), method=_summary(kind))
    text, values = read_options(info, OPEN.name if attribute_of(entrant, "sees_all") else "")
    origin = _origin(kind, f"{kind.__module__}:{_name_of(kind)}")
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
    except _FAILURES as error:
        package = entry.dist.name if entry.dist else entry.value
        message = "the agent {name} of the package {package} cannot be loaded: {why}"
        raise AgentError(message, name=name, package=package, why=_described(error)) from error
    origin = _origin(kind, entry.value, entry.dist.version if entry.dist else "")
    return _read(name, kind, rest, origin, (_of_entry_point, (name, rest)))


def _of_module(module: str, target: str, rest: str, folder: Path, digest: str = "") -> OwnAgent:
    name = f"{module}:{target}"
    _search(folder)
    try:
        loaded = importlib.import_module(module)
    except _FAILURES as error:
        message = "the module {module} cannot be imported: {why}"
        raise AgentError(message, module=module, why=_described(error)) from error
    kind = _member(loaded, module, target)
    origin = _origin(kind, name, _version(loaded))
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
    found = _digest_of(path, source, imported)
    _check_digest(head, found, digest)
    folder = own_folder(path.parent)
    folder.expect(imported)
    importlib.invalidate_caches()
    with folder.opened():
        loaded = _loaded(path, found)
        kind = _member(loaded, head, target)
        origin = Origin(f"{path.name}:{target}", found, _version(loaded))
        recipe = (_of_file, (path, head, target, rest, found))
        return _read(f"{head}:{target}", kind, rest, origin, recipe, folder.opened)


@cache
def _loaded(path: Path, digest: str) -> ModuleType:
    """Run a file as a module of its own; a changed file is another module."""
    name = f"durak_own_{digest[:_DIGITS]}_{path.stem}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise AgentError("{path} cannot be loaded: expected a file of Python", path=path)
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except _FAILURES as error:
        del sys.modules[name]
        message = "{path} cannot be loaded: {why}"
        raise AgentError(message, path=path.name, why=_described(error)) from error
    return module


def _check_digest(name: str, found: str, expected: str) -> None:
    if expected and found != expected:
        raise AgentError(
            "{name} has another content here (sha256 {found}): expected {expected}, as it was when the "
            "match began",
            name=name,
            found=found[:_DIGITS],
            expected=expected[:_DIGITS],
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
    except _FAILURES:  # of the package around it, which importing it reports
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
    within: _Within = nullcontext,
) -> OwnAgent:
    is_agent = _is_agent(kind)
    if not is_agent and not callable(kind):
        raise AgentError("{name} is no class: expected one with the method choose", name=name)
    try:
        options = () if is_agent else tuple(parameters_of(name, kind))
    except AgentError:
        raise
    except _FAILURES as error:
        why = _described(error)
        raise AgentError("the arguments of {name} cannot be read: {why}", name=name, why=why) from error

    def make(text: str, values: AgentValues) -> Agent:
        given = {one.name: values[one.name] for one in options if not one.is_default(values[one.name])}
        return _adapted(text, (lambda: _copied(text, kind)) if is_agent else lambda: kind(**given), within)

    info = AgentInfo(name, name, "", "own", make, (*options, OPEN), method=_summary(kind))
    text, values = read_options(info, rest)
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


def attribute_of(owner: object, name: str, default: Any = None) -> Any:  # noqa: ANN401 - any value
    """Return an attribute, or the default if there is none or the owner's own code fails."""
    try:
        return getattr(owner, name, default)
    except _FAILURES:
        return default


def _is_agent(entrant: Entrant) -> bool:
    return callable(attribute_of(entrant, "choose")) and not isinstance(entrant, type)


def _adapted(text: str, make: Callable[[], Any], within: _Within = nullcontext) -> Agent:
    try:
        with within():
            agent = make()
            if callable(getattr(agent, "choose", None)):
                return AdaptedAgent(text, agent, within)
    except DurakError:
        raise
    except _FAILURES as error:
        raise AgentError("{text} cannot be built: {why}", text=text, why=_described(error)) from error
    raise AgentError(
        "{text} has no method choose: expected choose(observation), which returns one of "
        "observation.legal_actions",
        text=text,
    )


def _copied(text: str, agent: Any) -> Any:  # noqa: ANN401 - any object
    try:
        return copy.deepcopy(agent)
    except Exception as error:
        raise AgentError(
            "{text} cannot be copied for each of its seats ({why}): expected its class, or a function that "
            "returns one",
            text=text,
            why=_described(error),
        ) from error


def _said(value: object, way: Callable[[object], str] = repr) -> str:
    """Return an object as text, or the name of its class if its own code fails."""
    try:
        return way(value)
    except _FAILURES:
        return type(value).__name__


def _described(error: BaseException) -> str:
    """Return an error as text, with the last line of the agent's own code."""
    said, name = _said(error, str), type(error).__name__
    text = name if said in {"", name} else f"{name}: {said}"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if "importlib" not in frame.filename and Path(frame.filename) != Path(__file__)
    ]
    if not frames or isinstance(error, SyntaxError):
        return text
    return f"{text} ({PurePath(frames[-1].filename).name}, line {frames[-1].lineno})"


# Provenance


_first_digests: Final[dict[str, str]] = {}
"""Digests of the sources of imported agents when they were first read, by file."""


def _origin(kind: Any, name: str, version: str = "") -> Origin:  # noqa: ANN401 - as above
    """Return the origin of a class, function or object; `AgentError` if its file changed since its import."""
    kind = attribute_of(kind, "func", kind)
    kind = type(kind) if _is_agent(kind) else kind
    try:
        file = inspect.getsourcefile(kind) or ""
        path = Path(file)
        if path.is_file():
            source = path.read_bytes()
            found = _digest_of(path, source, own_modules(path, source))
        else:
            found = hashlib.sha256(inspect.getsource(kind).encode()).hexdigest()
    except (TypeError, OSError):
        return Origin(name, version=version)
    if file and _first_digests.setdefault(file, found) != found:
        raise AgentError(
            "{file} changed after its import: expected a new process, or path.py:Class, which reads the file "
            "again",
            file=file,
        )
    return Origin(name, found, version)


def _digest_of(path: Path, source: bytes, imported: Sequence[Path]) -> str:
    """Return the digest of a file, and of the `own_modules` that it imports.

    Raises:
        AgentError: If one of these modules changed after its import.
    """
    if not imported:
        return hashlib.sha256(source).hexdigest()
    digests = {path: hashlib.sha256(source).hexdigest()}
    for file in imported:
        digests[file] = hashlib.sha256(file.read_bytes()).hexdigest()
        if _first_digests.setdefault(str(file), digests[file]) != digests[file]:
            raise AgentError("{file} changed after its import: expected a new process", file=file)
    folder = os.path.commonpath([file.parent for file in digests])
    lines = [f"{file.relative_to(folder).as_posix()} {digest}\n" for file, digest in digests.items()]
    return hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()


def _version(module: ModuleType) -> str:
    top = sys.modules.get(module.__name__.partition(".")[0], module)
    found = getattr(module, "__version__", None) or getattr(top, "__version__", None)
    if found is None:
        try:
            return metadata.version(top.__name__)
        except (metadata.PackageNotFoundError, ValueError):
            return ""
    return str(found)


def _name_of(kind: Any) -> str:  # noqa: ANN401 - as above
    kind = attribute_of(kind, "func", kind)
    return str(attribute_of(kind, "__qualname__", type(kind).__qualname__)).rpartition("<locals>.")[2]


def _summary(kind: Any) -> str:  # noqa: ANN401 - as above
    return next(iter((inspect.getdoc(kind) or "").splitlines()), "")
