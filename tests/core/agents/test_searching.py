"""Agents that search: exact where everything is known, repeatable, and never without an answer."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from durak_core import AGENTS, Action, Card, CardSet, Observation, Rules, State, make_agent
from durak_core.agents.base import TimedAgent
from durak_core.agents.learned import shipped_network
from durak_core.agents.searching import best_in_endgame
from durak_core.deadline import Deadline
from durak_core.lab import Match, play_from, play_game, play_match, tally_match
from durak_core.search.backend.backend import Backend, backend
from durak_core.search.ismcts.tree import MODELS, NETWORK
from durak_core.search.ismcts.tree_search import SearchSettings, TreeSearch
from durak_core.search.policies.playouts import EXPERT, GREEDY


def endgames(positions: int, seed: int):
    """Random endgames with open cards, and which of the legal actions keep their value."""
    rng = Random(seed)
    for _ in range(positions):
        cards = list(Rules().deck)
        rng.shuffle(cards)
        hands = [CardSet.of(cards[:3]), CardSet.of(cards[3:7])]
        state = State.setup(Rules(), hands, trump=cards[7])
        if len(state.legal_actions) > 1:
            yield state


def value(state: State, seat: int) -> int:
    """Return a position's value for a seat by trying everything."""
    if state.is_over:
        return round(state.returns[seat])
    values = [value(state.apply(action), seat) for action in state.legal_actions]
    return max(values) if state.turn == seat else min(values)


def test_actions_that_keep_the_value_are_found():
    """The value is that of brute force; a win needs one action, else every action that keeps it counts."""
    for state in endgames(6, seed=4):
        found = best_in_endgame(state.observation(0), backend("search"), 100_000)
        assert found is not None
        values = {action: value(state.apply(action), 0) for action in state.legal_actions}
        assert found.value == max(values.values())
        keeping = tuple(action for action in state.legal_actions if values[action] == found.value)
        assert set(found.actions) <= set(keeping)
        assert found.actions if found.value == 1 else len(found.actions) == len(keeping)


@pytest.mark.parametrize("text", ["solver", "ismcts:iterations=50"])
def test_endgames_are_played_without_a_mistake(text: str):
    """What can be won by force is won, and what can be drawn is not lost."""
    for state in endgames(6, seed=9):
        agent = make_agent(text)
        agent.begin(state.rules, 0, 1)
        action = agent.choose(state.observation(0)).action
        values = {legal: value(state.apply(legal), 0) for legal in state.legal_actions}
        assert values[action] == max(values.values())


def test_a_drawn_endgame_is_not_lost_by_what_the_search_prefers():
    """Three iterations try each action once; the losing one is not played, whichever deal they saw."""
    state = State.setup(Rules(), ["7sJcJd", "JhKsAd"], trump="Js")
    seen = state.observation(0)
    values = {str(action): value(state.apply(action), 0) for action in seen.legal_actions}
    assert values == {"7s": -1, "Jc": 0, "Jd": 0}
    agent = make_agent("ismcts:iterations=3,memory=0.1")
    for seed in range(20):
        agent.begin(state.rules, 0, seed)
        assert str(agent.choose(seen).action) in {"Jc", "Jd"}


def test_without_the_solver_nothing_is_solved():
    """Neither leaves nor ends of playouts, however many cards they could have."""
    state = State.setup(Rules(), ["6s9hTc", "7s8hQd"], talon="KdAc")
    seen = state.observation(0)
    solving = [f"ismcts:iterations=60,memory=0.1,{text}" for text in ("leaf=8,end=0", "leaf=0,end=8")]
    plain = begun("ismcts:iterations=60,memory=0.1,leaf=0,end=0", seen).choose(seen).search_info()
    for text in solving:
        assert begun(text, seen).choose(seen).search_info() != plain
        assert begun(f"{text},solver=off", seen).choose(seen).search_info() == plain


def test_the_solver_plays_like_smart_where_that_keeps_the_value():
    """Only what would give something away is replaced, by the first action that does not."""
    kept = replaced = 0
    for state in endgames(150, seed=2):
        seen = state.observation(0)
        agents = [make_agent(text) for text in ("smart", "solver")]
        for agent in agents:
            agent.begin(state.rules, 0, 1)
        usual, decision = (agent.choose(seen) for agent in agents)
        best = best_in_endgame(seen, backend("search"), 100_000)
        assert best is not None
        if usual.action in best.actions:
            assert decision == usual
            kept += usual.action != best.actions[0]
        else:
            assert (decision.action, decision.reason) == (best.actions[0], best.reason)
            replaced += 1
    assert min(kept, replaced) > 0


