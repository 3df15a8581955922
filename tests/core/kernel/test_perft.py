"""The fingerprint of the rules: counts of action sequences, and deals, against golden files."""

from __future__ import annotations

import copy
import json
from typing import Any

import make_deals
import make_perft
import pytest
from oracle.engine import OracleGame

from durak_core import Rules, State

ENTRIES: list[dict[str, Any]] = json.loads(make_perft.GOLDEN.read_text(encoding="utf-8"))
DEALS = make_deals.GOLDEN.read_text(encoding="utf-8").splitlines()


def name(entry: dict[str, Any]) -> str:
    return f"{entry['rules']} {entry.get('seed', '/'.join(entry.get('hands', ())))}"


def divided(state: State, depth: int) -> str:
    return "\n".join(f"  {action!s:8} {count}" for action, count in state.divide(depth).items())


@pytest.mark.sampled(61)
@pytest.mark.parametrize("entry", ENTRIES, ids=name)
def test_the_counts_are_the_golden_ones(entry: dict[str, Any]) -> None:
    """On a mismatch the counts of each first action are printed."""
    state = make_perft.start(entry)
    for depth, golden in enumerate(entry["counts"], 1):
        count = state.perft(depth)
        assert count == golden, f"depth {depth}: {count} instead of {golden}\n{divided(state, depth)}"


def test_the_golden_file_covers_all_presets_and_table_sizes() -> None:
    """Each preset is counted with 2, 3, 4 and 6 seats to depth 4 at least."""
    depths = {entry["rules"]: len(entry["counts"]) for entry in ENTRIES if "seed" in entry}
    for preset in ("podkidnoy", "perevodnoy", "zarlykov", "huji", "groningen", "van-khan", "larsenbier"):
        for seats in (2, 3, 4, 6):
            assert depths[f"{preset}:seats={seats}"] >= 4


def test_divide_adds_up_to_perft_and_leaves_the_state_alone() -> None:
    """The counts of the first actions sum to the whole."""
    state = State.deal(Rules.preset("perevodnoy", seats=3), 5)
    twin = State.deal(Rules.preset("perevodnoy", seats=3), 5)
    counts = state.divide(4)
    assert tuple(counts) == state.legal_actions
    assert sum(counts.values()) == state.perft(4)
    assert state.perft(0) == 1
    assert state == twin


def oracle_count(game: OracleGame, depth: int) -> int:
    moves = game.legal()
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        child = copy.deepcopy(game)
        child.apply(move)
        total += oracle_count(child, depth - 1)
    return total


@pytest.mark.slow
@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if "seed" in entry], ids=name)
def test_the_second_engine_counts_the_same(entry: dict[str, Any]) -> None:
    """The counts do not merely repeat what one engine once said."""
    state = make_perft.start(entry)
    assert state.deck is not None
    game = OracleGame(state.rules, state.deck, state.first_attacker)
    for depth, golden in enumerate(entry["counts"], 1):
        if golden <= 1500:
            assert oracle_count(game, depth) == golden


@pytest.mark.parametrize("line", DEALS, ids=lambda line: " ".join(line.split()[:2]))
def test_a_seed_gives_the_same_deal_for_ever(line: str) -> None:
    """Rules 3.1: deck and first attacker are those of the golden file."""
    rules, seed, _, _ = line.split()
    assert make_deals.line(rules, int(seed)) == line
