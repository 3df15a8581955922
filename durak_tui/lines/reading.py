"""Reads what the player types: a line, a command and cards, in any of the app's languages.

>>> read_line("six of spades").cards
(Named(rank=<Rank.SIX: 6>, suit=<Suit.SPADES: 0>, is_trump=False),)
>>> read_line("Беру!").name
'take'
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from durak_core import Card, NotationError, Rank, Suit
from durak_core.errors import nearest, printable, shortened
from durak_tui.engine import in_thread
from durak_tui.keys.keymap import in_other_layouts
from durak_tui.text.i18n import decimal, gettext, in_every_language, ngettext, pgettext

LONGEST: Final = 500
"""Most characters of a line."""
COMMANDS: Final[Mapping[str, str]] = {
    "play": "play attack throw add lay",
    "beat": "beat cover defend",
    "take": "take",
    "pass": "pass done end",
    "transfer": "transfer >",
    "show": "show ^",
    "exchange": "exchange",
    "hand": "hand cards",
    "table": "table",
    "players": "players opponents",
    "trump": "trump trumps",
    "talon": "talon deck stock",
    "discard": "discard gone",
    "moves": "moves options",
    "again": "again repeat news",
    "log": "log history",
    "known": "known memory",
    "hint": "hint chances",
    "why": "why",
    "undo": "undo back",
    "redo": "redo forward",
    "score": "score rating",
    "rules": "rules rule",
    "help": "help commands ?",
    "save": "save",
    "new": "new",
    "next": "next",
    "swap": "swap",
    "games": "games",
    "continue": "continue",
    "daily": "daily",
    "review": "review mistakes",
    "share": "share code",
    "set": "set settings",
    "quit": "quit exit bye",
    "all": "all",
    "on": "on yes",
    "off": "off no",
}
"""The words for each command, and for answers. A translation may have any number; the first one is shown."""
_ANSWERS: Final = frozenset({"all", "on", "off"})
SETTINGS: Final[Mapping[str, str]] = {
    "name": "name",
    "language": "language",
    "said": "cards said",
    "sort": "sort order",
    "coach": "coach hints",
    "confirm": "confirm ask",
    "only_moves": "forced only_moves",
    "remarks": "talk remarks",
    "review_time": "time review_time",
    "figures": "figures percent",
}
"""The words for each setting that has an effect here, as in `COMMANDS`."""
VALUES: Final[Mapping[str, str]] = {
    "words": "words",
    "signs": "signs",
    "letters": "letters",
    "suit": "suit suits",
    "rank": "rank ranks",
    "drawn": "drawn",
    "auto": "automatic auto",
    "en": "English en",
    "de": "German de",
    "ru": "Russian ru",
    "uk": "Ukrainian uk",
}
"""The words for each value of a setting."""
RANKS: Final[Mapping[Rank, str]] = {
    Rank.TWO: "2 two twos deuce",
    Rank.THREE: "3 three threes",
    Rank.FOUR: "4 four fours",
    Rank.FIVE: "5 five fives",
    Rank.SIX: "6 six sixes",
    Rank.SEVEN: "7 seven sevens",
    Rank.EIGHT: "8 eight eights",
    Rank.NINE: "9 nine nines",
    Rank.TEN: "10 t ten tens",
    Rank.JACK: "j jack jacks",
    Rank.QUEEN: "q queen queens",
    Rank.KING: "k king kings",
    Rank.ACE: "a ace aces",
    Rank.JOKER: "joker jokers",
}
"""The words for each rank. A star stands for any ending, and short words can precede a suit's: ``6s``.
"""
SUITS: Final[Mapping[Suit | None, str]] = {
    Suit.SPADES: "s spade spades",
    Suit.HEARTS: "h heart hearts",
    Suit.DIAMONDS: "d diamond diamonds",
    Suit.CLUBS: "c club clubs",
    None: "trump trumps",
}
"""The words for each suit, and for the trumps."""
COLOURS: Final[Mapping[Suit, str]] = {Suit.SPADES: "black", Suit.HEARTS: "red"}
"""The words for each joker's colour, by its suit."""
FILLERS: Final = "of the on with and to by from card x"
"""Words that are allowed between cards."""

COMMAND, RANK, SUIT, FILLER = "typed commands", "typed ranks", "typed suits", "typed between cards"
SETTING, VALUE = "typed settings", "typed values"
"""The translation contexts of these words."""

