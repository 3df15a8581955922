"""Textual's web driver for a visitor's app."""

from __future__ import annotations

from functools import partial

from textual import events, messages
from textual.drivers.web_driver import WebDriver
from textual.message import Message


class Driver(WebDriver):
    """Ends the app when the server's end of the pipe is closed."""

    def process_message(self, message: Message) -> None:
        """Accept sizes from the server only, which bounds them, and not from typed input."""
        if not isinstance(message, events.Resize):
            super().process_message(message)

    def on_meta(self, packet_type: str, payload: dict[str, object]) -> None:
        if packet_type == "redraw":
            self._app.call_later(self._redraw)
        else:
            super().on_meta(packet_type, payload)

    def _redraw(self) -> None:
        """Prepare the terminal of a page that is new, and draw everything."""
        self.write("\x1b[?1049h\x1b[?25l\x1b[2J")
        self._enable_mouse_support()
        self._enable_bracketed_paste()
        self._app.refresh(layout=True)

    def run_input_thread(self) -> None:
        super().run_input_thread()
        if not self.exit_event.is_set():
            self._write = partial(len)
            self._app.post_message(messages.ExitApp())
