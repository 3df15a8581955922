"""What importing loads, and what it offers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

import durak_core

ROOT = Path(__file__).parents[2]
HEAVY = ("numpy", "numba", "torch", "textual", "joblib", "matplotlib")


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("durak_core", (*HEAVY, "rich", "click", "asyncio")),
        ("durak_core.cli", (*HEAVY, "rich", "asyncio")),
        ("durak_core.cli.commands.match, durak_core.cli.commands.tune", HEAVY),
    ],
)
def test_importing_stays_light(module: str, unwanted: tuple[str, ...]) -> None:
    """Nobody waits for what is not used."""
    code = f"import sys, {module}; print(*(set({unwanted!r}) & set(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    assert result.stdout.strip() == ""


def test_public_names_are_sorted_and_there() -> None:
    """Constants, then classes, then functions, each in order; every one can be reached."""
    for package in (durak_core, durak_core.lab):
        names = package.__all__
        assert names == sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
        assert len(set(names)) == len(names)
        assert all(getattr(package, name) is not None for name in names)
