"""Every agent there is, with what help pages and lists of players say about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from durak_core.agents.catalogue.characters import CHARACTERS
from durak_core.agents.catalogue.classic import CLASSIC
from durak_core.agents.catalogue.learned import LEARNED
from durak_core.agents.catalogue.searching import SEARCHING
from durak_core.agents.catalogue.simple import SIMPLE
from durak_core.agents.options import AgentInfo

__all__ = ["AGENTS"]

AGENTS: Final[Mapping[str, AgentInfo]] = {
    info.name: info for info in (*SIMPLE, *CHARACTERS, *CLASSIC, *SEARCHING, *LEARNED)
}
"""By name, in the order in which lists show them."""
