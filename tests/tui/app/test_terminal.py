"""The game in a real terminal: tmux plays it by keyboard, changes its size, kills it and goes on."""

import os
import re
import shutil
import signal

import pytest
from waiting import wait_until

from durak_tui.play.saves import Saves
from durak_tui.storage.paths import config_dir
from tui.terminal import Terminal, is_my_turn, is_running, play_every_move, play_on, shown_hand

pytestmark = pytest.mark.skipif(
    shutil.which("tmux") is None, reason="tmux is not installed: the game was not tried in a real terminal"
)


def an_environment():
    """Return the environment of a terminal that can show everything."""
    kept = {name: value for name, value in os.environ.items() if name not in {"LANG", "LANGUAGE"}}
    return {**kept, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}


@pytest.fixture
def terminal():
    play_every_move()
    terminal = Terminal(an_environment())
    yield terminal
    terminal.close()


def test_a_whole_game_in_a_real_terminal(terminal):
    short = "podkidnoy:lowest_rank=9"
    terminal.start("--seed", "3", "--rules", short, "--bots", "greedy", "--pace", "instant")
    text = terminal.wait(is_my_turn)
    assert "trumps" in text
    text = play_on(terminal, text, moves=6)
    for width, height in ((120, 36), (39, 19), (80, 24)):
        terminal.tmux("resize-window", "-x", str(width), "-y", str(height))
        if width < 40:
            terminal.see("40x20")
        else:
            # The log of moves stands beside the table from 100 columns on: there the new size is in force.
            text = terminal.wait(
                lambda text, wide=width > 99: is_my_turn(text) and ("Bout 1" in text) == wide
            )
    text = play_on(terminal, text)
    assert "deal 3" in text
    terminal.press("Escape")
    terminal.see("[ Next game")
    terminal.press("C-q")
    terminal.see("exit code 0")
    assert len(list(Saves().finished.iterdir())) == 1


def test_a_key_that_was_lost_is_pressed_again(terminal, monkeypatch):
    """A program that is late shows the last question still, while a bot acts and keys are for later."""
    keys = []
    question = "▶ You\n┌─1─┐ 6♠"
    monkeypatch.setattr(terminal, "press", keys.append)
    monkeypatch.setattr(terminal, "text", lambda: question if len(keys) < 2 else "The game is over")
    assert play_on(terminal, question) == "The game is over"
    assert keys == ["1", "1"]


def test_the_window_says_how_large_it_is_whatever_is_exported(terminal):
    terminal.start("--seed", "3", "--bots", "greedy", "--pace", "instant", unset="COLUMNS=100 LINES=30")
    text = terminal.wait(is_my_turn)
    assert "Bout 1" not in text, "the log of moves needs 100 columns"
    terminal.tmux("resize-window", "-x", "120", "-y", "36")
    terminal.see("Bout 1")
    terminal.tmux("resize-window", "-x", "59", "-y", "19")
    terminal.see("59x19")


@pytest.mark.sampled(1)
@pytest.mark.sampled(1)
@pytest.mark.parametrize("how", ["SIGKILL", "SIGHUP", "closed window"])
def test_a_game_goes_on_after_the_end_of_its_program(terminal, how):
    terminal.start("--seed", "3", "--bots", "greedy,smart", "--pace", "instant")
    text = play_on(terminal, terminal.wait(is_my_turn), moves=5)
    hand = shown_hand(text)  # without the numbers, for a bot may be about to act
    program = terminal.program()
    if how == "closed window":
        terminal.tmux("kill-session")
        terminal.stop()
        wait_until(lambda: not is_running(program))
    else:
        os.kill(program, getattr(signal, how))
        terminal.see("exit code")
        terminal.stop()
    wait_until(Saves().unfinished)  # its lock may outlive the terminal for a moment
    terminal.start("--pace", "instant")
    terminal.see("Continue")
    terminal.press("Enter")
    text = terminal.wait(is_my_turn)
    assert shown_hand(text) == hand
    play_on(terminal, text, moves=3)


