"""The same text in CPython and as machine code: same counts, same games, same figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

import make_perft
import pytest
from playing import random_record

from durak_core import PRESETS, Rules, State, write_json_line
from durak_core.cli.commands.rules import run_perft
from durak_core.engine.replays import compile_replays
from durak_core.errors import NotationError
from durak_core.game.json_form import from_json_line
from durak_core.kernel import position as bits
from durak_core.kernel.position import Position, copy_position
from durak_core.lab.speed import Batch, play_chunk
from durak_core.search.backend.backend import Backend, plain_backend
from durak_core.search.policies.playouts import POLICIES

PERFT: list[dict[str, Any]] = json.loads(make_perft.GOLDEN.read_text(encoding="utf-8"))
RULE_FIELDS = Position.__slots__[: Position.__slots__.index("trump_mask")]


@pytest.mark.sampled(11)
@pytest.mark.parametrize("seats", [2, 3, 4, 6])
@pytest.mark.parametrize("preset", PRESETS)
def test_random_games_are_the_same_compiled(compiled: Backend, preset: str, seats: int):
    """Random games of every preset and seat count have the same hashes both ways."""
    rules = Rules.preset(preset, seats=seats)
    batch = Batch(rules, ["random:uniform"] * seats, seed=20_260)
    assert play_chunk(plain_backend(), batch, 0, 100) == play_chunk(compiled, batch, 0, 100)


@pytest.mark.sampled(13)
@pytest.mark.parametrize("policy", ["random", "greedy", "expert"])
@pytest.mark.parametrize(
    "rules",
    [
        "podkidnoy",
        "podkidnoy:seats=6,throw_in=neighbours",
        "podkidnoy:seats=5,lowest_rank=2,first_bout_limit=5,draws=no",
        "podkidnoy:seats=3,trumps=no,stall_limit=3",
        "perevodnoy:seats=4,show_trump=yes,transfer_first_bout=no",
        "larsenbier:forced_play=yes",
        "larsenbier:lowest_card=always",
        "podkidnoy:seats=3,exchange_trump=yes",
        "perevodnoy:seats=3,lowest_rank=2,jokers=any,lowest_card=defence",
        "podkidnoy:seats=2,suits=3,jokers=colour,lowest_card=always",
        "huji:seats=4",
        "podkidnoy:seats=4,teams=2x2,throw_in=neighbours",
        "perevodnoy:seats=6,teams=3x2,draws=no",
    ],
)
def test_other_policies_and_options_are_the_same_compiled(compiled: Backend, rules: str, policy: str):
    """The other policies, and the options that no preset has, agree as well."""
    read = Rules.parse(rules)
    batch = Batch(read, [policy] * read.seats, seed=3)
    assert play_chunk(plain_backend(), batch, 0, 50) == play_chunk(compiled, batch, 0, 50)


@pytest.mark.parametrize("entry", PERFT, ids=lambda entry: entry["rules"])
def test_golden_perft_is_the_same_compiled(compiled: Backend, entry: dict[str, Any]):
    """Every golden perft position has the golden counts as machine code."""
    position = make_perft.start(entry).to_position()
    for depth, count in enumerate(entry["counts"], 1):
        assert run_perft(position, depth, compiled) == count


def test_bit_twins_agree_on_every_bit(compiled: Backend):
    """The processor's instructions count and find each card bit as the Python text does."""
    import numba  # noqa: PLC0415 - it is there only with the fixture

    import_module("durak_core.search.backend.jit")  # declares the twins; cached code is loaded without it
    popcount, lowest_bit = bits.popcount, bits.lowest_bit

    @numba.njit
    def count(mask: int) -> int:
        return popcount(mask)

    @numba.njit
    def scan(mask: int) -> int:
        return lowest_bit(mask)

    for number in range(63):
        for mask in (1 << number, (1 << 62) | 1 << number, (1 << 63) - (1 << number)):
            assert (count(mask), scan(mask)) == (bits.popcount(mask), bits.lowest_bit(mask))
    assert count(0) == 0


