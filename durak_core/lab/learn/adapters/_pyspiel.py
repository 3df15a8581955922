"""OpenSpiel, or an error that names the extra to install."""

from durak_core.installation import require

require("An OpenSpiel game", "examples", "pyspiel")

import pyspiel  # noqa: E402 - after the check

__all__ = ["pyspiel"]
