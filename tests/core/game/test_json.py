"""Games as JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from playing import random_record

from durak_core import (
    EXCHANGE,
    BrokenGameError,
    Record,
    Rules,
    State,
    from_json,
    read_json_lines,
    to_json,
    write_json_line,
)
from durak_core.errors import DurakError, NotationError
from durak_core.files import read_json
from durak_core.game.json_form import from_json_line


@pytest.fixture
def game() -> dict:
    """A finished transfer game as JSON."""
    return to_json(random_record(Rules.preset("perevodnoy", seats=3, show_trump=True), 6, "transfer"))


def test_the_form_has_the_documented_keys(game) -> None:
    """Other people's programs rely on the names."""
    assert list(game) == [
        "format",
        "rules",
        "seed",
        "deck",
        "players",
        "first_attacker",
        "actions",
        "result",
    ]
    assert game["format"] == "durak-game/1"
    assert game["rules"] == {"preset": "perevodnoy", "seats": 3, "show_trump": True}
    assert len(game["deck"]) == 36
    assert list(game["result"]) == ["fool", "draw", "places", "bouts", "plies"]
    assert game["result"]["plies"] == len(game["actions"])


def test_every_kind_of_action_has_its_own_form(game) -> None:
    """Cards stand where there are any, and the seat always."""
    keys = {action["action"]: list(action) for action in game["actions"]}
    assert keys == {
        "attack": ["seat", "action", "card"],
        "defend": ["seat", "action", "card", "target"],
        "transfer": ["seat", "action", "card"],
        "show_trump": ["seat", "action", "card"],
        "take": ["seat", "action"],
        "pass": ["seat", "action"],
    }


def test_an_exchange_has_no_card_and_comes_back() -> None:
    """The option is a rule, and the action names only its seat (rules 5.9)."""
    rules = Rules(exchange_trump=True)
    games = (random_record(rules, seed) for seed in range(100))
    record = next(game for game in games if any(move.action == EXCHANGE for move in game.moves))
    written = to_json(record)
    assert written["rules"] == {"preset": "podkidnoy", "seats": 2, "exchange_trump": True}
    assert {tuple(move) for move in written["actions"] if move["action"] == "exchange"} == {
        ("seat", "action")
    }
    assert from_json(written) == record
    assert read_json_lines(write_json_line(record)) == [record]


def test_rules_are_written_with_seats_and_differences_only() -> None:
    """Numbers, truth values and null stand for the options."""
    rules = Rules.preset(
        "huji", seats=2, lowest_rank=2, attack_limit=None, pile_on=False, throw_in="attacker"
    )
    written = to_json(Record.of(State.deal(rules, 1), ("A", "B")))["rules"]
    assert written == {
        "preset": "huji",
        "seats": 2,
        "lowest_rank": 2,
        "attack_limit": None,
        "throw_in": "attacker",
        "pile_on": False,
    }


def test_options_may_be_given_as_words_too(game) -> None:
    """``yes`` is as good as true, and an option may be named that does not differ."""
    game["rules"] |= {
        "show_trump": "yes",
        "attack_limit": 6,
        "stall_limit": "60",
        "redeal_same_suit": "never",
    }
    assert from_json(game).rules == Rules.preset("perevodnoy", seats=3, show_trump=True)


def test_the_family_rules_are_options_like_any_other() -> None:
    """A preset stays a name, and its changed options are written and read."""
    rules = Rules.preset("online", seats=3, first_bout_limit=4, redeal_trump_ace=True)
    written = to_json(random_record(rules, 5))
    assert written["rules"] == {
        "preset": "online",
        "seats": 3,
        "redeal_trump_ace": True,
        "first_bout_limit": 4,
    }
    assert from_json(written) == random_record(rules, 5)
    fewer = Rules(first_bout_limit=5, first_limit_lasts="until_beaten")
    assert to_json(random_record(fewer, 5))["rules"]["first_limit_lasts"] == "until_beaten"


def test_a_game_comes_back_with_marks_comments_and_tags() -> None:
    """The form carries everything of a record."""
    record = random_record(Rules(seats=4), 2).annotated(3, "??", "наугад").annotated(0, comment="start")
    record = replace(record, tags={"Event": "Кубок"}, date="2025-11-20")
    line = write_json_line(record)
    assert line.count("\n") == 1
    assert "Кубок" in line
    assert read_json_lines(line) == [record]


def test_a_game_that_cannot_be_played_at_once_is_read_move_by_move() -> None:
    """Values that are no plain ones need a closer look."""
    game = to_json(random_record(Rules(), 2))
    game["actions"] = [dict(reversed(action.items())) | {"clock": [1]} for action in game["actions"]]
    assert from_json(game, with_end=True).end == from_json(to_json(random_record(Rules(), 2))).end


