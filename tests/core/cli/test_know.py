"""`durak know`."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import commands
import pytest
from playing import random_game
from properties import few_or_many

from durak_core import CardSet, Record, Rules, State, write_games
from durak_core.knowledge.locations import SeatLocations

PLY = 30
NAMES = ("Anna", "Bo\x1bris", "C")
FORCED = Rules(seats=3, forced_play=True)
good, bad = partial(commands.good, "know"), partial(commands.bad, "know")


@pytest.fixture(scope="module")
def games() -> list[list[State]]:
    """A game of three, the same under forced play, and a small one."""
    small = Rules(suits=2, lowest_rank=11, hand_size=3)
    return [list(random_game(rules, 3, "play")) for rules in (Rules(seats=3), FORCED, small)]


@pytest.fixture(scope="module")
def file(games: list[list[State]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of these games."""
    path = tmp_path_factory.mktemp("know") / "games.durak"
    records = [Record.of(states[-1], NAMES[: states[-1].rules.seats]) for states in games]
    path.write_text(write_games(records), encoding="utf-8")
    return path


def test_maps_show_where_every_card_may_be(file: Path, games: list[list[State]]) -> None:
    """A table for each seat; a letter for each place."""
    text = good(file, "--game", 1, "--ply", PLY)
    state = games[0][PLY]
    tables = text.split("┏")[1:]
    assert len(tables) == 3
    assert "seat 1 Bo?ris" in text
    letters = {"talon": "t", "bottom": "b", "discard": "d", "table": "x"}
    for seat, table in enumerate(tables):
        places = SeatLocations.from_observation(state.observation(seat))
        lines = [line for line in table.splitlines() if "│" in line]
        cells = [cell.strip() for line in lines for cell in line.split("│")[2:-1]]
        there = [places.places_of(card) for card in state.rules.deck]
        expected = ["".join(letters.get(place, str(place)) for place in some) for some in there]
        assert cells == expected
    assert "t: talon" in text
    assert good(file, "--game", 1, "--ply", PLY, "--seat", 2).count("┏") == 1


def test_maps_as_json(file: Path, games: list[list[State]]) -> None:
    """The same for programs, and what each seat knows that the others know."""
    found = json.loads(good(file, "--game", 1, "--ply", PLY, "--json"))
    state = games[0][PLY]
    assert found["ply"] == PLY
    for seat, entry in enumerate(found["seats"]):
        places = SeatLocations.from_observation(state.observation(seat))
        assert entry["name"] == NAMES[seat]
        assert {card: tuple(there) for card, there in entry["cards"].items()} == {
            str(card): places.places_of(card) for card in state.rules.deck
        }
        for other, cards in entry["knows_that_others_know"].items():
            assert CardSet.parse("".join(cards)) == places.known_to(int(other))


def test_formulas_are_answered_with_what_else_is_possible(file: Path, games: list[list[State]]) -> None:
    """A false one with a world that the seat cannot rule out."""
    state = games[0][PLY]
    places = SeatLocations.from_observation(state.observation(0))
    card = next(card for card in state.hands[1] if len(places.places_of(card)) > 1)
    text = good(file, "--game", 1, "--ply", PLY, "--formula", f"K0 in({card},1)")
    assert text.startswith(f"false after {PLY} moves: K0 in({card},1)\nin the game: {card} with seat 1\n")
    assert f"seat 0 cannot rule out: {card} " in text
    assert f"this is false: in({card},1)" in text
    assert "true in 0 of " in text
    text = good(file, "--game", 1, "--ply", PLY, "--formula", f"K1 in({card},1) & !K0 in({card},1)")
    assert text.startswith("true ")
    found = json.loads(good(file, "--game", 1, "--ply", PLY, "--json", "--formula", f"C{{0,1}} in({card},1)"))
    assert found["value"] is False
    assert found["actual"] == {str(card): 1}
    step = found["counterexample"][-1]
    assert step["cards"][str(card)] != 1
    assert step["seat"] in {0, 1}
    bottom = state.trump_card
    text = good(file, "--game", 1, "--ply", 0, "--formula", f"C{{0,1,2}} in({bottom},bottom)")
    assert "one world: all know where these cards lie" in text


