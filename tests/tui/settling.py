"""When an app in a test has dealt with all that it was given.

Textual's own tests pause until the process uses little of the processor's time, which it also does where a
busy machine gives it none.
"""

from __future__ import annotations

import asyncio

from textual._context import active_app
from textual.app import App
from textual.message_pump import MessagePump
from waiting import until

TURNS = 5
"""So many turns of the event loop a key needs from the driver to the app's queue."""


async def settled(*_seconds: float) -> None:
    """Wait until no message is on its way, and what has changed is drawn."""
    app = active_app.get()
    for _ in range(3):
        await _turns()
        await until(lambda: _is_still(app))


async def _turns() -> None:
    loop = asyncio.get_running_loop()
    for _ in range(TURNS):
        turn = loop.create_future()
        loop.call_soon(turn.set_result, None)
        await turn


def _is_waiting(pump: MessagePump) -> bool:
    """Tell whether nothing is in the queue of messages, and the last one has been dealt with."""
    queue = pump._message_queue
    return queue.empty() and bool(queue.ready_event._waiters)


def _is_still(app: App[None]) -> bool:
    if app._exit or app._exception is not None or not app.screen_stack:
        return True
    screen = app.screen
    pumps = (app, screen, *screen.walk_children())
    return not (
        any(pump._running and not _is_waiting(pump) for pump in pumps)
        or app.animator._animations
        or app._resize_timer is not None
        or screen._layout_required
        or screen._repaint_required
        or screen._recompose_required
        or screen._dirty_widgets
        or screen._callbacks
    )
