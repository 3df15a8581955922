"""Agents that play by a network's action values, without search, and the selection of networks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from durak_core.actions import decode
from durak_core.agents.base import (
    ONLY,
    OPEN,
    Agent,
    AgentInfo,
    AgentOption,
    AgentValues,
    Decision,
    SeededAgent,
    legal_codes,
)
from durak_core.errors import AgentError, Message
from durak_core.files import unreadable
from durak_core.game.observation import Observation
from durak_core.knowledge.certain import visible_position
from durak_core.rules import OPTIONS, Rules
from durak_core.search.backend.backend import Backend, backend_if_it_pays
from durak_core.search.ismcts.tree_search import NetworkGuide, SearchSettings
from durak_core.search.network.encoding import code_index, encode, seen_by, trump_place
from durak_core.search.network.weights import (
    HANDS,
    Activations,
    Network,
    Weights,
    activations_for,
    greatest,
    in_memory,
    read_network,
)
from durak_core.search.players import (
    PERSON,
    VALUING,
    Player,
    by_value,
    draw_by_preference,
    write_preferences,
)
from durak_core.search.policies.policies import LegalCodes
from durak_core.statistics import logistic

_SHIPPED: Final = Path(__file__).parent / "networks"

_WAY_OUT: Final = Message("take another agent, or weights=FILE of a network for such rules")

_ANY: Final = ("redeal_same_suit", "redeal_trump_ace", "next_first_attacker", "series_score", "visibility")
"""Options that affect the deals and the first attacker, but not the play of a deal."""


def shipped_networks(name: str, folder: Path = _SHIPPED) -> tuple[Network, ...]:
    """Return the package's networks for an agent, one for each supported set of rules."""
    return tuple([load_network(path) for path in sorted(folder.glob(f"{name}-*.npz"))])


@lru_cache(maxsize=16)
def shipped_network(name: str, rules: Rules) -> Network | None:
    """Return the one trained for some rules; only networks for that number of seats are read."""
    paths = sorted(_SHIPPED.glob(f"{name}-*-{rules.seats}.npz"), reverse=True)  # the default first
    return next((network for network in map(load_network, paths) if fits(network, rules)), None)


def load_network(path: Path) -> Network:
    """Read a network with `read_network`, cached while its file does not change."""
    try:
        changed = path.stat().st_mtime_ns
    except (OSError, ValueError) as error:
        raise AgentError(unreadable(path, error).message) from None
    return _read(path, changed)


@lru_cache(maxsize=16)
def _read(path: Path, _changed: int) -> Network:
    return read_network(path)


def load_valuing(path: Path) -> Network:
    """Read a network that values actions, or raise `AgentError` for other ones."""
    network = load_network(path)
    if network.about.outputs == HANDS:
        raise AgentError(
            "{path} says who holds which cards, and values no actions: take a file that durak train wrote",
            path=path,
        )
    return network


def fitting(networks: Sequence[Network], rules: Rules, text: str, way_out: Message) -> Network:
    """Return the network for these rules; the `AgentError` names the nearest rules and ``way_out``."""
    differences = [_differences(network.rules, rules) for network in networks]
    nearest = min(range(len(networks)), key=lambda i: len(differences[i]))
    if differences[nearest]:
        trained = networks[nearest].rules
        raise AgentError(
            "{agent} was trained for {rules} with {seats} seats and cannot play with {options}: {way_out}",
            agent=text,
            rules=trained,
            seats=trained.seats,
            options=", ".join(differences[nearest]),
            way_out=way_out,
        )
    return networks[nearest]


def fits(network: Network, rules: Rules) -> bool:
    return not _differences(network.rules, rules)


def _differences(trained: Rules, rules: Rules) -> list[str]:
    return [
        f"{name}={option.show(getattr(rules, name))}"
        for name, option in OPTIONS.items()
        if name not in _ANY and getattr(rules, name) != getattr(trained, name)
    ]


class NetworkScores:
    """Runs networks on observations; weights and buffers stay in the memory of one backend."""

    def __init__(self) -> None:
        self._network: Network | None = None
        self._runner: Backend | None = None
        self._weights: Weights
        self._room: Activations

    def of(
        self, network: Network, runner: Backend, observation: Observation, codes: Sequence[int]
    ) -> list[float]:
        if self._network is not network or self._runner is None or self._runner.name != runner.name:
            self._network, self._runner = network, runner
            self._weights = in_memory(network, runner)
            self._room = activations_for(network, runner)
        position, memory = seen_by(observation)
        trump = trump_place(position)
        n_inputs = encode(position, memory, observation.seat, self._room.active)
        for place, code in enumerate(codes):
            self._room.actions[place] = code_index(code, trump)
        self._runner.functions["action_values"](self._weights, self._room, n_inputs, len(codes))
        return [float(value) for value in self._room.outputs[: len(codes)]]


def shares_by_preference(
    observation: Observation, codes: Sequence[int], preferences: Sequence[float]
) -> list[float]:
    """Return the probability of each action that `draw_by_preference` draws."""
    odds, choices = [0] * len(codes), LegalCodes(codes, len(codes))
    total = write_preferences(visible_position(observation), choices, preferences, odds)
    return [one / total for one in odds]


