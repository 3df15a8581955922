"""A whole session in a real terminal, its folders on a disk of 256 kB that is full for a while."""

import os
import shutil

import pytest
from full_disk import empty, fill

from durak_core.game.notation.game_text import read_game
from durak_tui.play.saves import Saves
from tui.terminal import CARD, Terminal, is_my_turn, play_every_move, play_on, shown_hand

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
GAME = ("--seed", "3", "--bots", "greedy", "--pace", "instant")


@pytest.fixture
def terminal(small_disk):
    play_every_move()
    terminal = Terminal({**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"})
    yield terminal
    terminal.close()


def on_disk():
    (path,) = Saves().running.glob("*.durak")
    return read_game(path.read_text("utf-8"))


def is_saved(text):
    """Tell whether the game on disk waits for the person, with the hand that is shown.

    What is shown may be half painted: the notices hide how many cards the line above the hand counts.
    """
    end = on_disk().end
    shown = {card.replace("10", "T") for card in CARD.findall(shown_hand(text))}
    return end.turn == 0 and shown == {f"{card.rank.letter}{card.suit.symbol}" for card in end.hands[0]}


def play_until_unsaved(terminal, text):
    """Play on until a move is not saved; return what was shown before it and after it."""
    before = text
    while "not saved" not in text:
        before, text = text, play_on(terminal, text, moves=1)
        assert "The game is over" not in text
    return before, text


def test_a_game_on_a_disk_that_is_full_for_a_while_loses_nothing(terminal, small_disk):
    terminal.start(*GAME)
    text = play_on(terminal, terminal.wait(is_my_turn), moves=2)
    fill(small_disk)
    _, text = play_until_unsaved(terminal, text)
    before = len(on_disk().moves)
    text = play_on(terminal, text, moves=2)
    assert len(on_disk().moves) == before
    empty(small_disk)
    play_on(terminal, text, moves=1)
    text = terminal.wait(lambda text: "not saved" not in text)
    assert len(on_disk().moves) > before
    play_on(terminal, text, moves=2)
    text = terminal.wait(is_saved)
    terminal.press("C-q")
    terminal.see("exit code 0")
    terminal.stop()
    terminal.start("--continue", "--pace", "instant")
    assert shown_hand(terminal.wait(is_my_turn)) == shown_hand(text)


@pytest.mark.slow
def test_leaving_while_the_disk_is_full_asks_and_can_be_tried_again(terminal, small_disk):
    terminal.start(*GAME)
    text = terminal.wait(is_my_turn)
    fill(small_disk)
    _, text = play_until_unsaved(terminal, text)
    for key in ("C-q", "C-c", "Escape"):
        terminal.press(key)
        terminal.see("Not saved", "Leave without saving")
        terminal.press("Escape")
        terminal.wait(lambda text: "Not saved" not in text)
    terminal.press("C-c")
    terminal.see("Not saved")
    terminal.press("Enter")
    terminal.see("Still not saved")
    empty(small_disk)
    terminal.press("Enter")
    terminal.see("exit code 130")
    terminal.stop()
    terminal.start("--continue", "--pace", "instant")
    assert shown_hand(terminal.wait(is_my_turn)) == shown_hand(text)


@pytest.mark.slow
def test_who_leaves_without_saving_goes_on_from_what_was_saved(terminal, small_disk):
    terminal.start(*GAME)
    text = terminal.wait(is_my_turn)
    fill(small_disk)
    saved, _ = play_until_unsaved(terminal, text)
    terminal.press("C-q")
    terminal.see("Not saved")
    terminal.press("Right", "Enter")
    terminal.see("exit code 0")
    terminal.stop()
    empty(small_disk)
    terminal.start("--continue", "--pace", "instant")
    assert shown_hand(terminal.wait(is_my_turn)) == shown_hand(saved)
