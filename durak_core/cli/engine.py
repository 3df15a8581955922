"""`durak engine`: the search as a process that other programs talk to."""

from __future__ import annotations

import os
import sys

import click

from durak_core.engine.server import Server
from durak_core.interrupts import exit_code
from durak_core.search.backend.backend import never_wait
from durak_core.version import version


@click.command()
def engine() -> None:
    """Answer commands on standard input, by the protocol of docs/protocol.md.

    Try: durak, isready, observation TEXT, go time 1000, quit.
    """
    code = 0
    never_wait()
    try:
        Server(sys.stdin.buffer, sys.stdout, version()).run()
    except KeyboardInterrupt:
        code = exit_code()
    if sys.stdin is sys.__stdin__:
        # The input may be half read and machine code half made, in threads that nobody waits for: an
        # orderly end of the interpreter could stumble over both. Every answer has been flushed.
        os._exit(code)
