"""The table as text and as a picture, for the render modes of the environments."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from durak_core.cards import Card
from durak_core.errors import DurakError
from durak_core.game.state_view import StateView
from durak_core.installation import require

RENDER_MODES: Final = ("human", "ansi", "rgb_array")

Rendered: TypeAlias = str | npt.NDArray[np.uint8] | None

_WIDTH: Final = 640
_LINE: Final = 22
_CARD: Final = (26, 36)
_FELT, _INK, _RED, _PAPER = "#1d5b3a", "#101010", "#c01818", "#f4f0e4"


def check_mode(render_mode: str | None) -> None:
    if render_mode not in (None, *RENDER_MODES):
        raise DurakError(
            "render_mode={render_mode!r}: expected human, ansi, rgb_array, or None", render_mode=render_mode
        )


def rendered(state: StateView, mode: str | None) -> Rendered:
    """Print a state, with all hands face up, or return it as text or as an RGB array, (height, width, 3).

    Raises:
        MissingExtraError: If a picture is asked for without Pillow.
    """
    if mode == "human":
        print(text_of_table(state), end="\n\n")  # noqa: T201 - what the mode does
    if mode in {None, "human"}:
        return None
    return text_of_table(state) if mode == "ansi" else _picture(state)


def text_of_table(state: StateView) -> str:
    """Render a state as text, with all hands face up."""
    table = " ".join([f"{pair.attack}x{pair.defence or '?'}" for pair in state.table])
    phase = state.phase.name.lower().replace("_", " ")
    talon = f"talon {len(state.talon)}, trump {state.trump_card or 'none'}, discarded {len(state.discards)}"
    lines = [f"bout {state.bout}, {phase}; {talon}", f"table: {table or '-'}"]
    for seat, hand in enumerate(state.hands):
        mark = ">" if state.turn == seat else " "
        cards = " ".join(map(str, hand)) or "-"
        lines.append(f"{mark} seat {seat}, {state.roles[seat].name.lower()}: {cards}")
    if state.is_over:
        losers = " and ".join([f"seat {seat}" for seat in state.fools])
        are = "is the fool" if len(state.fools) == 1 else "are the fools"
        lines.append(f"{losers} {are}" if losers else "a draw")
    return "\n".join(lines)


def _picture(state: StateView) -> npt.NDArray[np.uint8]:
    require("A picture of the table", "learn", "PIL")
    from PIL import Image, ImageDraw  # noqa: PLC0415 - an extra

    hands = [
        sorted(hand, key=lambda card: (not card.is_of(state.trump_suit), card.suit, card.rank))
        for hand in state.hands
    ]
    a_row = (_WIDTH - 16) // (_CARD[0] + 2)
    rows = [max(1, -(-len(hand) // a_row)) for hand in hands]
    most = max(state.rules.deck_size, 1) // a_row + state.rules.seats
    image = Image.new("RGB", (_WIDTH, (state.rules.seats + 2) * _LINE + (most + 4) * (_CARD[1] + 6)), _FELT)
    draw: Any = ImageDraw.Draw(image)
    words = text_of_table(state).splitlines()
    draw.text((8, 4), words[0], _PAPER)
    top = _LINE
    for i, pair in enumerate(state.table):
        _draw_card(draw, 8 + i * 60, top, pair.attack)
        if pair.defence is not None:
            _draw_card(draw, 24 + i * 60, top + 12, pair.defence)
    top += _CARD[1] + 20
    for seat, hand in enumerate(hands):
        draw.text((8, top), words[2 + seat].partition(":")[0], _PAPER)
        top += _LINE
        for i, card in enumerate(hand):
            _draw_card(draw, 8 + i % a_row * (_CARD[0] + 2), top + i // a_row * (_CARD[1] + 4), card)
        top += rows[seat] * (_CARD[1] + 4)
    if state.is_over:
        draw.text((8, top), words[-1], _PAPER)
    return np.asarray(image)


def _draw_card(draw: Any, left: int, top: int, card: Card) -> None:  # noqa: ANN401 - Pillow's
    rank, suit = tuple(str(card))
    colour = _RED if suit in "hd" else _INK
    draw.rounded_rectangle((left, top, left + _CARD[0], top + _CARD[1]), 4, _PAPER, _INK)
    draw.text((left + 5, top + 3), rank, colour)
    if card.is_joker:
        return
    x, y, r = left + 16, top + 25, 7  # the suit's centre and size
    if suit == "d":
        draw.polygon([(x, y - r), (x + r, y), (x, y + r), (x - r, y)], colour)
        return
    way = 1 if suit == "h" else -1
    if suit == "c":
        circles = [(x, y - 4), (x - 4, y + 2), (x + 4, y + 2)]
    else:
        draw.polygon([(x - r, y - way), (x + r, y - way), (x, y + way * r)], colour)
        circles = [(x - 3, y - way * 3), (x + 3, y - way * 3)]
    for i, j in circles:
        draw.ellipse((i - 4, j - 4, i + 4, j + 4), colour)
    if suit != "h":
        draw.polygon([(x, y), (x - 3, y + r + 1), (x + 3, y + r + 1)], colour)
