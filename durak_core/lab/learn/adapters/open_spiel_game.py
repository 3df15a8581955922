"""Durak as an OpenSpiel game; importing this module registers it.

    import durak_core.lab.learn.adapters.open_spiel_game
    game = pyspiel.load_game("python_durak", {"rules": "podkidnoy:lowest_rank=11,suits=1,hand_size=2"})

Chance nodes deal the bottom card, which sets the trump suit, then each hand in ascending order (so that
each hand occurs once), then the talon from the top, and the first attacker if no hand has a trump
(rules 4.1). Chance nodes with one outcome are skipped. Actions and observation tensors are as in
`durak_core.lab.learn.durak_v0`. An information state is what a seat has seen: its hand, the trump card,
the first attacker, all actions and its drawn cards.

Source: M. Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games", 2019.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import comb
from typing import Any, Final

import numpy as np
import pyspiel

from durak_core.actions import Action
from durak_core.cards import Card
from durak_core.errors import DurakError
from durak_core.game.events import Drew
from durak_core.game.notation.position_text import write_observation
from durak_core.game.state import State
from durak_core.kernel.position import MAX_SEATS
from durak_core.rules import Rules
from durak_core.search.network.encoding import ACTIONS, input_size
from durak_core.search.network.features import active_inputs, indexed_actions

NAME: Final = "python_durak"

_FIRST_SEAT: Final = 64
"""Chance actions from here on are first attackers; lower ones are card numbers."""
_LONGEST_BOUT: Final = 320
"""Upper bound on actions per bout: 52 cards, with six seats passing between any two."""

_TYPE: Final = pyspiel.GameType(
    short_name=NAME,
    long_name="Durak",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=6,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=False,
    parameter_specification={"rules": "podkidnoy"},
)


class OpenSpielGame(pyspiel.Game):  # type: ignore[misc]
    """The OpenSpiel game; parameter ``rules`` is the rules spec.

    Raises:
        RulesError: If the rules are not playable.
        DurakError: If void deals are dealt again (rules 3.4, 3.5), which OpenSpiel cannot model.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = params or {}
        self.rules = Rules.parse(given.get("rules", "podkidnoy"))
        if self.rules.redeal_same_suit is not None:
            raise DurakError("OpenSpiel deals once: choose redeal_same_suit=never")
        if self.rules.redeal_trump_ace:
            raise DurakError("OpenSpiel deals once: choose redeal_trump_ace=no")
        bouts = (self.rules.deck_size + 1) * (self.rules.stall_limit + 1)
        info = pyspiel.GameInfo(
            num_distinct_actions=ACTIONS,
            max_chance_outcomes=_FIRST_SEAT + MAX_SEATS,
            num_players=self.rules.seats,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=bouts * _LONGEST_BOUT,
        )
        super().__init__(_TYPE, info, given)

    def new_initial_state(self) -> OpenSpielState:
        return OpenSpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:  # noqa: ANN401
        if params:
            raise DurakError("observations take no parameters")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return _Observer(self.rules, recalls=kind.perfect_recall)


class OpenSpielState(pyspiel.State):  # type: ignore[misc]
    """A state during the deal or the game."""

    def __init__(self, game: OpenSpielGame) -> None:
        super().__init__(game)
        self.moment = _Moment(_Deal(game.rules))
        self._settle()

    def current_player(self) -> int:
        state = self.moment.state
        if state is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if state.turn is None else state.turn

    def _legal_actions(self, player: int) -> list[int]:
        del player
        return sorted(indexed_actions(self.moment.now))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return self.moment.deal.outcomes()

    def _apply_action(self, action: int) -> None:
        self.moment = self.moment.after(action)
        self._settle()

    def _settle(self) -> None:
        while self.moment.state is None and len(only := self.moment.deal.outcomes()) == 1:
            self.moment = self.moment.after(only[0][0])

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            first = action - _FIRST_SEAT
            return f"seat {first} begins" if first >= 0 else str(Card.from_number(action))
        return str(indexed_actions(self.moment.now)[action])

    def is_terminal(self) -> bool:
        return self.moment.state is not None and self.moment.state.is_over

    def returns(self) -> list[float]:
        state = self.moment.state
        return [0.0] * self.num_players() if state is None else list(state.returns)

    def __str__(self) -> str:
        return " ".join([*map(str, self.moment.deal.cards), *self.moment.played])


