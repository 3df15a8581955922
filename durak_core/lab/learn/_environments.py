"""Gymnasium and PettingZoo, or an error that names the extra to install."""

from durak_core.installation import require

require("An environment", "learn", "gymnasium", "pettingzoo")

import gymnasium  # noqa: E402 - after the check
from gymnasium.utils import seeding  # noqa: E402 - as above
from pettingzoo import AECEnv  # noqa: E402 - as above
from pettingzoo.utils import wrappers  # noqa: E402 - as above

__all__ = ["AECEnv", "gymnasium", "seeding", "wrappers"]
