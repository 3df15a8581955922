"""Agents act on what they may know, the same way every time, under all rules."""

from __future__ import annotations

import random
from itertools import count
from pathlib import Path

import pytest
from playing import mixed, random_game, random_rules

from durak_core import AGENTS, IllegalActionError, Record, Rules, State, make_agent, unseen_cards
from durak_core.lab import play_game

TINY = Path(__file__).parents[2] / "golden" / "network.npz"

LIGHT = {
    "adaptive": "adaptive:samples=2",
    "dmc": f"dmc:weights={TINY}",
    "dqn": f"dqn:weights={TINY}",
    "ppo": f"ppo:weights={TINY}",
    "ismcts": "ismcts:iterations=12,leaf=4,nodes=300,memory=0.1",
    "hybrid": "hybrid:iterations=12,leaf=4,nodes=300,memory=0.1",
    "maxn": "maxn:depth=2,samples=2",
    "mcts": "mcts:limit=4,samples=2",
    "minimax": "minimax:depth=2,samples=2,eval=basic",
    "solver": "solver:nodes=300",
}
"""Agents that think, with so little to do that plain Python has it done in time."""

GUIDED = f"ismcts:iterations=10,leaf=4,nodes=300,memory=0.1,mix=0.3,net={TINY}"

TRAINED = dict.fromkeys((LIGHT["dmc"], LIGHT["dqn"], LIGHT["ppo"], GUIDED), "podkidnoy")
"""Agents that can play by some rules only, and by which."""

TEXTS = [
    *(LIGHT.get(name, name) for name in AGENTS),
    "random:uniform",
    "minimax:depth=1,samples=1,vote=mean",
    "temperament:noise=3,daring=5",
    "ismcts:iterations=8,leaf=0,nodes=1,memory=0.1,inference",
    GUIDED,
]


def reshuffled(state: State, seat: int, chance: random.Random) -> State:
    """The same game with the cards permuted that this seat cannot place."""
    deck = mixed(state, list(unseen_cards(state.observation(seat))), chance)
    twin = State.from_deck(state.rules, deck, state.first_attacker, state.seed)
    for action in actions_of(state):
        twin = twin.apply(action)
    return twin


def actions_of(state: State) -> list:
    """What was played to reach a state."""
    return [move.action for move in Record.of(state, ("",) * state.rules.seats).moves]


VARIETY = (
    "podkidnoy",
    "perevodnoy:seats=3,show_trump=yes,exchange_trump=yes",
    "larsenbier:seats=4",
    "perevodnoy:seats=4,teams=2x2",
)


@pytest.mark.sampled(31)
@pytest.mark.parametrize(
    ("text", "rules"),
    [(text, rules) for text in TEXTS for rules in VARIETY if TRAINED.get(text, rules) == rules],
)
def test_hidden_cards_do_not_matter(text: str, rules: str) -> None:
    """Permute what a seat cannot see, with partners, too: its observation and its choice stay the same."""
    chance = random.Random(4)
    changed = 0
    for state in random_game(Rules.parse(rules), 0, "play"):
        seat = state.turn
        if seat is None or chance.random() < 0.7:
            continue
        twin = reshuffled(state, seat, chance)
        changed += twin.hands != state.hands
        choices = []
        for observation in (state.observation(seat), twin.observation(seat)):
            agent = make_agent(text)
            agent.begin(state.rules, seat, 99)
            choices.append(agent.choose(observation))
        assert choices[0] == choices[1]
        if changed > 10:
            break
    assert changed > 10


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_hidden_cards_do_not_matter_at_length(text: str) -> None:
    """Five hundred positions of many rules whose hidden cards differ: one choice, and nothing changed."""
    chance = random.Random(9)
    changed = 0
    for seed in count(100):
        rules = Rules.parse(TRAINED[text]) if text in TRAINED else random_rules(chance.choice)
        for state in random_game(rules, seed, "play"):
            seat = state.turn
            if seat is None or rules.visibility == "open" or chance.random() < 0.8:
                continue
            try:
                twin = reshuffled(state, seat, chance)
            except IllegalActionError:  # under forced play not every deal allows what was played
                continue
            if twin.hands == state.hands:
                continue
            changed += 1
            before = repr(state.to_position())
            choices = []
            for observation in (state.observation(seat), twin.observation(seat)):
                agent = make_agent(text)
                agent.begin(state.rules, seat, 7)
                choices.append(agent.choose(observation))
            assert choices[0] == choices[1]
            assert repr(state.to_position()) == before
        if changed >= 500:
            break


@pytest.mark.sampled(9)
@pytest.mark.parametrize("text", TEXTS)
def test_the_same_seed_gives_the_same_game(text: str) -> None:
    """Agents that have played before begin anew."""
    agents = [make_agent(text), make_agent("random")]
    rules = Rules.parse(TRAINED.get(text, "perevodnoy"))
    first = play_game(rules, agents, 11)
    play_game(rules, agents, 12)
    again = play_game(rules, agents, 11)
    assert again == first
    assert again.record == first.record


def test_another_seed_gives_other_choices() -> None:
    """The random agents hang on their seeds."""
    state = State.deal(Rules(), 1)
    assert state.turn is not None
    for text in ("random", "random:uniform"):
        seen = set()
        for seed in range(40):
            agent = make_agent(text)
            agent.begin(state.rules, state.turn, seed)
            seen.add(agent.choose(state.observation(state.turn)).action)
        assert seen == set(state.legal_actions)


DIVISIONS = ("perevodnoy:seats=4,teams=2x2", "podkidnoy:seats=6,teams=2x3", "perevodnoy:seats=6,teams=3x2")


@pytest.mark.sampled(23)
@pytest.mark.parametrize("text", [text for text in TEXTS if text not in TRAINED])
@pytest.mark.parametrize("rules", DIVISIONS)
def test_everybody_plays_with_partners(text: str, rules: str) -> None:
    """In each division one team of an agent plays to the end against others."""
    read = Rules.parse(rules)
    team = read.members(1)
    result = play_game(
        read, [make_agent(text if seat in team else "greedy") for seat in range(read.seats)], 3
    )
    assert result.state.is_over


@pytest.mark.sampled(37)
@pytest.mark.parametrize("text", [text for text in TEXTS if text not in TRAINED])
@pytest.mark.parametrize(
    "seed", [seed if seed < 5 else pytest.param(seed, marks=pytest.mark.slow) for seed in range(15)]
)
def test_agents_can_play_under_all_rules(text: str, seed: int) -> None:
    """Random rules with 2 to 6 seats: every choice is legal and has a reason."""
    rules = random_rules(random.Random(seed).choice)
    reasons: list[str] = []
    agents = [make_agent(text) for _ in range(rules.seats)]
    result = play_game(
        rules, agents, seed, on_decision=lambda _, decision: reasons.append(str(decision.reason))
    )
    assert result.state.is_over
    assert len(reasons) == result.plies
    assert all(reasons)
