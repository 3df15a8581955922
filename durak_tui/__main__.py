"""The `durak-tui` command, also as ``python -m durak_tui``.

It exits with 130 if Ctrl+C comes while Python imports the app, so nothing of the app is imported earlier.
"""

import sys


def main() -> None:
    """Import the app and run it."""
    try:
        from durak_tui.cli import main as run  # noqa: PLC0415 - an import that may be interrupted

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
