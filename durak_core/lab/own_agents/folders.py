"""Folders of own agents: files import their neighbours, and two folders share no module of the same name."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Final

import durak_core
from durak_core.lab.own_agents.sources import INSTALLED

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