_SYMBOLS: Final = {"♠": Suit.SPADES, "♥": Suit.HEARTS, "♦": Suit.DIAMONDS, "♣": Suit.CLUBS}
_WHITE: Final = str.maketrans("♤♡♢♧ё×х", "♠♥♦♣еxx", "'’ʼ")  # noqa: RUF001 - Cyrillic letters, apostrophes
_ACTIONS: Final = frozenset({"play", "beat", "transfer", "show"})
_LONGEST_SHORT: Final = 2
_JOKER: Final = "*"
_TOKEN: Final = re.compile(r"[>^?]|(?:[^\W_]|\*)*[♠♥♦♣]|(?:[^\W_]|\*)+")
_TIME: Final = re.compile(r"(\d+)(?:[.,](\d+))?(?!\d)")
"""A number of seconds, whatever follows it."""
_SOME: Final = 3
"""A number with the plural of fractions, in all languages of the app."""
_SHOWN: Final = 40


class UnknownWordError(Exception):
    """A line that is no command. The message is in the player's language."""


@dataclass(frozen=True, slots=True)
class Named:
    """A card as typed: without a suit, any of its rank; without a rank, any trump or card of the suit.

    ``is_trump`` stands for the trump suit, which the line does not name.
    """

    rank: Rank | None = None
    suit: Suit | None = None
    is_trump: bool = False

    @property
    def has_suit(self) -> bool:
        return self.is_trump or self.suit is not None

    def card(self, trump: Suit | None = None) -> Card | None:
        """Return the card, if it is whole and there is one."""
        suit = trump if self.is_trump else self.suit
        try:
            return None if self.rank is None or suit is None else Card(suit, self.rank)
        except NotationError:  # a joker of another suit
            return None

    def fits(self, card: Card, trump: Suit | None) -> bool:
        """Return whether a card may be meant."""
        if self.rank is Rank.JOKER and not self.is_trump:
            return card.is_joker and self.suit in {None, card.suit}
        is_of_suit = not self.has_suit or card.is_of(trump if self.is_trump else self.suit)
        return self.rank in {None, card.rank} and is_of_suit


@dataclass(frozen=True, slots=True)
class Order:
    """What the player wants.

    Attributes:
        name: One of `COMMANDS`.
        rest: What follows the command's word, as typed.
    """

    name: str
    cards: tuple[Named, ...] = ()
    rest: str = ""


def word(name: str) -> str:
    """Return a command's word in the active language."""
    return all_words(name)[0]


def words_of(name: str) -> tuple[str, ...]:
    """Return a command's words in all languages."""
    return _words_of(COMMAND, COMMANDS[name])


def all_words(name: str) -> list[str]:
    return pgettext(COMMAND, COMMANDS[name]).split()


def setting_word(name: str) -> str:
    """Return a setting's word in the active language."""
    return pgettext(SETTING, SETTINGS[name]).split()[0]


def setting_named(text: str) -> str:
    """Return the setting that a word of any language names; empty if there is none."""
    typed = _plain(text)
    return next((name for name, words in SETTINGS.items() if typed in _words_of(SETTING, words)), "")


def value_words(value: str) -> str:
    """Return a value of a setting in words of the active language: "signs", "0.2 seconds"."""
    if value in _ANSWERS:
        return word(value)
    if value in VALUES:
        return pgettext(VALUE, VALUES[value]).split()[0]
    seconds = _TIME.match(value)
    if seconds is None:
        return value
    number = seconds[0].replace(".", decimal(0.5, 1)[1])
    return ngettext("{number} second", "{number} seconds", 1 if number == "1" else _SOME, number=number)


def value_named(text: str, choices: Iterable[str]) -> str:
    """Return the value that words of any language name, one of the choices; empty if they name none."""
    typed, seconds = _plain(text), _TIME.match(text)
    if seconds is not None:
        typed = ".".join(filter(None, seconds.groups())) + " s"

    def spoken(value: str) -> tuple[str, ...]:
        if value in _ANSWERS:
            return words_of(value)
        return _words_of(VALUE, VALUES[value]) if value in VALUES else (value,)

    return next((value for value in choices if typed in spoken(value)), "")


