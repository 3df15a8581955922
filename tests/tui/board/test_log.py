"""The move log: passes in a row are one line, and so are cards laid in a row."""

import random

import pytest
from playing import play

from durak_core import Rules, State, parse_action
from durak_tui.board.view import short_log
from durak_tui.play.session import Session
from durak_tui.play.setup import GameSetup
from durak_tui.text.phrases import Voice, log_lines
from tui.helpers import NAMES


def words(state, you=None):
    return [line.words for line in short_log(state.events, Voice(NAMES, you))]


def test_passes_are_one_line_and_say_who_or_that_all_did():
    state = State.setup(Rules(seats=4), ["6s8h", "9s6cTcJc", "7c6h", "7d8d"], trump="Ah")
    state = play(state, "6s 9sx6s pass 6h")
    assert words(state)[-2:] == ["Anna passes", "Clara throws in 6♥"]
    state = play(state, "take pass pass pass")
    log = words(state)
    assert "All pass" in log
    assert log[log.index("All pass") + 1].startswith("Boris takes")
    state = State.setup(Rules(seats=4), ["6s8h", "9s6cTc", "7c8c", "9d8d"], trump="Ah")
    state = play(state, "6s 9sx6s pass pass 9d")
    assert words(state)[-2:] == ["Pass: Anna, Clara", "Dima throws in 9♦"]


def test_a_volley_is_one_line():
    state = State.setup(Rules.preset("larsenbier"), ["6s6h8h9h", "9sTsJsQs"], trump="Ah")
    assert words(play(state, "6s 6h pass"))[-1] == "Anna attacks with 6♠ 6♥"
    assert words(play(state, "6s pass"), 0)[-1] == "You attack with 6♠"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("rules", ["podkidnoy:seats=6", "larsenbier:seats=3", "perevodnoy:seats=4"])
def test_every_action_is_told_by_one_line(rules):
    state, choose = State.deal(Rules.parse(rules), 4), random.Random(4)
    while not state.is_over:
        state = state.apply(choose.choice(state.legal_actions))
        log = short_log(state.events, Voice(NAMES))
        told = [ply for line in log if line.is_action for ply in line.plies]
        assert told == list(range(1, state.plies + 1))
    full = log_lines(state.events, Voice(NAMES))
    assert [line for line in log if not line.is_action] == [line for line in full if not line.is_action]


def watched(hands, *actions):
    """Return a game of bots with these hands after these actions."""
    state = State.setup(Rules(seats=len(hands)), hands, trump="Ah")
    session = Session(GameSetup(state.rules, ("greedy",) * len(hands), NAMES[: len(hands)], 1), [state])
    for action in actions:
        session.submit(parse_action(action), session.state.turn)
    return session


async def test_passes_without_a_choice_are_left_out_of_a_watched_game():
    actions = ["6s", "9sx6s", "pass", "6h", "take"]
    session = watched(["6s8h", "9s6cTcJc", "7c6h", "7d8d"], *actions)
    state = session.state
    assert words(state)[-3:] == ["Anna passes", "Clara throws in 6♥", "Boris says: I take"]
    assert list(session.forced_passes) == [3]
    told = [line.words for line in short_log(state.events, Voice(NAMES), session.forced_passes)]
    assert told == [line for line in words(state) if line != "Anna passes"]
    assert [session.is_moment(ply) for ply in range(6)] == [True, True, True, False, True, True]
    assert session.moment_from(2, 1) == 4
    assert session.moment_from(4, -1) == 2


async def test_a_forced_pass_that_ends_the_bout_is_a_moment():
    assert not watched(["6s8h", "9sJc"], "6s", "9sx6s").passes_unseen
    session = watched(["6s8h", "9sJc"], "6s", "9sx6s", "pass")
    assert list(session.forced_passes) == [3]
    assert session.is_moment(3)
