"""Where an agent comes from: its folder, files, class, version and digests."""

from __future__ import annotations

import ast
import hashlib
import inspect
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import metadata
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import durak_core
from durak_core.errors import AgentError, FileError
from durak_core.files import MEGABYTE, open_regular, read_bytes, reading
from durak_core.lab.own_agents.adapter import attribute_of, is_agent

LARGEST: Final = 16 * MEGABYTE
"""Maximum bytes of a source file."""
INSTALLED: Final = {"site-packages", "dist-packages"}
"""Folders in which files do not belong together."""


def own_modules(path: Path, source: bytes) -> list[Path]:
    """Return the files in a file's folder or package that it imports, directly or indirectly.

    A file in a package may run as a script, whose folder is searched, or as a module.
    Imports in functions count, too; names computed at run time are not found.
    """
    top = inside = path.parent
    while (top / "__init__.py").is_file():
        inside, top = top, top.parent
    if inside.name in INSTALLED:
        return []
    found: dict[Path, None] = {path: None}
    pending = [(path, source)]
    while pending:
        file, text = pending.pop()
        for imported in _imported(file, text, (top, path.parent)):
            if imported not in found and imported.is_relative_to(inside):
                found[imported] = None
                pending.append((imported, read_bytes(imported, LARGEST)))
    return [file for file in found if file != path]


