"""What stands in the rows of a new game: words for options and seats, and what may not be written there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from durak_core.agents import AGENTS
from durak_core.agents.registry import thinks
from durak_core.config import ConfigError
from durak_core.errors import AgentError, RulesError
from durak_tui.players.roster import (
    HUMAN,
    LEVELS,
    TIMES,
    check_bot,
    describe,
    manner,
    player_word,
    short_name,
    time_label,
    with_time,
)
from durak_tui.storage.settings import Settings
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import say, say_as, translate
from durak_tui.text.phrases import any_of, capital, choice_words
from durak_tui.text.rules_text import rule
from durak_tui.widgets.form import Row

if TYPE_CHECKING:
    from durak_core.rules import Option, OptionValue

ANY_SEED: Final = "any"
SEAT: Final = "seat "
TIME: Final = "time "
USUAL_TIME: Final = 1000
"""Milliseconds a move for a bot that thinks and was chosen by its name."""
_OWN_TIME: Final = "own"
YES_NO: Final = ("no", "yes")
OTHER_WORDS: Final = (ANY_SEED, _OWN_TIME, *YES_NO, *TIMES)
"""Words that may stand in a row without being choices of an option."""
_LARGEST_SEED: Final = 2**63 - 1
_MOST_GAMES: Final = 10_000


def explained(option: Option) -> str:
    """Say what an option means, what may stand for it, and where the rules speak of it."""
    text = plain_paragraph(option.paragraph).removeprefix(option.paragraph).strip()
    return say(
        "{summary}: {expected} (rules {paragraph}). {text}",
        summary=capital(translate(option.summary)),
        expected=_expected(option),
        paragraph=option.paragraph,
        text=text,
    )


def _expected(option: Option) -> str:
    """Say what may stand for an option."""
    parts = list(choice_words(option.choices).values())
    if option.low is not None:
        parts.append(say("a number from {low} to {high}", low=option.low, high=option.high))
    return any_of(parts)


def read_value(option: Option, text: str) -> OptionValue:
    """Read a value, also where it is written as people read it.

    Raises:
        RulesError: If it may not stand for this option.
    """
    words = {shown.casefold(): word for word, shown in choice_words(option.choices).items()}
    return option.read(words.get(text.strip().casefold(), text))


def plain_paragraph(number: str) -> str:
    """Return a paragraph of the rules, or the first of a section, without its marks."""
    return " ".join(rule(number).replace("**", "").replace("`", "").split())


def seat_rows(seat: int, player: str) -> list[Row]:
    """Make the row of a seat, and under it that of a thinking bot's time where it can be chosen."""
    sit = describe(player) or say(
        "You. Several people share the keyboard and take turns; without any you watch."
    )
    choices = (HUMAN, *LEVELS, *AGENTS)
    words = {word: player_word(word) for word in (HUMAN, *LEVELS)}
    label = say("Seat {seat}", seat=seat)
    rows = [Row(f"{SEAT}{seat}", label, short_name(player), choices, True, sit, _who(player), words)]
    name = player.partition(":")[0]
    if name in AGENTS and thinks(name) and with_time(name, USUAL_TIME):
        help_ = say("How long this bot may think for a move.")
        time = time_label(player) or _OWN_TIME
        words = choice_words((*TIMES, _OWN_TIME))
        label = "   " + say("time a move")
        rows.append(Row(f"{TIME}{seat}", label, time, tuple(TIMES), help=help_, words=words))
    return rows


def _who(player: str) -> str:
    return say("level") if player in LEVELS else manner(player)


def split_names(text: str) -> tuple[str, ...]:
    """Cut names at commas."""
    return tuple(name.strip() for name in text.split(","))


def names_problem(text: str, seats: int) -> str:
    """Say why names may not stand for the seats; nothing where they may."""
    names = split_names(text)
    if len(names) != seats:
        return say("{count} names for {seats} seats", count=len(names), seats=seats)
    try:
        for name in names:
            Settings(name=name)
    except ConfigError as error:
        return core_words(error.problem)
    return "" if len(set(names)) == seats else say("each name only once")


def player_problem(text: str) -> str:
    """Say why a text is no player."""
    try:
        if text.strip() != HUMAN:
            check_bot(text)
    except AgentError as error:
        return core_words(error)
    return ""


def games_problem(text: str) -> str:
    """Say why a text is no number of games."""
    word = text.strip()
    if word.isascii() and word.isdecimal() and 1 <= int(word[:9]) <= _MOST_GAMES:
        return ""
    return say("expected a number from {low} to {high}", low=1, high=_MOST_GAMES)


def seed_problem(text: str) -> str:
    """Say why a text is no seed."""
    word = text.strip()
    if word.casefold() in any_seed_words() or (
        word.isascii() and word.isdecimal() and int(word) <= _LARGEST_SEED
    ):
        return ""
    word = say_as("choice", ANY_SEED)
    return say("expected a number from 0 to {most}, or {word}", most=_LARGEST_SEED, word=word)


def any_seed_words() -> set[str]:
    """Return the words that mean any seed, in lower case."""
    return {"", ANY_SEED, say_as("choice", ANY_SEED).casefold()}


def option_problem(option: Option, text: str) -> str:
    """Say why a text may not stand for an option."""
    try:
        read_value(option, text)
    except RulesError as error:
        return core_words(error)
    return ""