@dataclass(frozen=True)
class _Deal:
    """Card numbers dealt so far: the bottom card, the hands from seat 0 on, the talon from the top."""

    rules: Rules
    cards: tuple[int, ...] = ()

    @property
    def is_done(self) -> bool:
        return len(self.cards) == self.rules.deck_size

    def outcomes(self) -> list[tuple[int, float]]:
        seats = self.rules.seats
        if self.is_done:
            return [(_FIRST_SEAT + seat, 1 / seats) for seat in range(seats)]
        rest = sorted({card.number for card in self.rules.deck} - set(self.cards))
        place = len(self.cards) - 1
        for size in self._sizes if self.cards else ():
            if place < size:
                return _next_in_hand(rest, self.cards[-1] if place else 0, size - place)
            place -= size
        return [(card, 1 / len(rest)) for card in rest]

    def deck(self) -> list[Card]:
        """Return all cards in dealing and drawing order (rules 3.1)."""
        hands, end = [], 1
        for size in self._sizes:
            hands.append(iter(self.cards[end : end + size]))
            end += size
        seats = self.rules.seats
        dealt = [next(hands[place % seats]) for place in range(end - 1)]
        return list(map(Card.from_number, [*dealt, *self.cards[end:], self.cards[0]]))

    @property
    def has_trump_in_hand(self) -> bool:
        trump = self.cards[0] >> 4
        dealt = self.deck()[: self._hand_cards]
        return self.rules.trumps and any(card.number >> 4 == trump for card in dealt)

    @cached_property
    def _hand_cards(self) -> int:
        rules = self.rules
        return rules.deck_size if rules.deal_all else rules.seats * rules.hand_size

    @cached_property
    def _sizes(self) -> tuple[int, ...]:
        """Size of each hand, minus the bottom card if there is no talon."""
        dealt = min(self._hand_cards, self.rules.deck_size - 1)
        return tuple([len(range(seat, dealt, self.rules.seats)) for seat in range(self.rules.seats)])


def _next_in_hand(rest: list[int], last: int, missing: int) -> list[tuple[int, float]]:
    """Return the next card of an ascending hand that needs ``missing`` more, with probabilities."""
    higher = [card for card in rest if card > last]
    hands = comb(len(higher), missing)
    counts = [comb(len(higher) - 1 - place, missing - 1) for place in range(len(higher))]
    return [(card, count / hands) for card, count in zip(higher, counts, strict=True) if count]


@dataclass(frozen=True)
class _Moment:
    """Immutable content of an `OpenSpielState`, shared by its deep copies.

    ``state`` is None during the deal. ``stories`` are the seats' histories, ``played`` all actions.
    """

    deal: _Deal
    state: State | None = None
    stories: tuple[tuple[str, ...], ...] = ()
    played: tuple[str, ...] = ()

    def __deepcopy__(self, memo: dict[int, Any]) -> _Moment:
        return self

    @property
    def now(self) -> State:
        if self.state is None:
            raise DurakError("the cards are still being dealt")
        return self.state

    def after(self, action: int) -> _Moment:
        if self.state is not None:
            return self._played(indexed_actions(self.state)[action])
        if action >= _FIRST_SEAT:
            return self._begun(action - _FIRST_SEAT)
        dealt = replace(self, deal=replace(self.deal, cards=(*self.deal.cards, action)))
        return dealt._begun(None) if dealt.deal.is_done and dealt.deal.has_trump_in_hand else dealt  # noqa: SLF001 - of the same class

    def _begun(self, first: int | None) -> _Moment:
        rules = self.deal.rules
        state = State.from_deck(rules, self.deal.deck(), first)
        shown = (f"{state.trump_card or 'none'}", f"seat {state.first_attacker} begins")
        everything = tuple(map(str, self.deal.deck()))
        stories = [
            (f"seat {seat}", *(everything if rules.visibility == "open" else map(str, hand)), *shown)
            for seat, hand in enumerate(state.hands)
        ]
        return replace(self, state=state, stories=tuple(stories))

    def _played(self, action: Action) -> _Moment:
        state = self.now.apply(action)
        stories = [[*story, str(action)] for story in self.stories]
        for event in state.events[len(self.now.events) :]:
            if isinstance(event, Drew) and event.cards:
                stories[event.seat] += [f"+{card}" for card in event.cards]
        return replace(
            self, state=state, stories=tuple(map(tuple, stories)), played=(*self.played, str(action))
        )


class _Observer:
    """OpenSpiel's observer; its tensor is the observation, without perfect recall."""

    def __init__(self, rules: Rules, *, recalls: bool) -> None:
        self._recalls = recalls
        self.tensor = np.zeros(input_size(rules.seats), np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: OpenSpielState, player: int) -> None:
        self.tensor.fill(0)
        if state.moment.state is not None:
            self.tensor[active_inputs(state.moment.state.observation(player))] = 1

    def string_from(self, state: OpenSpielState, player: int) -> str:
        moment = state.moment
        if moment.state is None:
            return ""
        if self._recalls:
            return " ".join(moment.stories[player])
        return write_observation(moment.state.observation(player))


pyspiel.register_game(_TYPE, OpenSpielGame)
