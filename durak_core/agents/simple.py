"""Agents that decide by rules: from random to the rule book, the temperaments and `adaptive`.

Source: the Groningen multi-agent project with Kripke models (rules 12, `groningen`), whose players reason
about possible worlds: a card that the defender cannot beat in any of them must be taken. Under rules 5.8 and
5.10, passes, takes and played cards also prove what a hand lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Final, TypeAlias

from durak_core.actions import (
    Action,
    Attack,
    Defend,
    Exchange,
    Pass,
    ShowTrump,
    Take,
    Transfer,
    decode,
    encode,
)
from durak_core.agents.base import (
    FREE_REASONS,
    ONLY,
    OPEN,
    Agent,
    AgentInfo,
    AgentOption,
    AgentValues,
    BaseAgent,
    Decision,
    SeededAgent,
    ThinkingAgent,
    legal_codes,
    switch,
)
from durak_core.cards import CardSet
from durak_core.deadline import Deadline
from durak_core.errors import Message
from durak_core.game.observation import Observation, Phase
from durak_core.kernel.legal import TAKE_CODE
from durak_core.kernel.position import (
    CHANCE_STREAM,
    JOKERS,
    MAX_SEATS,
    Position,
    copy_position,
    derive,
    random_below,
)
from durak_core.kernel.transition import apply, returns
from durak_core.knowledge.certain import opponents, possible_cards, visible_position
from durak_core.knowledge.locations import SeatLocations
from durak_core.rules import Rules
from durak_core.search import players as kinds
from durak_core.search.backend.backend import backend
from durak_core.search.endgame.solver import known_to_the_end
from durak_core.search.network.encoding import seen_by
from durak_core.search.opponents.model import PLAYER_TYPES, READING, OpponentModel
from durak_core.search.players import Player, begin_game, decide, tempered
from durak_core.search.policies import playouts
from durak_core.search.policies.expert import (
    AGGRESSIVE,
    CAUTIOUS,
    MODERATE,
    Character,
    Temperament,
    expert_policy,
    smart_codes,
    write_odds,
)
from durak_core.search.policies.policies import (
    TENTHS,
    LegalCodes,
    greedy_policy,
    random_shares,
    stop_to_hoard,
)

Reason: TypeAlias = Callable[[Observation, Action], Message]


class PolicyAgent(BaseAgent):
    """Plays as a compiled player of a kind up to `SMART` does, interpreted; ``reason`` explains an action."""

    def __init__(self, text: str, player: Player, reason: Reason) -> None:
        super().__init__(text)
        self.is_deterministic = player.kind in {playouts.GREEDY, playouts.EXPERT, kinds.SMART}
        self._player = player
        self._reason = reason
        begin_game(player, 0)

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        del rules, seat
        begin_game(self._player, seed)

    def player(self, rules: Rules) -> tuple[Player, None]:
        del rules
        return replace(self._player), None

    def probabilities(self, observation: Observation) -> list[float]:
        """Return the probability of each legal action, in order."""
        codes = legal_codes(observation)
        n, player = len(codes), self._player
        position, memory = seen_by(observation)
        if player.kind == playouts.UNIFORM or n == 1:
            return [1 / n] * n
        if player.kind == playouts.RANDOM:
            return random_shares(codes)
        if player.kind == kinds.HOARDING:
            lowest = replace(player, kind=kinds.LOWEST)
            spent = decide(position, memory, lowest, (codes, [0] * n), n)
            kept = stop_to_hoard(codes, n, observation.trump_mask, observation.talon_size)
            share = 0.0 if kept < 0 else 1 - 1 / TENTHS
            return [
                (share if code == kept else 0.0) + (1 - share if code == spent else 0.0) for code in codes
            ]
        if player.kind == kinds.TEMPERED and player.noise:
            odds = [0] * n
            total = write_odds(position, LegalCodes(codes, n), Character(player.weights, player.noise), odds)
            return [one / total for one in odds]
        chosen = decide(position, memory, player, (codes, [0] * n), n)
        return [float(code == chosen) for code in codes]

    def choose(self, observation: Observation) -> Decision:
        codes = legal_codes(observation)
        position, memory = seen_by(observation)
        action = decode(decide(position, memory, self._player, (codes, [0] * len(codes)), len(codes)))
        return Decision(action, self._reason(observation, action))


def greedy_action(observation: Observation, codes: Sequence[int]) -> Action:
    """Return the action of `greedy_policy` if restricted to some codes, at least one."""
    trumps, talon, phase = observation.trump_mask, observation.talon_size, int(observation.phase)
    return decode(greedy_policy(codes, len(codes), trumps, talon, phase))


def greedy_decision(observation: Observation) -> Decision:
    action = greedy_action(observation, legal_codes(observation))
    return Decision(action, _greedy_reason(observation, action))


def _greedy_reason(observation: Observation, action: Action) -> Message:
    match action:
        case Pass():
            kept = len(observation.legal_actions) > 1
            return Message("saves trumps while the talon lasts") if kept else Message("has nothing to add")
        case Take():
            return Message("cannot beat the attack")
        case ShowTrump() | Exchange():
            return FREE_REASONS[type(action)]
        case Attack(card) | Defend(card, _) | Transfer(card):
            if card.is_joker:
                return _JOKER_REASON
            plain = not card.is_of(observation.trump_suit)
            return _CARD_REASONS[type(action)][plain]


_CARD_REASONS: Final = {
    Attack: (
        Message("plays the lowest trump: there is no plain card"),
        Message("plays the lowest plain card"),
    ),
    Defend: (
        Message("beats it with the lowest trump: no plain card does"),
        Message("beats it with the lowest plain card"),
    ),
    Transfer: (Message("transfers with a trump"), Message("lets the next player deal with it")),
}
"""Greedy's reasons to play a trump and a non-trump, by kind of action."""


