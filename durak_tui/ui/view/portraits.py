"""Portraits of the opponents and of court cards, as characters and the colour of each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from durak_core import Rank, Suit

Mood: TypeAlias = Literal["calm", "pleased", "worried"]


@dataclass(frozen=True, slots=True)
class PortraitArt:
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
    def uncoloured(self) -> PortraitArt:
        return replace(self, codes=tuple("c" * len(row) for row in self.rows))


@dataclass(frozen=True, slots=True)
class _Drawing:
    """A face's top and sides, and its eyes and mouth by mood."""

    top: str
    sides: tuple[str, str]
    moods: Mapping[Mood, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Face:
    """An opponent's face, and its ASCII twin."""

    hair: str
    drawn: _Drawing
    plain: _Drawing
    codes: tuple[str, str] = ("efffe", "sfffs")


def _drawing(top: str, sides: tuple[str, str], *moods: tuple[str, str]) -> _Drawing:
    calm, pleased, worried = moods
    return _Drawing(top, sides, {"calm": calm, "pleased": pleased, "worried": worried})


_FACES: Final = {
    "misha": _Face(
        "#d9a441",
        _drawing("▗▟▙▟▖", ("▌▐", "▝▘"), ("° °", " ─ "), ("^ ^", " ‿ "), ("o o", " o ")),
        _drawing(",^v^,", ("||", "\\/"), ("o o", " - "), ("^ ^", " u "), ("O O", " o ")),
    ),
    "tanya": _Face(
        "#b5482a",
        _drawing("▟███▙", ("██", "██"), ("◕ ◕", " ‿ "), ("^ ^", " ◡ "), ("> <", " ~ ")),
        _drawing("/~~~\\", ("()", "()"), ("' '", " u "), ("^ ^", " U "), ("> <", " ~ ")),
        codes=("hfffh", "hfffh"),
    ),
    "boris": _Face(
        "#6b4429",
        _drawing("▗▄▄▄▖", ("▌▐", "▙▟"), ("• •", "▄─▄"), ("^ ^", "▄‿▄"), ("• •", "▄~▄")),
        _drawing(".---.", ("||", "%%"), (". .", "%-%"), ("^ ^", "%u%"), ("o o", "%~%")),
        codes=("efffe", "eefee"),
    ),
    "olga": _Face(
        "#e3c15a",
        _drawing("▗▟█▙▖", ("▌▐", "▝▘"), ("◔-◔", " ─ "), ("◔-◔", " ‿ "), ("°-°", " ~ ")),
        _drawing("_(_)_", ("||", "\\/"), ("9-9", " - "), ("9-9", " u "), ("o-o", " ~ ")),
    ),
    "viktor": _Face(
        "#a3a8ad",
        _drawing("▗▄▄▄▖", ("▌▐", "▝▘"), ("¬ ¬", "╭─╮"), ("¬ ¬", "╰‿╯"), ("° °", "╭~╮")),
        _drawing(".===.", ("||", "\\/"), ("- -", "/-\\"), ("- -", "\\_/"), ("o o", "/~\\")),
    ),
    "nina": _Face(
        "#b3243b",
        _drawing("▗▟█▙▖", ("██", "▜▛"), ("◉ ◉", " ─ "), ("^ ^", " ‿ "), ("° °", " o ")),
        _drawing("/###\\", ("##", "\\/"), ("@ @", " - "), ("^ ^", " u "), ("o o", " o ")),
        codes=("hfffh", "efffe"),
    ),
}

WIDTH: Final = 5
HEIGHT: Final = 3


def face_portrait(key: str, mood: Mood = "calm", *, ascii_only: bool = False) -> PortraitArt | None:
    """Return an opponent's face of 5 by 3 cells; None for other players."""
    if key not in _FACES:
        return None
    face, drawing = _FACES[key], _drawing_of(key, ascii_only=ascii_only)
    rows = [side[0] + part + side[1] for side, part in zip(drawing.sides, drawing.moods[mood], strict=True)]
    return PortraitArt((drawing.top, *rows), ("hhhhh", *face.codes), face.hair)


def small_face(key: str, mood: Mood = "calm", *, ascii_only: bool = False) -> str:
    """Return a face in one row of 5 cells; empty for other players."""
    if key not in _FACES:
        return ""
    eyes, mouth = _drawing_of(key, ascii_only=ascii_only).moods[mood]
    return f"({eyes[0]}{mouth[1]}{eyes[-1]})"


def _drawing_of(key: str, *, ascii_only: bool) -> _Drawing:
    face = _FACES[key]
    return face.plain if ascii_only else face.drawn


# Pictures of pixels

_BLOCKS: Final = {(" ", " "): " ", ("#", " "): "▀", (" ", "#"): "▄", ("#", "#"): "█"}


def pixel_rows(pixels: Sequence[str], *, ascii_only: bool = False) -> list[str]:
    """Draw rows of pixels, ``#`` or space, as half as many rows of cells."""
    if ascii_only:
        return list(pixels[::2])
    pairs = zip(pixels[::2], pixels[1::2], strict=True)
    return ["".join(_BLOCKS[pair] for pair in zip(*rows, strict=True)) for rows in pairs]


_SUITS: Final[Mapping[int, Mapping[Suit, tuple[str, ...]]]] = {
    7: {
        Suit.SPADES: ("   #   ", "  ###  ", " ##### ", "#######", "#######", "## # ##", "   #   ", "  ###  "),
        Suit.HEARTS: (" ## ## ", "#######", "#######", "#######", " ##### ", "  ###  ", "   #   ", "       "),
        Suit.DIAMONDS: (
            "   #   ",
            "  ###  ",
            " ##### ",
            "#######",
            " ##### ",
            "  ###  ",
            "   #   ",
            "       ",
        ),
        Suit.CLUBS: ("  ###  ", " ##### ", "  ###  ", "### ###", "#######", "### ###", "   #   ", "  ###  "),
    },
    9: {
        Suit.SPADES: (
            *("    #    ", "   ###   ", "  #####  ", " ####### ", "#########"),
            *("#########", "#########", " ## # ## ", "    #    ", "   ###   "),
        ),
        Suit.HEARTS: (
            *("         ", " ##   ## ", "#### ####", "#########", "#########"),
            *(" ####### ", "  #####  ", "   ###   ", "    #    ", "         "),
        ),
        Suit.DIAMONDS: (
            *("    #    ", "   ###   ", "  #####  ", " ####### ", "#########"),
            *(" ####### ", "  #####  ", "   ###   ", "    #    ", "         "),
        ),
        Suit.CLUBS: (
            *("   ###   ", "  #####  ", "  #####  ", "   ###   ", " ## # ## "),
            *("#########", "#########", " ## # ## ", "    #    ", "   ###   "),
        ),
    },
}
"""The pixels of the suit signs, by their width."""


def drawn_suit(suit: Suit, width: int, *, ascii_only: bool = False) -> list[str]:
    """Return a suit sign of 7 by 4 or 9 by 5 cells."""
    return pixel_rows(_SUITS[width][suit], ascii_only=ascii_only)


# Court cards

_WHOLE: Final = {
    Rank.KING: (
        PortraitArt(
            ("▙  ▟█▙  ▟", "█▙▟███▙▟█", "▛▔▔   ▔▔▜", "▌ •   • ▐", "▙▄▄▟─▙▄▄▟", "▝▜█████▛▘", "▟██▙◆▟██▙"),
            ("ggggggggg", "ggggggggg", "eeefffeee", "efffffffe", "eeeefeeee", "hhhhhhhhh", "ccccgcccc"),
            "#5a3a1e",
        ),
        ("W   W   W", "WWWWWWWWW", "|       |", "| o   o |", "#   ^   #", "##\\___/##", "/###o###\\"),
    ),
    Rank.QUEEN: (
        PortraitArt(
            ("  ▗ ◆ ▖  ", " ▐█▙█▟█▌ ", "█▛▔   ▔▜█", "█ ◕   ◕ █", "█   ‿   █", "█▙▄   ▄▟█", "█▟█▙◆▟█▙█"),
            ("ggggggggg", "ggggggggg", "heefffeeh", "hfffffffh", "hfffffffh", "hccfffcch", "hcccgccch"),
            "#c9852f",
        ),
        ("  . o .  ", " (WWWWW) ", "(       )", "( ^   ^ )", "(   u   )", "(\\     /)", "(/##o##\\)"),
    ),
    Rank.JACK: (
        PortraitArt(
            ("   ▗▄▄▟▛ ", " ▟█████▙ ", "▐▀▀▀▀▀▀▀▌", "▐ •   • ▌", "▐   ‿   ▌", " ▝▀███▀▘ ", "▗▟██◆██▙▖"),
            ("ccccccggg", "ccccccccc", "seeeeeees", "sfffffffs", "sfffffffs", "sssssssss", "ccccgcccc"),
            "#8a5a2b",
        ),
        ("   .--// ", " /=====\\ ", "|       |", "| .   . |", "|   -   |", " \\_____/ ", " /##o##\\ "),
    ),
    Rank.JOKER: (
        PortraitArt(
            ("◆ ▗▟█▙▖ ◆", "▜▙█████▟▛", "▐▀▀▀▀▀▀▀▌", "▐ ◕   ◕ ▌", "▐ ╰───╯ ▌", " ▝▀███▀▘ ", "▗▟◆▟█▙◆▙▖"),
            ("gcccccccg", "ccccccccc", "seeeeeees", "sfffffffs", "sfffffffs", "sssssssss", "ccgcccgcc"),
            "#2d2622",
        ),
        ("o  /^\\  o", "\\\\=====//", "|       |", "| ^   ^ |", "|  \\_/  |", " \\_____/ ", " /o###o\\ "),
    ),
}
_COURT: Final = {
    Rank.KING: (
        PortraitArt(
            ("▙▟█▙▟", "▌• •▐", "▙▄─▄▟", "▟█◆█▙", "█████"),
            ("ggggg", "efffe", "eefee", "ccgcc", "ccccc"),
            "#5a3a1e",
        ),
        ("WWWWW", "|o o|", "#\\_/#", "/###\\", "#####"),
    ),
    Rank.QUEEN: (
        PortraitArt(
            ("▗▖◆▗▖", "█◕ ◕█", "█ ‿ █", "█▟█▙█", "▟███▙"),
            ("ggggg", "hfffh", "hfffh", "hccch", "ccccc"),
            "#c9852f",
        ),
        (". o .", "(^ ^)", "( u )", "( # )", "/###\\"),
    ),
    Rank.JACK: (
        PortraitArt(
            ("▗▄▄▟▘", "▐• •▌", "▝ ‿ ▘", "▗▟█▙▖", "▐███▌"),
            ("ccccg", "sfffs", "sfffs", "ccccc", "ccccc"),
            "#2d2622",
        ),
        (".--./", "|. .|", " \\-/ ", " /#\\ ", " ### "),
    ),
    Rank.JOKER: (
        PortraitArt(
            ("◆▟█▙◆", "▐◕ ◕▌", "▝ ‿ ▘", "◆▟█▙◆", "▐███▌"),
            ("gcccg", "sfffs", "sfffs", "gcccg", "ccccc"),
            "#2d2622",
        ),
        ("o/^\\o", "|^ ^|", " \\u/ ", "o/#\\o", " ### "),
    ),
}
_HATS: Final = {
    Rank.KING: ("▙█▟", "WWW", "ggg"),
    Rank.QUEEN: ("▖◆▗", ".o.", "ggg"),
    Rank.JACK: ("▟█▞", "/=/", "ccg"),
    Rank.JOKER: ("◆█◆", "o^o", "gcg"),
}
_BUSTS: Final = {
    Rank.KING: ("•_•", "o_o"),
    Rank.QUEEN: ("◕‿◕", "^u^"),
    Rank.JACK: ("•‿•", ".-."),
    Rank.JOKER: ("◕‿◕", "^u^"),
}
COURT: Final = tuple(_COURT)


def whole_portrait(rank: Rank, *, ascii_only: bool = False) -> PortraitArt:
    """Return a portrait of 9 by 7 cells of a jack, queen, king or joker."""
    portrait, plain = _WHOLE[rank]
    return PortraitArt(plain, portrait.codes, portrait.hair) if ascii_only else portrait


def court_portrait(rank: Rank, *, ascii_only: bool = False) -> PortraitArt:
    """Return a portrait of 5 by 5 cells of a jack, queen, king or joker."""
    portrait, plain = _COURT[rank]
    return PortraitArt(plain, portrait.codes, portrait.hair) if ascii_only else portrait


def court_bust(rank: Rank, *, ascii_only: bool = False) -> PortraitArt:
    """Return a portrait of 3 by 3 cells of a jack, queen, king or joker."""
    hat, plain_hat, code = _HATS[rank]
    face, robe = _BUSTS[rank][ascii_only], "/#\\" if ascii_only else "▟█▙"
    return PortraitArt((plain_hat if ascii_only else hat, face, robe), (code, "fff", "ccc"))
