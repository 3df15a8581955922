"""The text of games."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from playing import random_record

from durak_core import (
    BrokenGameError,
    Move,
    Record,
    Rules,
    State,
    parse_action,
    read_game,
    read_games,
    write_game,
    write_games,
)
from durak_core.errors import DurakError, NotationError, RecordError

GAME = """\
[Rules "perevodnoy:seats=3,lowest_rank=9,hand_size=4"]
[Deck "Ad Qd Kc Td 9d Js Ts Jd Tc Ac Kh 9s Th Jh 9c Qh Kd Ah Qc Qs Jc As Ks 9h"]
[FirstAttacker "1"]
[Seat0 "Anna"]
[Seat1 "Boris \\"B\\" \\\\"]
[Seat2 "Ольга"]

{Hearts.}
1. 1 attacks 2: 1:9d 2:>9s 0:Tdx9d! 0:Tsx9s 2:Tc {so \\{early\\}} 0:AcxTc?! 2:pass 1:pass
2. 0 attacks 1: 0:Kd 1:>Kh 2:>Kc 0:AdxKd 0:AhxKh
    0:QhxKc
3. 0 attacks 1: 0:Jc 1:>Jd 2:>Js 0:9hxJc 0:take
4. 1 attacks 2: 1:9c 2:Qcx9c 1:Qs 2:ThxQs 1:Qd 2:JhxQd
fool 0
"""


def broken(text: str) -> BrokenGameError:
    """Return the error that reading a text raises."""
    with pytest.raises(BrokenGameError) as caught:
        read_games(text)
    return caught.value


def test_a_game_is_read_with_its_names_marks_and_comments() -> None:
    """Everything that stands in the text is in the record."""
    record = read_game(GAME)
    assert record.players == ("Anna", 'Boris "B" \\', "Ольга")
    assert record.comment == "Hearts."
    assert record.moves[2] == Move(0, parse_action("Tdx9d"), "!")
    assert record.moves[4] == Move(2, parse_action("Tc"), "", "so {early}")
    assert record.moves[5].mark == "?!"
    assert str(record.result) == "fool 0"
    assert record.seed is None
    assert record.date == ""


def test_a_game_is_written_with_a_paragraph_for_each_bout() -> None:
    """The text has the bouts' numbers, attackers and defenders, and the result."""
    lines = write_game(read_game(GAME)).splitlines()
    assert lines[6] == '[Result "fool 0"]'
    assert lines[7:] == [
        "",
        "{Hearts.}",
        "1. 1 attacks 2: 1:9d 2:>9s 0:Tdx9d! 0:Tsx9s 2:Tc {so \\{early\\}} 0:AcxTc?! 2:pass 1:pass",
        "2. 0 attacks 1: 0:Kd 1:>Kh 2:>Kc 0:AdxKd 0:AhxKh 0:QhxKc",
        "3. 0 attacks 1: 0:Jc 1:>Jd 2:>Js 0:9hxJc 0:take",
        "4. 1 attacks 2: 1:9c 2:Qcx9c 1:Qs 2:ThxQs 1:Qd 2:JhxQd",
        "fool 0",
    ]


def test_long_paragraphs_are_broken_between_moves() -> None:
    """No line of moves is longer than 100 characters, and broken lines are indented."""
    record = random_record(Rules(seats=6, lowest_rank=2), 3)
    lines = write_game(record).splitlines()
    moves = lines[lines.index("") + 1 :]
    assert max(map(len, moves)) <= 100
    assert any(line.startswith("    ") for line in moves)
    assert read_game(write_game(record)) == record


def test_several_games_stand_in_a_file_with_an_empty_line_between() -> None:
    """Files hold any number of games."""
    records = [random_record(Rules(), 1, Site="here"), random_record(Rules(seats=3), 2)]
    text = write_games(records)
    assert text.count("\n\n[Rules") == 1
    assert read_games(text) == records
    assert read_games(text.replace("\n", "\r\n")) == records
    with pytest.raises(NotationError, match="expected one game, found 2"):
        read_game(text)


def test_a_text_without_games_is_an_empty_list() -> None:
    """No text, no games."""
    assert read_games(" \n\n") == []
    with pytest.raises(NotationError, match="found 0"):
        read_game("")


def test_an_unfinished_game_ends_with_a_star() -> None:
    """A game in progress can be saved and read."""
    record = Record.of(State.deal(Rules(), 7), ("A", "B"))
    record = record.added(record.end.legal_actions[0])
    text = write_game(record)
    assert text.endswith("\n*\n")
    assert read_game(text) == record


def test_comments_may_follow_each_other_and_hold_line_ends() -> None:
    """Comments of one place become one."""
    text = GAME.replace("{Hearts.}", "{Hearts.}\n{two\nlines}").replace("1:9d ", "1:9d{a} {b}")
    record = read_game(text)
    assert record.comment == "Hearts. two\nlines"
    assert record.moves[0].comment == "a b"
    assert read_game(write_game(record)) == record


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "}",
        "{}",
        "\\",
        "\\n",
        "\n",
        "\r\n",
        "a\tb",
        "\x00",
        "\x1b[31m",
        "\u2028",
        "\ud800",
        '"',
        " a ",
        "ж😀",
    ],
)
def test_any_text_can_stand_in_comments_names_and_tags(text) -> None:
    """Nothing that people write breaks the notation, and no line is broken by it."""
    record = Record.of(State.deal(Rules(), 7), (text, "B"), date=text, Note=text)
    record = record.annotated(0, comment=text).added(record.end.legal_actions[0], comment=text)
    written = write_game(record)
    assert read_game(written) == record
    assert written.isprintable() or set(written) - {"\n"} == {c for c in written if c.isprintable()}
    assert len(written.splitlines()) == len(written.split("\n")) - 1