_JOKER_REASON: Final = Message("plays a joker: anything else would cost more")


def _random_reason(observation: Observation, _action: Action) -> Message:
    count = len(observation.legal_actions)
    return ONLY if count == 1 else Message("picks one of {count} moves at random", count=count)


RANDOM: Final = AgentInfo(
    "random",
    "Random",
    "Plays whatever comes to hand and passes or takes one time in five.",
    "careless",
    lambda text, values: PolicyAgent(
        text, Player(playouts.UNIFORM if values["uniform"] else playouts.RANDOM), _random_reason
    ),
    (switch("uniform", "draw all legal actions with equal probability"), OPEN),
    method="Plays a random action; passes or takes with probability 1/5 while it can play a card.",
)


def _lowest_reason(observation: Observation, action: Action) -> Message:
    """Return greedy's reason, unless a card could have been played instead of stopping or taking."""
    if isinstance(action, Pass | Take) and legal_codes(observation)[0] > TAKE_CODE:
        return Message("saves its trumps for later")
    return _greedy_reason(observation, action)


_BY_USE_OF_TRUMPS: Final = {
    "save": (playouts.GREEDY, _greedy_reason),
    "spend": (kinds.LOWEST, _lowest_reason),
    "hoard": (kinds.HOARDING, _lowest_reason),
}


def greedy_agent(text: str, trumps: str) -> PolicyAgent:
    """Return the agent `greedy` by its use of trumps."""
    kind, reason = _BY_USE_OF_TRUMPS[trumps]
    return PolicyAgent(text, Player(kind), reason)


GREEDY: Final = AgentInfo(
    "greedy",
    "Greedy",
    "Plays its lowest card, saves its trumps and never looks ahead.",
    "thrifty",
    lambda text, values: greedy_agent(text, values["trumps"]),
    (
        AgentOption(
            "trumps",
            "use of trumps while the talon lasts: none thrown in, spent freely, or hoarded nine times in ten",
            "save",
            ("save", "spend", "hoard"),
            omit_default_from_key=True,
        ),
        OPEN,
    ),
    method="Plays the lowest card, trumps last.",
)


def _smart_reason(observation: Observation, action: Action) -> Message:
    position, memory = seen_by(observation)
    codes = legal_codes(observation)
    kept = [0] * len(codes)
    count = smart_codes(position, LegalCodes(codes, len(codes)), memory.known, memory.sizes, kept)
    if not count:
        return _greedy_reason(observation, action)
    if observation.phase == Phase.DEFENCE:
        return Message("beats it with a rank nobody can throw in")
    ranks = {card.rank for card in observation.hand}
    if len({code & 15 for code in kept[:count]}) == len(ranks) - 1:
        return Message("saves the weakest cards for the end")
    return Message("plays low: whatever beats it, there is more to throw in")


def smart_agent(text: str) -> PolicyAgent:
    """Return an agent that plays like greedy, but closes ranks as defender and protects its weak ranks.

    Defending, it prefers ranks that the attackers cannot hold, even as trumps, so that they cannot continue.
    Against a single opponent with a certain hand without trumps, it opens bouts by Bonnet's weakness rules:
    with one weak rank it leads every other rank first; with more, but at most half of its ranks, it leads a
    badly covered weak card. See `durak_core.search.policies.expert.smart_codes`.

    Source: the smart player of the Charles University thesis (rules 12, `zarlykov`).
    """
    return PolicyAgent(text, Player(kinds.SMART), _smart_reason)