def test_unknown_keys_are_kept() -> None:
    """More keys may be added by others; what is not known is written again."""
    game = to_json(random_record(Rules(), 2)) | {"clock": {"white": [1, 2.5, None]}, "site": "x"}
    game["actions"][0]["seconds"] = 3
    record = from_json(game)
    assert record.extra == {"clock": {"white": [1, 2.5, None]}, "site": "x"}
    assert {key: to_json(record)[key] for key in record.extra} == record.extra
    assert record == random_record(Rules(), 2)


def test_an_unfinished_game_has_no_result() -> None:
    """A game that goes on has null where the result will be."""
    record = Record.of(State.deal(Rules(), 7), ("A", "B"))
    assert to_json(record)["result"] is None
    assert from_json(to_json(record)) == record


def test_the_result_may_be_left_out_or_say_less(game) -> None:
    """What is not claimed is not compared."""
    expected = from_json(game)
    for result in ({"fool": game["result"]["fool"]}, {}, None):
        assert from_json(game | {"result": result}) == expected
    del game["result"]
    assert from_json(game) == expected


def test_lines_are_read_with_empty_ones_between() -> None:
    """A file holds one object a line."""
    records = [random_record(Rules(), 1), random_record(Rules(seats=3), 2)]
    text = "\n\n".join(map(write_json_line, records))
    assert read_json_lines(text) == records
    assert read_json_lines(text.replace("\n", "\r\n")) == records
    assert read_json_lines("") == []


@pytest.mark.parametrize("text", ["\ud800", "\u2028", "\n", '"', "\\", "ж"])
def test_any_text_fits_into_a_line(text) -> None:
    """A line is one line, and fits into a UTF-8 file."""
    record = Record.of(State.deal(Rules(), 7), (text, "B"), date=text)
    line = write_json_line(record)
    assert read_json_lines(line.encode().decode()) == [record]
    assert line.count("\n") == 1


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("format",), "durak-game/2", "format: expected 'durak-game/1', found \"durak-game/2\""),
        (("format",), None, "format: expected 'durak-game/1', found nothing"),
        (("rules",), None, "rules: expected an object, found nothing"),
        (("rules", "preset"), "podkid", "there is no preset 'podkid'"),
        (("rules", "preset"), 3, "rules.preset: expected a text, found 3"),
        (("rules", "seats"), ..., "rules.seats: expected a number from 2 to 6, found nothing"),
        (("rules", "seats"), 7, "seats=7: expected a number from 2 to 6"),
        (("rules", "seats"), True, "seats=True: expected a number"),
        (("rules", "pile_on"), "perhaps", "pile_on=perhaps: expected yes or no"),
        (("rules", "pile_on"), 1.5, "rules.pile_on: expected yes or no, found 1.5"),
        (("rules", "name"), 1, "rules.name: there is no such option"),
        (("seed",), "7", 'seed: expected a number, found "7"'),
        (("seed",), -1, "seed -1: expected a number from 0"),
        (("seed",), True, "seed: expected a number, found true"),
        (("deck",), ..., "deck: expected a list, found nothing"),
        (("deck", 0), "1s", "deck: '1s' is not a card"),
        (("deck", 0), 5, "deck: expected a text, found 5"),
        (("deck", 0), "2s", "needs each of the 36 cards"),
        (("players",), ["A"], "1 names for 3 seats"),
        (("players", 1), 2, "players: expected a text, found 2"),
        (("first_attacker",), 3, "there is no seat 3"),
        (("first_attacker",), ..., "first_attacker: expected a number, found nothing"),
        (("tags",), {"Event": 3}, "tags.Event: expected a text, found 3"),
        (("tags",), {"Deck": "x"}, "the tag Deck belongs to the record"),
        (("actions",), ..., "actions: expected a list, found nothing"),
        (("actions", 2), "pass", 'actions[2]: expected an object, found "pass"'),
        (("actions", 2, "seat"), ..., "actions[2].seat: expected a number, found nothing"),
        (
            ("actions", 2, "action"),
            "fold",
            "actions[2].action: expected attack, defend, transfer, show_trump",
        ),
        (("actions", 2, "action"), {}, "actions[2].action: expected attack"),
        (("actions", 0, "card"), "2c", "ply 1: 2c is not allowed here"),
        (("actions", 0, "card"), ..., "actions[0].card: expected a text, found nothing"),
        (("actions", 0, "mark"), "???", "'???' is not a mark"),
        (("actions", 0, "comment"), 1, "actions[0].comment: expected a text"),
        (("result",), "draw", 'result: expected an object, found "draw"'),
        (("result", "places"), [0], "result.places: the game gives"),
        (("result", "plies"), 3, "result.plies: the game gives"),
    ],
)
def test_a_wrong_value_is_refused_with_its_key(game, path, value, message) -> None:
    """The error names the key, what was expected and what was found."""
    target = game
    for step in path[:-1]:
        target = target[step]
    if value is ...:
        del target[path[-1]]
    else:
        target[path[-1]] = value
    with pytest.raises(NotationError) as caught:
        from_json(game)
    assert message in str(caught.value)


