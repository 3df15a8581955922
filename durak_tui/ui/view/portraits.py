"""Portraits of the opponents and of court cards, as characters and the colour of each cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from durak_core import Rank

Mood: TypeAlias = Literal["calm", "pleased", "worried"]


@dataclass(frozen=True, slots=True)
class Portrait:
    """Rows of characters, and a code for each cell's colours.

    The codes are ``h`` for hair, ``e`` for hair on skin, ``f`` for features on skin, ``s`` for skin, ``g``
    for gold and ``c`` for clothes.

    Attributes:
        hair: Colour of the hair.
    """

    rows: tuple[str, ...]
    codes: tuple[str, ...]
    hair: str = "#4a2f1b"

    @property
    def uncoloured(self) -> Portrait:
        return replace(self, codes=tuple("c" * len(row) for row in self.rows))


@dataclass(frozen=True, slots=True)
class _Face:
    """An opponent's face: the top, the sides, and eyes and mouth by mood, with an ASCII twin."""

    hair: str
    top: str
    sides: tuple[str, str]
    moods: Mapping[Mood, tuple[str, str]]
    plain_top: str
    plain_sides: tuple[str, str]
    plain_moods: Mapping[Mood, tuple[str, str]]
    codes: tuple[str, str] = ("efffe", "sfffs")


def _moods(*told: tuple[str, str]) -> Mapping[Mood, tuple[str, str]]:
    calm, pleased, worried = told
    return {"calm": calm, "pleased": pleased, "worried": worried}


_FACES: Final = {
    "misha": _Face(
        "#d9a441",
        "▗▟▙▟▖",
        ("▌▐", "▝▘"),
        _moods(("° °", " ─ "), ("^ ^", " ‿ "), ("o o", " o ")),
        ",^v^,",
        ("||", "\\/"),
        _moods(("o o", " - "), ("^ ^", " u "), ("O O", " o ")),
    ),
    "tanya": _Face(
        "#b5482a",
        "▟███▙",
        ("██", "██"),
        _moods(("◕ ◕", " ‿ "), ("^ ^", " ◡ "), ("> <", " ~ ")),
        "/~~~\\",
        ("()", "()"),
        _moods(("' '", " u "), ("^ ^", " U "), ("> <", " ~ ")),
        codes=("hfffh", "hfffh"),
    ),
    "boris": _Face(
        "#6b4429",
        "▗▄▄▄▖",
        ("▌▐", "▙▟"),
        _moods(("• •", "▄─▄"), ("^ ^", "▄‿▄"), ("• •", "▄~▄")),
        ".---.",
        ("||", "%%"),
        _moods((". .", "%-%"), ("^ ^", "%u%"), ("o o", "%~%")),
        codes=("efffe", "eefee"),
    ),
    "olga": _Face(
        "#e3c15a",
        "▗▟█▙▖",
        ("▌▐", "▝▘"),
        _moods(("◔-◔", " ─ "), ("◔-◔", " ‿ "), ("°-°", " ~ ")),
        "_(_)_",
        ("||", "\\/"),
        _moods(("9-9", " - "), ("9-9", " u "), ("o-o", " ~ ")),
    ),
    "viktor": _Face(
        "#a3a8ad",
        "▗▄▄▄▖",
        ("▌▐", "▝▘"),
        _moods(("¬ ¬", "╭─╮"), ("¬ ¬", "╰‿╯"), ("° °", "╭~╮")),
        ".===.",
        ("||", "\\/"),
        _moods(("- -", "/-\\"), ("- -", "\\_/"), ("o o", "/~\\")),
    ),
    "nina": _Face(
        "#b3243b",
        "▗▟█▙▖",
        ("██", "▜▛"),
        _moods(("◉ ◉", " ─ "), ("^ ^", " ‿ "), ("° °", " o ")),
        "/###\\",
        ("##", "\\/"),
        _moods(("@ @", " - "), ("^ ^", " u "), ("o o", " o ")),
        codes=("hfffh", "efffe"),
    ),
}

