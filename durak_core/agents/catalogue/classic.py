"""The agents of the published projects: minimax, max^n and the thesis's Monte Carlo tree search."""

from __future__ import annotations

from typing import Final

from durak_core.agents.options import AgentInfo

__all__ = ["CLASSIC"]

CLASSIC: Final[tuple[AgentInfo, ...]] = ()
