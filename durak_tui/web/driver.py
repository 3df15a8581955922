"""Between a visitor's app and the server: Textual's driver, which also ends with the server."""

from __future__ import annotations

from functools import partial

from textual import messages
from textual.drivers.web_driver import WebDriver


class Driver(WebDriver):
    """Ends the app when nobody is at the other end any more, however the server ended."""

    def run_input_thread(self) -> None:
        super().run_input_thread()
        if not self.exit_event.is_set():
            self._write = partial(len)
            self._app.post_message(messages.ExitApp())
