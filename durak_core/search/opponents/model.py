"""A Bayesian opponent model: the posterior over each player's type, from its public choices.

Events are replayed by the kernel on a deal consistent with the seat's knowledge. A card played from elsewhere
trades places with a hidden card of the player's hand, and so do the seat's own draws. The seat cannot tell
these deals apart.

Each type gives every legal action a probability for a given hand. The likelihood of a choice averages over
particles (`durak_core.search.opponents.particle_filter`). Forced choices carry no information.

Source: Southey et al., "Bayes' bluff: opponent modelling in poker", UAI 2005, for a posterior over a few
given strategies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, MutableSequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final

from durak_core.actions import Action, encode
from durak_core.cards import CardSet
from durak_core.errors import AgentError
from durak_core.game.events import (
    ActionEvent,
    Drew,
    Event,
    EventLog,
    Exchanged,
    TableTaken,
    TrumpShown,
    action_of,
)
from durak_core.game.observation import Observation
from durak_core.kernel.legal import card_used, face_up_card
from durak_core.kernel.position import Position, copy_position, derive, lowest_bit
from durak_core.kernel.transition import apply
from durak_core.knowledge.belief import belief_of, sample_deal
from durak_core.knowledge.locations import FollowedLocations, SeatLocations
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend, backend_now
from durak_core.search.ismcts.tree import NETWORK
from durak_core.search.network.encoding import Memory
from durak_core.search.network.weights import (
    Network,
    activation_sizes,
    activations_for,
    in_memory,
    no_weights,
)
from durak_core.search.opponents.particle_filter import ROUNDS, Reading, ReadingMemory, particles_of
from durak_core.search.players import SMART, VALUING, Player, tempered
from durak_core.search.policies.expert import AGGRESSIVE, CAUTIOUS, MODERATE, hidden_cards
from durak_core.search.policies.playouts import EXPERT, GREEDY, POLICIES, RANDOM

PLAYER_TYPES: Final[Mapping[str, Player]] = {
    "aggressive": tempered(AGGRESSIVE),
    "cautious": tempered(CAUTIOUS),
    "moderate": tempered(MODERATE),
    "greedy": Player(GREEDY),
    "smart": Player(SMART),
    "random": Player(RANDOM),
}
"""The types by name, the same as their agents' names."""

_RANDOMNESS: Final = 250
"""Thousandths of random actions of the type that is nearly `greedy`."""

_SHARPNESS: Final = 0.01
"""Temperature of the type that plays by a network."""

_PLAYING_BY: Final = {
    POLICIES["random"]: ("random",),
    POLICIES["greedy"]: ("greedy", "smart"),
    POLICIES["expert"]: ("moderate",),
}
"""The player types that play exactly or nearly as a policy."""

_PRIOR: Final = {name: 3.0 if name in _PLAYING_BY[GREEDY] else 1.0 for name in PLAYER_TYPES}
"""Mistaking strong players for simple ones at first costs nothing measurable; the reverse does."""


@dataclass(frozen=True, slots=True)
class Followed:
    """The player types that a search tells apart, and which of them it follows.

    Attributes:
        models: The model (`durak_core.search.ismcts.tree.MODELS`) of each type that the tree follows.
        guesses: For each type whose hands weight the deals, their weight; the belief network has the rest.
    """

    types: Mapping[str, Player]
    prior: Mapping[str, float]
    models: Mapping[str, int]
    samples: int = 64
    guesses: Mapping[str, float] = field(default_factory=dict)


def follow_policy(policy: int) -> Followed:
    """Follow one policy, for the types that play exactly or nearly by it."""
    return Followed(PLAYER_TYPES, _PRIOR, dict.fromkeys(_PLAYING_BY[policy], policy))


