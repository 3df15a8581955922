"""`durak review`: a judged game as a table and as JSON, and what is refused."""

from __future__ import annotations

import json
from functools import partial

import pytest
from commands import durak

from durak_core import Rules, make_agent, write_json_line
from durak_core.lab import play_game

SMALL = Rules.preset("podkidnoy", lowest_rank=11, hand_size=3)
review = partial(durak, "review")


@pytest.fixture
def games(tmp_path):
    """A file of two short games."""
    path = tmp_path / "games.jsonl"
    played = [play_game(SMALL, [make_agent("greedy"), make_agent("random")], seed) for seed in (1, 2)]
    path.write_text("".join(write_json_line(game.record) for game in played))
    return path


def test_a_game_is_judged_as_a_table(games):
    result = review(games, "--game", 1, "--iterations", 40, "--seed", 1)
    assert result.exit_code == 0
    heads = [head.strip() for head in result.stdout.splitlines()[1].split("┃")[1:-1]]
    assert heads == ["move", "player", "played", "value", "best", "value"]
    assert "seat 0 greedy: " in result.stdout
    assert "seat 1 random: " in result.stdout
    assert result.stdout.endswith("40 iterations a move, seed 1\n")
    result = review(games, "--game", 1, "--iterations", 2, "--time", 0.5, "--seed", 1)
    assert result.stdout.endswith("\n2 iterations or 0.5 s a move, seed 1\n")


def test_every_marked_move_has_its_reason_below_the_table(games):
    result = review(games, "--game", 1, "--iterations", 2000, "--seed", 1)
    rows = [line.split("│")[3].strip() for line in result.stdout.splitlines() if "│" in line]
    marked = [played for played in rows if played.endswith(("?", "!"))]
    assert marked
    for played in marked:
        assert f" {played}: " in result.stdout


def test_the_same_seed_and_iterations_give_the_same_judgement(games):
    first, second = (review(games, "--game", 2, "--iterations", 40, "--seed", 7, "--json") for _ in range(2))
    assert first.stdout == second.stdout
    told = json.loads(first.stdout)
    assert [move["move"] for move in told["moves"]] == list(range(1, len(told["moves"]) + 1))
    assert [player["name"] for player in told["players"]] == ["greedy", "random"]
    by_number = {move["move"]: move for move in told["moves"]}
    assert all(by_number[move]["reason"] for player in told["players"] for move in player["worst_moves"])
    for move in told["moves"]:
        assert (move["accuracy"] is None) == (move["unjudged"] is not None or move["stake"] < 0.05)
        assert (move["reason"] is None) == (not move["mark"])
        if move["unjudged"] == "no_choice":
            assert move["best"] is None


def test_a_network_judges_where_it_fits(tmp_path):
    """By default, unless it is off; one that was trained for other rules is refused."""
    path = tmp_path / "game.jsonl"
    players = [make_agent("greedy"), make_agent("random")]
    path.write_text(write_json_line(play_game(Rules(), players, 5).record))
    usual, guided, plain = (
        review(path, "--iterations", 10, "--seed", 7, "--json", *net)
        for net in ((), ("--net", "dmc"), ("--net", "off"))
    )
    assert usual.exit_code == 0
    assert usual.stdout == guided.stdout != plain.stdout
    path.write_text(write_json_line(play_game(SMALL, players, 1).record))
    refused = review(path, "--iterations", 10, "--net", "dmc")
    assert refused.exit_code == 2
    assert "net=dmc was trained for podkidnoy with 2 seats and cannot play with" in refused.stderr


def test_a_file_of_several_games_needs_a_number(games):
    result = review(games)
    assert result.exit_code == 2
    assert "holds 2 games: say with --game which one is meant" in result.stderr
    assert "there is no game 3" in review(games, "--game", 3).stderr


def test_a_damaged_file_is_refused_with_its_line(games):
    games.write_text(games.read_text().splitlines()[0] + '\n{"format": "durak-game/1"\n')
    result = review(games)
    assert result.exit_code == 2
    assert "line 2: this is not JSON" in result.stderr
