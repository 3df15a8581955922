"""Entry points of both commands, which exit with 130 if Ctrl+C comes while Python imports them.

Nothing else is imported here, and the package is empty, so that little can be interrupted earlier.
"""

import sys


def durak() -> None:
    """Run the `durak` command."""
    try:
        from durak_core.cli import main  # noqa: PLC0415 - an import that may be interrupted

        main()
    except KeyboardInterrupt:
        sys.exit(130)


def durak_tui() -> None:
    """Run the `durak-tui` command."""
    try:
        from durak_tui.cli import main  # noqa: PLC0415 - as above

        main()
    except KeyboardInterrupt:
        sys.exit(130)