def follow_all(*, has_network: bool) -> Followed:
    """Follow `greedy`, the rule book and, if there is one, the network."""
    types = {**PLAYER_TYPES, "nearly greedy": Player(GREEDY, noise=_RANDOMNESS)}
    models = {"greedy": GREEDY, "smart": GREEDY, "nearly greedy": GREEDY, "moderate": EXPERT}
    if has_network:
        types["network"] = Player(VALUING, manner=_SHARPNESS)
        models["network"] = NETWORK
    prior = {name: _PRIOR.get(name, 1.0) for name in types}
    guesses = {name: 0.5 if name == "network" else 1.0 for name in models}
    return Followed(types, prior, models, samples=512, guesses=guesses)


@dataclass(frozen=True, slots=True)
class ObservedChoice:
    """A seat's choice, and an observer's knowledge just before it."""

    position: Position  # consistent with the observer's knowledge
    known: tuple[int, ...]  # masks of cards publicly in each hand
    hidden: int  # mask of cards the observer could not locate
    code: int  # choice of the seat to act


def choice_of(observation: Observation, action: Action, rng: MutableSequence[int]) -> ObservedChoice:
    """Return a choice of the seat to act with another seat's knowledge."""
    position = _agreeing_deal(observation, rng, SeatLocations.from_observation)
    known = tuple([hand.mask for hand in observation.known])
    hidden = 0 if observation.hands is not None else hidden_cards(position, observation.seat, known)
    return ObservedChoice(position, known, hidden, encode(action))


def choices_between(
    before: Observation,
    after: Observation,
    rng: MutableSequence[int],
    places_of: Callable[[Observation], SeatLocations] = SeatLocations.from_observation,
) -> Iterator[ObservedChoice]:
    """Yield the others' choices between two decisions of a seat, in order; none without events of one game.

    ``places_of`` locates the first observation's cards, as for `durak_core.knowledge.belief.belief_of`.
    """
    logged = len(before.events)
    if not logged or len(after.events) <= logged or after.events[logged - 1] != before.events[-1]:
        return
    p = _agreeing_deal(before, rng, places_of)
    known = tuple([hand.mask for hand in before.known])
    own = before.hand.mask
    for place in range(logged, len(after.events)):
        event = after.events[place]
        if not isinstance(event, ActionEvent):
            continue
        code = encode(action_of(event))
        bit = card_used(p, code)
        if p.turn == before.seat:
            own &= -1 if isinstance(event, TrumpShown) else ~bit
            own |= face_up_card(p) if isinstance(event, Exchanged) else 0
        else:
            hidden = 0 if before.hands is not None else hidden_cards(p, before.seat, known)
            if bit and not _give(p, p.turn, bit, hidden):
                return
            yield ObservedChoice(copy_position(p), known, hidden, code)
        earlier = copy_position(p)
        apply(p, code)
        known = EventLog.empty(known, is_open=False).after(earlier, code, p).known
        for news in takewhile(lambda event: not isinstance(event, ActionEvent), after.events[place + 1 :]):
            own |= _gained(news, before.seat)
        _put_right(p, before.seat, own)


def _agreeing_deal(
    observation: Observation, rng: MutableSequence[int], places_of: Callable[[Observation], SeatLocations]
) -> Position:
    root, belief = belief_of(observation, places_of)
    position = copy_position(root)
    sample_deal(position, root, belief, rng)
    return position


def _give(p: Position, seat: int, bit: int, hidden: int) -> bool:
    """Put a card into a hand, in exchange for a hidden one; return whether that is possible."""
    if p.hands[seat] & bit:
        return True
    spare = p.hands[seat] & hidden
    if not spare or not bit & hidden:
        return False
    _exchange(p, lowest_bit(bit), lowest_bit(spare))
    return True


def _put_right(p: Position, seat: int, own: int) -> None:
    """Exchange the cards drawn in the simulated deal for those drawn in the game."""
    wrong = p.hands[seat] & ~own
    missing = own & ~p.hands[seat]
    while wrong and missing:
        _exchange(p, lowest_bit(missing), lowest_bit(wrong))
        wrong &= wrong - 1
        missing &= missing - 1