def test_hidden_cards_are_never_taken_for_known():
    """While a card is hidden there is no exact answer."""
    state = State.deal(Rules(), 1)
    assert state.turn is not None
    observation = state.observation(state.turn)
    assert best_in_endgame(observation, backend("search"), 1000) is None


def test_an_endgame_that_can_be_won_names_no_action_that_only_draws() -> None:
    state = State.setup(Rules(), ["7s7dTc", "9sKh8c"], trump="Jc")
    found = best_in_endgame(state.observation(0), backend("search"), 100_000)
    assert found is not None
    assert (found.value, list(map(str, found.actions))) == (1, ["Tc"])
    assert set(found.solver.values.values()) == {0, 1}


@pytest.mark.parametrize("rules", ["podkidnoy", "perevodnoy:seats=4,show_trump=yes", "groningen:seats=3"])
def test_the_same_seed_gives_the_same_game(rules: str):
    """Searching agents repeat a whole game, and finish games of every kind."""
    read = Rules.parse(rules)
    texts = [
        "ismcts:iterations=40,memory=0.2,nodes=300,leaf=4",
        "solver:nodes=2000",
        "ismcts:iterations=20,memory=0.2,solver=off",
    ]
    games = [
        play_game(read, [make_agent(texts[seat % 3]) for seat in range(read.seats)], 5) for _ in range(2)
    ]
    assert games[0].state.events == games[1].state.events


def test_time_limits_hold():
    """A decision in a few milliseconds ends long before its iterations."""
    state = State.deal(Rules(), 3)
    assert state.turn is not None
    agent = make_agent("ismcts:iterations=1000000000,time=20,memory=1")
    agent.begin(state.rules, state.turn, 1)
    decision = agent.choose(state.observation(state.turn))
    assert decision.action in state.legal_actions
    assert "games tried" in str(decision.reason)


def test_only_agents_that_think_are_kept_from_the_table():
    """The quick agents are those without a search or a network."""
    thinking = {"minimax", "maxn", "mcts", "solver", "ismcts", "hybrid", "dmc", "dqn", "ppo", "level"}
    assert {name for name, info in AGENTS.items() if info.thinks} == thinking


def test_the_hybrid_changes_over_when_the_talon_is_low():
    """While more cards are left it plays as the expert does, and from the threshold on as the searcher."""
    state = State.deal(Rules(), 4)
    searched = booked = 0
    light = "iterations=20,leaf=4,nodes=300,memory=0.1"
    while state.turn is not None:
        seen = state.observation(state.turn)
        chosen = []
        for text in (f"hybrid:threshold=10,{light}", "expert", f"ismcts:{light}"):
            agent = make_agent(text)
            agent.begin(state.rules, state.turn, 6)
            chosen.append(agent.choose(seen))
        late = seen.talon_size <= 10
        assert chosen[0] == chosen[2 if late else 1]
        searched += late and len(seen.legal_actions) > 1
        booked += not late
        state = state.apply(chosen[0].action)
    assert min(searched, booked) > 5


def test_agents_that_see_all_are_given_all():
    """A cheat opens with what the hidden cards make best; who does not see them has one opening for all."""
    chance = Random(3)
    hand = list(CardSet.parse("7s8h9cJdKs"))
    trump = Card.parse("Ad")
    others = chance.sample([card for card in Rules().deck if card not in {*hand, trump}], 10)
    openings: dict[str, set[Action]] = {"open": set(), "inference=off": set()}
    for _ in range(8):
        chance.shuffle(others)
        hands = [CardSet.of(hand), CardSet.of(others[:6])]
        state = State.setup(Rules(), hands, talon=[*others[6:], trump])
        for option, found in openings.items():
            game: list[Action] = []
            players = [make_agent(f"ismcts:iterations=60,{option}"), make_agent("greedy")]
            play_from(state, players, 1, lambda _, decision, game=game: game.append(decision.action))
            found.add(game[0])
    assert len(openings["open"]) > 1
    assert len(openings["inference=off"]) == 1
    assert make_agent("ismcts:open").sees_all
    assert not make_agent("ismcts").sees_all


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "least"), [("solver", 0.55), ("ismcts:iterations=1000", 0.76), ("ismcts:iterations=10000", 0.83)]
)
def test_searching_beats_greedy(text: str, least: float):
    """Over two hundred games the score is well above what was measured less the noise."""
    match = Match(Rules(), (text, "greedy"), 200, 99)
    assert tally_match(match, play_match(match)).agents[0].score > least


