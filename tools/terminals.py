"""Take pictures of the app in real terminals, with many and with few colours, dark and light.

    python3 tools/terminals.py FOLDER [NAME ...]

NAME is a terminal, such as xterm-16, or part of a picture's name. Each picture is taken on a screen of its
own (Xvfb); what is not installed is named and left out. Needs Debian's xvfb, imagemagick, xterm,
rxvt-unicode, kitty, foot, weston, tmux and screen.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
SETTLED: Final = 40.0
"""Seconds within which a picture has to stop changing."""
_FONT: Final = ("-fa", "DejaVu Sans Mono", "-fs", "10", "-geometry", "100x32")
_APPLE: Final = (
    "000000 990000 00a600 999900 0000b2 b200b2 00a6b2 bfbfbf "
    "666666 e50000 00d900 e5e500 0000ff e500e5 00e5e5 e5e5e5"
)
"""The sixteen colours of macOS Terminal."""
_XTERM: Final = ("xterm", *_FONT)

_WESTON: Final = (
    "weston --backend=x11-backend.so --use-pixman --width=900 --height=600 --no-config --socket=durak & "
    "while [ ! -S {home}/durak ]; do sleep 0.1; done; exec {command}"
)
"""A command in a Wayland desktop on the screen"""

TERMINALS: Final[Mapping[str, tuple[str, ...]]] = {
    "xterm-16": (*_XTERM, "-tn", "xterm", "-e"),
    "xterm-256": (*_XTERM, "-tn", "xterm-256color", "-e"),
    "apple-256": (
        *_XTERM,
        *("-tn", "xterm-256color", "-bg", "white", "-fg", "black"),
        *(part for number, rgb in enumerate(_APPLE.split()) for part in ("-xrm", f"*color{number}: #{rgb}")),
        "-e",
    ),
    "urxvt": ("urxvt", "-fn", "xft:DejaVu Sans Mono:size=10", "-geometry", "100x32", "-e"),
    "kitty": (
        *("kitty", "--config", "NONE", "-o", "font_size=10"),
        *(
            "-o",
            "remember_window_size=no",
            "-o",
            "initial_window_width=100c",
            "-o",
            "initial_window_height=32c",
        ),
    ),
    "foot": ("foot", "--fullscreen"),
    "tmux": (
        *_XTERM,
        "-tn",
        "xterm-256color",
        "-e",
        "tmux",
        "-Ldurak-pictures",
        "-f/dev/null",
        "new-session",
    ),
    "screen": (*_XTERM, "-tn", "xterm-256color", "-e", "screen", "-S", "durak-pictures", "-c", "/dev/null"),
}
"""Commands that the app's command follows."""
_ENDS: Final = {
    "tmux": ("tmux", "-Ldurak-pictures", "kill-server"),
    "screen": ("screen", "-S", "durak-pictures", "-X", "quit"),
}
"""Commands that end what outlives its terminal."""
THEMES: Final = {"dark": "durak", "light": "durak-contrast-light"}
SCENES: Final = {
    "menu": (),
    "table": ("--seed", "3", "--bots", "misha", "--pace", "instant"),
    "review": ("tests/golden/games/groningen-3.durak",),
}


@contextmanager
def screen(number: int) -> Iterator[dict[str, str]]:
    """Run a screen; yield the environment for its programs."""
    server = subprocess.Popen(  # noqa: S603 - a number
        ["Xvfb", f":{number}", "-screen", "0", "1000x620x24"],  # noqa: S607 - whichever is installed
        stderr=subprocess.DEVNULL,
    )
    kept = {name: text for name, text in os.environ.items() if name not in {"COLORTERM", "NO_COLOR", "TMUX"}}
    try:
        for _ in range(100):
            if Path(f"/tmp/.X11-unix/X{number}").exists():  # noqa: S108 - X11's place
                break
            time.sleep(0.1)
        yield {**kept, "DISPLAY": f":{number}", "LIBGL_ALWAYS_SOFTWARE": "1", "LC_ALL": "C.UTF-8"}
    finally:
        server.terminate()
        server.wait()


@contextmanager
def running(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program in a session of its own; nothing of it outlives the block."""
    with subprocess.Popen(  # noqa: S603 - the commands above
        command,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        start_new_session=True,
    ) as one:
        try:
            yield one
        finally:
            os.killpg(one.pid, signal.SIGTERM)


def take(file: Path, environment: Mapping[str, str]) -> bool:
    """Save the screen once it shows much and no longer changes; return whether it did."""
    last, until = b"", time.monotonic() + SETTLED
    while time.monotonic() < until:
        time.sleep(2)
        subprocess.run(["import", "-window", "root", file], env=environment, check=True)  # noqa: S603, S607
        picture = file.read_bytes()
        if picture == last and len(picture) > 10_000:
            return True
        last = picture
    return False


def take_picture(folder: Path, terminal: str, theme: str, scene: str, number: int) -> str:
    """Take one picture; return its name and what became of it."""
    name = f"{terminal}-{theme}-{scene}"
    with tempfile.TemporaryDirectory() as home, screen(number) as environment:
        (Path(home) / "settings.toml").write_text(f'[screen]\ntheme = "{THEMES[theme]}"\n', encoding="utf-8")
        environment |= {f"DURAK_{kind}_DIR": home for kind in ("CONFIG", "DATA")}
        environment |= {"DURAK_ENGINE": "off", "XDG_RUNTIME_DIR": home}
        app = (sys.executable, "-m", "durak_tui", *SCENES[scene])
        command = [*TERMINALS[terminal], *([shlex.join(app)] if terminal == "tmux" else app)]
        if terminal == "foot":
            environment["WAYLAND_DISPLAY"] = "durak"
            command = ["sh", "-c", _WESTON.format(home=home, command=shlex.join(command))]
        with running(command, environment):
            has_settled = take(folder / f"{name}.png", environment)
            if terminal in _ENDS:
                subprocess.run(_ENDS[terminal], env=environment, check=False)  # noqa: S603 - see there
        return name if has_settled else f"{name} did not settle"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args(arguments)
    missing = [name for name in ("Xvfb", "import") if shutil.which(name) is None]
    if missing:
        print(f"not installed: {', '.join(missing)}", file=sys.stderr)
        return 2
    options.folder.mkdir(parents=True, exist_ok=True)
    for terminal, command in TERMINALS.items():
        needed = ("weston", command[0]) if terminal == "foot" else (command[0],)
        if not all(map(shutil.which, needed)):
            print(f"{terminal} is not installed")
            continue
        for theme in THEMES:
            for scene in SCENES:
                name = f"{terminal}-{theme}-{scene}"
                if not options.names or any(part in name for part in options.names):
                    print(take_picture(options.folder, terminal, theme, scene, 90), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
