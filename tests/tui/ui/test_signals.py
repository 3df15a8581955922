"""Signals outside the window: sounds, the title, and notices of the player's turn."""

import io
import os
import shutil
import stat
import wave
from itertools import pairwise

import pytest
from waiting import until, wait_until

from durak_tui.app import DurakApp
from durak_tui.play.session import Session
from durak_tui.ui.model import SOUNDS, SoundPlayer, player_command, wav
from durak_tui.ui.view.signals import notification, page_sound, sounds_between, title
from tui.helpers import a_setup, an_app, my_turn, send

PLAYING = """#!/bin/sh
cp "$2" "$0.played"
echo "$1 $2" >> "$0.log"
"""


def snapshots(seed=1):
    """Return a snapshot of a game between bots after each action."""
    session = Session(a_setup(seed=seed))
    moments = [session.moment]
    while not session.is_over:
        session.submit(session.state.legal_actions[0], session.state.turn)
        moments.append(session.moment)
    return moments


async def test_a_move_sounds_by_what_happens_to_the_cards():
    moments = snapshots()
    steps = list(pairwise(moments))
    heard = [sounds_between(before, after, is_turn=False) for before, after in steps]
    assert {sound for sounds in heard for sound in sounds} == {"card", "beaten", "taken", "won"}
    assert heard[0] == ("card",)
    assert heard[-1] == ("won",)
    assert sounds_between(*steps[0], is_turn=True) == ("card", "turn")
    assert sounds_between(None, moments[1], is_turn=True) == ()
    assert sounds_between(moments[2], moments[1], is_turn=True) == ()


@pytest.mark.parametrize("sound", SOUNDS)
def test_sounds_are_short_files(sound):
    with wave.open(io.BytesIO(wav(sound))) as file:
        assert (file.getnchannels(), file.getsampwidth()) == (1, 2)
        assert file.getnframes() < file.getframerate()
        assert any(file.readframes(file.getnframes()))
    assert page_sound(sound).startswith("\x1b]777;durak;")


def test_sounds_are_played_by_a_program_of_the_system(tmp_path, monkeypatch):
    player = tmp_path / "aplay"
    player.write_text(PLAYING, "utf-8")
    player.chmod(player.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setattr(shutil, "which", lambda name: str(player) if name == "aplay" else None)
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    sounds = SoundPlayer(lambda: None)
    sounds.play("card")
    log = tmp_path / "aplay.log"
    wait_until(lambda: log.exists() and log.read_text("utf-8").endswith("\n"))
    assert log.read_text("utf-8").startswith("-q ")
    assert (tmp_path / "aplay.played").read_bytes() == wav("card")
    sounds.close()


def test_without_such_a_program_or_over_ssh_the_bell_rings(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    rung = []
    sounds = SoundPlayer(lambda: rung.append(1))
    sounds.play("turn")
    wait_until(lambda: rung)
    sounds.close()
    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setenv("SSH_CONNECTION", "192.0.2.1 1 192.0.2.2 22")
    assert player_command() is None


@pytest.mark.parametrize(
    ("environ", "sequence"),
    [
        ({}, "\x1b]9;Now, you?\x07"),
        ({"TERM": "xterm-kitty"}, "\x1b]99;;Now, you?\x1b\\"),
        ({"VTE_VERSION": "7600"}, "\x1b]777;notify;Durak;Now, you?\x07"),
        ({"TMUX": "x"}, "\x1bPtmux;\x1b\x1b]9;Now, you?\x07\x1b\\"),
    ],
)
def test_notifications_are_in_the_terminals_dialect(environ, sequence):
    assert notification("Now; you\x1b", environ) == sequence
    assert title("a\x07b") == "\x1b]2;a?b\x07"


@pytest.mark.parametrize("alert", ["off", "bell", "notification"])
async def test_the_title_says_whose_turn_it_is_and_another_window_is_called(alert, monkeypatch):
    written = []
    monkeypatch.setattr(DurakApp, "_write", lambda _app, sequence: written.append(sequence))
    monkeypatch.setattr(DurakApp, "bell", lambda _app: written.append("bell"))
    app = an_app(alert=alert)
    async with app.run_test(size=(80, 24)):
        await my_turn(app)
        await until(lambda: title("Your turn - Durak") in written)
        assert "bell" not in written
        app.app_focus = False
        app._is_turn = False
        app.screen.draw()
        calls = {"bell": ["bell"], "notification": [notification("It is your turn.", os.environ)]}.get(
            alert, []
        )
        assert written[-1 - len(calls) :] == [title("Your turn - Durak"), *calls]
        send(app, "escape")
        await until(lambda: written[-1] == title("Durak"))