def test_calls_change_nothing(compiled: Backend):
    """The same games come from one call and from several."""
    batch = Batch(Rules.preset("podkidnoy", seats=3), ["random", "greedy", "random:uniform"], seed=9)
    parts = [play_chunk(compiled, batch, first, 100) for first in (0, 100, 200)]
    assert play_chunk(compiled, batch, 0, 300) == [row for part in parts for row in part]


def test_a_copy_has_every_field():
    """Copying a position copies each field of its table as far as it is in use, and shares no array."""
    options = {"show_trump": True, "lowest_beats_ace": "trump", "stall_limit": 7}
    rules = Rules.preset("perevodnoy", seats=4, lowest_rank=9, hand_size=5, **options)
    seen: dict[str, set[str]] = {name: set() for name in Position.__slots__}
    for seed in range(30):
        state = State.deal(rules, seed)
        while not state.is_over:
            state = state.apply(state.legal_actions[seed % len(state.legal_actions)])
            original = state.to_position()
            twin = copy_position(original)
            used = {"hands": 4, "deck": 52, "attacks": original.n_attacks, "defences": original.n_attacks}
            used |= {"emptied": original.n_emptied, "places": original.n_places}
            for name, values in seen.items():
                value, copied = getattr(original, name), getattr(twin, name)
                values.add(str(value))
                if isinstance(value, list):
                    assert copied is not value
                    assert copied[: used[name]] == value[: used[name]]
                else:
                    assert copied == value
    assert [name for name in seen if name not in RULE_FIELDS and len(seen[name]) == 1] == []


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (("greedy", "random"), "perevodnoy"),
        (("random:uniform", "greedy", "random"), "perevodnoy"),
        (("random:uniform", "random:uniform"), "online:lowest_rank=2,exchange_trump=yes"),
        (("random:uniform", "expert", "random:uniform"), "online:forced_play=yes,trumps=no"),
        (("random:uniform", "random:uniform"), "podkidnoy:lowest_card=always,jokers=colour"),
    ],
)
def test_policies_are_the_agents(compiled: Backend, names: tuple[str, ...], options: str):
    """A batch gives the results that a match between the agents of the same names gives."""
    from durak_core.lab.matches.match import Match, play_match  # noqa: PLC0415

    rules = Rules.parse(options).changed(seats=len(names))
    figures = play_chunk(compiled, Batch(rules, names, seed=5), 0, 40)
    for game, row in zip(play_match(Match(rules, names, 40, 5)), figures, strict=True):
        state = game.state
        fool = row[0] if row[0] >= 0 else None
        assert [state.fool, state.bout, state.plies] == [fool, *row[1:3]]
    assert set(POLICIES) == {"random", "random:uniform", "greedy", "expert"}


def test_many_recorded_games_are_replayed_compiled(
    machine_code: Callable[[str], Backend], monkeypatch: pytest.MonkeyPatch
):
    """Large files are read by compiled code: the same games and errors, whatever stands in them."""
    machine_code("replay")
    plain = State.replay
    monkeypatch.setattr(State, "replay", plain)  # and is put back
    lines = [write_json_line(random_record(Rules.preset(preset), 3)) for preset in PRESETS]
    lines += [lines[0].replace('"seat": 1', f'"seat": {seat}', 1) for seat in (-1, 0, 10**30)]
    lines += [lines[1].replace('"action": "take"', '"action": "pass"', 1)]

    def outcome(line: str) -> object:
        try:
            record = from_json_line(line, with_end=True)
        except NotationError as error:
            return str(error)
        return record, record.end.to_position(), record.end.events

    before = [outcome(line) for line in lines]
    compile_replays(1000)
    assert State.replay is plain
    compile_replays(10**9)
    assert State.replay is not plain
    assert [outcome(line) for line in lines] == before
