"""Films: how frames become an animated SVG or an asciicast, and a recorded game becomes frames."""

from __future__ import annotations

import io
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner
from playing import random_record
from rich.console import Console
from rich.text import Text

from durak_core import Rules, write_game_code
from durak_core.cli import cli
from durak_core.cli.commands.play import app_module
from durak_core.cli.root import Failure
from durak_tui import film
from durak_tui.film import Cast

GAME = random_record(Rules(lowest_rank=11, hand_size=3), 5)
CODE = write_game_code(GAME)


def screenshot(*lines: str) -> str:
    console = Console(width=10, height=3, file=io.StringIO(), record=True, force_terminal=True)
    for line in lines:
        console.print(Text(line.ljust(10), "bold #ff0000 on #004400"))
    return console.export_svg(title="x")


def a_film():
    made = film.Film()
    made.take(screenshot("one", "<same>", "end"), 1)
    made.take(screenshot("one", "<same>", "end"), 1)
    made.take(screenshot("two", "<same>", "end"), 2)
    made.poster = 1
    return made


def test_a_frame_that_changes_nothing_prolongs_the_last_one() -> None:
    assert [frame.seconds for frame in a_film().frames] == [2, 2]


def test_each_line_is_written_once() -> None:
    made = a_film()
    svg = made.svg((10, 3), "A film")
    assert svg.count("&lt;same&gt;") == 1
    frames = [frame.rows for frame in made.frames]
    assert frames[0][0] != frames[1][0]
    assert frames[0][1:] == frames[1][1:]


def test_frames_take_turns() -> None:
    css = a_film()._css()
    assert "@keyframes k0{0.000%{visibility:visible}50.000%{visibility:hidden}}" in css
    assert "@keyframes k1{0.000%{visibility:hidden}50.000%{visibility:visible}}" in css
    assert "animation:4.00s step-end infinite" in css
    assert "#f1{visibility:visible}" in css


def test_a_cast_has_the_lines_that_change() -> None:
    made = Cast()
    made.take(["one", "same"], 1)
    made.take(["one", "same"], 1)
    made.take(["two", "same"], 2)
    header, *events = map(json.loads, made.text((10, 2), "A film").splitlines())
    assert header == {"version": 2, "width": 10, "height": 2, "title": "A film"}
    first, second, end = events
    assert first == [0.0, "o", "\x1b[?25l\x1b[2J\x1b[1;1Hone\x1b[2;1Hsame"]
    assert second == [2.0, "o", "\x1b[1;1Htwo"]
    assert end == [4.0, "o", ""]


def test_another_kind_of_picture_is_refused() -> None:
    with pytest.raises(ValueError, match="another way"):
        list(film.screen_of("<svg xmlns='http://www.w3.org/2000/svg'/>"))


def filmed(tmp_path: Path, name: str, *options: str) -> str:
    path = tmp_path / name
    result = CliRunner().invoke(cli, ["replay", CODE, "--film", str(path), *options])
    assert result.exit_code == 0, result.output
    assert f"film of {len(GAME.moves)} moves" in result.output
    return path.read_text("utf-8")


def test_a_recorded_game_is_filmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The film has the hand of the seat, the last words, and nothing of the player's own folders."""
    monkeypatch.setenv("DURAK_DATA_DIR", str(tmp_path / "data"))
    svg = filmed(tmp_path, "game.svg", "--seat", "1")
    root = ET.fromstring(svg)  # noqa: S314 - ours
    assert "A game of Durak" in (root[0].text or "")
    words = " ".join(text.text or "" for text in root.iter(f"{film.SVG}text"))
    for word in ("Podkidnoy", "trumps"):
        assert word in words
    assert svg.count('class="f"') > len(GAME.moves) // 2
    assert not (tmp_path / "data").exists()


def test_a_recorded_game_becomes_a_cast(tmp_path: Path) -> None:
    header, *events = map(json.loads, filmed(tmp_path, "game.cast", "--size", "60x20").splitlines())
    assert (header["width"], header["height"]) == (60, 20)
    assert len(events) > len(GAME.moves) // 2
    times = [at for at, _kind, _text in events]
    assert times == sorted(times)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--size", "10x30"), "expected columns and rows from 40x20 to 200x60"),
        (("--size", "80"), "expected columns and rows"),
        (("--seat", "2"), "there is no seat 2"),
    ],
)
def test_a_film_that_cannot_be_is_refused(tmp_path: Path, options: tuple[str, ...], told: str) -> None:
    result = CliRunner().invoke(cli, ["replay", CODE, "--film", str(tmp_path / "a.svg"), *options])
    assert result.exit_code == 2
    assert told in " ".join(result.stderr.split())


def test_without_the_app_a_sentence_says_so() -> None:
    with pytest.raises(Failure, match="durak replay --film needs the app durak-tui"):
        app_module("film.nothing", "durak replay --film")