@few_or_many("step", 7, 3)
def test_formulas_of_one_modality_are_answered_where_no_model_fits(
    file: Path, games: list[list[State]], step: int
) -> None:
    """Under forced play all cards hang together, yet what a seat knows of single cards is exact."""
    ply, state = next(
        (ply, state)
        for ply, state in enumerate(games[1])
        if SeatLocations.from_observation(state.observation(0)).public.is_tied and len(state.talon) > 10
    )
    at = (file, "--game", 2, "--ply", ply)
    for seat in range(3):
        places = SeatLocations.from_observation(state.observation(seat))
        for card in state.rules.deck[::step]:
            for place in (0, 1, 2, "talon"):
                known = (card in places.certain(place)) and (card in places.possible(place))
                found = json.loads(good(*at, "--json", "--formula", f"K{seat} in({card},{place})"))
                assert found["value"] == known
                assert found["worlds"] is None
        break
    card = next(iter(state.hands[0]))
    text = f"K0 K0 in({card},0) & E{{0}} (in({card},0) & !in({card},1))"
    assert good(*at, "--formula", text).startswith("true")
    error = bad(*at, "--formula", f"C{{0,1}} M0 in({card},1)")
    assert "this takes a model of " in error
    assert "worlds: expected at most 2,000,000, as later in a game" in error
    drawn = file.with_name("x.dot")
    assert "in the game: " in good(*at, "--formula", f"K0 in({card},1)", "--dot", drawn)
    worlds = [line for line in drawn.read_text(encoding="utf-8").splitlines() if "shape" not in line]
    assert 1 < sum("[label=" in line and " -- " not in line for line in worlds) <= 5
    assert sum("peripheries=2" in line for line in worlds) == 1


def test_models_are_drawn(file: Path, tmp_path: Path) -> None:
    """Of the formula's cards, or of all cards where these are few."""
    dot, svg = tmp_path / "a.dot", tmp_path / "a.svg"
    good(file, "--game", 1, "--ply", PLY, "--formula", "K0 in(As,1)", "--dot", dot, "--svg", svg)
    assert dot.read_text(encoding="utf-8").startswith("graph model {")
    assert svg.read_text(encoding="utf-8").startswith("<svg xmlns=")
    good(file, "--game", 3, "--ply", 12, "--svg", svg)
    error = bad(file, "--game", 1, "--ply", 0, "--svg", svg)
    assert "worlds: expected at most 2,000,000" in error
    nowhere = tmp_path / "no" / "a.svg"
    assert "cannot be written: there is no such folder" in bad(
        file, "--game", 1, "--ply", 0, "--svg", nowhere
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--ply", 9), "holds 3 games: say with --game"),
        (("--game", 1), "expected --ply"),
        (("--game", 1, "--ply", 9999), "there is no position after 9999"),
        (("--game", 7, "--ply", 1), "there is no game 7"),
        (("--game", 1, "--ply", 1, "--seat", 3), "there is no seat 3: expected 0 to 2"),
        (("--game", 1, "--ply", 1, "--formula", "K0 in(As,"), "expected a seat's number or one of talon"),
        (("--game", 1, "--ply", 1, "--formula", "K0 foo"), "'foo' does not belong here"),
        (("--game", 1, "--ply", 1, "--formula", "K3 in(As,1)"), "there is no seat 3: expected 0 to 2"),
        (("--game", 1, "--ply", 1, "--formula", "in(As,4)"), "there is no seat 4: expected 0 to 2"),
        (("--game", 1, "--ply", 1, "--formula", "in(2s,1)"), "not in this game's deck: 2s"),
        (("--game", 1, "--ply", 1, "--formula", "in(As,1)", "--seat", 0), "--seat belongs to the maps"),
    ],
)
def test_bad_input_is_refused(file: Path, arguments: tuple[object, ...], message: str) -> None:
    """With what was wrong and what would be right."""
    assert message in bad(file, *arguments)


def test_the_place_of_a_parse_error_is_pointed_at(file: Path) -> None:
    """Below the formula, under the offending sign."""
    lines = bad(file, "--game", 1, "--ply", 1, "--formula", "K0 (in(As,1) in(Ks,1))").splitlines()
    assert lines[-2][2:] == "K0 (in(As,1) in(Ks,1))"
    assert lines[-1].index("^") - 2 == 13
