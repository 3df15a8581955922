"""The app's own process needs no machine code: what is compiled is compiled for the engine."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE


@pytest.mark.slow
def test_the_app_never_looks_for_machine_code(tmp_path, monkeypatch):
    """Neither at the start nor in games, watching, hints, puzzles or reviews does it import or compile."""
    cache = tmp_path / "cache"
    monkeypatch.setenv("DURAK_CACHE_DIR", str(cache))
    program = [sys.executable, Path(__file__).with_name("light.py")]
    result = subprocess.run(program, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert "numba" in str(found.pop("control"))
    assert {path: looks for path, looks in found.items() if looks} == {}
    assert len(found) > 10
    assert not cache.exists()