class NetworkAgent(SeededAgent):
    """Plays the action its network values most, or draws one by its values.

    Args:
        networks: One network for each set of rules.
        temperature: Of the draw among human-like actions; 0 for the action with the highest value.
    """

    def __init__(self, text: str, networks: Sequence[Network], temperature: float = 0.0) -> None:
        super().__init__(text)
        self.is_deterministic = not temperature
        self._networks = networks
        self._temperature = temperature
        self._scores = NetworkScores()
        self._fitting: tuple[Rules, Network] | None = None

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        super().begin(rules, seat, seed)
        self.network(rules)

    def network(self, rules: Rules) -> Network:
        """Return the network for these rules, or raise `AgentError`."""
        if self._fitting is None or self._fitting[0] is not rules:
            self._fitting = rules, fitting(self._networks, rules, self.text, _WAY_OUT)
        return self._fitting[1]

    def player(self, rules: Rules) -> tuple[Player, Network]:
        player = Player(PERSON, manner=self._temperature) if self._temperature else Player(VALUING)
        return player, self.network(rules)

    def probabilities(self, observation: Observation) -> list[float]:
        """Return the probability of each legal action, in order."""
        codes = legal_codes(observation)
        values = self._scores.of(
            self.network(observation.rules), backend_if_it_pays("network"), observation, codes
        )
        if not self._temperature:
            best = greatest(values, len(codes))
            return [float(place == best) for place in range(len(codes))]
        return shares_by_preference(
            observation, codes, [by_value(value, self._temperature) for value in values]
        )

    def choose(self, observation: Observation) -> Decision:
        codes = legal_codes(observation)
        network = self.network(observation.rules)
        if len(codes) == 1:
            return Decision(observation.legal_actions[0], ONLY)
        values = self._scores.of(network, backend_if_it_pays("network"), observation, codes)
        if self._temperature:
            odds, choices = (
                [by_value(value, self._temperature) for value in values],
                LegalCodes(codes, len(codes)),
            )
            room, position = [0] * len(codes), visible_position(observation)
            best = draw_by_preference(position, choices, odds, room, [self._seed])
        else:
            best = greatest(values, len(codes))
        return Decision(decode(codes[best]), _reason(network.about.outputs, values, best))


def _reason(outputs: str, values: Sequence[float], best: int) -> Message:
    if outputs != "policy-value":
        return Message("expects to get away in {share} of games", share=f"{logistic(values[best]):.0%}")
    share = 1 / sum(math.exp(value - values[best]) for value in values)
    return Message("plays this {share} of the time", share=f"{share:.0%}")


_OWN: Final = "shipped"
_FROZEN: Final = {"dmc": ("bench1",), "ppo": ("bench1",)}
"""Folders of networks that never change, by agent."""

_TEMPERATURE: Final = AgentOption(
    "temperature",
    "temperature of a softmax over the values of human-like actions, 0 for the best action",
    0.0,
    low=0,
    high=100,
    whole=False,
    omit_default_from_key=True,
)


def _trained_by(name: str, path: Path) -> Network:
    """Read a network, and check its learner if the file names one."""
    network = load_valuing(path)
    learner = network.about.trained_by
    if learner not in {"", name}:
        raise AgentError(
            "{path} was trained by {learner}, and {name} plays what {name} has learnt: "
            "take {learner}:weights={path}",
            path=path,
            learner=learner,
            name=name,
        )
    return network


def _learned(name: str, title: str, summary: str, method: str, *more: AgentOption) -> AgentInfo:
    frozen = _FROZEN.get(name, ())

    def make(text: str, values: AgentValues) -> Agent:
        weights = values["weights"]
        if weights == _OWN:
            networks = shipped_networks(name)
        elif weights in frozen:
            networks = shipped_networks(name, _SHIPPED / weights)
        else:
            networks = (_trained_by(name, Path(weights)),)
        return NetworkAgent(text, networks, values.get(_TEMPERATURE.name, 0.0))

    weights = AgentOption(
        "weights", "file of weights", _OWN, (_OWN, *frozen), words="the path of a .npz file", is_file=True
    )
    options = (weights, *more, OPEN)
    return AgentInfo(name, title, summary, "learned", make, options, thinks=True, method=method)


LEARNED: Final = (
    _learned(
        "dmc",
        "Pupil",
        "Has played millions of games against itself and has a feel for every card.",
        "Plays the action with the highest value of a network trained by deep Monte Carlo.",
        _TEMPERATURE,
    ),
    _learned(
        "dqn",
        "Student",
        "Has replayed its old games again and again, and values a move by what may follow.",
        "Plays the action with the highest value of a network trained by deep Q-learning.",
        _TEMPERATURE,
    ),
    _learned(
        "ppo",
        "Apprentice",
        "Started from nothing and kept what worked better than expected.",
        "Plays the most probable action of a policy network trained by proximal policy optimisation.",
    ),
)


NO_NETWORK: Final = "off"
SHIPPED: Final = ("dmc", "ppo", "search-response")
"""Networks in the package. The first guides best; the last is for searches without a network."""
_RESPONSE: Final = "greedy-response"
"""Networks trained against `greedy` alone."""
AUTO: Final = "auto"
"""The first of these networks if one covers the rules, otherwise none."""
_GIVES_WAY: Final = (AUTO, "dmc", "search-response")
"""Names whose network gives way to `_RESPONSE` against `greedy`."""

_OTHER_SEARCHES: Final = Message("search without a network, or take net=FILE of a network for such rules")


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
        way = f"net={self._name}", _OTHER_SEARCHES
        if self._own is not None:
            return fitting([self._own], rules, *way)
        shipped = shipped_network(SHIPPED[0] if self._name == AUTO else self._name, rules)
        if shipped is not None or self._name == AUTO:
            return shipped
        return fitting(shipped_networks(self._name), rules, *way)