HURRYING = (
    "ismcts:iterations=1000000000,memory=1",
    "ismcts:iterations=1000000000,memory=1,inference=on",
    "hybrid:iterations=1000000000,memory=1,threshold=52",
    "solver:nodes=100000000",
    "minimax:depth=40,samples=10000",
    "maxn:depth=40,samples=10000",
    "mcts:limit=1000000,samples=10000",
)


class Clock:
    """A clock on which so many seconds pass from one look to the next."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return self.looks * self._seconds


def a_choice(rules: Rules | None = None, seed: int = 3) -> Observation:
    """Return what the seat to act sees at the first choice of a deal."""
    state = State.deal(rules or Rules(), seed)
    while len(state.legal_actions) < 2:
        state = state.apply(state.legal_actions[0])
    assert state.turn is not None
    return state.observation(state.turn)


def begun(text: str, observation: Observation) -> Any:
    agent = make_agent(text)
    agent.begin(observation.rules, observation.seat, 1)
    return agent


@pytest.mark.parametrize(
    ("text", "tries"),
    [
        ("minimax:samples=4", None),
        ("maxn:samples=4", None),
        ("mcts:limit=20,samples=4", 80),
        ("ismcts:iterations=50", 50),
        ("ismcts:iterations=50,threads=2", 50),
        ("hybrid:iterations=50,threshold=52", 50),
    ],
)
def test_agents_that_search_tell_what_they_found(text: str, tries: int | None):
    """Every action with its worth, the chosen one first, and what is expected after it."""
    observation = a_choice()
    decision = begun(text, observation).choose(observation)
    found = decision.search_info()
    assert {line.action for line in found.lines} == set(observation.legal_actions)
    assert found.principal[0] == decision.action
    assert len(found.principal) > 1
    assert found.nodes > found.depth >= 2
    if tries is not None:
        assert found.unit == "score"
        assert sum(line.visits for line in found.lines) == tries


def test_a_solved_endgame_tells_how_it_ends():
    """Each action has its value, and a line that keeps it."""
    for state in endgames(5, 3):
        seen = state.observation(state.turn)
        decision = begun("solver", seen).choose(seen)
        found = decision.search_info()
        assert (found.lines[0].action, found.deals) == (decision.action, 1)
        for line in found.lines:
            after = state.apply(line.action)
            assert 2 * line.score - 1 == value(after, state.turn)
            for action in line.continuation:
                after = after.apply(action)
            assert 2 * line.score - 1 == value(after, state.turn)


@pytest.mark.parametrize("text", HURRYING)
@pytest.mark.parametrize("seconds", [0.0, 1.0])
def test_agents_that_search_choose_by_a_deadline(text: str, seconds: float):
    """By the clock alone, however little was done: here a look at it takes as long as a tenth of all time."""
    observation = a_choice()
    agent = begun(text, observation)
    clock = Clock(0.1)
    assert isinstance(agent, TimedAgent)
    assert agent.choose_by(observation, Deadline(seconds, clock)).action in observation.legal_actions
    assert clock.looks < 40


@pytest.mark.parametrize("text", ["ismcts:iterations=5", "ismcts", "ismcts:net=dmc", "ismcts:iterations=500"])
def test_however_late_it_is_some_iterations_are_done(text: str):
    """As many as the agent's own limit allows, but twenty at most."""
    observation = a_choice()
    reason = begun(text, observation).choose_by(observation, Deadline(0, Clock(1))).reason
    assert str(reason).endswith(f"of {5 if text.endswith('=5') else 20} games tried")