WIDTH: Final = 5
HEIGHT: Final = 3


def face_portrait(key: str, mood: Mood = "calm", *, ascii_only: bool = False) -> Portrait | None:
    """Return an opponent's face of 5 by 3 cells; None for other players."""
    face = _FACES.get(key)
    if face is None:
        return None
    top, sides = (face.plain_top, face.plain_sides) if ascii_only else (face.top, face.sides)
    middle = (face.plain_moods if ascii_only else face.moods)[mood]
    rows = [side[0] + part + side[1] for side, part in zip(sides, middle, strict=True)]
    return Portrait((top, *rows), ("hhhhh", *face.codes), face.hair)


def small_face(key: str, mood: Mood = "calm", *, ascii_only: bool = False) -> str:
    """Return a face in one row of 5 cells; empty for other players."""
    face = _FACES.get(key)
    if face is None:
        return ""
    middle = (face.plain_moods if ascii_only else face.moods)[mood]
    return f"({middle[0][0]}{middle[1][1]}{middle[0][-1]})"


# Court cards

_COURT: Final = {
    Rank.KING: (
        Portrait(
            ("▙▟█▙▟", "▌• •▐", "▙▄─▄▟", "▟█◆█▙", "█████"),
            ("ggggg", "efffe", "eefee", "ccgcc", "ccccc"),
            "#5a3a1e",
        ),
        ("WWWWW", "|o o|", "#\\_/#", "/###\\", "#####"),
    ),
    Rank.QUEEN: (
        Portrait(
            ("▗▖◆▗▖", "█◕ ◕█", "█ ‿ █", "█▟█▙█", "▟███▙"),
            ("ggggg", "hfffh", "hfffh", "hccch", "ccccc"),
            "#c9852f",
        ),
        (". o .", "(^ ^)", "( u )", "( # )", "/###\\"),
    ),
    Rank.JACK: (
        Portrait(
            ("▗▄▄▟▘", "▐• •▌", "▝ ‿ ▘", "▗▟█▙▖", "▐███▌"),
            ("ccccg", "sfffs", "sfffs", "ccccc", "ccccc"),
            "#2d2622",
        ),
        (".--./", "|. .|", " \\-/ ", " /#\\ ", " ### "),
    ),
}
_HATS: Final = {
    Rank.KING: ("▙█▟", "WWW", "g"),
    Rank.QUEEN: ("▖◆▗", ".o.", "g"),
    Rank.JACK: ("▄▟▘", "--/", "c"),
}
_BUSTS: Final = {Rank.KING: ("•_•", "o_o"), Rank.QUEEN: ("◕‿◕", "^u^"), Rank.JACK: ("•‿•", ".-.")}
COURT: Final = tuple(_COURT)


def court_portrait(rank: Rank, *, ascii_only: bool = False) -> Portrait:
    """Return a portrait of 5 by 5 cells of a jack, queen or king."""
    portrait, plain = _COURT[rank]
    return Portrait(plain, portrait.codes, portrait.hair) if ascii_only else portrait


def court_bust(rank: Rank, *, ascii_only: bool = False) -> Portrait:
    """Return a portrait of 3 by 3 cells of a jack, queen or king."""
    hat, plain_hat, code = _HATS[rank]
    face, robe = _BUSTS[rank][ascii_only], "/#\\" if ascii_only else "▟█▙"
    return Portrait((plain_hat if ascii_only else hat, face, robe), (code * 3, "fff", "ccc"))


def court_hat(rank: Rank, *, ascii_only: bool = False) -> Portrait:
    """Return the hat of a jack, queen or king, in one row of 3 cells."""
    hat, plain_hat, code = _HATS[rank]
    return Portrait((plain_hat if ascii_only else hat,), (code * 3,))
