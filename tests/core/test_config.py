"""Files that people write: what a dataclass takes, and where errors say that something is wrong."""

from __future__ import annotations

import contextlib
import os
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import pytest

from durak_core.config import ConfigError, ConfigFile, OneOf, Range, Tagged, Texts, lines_of, read
from durak_core.errors import FileError

LAYOUT = '''
title = """
table = "not a key"
[nor.a.heading]
"""
"quoted key" = 1  # title = 2
inline = { inner = 1 }
many = [
    "a = b",
]

[first]
dotted.name = 1

[[table]]
name = "a"

[[table.row]]
x = 1

[[table.row]]
x = 2

[table.grid]
y = 3

[[table]]
name = "b"
'''


@dataclass(frozen=True)
class Circle:
    kind: str
    radius: Annotated[float, Range(0, 10)]


@dataclass(frozen=True)
class Square:
    kind: str
    side: int | None = None


@dataclass(frozen=True)
class Drawing:
    colour: Annotated[str, OneOf(("red", "blue"))]
    names: Texts = ()
    weights: Mapping[str, int] = field(default_factory=dict)
    label: str | Mapping[str, str] = ""
    shapes: tuple[Annotated[object, Tagged("kind", {"circle": Circle, "square": Square})], ...] = ()


def test_lines_are_those_of_the_keys() -> None:
    """Whatever stands in texts of several lines; of two tables of a name each has its own."""
    lines = lines_of(LAYOUT)
    rows = LAYOUT.splitlines()
    assert {key: rows[number - 1] for key, number in lines.items()} == {
        "title": 'title = """',
        "quoted key": '"quoted key" = 1  # title = 2',
        "inline": "inline = { inner = 1 }",
        "many": "many = [",
        "first": "[first]",
        "first.dotted": "dotted.name = 1",
        "first.dotted.name": "dotted.name = 1",
        "table[0]": "[[table]]",
        "table[0].name": 'name = "a"',
        "table[0].row[0]": "[[table.row]]",
        "table[0].row[0].x": "x = 1",
        "table[0].row[1]": "[[table.row]]",
        "table[0].row[1].x": "x = 2",
        "table[0].grid": "[table.grid]",
        "table[0].grid.y": "y = 3",
        "table[1]": "[[table]]",
        "table[1].name": 'name = "b"',
    }


def test_a_table_is_read_as_its_dataclass() -> None:
    """Tables in tables by their word, whole numbers where numbers are wanted, one or the other kind."""
    told = {
        "colour": "red",
        "names": [" a ", "b"],
        "weights": {"a": 1},
        "label": {"en": "x"},
        "shapes": [{"kind": "circle", "radius": 2}, {"kind": "square", "side": 3}, {"kind": "square"}],
    }
    shapes = (Circle("circle", 2.0), Square("square", 3), Square("square"))
    assert read(Drawing, told) == Drawing("red", ("a", "b"), {"a": 1}, {"en": "x"}, shapes)


def read_drawing(path: Path) -> Drawing:
    file = ConfigFile(path)
    with file.located():
        return read(Drawing, file.values)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f.toml: colour: missing"),
        ('colour = "green"', 'f.toml, line 1: colour="green": expected one of red, blue'),
        ('colour = "red"\ncolor = 1', "f.toml, line 2: color: there is no such key; did you mean colour?"),
        ('colour = "red"\nnames = ["a", " "]', 'line 2: names[1]=" ": expected a text'),
        ('colour = "red"\nnames = ["a", "a"]', 'line 2: names[1]: "a" appears twice'),
        ('colour = "red"\n[weights]\nb = true', "line 3: weights.b=true: expected a whole number"),
        ('colour = "red"\nlabel = 1', "line 2: label=1: expected a text or a table"),
        (
            'colour = "red"\nshapes = [{ kind = "dot" }]',
            'line 2: shapes[0].kind="dot": expected one of',
        ),
        ('colour = "red"\n[[shapes]]\nkind = "circle"', "line 2: shapes[0].radius: missing"),
        (
            'colour = "red"\n[[shapes]]\nkind = "circle"\nradius = 11',
            "line 4: shapes[0].radius=11: expected a number from 0 to 10",
        ),
        ("colour", "f.toml: this is not TOML: "),
    ],
)
def test_errors_name_file_line_and_key(tmp_path: Path, text: str, message: str) -> None:
    """And what would be right; a key without a line of its own has that of what it is part of."""
    path = tmp_path / "f.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_drawing(path)
    assert message in str(caught.value)