def _imported(file: Path, text: bytes, searched: Sequence[Path]) -> Iterator[Path]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return  # loading it reports the error
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                for folder in searched:
                    yield from _files(folder, alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            names = node.module.split(".") if node.module else []
            for folder in [file.parents[min(node.level, len(file.parents)) - 1]] if node.level else searched:
                yield from _files(folder, names)
                for alias in node.names:
                    yield from _files(folder, [*names, alias.name])


def _files(folder: Path, names: list[str]) -> Iterator[Path]:
    """Yield the files of a module and the packages around it, if they are in the folder."""
    if names[:1] == [durak_core.__name__]:
        return
    for count in range(1, len(names) + 1):
        part = folder.joinpath(*names[:count])
        for file in (part / "__init__.py", part.with_name(f"{part.name}.py")):
            if file.is_file():
                yield file
                break


_PROVIDED: Final = {durak_core.__name__, *sys.stdlib_module_names}
"""Modules of Durak and Python, which no file of a folder replaces."""


class OwnFolder:
    """Finds modules in a folder, before modules elsewhere, unless they are part of Python or Durak.

    They are in `sys.modules` only while code of the folder's agents runs, which may import in functions, too.
    """

    def __init__(self, path: Path) -> None:
        self._path = str(path)
        self._searched = [] if path.name in INSTALLED else [self._path]
        self._tops: set[str] = set()
        self._found: set[str] = set()
        self._modules: dict[str, ModuleType] = {}

    def expect(self, files: Iterable[Path]) -> None:
        """Hide modules of other folders that have the names of these files, which agents import."""
        inside = [file.relative_to(self._path) for file in files if file.is_relative_to(self._path)]
        self._tops |= {file.parts[0].removesuffix(".py") for file in inside} - _PROVIDED

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Context manager in which the folder's modules can be imported."""
        if sys.meta_path[0] is self:
            yield
            return
        others = self._hidden()
        sys.modules.update(self._modules)
        sys.meta_path.insert(0, self)
        is_new = self._path not in sys.path
        if is_new:
            sys.path.append(self._path)  # for processes that the agent starts
        try:
            yield
        finally:
            if is_new:
                with suppress(ValueError):
                    sys.path.remove(self._path)
            sys.meta_path.remove(self)
            self._modules = {name: sys.modules.pop(name) for name in self._found if name in sys.modules}
            sys.modules.update(others)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module as `importlib` asks for it."""
        top = name.partition(".")[0]
        if top in _PROVIDED or (path is not None and top not in self._found):
            return None
        spec = PathFinder.find_spec(name, self._searched if path is None else path, target)
        # A folder without modules may have the name of an installed package.
        if spec is None or not (spec.has_location or path is not None or top in self._tops):
            return None
        self._found.add(name)
        return spec

    def _hidden(self) -> dict[str, ModuleType]:
        """Take modules of the expected names out of `sys.modules`."""
        if not any(name in sys.modules for name in self._tops):
            return {}
        names = [name for name in sys.modules if name.partition(".")[0] in self._tops]
        return {name: sys.modules.pop(name) for name in names}


@cache
def own_folder(path: Path) -> OwnFolder:
    """Return the one `OwnFolder` of a path in this process."""
    return OwnFolder(path)


DIGITS: Final = 12
"""Digits of a digest shown in tables and errors."""

_first_digests: Final[dict[str, str]] = {}
"""Digests of the sources of imported agents when they were first read, by file."""


@dataclass(frozen=True, slots=True)
class AgentOrigin:
    """Source of an agent: its code, or the file of its network or equilibrium.

    Attributes:
        name: The class or function, with its module or file; or the name of the file of an option.
        sha256: Digest of the file, of imported modules in its folder or package, and of files that options
            name; empty if there is no file, as in an interactive session.
        version: Version of its package, or ``__version__`` of its module; empty if there is none.
    """

    name: str
    sha256: str = ""
    version: str = ""

    def __str__(self) -> str:
        digest = f", sha256 {self.sha256[:DIGITS]}" if self.sha256 else ""
        return self.name + (f" {self.version}" if self.version else "") + digest

    def with_files(self, files: Sequence[Path]) -> AgentOrigin:
        """Return the origin with a digest that covers these files, too."""
        if not files:
            return self
        lines = [self.sha256, *map(file_digest, files)]
        return replace(self, sha256=hashlib.sha256("\n".join(lines).encode()).hexdigest())

    def as_json(self) -> dict[str, str]:
        return {name: value for name, value in asdict(self).items() if value}


def with_origins(told: dict[str, Any], origins: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Add the origins of agents to JSON data under ``origins``, if there are any."""
    return {**told, "origins": dict(origins)} if origins else told


def origin_of_code(kind: Any, name: str, version: str = "") -> AgentOrigin:  # noqa: ANN401 - as above
    """Return the origin of a class, function or object; `AgentError` if its file changed since its import."""
    kind = attribute_of(kind, "func", kind)
    kind = type(kind) if is_agent(kind) else kind
    try:
        file = inspect.getsourcefile(kind) or ""
        path = Path(file)
        if path.is_file():
            source = read_bytes(path, LARGEST)
            found = digest_of(path, source, own_modules(path, source))
        else:
            found = hashlib.sha256(inspect.getsource(kind).encode()).hexdigest()
    except (TypeError, OSError, FileError):
        return AgentOrigin(name, version=version)
    if file and _first_digests.setdefault(file, found) != found:
        raise AgentError(
            "{file} changed after its import: expected a new process, or path.py:Class, which reads the file "
            "again",
            file=file,
        )
    return AgentOrigin(name, found, version)


def digest_of(path: Path, source: bytes, imported: Sequence[Path]) -> str:
    """Return the digest of a file, and of the `own_modules` that it imports.

    Raises:
        AgentError: If one of these modules changed after its import.
    """
    if not imported:
        return hashlib.sha256(source).hexdigest()
    digests = {path: hashlib.sha256(source).hexdigest()}
    for file in imported:
        digests[file] = hashlib.sha256(read_bytes(file, LARGEST)).hexdigest()
        if _first_digests.setdefault(str(file), digests[file]) != digests[file]:
            raise AgentError("{file} changed after its import: expected a new process", file=file)
    folder = os.path.commonpath([file.parent for file in digests])
    lines = [f"{file.relative_to(folder).as_posix()} {digest}\n" for file, digest in digests.items()]
    return hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()


def file_digest(path: Path) -> str:
    with reading(path), open_regular(path, sys.maxsize) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def version_of(module: ModuleType) -> str:
    """Return the version of a module, of the package around it or of its distribution; empty if unknown."""
    top = sys.modules.get(module.__name__.partition(".")[0], module)
    found = getattr(module, "__version__", None) or getattr(top, "__version__", None)
    if found is None:
        try:
            return metadata.version(top.__name__)
        except (metadata.PackageNotFoundError, ValueError):
            return ""
    return str(found)