def test_an_endgame_is_given_up_in_time(monkeypatch):
    """With time enough what is found is the same as without a clock, in whatever slices."""
    monkeypatch.setattr("durak_core.agents.searching._NODES_A_STEP", {"plain": 64, "compiled": 64})
    runner = backend("search")
    for state in endgames(6, seed=9):
        seen = state.observation(0)
        found = best_in_endgame(seen, runner, 100_000, Deadline(1e9, Clock(0.1)))
        assert found == best_in_endgame(seen, runner, 100_000)
        assert found is not None
        assert best_in_endgame(seen, runner, 100_000, Deadline(0.1, Clock(0.1))) is None


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("options", "text", "model"),
    [
        ("", "greedy", GREEDY),
        ("", "expert", None),
        (",follow=all", "expert", EXPERT),
        (",follow=all,net=dmc", "dmc", NETWORK),
    ],
)
def test_who_plays_by_a_model_is_found_out(options: str, text: str, model: int | None):
    """After a game the search expects the replies of the model, and of no other one."""
    if model == NETWORK and backend("opponents").name != "compiled":
        pytest.skip("reading with a network takes minutes without compiled code")
    for seed in range(3):
        state = State.deal(Rules(), seed)
        searcher, other = (
            begun(one, state.observation(0)) for one in (f"ismcts:iterations=30,inference{options}", text)
        )
        chances: tuple[tuple[float, ...], ...] = ()
        while state.turn is not None:
            observation = state.observation(state.turn)
            agent = other if state.turn else searcher
            state = state.apply(agent.choose(observation).action)
            if agent is searcher:
                chances = searcher._chances(observation)
        assert sum(chances[1]) <= 1 + 1e-9
        if model is None:
            assert max(chances[1]) < 0.5
        else:
            assert chances[1][model] > (0.9 if model == GREEDY else 0.5)
        assert not any(chances[0])


def test_opponents_are_not_followed_before_the_first_game():
    agent = make_agent("ismcts:iterations=5,net=dmc,inference,follow=all")
    assert agent.choose(a_choice()).action in a_choice().legal_actions


@pytest.mark.parametrize("share", [0.89, 0.9])
@pytest.mark.parametrize("net", ["auto", "dmc", "ppo", "search-response"])
def test_a_network_trained_against_greedy_guides_against_greedy(monkeypatch, share: float, net: str):
    observation = a_choice()
    agent = begun(f"ismcts:iterations=5,net={net},inference,follow=all", observation)
    chances = [[0.0] * MODELS for _ in range(2)]
    chances[1 - observation.seat][GREEDY] = share
    monkeypatch.setattr(agent, "_chances", lambda _observation: chances)
    guides = []

    def search(seen: Observation, seed: int, runner: Backend, settings: SearchSettings, *more, **others):
        guides.append(settings.guide)
        return TreeSearch(seen, seed, runner, settings, *more, **others)

    monkeypatch.setattr("durak_core.agents.searching.TreeSearch", search)
    agent.choose(observation)
    is_response = share == 0.9 and net != "ppo"
    name = "greedy-response" if is_response else "dmc" if net == "auto" else net
    assert [guide.network for guide in guides] == [shipped_network(name, observation.rules)]


@pytest.mark.parametrize("options", ["", ",threads=2", ",inference=on,threads=2", ",net=dmc"])
def test_a_deadline_far_away_changes_no_choice(options: str):
    """Iterations that fit in are those of a search without a clock, in whatever slices they are done."""
    state = State.deal(Rules(), 4)
    text = f"ismcts:iterations=150,memory=1{options}"
    usual, hurried = ([begun(text, state.observation(seat)) for seat in (0, 1)] for _ in range(2))
    for _ in range(6):
        assert state.turn is not None
        seen = state.observation(state.turn)
        decision = usual[seen.seat].choose(seen)
        assert hurried[seen.seat].choose_by(seen, Deadline(1e9, Clock(0.001))) == decision
        state = state.apply(decision.action)


def test_time_of_an_agent_is_processor_time(monkeypatch):
    """What a busy machine does to the wall clock does not matter; what the thread has computed does."""
    observation = a_choice()
    reasons = []
    for a_look in (0.0, 1000.0):
        monkeypatch.setattr("durak_core.agents.searching.perf_counter", Clock(a_look))
        monkeypatch.setattr("durak_core.agents.searching.thread_time", Clock(0.01))
        reasons.append(str(begun("ismcts:time=100,memory=1", observation).choose(observation).reason))
    assert reasons[0] == reasons[1]
    assert "games tried" in reasons[0]
