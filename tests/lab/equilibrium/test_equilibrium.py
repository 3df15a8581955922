"""Tiny decks played perfectly, checked by a way of counting that only knows states and observations."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import make_network
import pytest
from commands import durak, good
from endgames import solve_position

from durak_core import AgentError, Rules, State, make_agent
from durak_core.agents import learned, personas
from durak_core.cards import Card
from durak_core.cli.commands.train import _sample
from durak_core.errors import DurakError
from durak_core.lab import Match
from durak_core.lab.equilibrium import small_game
from durak_core.lab.equilibrium.small_game import (
    Deal,
    TinyGame,
    TooLargeError,
    all_deals,
    count_deals,
    is_exact,
    play_as,
)
from durak_core.lab.matches.players import read_player, recipe_of
from durak_core.search.backend.backend import backend, plain_backend

HIDDEN = Rules.parse("podkidnoy:suits=1,lowest_rank=11,hand_size=1")
KNOWN = Rules.parse("podkidnoy:suits=1,lowest_rank=11,hand_size=2")
EXCHANGING = HIDDEN.changed(exchange_trump=True)
NO_TRUMPS = Rules.parse("podkidnoy:suits=1,lowest_rank=11,hand_size=1,trumps=no")
TWO_SUITS = Rules.parse("podkidnoy:suits=2,lowest_rank=11,hand_size=4,attack_limit=1")
TRANSFERS = Rules.parse("perevodnoy:suits=2,lowest_rank=11,hand_size=4,attack_limit=1,stall_limit=3")
FIVE = Rules.parse("podkidnoy:suits=1,lowest_rank=10,hand_size=2")
_BEGUN_BY = ("Qs As Ks Js Jh Qh Kh Ah", "Qs As Jh Js Ks Qh Kh Ah")
"""Decks of two suits: seat 0 holds no trump and is drawn, or holds the only trump in a hand."""
SIX = Rules.parse("podkidnoy:suits=1,lowest_rank=9,hand_size=2")


def begun(rules: Rules) -> list[tuple[State, float]]:
    return [
        (
            State.from_deck(
                rules,
                [Card.from_number(card) for card in deal.deck],
                deal.attacker,
                by_lowest_trump=True,
            ),
            deal.chance,
        )
        for deal in all_deals(rules)
    ]


def response(seat: int, held: list[tuple[State, float]]) -> float:
    """What a seat can have at most against somebody who plays anything, where it cannot tell these apart."""
    total = 0.0
    views = defaultdict(list)
    while held:
        state, weight = held.pop()
        if state.is_over:
            total += weight * state.returns[seat]
        elif state.turn == seat:
            seen = state.observation(seat)
            views[seen.hand, seen.events, seen.trump_card].append((state, weight))
        else:
            actions = state.legal_actions
            held += [(state.apply(action), weight / len(actions)) for action in actions]
    for alike in views.values():
        actions = alike[0][0].legal_actions
        total += max(response(seat, [(one.apply(action), w) for one, w in alike]) for action in actions)
    return total


def minimax(state: State) -> float:
    """The return of seat 0 where both know all cards."""
    if state.is_over:
        return state.returns[0]
    values = [minimax(state.apply(action)) for action in state.legal_actions]
    return max(values) if state.turn == 0 else min(values)


@pytest.mark.parametrize("rules", [HIDDEN, NO_TRUMPS, KNOWN, FIVE, EXCHANGING], ids=str)
def test_best_responses_are_those_of_a_plain_count(rules: Rules) -> None:
    """To a seat that plays anything, whoever responds: by information sets, without a tree or hashes."""
    game = TinyGame(rules, plain_backend())
    for seat, best in enumerate(game.distance().best):
        assert best == pytest.approx(response(seat, begun(rules)), abs=1e-12)


def test_a_seat_knows_why_the_other_one_begins(monkeypatch) -> None:
    """By the lowest trump or by chance (rules 9.1): what it sees of these two deals is never the same."""
    numbers = [[Card.parse(card).number for card in deal.split()] for deal in _BEGUN_BY]
    deals = [Deal(tuple(deck), 0, 0.5) for deck in numbers]
    found = []
    for some in (deals[:1], deals[1:], deals):
        monkeypatch.setattr(small_game, "all_deals", lambda _, some=some: iter(some))
        found.append(TinyGame(Rules.parse("podkidnoy:suits=2,lowest_rank=11,hand_size=2"), plain_backend()))
    assert found[0].information_sets + found[1].information_sets == found[2].information_sets > 10


def test_an_equilibrium_is_worth_what_the_game_is_where_nothing_is_hidden() -> None:
    """With the whole deck in two hands each seat knows all cards, and minimax says who wins."""
    game = TinyGame(KNOWN, plain_backend())
    game.iterate(100)
    assert game.distance().nash_conv == pytest.approx(0, abs=1e-3)
    value = sum(chance * minimax(state) * (1 - 2 * state.attacker) for state, chance in begun(KNOWN))
    assert game.first_attackers_return() == pytest.approx(value, abs=1e-3)


@pytest.mark.parametrize("rules", [pytest.param(TWO_SUITS, marks=pytest.mark.slow), TRANSFERS], ids=str)
def test_positions_are_worth_what_the_endgame_search_finds(rules: Rules, monkeypatch) -> None:
    """With the whole deck in two hands a deal is a position, here with several suits, and with transfers."""
    deals = list(all_deals(rules))[7::360]
    monkeypatch.setattr(small_game, "all_deals", lambda _: iter(deals))
    game = TinyGame(rules, plain_backend())
    game.iterate(1)
    assert game.information_sets == 0
    assert game.distance().nash_conv == pytest.approx(0)
    found = 0.0
    for deal in deals:
        state = State.from_deck(rules, [Card.from_number(card) for card in deal.deck], deal.attacker)
        solution = solve_position(state.to_position(), deal.attacker, plain_backend())
        assert solution is not None
        assert solution.value is not None
        found += deal.chance * solution.value
    assert game.first_attackers_return() == pytest.approx(found)


def test_iterations_lead_to_an_equilibrium() -> None:
    """Nobody gains by leaving it, though cards are hidden; interrupted or not it is the same."""
    whole, parts = (TinyGame(HIDDEN, plain_backend()) for _ in range(2))
    before = whole.distance().nash_conv
    whole.iterate(40)
    for _ in range(4):
        parts.iterate(10)
    assert before > 0.3
    assert 0 <= whole.distance().nash_conv < 0.002
    assert parts.distance() == whole.distance()
    assert whole.iterations == parts.iterations == 40


def test_a_right_to_exchange_the_lowest_trump_is_worth_something_to_the_first_attacker() -> None:
    """Its holder attacks first (rules 4.1, 5.9), so the right is always that player's."""
    values = []
    for rules in (HIDDEN, EXCHANGING):
        game = TinyGame(rules, plain_backend())
        game.iterate(60)
        assert game.distance().nash_conv < 0.002
        values.append(game.first_attackers_return())
    assert values[0] < values[1] - 0.01