@pytest.mark.parametrize(
    ("old", "new", "message", "line", "character"),
    [
        ("[Deck", "[Dock", "the tag Deck is missing", 8, 1),
        ('[Seat0 "Anna"]', "", "the tag Seat0 is missing", 8, 1),
        ('[Seat0 "Anna"]', '[Seat3 "Anna"]', "there is no seat 3 in a game of 3", 4, 9),
        ('[Seat0 "Anna"]', '[Seat1 "Anna"]', "the tag Seat1 appears twice", 5, 1),
        ('[Seat0 "Anna"]', '[Seat0 "Anna]', "expected a tag such as", 4, 1),
        ('[Seat0 "Anna"]', '[Seat0 "An\\na\\q"]', r"\q means nothing", 4, 9),
        ('"1"]', '"one"]', "expected a number, found 'one'", 3, 17),
        ('"1"]', '"7"]', "there is no seat 7", 8, 1),
        ("perevodnoy", "perevodni", "did you mean perevodnoy", 8, 1),
        ("Ad Qd", "Ad Ad", "needs each of the 24 cards", 8, 1),
        ("Ad Qd", "Ad xx", "'xx' is not a card", 8, 1),
        ("1. 1 attacks 2:", "1. 2 attacks 1:", "expected '1. 1 attacks 2:'; found '1. 2 attacks 1:'", 9, 1),
        ("3. 0 attacks 1: ", "", "expected '3. 0 attacks 1:' or '*'; found '0:Jc'", 12, 1),
        ("2:>9s", "2-9s", "expected a move such as 0:6c; found '2-9s'", 9, 22),
        ("2:>9s", "2:>9x", "'>9x' is not an action", 9, 22),
        ("2:>9s", "2:>Ts", "not in the hand", 9, 22),
        ("2:>9s", "1:>9s", "seat 2 is to act (rules 11.1)", 9, 22),
        ("0:Tdx9d!", "0:Tdx9d!!!", "expected a move", 9, 28),
        ("{so ", "{so \\q", r"\q means nothing", 9, 51),
        ("early\\}}", "early\\}", "this comment does not end", 9, 50),
        ("0:take", "0:take {", "this comment does not end", 12, 49),
        ("0:take", "0:take?? ???", "found '???'", 12, 51),
        ("fool 0", "fool 1", "the text says fool 1, but after 25 plies the game ends with fool 0", 14, 1),
        ("fool 0", "*", "the text says *", 14, 1),
        ("fool 0", "2:pass", "ply 26: pass is not allowed here: the game is over (rules 8.2)", 14, 1),
        ("2:JhxQd\nfool 0", "\nfool 0", "the game is not over", 14, 1),
        ('[Seat0 "Anna"]', '[Seat0 "Anna"]\n[Result "draw"]', "the tag Result says 'draw'", 5, 10),
        ('"perevodnoy:', '"perevodnoy:stall_limit=' + "9" * 5000 + ",", "do not make a deal", 8, 1),
    ],
)
def test_a_broken_game_is_refused_with_the_place(old, new, message, line, character) -> None:
    """Every error says what was expected, and where."""
    assert old in GAME
    error = broken(GAME.replace(old, new, 1))
    assert message in str(error)
    assert f"(line {line}, character {character})" in str(error)
    assert error.line == line


def test_an_illegal_move_names_ply_paragraph_and_legal_actions() -> None:
    """A record's error is as good as the game's."""
    error = broken(GAME.replace("0:Tsx9s", "0:Acx9s"))
    assert error.ply == 4
    for part in ("Acx9s is not allowed here", "rules 1.4", "legal: Tsx9s, take"):
        assert part in str(error)
    assert error.partial is not None
    assert len(error.partial.moves) == 3


def test_a_cut_text_gives_the_readable_beginning() -> None:
    """Wherever a file breaks off, the game up to the last whole move is there."""
    whole = read_game(GAME)
    text = GAME.rstrip()
    start = GAME.index("{Hearts")
    counts = []
    for cut in range(1, len(text)):
        error = broken(text[:cut])
        if cut < start - 1:
            assert error.partial is None or error.partial.moves == ()
        else:
            assert error.partial is not None
            moves = error.partial.moves
            counts.append(len(moves))
            assert [m.action for m in moves] == [m.action for m in whole.moves[: len(moves)]]
            assert read_game(write_game(error.partial)) == error.partial
    assert counts == sorted(counts)
    assert set(counts) == set(range(26))


def test_a_broken_game_does_not_lose_the_games_before_it() -> None:
    """The error carries what was read before."""
    good = random_record(Rules(), 4)
    error = broken(write_game(good) + "\n" + GAME[:-20])
    assert error.earlier == (good,)
    assert error.partial is not None
    assert len(error.partial.moves) == 23


def test_a_game_without_its_end_is_not_taken_for_the_next_one() -> None:
    """A lost last line is noticed at the next game's first tag."""
    error = broken(GAME.replace("fool 0\n", "") + "\n" + GAME)
    assert "expected the result, fool 0; found '[Rules'" in str(error)


def test_an_illegal_record_cannot_be_written() -> None:
    """Writing plays the game as well."""
    record = read_game(GAME)
    wrong = replace(record, moves=(*record.moves[:3], Move(0, parse_action("take")), *record.moves[3:]))
    with pytest.raises(RecordError, match=re.escape("ply 5")):
        write_game(wrong)


def test_all_errors_are_value_errors() -> None:
    """Callers may catch what they like."""
    assert issubclass(BrokenGameError, RecordError)
    assert issubclass(BrokenGameError, NotationError)
    assert issubclass(BrokenGameError, DurakError)
    assert issubclass(BrokenGameError, ValueError)
