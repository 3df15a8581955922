"""Durak as an OpenSpiel game; importing this module registers it.

    import durak_core.lab.learn.adapters.open_spiel_game
    game = pyspiel.load_game("python_durak(rules=podkidnoy:lowest_rank 11 suits 1 hand_size 2)")

Chance nodes deal the bottom card, which sets the trump suit, then each hand in ascending order (so that
each hand occurs once), then the talon from the top, and the first attacker if no hand has a trump
(rules 4.1). Chance nodes with one outcome are skipped. Actions and observation tensors are as in
`durak_core.lab.learn.durak_v0`. An information state is what a seat has seen: its hand, the trump card,
the first attacker and why it attacks first, all actions, and the cards it drew.

Source: M. Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games", 2019.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from math import comb, prod
from typing import Any, Final, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt

from durak_core.actions import Action
from durak_core.cards import Card, Rank, Suit
from durak_core.errors import DurakError
from durak_core.game import events
from durak_core.game.notation.position_text import write_observation, write_public
from durak_core.game.observation import Observation
from durak_core.game.state import State
from durak_core.installation import require
from durak_core.kernel.position import MAX_SEATS, NOBODY
from durak_core.kernel.transition import deal_hands, lowest_trump_seat, new_position
from durak_core.lab.model_io import action_of_index
from durak_core.rules import Rules
from durak_core.search.network.encoding import (
    ACTIONS,
    CARDS,
    PHASES,
    RANKS,
    ROOMS,
    SIZES,
    STALLS,
    TALONS,
    active_inputs,
    card_input,
    check_encodable,
    indexed_actions,
    input_size,
)

require("An OpenSpiel game", "examples", "pyspiel")

import pyspiel  # noqa: E402 - after the check

_Item = TypeVar("_Item")


class HiddenDeal:
    """The deals that can lead to a seat's observation, except for rules 4.1 and 5.8.

    A deal's cards are the bottom card, the first hands from seat 0 on, and the talon from the top. Their
    places are numbered in this order. A card that another seat plays was in one of the places whose cards
    that seat had by then. A later play can only use more places. A free place is therefore drawn for each
    play in turn, which makes all deals equally likely.

    Args:
        seen: The seat's observation, with its events.
        own: The seat's first hand and the cards it drew, in order.
        sizes: Sizes of the first hands; without a talon the bottom card is not counted.
    """

    def __init__(self, seen: Observation, own: Sequence[Card], sizes: Sequence[int]) -> None:
        self._seen, self._own, self._sizes = seen, own, sizes
        exchanged = [event.taken for event in seen.events if isinstance(event, events.Exchanged)]
        self._bottom = exchanged[0] if exchanged else seen.trump_card

    def sample(self, random: Callable[[], float]) -> tuple[int, ...]:
        """Return the numbers of a deal's cards, each hand in ascending order.

        ``random`` returns numbers from 0 to 1, exclusive.
        """
        self._random = random
        self._begin()
        for event in self._seen.events:
            self._follow(event)
        rest = [card for card in self._seen.rules.deck if card not in self._filled.values()]
        for place in range(self._seen.rules.deck_size):
            if place not in self._filled:
                self._filled[place] = self._drawn_from(rest)
        cards = [self._filled[place].number for place in range(self._seen.rules.deck_size)]
        start = 1
        for size in self._sizes:
            cards[start : start + size] = sorted(cards[start : start + size])
            start += size
        return tuple(cards)

    def _begin(self) -> None:
        seats, deck_size = len(self._sizes), self._seen.rules.deck_size
        self._face_up = self._bottom
        self._filled = {} if self._bottom is None else {0: self._bottom}
        self._free: list[list[int]] = [[] for _ in range(seats)]
        self._known: list[set[Card]] = [set() for _ in range(seats)]
        start = 1
        for seat, size in enumerate(self._sizes):
            self._free[seat] += range(start, start + size)
            start += size
        self._talon = iter([*range(start, deck_size), 0])
        if start == deck_size:
            self._receive((deck_size - 1) % seats, 0)
        own = self._seen.seat
        draws = [event for event in self._seen.events if isinstance(event, events.Drew)]
        drawn = sum(event.count for event in draws if event.seat == own)
        self._draws = iter(self._own[len(self._own) - drawn :])
        hand = [card for card in self._own[: len(self._own) - drawn] if card not in self._filled.values()]
        for place in self._free[own]:
            self._filled[place] = self._drawn_from(hand)

    def _follow(self, event: events.Event) -> None:
        match event:
            case events.Drew(seat, count):
                for _ in range(count):
                    self._draw(seat)
            case events.Exchanged(_, given):
                self._face_up = given
        if getattr(event, "seat", None) == self._seen.seat:
            return
        match event:
            case events.Attacked(seat, card) | events.Defended(seat, card) | events.Transferred(seat, card):
                self._play(seat, card)
            case events.TrumpShown(seat, card):
                self._play(seat, card)
                self._known[seat].add(card)
            case events.Exchanged(seat, given, taken):
                self._play(seat, given)
                self._known[seat].add(taken)
            case events.TableTaken(seat, cards):
                self._known[seat].update(cards)

    def _draw(self, seat: int) -> None:
        place = next(self._talon)
        if seat == self._seen.seat:
            self._filled.setdefault(place, next(self._draws))
        else:
            self._receive(seat, place)

    def _receive(self, seat: int, place: int) -> None:
        if place == 0 and self._face_up is not None:
            self._known[seat].add(self._face_up)
        else:
            self._free[seat].append(place)

    def _play(self, seat: int, card: Card) -> None:
        """Take a card from a hand, where it is known to be or got to from the deck."""
        if card in self._known[seat]:
            self._known[seat].remove(card)
        else:
            self._filled[self._drawn_from(self._free[seat])] = card

    def _drawn_from(self, items: list[_Item]) -> _Item:
        return items.pop(int(self._random() * len(items)))


NAME: Final = "python_durak"

_FIRST_SEAT: Final = 64
"""Chance actions from here on are first attackers; lower ones are card numbers."""
_SHOWN: Final = 2
"""Public facts before the actions."""
_SUITS: Final = 4
_ATTEMPTS: Final = 10_000
"""Maximum number of deals to try in a resampling."""
_FIRST_CARD: Final = 2
"""Actions from here on name a card."""
_WORDS: Final = ("pass or exchange", "take")
_KINDS: Final = ("attack with", "beat with", "transfer with", "transfer by showing")
_TRUMPS_FIRST: Final = ("trump", "first plain", "second plain", "third plain")
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
    provides_factored_observation_string=True,
    parameter_specification={"rules": "podkidnoy"},
)


class OpenSpielGame(pyspiel.Game):  # type: ignore[misc]
    """The OpenSpiel game; parameter ``rules`` is a rules spec, or one with spaces for ``=`` and ``,``.

    OpenSpiel's game strings need the spaces.

    Raises:
        RulesError: If the rules are not playable, or have jokers.
        DurakError: If void deals are dealt again (rules 3.4, 3.5), which OpenSpiel cannot model.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        self.rules = Rules.parse(_without_spaces((params or {}).get("rules", "podkidnoy")))
        check_encodable(self.rules)
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
        super().__init__(_TYPE, info, {"rules": re.sub("[=,]", " ", self.rules.text)})

    def new_initial_state(self) -> OpenSpielState:
        return OpenSpielState(self)

    def action_to_string(self, player: int, action: int) -> str:
        """Return an action's text without a state; plain suits are numbered in the order ♠ ♥ ♦ ♣.

        Raises:
            DurakError: If there is no such action.
        """
        if player == pyspiel.PlayerId.CHANCE:
            return _chance_text(action)
        if not 0 <= action < ACTIONS:
            raise DurakError(
                "there is no action {action}: expected 0 to {last}", action=action, last=ACTIONS - 1
            )
        if action < _FIRST_CARD:
            return _WORDS[action]
        kind, card = divmod(action - _FIRST_CARD, CARDS)
        suit, place = divmod(card, RANKS)
        rank = Rank(place + 2)
        shown = f"{_TRUMPS_FIRST[suit]} {rank.letter}" if self.rules.trumps else str(Card(Suit(suit), rank))
        return f"{_KINDS[kind]} {shown}"

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:  # noqa: ANN401
        if params:
            raise DurakError("observations take no parameters")
        return _Observer(self.rules, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False))


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
            return _chance_text(action)
        return str(action_of_index(self.moment.now, action))

    def is_terminal(self) -> bool:
        return self.moment.state is not None and self.moment.state.is_over

    def returns(self) -> list[float]:
        state = self.moment.state
        return [0.0] * self.num_players() if state is None else list(state.returns)

    def resample_from_infostate(
        self, player_id: int, probability_sampler: Callable[[], float]
    ) -> OpenSpielState:
        """Return a random state that the player cannot distinguish from this one.

        Every deal that agrees with what the player has seen is equally likely.

        Args:
            player_id: The player, not chance.
            probability_sampler: Returns a random number from 0 to 1, exclusive.

        Raises:
            DurakError: If the cards are still being dealt, or no such deal was found in 10,000 attempts.
        """
        now = self.moment.now
        if now.rules.visibility == "open":
            return cast("OpenSpielState", self.clone())
        source = HiddenDeal(
            now.observation(player_id), self.moment.private[player_id], self.moment.deal.sizes
        )
        actions = self.history()[len(self.history()) - len(self.moment.played) :]
        for _ in range(_ATTEMPTS):
            deal = _Deal(now.rules, source.sample(probability_sampler))
            if deal.lowest_trump_seat == self.moment.deal.lowest_trump_seat:
                state = self._replayed(deal, now.first_attacker, actions)
                if state is not None:
                    return state
        raise DurakError(
            "no deal was found in {count} attempts that agrees with what seat {seat} has seen",
            count=f"{_ATTEMPTS:,}",
            seat=player_id,
        )

    def _replayed(self, deal: _Deal, first: int, actions: Sequence[int]) -> OpenSpielState | None:
        """Return the state after some actions from a deal; None if one of them is illegal."""
        state = self.get_game().new_initial_state()
        while state.is_chance_node():
            done = state.moment.deal
            state.apply_action(_FIRST_SEAT + first if done.is_done else deal.cards[len(done.cards)])
        for action in actions:
            if action not in state.legal_actions():
                return None
            state.apply_action(action)
        return cast("OpenSpielState", state)

    def __str__(self) -> str:
        dealt = [str(Card.from_number(card)) for card in self.moment.deal.cards]
        return " ".join([*dealt, *self.moment.public])


