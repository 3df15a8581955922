"""The list of all commands, as Textual has it, which may also be closed before it has filled itself."""

from __future__ import annotations

from typing import Final

from textual import work
from textual.command import CommandList, CommandPalette
from textual.css.query import NoMatches

__all__ = ["Palette"]

_gather: Final = vars(CommandPalette)["_gather_commands"].__wrapped__


class Palette(CommandPalette):
    """Textual's palette; its search ended the program when Escape came before it began."""

    @work(exclusive=True, group="--textual-command-palette-gather-commands")
    async def _gather_commands(self, search_value: str) -> None:
        """Fill the list, unless there is none any more."""
        try:
            await _gather(self, search_value)
        except NoMatches:
            if self.query(CommandList):
                raise
