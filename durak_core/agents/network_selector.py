"""Selects the network that guides a tree search."""

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
SHIPPED: Final = ("dmc", "ppo")
"""Learners with networks in the package; the first one guides best."""
AUTO: Final = "auto"
"""The first learner's network if one covers the rules, otherwise none."""

_WAY_OUT: Final = Message("search without a network, or take net=FILE of a network for such rules")


class NetworkSelector:
    """Networks by name (`NO_NETWORK`, `AUTO`, one of `SHIPPED`, or a path) with `NetworkGuide` settings."""

    def __init__(self, name: str, **settings: float) -> None:
        networks: tuple[Network, ...] = ()
        if name in {AUTO, *SHIPPED}:
            networks = shipped_networks(SHIPPED[0] if name == AUTO else name)
        elif name != NO_NETWORK:
            networks = (load_valuing(Path(name)),)
        self._name = name
        self._guides = [NetworkGuide.of(network, **settings) for network in networks]

    def fit(self, settings: SearchSettings, rules: Rules) -> SearchSettings:
        """Return the settings with the network trained for the rules.

        If there is none, `NO_NETWORK` and `AUTO` leave them unchanged, and other names raise `AgentError`.
        """
        networks = [guide.network for guide in self._guides]
        if self._name in {NO_NETWORK, AUTO} and not any(fits(network, rules) for network in networks):
            return settings
        network = fitting(networks, rules, f"net={self._name}", _WAY_OUT)
        return replace(settings, guide=self._guides[networks.index(network)])
