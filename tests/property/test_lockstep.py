"""The engine and the oracle, written independently from docs/rules.md, play the same game."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle.engine import OracleGame, is_dealt_again, lowest_trump_holder
from oracle.notation import Notes, position
from playing import PLIES_AT_MOST, STYLES, TABLES, conceivable, pick, random_rules

from durak_core import (
    PRESETS,
    Action,
    CardSet,
    Exchanged,
    Record,
    Rules,
    State,
    next_first_attacker,
    read_game,
    to_json,
    write_game,
    write_observation,
    write_position,
)
from durak_core.errors import IllegalActionError


def fingerprint(state: State) -> dict[str, object]:
    """Collect everything that the oracle has as well."""
    seen: dict[str, object] = {
        "phase": state.phase.name.lower(),
        "turn": state.turn,
        "bout": state.bout,
        "hands": [set(hand) for hand in state.hands],
        "table": [(pair.attack, pair.defence) for pair in state.table],
        "talon": list(state.talon),
        "discards": set(state.discards),
        "passed": set(state.passed),
        "shown": set(state.shown),
        "stall": state.stall,
        "places": list(state.places),
        "over": state.is_over,
        "fools": list(state.fools),
        "draw": state.is_draw,
        "trump_card": state.trump_card,
        "trump_suit": state.trump_suit,
        "known": [set(cards) for cards in state.observation(0).known],
    }
    if not state.is_over:
        seen |= {"attacker": state.attacker, "defender": state.defender, "limit": state.limit}
    return seen


def expected(game: OracleGame) -> dict[str, object]:
    """Collect the same from the oracle."""
    names = (
        "phase turn bout hands talon discards passed shown stall places over fools draw "
        "trump_card trump_suit known"
    )
    seen: dict[str, object] = {name: getattr(game, name) for name in names.split()}
    seen["table"] = [(pair.attack, pair.defence) for pair in game.table]
    if not game.over:
        seen |= {"attacker": game.attacker, "defender": game.defender, "limit": game.limit}
    return seen


def check_every_action(state: State, game: OracleGame, every: list[Action]) -> None:
    """Compare what is accepted among all actions there are, and that refusals are refusals."""
    accepted = game.accepted()
    assert {action for action in every if state.why_not(action) is None} == accepted
    before = fingerprint(state)
    for action in every[:: max(1, len(every) // 10)]:
        if action not in accepted:
            with pytest.raises(IllegalActionError):
                state.apply(action)
    assert fingerprint(state) == before


def run_lockstep(rules: Rules, seed: int, style: str, checks: float) -> State:
    """Play one game on both engines and compare them after every action, and now and then their texts.

    Args:
        rules: The rules.
        seed: Of the deal and of the choices.
        style: How actions are chosen, see `pick`.
        checks: How often all conceivable actions are compared, as a share of all plies.
    """
    chance = random.Random(seed)
    every = conceivable(rules) if checks else []
    state = State.deal(rules, seed)
    deck = state.deck
    assert deck is not None
    assert not is_dealt_again(rules, deck)
    first = State.deal(rules.changed(redeal_same_suit=None, redeal_trump_ace=False), seed).deck
    assert first is not None
    assert (deck != first) == is_dealt_again(rules, first), f"{rules}, seed {seed}"
    holder = lowest_trump_holder(rules, deck)
    assert holder in (None, state.first_attacker)
    game = OracleGame(rules, deck, state.first_attacker)
    notes = Notes()

    def story() -> str:
        return f"{rules}, seed {seed}, after {' '.join(notes.words)}"

    for _ply in range(PLIES_AT_MOST):
        assert fingerprint(state) == expected(game), story()
        if state.is_over or chance.random() < 0.2:
            viewer = state.plies % rules.seats
            assert write_position(state) == position(game), story()
            assert write_observation(state.observation(viewer)) == position(game, viewer), story()
        assert len(state.legal_actions) == len(set(state.legal_actions)), story()
        assert set(state.legal_actions) == game.legal(), story()
        if state.is_over:
            break
        accepted = sorted(game.accepted(), key=str)
        if chance.random() < checks:
            check_every_action(state, game, every)
        options = accepted if chance.random() < 0.2 else sorted(state.legal_actions, key=str)
        action = pick(options, chance, style)
        notes.note(game, action)
        state = state.apply(action)
        game.apply(action)
    assert state.is_over, f"{rules}, seed {seed}: no end after {PLIES_AT_MOST} plies"
    assert list(state.returns) == pytest.approx([float(value) for value in game.returns()])
    assert sum(state.returns) == pytest.approx(0)
    if rules.teams is None:
        assert list(state.points) == game.points()
    for way in ("under_fool", "after_fool"):
        game.rules = rules.changed(next_first_attacker=way)
        assert next_first_attacker(game.rules, state.fool) == game.next_first_attacker()
    game.rules = rules
    if chance.random() < 0.3:
        check_record(state, game, notes)
    return state


def check_record(state: State, game: OracleGame, notes: Notes) -> None:
    """Compare what is written of a game that has ended, and read what was written by the book."""
    names = tuple("ABCDEF"[: state.rules.seats])
    record = Record.of(state, names)
    text = notes.text(game, record.seed, names)
    assert write_game(record).split() == text.split(), f"{write_game(record)}\n{text}"
    assert read_game(text) == record
    assert to_json(record)["actions"] == notes.moves


seeds = st.integers(0, 2**63 - 1)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(data=st.data(), seed=seeds, style=st.sampled_from(STYLES))
def test_engine_and_oracle_agree_under_random_rules(data: st.DataObject, seed: int, style: str) -> None:
    """Whatever the options, both engines offer, accept and do the same until the game is over."""
    rules = random_rules(lambda options: data.draw(st.sampled_from(options)))
    run_lockstep(rules, seed, style, checks=0.01)


def test_engine_and_oracle_agree_under_random_rules_where_partners_play() -> None:
    """So they do with teams."""
    for seed in range(15):
        rules = random_rules(random.Random(seed).choice, teams=True)
        run_lockstep(rules, seed, STYLES[seed % len(STYLES)], checks=0.01)


@pytest.mark.sampled(23)
@pytest.mark.parametrize(("teams", "seats"), TABLES)
@pytest.mark.parametrize("preset", PRESETS)
def test_engine_and_oracle_agree_on_the_presets(preset: str, teams: str | None, seats: int) -> None:
    """Both engines play every preset alike with every number of seats and in every division."""
    rules = Rules.preset(preset, teams=teams, seats=seats)
    run_lockstep(rules, seats, STYLES[seats % len(STYLES)], checks=0.01)


def family_rules(teams: str | None, seats: int) -> list[Rules]:
    """Every combination of the options that families play with, and of deck sizes (3.5, 5.2, 5.9, 7.3)."""
    texts = ("podkidnoy", "perevodnoy:show_trump=yes", "perevodnoy:transfer_first_bout=no", "online")
    limits = ((None, "one_bout"), (3, "one_bout"), (3, "until_beaten"))
    every = []
    for text, lowest_rank, (limit, lasts), ace, exchange in product(
        texts, (2, 6, 9), limits, (False, True), (False, True)
    ):
        rules = Rules.parse(text).changed(
            teams=teams,
            seats=seats,
            lowest_rank=lowest_rank,
            hand_size=min(6, (4 * (15 - lowest_rank) - 1) // seats),  # some talon remains
            first_bout_limit=limit,
            first_limit_lasts=lasts,
            redeal_trump_ace=ace,
            exchange_trump=exchange,
        )
        every.append(rules)
    return every


def exchanges(state: State) -> int:
    """How often the lowest trump has been exchanged in a game (5.9)."""
    return sum(isinstance(event, Exchanged) for event in state.events)


@pytest.mark.parametrize(("teams", "seats"), TABLES)
def test_engine_and_oracle_agree_on_family_rules(teams: str | None, seats: int) -> None:
    """Decks, limits and exchanges are the same in a part of all combinations."""
    ends = [
        run_lockstep(rules, seed, ("take", "any", "transfer", "play")[seed % 4], checks=0.002)
        for seed, rules in enumerate(family_rules(teams, seats)[1::29])
    ]
    assert sum(map(exchanges, ends)) > 0


def test_lockstep_notices_a_difference() -> None:
    """The comparison is no rubber stamp: a card moved in the oracle's hands is seen."""
    rules = Rules(seats=3)
    state = State.deal(rules, 5)
    assert state.deck is not None
    game = OracleGame(rules, state.deck, state.first_attacker)
    assert fingerprint(state) == expected(game)
    game.hands[0].add(game.hands[1].pop())
    assert fingerprint(state) != expected(game)
    assert CardSet.of(game.hands[0]) != state.hands[0]


@pytest.mark.slow
@pytest.mark.parametrize("partners", [False, True])
def test_engine_and_oracle_agree_on_thousands_of_games(
    capsys: pytest.CaptureFixture[str], *, partners: bool
) -> None:
    """At least 3,000 random games over all presets, tables and random options are the same."""
    played = draws = longest = 0
    games = [
        (Rules.preset(preset, teams=teams, seats=seats), 1000 + seed)
        for preset, (teams, seats) in product(PRESETS, TABLES)
        for seed in range(30)
        if (teams is not None) == partners
    ]
    games += [(random_rules(random.Random(seed).choice, teams=partners), seed) for seed in range(2_500)]
    family = [rules for teams, seats in TABLES for rules in family_rules(teams, seats)]
    games += [(rules, 5000 + seed) for rules in family for seed in range(3) if bool(rules.teams) == partners]
    for rules, seed in games:
        end = run_lockstep(rules, seed, STYLES[seed % len(STYLES)], checks=0.02)
        played, draws, longest = played + 1, draws + end.is_draw, max(longest, end.plies)
    with capsys.disabled():
        print(f"\n{played} games in lockstep, {draws} of them drawn, the longest of {longest} plies")  # noqa: T201
    assert played >= 3_000
