"""The agent `equilibrium`, which plays a saved equilibrium of a tiny deck."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Final

from durak_core.actions import decode
from durak_core.agents.base import ONLY, Agent, Decision, SeededAgent, legal_codes
from durak_core.agents.options import AgentInfo, AgentOption, AgentValues
from durak_core.errors import AgentError
from durak_core.game.observation import Observation
from durak_core.kernel.random import next_random
from durak_core.knowledge.visible import visible_position
from durak_core.lab.equilibrium import cfr  # noqa: F401 - declares all that is compiled with the endgames
from durak_core.lab.equilibrium.endgame_table import EndgameTable
from durak_core.lab.equilibrium.saved import Equilibrium, information_set, load_equilibrium
from durak_core.messages import Message
from durak_core.rules import Rules
from durak_core.search.backend.backend import backend
from durak_core.search.endgame.solver import known_to_the_end

_NO_FILE: Final = ""


class EquilibriumAgent(SeededAgent):
    """Draws its actions from an equilibrium's probabilities, and plays optimally once all cards are known.

    Raises:
        AgentError: For rules other than the solved ones, and for a position that no deal under them leads to.
    """

    def __init__(self, text: str, equilibrium: Equilibrium) -> None:
        super().__init__(text)
        self._equilibrium = equilibrium
        self._endgames: EndgameTable | None = None

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        self._check(rules)
        super().begin(rules, seat, seed)

    def choose(self, observation: Observation) -> Decision:
        codes = legal_codes(observation)
        if len(codes) == 1:
            return Decision(observation.legal_actions[0], ONLY)
        shares = self.probabilities(observation)
        sums = list(accumulate(shares))
        drawn = sums[-1] * next_random(self._rng) / (1 << 32)
        place = next(place for place, until in enumerate(sums) if drawn < until)
        reason = Message("plays this {share} of the time", share=f"{shares[place] / sums[-1]:.0%}")
        return Decision(decode(codes[place]), reason)

    def probabilities(self, observation: Observation) -> Sequence[float]:
        self._check(observation.rules)
        if known_to_the_end(observation):
            return self._in_endgame(observation)
        shares = self._equilibrium.probabilities(information_set(observation))
        if shares is None or len(shares) != len(observation.legal_actions):
            raise AgentError(
                "{agent} knows no such history: expected a game of {rules} from its deal, "
                "in which the lowest trump attacks first",
                agent=self.text,
                rules=self._equilibrium.rules,
            )
        return shares

    def _in_endgame(self, observation: Observation) -> Sequence[float]:
        if self._endgames is None:
            self._endgames = EndgameTable(observation.rules, backend("solve"))
        optimal = self._endgames.optimal(visible_position(observation))
        return [is_optimal / sum(optimal) for is_optimal in optimal]

    def _check(self, rules: Rules) -> None:
        if rules != self._equilibrium.rules:
            raise AgentError(
                "{agent} is an equilibrium of {solved} and cannot play {rules}: take another agent, or "
                "a file that durak solve wrote for these rules",
                agent=self.text,
                solved=self._equilibrium.rules,
                rules=rules,
            )


def _equilibrium(text: str, values: AgentValues) -> Agent:
    if values["file"] == _NO_FILE:
        raise AgentError(
            "{agent} needs a file: expected equilibrium:file=FILE after durak solve RULES --save FILE",
            agent=text,
        )
    return EquilibriumAgent(text, load_equilibrium(Path(values["file"])))


EQUILIBRIUM: Final = AgentInfo(
    "equilibrium",
    "Equilibrium",
    "Plays a tiny deck so that no opponent can gain.",
    "exact",
    _equilibrium,
    (
        AgentOption(
            "file",
            "saved equilibrium of the rules",
            _NO_FILE,
            words="the path of a file that durak solve --save wrote",
            is_file=True,
        ),
    ),
    method="Draws its actions from an equilibrium that durak solve saved.",
)