SMART: Final = AgentInfo(
    "smart",
    "Smart",
    "Plays like Greedy, but shuts ranks you could throw in and knows how to finish an endgame.",
    "watchful",
    lambda text, _values: smart_agent(text),
    (OPEN,),
    method="Plays as greedy, but defends with ranks that the attackers cannot hold, and attacks by Bonnet's "
    "weakness rules if the defender's hand is known to hold no trump.",
)


def reason_by_the_book(observation: Observation, action: Action) -> Message:
    """Return the reason for an action chosen by a rule book's costs."""
    match action:
        case Pass():
            return _why_pass(observation)
        case Take():
            return _why_take(observation)
        case ShowTrump() | Exchange():
            return FREE_REASONS[type(action)]
        case Attack(card) | Defend(card, _) | Transfer(card):
            if len(observation.legal_actions) == 1:
                return ONLY
            if card.is_joker:
                return _JOKER_REASON
            is_attack = isinstance(action, Attack)
            reasons = _ATTACK_REASONS[observation.phase] if is_attack else _ANSWER_REASONS[type(action)]
            return reasons[not card.is_of(observation.trump_suit)]


def _why_pass(observation: Observation) -> Message:
    if len(observation.legal_actions) == 1:
        return Message("has nothing to add")
    if observation.phase == Phase.PILE_ON:
        return Message("does not give good cards away")
    return Message("saves good cards for later")


def _why_take(observation: Observation) -> Message:
    if len(observation.legal_actions) == 1:
        return Message("cannot beat the attack")
    if observation.table_cards.mask & observation.trump_mask:
        return Message("takes on purpose: there are trumps to be had")
    return Message("takes on purpose: beating it would cost more")


_ATTACK_REASONS: Final = {
    Phase.OPENING: (
        Message("leads a trump: nothing else would hurt more"),
        Message("leads the card of least use"),
    ),
    Phase.VOLLEY: (Message("adds a trump as well"), Message("adds a spare card")),
    Phase.THROW_IN: (
        Message("throws in a trump: time to shed cards"),
        Message("throws in a spare card"),
    ),
    Phase.PILE_ON: (
        Message("piles on a trump to be rid of a card"),
        Message("piles on a spare card"),
    ),
}
"""Reasons to attack with a trump and with a non-trump, by phase."""

_ANSWER_REASONS: Final = {
    Defend: (Message("spends a trump: taking would cost more"), Message("beats it as cheaply as possible")),
    Transfer: (
        Message("transfers with a trump: cheaper than taking"),
        Message("lets the next player deal with it"),
    ),
}
"""Reasons to answer with a trump and with a non-trump, by kind of action."""


def expert_agent(text: str) -> PolicyAgent:
    """Return an agent that plays the cheapest action by a tuned rule book; see `expert_policy`."""
    return PolicyAgent(text, Player(playouts.EXPERT), reason_by_the_book)


class CountingAgent(SeededAgent):
    """Plays the rule book, and counts the discards better or worse than it.

    With ``remember``, as soon as the discards and known cards locate every card, it plays out each legal
    action, all seats by the rule book, and chooses the cheapest action with the best result. It looks one
    action ahead; `solver` searches the whole endgame. After each bout it forgets each discard with a
    probability of ``forget`` percent, and then takes the card to be hidden for the rest of the game.
    """

    def __init__(self, text: str, *, remember: bool, forget: int) -> None:
        super().__init__(text)
        self.is_deterministic = not forget
        self._remember = remember
        self._forget = forget

    def _take_up(self, seed: int) -> None:
        super()._take_up(seed)
        self._bout, self._forgotten = 1, 0

    def choose(self, observation: Observation) -> Decision:
        codes = legal_codes(observation)
        position = visible_position(observation)
        position.discards &= ~self._forgotten_until(observation)
        cheapest = best = expert_policy(position, codes, len(codes), None)
        remembers = self._remember and position.discards == observation.gone.mask
        if len(codes) > 1 and remembers and known_to_the_end(observation):
            best = max(codes, key=lambda code: (_return_by_the_book(position, code), code == cheapest))
        action = decode(best)
        return Decision(action, reason_by_the_book(observation, action) if best == cheapest else _PLAYED_OUT)

    def _forgotten_until(self, observation: Observation) -> int:
        """Forget once for each bout since the last decision, and return the mask of forgotten discards."""
        for _bout in range(self._bout, observation.bout) if self._forget else ():
            for card in CardSet(observation.gone.mask & ~self._forgotten):
                if random_below(self._rng, 100) < self._forget:
                    self._forgotten |= card.mask
        self._bout = observation.bout
        return self._forgotten