def test_six_cards_are_what_they_were_with_every_history_of_its_own() -> None:
    """Those of known cards too, 161,564 in all: what each position stands for then had its own choice."""
    game = TinyGame(SIX, plain_backend())
    game.iterate(100)
    assert game.first_attackers_return() == pytest.approx(-0.35556, abs=2e-4)
    for text, gained in (("greedy", 8 / 15), ("expert", 47 / 90)):
        assert play_as(game, make_agent(text), 1, 1) == 1
        assert game.distance().nash_conv == pytest.approx(gained)


def test_agents_are_no_better_than_perfect_and_a_random_one_is_the_worst() -> None:
    """Each is asked wherever it can have a choice, if it draws nothing once."""
    game = TinyGame(FIVE, plain_backend())
    found = {}
    for text in ("random:uniform", "greedy", "expert"):
        assert play_as(game, make_agent(text), 10, 1) == 1
        found[text] = game.distance().nash_conv
        assert all(sum(game.shares(number)) == pytest.approx(1) for number, _, _ in game.examples())
    assert found["random:uniform"] > found["greedy"] > found["expert"] >= -1e-12
    with pytest.raises(AgentError, match="sees all cards"):
        play_as(game, make_agent("greedy:open"), 1, 1)


@pytest.mark.parametrize(
    "text",
    ["random", "random:uniform", "greedy:trumps=hoard", "moderate", "temperament:noise=0", "level:olga"],
)
def test_known_probabilities_are_those_of_the_choices(text: str, monkeypatch) -> None:
    """Asked often, an agent chooses as often as it says, and the exact value is that of many samples."""
    monkeypatch.setattr(personas, "backend_if_it_pays", lambda _: plain_backend())
    agent = make_agent(text)
    assert is_exact(agent)
    for seed in range(16):
        state = State.deal(Rules(), seed)
        while not state.is_over and state.plies < 12:
            observation = state.observation(state.turn)
            shares = agent.probabilities(observation)
            assert sum(shares) == pytest.approx(1)
            assert len(shares) == len(state.legal_actions)
            agent.begin(state.rules, state.turn, seed)
            chosen = agent.choose(observation).action
            assert shares[state.legal_actions.index(chosen)] > 0
            state = state.apply(chosen)
    dealt = State.deal(Rules(), 3)
    observation = dealt.observation(dealt.turn)
    counts = Counter()
    for seed in range(300):
        agent.begin(Rules(), observation.seat, seed)
        counts[agent.choose(observation).action] += 1
    for action, share in zip(observation.legal_actions, agent.probabilities(observation), strict=True):
        assert counts[action] / 300 == pytest.approx(share, abs=0.1)


