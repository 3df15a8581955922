"""All key actions of the app, the source of bindings, key bar and help.

An action's id, such as ``table.take``, names it in the user's settings. The part before the dot is the place
where it works; ``app`` is everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from durak_tui.text.i18n import mark


@dataclass(frozen=True, slots=True)
class Key:
    """An action at a place, with its keys.

    Attributes:
        name: Its hyphenated name.
        usual: Its default Latin keys, separated by spaces. The first one is shown.
        label: One or two English words for the key bar. Neighbours with equal labels share one entry. Empty
            for keys that only the help lists.
        help: One English line for the help.
        does: Textual's action; by default its name.
        counted: Whether the first key passes 1 to the action, the second 2 and so on.
        place: Where it works.
        group: The English heading of its group in the help.
        gives_way: Whether it loses a default key that the user gave to another action. Set for keys that are
            newer than some users' settings, which have to stay valid.
    """

    name: str
    usual: str
    label: str
    help: str
    does: str = ""
    counted: bool = False
    place: str = ""
    group: str = ""
    gives_way: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self.usual.split())

    @property
    def id(self) -> str:
        return f"{self.place}.{self.name}"

    @property
    def word(self) -> str:
        """The name with underscores, used for buttons and methods."""
        return self.name.replace("-", "_")

    @property
    def action(self) -> str:
        return self.does or (f"app.{self.word}" if self.place == "app" else self.word)


def _playing(play: str, done: str, *, is_numbered: bool = True) -> tuple[Key | str, ...]:
    """Return the keys for playing on a board. The labels of Enter and Space differ by place."""
    numbers = "play the first card, the second ... the tenth"
    return (
        mark("Playing"),
        Key("left", "left", "choose", "the card to the left", "move_cursor(-1)"),
        Key("right", "right", "choose", "the card to the right", "move_cursor(1)"),
        Key("play", "enter", "play", play),
        *([Key("card", "1 2 3 4 5 6 7 8 9 0", "", numbers, counted=True)] if is_numbered else []),
        Key("done", "space", "", done),
        Key("take", "t", "take", "take the cards on the table"),
        Key("transfer", "r", "transfer", "transfer with the chosen card; exchange the lowest trump"),
        Key("show-trump", "R", "show", "transfer by showing the trump of the attack's rank"),
        Key("target", "tab", "target", "which attack card to beat", "next_target(1)"),
        Key("previous-target", "shift+tab", "", "the attack card before it", "next_target(-1)"),
    )


_RUNNING: Final = (
    mark("Moves"),
    Key("run", "space", "run/pause", "run or pause the game"),
    Key("step-back", "left", "move", "one move back", "step(-1)"),
    Key("step", "right .", "move", "one move on", "step(1)"),
    Key("bout-back", "[", "bout", "to the beginning of this bout, or of the one before", "bout(-1)"),
    Key("bout", "]", "bout", "to the beginning of the next bout", "bout(1)"),
    Key("home", "home", "", "to the deal", "go(0)"),
)
_SPEED: Final = (
    Key("slower", "-", "speed", "slower", "change_pace(-1)"),
    Key("faster", "+ =", "speed", "faster", "change_pace(1)"),
)
_FIGURES: Final = Key("figures", "%", "", "show or hide the figures of hints and reviews", gives_way=True)
_HINTS: Final = (
    mark("Help"),
    Key("hint", "h", "hint", "show or hide a hint for this decision"),
    Key("hint-up", "up", "line", "the line of the hint above; Enter plays it", "choose_hint(-1)"),
    Key("hint-down", "down", "line", "the line of the hint below; Enter plays it", "choose_hint(1)"),
)
_LOOKS: Final = (
    mark("The table's look"),
    Key("sort", "s", "", "sort the hand another way"),
    Key("colours", "c", "", "two or four colours"),
    Key("size", "z", "", "size of the cards"),
)
_SIZE_AND_LEAVING: Final = (
    Key("size", "z", "", "size of the cards"),
    Key("log", "l", "log", "show or hide the moves"),
    mark("Leaving"),
    Key("back", "escape", "menu", "back to the menu; the game stays saved"),
)
_CHOOSING: Final = (
    Key("up", "up", "choose", "the line above", "move('up')"),
    Key("down", "down", "choose", "the line below", "move('down')"),
)
PLACES: Final[Mapping[str, str]] = {
    "app": mark("Everywhere"),
    "menu": mark("In the menu"),
    "table": mark("At the table"),
    "real": mark("At a table with real cards"),
    "evening": mark("In the score of an evening"),
    "lobby": mark("Before a game with friends"),
    "friends": mark("At a table with friends"),
    "result": mark("At the end of a game"),
    "handover": mark("When the keyboard is handed over"),
    "tv": mark("When watching friends"),
    "watch": mark("When watching"),
    "learn": mark("When choosing what to learn"),
    "lessons": mark("In the list of lessons"),
    "lesson": mark("In a lesson"),
    "puzzle": mark("In a puzzle"),
    "mistakes": mark("When learning from mistakes"),
    "daily": mark("In the daily deal"),
    "library": mark("In the library"),
    "statistics": mark("In the statistics"),
    "review": mark("In a review"),
    "knowledge": mark("In the cards panel"),
    "rules": mark("In the rules"),
    "form": mark("In lists of settings"),
    "setup": mark("In a new game"),
    "settings": mark("In the settings"),
    "dialog": mark("In small windows"),
}
"""English headings of the places."""
_TABLE: Final[Mapping[str, tuple[Key | str, ...]]] = {
    "menu": (
        *_CHOOSING,
        Key("choose", "enter space", "open", "open the chosen line"),
        mark("Places"),
        Key("play", "p", "", "start a game at once with the last settings"),
        Key("continue-game", "c", "", "continue the unfinished game"),
        Key("first-lesson", "1", "first lesson", "the first lesson, while it is offered"),
        Key("no-lesson", "0", "no lesson", "never offer the first lesson again"),
        Key("daily", "d", "", "the daily deal: the same cards for everyone", "app.daily"),
        Key("learn", "e", "", "lessons, puzzles, your mistakes", "app.learn"),
        Key("setup", "n", "", "choose opponents and rules, then play", "app.set_up(False)"),
        Key("watch", "w", "", "choose who plays, and watch", "app.set_up(True)"),
        Key("friends", "f", "", "play with friends on other devices", "app.friends"),
        Key("real", "k", "", "keep a game that is played with real cards", "app.real", gives_way=True),
        Key("library", "l", "", "all games: search, open, continue, import and export them", "app.library"),
        Key("statistics", "s", "", "how you play: rating, opponents, accuracy", "app.statistics"),
        Key("review", "v", "", "review your last game, with an analysis"),
        Key("review-other", "V", "", "review another game: of the library, or of a file"),
        Key("rules", "r", "", "how the game goes, and the rules", "app.rules"),
        Key("quit", "q", "", "leave the program", "app.quit"),
    ),
    "table": (
        *_playing("play the chosen card", "pass: add no more cards; if you cannot pass, take"),
        *_HINTS,
        Key("coach", "H", "", "hints on every turn, or only when asked"),
        _FIGURES,
        Key("undo", "u", "undo", "take back your last move; the game is then not rated"),
        Key("redo", "U", "redo", "play again what you took back", gives_way=True),
        Key("knowledge", "i", "cards", "show or hide where the cards may be, as far as you know"),
        Key("open-hands", "o", "", "show or hide all hands, for you alone; the game is then not rated"),
        mark("The table's look"),
        Key("sort", "s", "sort", "sort the hand another way"),
        Key("colours", "c", "", "two or four colours"),
        *_SIZE_AND_LEAVING,
    ),
    "real": (
        *_playing(
            "play the chosen card",
            "“that is all” from an attacker, “I take” from the defender",
            is_numbered=False,
        ),
        Key(
            "rank",
            "2 3 4 5 6 7 8 9 0 b q k a",
            "",
            "a card by its rank, 0 for ten, then by its suit, s c d or h; one key if only one card fits",
            counted=True,
        ),
        Key("all-pass", "p", "all pass", "all pass, until the bout ends or cards have to be beaten"),
        *_HINTS,
        _FIGURES,
        Key("undo", "u backspace", "undo", "take the last report back"),
        Key("redo", "U", "redo", "report again what you took back"),
        Key("knowledge", "i", "cards", "show or hide where the cards may be, as far as you know"),
        mark("The table's look"),
        *_SIZE_AND_LEAVING,
    ),
    "evening": (
        *_CHOOSING,
        Key("choose", "enter", "fool", "the chosen player was the fool"),
        Key(
            "lost", "1 2 3 4 5 6", "", "the first player was the fool, the second ... the sixth", counted=True
        ),
        Key("draw", "0", "draw", "the game was a draw"),
        Key("present", "space", "here/away", "the chosen player joins the table or leaves it"),
        Key("add", "n", "new player", "a new player joins the table"),
        Key("trump", "s h d c", "", "the trump suit of the last game", counted=True),
        Key("undo", "u", "undo", "take the last game back"),
        Key("all", "tab", "all", "tonight, or all evenings", "turn"),
        Key("export", "e", "export", "write all games to a CSV file"),
        Key("back", "escape", "back", "back"),
    ),
    "lobby": (
        Key("start", "enter space", "start", "start the game, be ready for the next one, or go back to it"),
        Key("wait", "n", "wait", "ask for a later start of the next game"),
        Key("change", "c", "change", "change the rules, the clock and the bots between games"),
        Key("copy", "y", "copy link", "copy the link of the table"),
        Key("watch", "w", "watch", "watch the table if all seats are taken"),
        mark("Leaving"),
        Key("back", "escape", "leave", "leave the table"),
    ),
    "friends": (
        *_playing("play the chosen card", "pass: add no more cards; if you cannot pass, take"),
        mark("The table"),
        Key("say", "p", "say", "speak to the table"),
        Key("replace", "v", "Viktor", "let Viktor play for someone who is away", "let_replace"),
        Key("wait", "n", "wait", "ask for a later start of the next game"),
        Key("knowledge", "i", "cards", "show or hide where the cards may be, as far as you know"),
        *_LOOKS,
        Key("log", "l", "log", "show or hide the moves"),
        mark("Leaving"),
        Key("back", "escape", "leave", "leave the table"),
    ),
    "tv": (
        *_RUNNING,
        Key("end", "end", "", "to the last move that is known"),
        *_SPEED,
        mark("What you see"),
        Key("open-hands", "o", "open hands", "show or hide all hands, once the game is over"),
        Key("next-view", "f", "view", "see the table from the next player's seat"),
        mark("The game"),
        Key("review", "v", "review", "review the game, once it is over"),
        Key("keep", "K", "keep", "keep the game in the library, now or once it is over"),
        *_LOOKS,
        Key("log", "l", "log", "show or hide the moves"),
        mark("Leaving"),
        Key("back", "escape", "leave", "leave the table"),
    ),
    "learn": (
        *_CHOOSING,
        Key("choose", "enter space", "open", "open the chosen line"),
        Key("back", "escape", "back", "back"),
    ),
    "daily": (
        mark("Choosing a day"),
        Key("left", "left", "day", "the day before", "go_days(-1)"),
        Key("right", "right", "day", "the next day", "go_days(1)"),
        Key("up", "up", "", "a week back", "go_days(-7)"),
        Key("down", "down", "", "a week on", "go_days(7)"),
        Key("page-up", "pageup [", "", "the month before", "turn(-1)"),
        Key("page-down", "pagedown ]", "", "the next month", "turn(1)"),
        Key("home", "home", "", "to today"),
        mark("The chosen day"),
        Key("play", "enter space", "begin", "play or continue the daily deal of the chosen day"),
        Key("copy", "y", "copy", "copy the result as a line"),
        Key("review", "v", "review", "review the game of the chosen day"),
        Key("back", "escape", "back", "back"),
    ),
    "lessons": (
        Key("up", "up", "choose", "the lesson above", "move('up')"),
        Key("down", "down", "choose", "the lesson below", "move('down')"),
        Key("choose", "enter space", "begin", "begin the chosen lesson"),
        Key("back", "escape", "back", "back"),
    ),
    "lesson": (
        *_playing(
            "play the chosen card; otherwise continue the lesson",
            "pass, or take; otherwise continue the lesson",
        ),
        mark("The task"),
        Key("previous", "u backspace", "step back", "this step again, or the one before"),
        *_LOOKS,
        mark("Leaving"),
        Key("back", "escape", "back", "leave the lesson"),
    ),
    "mistakes": (
        *_playing("play the chosen card; otherwise continue", "pass, or take; otherwise continue"),
        mark("The task"),
        Key("hint", "h", "hint", "which cards not to spend"),
        Key("answer", "a", "answer", "show what was better"),
        Key("review", "v", "game", "look at this moment in the review"),
        *_LOOKS,
        Key("log", "l", "log", "show or hide the moves"),
        mark("Leaving"),
        Key("back", "escape", "back", "back; unanswered mistakes come again"),
    ),
    "puzzle": (
        *_playing("play the chosen card; otherwise continue", "pass, or take; otherwise continue"),
        mark("The task"),
        Key("again", "u backspace", "again", "try again"),
        Key("answer", "a", "answer", "play the right move, and go on"),
        Key("next", "n", "next", "the next puzzle"),
        Key("themes", "p", "kinds", "choose what kind of puzzles comes"),
        Key("copy", "y", "", "copy the puzzle's position as a line, for the durak command"),
        Key("share", "Y", "", "copy the result as a line, without the answer"),
        *_LOOKS,
        mark("Leaving"),
        Key("back", "escape", "back", "leave the puzzles"),
    ),
    "result": (Key("share", "Y", "", "share the game: copy its code, and show it"),),
    "handover": (
        Key("show", "enter", "show", "show the table to the player whose turn it is"),
        Key("undo", "u", "undo", "take back what was just played"),
        Key("back", "escape", "menu", "back to the menu; the game stays saved"),
    ),
    "watch": (
        *_RUNNING,
        Key("end", "end", "", "to the last move played"),
        *_SPEED,
        mark("What you see"),
        Key("open-hands", "o", "open hands", "show or hide all cards"),
        Key("next-view", "f", "view", "see the table as the next player does"),
        Key("hint", "h", "hint", "show or hide the hint for the player to move"),
        Key("knowledge", "k", "cards", "show or hide what this player knows about the cards"),
        _FIGURES,
        Key("chances", "w", "chances", "show or hide each player's chances"),
        mark("The game"),
        Key("review", "v", "review", "review the game from here, and try other moves"),
        Key("play-on", "r", "other move", "try another move: take the seat of the player to move"),
        Key("keep", "K", "keep", "keep the game in the library, now or once it is over"),
        Key("new", "n", "", "another game of the same players"),
        *_LOOKS,
        Key("log", "l", "log", "show or hide the moves"),
        mark("Leaving"),
        Key("back", "escape", "menu", "back to the menu"),
    ),
    "review": (
        mark("Moves"),
        Key("step-back", "left", "move", "one move back", "step(-1)"),
        Key("step", "right .", "move", "one move on", "step(1)"),
        Key("line-up", "up", "line", "the action above", "choose_line(-1)"),
        Key("line-down", "down", "line", "the action below", "choose_line(1)"),
        Key("follow", "enter", "follow", "play the chosen action: the game's, or to try it out"),
        Key("main-line", "shift+left backspace", "to the game", "back to the game"),
        Key(
            "next",
            "n",
            "next mistake",
            "to your next mistake, or the one of the player whose view it is",
            gives_way=True,
        ),
        Key("blunder", "b", "mistakes", "to the next blunder, ??", "go_mark('??')"),
        Key("mistake", "m", "mistakes", "to the next mistake, ?", "go_mark('?')"),
        Key("dubious", "i", "mistakes", "to the next inaccuracy, ?!", "go_mark('?!')"),
        Key("bout-back", "[", "bout", "to the beginning of this bout, or of the one before", "bout(-1)"),
        Key("bout", "]", "bout", "to the beginning of the next bout", "bout(1)"),
        Key("home", "home", "", "to the deal", "go(0)"),
        Key("end", "end", "", "to the end of the game"),
        mark("What you see"),
        Key("open-hands", "o", "open hands", "show or hide all cards"),
        Key("next-view", "f", "view", "see the table as the next player does"),
        Key("knowledge", "k", "cards", "show or hide what this player knows about the cards"),
        _FIGURES,
        mark("The game"),
        Key("play-on", "r", "play again", "play it again from here, in place of this player"),
        Key("judge", "a", "", "pause or resume the analysis"),
        Key("judge-anew", "N", "", "discard the analysis and analyse the game again", gives_way=True),
        Key("copy", "y", "", "copy the position as this player sees it"),
        Key("ask", "x", "", "copy this moment as a question, without the answer"),
        Key("share", "Y", "", "share the game: copy its code, and show it"),
        Key("export", "e", "", "write the game with marks and comments to a file"),
        *_LOOKS,
        Key("log", "l", "log", "show or hide the moves"),
        mark("Leaving"),
        Key("back", "escape", "back", "back; the analysis of a game in the library is kept"),
    ),
    "knowledge": (
        Key("other-side", "j", "other view", "where the cards are, or what the others know of the hand"),
        Key("card-left", "ctrl+left", "", "describe the card to the left", "move_card(-1, 0)"),
        Key("card-right", "ctrl+right", "", "describe the card to the right", "move_card(1, 0)"),
        Key("card-up", "ctrl+up", "", "describe the card above", "move_card(0, -1)"),
        Key("card-down", "ctrl+down", "", "describe the card below", "move_card(0, 1)"),
    ),
    "form": (
        Key("up", "up", "choose", "the line above"),
        Key("down", "down", "choose", "the line below"),
        Key("left", "left", "change", "the value before"),
        Key("right", "right", "change", "the next value"),
        Key("open", "enter space", "select", "pick from a list, or type a value"),
        Key("page-up", "pageup", "", "one page up"),
        Key("page-down", "pagedown", "", "one page down"),
        Key("home", "home", "", "to the first line"),
        Key("end", "end", "", "to the last line"),
    ),
    "setup": (
        Key("start", "f5 ctrl+s", "start", "start the game"),
        Key("back", "escape", "menu", "back to the menu"),
    ),
    "settings": (Key("back", "escape", "back", "back; changes already apply"),),
    "library": (
        mark("The list"),
        Key("up", "up", "choose", "the game above", "move('up')"),
        Key("down", "down", "choose", "the game below", "move('down')"),
        Key("page-up", "pageup", "", "one page up", "move('page_up')"),
        Key("page-down", "pagedown", "", "one page down", "move('page_down')"),
        Key("home", "home", "", "to the first game", "move('home')"),
        Key("end", "end", "", "to the last game", "move('end')"),
        Key("open", "enter", "open", "open the game, or continue an unfinished one"),
        Key("search", "/", "search", "search as you type: names, rules, dates, results"),
        Key("filter", "f", "filter", "show only games of some rules, players or results"),
        Key("clear", "c", "", "show all games again"),
        Key("delete", "d delete", "delete", "delete the game"),
        Key("undo", "u z", "undo", "bring back what was deleted last"),
        Key("sort", "s", "sort", "sort by the next column"),
        Key("reverse", "S", "", "sort the other way round"),
        mark("Files and figures"),
        Key("share", "Y", "", "share the game: copy its code, and show it"),
        Key("export", "e", "export", "write the game to a file"),
        Key("export-all", "E", "", "write all games shown to a file"),
        Key("import", "i", "import", "read games from a file"),
        Key("statistics", "t", "", "statistics of all games", "app.statistics"),
        mark("Leaving"),
        Key("back", "escape", "back", "back; from the search to the list"),
    ),
    "statistics": (
        Key("up", "up", "", "the line above", "move('up')"),
        Key("down", "down", "", "the line below", "move('down')"),
        Key("previous", "left", "groups", "group games another way", "step(-1)"),
        Key("next", "right tab", "groups", "by opponent, rules or number of players", "step(1)"),
        Key("plot", "g", "graph", "rating, loss rate or accuracy over time"),
        Key("player", "p", "player", "whose games are counted"),
        Key("page-up", "pageup", "", "one page up", "move('page_up')"),
        Key("page-down", "pagedown", "", "one page down", "move('page_down')"),
        Key("home", "home", "", "to the first line", "move('home')"),
        Key("end", "end", "", "to the last line", "move('end')"),
        Key("back", "escape", "back", "back"),
    ),
    "rules": (
        Key("up", "up", "scroll", "one line up", "move('up')"),
        Key("down", "down", "scroll", "one line down", "move('down')"),
        Key("page-up", "pageup", "", "one page up", "move('page_up')"),
        Key("page-down", "pagedown space", "", "one page down", "move('page_down')"),
        Key("previous", "left [", "section", "the section before", "go_section(-1)"),
        Key("next", "right ]", "section", "the next section", "go_section(1)"),
        Key("home", "home", "", "to the beginning", "move('home')"),
        Key("end", "end", "", "to the end", "move('end')"),
        Key("back", "escape", "back", "back"),
    ),
    "dialog": (
        Key("left", "left", "choose", "the button before"),
        Key("right", "right", "choose", "the next button"),
        Key("up", "up", "", "the button before, or scroll up", "move('up')"),
        Key("down", "down", "", "the next button, or scroll down", "move('down')"),
        Key("page-up", "pageup", "", "one page up", "move('page_up')"),
        Key("page-down", "pagedown", "", "one page down", "move('page_down')"),
        Key("home", "home", "", "to the beginning", "move('home')"),
        Key("end", "end", "", "to the end", "move('end')"),
        Key("close", "escape", "close", "close without changes"),
    ),
    "app": (
        Key("help", "? f1", "help", "the keys of this screen"),
        Key("settings", "f2", "", "settings"),
        Key("rules", "f3", "", "how the game goes, and the rules"),
        Key("palette", "ctrl+p", "", "all commands", "app.command_palette"),
        Key("quit", "ctrl+q", "quit", "leave the program; a running game stays saved"),
    ),
}
"""Actions by place, in the order of the key bar and the help. A text is the heading of those after it."""


def _grouped(place: str, entries: Iterable[Key | str]) -> Iterator[Key]:
    group = ""
    for entry in entries:
        if isinstance(entry, str):
            group = entry
        else:
            yield replace(entry, place=place, group=group or PLACES[place])


KEYS: Final[Mapping[str, tuple[Key, ...]]] = {
    place: tuple(_grouped(place, entries)) for place, entries in _TABLE.items()
}
ACTIONS: Final[Mapping[str, Key]] = {key.id: key for keys in KEYS.values() for key in keys}
INSIDE: Final[Mapping[str, tuple[str, ...]]] = {"setup": ("form",), "settings": ("form",)}
"""Places whose keys also work at another place, listed before its own."""
BESIDE: Final[Mapping[str, tuple[str, ...]]] = dict.fromkeys(
    ("table", "real", "friends", "watch", "review"), ("knowledge",)
)
"""Places whose keys also work at another place, listed after its own."""
