"""The tones of the app's sounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