ENDS = {"INT": 130, "QUIT": 131}
"""Exit codes by signal."""


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("key", 130),
        *[pytest.param(f"SIG{name}", code, marks=pytest.mark.slow) for name, code in ENDS.items()],
    ],
)
def test_an_order_to_end_restores_the_terminal_and_the_game_is_saved(terminal, how, code):
    terminal.start("--seed", "3", "--bots", "greedy", "--pace", "instant")
    terminal.wait(is_my_turn)
    if how == "key":
        terminal.press("C-c")
    else:
        os.kill(terminal.program(), getattr(signal, how))
    text = terminal.see(f"exit code {code}")
    assert "Traceback" not in text
    assert "trumps" not in text
    assert len(Saves().unfinished()) == 1


@pytest.mark.slow
def test_two_programs_play_two_games_side_by_side(terminal):
    other = Terminal(an_environment())
    try:
        for one, seed in ((terminal, "3"), (other, "4")):
            short = "podkidnoy:lowest_rank=J,hand_size=4"
            one.start("--seed", seed, "--rules", short, "--bots", "greedy", "--pace", "instant")
        for one in (terminal, other):
            text = play_on(one, one.wait(is_my_turn))
            assert "The game is over" in text
    finally:
        other.close()
    assert len(list(Saves().finished.iterdir())) == 2


COLOUR = re.compile(r"\x1b\[[\d;]*?[34]8;2;(\d+);(\d+);(\d+)")


def test_plain_ascii_without_colours(terminal):
    terminal.environment["NO_COLOR"] = "1"
    terminal.start("--seed", "3", "--bots", "greedy", "--pace", "instant", "--ascii")
    terminal.see("> You")
    assert terminal.text().isascii()
    colours = COLOUR.findall(terminal.tmux("capture-pane", "-p", "-e"))
    assert all(red == green == blue for red, green, blue in colours)


def test_a_terminal_without_unicode_gets_the_plain_deck_and_letters_that_it_has(terminal):
    (config_dir() / "settings.toml").write_text('language = "ru"\n')
    terminal.start("--seed", "3", "--bots", "greedy", "--pace", "instant", unset="LC_ALL=C")
    text = terminal.see("> You", "trumps")
    assert text.isascii()
    assert "6h" in text


@pytest.mark.parametrize(
    "term", ["vt100", *(pytest.param(it, marks=pytest.mark.slow) for it in ("linux", "screen"))]
)
def test_a_terminal_of_few_colours_can_be_played_in(terminal, term):
    terminal.start("--seed", "3", "--bots", "greedy", "--pace", "instant", term=term)
    text = play_on(terminal, terminal.wait(is_my_turn), moves=1)
    assert "trumps" in text
    assert not re.search(r"[34]8;[25];", terminal.tmux("capture-pane", "-p", "-e"))
    terminal.press("C-q")
    terminal.see("exit code 0")


def test_a_terminal_that_can_show_nothing_gets_one_sentence(terminal):
    terminal.start(term="dumb")
    text = terminal.see("exit code 2")
    assert "TERM=dumb: this terminal cannot show a screen" in text


@pytest.mark.slow
def test_a_session_against_a_strong_bot_with_advice_a_new_size_and_a_sudden_end(terminal):
    del terminal.environment["DURAK_ENGINE"]
    terminal.start("--seed", "3", "--bots", "ismcts:time=100", "--pace", "instant", width=120, height=36)
    text = play_on(terminal, terminal.wait(is_my_turn), moves=2)
    terminal.press("h")
    terminal.wait(lambda text: "Hint" in text and re.search(r"\d%", text), still=0)
    terminal.press("h")
    terminal.tmux("resize-window", "-x", "80", "-y", "24")
    text = play_on(terminal, terminal.wait(is_my_turn), moves=3)
    bout = re.search(r"bout (\d+)", text)[1]
    os.kill(terminal.program(), signal.SIGKILL)
    terminal.see("exit code")
    terminal.stop()
    (game,) = Saves().unfinished()
    assert game.used.hints == 1
    terminal.start("--continue", "--pace", "instant")
    text = terminal.wait(is_my_turn)
    assert f"bout {bout}" in text
    play_on(terminal, text, moves=2)
