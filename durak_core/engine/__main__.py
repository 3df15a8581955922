"""``python -m durak_core.engine`` runs the engine on standard input and output."""

import sys

from durak_core.interrupts import exit_code, obey_nothing, obey_orders


def main() -> None:
    obey_orders()
    try:
        from durak_core.engine.server import serve  # noqa: PLC0415 - signals are handled during the import

        serve()
    except KeyboardInterrupt:
        sys.exit(exit_code())
    finally:
        obey_nothing()


if __name__ == "__main__":
    main()