def _return_by_the_book(position: Position, code: int) -> float:
    """Return what the seat to act gets by an action if all seats go on by the rule book."""
    play, found = copy_position(position), [0.0] * MAX_SEATS
    apply(play, code)
    playouts.play_out(play, playouts.PlayoutBuffers(seated=[playouts.EXPERT] * MAX_SEATS))
    returns(play, found)
    return found[position.turn]


_PLAYED_OUT: Final = Message("ends best, if all go on by the book")


EXPERT: Final = AgentInfo(
    "expert",
    "Expert",
    "Plays by a rule book: spends no trump too early and would rather take than waste one.",
    "seasoned",
    lambda text, values: (
        CountingAgent(text, remember=values["remember"], forget=values["forget"])
        if values["remember"] or values["forget"]
        else expert_agent(text)
    ),
    (
        replace(
            switch("remember", "once every card is known, play each action out by the rule book"),
            omit_default_from_key=True,
        ),
        AgentOption(
            "forget",
            "percent of the discards forgotten after each bout",
            0,
            low=0,
            high=100,
            omit_default_from_key=True,
        ),
        OPEN,
    ),
    method="Plays the cheapest action by a hand-written cost function, the rule book.",
)


_SURE: Final = Message("knows that the defender cannot beat it")


class KripkeAgent(BaseAgent):
    """Plays like greedy, but attacks first with the lowest card that is unbeatable in every possible world.

    This applies to leads and throw-ins before the defender takes; trumps only without non-trumps.
    """

    def choose(self, observation: Observation) -> Decision:
        legal_codes(observation)
        decision = greedy_decision(observation)
        if not isinstance(decision.action, Attack) or observation.phase == Phase.PILE_ON:
            return decision
        lowest = decision.action.card
        high = observation.trump_mask | JOKERS
        is_high = high >> lowest.number & 1
        sure = [action for action in _unbeatable(observation) if high >> action.card.number & 1 == is_high]
        if not sure:
            return decision
        action: Action = greedy_action(observation, [encode(one) for one in sure])
        return Decision(action, _SURE)


def _unbeatable(observation: Observation) -> list[Attack]:
    """Return the attacks that the defender cannot beat with any possible hand."""
    rules, defender = observation.rules, observation.defender
    if rules.forced_play or rules.lowest_card != "any":
        possible = SeatLocations.from_observation(observation).possible(defender).mask
    else:
        possible = possible_cards(observation, defender).mask
    return [
        action
        for action in observation.legal_actions
        if isinstance(action, Attack) and not possible & observation.beating(action.card).mask
    ]


KRIPKE: Final = AgentInfo(
    "kripke",
    "Kripke",
    "Attacks with a card you cannot beat in any possible world, otherwise with its lowest.",
    "logical",
    lambda text, _values: KripkeAgent(text),
    (OPEN,),
    method="Plays as greedy, but attacks first with cards that no possible hand of the defender beats.",
)


_NAMED: Final = {"aggressive": AGGRESSIVE, "cautious": CAUTIOUS, "moderate": MODERATE}

_WEIGHTS: Final = {
    "aggression": "extra cost of not throwing in, in ranks",
    "spite": "extra cost of not piling on, in ranks",
    "thrift": "extra cost of playing a trump, in ranks",
    "daring": "discount on attacking with a trump, in ranks",
    "defiance": "extra cost of taking, in ranks",
    "evasion": "discount on transferring, in ranks",
    "secrecy": "extra cost of a new rank on the table, in ranks for each unseen card of it",
}


def named_temperament(name: str, values: AgentValues) -> Temperament | None:
    """Return the temperament of an agent's name and options; None for other agents."""
    if name == "temperament":
        return Temperament(**{field.name: values[field.name] for field in fields(Temperament)})
    return _NAMED.get(name)


def _tempered(text: str, values: AgentValues) -> Agent:
    name = text.partition(":")[0]
    temperament = named_temperament(name, values) or MODERATE
    return PolicyAgent(text, tempered(temperament), reason_by_the_book)


_TOLD: Final = {
    "aggressive": ("Throws in whatever fits, beats whatever comes, and ends up without trumps.", "hot"),
    "cautious": (
        "Would rather take than spend a trump, and holds on to cards it could throw in.",
        "anxious",
    ),
    "moderate": ("Plays by the rule book, but not always the same.", "calm"),
}
"""Summary and style of each named temperament."""