def test_a_network_that_draws_its_actions_knows_their_probabilities(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(learned, "backend_if_it_pays", lambda _: plain_backend())
    path = tmp_path / "tiny.npz"
    path.write_bytes(make_network.network(rules=HIDDEN.text))
    game = TinyGame(HIDDEN, plain_backend())
    for options in ("", ",temperature=1"):
        assert play_as(game, make_agent(f"dmc:weights={path}{options}"), 10, 1) == 1


def test_every_deal_is_there_once_and_all_chances_are_one() -> None:
    """Who begins is drawn where nobody holds a trump."""
    for rules, deals in ((HIDDEN, 24), (KNOWN, 12), (FIVE, 30), (TWO_SUITS, 280)):
        found = list(all_deals(rules))
        assert count_deals(rules) == deals
        assert len({(deal.deck, deal.attacker) for deal in found}) == len(found) >= deals
        assert sum(deal.chance for deal in found) == pytest.approx(1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("podkidnoy", "histories or more in .* deals while cards are hidden: expected at most 30,000,000"),
        ("podkidnoy:seats=3", "expected rules with two seats"),
        ("podkidnoy:visibility=open", "expected rules with hidden cards"),
        ("groningen", "expected rules with deal_all=no"),
        ("huji", "expected rules with redeal_same_suit=never"),
        ("podkidnoy:redeal_trump_ace=yes", "expected rules with redeal_trump_ace=no"),
    ],
)
def test_what_cannot_be_solved_is_refused(text: str, message: str) -> None:
    """A deck that is too large by about how many histories it has, and which one goes."""
    with pytest.raises(DurakError, match=message):
        TinyGame(Rules.parse(text))


def test_a_deck_with_few_deals_may_have_too_many_histories(monkeypatch) -> None:
    """Those of some deals tell, and are not grown to the end."""
    monkeypatch.setattr(small_game, "MOST_HISTORIES", 1000)
    monkeypatch.setattr(small_game, "_TRIED", 200)
    with pytest.raises(TooLargeError, match="histories or more in 180 deals while cards are hidden"):
        TinyGame(SIX, plain_backend())


def test_a_deck_with_few_histories_may_have_too_many_positions(monkeypatch) -> None:
    """There is more room as long as it may be had."""
    monkeypatch.setattr(small_game, "FIRST_ROOM", 4)
    assert TinyGame(HIDDEN, plain_backend()).positions == 37
    monkeypatch.setattr(small_game, "MOST_POSITIONS", 36)
    with pytest.raises(TooLargeError, match="more than 36 positions in which all cards are known"):
        TinyGame(HIDDEN, plain_backend())


def test_solve_prints_and_writes_the_distances(tmp_path: Path) -> None:
    """Of the equilibrium first."""
    path = tmp_path / "solved.json"
    text = good("solve", SIX.text, "--agents", "greedy,expert", "--json", path)
    assert "180 deals; 1,380 histories and 252 information sets while cards are hidden, then 1,231 " in text
    told = json.loads(path.read_text())
    assert [one["player"] for one in told["players"]] == ["equilibrium", "greedy", "expert"]
    assert told["players"][0]["nash_conv"] < 0.001
    assert "origins" not in told


