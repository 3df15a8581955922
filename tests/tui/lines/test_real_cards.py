"""Games with real cards in lines: whole games, what can be said, what cannot have been, and their files."""

from __future__ import annotations

import asyncio
import errno
from random import Random

import pytest
from commands import bad, good
from core.game.test_real_games import dealt, drawn

from durak_core import Attacked, CardSet, Defend, Pass, RealGame, RecordError, Rules, Take, read_game
from durak_tui.library.model.service import LibraryService
from durak_tui.library.model.store import Library
from durak_tui.play.real import RealTable
from durak_tui.play.saves import Saves
from durak_tui.review.model import ReviewGame
from durak_tui.storage.paths import data_dir
from tui.failing_disk import FailingDisk
from tui.lines.talking import talk

NAMES = ("Me", "Boris", "Vera", "Gleb")


def resumed():
    """Return the unfinished game as its file has it; nothing is wrong with the file."""
    saves = Saves()
    (game,) = saves.unfinished()
    assert not saves.problems
    return game.real


def spoken(rules, seed, plies=1000):
    """Return a game at random as its first seat says it: how it begins, its moves in lines, and its end."""
    state, chance = dealt(rules, seed), Random(seed)
    names = NAMES[: state.rules.seats]
    trump = [str(state.trump_card)] if state.trump_card else []
    hand = "".join(map(str, state.hands[0] - state.known[0]))
    opening = [" ".join(names), *trump, names[state.first_attacker], hand]
    lines, line = [], ""
    while not state.is_over and state.plies < plies:
        action = chance.choice(state.legal_actions)
        said = str(action)
        if isinstance(action, Defend) and state.observation(state.turn).open_attacks[0] == action.target:
            said = str(action.card)
        line += {Pass: ".", Take: "!"}.get(type(action), f" {said} " if "x" in said else said)
        after = state.apply(action)
        cards = drawn(state, after, 0)
        if cards or state.bout != after.bout or after.is_over:
            lines += [line, *filter(None, ["".join(map(str, cards))])]
            line = ""
        state = after
    return opening, [*lines, *filter(None, [line])], state


@pytest.mark.parametrize(
    ("rules", "seed"),
    [("podkidnoy", 3), ("podkidnoy:seats=3,trumps=no,lowest_rank=9", 5), ("podkidnoy:seats=4", 6)],
)
def test_a_game_said_in_lines_is_the_one_that_was_seen(rules, seed):
    opening, moves, end = spoken(rules, seed)
    talk(*opening, *moves, at_once="real", rules=end.rules)
    (path,) = (data_dir() / "games").iterdir()
    record = read_game(path.read_text("utf-8"))
    assert RealGame.of(record).observation == end.observation(0)
    assert not list((data_dir() / "running").glob("*.durak"))
    plies = len(record.moves)
    keys = sum(len(line) + 1 for line in moves)
    assert keys / plies <= 3.5  # at random, with every drawn card; people throw in more and draw less


def test_the_game_is_in_the_library_and_its_review_shows_no_other_hand():
    opening, moves, end = spoken("podkidnoy", 3)
    talk(*opening, *moves, at_once="real", rules=end.rules)
    asyncio.run(collected())
    library = Library(data_dir())
    assert library.count() == 1
    last = library.last_played()
    assert last is not None
    game = ReviewGame(library.record(last.id))
    assert (game.viewer, game.known_seat) == (0, 0)
    for ply, move in enumerate(game.record.moves):
        game.go(ply)
        if move.seat != 0:  # nothing is shown of what the others may have held
            assert [line.action for line in game.candidates] == [move.action]
            assert game.key not in list(game.open_positions())
    assert {game.record.moves[ply - 1].seat for ply in game.review.open_plies} <= {0}


async def collected():
    service = LibraryService(data_dir(), data_dir() / "games", print)
    await service.collect()
    service.close()


OPENING = ("Me, Boris, Vera", "Kc", "Boris", "6s 9s Jd 8h 7c Ac")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["Vera 6h"], "turn of Boris"),
        (["6s"], "it is in your hand"),
        (["king of clubs"], "it lies under the talon"),
        (["6d", "Vera 6d"], "it lies on the table"),
        (["6d", "8d!"], "Vera"),
        (["six"], "the rank and the suit"),
        (["fly"], "I do not know “fly”"),
        (["6h6d"], "rules 1.4"),
    ],
)
def test_what_cannot_have_happened_is_refused_and_the_game_goes_on(lines, said):
    script = talk(*OPENING, *lines, "hand", at_once="real")
    assert any(said in line for line in script.after(lines[-1])), script.after(lines[-1])
    assert any("6 cards" in line for line in script.after("hand"))


