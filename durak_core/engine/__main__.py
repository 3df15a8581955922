"""``python -m durak_core.engine`` runs the engine on standard input and output."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from durak_core.interrupts import exit_code, handle_signals, ignore_signals

if TYPE_CHECKING:
    from durak_core.agents.registry import NamedAgent


def read_player(text: str) -> NamedAgent:
    """Read an agent spec; the laboratory, which reads your own agents, is loaded only for those."""
    from durak_core.agents.registry import AGENTS, read_agent  # noqa: PLC0415 - as in main

    if text.partition(":")[0] in AGENTS:
        return read_agent(text)
    from durak_core.lab.matches.players import read_local_player  # noqa: PLC0415 - see the docstring

    return read_local_player(text)


def main() -> None:
    handle_signals()
    try:
        from durak_core.engine.server import serve  # noqa: PLC0415 - signals are handled during the import

        serve(read_player)
    except KeyboardInterrupt:
        sys.exit(exit_code())
    finally:
        ignore_signals()


if __name__ == "__main__":
    main()
