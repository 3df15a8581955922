"""Between a visitor's app and the server: Textual's driver, which also ends with the server."""

from __future__ import annotations

from functools import partial

from textual import events, messages
from textual.drivers.web_driver import WebDriver
from textual.message import Message


class Driver(WebDriver):
    """Ends the app when the other end is gone, however the server ended."""

    def process_message(self, message: Message) -> None:
        """Take sizes from the server, which bounds them, and not from what is typed."""
        if not isinstance(message, events.Resize):
            super().process_message(message)

    def run_input_thread(self) -> None:
        super().run_input_thread()
        if not self.exit_event.is_set():
            self._write = partial(len)
            self._app.post_message(messages.ExitApp())