def _exchange(p: Position, one: int, other: int) -> None:
    both = 1 << one | 1 << other
    for seat in range(p.seats):
        if (p.hands[seat] & both).bit_count() == 1:
            p.hands[seat] ^= both
    for place in range(p.drawn, p.deck_size):
        if p.deck[place] == one:
            p.deck[place] = other
        elif p.deck[place] == other:
            p.deck[place] = one


def _gained(event: Event, seat: int) -> int:
    match event:
        case Drew(drawing, _, cards, _) if drawing == seat and cards is not None:
            return CardSet.of(cards).mask
        case TableTaken(taking, cards) if taking == seat:
            return cards.mask
        case _:
            return 0


READING: Final = "opponents"
"""The backend's function group of a model."""


class OpponentModel:
    """One seat's model of the others over one or more games, deterministic for a seed and its choices.

    It runs compiled if that is ready, and never waits.

    Args:
        seat: The observing seat, 0 to ``rules.seats - 1``.
        types: The possible types of player by name, without networks other than ``network``.
        prior: The types' prior weights, in any unit; uniform by default.
        samples: Particles for each type, 1 or more; a type with a network has an eighth of them.
        seed: Seed of the particles, 0 to 2^63 - 1.
        network: The network of the types with one, which draw actions by a softmax over its values.

    Raises:
        AgentError: If a prior names no type, a type needs a network, or a number is out of range.
    """

    def __init__(  # noqa: PLR0913 - what a model is made of
        self,
        rules: Rules,
        seat: int,
        types: Mapping[str, Player],
        prior: Mapping[str, float] | None = None,
        *,
        samples: int = 64,
        seed: int = 0,
        network: Network | None = None,
    ) -> None:
        prior = dict.fromkeys(types, 1.0) if prior is None else prior
        if set(prior) != set(types) or not types or min(prior.values()) <= 0:
            raise AgentError(
                "prior of {prior}: expected more than 0 for each of {types}",
                prior=", ".join(prior),
                types=", ".join(types),
            )
        for name, player in types.items():
            if player.kind > (SMART if network is None else VALUING):
                raise AgentError(
                    "type {name}: expected a policy or a temperament, without a network", name=name
                )
        if samples < 1:
            raise AgentError("{samples} samples: expected 1 or more", samples=samples)
        self.rules = rules
        self.seat = seat
        self._types = dict(types)
        self._samples = samples
        self._network = network
        self._prior = {name: math.log(prior[name]) for name in types}
        self._evidence: dict[int, dict[str, float]] = {}
        self._rng = [derive(seed, 0)]
        self._last: Observation | None = None
        self._places = FollowedLocations()
        self._hands: dict[int, tuple[str, MutableSequence[MutableSequence[int]]]] = {}
        self._memories: dict[str, ReadingMemory] = {}

    def observe(self, observation: Observation, seat: int, action: Action) -> None:
        """Update with one choice of another seat, from this seat's observation just before it.

        Raises:
            AgentError: If the observation is another seat's, or it was not that seat's turn.
        """
        if observation.seat != self.seat or observation.turn != seat or seat == self.seat:
            raise AgentError(
                "a choice of seat {seat} seen by seat {viewer} at the turn of seat {turn}: "
                "expected one of another seat at its turn, seen by seat {wanted}",
                seat=seat,
                viewer=observation.seat,
                turn=observation.turn,
                wanted=self.seat,
            )
        self._read(choice_of(observation, action, self._rng))

    def follow(self, observation: Observation) -> None:
        """Update with the choices since the game's last observation; those before the first are ignored."""
        if self._last is not None:
            for choice in choices_between(self._last, observation, self._rng, self._places.of):
                self._read(choice)
        self._last = observation

    def next_game(self, seat: int, rules: Rules | None = None) -> None:
        """Keep the posteriors for another game.

        Args:
            seat: The new observing seat; the others are assumed to have moved by as many seats.
            rules: The new game's rules, if different; the number of seats must be the same.
        """
        moved = seat - self.seat
        self._evidence = {
            (other + moved) % self.rules.seats: found for other, found in self._evidence.items()
        }
        self.seat = seat
        self.rules = rules or self.rules
        self._last = None
        self._places = FollowedLocations()
        self._hands = {}

    def posterior(self, seat: int) -> Mapping[str, float]:
        """Return the probability of each type at a seat; the sum is 1."""
        found = self._evidence.get(seat, self._prior)
        most = max(found.values())
        parts = {name: math.exp(value - most) for name, value in found.items()}
        total = sum(parts.values())
        return {name: part / total for name, part in parts.items()}

    def hands(self, seat: int, name: str) -> list[int]:
        """Return equally likely hidden cards of a seat before its last choice, as masks, if it is of a type.

        The list is empty before the first choice. Hands may have fewer cards than they had.
        """
        if seat not in self._hands:
            return []
        row = list(self._types).index(name)
        count = particles_of(self._types[name], self._samples)
        return [int(hand) for hand in self._hands[seat][1][row][:count]]

    def _read(self, choice: ObservedChoice) -> None:
        """Update with a choice, unless every hand forces it or no hand explains it."""
        chances = self._chances(choice)
        if not all(chances) or len(set(chances)) == 1:
            return
        found = self._evidence.setdefault(choice.position.turn, dict(self._prior))
        for name, chance in zip(self._types, chances, strict=True):
            found[name] += math.log(chance)

    def _chances(self, choice: ObservedChoice) -> list[float]:
        """Return the likelihood of a choice for each type, and resample the particles."""
        runner = backend_now(READING)
        seat = choice.position.turn
        memory = self._memory(runner)._replace(
            positions=runner.records(choice.position, 1), held=self._held(seat, runner)
        )
        reading = memory.readings[0]
        reading.code, reading.hidden = choice.code, choice.hidden
        reading.known[: len(choice.known)] = choice.known
        if self._network is not None:
            self._look(memory.seen[0], choice)
        reading.rng[0] = self._rng[0]
        runner.functions["read_choice"](memory)
        self._rng[0] = int(reading.rng[0])
        return [float(chance) for chance in memory.chances]

    def _look(self, seen: Memory, choice: ObservedChoice) -> None:
        """Set the public knowledge at a choice."""
        p = choice.position
        seen.is_open = int(self.rules.visibility == "open")
        hands = p.hands if seen.is_open else choice.known
        for seat in range(p.seats):
            seen.known[seat] = hands[seat]
            seen.sizes[seat] = p.hands[seat].bit_count()

    def _held(self, seat: int, runner: Backend) -> MutableSequence[MutableSequence[int]]:
        name, hands = self._hands.get(seat, ("", []))
        if name != runner.name:
            table = runner.integers(len(self._types), self._samples)
            for row, before in zip(table, hands, strict=False):
                row[:] = [int(hand) for hand in before]
            self._hands[seat] = runner.name, table
        return self._hands[seat][1]

    def _memory(self, runner: Backend) -> ReadingMemory:
        if runner.name not in self._memories:
            types = runner.records(Player(), len(self._types))
            weights, room = no_weights(runner), activation_sizes(1, runner)
            if self._network is not None:
                weights, room = in_memory(self._network, runner), activations_for(self._network, runner)
            for number, player in enumerate(self._types.values()):
                types[number] = runner.records(player, 1)[0]
            self._memories[runner.name] = ReadingMemory(
                positions=(),
                readings=runner.records(Reading(), 1),
                types=types,
                held=[],
                hands=runner.integers(ROUNDS * self._samples),
                seen=runner.records(Memory(), 1),
                network=weights,
                room=room,
                weights=runner.floats(ROUNDS * self._samples),
                chances=runner.floats(len(self._types)),
            )
        return self._memories[runner.name]
