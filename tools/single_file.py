"""Builds `dist/durak-tui`, one file that plays without an installed Python.

    python3 -m pip install . pyinstaller
    python3 tools/single_file.py

The app starts its engine as `python -m durak_core.engine`; there, the file takes Python's place.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[1]
_ENTRY: Final = """
import runpy
import sys
from pathlib import Path


def keep_compiled_code():
    # The file unpacks its sources into another folder at each start, and Numba keeps code by folder. The
    # cache's name is a hash of the sources already.
    from numba.core import caching

    caching._CacheLocator.get_suitable_cache_subpath = classmethod(lambda cls, file: Path(file).parent.name)
    caching._SourceFileBackedLocatorMixin.get_source_stamp = lambda self: 0


if sys.argv[1:2] == ["-m"] and len(sys.argv) > 2:
    del sys.argv[:2]
    if sys.argv[0].startswith("durak_core."):
        keep_compiled_code()
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
else:
    from durak_tui.cli import main

    sys.exit(main())
"""


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        entry = Path(folder, "durak-tui.py")
        entry.write_text(_ENTRY, encoding="utf-8")
        hook = Path(folder, "hook-durak_core.py")
        hook.write_text('module_collection_mode = "py"\n', encoding="utf-8")  # Numba reads the sources
        return subprocess.run(  # noqa: S603 - all arguments are here
            [
                *(sys.executable, "-m", "PyInstaller", "--onefile", "--noconfirm", "--log-level=WARN"),
                *("--name", "durak-tui", "--distpath", _ROOT / "dist"),
                *("--workpath", folder, "--specpath", folder, "--additional-hooks-dir", folder),
                *(part for name in ("durak_core", "durak_tui") for part in ("--collect-all", name)),
                *("--copy-metadata", "durak-tui", "--collect-submodules", "rich._unicode_data"),
                *("--collect-submodules", "textual.widgets", "--collect-submodules", "numba"),
                entry,
            ],
            check=False,
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
