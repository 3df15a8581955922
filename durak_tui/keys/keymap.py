"""Every key of the app in one table: from it come the bindings, the footer line and the help.

An action has an id such as ``table.take``. A user's settings may give it other keys by that id; the
part before the point says where the key works, and ``app`` is everywhere. Letter keys also work in a
Russian layout: their twins come from one table of the two keyboards.

>>> Keymap().keys("table.take")
('t',)
>>> twin("r")
'к'
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from durak_core.messages import nearest
from durak_tui.text.i18n import mark, say, translate


class KeymapError(ValueError):
    """A key or an action of a user's keymap that cannot be; the text names the action's id.

    Attributes:
        problem: The same without that id.
        key: What two actions of one screen would share; else empty.
        actions: The ids of these two.
    """

    def __init__(self, problem: str, action_id: str = "", key: str = "", other: str = "") -> None:
        super().__init__(f"{action_id}: {problem}" if action_id else problem)
        self.problem, self.key, self.actions = problem, key, (action_id, other)


@dataclass(frozen=True, slots=True)
class KeyAction:
    """Something a key does.

    Attributes:
        id: Where it works and what it does, ``place.action``.
        keys: Its keys by default, the Latin ones; the first is the one shown.
        label: One or two English words for the footer; neighbours with the same label share a place there.
            Empty for keys that only the help lists.
        help: One line for the help, in English; whoever shows either translates it.
        counted: Whether the first key means 1, the second 2 and so on.
    """

    id: str
    keys: tuple[str, ...]
    label: str
    help: str
    counted: bool = False

    @property
    def place(self) -> str:
        """Where it works: ``app`` or the name of a screen."""
        return self.id.partition(".")[0]

    @property
    def action(self) -> str:
        """The name of what it does, as a method name without ``action_``."""
        return self.id.partition(".")[2].replace("-", "_")


def _playing(place: str, play: str, done: str) -> tuple[KeyAction, ...]:
    """Return the keys that play on a board; what Enter and Space do differs from place to place."""
    return (
        KeyAction(f"{place}.left", ("left",), "choose", "the card to the left"),
        KeyAction(f"{place}.right", ("right",), "choose", "the card to the right"),
        KeyAction(f"{place}.play", ("enter",), "play", play),
        KeyAction(
            f"{place}.card",
            ("1", "2", "3", "4", "5", "6", "7", "8", "9", "0"),
            "",
            "play the first card, the second ... the tenth",
            counted=True,
        ),
        KeyAction(f"{place}.done", ("space",), "", done),
        KeyAction(f"{place}.take", ("t",), "take", "take the cards on the table"),
        KeyAction(f"{place}.transfer", ("r",), "transfer", "pass the attack on with the chosen card"),
        KeyAction(
            f"{place}.show-trump", ("R",), "show", "pass the attack on by showing the trump of its rank"
        ),
        KeyAction(f"{place}.target", ("tab",), "target", "which attack card to beat"),
        KeyAction(f"{place}.previous-target", ("shift+tab",), "", "the attack card before it"),
    )


ACTIONS: Final[Mapping[str, KeyAction]] = {
    action.id: action
    for action in (
        KeyAction("menu.up", ("up",), "choose", "the line above"),
        KeyAction("menu.down", ("down",), "choose", "the line below"),
        KeyAction("menu.choose", ("enter", "space"), "open", "open the chosen line"),
        KeyAction("menu.play", ("p",), "", "start a game at once with the last settings"),
        KeyAction("menu.continue-game", ("c",), "", "continue the unfinished game"),
        KeyAction("menu.first-lesson", ("1",), "first lesson", "the first lesson, where it is offered"),
        KeyAction("menu.no-lesson", ("0",), "no lesson", "never offer the first lesson again"),
        KeyAction("menu.learn", ("e",), "", "lessons, puzzles, your mistakes"),
        KeyAction("menu.setup", ("n",), "", "choose opponents and rules, then play"),
        KeyAction("menu.watch", ("w",), "", "choose who plays, and watch"),
        KeyAction("menu.library", ("l",), "", "all games: search, open, continue, import and export them"),
        KeyAction("menu.statistics", ("s",), "", "how you play: rating, opponents, accuracy"),
        KeyAction("menu.review", ("v",), "", "review your last game, with its judgement"),
        KeyAction("menu.review-other", ("V",), "", "review another game: of the library, or of a file"),
        KeyAction("menu.rules", ("r",), "", "how the game goes, and the rules"),
        KeyAction("menu.quit", ("q",), "", "leave the program"),
        *_playing("table", "play the chosen card", "pass: throw nothing in, or end a volley; otherwise take"),
        KeyAction("table.hint", ("h",), "advice", "show or hide advice for this decision; again for more"),
        KeyAction("table.coach", ("H",), "", "advice at every turn, or only when asked"),
        KeyAction("table.undo", ("u",), "undo", "take back your last move; the game counts as assisted"),
        KeyAction(
            "table.knowledge", ("i",), "cards", "show or hide where the cards may be, as far as you know"
        ),
        KeyAction("table.sort", ("s",), "sort", "sort the hand another way"),
        KeyAction("table.colours", ("c",), "", "two or four colours"),
        KeyAction("table.size", ("z",), "", "size of the cards"),
        KeyAction("table.log", ("l",), "log", "show or hide the moves"),
        KeyAction("table.back", ("escape",), "menu", "back to the menu; the game stays saved"),
        KeyAction("learn.up", ("up",), "choose", "the line above"),
        KeyAction("learn.down", ("down",), "choose", "the line below"),
        KeyAction("learn.choose", ("enter", "space"), "open", "open the chosen line"),
        KeyAction("learn.back", ("escape",), "back", "back"),
        KeyAction("daily.left", ("left",), "day", "the day before"),
        KeyAction("daily.right", ("right",), "day", "the next day"),
        KeyAction("daily.up", ("up",), "", "a week back"),
        KeyAction("daily.down", ("down",), "", "a week on"),
        KeyAction("daily.page-up", ("pageup", "["), "", "the month before"),
        KeyAction("daily.page-down", ("pagedown", "]"), "", "the next month"),
        KeyAction("daily.home", ("home",), "", "to today"),
        KeyAction(
            "daily.play", ("enter", "space"), "begin", "play the deal of the chosen day, or go on with it"
        ),
        KeyAction("daily.copy", ("y",), "copy", "copy the line that tells how it went"),
        KeyAction("daily.review", ("v",), "review", "review the game of the chosen day"),
        KeyAction("daily.back", ("escape",), "back", "back"),
        KeyAction("lessons.up", ("up",), "choose", "the lesson above"),
        KeyAction("lessons.down", ("down",), "choose", "the lesson below"),
        KeyAction("lessons.choose", ("enter", "space"), "begin", "begin the chosen lesson"),
        KeyAction("lessons.back", ("escape",), "back", "back"),
        *_playing(
            "lesson",
            "play the chosen card; else go on in the lesson",
            "pass, or take; else go on in the lesson",
        ),
        KeyAction("lesson.previous", ("u", "backspace"), "again", "this step anew, or the one before"),
        KeyAction("lesson.sort", ("s",), "", "sort the hand another way"),
        KeyAction("lesson.colours", ("c",), "", "two or four colours"),
        KeyAction("lesson.size", ("z",), "", "size of the cards"),
        KeyAction("lesson.back", ("escape",), "back", "leave the lesson"),
        *_playing("mistakes", "play the chosen card; else go on", "pass, or take; else go on"),
        KeyAction("mistakes.hint", ("h",), "hint", "which cards not to spend"),
        KeyAction("mistakes.answer", ("a",), "answer", "show what was better"),
        KeyAction("mistakes.review", ("v",), "game", "look at this moment in the review"),
        KeyAction("mistakes.log", ("l",), "log", "show or hide the moves"),
        KeyAction("mistakes.sort", ("s",), "", "sort the hand another way"),
        KeyAction("mistakes.colours", ("c",), "", "two or four colours"),
        KeyAction("mistakes.size", ("z",), "", "size of the cards"),
        KeyAction("mistakes.back", ("escape",), "back", "back; what is not answered stays to be asked"),
        *_playing("puzzle", "play the chosen card; else go on", "pass, or take; else go on"),
        KeyAction("puzzle.sort", ("s",), "", "sort the hand another way"),
        KeyAction("puzzle.colours", ("c",), "", "two or four colours"),
        KeyAction("puzzle.size", ("z",), "", "size of the cards"),
        KeyAction("puzzle.again", ("u", "backspace"), "again", "try again"),
        KeyAction("puzzle.answer", ("a",), "answer", "play what is right, and go on"),
        KeyAction("puzzle.next", ("n",), "next", "the next puzzle"),
        KeyAction("puzzle.themes", ("p",), "kinds", "choose what kind of puzzles comes"),
        KeyAction("puzzle.copy", ("y",), "", "copy the puzzle's position as a line, for the durak command"),
        KeyAction("puzzle.back", ("escape",), "back", "leave the puzzles"),
        KeyAction("handover.show", ("enter",), "show", "show the table to the player whose turn it is"),
        KeyAction("handover.undo", ("u",), "undo", "take back what was just played"),
        KeyAction("handover.back", ("escape",), "menu", "back to the menu; the game stays saved"),
        KeyAction("watch.run", ("space",), "run/pause", "run or pause the game"),
        KeyAction("watch.step-back", ("left",), "move", "one move back"),
        KeyAction("watch.step", ("right", "."), "move", "one move on"),
        KeyAction("watch.bout-back", ("[",), "bout", "to the beginning of this bout, or of the one before"),
        KeyAction("watch.bout", ("]",), "bout", "to the beginning of the next bout"),
        KeyAction("watch.slower", ("-",), "speed", "slower"),
        KeyAction("watch.faster", ("+", "="), "speed", "faster"),
        KeyAction("watch.open-hands", ("o",), "open hands", "show or hide everybody's cards"),
        KeyAction("watch.next-view", ("f",), "view", "see the table as the next player does"),
        KeyAction("watch.hint", ("h",), "advice", "show or hide advice for the player to move"),
        KeyAction("watch.knowledge", ("k",), "cards", "show or hide what the player you look from knows"),
        KeyAction("watch.chances", ("w",), "chances", "show or hide each player's chances"),
        KeyAction("watch.home", ("home",), "", "to the deal"),
        KeyAction("watch.end", ("end",), "", "to the last move played"),
        KeyAction("watch.sort", ("s",), "", "sort the hand another way"),
        KeyAction("watch.colours", ("c",), "", "two or four colours"),
        KeyAction("watch.size", ("z",), "", "size of the cards"),
        KeyAction("watch.log", ("l",), "log", "show or hide the moves"),
        KeyAction("watch.keep", ("K",), "", "keep the game in the library, now or once it is over"),
        KeyAction("watch.new", ("n",), "", "another game of the same players"),
        KeyAction("watch.back", ("escape",), "menu", "back to the menu"),
        KeyAction("review.step-back", ("left",), "move", "one move back"),
        KeyAction("review.step", ("right", "."), "move", "one move on"),
        KeyAction("review.line-up", ("up",), "line", "the action above"),
        KeyAction("review.line-down", ("down",), "line", "the action below"),
        KeyAction(
            "review.follow", ("enter",), "follow", "play the chosen action: the game's, or to try it out"
        ),
        KeyAction("review.main-line", ("shift+left", "backspace"), "to the game", "leave what was tried out"),
        KeyAction("review.blunder", ("b",), "?? ? ?!", "to the next blunder, ??"),
        KeyAction("review.mistake", ("m",), "?? ? ?!", "to the next mistake, ?"),
        KeyAction("review.dubious", ("i",), "?? ? ?!", "to the next inaccuracy, ?!"),
        KeyAction("review.bout-back", ("[",), "bout", "to the beginning of this bout, or of the one before"),
        KeyAction("review.bout", ("]",), "bout", "to the beginning of the next bout"),
        KeyAction("review.open-hands", ("o",), "open hands", "show or hide everybody's cards"),
        KeyAction("review.next-view", ("f",), "view", "see the table as the next player does"),
        KeyAction("review.knowledge", ("k",), "cards", "show or hide what the player you look from knows"),
        KeyAction(
            "review.play-on", ("r",), "play on", "play on from here, in place of the player you look from"
        ),
        KeyAction("review.judge", ("a",), "", "pause or resume judging the game"),
        KeyAction("review.judge-anew", ("n",), "", "discard the judgement and judge the game again"),
        KeyAction("review.copy", ("y",), "", "copy the position as this player sees it"),
        KeyAction("review.export", ("e",), "", "write the game with marks and comments to a file"),
        KeyAction("review.home", ("home",), "", "to the deal"),
        KeyAction("review.end", ("end",), "", "to the end of the game"),
        KeyAction("review.sort", ("s",), "", "sort the hand another way"),
        KeyAction("review.colours", ("c",), "", "two or four colours"),
        KeyAction("review.size", ("z",), "", "size of the cards"),
        KeyAction("review.log", ("l",), "log", "show or hide the moves"),
        KeyAction("review.back", ("escape",), "back", "back; the judgement of a game in the library is kept"),
        KeyAction(
            "knowledge.other-side",
            ("j",),
            "other side",
            "where the cards are, or what the others know of the hand",
        ),
        KeyAction("knowledge.card-left", ("ctrl+left",), "", "describe the card to the left"),
        KeyAction("knowledge.card-right", ("ctrl+right",), "", "describe the card to the right"),
        KeyAction("knowledge.card-up", ("ctrl+up",), "", "describe the card above"),
        KeyAction("knowledge.card-down", ("ctrl+down",), "", "describe the card below"),
        KeyAction("form.up", ("up",), "choose", "the line above"),
        KeyAction("form.down", ("down",), "choose", "the line below"),
        KeyAction("form.left", ("left",), "change", "the value before"),
        KeyAction("form.right", ("right",), "change", "the next value"),
        KeyAction("form.open", ("enter", "space"), "open", "pick from a list, or write a value"),
        KeyAction("form.page-up", ("pageup",), "", "one page up"),
        KeyAction("form.page-down", ("pagedown",), "", "one page down"),
        KeyAction("form.home", ("home",), "", "to the first line"),
        KeyAction("form.end", ("end",), "", "to the last line"),
        KeyAction("setup.start", ("f5", "ctrl+s"), "start", "start the game"),
        KeyAction("setup.back", ("escape",), "menu", "back to the menu"),
        KeyAction("settings.back", ("escape",), "back", "back; every change is already in force"),
        KeyAction("library.up", ("up",), "choose", "the game above"),
        KeyAction("library.down", ("down",), "choose", "the game below"),
        KeyAction("library.open", ("enter",), "open", "open the game, or continue an unfinished one"),
        KeyAction("library.search", ("/",), "search", "search as you type: names, rules, dates, results"),
        KeyAction("library.filter", ("f",), "filter", "show only games of some rules, players or results"),
        KeyAction("library.clear", ("c",), "", "show all games again"),
        KeyAction("library.delete", ("d", "delete"), "delete", "delete the game"),
        KeyAction("library.undo", ("u", "z"), "undo", "bring back what was deleted last"),
        KeyAction("library.sort", ("s",), "sort", "sort by the next column"),
        KeyAction("library.reverse", ("S",), "", "sort the other way round"),
        KeyAction("library.export", ("e",), "export", "write the game to a file"),
        KeyAction("library.export-all", ("E",), "", "write all games shown to a file"),
        KeyAction("library.import", ("i",), "import", "read games from a file"),
        KeyAction("library.statistics", ("t",), "", "statistics of all games"),
        KeyAction("library.page-up", ("pageup",), "", "one page up"),
        KeyAction("library.page-down", ("pagedown",), "", "one page down"),
        KeyAction("library.home", ("home",), "", "to the first game"),
        KeyAction("library.end", ("end",), "", "to the last game"),
        KeyAction("library.back", ("escape",), "back", "back; from the search to the list"),
        KeyAction("statistics.up", ("up",), "", "the line above"),
        KeyAction("statistics.down", ("down",), "", "the line below"),
        KeyAction("statistics.previous", ("left",), "groups", "group games another way"),
        KeyAction("statistics.next", ("right", "tab"), "groups", "by opponent, rules or number of players"),
        KeyAction("statistics.plot", ("g",), "graph", "rating, share of lost games or accuracy over time"),
        KeyAction("statistics.player", ("p",), "player", "whose games are counted"),
        KeyAction("statistics.page-up", ("pageup",), "", "one page up"),
        KeyAction("statistics.page-down", ("pagedown",), "", "one page down"),
        KeyAction("statistics.home", ("home",), "", "to the first line"),
        KeyAction("statistics.end", ("end",), "", "to the last line"),
        KeyAction("statistics.back", ("escape",), "back", "back"),
        KeyAction("rules.up", ("up",), "scroll", "one line up"),
        KeyAction("rules.down", ("down",), "scroll", "one line down"),
        KeyAction("rules.page-up", ("pageup",), "", "one page up"),
        KeyAction("rules.page-down", ("pagedown", "space"), "", "one page down"),
        KeyAction("rules.previous", ("left", "["), "section", "the section before"),
        KeyAction("rules.next", ("right", "]"), "section", "the next section"),
        KeyAction("rules.home", ("home",), "", "to the beginning"),
        KeyAction("rules.end", ("end",), "", "to the end"),
        KeyAction("rules.back", ("escape",), "back", "back"),
        KeyAction("dialog.left", ("left",), "choose", "the button before"),
        KeyAction("dialog.right", ("right",), "choose", "the next button"),
        KeyAction("dialog.up", ("up",), "", "the button before, or scroll up"),
        KeyAction("dialog.down", ("down",), "", "the next button, or scroll down"),
        KeyAction("dialog.close", ("escape",), "close", "close, changing nothing"),
        KeyAction("app.help", ("?", "f1"), "help", "the keys of this screen"),
        KeyAction("app.settings", ("f2",), "", "settings"),
        KeyAction("app.rules", ("f3",), "", "how the game goes, and the rules"),
        KeyAction("app.palette", ("ctrl+p",), "", "all commands"),
        KeyAction("app.quit", ("ctrl+q",), "quit", "leave the program; a running game stays saved"),
    )
}
"""All actions by id, in the order in which footer and help show them."""

_INSIDE: Final[Mapping[str, tuple[str, ...]]] = {"setup": ("form",), "settings": ("form",)}
"""Places whose keys also work at another one, and come before its own."""
_BESIDE: Final[Mapping[str, tuple[str, ...]]] = dict.fromkeys(("table", "watch", "review"), ("knowledge",))
"""Places whose keys also work at another one, behind its own."""

_LATIN: Final = "`qwertyuiop[]asdfghjkl;'zxcvbnm,./"
_CYRILLIC: Final = "ёйцукенгшщзхъфывапролджэячсмитьбю."
_TWINS: Final[Mapping[str, str]] = {
    **dict(zip(_LATIN, _CYRILLIC, strict=True)),
    **dict(zip('~QWERTYUIOP{}ASDFGHJKL:"ZXCVBNM<>', _CYRILLIC[:-1].upper(), strict=True)),
    "?": "comma",
}
"""What a key of the Latin layout types in the Russian one."""

_LABELS: Final[Mapping[str, str]] = {
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
    "enter": "⏎",
    "space": mark("Space"),
    "tab": "Tab",
    "escape": "Esc",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
    "insert": "Ins",
    "delete": "Del",
    "backspace": "Backspace",
    "comma": ",",
}
_ASCII_LABELS: Final[Mapping[str, str]] = {
    "left": "<",
    "right": ">",
    "up": "Up",
    "down": "Down",
    "enter": "Enter",
}
_NAMED: Final = frozenset(_LABELS) | {f"f{number}" for number in range(1, 13)}
_MODIFIERS: Final = ("ctrl", "alt", "shift")


def twin(key: str) -> str | None:
    """Return the key that lies there in the Russian layout, such as ``ctrl+к``; None where it is the same."""
    modifiers, plain = _split(key)
    other = _TWINS.get(plain)
    return None if other is None else modifiers + other


def key_label(key: str, *, ascii_only: bool = False) -> str:
    """Return how a key is shown to people, such as ``←``, ``Space`` or ``Ctrl+Q``."""
    modifiers, plain = _split(key)
    label = (_ASCII_LABELS.get(plain) if ascii_only else None) or _LABELS.get(plain)
    if label is None:
        label = plain.upper() if modifiers or plain in _NAMED else plain
    return modifiers.title() + translate(label)


@cache
def _of(place: str) -> tuple[KeyAction, ...]:
    return tuple(action for action in ACTIONS.values() if action.place == place)


def _around(place: str) -> tuple[str, ...]:
    others = (outer for inner in (_INSIDE, _BESIDE) for outer in inner if place in inner[outer])
    return (place, *others)


def _split(key: str) -> tuple[str, str]:
    """Cut a key into its modifiers, with the plus sign after each, and the plain key."""
    head, plus, tail = key[:-1].rpartition("+")
    return head + plus, tail + key[-1:]


def _check_key(action_id: str, key: str) -> None:
    modifiers, plain = _split(key)
    right = plain in _NAMED or (len(plain) == 1 and plain.isprintable() and plain not in " ,")
    if not right or any(word not in _MODIFIERS for word in modifiers.split("+")[:-1]):
        problem = say(
            "{key!r} is not a key; expected one character, a name such as left, space, comma or f5, or one "
            "of these after ctrl+, alt+ or shift+",
            key=key,
        )
        raise KeymapError(problem, action_id)


class Keymap:
    """The keys in force: the defaults with a user's changes.

    Args:
        changes: Keys by action id, replacing the default ones.

    Raises:
        KeymapError: If there is no such action or key, a counted action gets the wrong number of
            keys, or two actions of one screen would share a key.
    """

    def __init__(self, changes: Mapping[str, Sequence[str]] | None = None) -> None:
        self.changes: dict[str, tuple[str, ...]] = {}
        for action_id, keys in (changes or {}).items():
            self.changes[action_id] = self._checked(action_id, tuple(keys))
        for place in {action.place for action in ACTIONS.values()}:
            self._check_clashes(place)

    def keys(self, action_id: str) -> tuple[str, ...]:
        """Return the Latin keys of an action, the one to show first."""
        return self.changes.get(action_id, ACTIONS[action_id].keys)

    def all_keys(self, action_id: str) -> tuple[str, ...]:
        keys = self.keys(action_id)
        places = _around(ACTIONS[action_id].place)
        taken = {key for place in places for other in self.at(place) for key in self.keys(other.id)}
        twins = [other for key in keys if (other := twin(key)) is not None and other not in taken]
        return keys + tuple(twins)

    def at(self, place: str) -> Iterator[KeyAction]:
        """Yield the actions that work at a place, the general ones last."""
        general = ("app",) if place != "app" else ()
        for part in (*_INSIDE.get(place, ()), place, *_BESIDE.get(place, ()), *general):
            yield from _of(part)

    def label(self, action_id: str, *, ascii_only: bool = False) -> str:
        return key_label(self.keys(action_id)[0], ascii_only=ascii_only)

    def _checked(self, action_id: str, keys: tuple[str, ...]) -> tuple[str, ...]:
        action = ACTIONS.get(action_id)
        if action is None:
            close = nearest(action_id, ACTIONS)
            hint = say("did you mean {word}?", word=close) if close else say("the help of the app lists them")
            raise KeymapError(say("there is no action {name!r}; {hint}", name=action_id, hint=hint))
        for key in keys:
            _check_key(action_id, key)
        if not keys or (action.counted and len(keys) != len(action.keys)):
            if action.counted:
                wanted = say("expected exactly {count} keys", count=len(action.keys))
            else:
                wanted = say("expected at least one key")
            raise KeymapError(wanted, action_id)
        return keys

    def _check_clashes(self, place: str) -> None:
        owner: dict[str, str] = {}
        for action in self.at(place):
            for key in self.keys(action.id):
                other = owner.setdefault(key, action.id)
                if other != action.id:
                    problem = say("the key {key!r} already belongs to {other}", key=key, other=other)
                    raise KeymapError(problem, action.id, key, other)
