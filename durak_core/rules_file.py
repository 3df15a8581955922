"""Own rules in a TOML file: the options of `Rules`, and the ``preset`` that they change."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from durak_core.config import ConfigError, ConfigFile
from durak_core.errors import RulesError
from durak_core.rules import Rules

_SUFFIX: Final = ".toml"
_PRESET: Final = "preset"


def rules_spec(text: str) -> str:
    """Return the rules spec of a text on the command line: a spec, or a file with options after a colon.

    ``mine.toml`` and ``mine.toml:seats=3`` name files; other texts are returned as they are.

    Raises:
        RulesError: If the file has an unknown option or an invalid value.
        FileError: If it cannot be read.
    """
    file = rules_file(text)
    if file is None:
        return text
    rest = text.strip().partition(_SUFFIX)[2]
    return ",".join([_read(file), *filter(None, [rest[1:].strip()])]).replace(":,", ":").rstrip(":")


def rules_file(text: str) -> Path | None:
    """Return the file that a text for `rules_spec` names, None for a spec."""
    name, found, rest = text.strip().partition(_SUFFIX)
    return Path(name + _SUFFIX) if found and (not rest or rest.startswith(":")) else None


def _read(path: Path) -> str:
    """Return a file's preset and options as a spec, with a colon even without options."""
    try:
        file = ConfigFile(path)
    except ConfigError as error:
        raise RulesError(error.message) from None
    preset = f"{file.values.get(_PRESET, Rules().base)}"
    if ":" in preset:
        raise RulesError(
            "{file}: preset={preset}: expected a preset's name, and its options on lines of their own",
            file=path,
            preset=preset,
        )
    words = {True: "yes", False: "no"}
    settings = [
        f"{name}={words[value] if isinstance(value, bool) else value}"
        for name, value in file.values.items()
        if name != _PRESET
    ]
    spec = f"{preset}:{','.join(settings)}"
    try:
        Rules.parse(spec)
    except RulesError as error:
        raise RulesError("{file}: {why}", file=path, why=error) from None
    return spec
