"""Where an agent comes from: class, version and digests."""

from __future__ import annotations

import hashlib
import inspect
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from durak_core.errors import AgentError
from durak_core.files import reading
from durak_core.lab.own_agents.calls import attribute_of, is_agent
from durak_core.lab.own_agents.sources import own_modules

DIGITS: Final = 12
"""Digits of a digest shown in tables and errors."""

_first_digests: Final[dict[str, str]] = {}
"""Digests of the sources of imported agents when they were first read, by file."""


@dataclass(frozen=True, slots=True)
class Origin:
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

    def with_files(self, files: Sequence[Path]) -> Origin:
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


def origin_of_code(kind: Any, name: str, version: str = "") -> Origin:  # noqa: ANN401 - as above
    """Return the origin of a class, function or object; `AgentError` if its file changed since its import."""
    kind = attribute_of(kind, "func", kind)
    kind = type(kind) if is_agent(kind) else kind
    try:
        file = inspect.getsourcefile(kind) or ""
        path = Path(file)
        if path.is_file():
            source = path.read_bytes()
            found = digest_of(path, source, own_modules(path, source))
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


def digest_of(path: Path, source: bytes, imported: Sequence[Path]) -> str:
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


def file_digest(path: Path) -> str:
    with reading(path), path.open("rb") as file:
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
