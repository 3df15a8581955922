"""The key bar: the last line of every screen lists the keys available."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.style import Style as RichStyle
from textual.content import Content
from textual.style import Style
from textual.widget import Widget

from durak_tui.keys.actions import ACTIONS, Key
from durak_tui.keys.keymap import Keymap
from durak_tui.text.i18n import pgettext
from durak_tui.text.phrases import capital
from durak_tui.ui.view.board_data import ButtonView
from durak_tui.ui.widgets.canvas import part_names
from durak_tui.ui.widgets.cards import UPRIGHT

_GAP = "   "
_FOR_HANDS = frozenset({"up", "down", "left", "right", "enter"})
"""Keys that touch makes unnecessary."""
_PAGES_BUTTON: Final = 8
"""Columns that the page's button for the keyboard covers in landscape orientation."""
_WANTED: Final = ("open_hands", "undo")
"""Actions that get a word to tap before all others, the most important first."""
_MORE: Final = "app.palette"
"""The key that opens the command palette, which has what does not fit."""


class KeyBar(Widget):
    """Clickable keys and their labels, the screen's keys before the app's.

    If there is too little room, the screen's last entries are left out. On a narrow or touch screen the bar
    shows words to tap; the command palette has the rest.
    """

    ALLOW_SELECT: ClassVar[bool] = False
    DEFAULT_CSS = """
    KeyBar {
        dock: bottom;
        height: 1;
        padding: 0 1;
        background: $panel;
        color: $foreground;
        pointer: pointer;
        link-style: none;
        link-color-hover: $accent;
        link-background-hover: $panel-lighten-1;
        link-style-hover: bold;
        & .key-bar--key { color: $footer-key-foreground; text-style: bold; }
        & .key-bar--label { color: $foreground 80%; }
        & .key-bar--tap { background: $panel-lighten-2; color: $foreground; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = part_names(DEFAULT_CSS)

    def __init__(self, place: str) -> None:
        super().__init__()
        self._place = place
        self._keymap = Keymap()
        self._ascii = False

    def show(self, keymap: Keymap, *, ascii_only: bool) -> None:
        self._keymap, self._ascii = keymap, ascii_only
        self.refresh()

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, lambda _screen: self.refresh())

    @property
    def link_style(self) -> RichStyle:
        """No style: keys and labels have their own colours, which a link's would replace."""
        return RichStyle.null()

    def render(self) -> Content:
        if self.screen.has_class("-narrow") or self.screen.has_class("-touch"):
            return self._words_to_tap()
        items = list(self._items())
        room = self.content_size.width - sum(item.width for item in items if item.is_general)
        shown = []
        for item in items:
            if not item.is_general:
                room -= item.width
                if room < 0:
                    continue
            shown.append(self._piece(item))
        return Content("").join(shown)

    def buttons(self) -> tuple[ButtonView, ...]:
        """Return the words to tap as buttons named by key ids, the command palette first."""
        words = (ButtonView(item.key_id, capital(item.label)) for item in self._words())
        return (ButtonView(_MORE, pgettext("button", "More")), *words)

    def _words(self) -> list[_Item]:
        """Return the actions that need a button, the most important first.

        A place's own actions come before others, and the last ones before the first.
        """
        above: frozenset[str] = getattr(self.screen, "buttons", frozenset())
        items = [item for item in self._items() if not item.is_general and not item.is_for_hands]
        items = [item for item in items if item.key_id not in above]
        wanted = {word: number for number, word in enumerate(_WANTED)}
        items.reverse()
        items.sort(key=lambda item: (item.place != self._place, wanted.get(item.word, len(wanted))))
        return items

    def _words_to_tap(self) -> Content:
        """Return the words that fit, the most important ones at the right."""
        more = (f" {pgettext('button', 'More')} ", ACTIONS[_MORE].action)
        words: list[tuple[str, str]] = []
        room = self.content_size.width - cell_len(more[0])
        if self.content_size.width >= UPRIGHT:
            room -= _PAGES_BUTTON
        for item in self._words():
            word = f" {capital(item.label)} "
            if room <= cell_len(word):
                continue
            room -= cell_len(word) + 1
            words.insert(0, (word, item.keys[-1][1]))
        tap = self.get_visual_style("key-bar--tap")
        lines = []
        for number in range(self.size.height):
            is_middle = number == self.size.height // 2
            pieces = [
                (word if is_middle else " " * cell_len(word), tap + Style.from_meta({"@click": action}))
                for word, action in (*words, more)
            ]
            lines.append(Content(" ").join(Content.styled(*piece) for piece in pieces))
        return Content("\n").join(lines)

    def _piece(self, item: _Item) -> Content:
        key, label = self.get_visual_style("key-bar--key"), self.get_visual_style("key-bar--label")
        clicks = [Style.from_meta({"@click": action}) for _key, action in item.keys]
        keys = [(shown, key + click) for (shown, _action), click in zip(item.keys, clicks, strict=True)]
        return Content.assemble(*keys, (f" {item.label}", label + clicks[-1]), _GAP)

    def _items(self) -> Iterator[_Item]:
        item: _Item | None = None
        for action in self._keymap.at(self._place):
            label = self._label(action)
            shown = self._keymap.label(action.id, ascii_only=self._ascii)
            if not label or not shown or not self._is_allowed(action):
                continue
            owner = "focused" if action.place == "form" else "screen"
            does = action.action if action.action.startswith("app.") else f"{owner}.{action.action}"
            if item is None or item.label != label:
                if item is not None:
                    yield item
                item = _Item(label, action.word, action.place, action.keys[0] in _FOR_HANDS)
            item.key_id = action.id
            item.keys.append((shown, does))
        if item is not None:
            yield item

    def _label(self, action: Key) -> str:
        words = getattr(self.screen, "bar_label", None)
        return action.label if words is None else str(words(action))

    def _is_allowed(self, action: Key) -> bool:
        offers = getattr(self.screen, "offers", None)
        return offers is None or action.place == "app" or offers(action.word)


@dataclass(slots=True)
class _Item:
    """An entry: one label and its keys; ``key_id`` is the id of the last one."""

    label: str
    word: str
    place: str
    is_for_hands: bool
    key_id: str = ""
    keys: list[tuple[str, str]] = field(default_factory=list)

    @property
    def is_general(self) -> bool:
        return self.place == "app"

    @property
    def width(self) -> int:
        return sum(cell_len(shown) for shown, _action in self.keys) + 1 + cell_len(self.label) + len(_GAP)
