"""The list of all commands, as Textual has it, which may also be closed before it has filled itself."""

from __future__ import annotations

import contextlib
from typing import Final

from textual import work
from textual.command import CommandList, CommandPalette
from textual.css.query import NoMatches

from durak_tui.screens.base import AppScreen

_gather: Final = vars(CommandPalette)["_gather_commands"].__wrapped__


class Palette(CommandPalette, AppScreen[None]):
    """Textual's palette; keys that came before its list was there, or after it, ended the program."""

    @work(exclusive=True, group="--textual-command-palette-gather-commands")
    async def _gather_commands(self, search_value: str) -> None:
        try:
            await _gather(self, search_value)
        except NoMatches:
            if self.query(CommandList):
                raise

    def _action_command_list(self, action: str) -> None:
        """Move in the list, once it knows its lines."""
        with contextlib.suppress(KeyError, NoMatches):
            super()._action_command_list(action)