TEMPERAMENTS: Final = (
    *[
        AgentInfo(name, name.title(), summary, style, _tempered, (OPEN,), method="A preset of temperament.")
        for name, (summary, style) in _TOLD.items()
    ],
    AgentInfo(
        "temperament",
        "Temperament",
        "Plays by the rule book with a character of your making.",
        "moody",
        _tempered,
        (
            *[
                AgentOption(name, summary, 0.0, low=-100, high=100, whole=False)
                for name, summary in _WEIGHTS.items()
            ],
            AgentOption(
                "noise",
                "cost in ranks that halves the probability of an action",
                0.5,
                low=0,
                high=100,
                whole=False,
            ),
            OPEN,
        ),
        method="Draws actions with probabilities that fall with the rule book's costs, changed by weights.",
    ),
)


REPLIES: Final[Mapping[str, Temperament]] = {
    "against aggressive": Temperament(
        aggression=3, spite=2, thrift=-2, daring=1, defiance=-1, secrecy=1, noise=0
    ),
    "against cautious": Temperament(thrift=5, daring=8, defiance=1, noise=0),
    "against moderate": Temperament(spite=-2, thrift=-2, defiance=-4, noise=0),
    "the rule book": Temperament(noise=0),
}
"""Strategies by name: the best replies found to the temperaments, and the rule book for greedy.

Source: ``python3 -m benchmarks.adaptive --tune --games 40000 --seed 777``.
"""

PAYOFFS: Final[Mapping[str, Mapping[str, float]]] = {
    name: dict(zip(PLAYER_TYPES, scores, strict=True))
    for name, scores in {
        "against aggressive": (0.669, 0.635, 0.510, 0.656, 0.638, 0.989),
        "against cautious": (0.660, 0.646, 0.509, 0.648, 0.639, 0.989),
        "against moderate": (0.668, 0.640, 0.516, 0.654, 0.646, 0.989),
        "the rule book": (0.666, 0.636, 0.514, 0.655, 0.646, 0.989),
    }.items()
}
"""Scores of each strategy against each of `PLAYER_TYPES`, for two seats and default rules.

Source: ``python3 -m benchmarks.adaptive --payoffs --games 40000 --seed 4242``.
"""


class AdaptiveAgent(ThinkingAgent):
    """Plays the best reply to its posterior over the opponents' types, with ``samples`` particles per type.

    ``remembers`` keeps the posterior between games, assuming the same order around the table.
    """

    def __init__(self, text: str, samples: int, *, remembers: bool) -> None:
        super().__init__(text)
        self.reader: OpponentModel | None = None
        self._samples = samples
        self._remembers = remembers
        self._weights = {name: reply.table() for name, reply in REPLIES.items()}

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        if self._remembers and self.reader is not None and self.reader.rules.seats == rules.seats:
            self.reader.next_game(seat, rules)
        else:
            chance = derive(seed, CHANCE_STREAM)
            self.reader = OpponentModel(rules, seat, PLAYER_TYPES, samples=self._samples, seed=chance)

    def choose_by(self, observation: Observation, deadline: Deadline) -> Decision:
        """Choose as `choose` does, interpreted unless compiled code is ready."""
        codes = legal_codes(observation)
        if not deadline.is_set:
            backend(READING)
        reader = self.reader or OpponentModel(observation.rules, observation.seat, PLAYER_TYPES)
        reader.follow(observation)
        weights = self._weights[best_reply(reader, observation)]
        position = visible_position(observation)
        action = decode(expert_policy(position, codes, len(codes), weights))
        return Decision(action, reason_by_the_book(observation, action))


def best_reply(reader: OpponentModel, observation: Observation) -> str:
    """Return the book's name of the best expected reply to the seats that are still in."""
    scores = dict.fromkeys(REPLIES, 0.0)
    for seat in opponents(observation):
        posterior = reader.posterior(seat)
        for name, payoffs in PAYOFFS.items():
            scores[name] += sum([posterior[kind] * payoffs[kind] for kind in posterior])
    return max(scores, key=lambda name: scores[name])


ADAPTIVE: Final = AgentInfo(
    "adaptive",
    "Adaptive",
    "Watches what you choose, guesses what sort of player you are, and plays what beats that sort.",
    "attentive",
    lambda text, values: AdaptiveAgent(text, values["samples"], remembers=values["memory"]),
    (
        AgentOption(
            "samples", "particles (sampled hands) for each player type", 64, low=1, high=10_000, visitors=100
        ),
        switch("memory", "keep the model of the opponents from game to game"),
        OPEN,
    ),
    method="Models each opponent by a particle filter over player types, and plays the rule book's best "
    "reply to the posterior.",
)
