"""Networks as guides of a tree search: which ones may be, and which one fits the rules."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from durak_core.agents.learned import fits, fitting, load_valuing, shipped_networks
from durak_core.messages import Message
from durak_core.rules import Rules
from durak_core.search.ismcts.tree_search import NetworkGuide, SearchSettings
from durak_core.search.network.weights import Network

NO_NETWORK: Final = "off"
"""The name of no network at all."""
SHIPPED: Final = ("dmc", "ppo")
"""The learners whose networks the package brings along; the first one's guide best."""
AUTO: Final = "auto"
"""The first one's where there is one for the rules, and no network elsewhere."""

_WAY_OUT: Final = Message("search without a network, or take net=FILE of a network for such rules")


class Guides:
    """The networks that a name stands for.

    Args:
        name: `NO_NETWORK`, one of `SHIPPED`, `AUTO`, or a file's path.
        settings: How each of them guides, by the names of `NetworkGuide`'s attributes.

    Raises:
        AgentError: If the file is none of a network.
    """

    def __init__(self, name: str, **settings: float) -> None:
        networks: tuple[Network, ...] = ()
        if name in {AUTO, *SHIPPED}:
            networks = shipped_networks(SHIPPED[0] if name == AUTO else name)
        elif name != NO_NETWORK:
            networks = (load_valuing(Path(name)),)
        self._name = name
        self._guides = [NetworkGuide.of(network, **settings) for network in networks]

    def fit(self, settings: SearchSettings, rules: Rules) -> SearchSettings:
        """Return a search's settings with the network that was trained for the rules.

        They stay as they are with `NO_NETWORK`, and with `AUTO` where there is none for the rules;
        with another name that is an `AgentError`.
        """
        networks = [guide.network for guide in self._guides]
        if self._name in {NO_NETWORK, AUTO} and not any(fits(network, rules) for network in networks):
            return settings
        network = fitting(networks, rules, f"net={self._name}", _WAY_OUT)
        return replace(settings, guide=self._guides[networks.index(network)])