def test_a_worker_that_grows_the_game_again_measures_the_same() -> None:
    """To the last bit, and after other agents too."""
    game = TinyGame(FIVE, plain_backend())
    game.iterate(20)
    equilibrium = game.snapshot()
    for text in ("ismcts:iterations=2,mix=0", "greedy"):
        task = equilibrium, recipe_of(read_player(text)), 2, 7
        assert _sample((FIVE, "plain"), *task) == _sample(game, *task)


@pytest.mark.slow
def test_solve_prints_the_same_on_two_processes(tmp_path: Path) -> None:
    pytest.importorskip("joblib", reason="the extra lab is not installed")
    told = []
    for jobs in (1, 2):
        path = tmp_path / f"{jobs}.json"
        agents = "expert,ismcts:iterations=2,mix=0"
        good("solve", FIVE.text, "--agents", agents, "--samples", "2", "--jobs", jobs, "--json", path)
        told.append(json.loads(path.read_text())["players"])
    assert told[0] == told[1]


def test_solve_refuses_an_illegal_action_in_a_sentence(importable: Path) -> None:
    (importable / "own.py").write_text("class Own:\n def choose(self, observation):\n  return 'exchange'\n")
    result = durak("solve", SIX.text, "--iterations", "1", "--agents", "own.py:Own")
    assert result.exit_code == 2
    assert "Error: the agent own.py:Own at seat 0 chose an illegal action: exchange" in result.stderr


def test_the_command_records_the_origins_of_own_agents(importable: Path) -> None:
    (importable / "own.py").write_text(
        "class Own:\n def choose(self, observation):\n  return observation.legal_actions[0]\n"
    )
    good("solve", HIDDEN.text, "--iterations", "1", "--agents", "own.py:Own", "--json", "solved.json")
    told = json.loads(Path("solved.json").read_text())
    assert told["origins"] == Match(HIDDEN, ("own.py:Own", "greedy"), 2, 1).origins


def test_a_small_deck_moves_to_compiled_code_once_it_pays(monkeypatch) -> None:
    """Iterations are repeated there, so that one kind of code computes all figures."""
    plain = plain_backend()
    done = []

    def iterate(*arguments: int) -> None:
        done.append(arguments[3:])
        plain.functions["iterate"](*arguments)

    compiled = replace(plain, name="compiled", functions={**plain.functions, "iterate": iterate})
    paying = [plain]
    monkeypatch.setattr(small_game, "backend", lambda _: compiled)
    monkeypatch.setattr(small_game, "backend_if_it_pays", lambda _: paying[-1])
    game, expected = TinyGame(SIX), TinyGame(SIX, plain)
    game.iterate(3)
    assert not done
    paying.append(compiled)
    game.iterate(2)
    expected.iterate(5)
    assert done == [(0, 5)]
    assert (game.iterations, game.distance()) == (5, expected.distance())
    TinyGame(FIVE.changed(lowest_rank=8)).iterate(1)
    assert done[1:] == [(0, 1)]


@pytest.mark.slow
def test_machine_code_finds_what_plain_python_does() -> None:
    """But for the order in which it adds."""
    compiled, plain = TinyGame(SIX, backend("solve")), TinyGame(SIX, plain_backend())
    for game in (compiled, plain):
        game.iterate(50)
    assert compiled.distance().best == pytest.approx(plain.distance().best, abs=1e-9)
    assert (compiled.histories, compiled.information_sets, compiled.positions) == (1380, 252, 1231)


@pytest.mark.slow
def test_eight_cards_are_solved() -> None:
    """One suit of eight ranks, and two suits of four, with hands of three."""
    for text, first in (("suits=1,lowest_rank=7", -0.323), ("suits=2,lowest_rank=11", 0.191)):
        game = TinyGame(Rules.parse(f"podkidnoy:{text},hand_size=3"), backend("solve"))
        game.iterate(100)
        assert game.deals == 1120
        assert game.distance().nash_conv < 0.001
        assert game.first_attackers_return() == pytest.approx(first, abs=0.001)