def read_line(text: str) -> Order:
    """Return what a line wants; an empty one wants the question `again`.

    A line typed in the other keyboard layout is understood, too.

    Raises:
        UnknownWordError: If it is no command.
    """
    text = text.lstrip("\ufeff").strip()
    if len(text) > LONGEST:
        raise UnknownWordError(gettext("That line is too long."))
    if not text:
        return Order("again")
    found = _read(text)
    for other in in_other_layouts(text):
        found = found or _read(other)
    if found is None:
        raise UnknownWordError(_unknown_words(text))
    return found


def _read(text: str) -> Order | None:
    first, _, rest = text.partition(" ")
    if not rest and first[:1] in ">^":
        first, rest = first[:1], first[1:]
    command = _commands().get(_plain(first).strip(".,!;:"))
    if command in _ACTIONS:
        cards = named_cards(rest)
        return None if cards is None else Order(command, cards, rest.strip())
    cards = named_cards(text)
    if command is not None and not (command == "trump" and cards and cards[0].rank is not None):
        return Order(command, named_cards(rest) or (), rest.strip())
    return Order("play", cards, text) if cards else None


def _plain(text: str) -> str:
    return text.casefold().replace("\ufe0f", "").translate(_WHITE)


def named_cards(text: str) -> tuple[Named, ...] | None:
    """Return the cards that a text names, or None if it has other words."""
    found: list[Named] = []
    begun = Named()
    for token in _TOKEN.findall(_joined(_plain(text))):
        named = _compact(token) or _named(token)
        if named is None and token not in _words_of(FILLER, FILLERS):
            return None
        for one in named or ():
            is_other_half = len(named or ()) == 1 and _fit_together(begun, one)
            if not is_other_half and begun != Named():
                found.append(begun)
                begun = Named()
            begun = _together(begun, one)
            if begun.rank is not None and begun.has_suit:
                found.append(begun)
                begun = Named()
    return (*found, *([begun] if begun != Named() else []))


def _joined(text: str) -> str:
    """Write jokers named by their colour as cards without spaces: ``*s`` for the black one."""
    jokers = rf"(?:\*|{_stems(RANK, RANKS[Rank.JOKER])})"
    for suit, words in COLOURS.items():
        colour = _stems(SUIT, words)
        either = rf"\b{colour} {jokers}(?!\w)|{jokers} {colour}\b"
        text = re.sub(either, f" {_JOKER}{suit.symbol} ", text)
    return text


def _stems(context: str, text: str) -> str:
    words = [re.escape(one).replace(r"\*", r"\w*") for one in _words_of(context, text)]
    return f"(?:{'|'.join(words)})"


def _fit_together(one: Named, other: Named) -> bool:
    return (one.rank is None) != (other.rank is None) and one.has_suit != other.has_suit


def _together(one: Named, other: Named) -> Named:
    suit = other.suit if one.suit is None else one.suit
    return Named(one.rank or other.rank, suit, one.is_trump or other.is_trump)


def _named(token: str) -> list[Named] | None:
    """Return what a word names: a rank or a suit."""
    is_letter = token.isalpha() and len(token) == 1  # rather the abbreviation of a command
    rank = None if is_letter else _short_rank(token)
    if rank is not None:
        return [Named(rank)]
    suit = _suit(token)
    return None if suit is None else [Named(suit=suit[0], is_trump=suit[0] is None)]


def _compact(token: str) -> list[Named] | None:
    """Return the card of ``6s``, both of ``9cx6c``, or all of ``6s9cAh``."""
    if _compact_form()[1].fullmatch(token) is None:
        return None
    signs = _compact_form()[0].findall(token)
    return [Named(_short_rank(rank), _short_suit(suit)) for rank, suit in signs]


@cache
def _words_of(context: str, text: str) -> tuple[str, ...]:
    spoken = sorted(in_every_language(context, text))
    return tuple(dict.fromkeys(_plain(one) for words in (text, *spoken) for one in words.split()))


@cache
def _commands() -> Mapping[str, str]:
    return {one: name for name in COMMANDS if name not in _ANSWERS for one in words_of(name)}


