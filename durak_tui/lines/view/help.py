"""What can be typed, and the rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from durak_core import Rules
from durak_tui.lines.reading import all_words, word
from durak_tui.lines.view.words import sentence
from durak_tui.storage.settings import CHOICES, Settings
from durak_tui.text.house_rules import GAMES, house_words, rules_words
from durak_tui.text.i18n import gettext

SHOWN: Final = (
    *("name", "language", "said", "sort", "coach", "confirm", "only_moves", "remarks"),
    "review_time",
)
"""The settings that have an effect here."""

# Help


def help_lines() -> Iterator[str]:
    """List what can be typed."""
    yield gettext(
        "To play, type a card: 6s, 10 of hearts, queen of clubs. The rank is enough if only one card fits."
    )
    yield gettext("To choose which card to beat, type both: 8s 6s.")
    yield from (f"{title} {', '.join(map(word, names))}." for title, names in _groups())
    yield gettext("“{example}” explains that word.", example=f"{word('help')} {word('known')}")


def _groups() -> tuple[tuple[str, tuple[str, ...]], ...]:
    return (
        (gettext("Other moves:"), ("take", "pass", "transfer", "show", "exchange", "undo")),
        (
            gettext("Questions:"),
            (
                "again",
                "hand",
                "table",
                "moves",
                "players",
                "trump",
                "talon",
                "discard",
                "log",
                "known",
                "score",
            ),
        ),
        (gettext("Help:"), ("hint", "why", "rules", "review", "help")),
        (
            gettext("Games:"),
            ("new", "next", "swap", "games", "continue", "daily", "share", "set", "save", "quit"),
        ),
    )


def help_line(name: str) -> str:
    """Explain a command."""
    words = {
        "play": gettext(
            "A card attacks, is thrown in, beats the oldest open card it can beat, or transfers."
        ),
        "beat": gettext("Beats a card: type both cards, in any order."),
        "take": gettext("Takes the cards on the table."),
        "pass": gettext("Throws nothing more in, or ends your attack."),
        "transfer": gettext("Transfers the attack with a card of its rank."),
        "show": gettext("Transfers the attack by showing a trump of its rank, if the rules allow it."),
        "exchange": gettext(
            "Exchanges your lowest trump for the card under the talon, if the rules allow it."
        ),
        "hand": gettext("Your cards, sorted, trumps last."),
        "table": gettext("Who attacks whom, and the cards on the table."),
        "players": gettext("Each player's number of cards, role, and publicly known cards."),
        "trump": gettext("The trumps, and the card under the talon."),
        "talon": gettext("How many cards can still be drawn."),
        "discard": gettext("The cards that are out of the game."),
        "moves": gettext("All that you may do now."),
        "again": gettext(
            "What happened since your last move, and the question again. So does an empty line."
        ),
        "log": gettext("The last two bouts. With a number, that bout."),
        "known": gettext(
            "What you can know of all cards, and how the others seem to play. With a card, where it can be."
        ),
        "hint": gettext(
            "The three best moves, and why; the game is then unrated. Ask again for a longer search."
        ),
        "why": gettext("The rule behind the last refusal. With a card, why it cannot be played."),
        "undo": gettext("Takes back your last decision; the game is then unrated."),
        "score": gettext("The score of this series, and your rating."),
        "rules": gettext("The rules of this game. With a number such as 5.3, that paragraph."),
        "help": gettext("All words, or what one word does."),
        "save": gettext("Saves the game. Every move is saved anyway."),
        "new": gettext(
            "A new game; the words of the start work here, too: {example}.",
            example=f"{word('new')} perevodnoy seats=3 bots=olga,misha",
        ),
        "next": gettext("The next game with the same players."),
        "swap": gettext("The same deal with the players moved one seat on."),
        "games": gettext("Your unfinished games."),
        "continue": gettext("Goes on with an unfinished game, by its number."),
        "daily": gettext("The daily deal, without hints."),
        "review": gettext("Your mistakes in the last game, with better moves."),
        "share": gettext("The code of the last game: durak-tui with the code shows the game to a friend."),
        "set": gettext("Shows or changes a setting: {example}.", example=f"{word('set')} said signs"),
        "quit": gettext("Leaves the program. The game stays saved."),
    }
    return f"{', '.join(all_words(name))}. {words[name]}"


# Rules


def rules_lines(text: str) -> Iterator[str]:
    """Describe the rules of a game."""
    rules = Rules.parse(text)
    yield sentence(rules_words(rules))
    if rules.base in GAMES:
        yield sentence(house_words(GAMES[rules.base]))
    number, every = f"{word('rules')} 5.3", f"{word('rules')} {word('all')}"
    yield gettext("“{number}” reads that paragraph, “{every}” reads all.", number=number, every=every)


# Settings


def setting_line(settings: Settings, name: str) -> str:
    """Describe a setting and its value: "coach: off (on, off). Hints on every turn."."""
    value = getattr(settings, name)
    choices = CHOICES.get(name, ())
    if isinstance(value, bool):
        value, choices = word("on" if value else "off"), (word("on"), word("off"))
    label = {
        "name": gettext("Your name"),
        "language": gettext("Language"),
        "said": gettext("How cards are named"),
        "sort": gettext("Order of your hand"),
        "coach": gettext("Hints on every turn"),
        "confirm": gettext("Ask before you take what you could beat"),
        "only_moves": gettext("Play my only move"),
        "remarks": gettext("Table talk"),
        "review_time": gettext("Review: time per move"),
    }[name]
    listed = f" ({', '.join(choices)})" if choices else ""
    return f"{name}: {value}{listed}. {label}."
