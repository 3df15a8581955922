"""The library: every game, to be searched, opened, continued, exported and deleted."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on

from durak_core.game.files import write_text_atomically
from durak_tui.input.bindings import bindings
from durak_tui.library.errors import LibraryError
from durak_tui.library.importing import Imported
from durak_tui.screens.dialogs import Write
from durak_tui.screens.game_list import GameListScreen
from durak_tui.storage.paths import home, why_no_file, why_no_place, written_path
from durak_tui.text.i18n import say, say_count
from durak_tui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from collections.abc import Callable

    from durak_tui.play.saves import Unfinished

_MOST_TAKEBACKS: Final = 100
_TELL_EVERY: Final = 25


class LibraryScreen(GameListScreen):
    """Look through all games, and do something with them."""

    PLACE: ClassVar[str] = "library"
    BINDINGS: ClassVar = bindings("library")
    CSS_PATH = "library.tcss"

    def __init__(self) -> None:
        super().__init__()
        self._takebacks: list[Callable[[], None]] = []

    def offers(self, action: str) -> bool:
        """Name the key that undoes only where there is something to undo."""
        return bool(self._takebacks) if action == "undo" else super().offers(action)

    @on(Sheet.Chosen)
    def action_open(self) -> None:
        chosen = self.chosen
        if chosen is None:
            return
        if isinstance(chosen, int):
            try:
                record = self.library.record(chosen)
            except LibraryError as error:
                self.tell(str(error))
            else:
                self.host.show_review(record)
        else:
            self.host.go_on(chosen)

    def action_delete(self) -> None:
        """Delete a game; it can be brought back."""
        chosen = self.chosen
        if chosen is None:
            return
        try:
            takeback = self._delete(chosen) if isinstance(chosen, int) else self._delete_waiting(chosen)
        except (LibraryError, OSError) as error:
            self.tell(say("The game cannot be deleted: {why}", why=error))
            return
        self._takebacks = [*self._takebacks, takeback][-_MOST_TAKEBACKS:]
        self.reload()
        key = self.host.settings.keymap.label("library.undo")
        self.tell(say("The game is deleted; {key} brings it back.", key=key))

    def _delete(self, number: int) -> Callable[[], None]:
        self.library.delete([number])
        return lambda: self.library.bring_back([number])

    def _delete_waiting(self, game: Unfinished) -> Callable[[], None]:
        text = game.path.read_text("utf-8")
        saved = self.host.saves.resume(game)
        if saved is None:
            raise LibraryError(say("another program plays it now."))
        saved.drop()
        return lambda: write_text_atomically(game.path, text)

    def action_undo(self) -> None:
        if not self._takebacks:
            self.tell(say("Nothing was deleted."))
            return
        try:
            self._takebacks.pop()()
        except (LibraryError, OSError) as error:
            self.tell(say("The game cannot be brought back: {why}", why=error))
            return
        self.reload()
        self.tell(say("The game is back."))

    def action_statistics(self) -> None:
        self.host.open_statistics()

    def action_export(self) -> None:
        chosen = self.chosen
        if isinstance(chosen, int):
            self._ask_where([chosen])
        elif chosen is not None:
            self.tell(say("An unfinished game is exported when it is over."))

    def action_export_all(self) -> None:
        if self.ids:
            self._ask_where(list(self.ids))

    def _ask_where(self, ids: list[int]) -> None:
        row = self.row(ids[0]) if len(ids) == 1 else None
        stem = "games" if row is None else f"game-{row.date[:10] or row.id}".replace(" ", "-")
        hint = say("A name that ends in .json or .jsonl gives JSON, any other one game text.")
        title = say_count("Write the game to", "Write {count} games to", len(ids))
        value = str(_free(home() / f"durak-{stem}.jsonl"))

        def take(text: str | None) -> None:
            if text is not None:
                self.app.run_worker(self._export(ids, written_path(text)))

        self.app.push_screen(Write(title, value, why_no_place, hint), take)

    async def _export(self, ids: list[int], path: Path) -> None:
        try:
            await self.host.shelf.export(ids, path)
        except LibraryError as error:
            self.host.tell(str(error))
        else:
            self._tell_if_seen(say("Written to {path}.", path=path))

    def action_import(self) -> None:
        hint = say("A file of JSON lines, as durak match --json writes them, or of game text.")

        def take(text: str | None) -> None:
            if text is not None:
                self.app.run_worker(self._import(written_path(text)))

        self.app.push_screen(Write(say("Read games from"), f"{home()}/", why_no_file, hint), take)

    async def _import(self, path: Path) -> None:
        loop = asyncio.get_running_loop()
        count = 0

        def show(so_far: Imported) -> None:
            nonlocal count
            count += 1
            if count % _TELL_EVERY == 0:
                text = say("Reading {file}, game {count}: {made}", file=path.name, count=count, made=so_far)
                loop.call_soon_threadsafe(self._tell_if_seen, text)

        try:
            made = await self.host.shelf.import_file(path, show)
        except LibraryError as error:
            self.host.tell(str(error))
            return
        told = f"{path.name}: {made}."
        if made.problems:
            told += "\n" + made.problems[0]
        if self.is_attached:
            self.reload()
            self._tell_if_seen(told)
        else:
            self.host.tell(told)

    def _tell_if_seen(self, text: str) -> None:
        if self.is_attached:
            self.tell(text)


def _free(path: Path) -> Path:
    """Return a name of that kind that no file has."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_stem(f"{path.stem}-{number}")
    return free