@cache
def _compact_form() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a card and of cards without spaces; an ``x`` stands between two."""

    def short(context: str, texts: Iterable[str]) -> str:
        words = {one for text in texts for one in _words_of(context, text) if len(one) <= _LONGEST_SHORT}
        return "|".join(sorted(map(re.escape, words), key=len, reverse=True))

    ranks = "|".join((short(RANK, RANKS.values()), re.escape(_JOKER)))
    suits = "|".join((short(SUIT, SUITS.values()), *_SYMBOLS))
    card = rf"({ranks})({suits})"
    return re.compile(card), re.compile(rf"{card}(?:x?{card})*")


def _matches(token: str, words: tuple[str, ...]) -> bool:
    return any(token == one or (one.endswith("*") and token.startswith(one[:-1])) for one in words)


def _short_rank(token: str) -> Rank | None:
    if token == _JOKER:
        return Rank.JOKER
    return next((rank for rank, text in RANKS.items() if _matches(token, _words_of(RANK, text))), None)


def _short_suit(token: str) -> Suit | None:
    found = _suit(token)
    return None if found is None else found[0]


def _suit(token: str) -> tuple[Suit | None] | None:
    if token in _SYMBOLS:
        return (_SYMBOLS[token],)
    return next(((suit,) for suit, text in SUITS.items() if _matches(token, _words_of(SUIT, text))), None)


def _unknown_words(text: str) -> str:
    first, _, rest = text.partition(" ")
    if _commands().get(_plain(first)) in _ACTIONS:
        return gettext(
            "“{word}” is not a card. Type a card as 6 spades or six of spades.", word=shortened(rest, _SHOWN)
        )
    close = nearest(
        first.casefold(), [one for name in COMMANDS if name not in _ANSWERS for one in all_words(name)]
    )
    fields = {"word": shortened(text, _SHOWN), "help": word("help")}
    if close:
        return gettext("I do not know “{word}”. Did you mean “{close}”?", word=fields["word"], close=close)
    return gettext("I do not know “{word}”. Type a card, such as 6 of spades, or “{help}”.", **fields)


_AT_ONCE: Final = 65_536
_LONGEST: Final = 10_000
"""Most bytes of a line; the rest of a longer one is dropped."""
_PROMPT: Final = "> "


class OutputError(Exception):
    """The output cannot be written; ``is_closed`` if it is a pipe without a reader."""

    def __init__(self, error: OSError) -> None:
        super().__init__(error.strerror or str(error))
        self.is_closed = isinstance(error, BrokenPipeError)


class Console:
    """Lines that are said and heard.

    Input is read only when a line is wanted, so that a script's lines wait for their questions. It is read
    without the lock of `sys.stdin`, which a waiting thread would hold at the end of the program.
    """

    def __init__(self) -> None:
        stdin = sys.stdin
        self._input = None if stdin is None else getattr(stdin.buffer, "raw", stdin.buffer)
        self._encoding = getattr(stdin, "encoding", None) or "utf-8"
        self._is_prompting = stdin is not None and stdin.isatty()
        self._rest = b""
        self._has_ended = self._input is None
        self._failure: OSError | None = None

    def say(self, *lines: str) -> None:
        """Print lines. A failure is raised by the next `hear`."""
        if sys.stdout is None or self._failure is not None:
            return
        try:
            for line in lines:
                sys.stdout.write(f"{printable(line)}\n")
            sys.stdout.flush()
        except OSError as error:
            self._failure = error

    def clear(self) -> None:
        """Move what was said off the screen of a terminal, so that the next player does not see it."""
        if self._is_prompting:
            self.say(*[""] * shutil.get_terminal_size().lines)

    async def hear(self) -> str | None:
        """Return the next line, or None at the end of the input.

        Raises:
            OutputError: If something could not be said.
        """
        if self._is_prompting and sys.stdout is not None and self._failure is None:
            try:
                sys.stdout.write(_PROMPT)
                sys.stdout.flush()
            except OSError as error:
                self._failure = error
        if self._failure is not None:
            raise OutputError(self._failure)
        while b"\n" not in self._rest and not self._has_ended:
            piece = await in_thread(self._read)
            self._has_ended = not piece
            self._rest = (self._rest + piece)[: _LONGEST + _AT_ONCE]
        line, found, self._rest = self._rest.partition(b"\n")
        if not found and not line:
            return None
        return line[:_LONGEST].decode(self._encoding, "replace")

    def _read(self) -> bytes:
        try:
            return bytes(self._input.read(_AT_ONCE) or b"") if self._input is not None else b""
        except OSError:
            return b""  # the terminal is gone
