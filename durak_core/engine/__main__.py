"""``python -m durak_core.engine`` is the engine itself: it answers commands on standard input."""

import sys

from durak_core.interrupts import exit_code, obey_nothing, obey_orders


def main() -> None:
    """Run the engine until its input ends."""
    obey_orders()
    try:
        from durak_core.engine.server import serve  # noqa: PLC0415 - an order may come while it is imported

        serve()
    except KeyboardInterrupt:
        sys.exit(exit_code())
    finally:
        obey_nothing()


if __name__ == "__main__":
    main()
