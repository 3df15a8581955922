"""Exit codes and error messages of the programs in this folder."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from durak_core import DurakError

__all__ = ["with_exit_codes"]

_Arguments = ParamSpec("_Arguments")


def with_exit_codes(
    interrupted: str = "",
) -> Callable[[Callable[_Arguments, None]], Callable[_Arguments, int]]:
    """Let a program return its exit code: 0, 2 after an error, which is printed, or 130 after Ctrl+C.

    Args:
        interrupted: What is said after Ctrl+C of the work so far; without it, Ctrl+C is nothing special.
    """

    def wrapped(main: Callable[_Arguments, None]) -> Callable[_Arguments, int]:
        @wraps(main)
        def run(*arguments: _Arguments.args, **named: _Arguments.kwargs) -> int:
            try:
                main(*arguments, **named)
            except (DurakError, OSError) as error:
                print(f"error: {error}", file=sys.stderr)
                return 2
            except KeyboardInterrupt:
                if not interrupted:
                    raise
                print(f"interrupted; {interrupted}", file=sys.stderr)
                return 130
            return 0

        return run

    return wrapped