def test_an_illegal_action_leaves_the_game_before_it(game) -> None:
    """The error holds the ply and the game up to there."""
    whole = from_json(game)
    game["actions"][5] = {"seat": 0, "action": "take"}
    with pytest.raises(BrokenGameError) as caught:
        from_json(game)
    assert caught.value.ply == 6
    assert caught.value.partial is not None
    assert caught.value.partial.moves == whole.moves[:5]


def test_a_result_of_an_unfinished_game_is_refused(game) -> None:
    """The moves decide."""
    game["actions"].pop()
    with pytest.raises(BrokenGameError, match="the game is not over"):
        from_json(game)


@pytest.mark.parametrize("result", ["draw", {"plies": 3}])
def test_a_wrong_result_is_the_fault_of_no_move(game, result) -> None:
    """The error names no ply, and holds the whole game."""
    whole = from_json(game)
    with pytest.raises(BrokenGameError) as caught:
        from_json({**game, "result": result})
    assert caught.value.ply is None
    assert caught.value.partial == whole


@pytest.mark.parametrize(
    "line", ["{", "[]", "3", '{"format"', "[" * 100_000, '{"a": ' + "1" * 5000 + "}", "\x00"]
)
def test_a_line_that_is_no_game_is_refused_with_its_number(line) -> None:
    """Whatever stands there, the error is ours and knows the line."""
    good = random_record(Rules(), 1)
    with pytest.raises(BrokenGameError, match=r"^line 2: ") as caught:
        read_json_lines(write_json_line(good) + line)
    assert caught.value.line == 2
    assert caught.value.earlier == (good,)


@pytest.mark.parametrize("obj", [None, 3, "x", [], {}, {"format": []}])
def test_what_is_no_object_is_no_game(obj) -> None:
    """Anything may come out of a JSON file."""
    with pytest.raises(DurakError):
        from_json(obj)


def test_a_line_is_plain_json(game) -> None:
    """Any JSON reader reads it."""
    record = from_json(game)
    assert json.loads(write_json_line(record)) == to_json(record) == game


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("}, {", "},{"),
        ('"card"', '"comment": "}, {", "card"'),
        ('"card"', '"comment": "a] \\" }", "card"'),
        ('"card"', '"comment": "}]", "card"'),
        ('"card"', '"mark": "!", "card"'),
        ('"actions"', '"extra": {"a": 1, "actions": []}, "actions"'),
        (', "actions"', ', "tags": {"a": "x, ", "actions": "y"}, "actions"'),
        ('"seat": 1', '"seat": true'),
        ('"seat": 1', '"seat": 0'),
        ('"seat": 1', '"seat": 1, "seat": 1'),
        ('"fool"', '"actions": [], "fool"'),
        ('"plies": ', '"plies": 1'),
        ('"durak-game/1"', '"durak-game/2"'),
        ("[{", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[{"),
    ],
)
def test_the_quick_way_reads_what_the_careful_one_reads(old: str, new: str) -> None:
    """A line gives the same game, or the same error, whatever stands between its moves."""

    def outcome(read) -> object:
        try:
            return read()
        except NotationError as error:
            return str(error)

    line = write_json_line(random_record(Rules(), 5))
    for text in (line.replace(old, new), line.replace(old, new, 1), line[: line.rindex(old)]):
        assert outcome(lambda: from_json_line(text)) == outcome(lambda: from_json(read_json(text)))  # noqa: B023


def test_a_line_is_written_as_it_was_read() -> None:
    """Marks, comments and unknown keys of a line come back, whether its end is kept or not."""
    record = random_record(Rules(), 5).annotated(1, "!", "Well")
    line = write_json_line(replace(record, extra={"match": {"game": 3}}))
    for with_end in (False, True):
        read = from_json_line(line, with_end=with_end)
        assert write_json_line(read) == line
        assert read.moves_text == " ".join(f"{move.seat}{move.action}" for move in record.moves)
