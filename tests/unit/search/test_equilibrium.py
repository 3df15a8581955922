"""Tiny decks played perfectly, checked by a way of counting that only knows states and observations."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest
from click.testing import CliRunner

from durak_core import AgentError, Rules, State
from durak_core.arena.exploitability import play_as
from durak_core.cards import Card
from durak_core.cli import cli
from durak_core.errors import DurakError
from durak_core.search.backend.backend import backend, plain_backend
from durak_core.search.equilibrium import tiny
from durak_core.search.equilibrium.tiny import TinyGame, TooLargeError, all_deals, count_deals

HIDDEN = Rules.parse("podkidnoy:suits=1,lowest_rank=11,hand_size=1")
KNOWN = Rules.parse("podkidnoy:suits=1,lowest_rank=11,hand_size=2")
TWO_SUITS = Rules.parse("podkidnoy:suits=2,lowest_rank=11,hand_size=4,attack_limit=1")
FIVE = Rules.parse("podkidnoy:suits=1,lowest_rank=10,hand_size=2")


def begun(rules: Rules) -> list[tuple[State, float]]:
    return [
        (State.from_deck(rules, [Card.from_number(card) for card in deal.deck], deal.attacker), deal.chance)
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


@pytest.mark.parametrize("rules", [HIDDEN, KNOWN, FIVE], ids=str)
def test_best_responses_are_those_of_a_plain_count(rules: Rules) -> None:
    """To a seat that plays anything, whoever responds: by information sets, without a tree or hashes."""
    game = TinyGame(rules, plain_backend())
    for seat, best in enumerate(game.distance().best):
        assert best == pytest.approx(response(seat, begun(rules)), abs=1e-12)


def test_an_equilibrium_is_worth_what_the_game_is_where_nothing_is_hidden() -> None:
    """With the whole deck in two hands each seat knows all cards, and minimax says who wins."""
    game = TinyGame(KNOWN, plain_backend())
    game.iterate(100)
    assert game.distance().nash_conv == pytest.approx(0, abs=1e-3)
    value = sum(chance * minimax(state) * (1 - 2 * state.attacker) for state, chance in begun(KNOWN))
    assert game.first_attackers_return() == pytest.approx(value, abs=1e-3)


def test_iterations_lead_to_an_equilibrium() -> None:
    """Nobody gains by leaving it, though cards are hidden; interrupted or not it is the same."""
    whole, parts = (TinyGame(FIVE, plain_backend()) for _ in range(2))
    before = whole.distance().nash_conv
    whole.iterate(40)
    for _ in range(4):
        parts.iterate(10)
    assert before > 0.3
    assert 0 <= whole.distance().nash_conv < 0.002
    assert parts.distance() == whole.distance()
    assert whole.iterations == parts.iterations == 40


def test_agents_are_no_better_than_perfect_and_a_random_one_is_the_worst() -> None:
    """Each is asked at every information set, where it draws nothing once."""
    game = TinyGame(FIVE, plain_backend())
    found = {}
    for text in ("random:uniform", "greedy", "expert"):
        asked = play_as(game, text, 10, 1)
        assert asked == (10 if text == "random:uniform" else 1)
        found[text] = game.distance().nash_conv
        assert all(sum(game.shares(info)) == pytest.approx(1) for info in range(game.information_sets))
    assert found["random:uniform"] > found["greedy"] > found["expert"] >= -1e-12
    with pytest.raises(AgentError, match="sees all cards"):
        play_as(game, "greedy:open", 1, 1)


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
        ("podkidnoy", "histories or more in .* deals: expected at most 30,000,000, as podkidnoy:suits=1"),
        ("podkidnoy:seats=3", "expected rules with two seats"),
        ("podkidnoy:visibility=open", "expected rules with hidden cards"),
        ("groningen", "expected rules with deal_all=no"),
        ("huji", "expected rules with redeal_same_suit=never"),
    ],
)
def test_what_cannot_be_solved_is_refused(text: str, message: str) -> None:
    """A deck that is too large by about how many histories it has, and which one goes."""
    with pytest.raises(DurakError, match=message):
        TinyGame(Rules.parse(text))


def test_a_deck_with_few_deals_may_have_too_many_histories(monkeypatch) -> None:
    """Those of some deals tell, and are not grown to the end."""
    monkeypatch.setattr(tiny, "MOST_HISTORIES", 100_000)
    monkeypatch.setattr(tiny, "_TRIED_HISTORIES", 4000)
    with pytest.raises(TooLargeError, match="histories or more in 10,080 deals"):
        TinyGame(Rules.parse("podkidnoy:suits=2,lowest_rank=11,hand_size=2"), plain_backend())


def test_solve_prints_and_writes_the_distances(tmp_path: Path, monkeypatch) -> None:
    """Of the equilibrium first."""
    monkeypatch.setattr(tiny, "backend", lambda _: plain_backend())
    path = tmp_path / "solved.json"
    words = ["solve", FIVE.text, "--agents", "greedy,expert", "--json", str(path)]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 0
    assert "30 deals, 2,578 histories, 1,042 information sets" in result.output
    told = json.loads(path.read_text())
    assert [one["player"] for one in told["players"]] == ["equilibrium", "greedy", "expert"]
    assert told["players"][0]["nash_conv"] < 0.001


@pytest.mark.slow
def test_six_cards_are_solved_to_a_thousandth() -> None:
    """One suit of six ranks with hands of two."""
    game = TinyGame(Rules.parse("podkidnoy:suits=1,lowest_rank=9,hand_size=2"), backend("solve"))
    assert (game.deals, game.histories) == (180, 161_564)
    game.iterate(100)
    assert game.distance().nash_conv < 0.001


@pytest.mark.slow
def test_machine_code_finds_what_plain_python_does() -> None:
    """But for the order in which it adds."""
    compiled, plain = TinyGame(FIVE, backend("solve")), TinyGame(FIVE, plain_backend())
    for game in (compiled, plain):
        game.iterate(50)
    assert compiled.distance().best == pytest.approx(plain.distance().best, abs=1e-9)
    assert (compiled.histories, compiled.information_sets) == (2578, 1042)
