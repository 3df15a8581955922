"""``python -m durak_core.engine`` runs the engine on standard input and output."""

import sys

from durak_core.interrupts import exit_code, handle_signals, ignore_signals


def main() -> None:
    handle_signals()
    try:
        from durak_core.engine.server import serve  # noqa: PLC0415 - signals are handled during the import

        serve()
    except KeyboardInterrupt:
        sys.exit(exit_code())
    finally:
        ignore_signals()


if __name__ == "__main__":
    main()
