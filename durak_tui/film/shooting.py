"""Films a recorded game: runs the app without a terminal, and takes its screen after every move."""

from __future__ import annotations

import asyncio
import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from rich.console import Console
from textual.pilot import Pilot

from durak_core import PASS, Record
from durak_core.files import write_text_atomically
from durak_tui.app import DurakApp
from durak_tui.board.view.table import table_view
from durak_tui.film.cast import Cast
from durak_tui.film.svg import Film
from durak_tui.play.setup import Launch
from durak_tui.review.model.review_game import ReviewGame
from durak_tui.review.screen import ReviewScreen
from durak_tui.text.i18n import gettext
from durak_tui.ui.view.board_data import TableView

_SIZE: Final = (80, 24)
_OPEN_SIZE: Final = (120, 36)
"""Columns and rows for a seat's view, and for all hands."""
_FIRST, _MOVE, _LAST = 1.5, 1.1, 2.5
"""Seconds that frames last: the deal, a move, and the end."""
_CALM: Final = {"pace": "instant", "reduced_motion": True}


class FilmScreen(ReviewScreen):
    """Shows a recorded game without its analysis and its keys."""

    DEFAULT_CSS = "FilmScreen ReviewPanel, FilmScreen KeyBar { display: none; }"

    def _make_room(self, width: int) -> None:
        """Leave the panel hidden."""

    def view(self) -> TableView:
        return table_view(self.game.moment, self.look)


class _Camera:
    """Takes the screen of an app for a film of a kind."""

    def __init__(self, app: DurakApp, *, is_cast: bool) -> None:
        self._app = app
        self._film: Film | Cast = Cast() if is_cast else Film()
        self._console = Console(
            width=app.size.width,
            file=io.StringIO(),
            force_terminal=True,
            color_system="truecolor",
            legacy_windows=False,
        )

    def take(self, seconds: float) -> None:
        if isinstance(self._film, Film):
            self._film.take(self._app.export_screenshot(title="Durak"), seconds)
            self._film.poster = len(self._film.frames) - 1
        else:
            self._film.take(list(self._rows()), seconds)

    def _rows(self) -> Iterator[str]:
        for strip in self._app.screen._compositor.render_strips():  # noqa: SLF001 - as a screenshot does
            yield strip.render(self._console)

    def text(self, size: tuple[int, int], title: str) -> str:
        return self._film.svg(size, title) if isinstance(self._film, Film) else self._film.text(size, title)


async def _film(record: Record, *, seat: int | None, is_cast: bool, size: tuple[int, int]) -> str:
    """Return the film of a game, as one seat sees it or with open hands.

    Args:
        record: The game.
        seat: The viewing seat; None for all cards.
        is_cast: Whether the film is an asciicast, not an SVG.
        size: Columns and rows of the terminal.

    Raises:
        RecordError: If the game is impossible.
    """
    game = ReviewGame(record, seat)
    game.open_hands = seat is None
    with _own_folder():
        app = DurakApp(Launch(changes=_CALM))
        async with app.run_test(size=size) as pilot:
            screen = FilmScreen(game, app.engines.adviser)
            await app.push_screen(screen)
            camera = _Camera(app, is_cast=is_cast)
            await _shoot(screen, pilot, camera)
        title = gettext("A game of Durak: {names}", names=", ".join(game.names))
        return camera.text(size, title)


async def _shoot(screen: FilmScreen, pilot: Pilot[None], camera: _Camera) -> None:
    game = screen.game
    for ply, before in enumerate(game.states):
        played = game.record.moves[ply - 1].action if ply else None
        if played == PASS and len(game.states[ply - 1].legal_actions) == 1 and not before.is_over:
            continue  # nothing happens
        screen.action_go(ply)
        while screen._is_drawing:  # noqa: SLF001 - no frame shows half a move
            await pilot.pause()
        await pilot.pause()
        camera.take(_LAST if ply == game.last_ply else _MOVE if ply else _FIRST)


@contextmanager
def _own_folder() -> Iterator[None]:
    """Keep the app out of the player's library and settings, and without engines."""
    with tempfile.TemporaryDirectory() as folder:
        changed = {"DURAK_DATA_DIR": folder, "DURAK_CONFIG_DIR": folder, "DURAK_ENGINE": "off"}
        before = {name: os.environ.get(name) for name in changed}
        os.environ.update(changed)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


def write_film(
    record: Record, path: Path, *, seat: int | None = None, size: tuple[int, int] | None = None
) -> None:
    """Film a game: an asciicast if the name ends in ``.cast``, otherwise an animated SVG.

    Raises:
        RecordError: If the game is impossible.
        FileError: If the file cannot be written.
    """
    is_cast = path.suffix == ".cast"
    size = size or (_OPEN_SIZE if seat is None else _SIZE)
    text = asyncio.run(_film(record, seat=seat, is_cast=is_cast, size=size))
    write_text_atomically(path, text)
