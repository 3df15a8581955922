"""Files that people write: what a dataclass takes, and where errors say that something is wrong."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import pytest

from durak_core.config import ConfigError, ConfigFile, OneOf, Range, Tagged, Texts, read
from durak_core.errors import FileError


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
        ('colour = "green"', 'f.toml: colour="green": expected one of red, blue'),
        ('colour = "red"\ncolor = 1', "f.toml: color: there is no such key; did you mean colour?"),
        ('colour = "red"\nnames = ["a", " "]', 'f.toml: names[1]=" ": expected a text'),
        ('colour = "red"\nnames = ["a", "a"]', 'f.toml: names[1]: "a" appears twice'),
        ('colour = "red"\n[weights]\nb = true', "f.toml: weights.b=true: expected a whole number"),
        ('colour = "red"\nlabel = 1', "f.toml: label=1: expected a text or a table"),
        (
            'colour = "red"\nshapes = [{ kind = "dot" }]',
            'f.toml: shapes[0].kind="dot": expected one of',
        ),
        ('colour = "red"\n[[shapes]]\nkind = "circle"', "f.toml: shapes[0].radius: missing"),
        (
            'colour = "red"\n[[shapes]]\nkind = "circle"\nradius = 11',
            "f.toml: shapes[0].radius=11: expected a number from 0 to 10",
        ),
        ("colour", "f.toml: this is not TOML: "),
    ],
)
def test_errors_name_the_file_the_path_of_the_key_and_what_would_be_right(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "f.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_drawing(path)
    assert message in str(caught.value)


HOSTILE = {
    "a=" + "1" * 5000: "a number cannot have more than 250 digits",
    "a=0x" + "f" * 300: "a number cannot have more than 250 digits",
    "a=" + "[" * 5000: "lists and tables cannot be nested more than 20 deep",
    "a=" + "[" * 21 + "]" * 21: "lists and tables cannot be nested more than 20 deep",
    "a." * 21 + "a=1": "lists and tables cannot be nested more than 20 deep",
    "a=1\n[" + 'a . "b\\"." . ' * 60 + "a]": "a key cannot have more than 100 parts",
    "a=1\nb=\0": "this is not TOML: ",
}


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:9])
def test_long_numbers_and_deep_values_are_refused_in_words(tmp_path: Path, text: str) -> None:
    path = tmp_path / "f.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        ConfigFile(path, "f.toml")
    assert str(caught.value).startswith(f"f.toml: {HOSTILE[text]}")


def test_only_regular_files_of_utf8_are_read(tmp_path: Path) -> None:
    """A mark at the beginning does not matter."""
    path = tmp_path / "f.toml"
    path.write_text("\ufeffa = 1", encoding="utf-8")
    assert ConfigFile(path).values == {"a": 1}
    for data in (b"a = 1\nb = '\xff'", b"a = 1\nb = '\xed\xa0\x80'"):
        path.write_bytes(data)
        with pytest.raises(ConfigError, match=r"f\.toml: this is not UTF-8 text"):
            ConfigFile(path)
    path.write_text("#" * 1_048_577)
    os.mkfifo(tmp_path / "pipe")
    whys = {"f.toml": "larger than 1 MB", "pipe": "not a regular file", "": "a folder", "no": "no such file"}
    for name, why in whys.items():
        with pytest.raises(FileError, match=f"cannot be read: .*{why}"):
            ConfigFile(tmp_path / name)