LARGE = 1_000_000

HOSTILE = {
    "a=" + "1" * 5000: ", line 1: a number cannot have more than 250 digits",
    "\na=0x" + "f" * LARGE: ", line 2: a number cannot have more than 250 digits",
    "a=" + "[" * LARGE: ", line 1: lists and tables cannot be nested more than 20 deep",
    "a={" + "b={" * 3000: ", line 1: lists and tables cannot be nested more than 20 deep",
    'a = ["""x"""", ' + "[" * 3000: ", line 1: lists and tables cannot be nested more than 20 deep",
    "a." * (LARGE // 2) + "a=1": ", line 1: a key cannot have more than 10 parts",
    "[" + "a ." * (LARGE // 3) + "a]": ", line 1: a key cannot have more than 10 parts",
    'a="""' + '\\"""' * (LARGE // 4): ": this is not TOML: Unterminated string",
    '"' * LARGE: ": this is not TOML",
    "a" + " " * LARGE: ": this is not TOML",
    "a=1\nb=\0": ": this is not TOML: ",
    "a=[" + "[1.5, '[[['],  # {{{{\n" * (LARGE // 23) + "[": ": this is not TOML",
}


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_what_no_parser_should_see_is_refused_at_once(tmp_path: Path, number: int) -> None:
    """Long numbers, deep values and keys of many parts are named by their line; nothing takes long."""
    text, message = list(HOSTILE.items())[number]
    path = tmp_path / "f.toml"
    path.write_text(text, encoding="utf-8")
    began = time.process_time()
    with pytest.raises(ConfigError) as caught:
        ConfigFile(path, "f.toml")
    lines_of(text)
    assert time.process_time() - began < 5
    assert f"f.toml{message}" in str(caught.value)


def test_no_texts_and_comments_hide_depth_from_the_bound(tmp_path: Path) -> None:
    """Whatever stands before nested lists: either they are part of it, or they are refused in words."""
    path = tmp_path / "f.toml"
    chance = random.Random(1)
    for _ in range(500):
        before = "".join(chance.choices("\"'\\\n[]{}a=.#, 01", k=chance.randrange(12)))
        path.write_text(f"{before}a={'[' * 2000}", encoding="utf-8")
        with contextlib.suppress(ConfigError):
            ConfigFile(path)


def test_only_regular_files_of_utf8_are_read(tmp_path: Path) -> None:
    """A mark at the beginning does not matter; the first wrong byte is named by its line."""
    path = tmp_path / "f.toml"
    path.write_text("\ufeffa = 1", encoding="utf-8")
    assert ConfigFile(path).values == {"a": 1}
    for data in (b"a = 1\nb = '\xff'", b"a = 1\nb = '\xed\xa0\x80'"):
        path.write_bytes(data)
        with pytest.raises(ConfigError, match=r"f\.toml, line 2: this is not UTF-8 text"):
            ConfigFile(path)
    path.write_text("#" * 1_048_577)
    os.mkfifo(tmp_path / "pipe")
    whys = {"f.toml": "larger than 1 MB", "pipe": "not a regular file", "": "a folder", "no": "no such file"}
    for name, why in whys.items():
        with pytest.raises(FileError, match=f"cannot be read: .*{why}"):
            ConfigFile(tmp_path / name)
