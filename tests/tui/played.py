"""Runs durak-tui and writes every list of actions that it shows to a file descriptor, at the same moment.

It is a program for tests: ``played.py DESCRIPTOR OPTION...``. What was written there stays when the
program is killed, so it tells what the person had seen.
"""

import os
import sys

from durak_core import Record
from durak_tui.cli import main
from durak_tui.play.session import Session

descriptor = int(sys.argv.pop(1))
publish = Session.publish


def publish_and_say(self):
    """Publish as always, and say so."""
    publish(self)
    actions = [str(move.action) for move in Record.of(self.state, self.setup.names).moves]
    os.write(descriptor, (" ".join(actions) + "\n").encode())


Session.publish = publish_and_say
main()
