"""The files of an own agent: its own, and imported modules in its folder or package."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import durak_core

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
                pending.append((imported, imported.read_bytes()))
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