def _without_spaces(text: str) -> str:
    name, colon, options = text.partition(":")
    if "=" in options:
        return text
    words = options.split()
    return name + colon + ",".join(["=".join(words[i : i + 2]) for i in range(0, len(words), 2)])


def _chance_text(action: int) -> str:
    first = action - _FIRST_SEAT
    return f"seat {first} begins" if first >= 0 else f"deal {Card.from_number(action)}"


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
        for size in self.sizes if self.cards else ():
            if place < size:
                return _next_in_hand(rest, self.cards[-1] if place else 0, size - place)
            place -= size
        return [(card, 1 / len(rest)) for card in rest]

    def hand(self, seat: int) -> tuple[Card, ...]:
        """Return the cards dealt to a seat so far, without the bottom card."""
        first = 1 + sum(self.sizes[:seat])
        return tuple(map(Card.from_number, self.cards[first : first + self.sizes[seat]]))

    def deck(self) -> list[Card]:
        """Return all cards in dealing and drawing order (rules 3.1)."""
        hands, end = [], 1
        for size in self.sizes:
            hands.append(iter(self.cards[end : end + size]))
            end += size
        seats = self.rules.seats
        dealt = [next(hands[place % seats]) for place in range(end - 1)]
        return list(map(Card.from_number, [*dealt, *self.cards[end:], self.cards[0]]))

    @cached_property
    def lowest_trump_seat(self) -> int:
        """The seat with the lowest trump of all hands, or `NOBODY` (rules 4.1)."""
        position = new_position(self.rules)
        position.deck[: self.rules.deck_size] = [card.number for card in self.deck()]
        deal_hands(position)
        return lowest_trump_seat(position)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Size of each hand, minus the bottom card if there is no talon."""
        rules = self.rules
        dealt = (
            rules.deck_size - 1 if rules.deal_all else min(rules.seats * rules.hand_size, rules.deck_size - 1)
        )
        return tuple([len(range(seat, dealt, rules.seats)) for seat in range(rules.seats)])


def _next_in_hand(rest: list[int], last: int, missing: int) -> list[tuple[int, float]]:
    """Return the next card of an ascending hand that needs ``missing`` more, with probabilities."""
    higher = [card for card in rest if card > last]
    hands = comb(len(higher), missing)
    counts = [comb(len(higher) - 1 - place, missing - 1) for place in range(len(higher))]
    return [(card, count / hands) for card, count in zip(higher, counts, strict=True) if count]


@dataclass(frozen=True)
class _Moment:
    """Immutable content of an `OpenSpielState`, shared by its deep copies.

    ``state`` is None during the deal. ``public`` has the trump card, the first attacker and all actions,
    ``private`` each seat's hand and the cards it drew, in order.
    """

    deal: _Deal
    state: State | None = None
    public: tuple[str, ...] = ()
    private: tuple[tuple[Card, ...], ...] = ()

    def __deepcopy__(self, memo: dict[int, Any]) -> _Moment:
        return self

    @property
    def now(self) -> State:
        if self.state is None:
            raise DurakError("the cards are still being dealt")
        return self.state

    @property
    def played(self) -> tuple[str, ...]:
        return self.public[_SHOWN:]

    def after(self, action: int) -> _Moment:
        if self.state is not None:
            return self._played(action_of_index(self.state, action))
        if action >= _FIRST_SEAT:
            return self._begun(action - _FIRST_SEAT)
        dealt = replace(self, deal=replace(self.deal, cards=(*self.deal.cards, action)))
        return dealt._begun(None) if dealt.deal.is_done and dealt.deal.lowest_trump_seat != NOBODY else dealt  # noqa: SLF001 - of the same class

    def _begun(self, first: int | None) -> _Moment:
        rules, deck = self.deal.rules, self.deal.deck()
        state = State.from_deck(rules, deck, first, by_lowest_trump=True)
        why = events.FirstBy.TRUMP if first is None else events.FirstBy.CHANCE
        public = (f"trump {state.trump_card or 'none'}", f"seat {state.first_attacker} begins by {why}")
        seen = [deck if rules.visibility == "open" else hand for hand in state.hands]
        return replace(self, state=state, public=public, private=tuple(map(tuple, seen)))

    def _played(self, action: Action) -> _Moment:
        state = self.now.apply(action)
        private = list(self.private)
        for event in state.events[len(self.now.events) :]:
            if isinstance(event, events.Drew) and event.cards and self.deal.rules.visibility != "open":
                private[event.seat] += event.cards
        return replace(self, state=state, public=(*self.public, str(action)), private=tuple(private))


class _Piece(NamedTuple):
    """A named part of the observation tensor; other seats are counted clockwise from the observer."""

    name: str
    shape: tuple[int, ...]
    is_private: bool = False


def _pieces(seats: int) -> tuple[_Piece, ...]:
    suits = (_SUITS, RANKS)
    planes = ("open_attacks", "beaten_attacks", "defences", "discards")
    return (
        _Piece("hand", suits, is_private=True),
        *[_Piece(name, suits) for name in planes],
        _Piece("unseen", suits, is_private=True),
        _Piece("safe", suits, is_private=True),
        _Piece("asked", suits),
        _Piece("known", (seats - 1, *suits), is_private=True),
        _Piece("trump_card", (RANKS,)),
        _Piece("ranks", (RANKS,)),
        _Piece("talon", (TALONS,)),
        _Piece("hand_sizes", (seats, SIZES)),
        _Piece("phase", (PHASES,)),
        _Piece("room", (ROOMS,)),
        *[_Piece(name, (seats,)) for name in ("turn", "attacker", "defender", "in", "passed", "shown")],
        _Piece("transfer", (1,)),
        _Piece("first_bout", (1,)),
        _Piece("stall", (STALLS,)),
    )


class _Observer:
    """OpenSpiel's observer, of public information, private information or both.

    ``tensor`` has the encoding's planes, ``dict`` the same by name and shape. With the private information of
    all players, ``hands`` has the cards of every seat. There is no tensor with perfect recall, because
    histories have no useful bound.
    """

    def __init__(self, rules: Rules, kind: Any) -> None:  # noqa: ANN401 - `pyspiel.IIGObservationType`
        self._rules, self._recalls = rules, kind.perfect_recall
        self._sees_public = kind.public_info
        self._sees_private = kind.private_info != pyspiel.PrivateInfoType.NONE
        self._sees_all = kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS
        self.tensor: npt.NDArray[np.float32] | None = None
        self.dict: dict[str, npt.NDArray[np.float32]] = {}
        if not self._recalls:
            self._lay_out(_pieces(rules.seats))

    def _lay_out(self, pieces: Sequence[_Piece]) -> None:
        ends = list(accumulate([prod(piece.shape) for piece in pieces], initial=0))
        shown = [
            (piece, range(first, last))
            for piece, first, last in zip(pieces, ends, ends[1:], strict=False)
            if (self._sees_private if piece.is_private else self._sees_public)
        ]
        self._planes = np.array([place for _, places in shown for place in places], np.int64)
        hands = _Piece("hands", (self._rules.seats, _SUITS, RANKS))
        listed = [piece for piece, _ in shown] + [hands] * self._sees_all
        self.tensor = np.zeros(sum(prod(piece.shape) for piece in listed), np.float32)
        start = 0
        for piece in listed:
            end = start + prod(piece.shape)
            self.dict[piece.name] = self.tensor[start:end].reshape(piece.shape)
            start = end

    def set_from(self, state: OpenSpielState, player: int) -> None:
        if self.tensor is None:
            return
        self.tensor.fill(0)
        now = state.moment.state
        if now is None:
            return
        whole = np.zeros(input_size(self._rules.seats), np.float32)
        whole[active_inputs(now.observation(player))] = 1
        self.tensor[: len(self._planes)] = whole[self._planes]
        if self._sees_all:
            trump = -1 if now.trump_suit is None else int(now.trump_suit)
            for place, seat in enumerate([*range(player, self._rules.seats), *range(player)]):
                for card in now.hands[seat]:
                    self.dict["hands"][place].flat[card_input(card.number, trump)] = 1

    def string_from(self, state: OpenSpielState, player: int) -> str:
        moment = state.moment
        seats = range(self._rules.seats) if self._sees_all else [player] * self._sees_private
        if moment.state is None or self._recalls:
            own = [moment.deal.hand(seat) if moment.state is None else moment.private[seat] for seat in seats]
            private = [
                f"seat {seat} {' '.join(map(str, held))}" for seat, held in zip(seats, own, strict=True)
            ]
            return " | ".join(private + [" ".join(moment.public)] * self._sees_public)
        parts = []
        if self._sees_public:
            both = self._sees_private
            now = moment.state
            parts.append(write_observation(now.observation(player)) if both else write_public(now))
        if self._sees_all or not self._sees_public:
            parts += [f"{seat}: {moment.state.hands[seat]}" for seat in seats]
        return " ".join(parts)


pyspiel.register_game(_TYPE, OpenSpielGame)
