"""Selects the network that guides a tree search."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from durak_core.agents.learned import fitting, load_valuing, shipped_network, shipped_networks
from durak_core.messages import Message
from durak_core.rules import Rules
from durak_core.search.ismcts.tree_search import NetworkGuide, SearchSettings
from durak_core.search.network.weights import Network

NO_NETWORK: Final = "off"
SHIPPED: Final = ("dmc", "ppo", "search-response")
"""Networks in the package. The first guides best; the last is for searches without a network."""
_RESPONSE: Final = "greedy-response"
"""Networks trained against `greedy` alone."""
AUTO: Final = "auto"
"""The first of these networks if one covers the rules, otherwise none."""
_GIVES_WAY: Final = (AUTO, "dmc", "search-response")
"""Names whose network gives way to `_RESPONSE` against `greedy`."""

_WAY_OUT: Final = Message("search without a network, or take net=FILE of a network for such rules")


class NetworkSelector:
    """Networks by name (`NO_NETWORK`, `AUTO`, one of `SHIPPED`, or a path) with `NetworkGuide` settings."""

    def __init__(self, name: str, **settings: float) -> None:
        is_path = name not in {NO_NETWORK, AUTO, *SHIPPED}
        self._name = name
        self._own = load_valuing(Path(name)) if is_path else None
        self._settings = settings

    def fit(self, settings: SearchSettings, rules: Rules) -> SearchSettings:
        """Return the settings with the network trained for the rules.

        If there is none, `NO_NETWORK` and `AUTO` leave them unchanged, and other names raise `AgentError`.
        """
        return self._guided(settings, self._network(rules))

    def fit_greedy(self, settings: SearchSettings, rules: Rules) -> SearchSettings:
        """Return the settings with the best response to `greedy`, if the package's networks guide.

        They are unchanged if there is none for the rules.
        """
        by_package = settings.guide is not None and self._name in _GIVES_WAY
        return self._guided(settings, shipped_network(_RESPONSE, rules) if by_package else None)

    def _guided(self, settings: SearchSettings, network: Network | None) -> SearchSettings:
        if network is None:
            return settings
        return replace(settings, guide=NetworkGuide.of(network, **self._settings))

    def _network(self, rules: Rules) -> Network | None:
        """Return the network for the rules. Of the package's files, only those for its seats are read."""
        if self._name == NO_NETWORK:
            return None
        way = f"net={self._name}", _WAY_OUT
        if self._own is not None:
            return fitting([self._own], rules, *way)
        shipped = shipped_network(SHIPPED[0] if self._name == AUTO else self._name, rules)
        if shipped is not None or self._name == AUTO:
            return shipped
        return fitting(shipped_networks(self._name), rules, *way)
