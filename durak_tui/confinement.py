"""Whether this app serves a visitor in the browser: neither the machine nor its files are theirs."""

from __future__ import annotations

import os
from typing import Final

CONFINED: Final = "DURAK_CONFINED"
"""The environment variable that, if not empty, confines whoever uses the app."""


def is_confined() -> bool:
    """Tell whether the person gets files of their own folder only, and a share of the machine."""
    return bool(os.environ.get(CONFINED))