def test_a_name_says_who_and_those_before_pass():
    talk(*OPENING, "6d", "8d", "Me 8h", at_once="real")
    table = resumed()
    assert [event.seat for event in table.observation.events if isinstance(event, Attacked)] == [1, 0]


def test_everybody_passes_in_two_words():
    script = talk(*OPENING, "6d!", "all pass", at_once="real")
    assert any("Bout 2" in line for line in script.after("all pass"))


def test_a_move_is_taken_back():
    script = talk(*OPENING, "6d", "undo", "6h", at_once="real")
    assert "Taken back." in script.said
    table = resumed()
    assert [str(move.action) for move in table.moves] == ["6h"]


@pytest.mark.parametrize("leaving", ["quit", None])
def test_the_game_goes_on_where_the_program_was_left(leaving):
    talk(*OPENING, "6d", *filter(None, [leaving]), at_once="real")
    script = talk("undo", "quit", at_once="real")
    assert script.said[0] == "Continued: real cards with Boris, Vera."


def test_every_report_is_in_the_file_before_the_next_question():
    opening, moves, end = spoken("podkidnoy:seats=3", 2, 9)
    for count in range(len(moves)):
        talk(*opening, *moves[:count], at_once="real", rules=end.rules)
        (path,) = (data_dir() / "running").glob("*.durak")
        before = path.read_bytes()
        table = resumed()
        assert len(table.moves) or not count
        path.unlink()
        assert before


def test_cards_without_names_are_not_shown_by_what_stands_for_them():
    talk(*OPENING[:3], "6s 9s Jd", at_once="real")
    (path,) = (data_dir() / "running").glob("*.durak")
    for command in ("log", "replay"):
        assert "name the cards that were drawn first: 3" in bad(command, path)
    with pytest.raises(RecordError, match="drawn first: 3"):
        ReviewGame(read_game(path.read_text("utf-8")))
    talk("8h 7c Ac", at_once="real")
    assert "6s 9s 8h Jd 7c Ac" in good("log", path)


def test_a_damaged_game_is_set_aside_and_told():
    talk(*OPENING, "6d", at_once="real")
    (path,) = (data_dir() / "running").glob("*.durak")
    path.write_bytes(path.read_bytes()[:40])
    script = talk(at_once="real")
    assert "damaged" in script.said[0]
    assert script.said[1].startswith("Who plays?")
    assert not path.exists()


def test_a_game_that_cannot_be_saved_goes_on(monkeypatch):
    told = []
    table = RealTable.begin(RealGame.begin("podkidnoy", 0, 0, "Kc"), NAMES[:2], Saves(tell=told.append))
    disk = FailingDisk(monkeypatch, errno.ENOSPC)
    table.name(list(CardSet.parse("6s7s8d9dThAc")))
    assert "Couldn't save" in told[-1]
    assert len(table.game.observation.hand) == 6
    disk.fails = False
    assert not table.save()
    table.keeper.release()
    assert resumed().observation == table.game.observation


@pytest.mark.parametrize(
    ("rules", "names", "said"),
    [("groningen", "Me Boris", "rules 5.8"), ("podkidnoy:seats=4,teams=2x2", "Me, Boris, Vera", "teams")],
)
def test_rules_that_cannot_be_kept_are_named(rules, names, said):
    script = talk(names, "Kc", "Me", at_once="real", rules=Rules.parse(rules), code=2)
    assert said in script.said[-1]
    assert not data_dir().joinpath("running").exists()


def test_a_trump_of_another_deck_is_asked_for_again():
    script = talk("Me Boris", "2c", at_once="real")
    assert script.after("2c") == [
        "2c is not in this deck.",
        "Which card shows the trumps? Type it, such as 6s.",
    ]


def test_after_a_refused_card_the_rest_of_the_line_is_not_played():
    talk(*OPENING, "6d8d", "Me Qs.", at_once="real")
    table = resumed()
    assert [str(move.action) for move in table.moves] == ["6d", "8dx6d"]


def test_other_options_of_a_game_are_refused():
    assert "only --rules and --seats" in bad("play", "--real", "--seed", "3")
