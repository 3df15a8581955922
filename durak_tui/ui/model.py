"""Short synthesised sounds, played by a program of the system.

A thread starts the program, so that no key waits for it. A missing device or a failure is silent.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import wave
from array import array
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, TypeAlias

Sound: TypeAlias = Literal["card", "beaten", "taken", "turn", "won"]

SOUNDS: Final[Mapping[Sound, Sequence[tuple[float, float, float]]]] = {
    "card": ((1100, 0.0, 0.04),),
    "beaten": ((660, 0.0, 0.07), (880, 0.06, 0.1)),
    "taken": ((440, 0.0, 0.09), (330, 0.08, 0.14)),
    "turn": ((784, 0.0, 0.1), (1047, 0.1, 0.18)),
    "won": ((523, 0.0, 0.12), (659, 0.1, 0.12), (784, 0.2, 0.12), (1047, 0.3, 0.3)),
}
"""Tones of each sound: hertz, start and length in seconds."""


_RATE: Final = 22_050
_VOLUME: Final = 0.3
_MOST_WAITING: Final = 3
"""Sounds that wait for others; more are left out."""
_LONGEST: Final = 3.0
"""Seconds after which a player that does not end is killed."""
_FAREWELL: Final = 0.2
"""Seconds that the end of the program waits for the thread."""
_PLAYERS: Final = (("paplay",), ("pw-play",), ("aplay", "-q"), ("afplay",))


def wav(sound: Sound) -> bytes:
    """Return a sound as a WAV file."""
    tones = SOUNDS[sound]
    samples = array("h", [0]) * round(_RATE * max(start + length for _hertz, start, length in tones))
    for hertz, start, length in tones:
        count = round(_RATE * length)
        first = round(_RATE * start)
        for at in range(min(count, len(samples) - first)):
            loudness = _VOLUME * (1 - at / count) ** 2 * min(1.0, at / 60)
            samples[first + at] += round(32_000 * loudness * math.sin(2 * math.pi * hertz * at / _RATE))
    if sys.byteorder == "big":
        samples.byteswap()
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(_RATE)
        writer.writeframes(samples.tobytes())
    return file.getvalue()


def player_command() -> tuple[str, ...] | None:
    """Return the system's program for sounds, or None; over SSH its sounds would be elsewhere."""
    if os.environ.get("SSH_CONNECTION"):
        return None
    return next((command for command in _PLAYERS if shutil.which(command[0])), None)


class SoundPlayer:
    """Plays sounds one after another in a thread, which starts with the first sound.

    Args:
        bell: Called in the thread instead, if the system has no program for sounds.
    """

    def __init__(self, bell: Callable[[], object]) -> None:
        self._bell = bell
        self._waiting: queue.Queue[Sound | None] = queue.Queue(_MOST_WAITING)
        self._thread: threading.Thread | None = None

    def play(self, sound: Sound) -> None:
        """Play a sound soon; it is left out if too many wait."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="durak-sounds", daemon=True)
            self._thread.start()
        with contextlib.suppress(queue.Full):
            self._waiting.put_nowait(sound)

    def close(self) -> None:
        """End the thread after the sounds that wait, or soon."""
        with contextlib.suppress(queue.Full):
            self._waiting.put_nowait(None)
        if self._thread is not None:
            self._thread.join(_FAREWELL)

    def _run(self) -> None:
        with contextlib.suppress(OSError), tempfile.TemporaryDirectory(prefix="durak-") as folder:
            while (sound := self._waiting.get()) is not None:
                self._play_file(sound, Path(folder) / f"{sound}.wav")

    def _play_file(self, sound: Sound, path: Path) -> None:
        if not path.exists():
            path.write_bytes(wav(sound))
        if sys.platform == "win32":
            import winsound  # noqa: PLC0415 - only Windows has it

            with contextlib.suppress(RuntimeError):
                winsound.PlaySound(str(path), winsound.SND_FILENAME | winsound.SND_NODEFAULT)
            return
        command = player_command()
        if command is None:
            self._bell()
            return
        line, quiet = [*command, str(path)], subprocess.DEVNULL
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(  # noqa: S603 - a program of the list above
                line, stdin=quiet, stdout=quiet, stderr=quiet, timeout=_LONGEST, check=False
            )
