"""The command palette."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any, Final

from textual import work
from textual.app import App, SystemCommand
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hits
from textual.css.query import NoMatches
from textual.system_commands import SystemCommandsProvider

from durak_core import Rules
from durak_core.agents.personas import OPPONENTS
from durak_tui.play.setup import Launch, play_setup
from durak_tui.players import character_of, name_of, stars_text
from durak_tui.settings import KeysScreen
from durak_tui.text.i18n import gettext, translate
from durak_tui.text.phrases import capital
from durak_tui.ui.screens.base import AppContext, AppScreen, DurakScreen
from durak_tui.ui.theme import theme_words

_GAMES: Final = frozenset({"table", "real", "watch", "lobby", "friends", "tv"})
"""Places of a game that is played or watched."""
_gather: Final = vars(CommandPalette)["_gather_commands"].__wrapped__


class Palette(CommandPalette, AppScreen[None]):
    """Textual's palette, safe against keys that arrive before its list is filled or after it is closed."""

    @work(exclusive=True, group="--textual-command-palette-gather-commands")
    async def _gather_commands(self, search_value: str) -> None:
        try:
            await _gather(self, search_value)
        except NoMatches:
            if self.query(CommandList):
                raise

    def _action_command_list(self, action: str) -> None:
        with contextlib.suppress(KeyError, NoMatches):
            super()._action_command_list(action)


class Commands(SystemCommandsProvider):
    """The app's commands, in the app's order until the player searches."""

    async def discover(self) -> Hits:
        for title, about, run, _is_listed in self.app.get_system_commands(self.screen):
            yield DiscoveryHit(title, run, help=about)


def commands(screen: DurakScreen) -> Iterator[SystemCommand]:
    """Yield all commands over a screen: places to go first, except on a phone, where keys have no buttons."""
    parts = [_places(screen.app), _screen_commands(screen)]
    if screen.has_word_bar:
        parts.reverse()
    yield from chain(*parts, _games(screen.app, screen.host), _theme_commands(screen.app, screen.host))


def _screen_commands(screen: DurakScreen) -> Iterator[SystemCommand]:
    """Yield a screen's actions. On a phone, which has no keys, Back comes first."""
    keymap = screen.host.settings.keymap
    actions = list(keymap.at(screen.PLACE))
    if screen.has_word_bar:
        actions.sort(key=lambda action: "escape" not in action.keys)
    for action in actions:
        if action.counted or action.id == "app.palette":
            continue
        owner = screen.focused if action.place == "form" else screen
        run = partial(screen.app.run_action, action.action, owner)
        title = capital(translate(action.help))
        key = keymap.label(action.id)
        yield SystemCommand(title, gettext("key {key}", key=key) if key else "", run)


def _is_free(app: App[Any]) -> bool:
    """Whether no game is played or watched, so that another can begin."""
    return not any(isinstance(screen, DurakScreen) and screen.PLACE in _GAMES for screen in app.screen_stack)


def _places(app: App[Any]) -> Iterator[SystemCommand]:
    """Yield a command for every screen."""
    opens = gettext("opens the screen")
    places = {
        gettext("New game"): "set_up",
        gettext("Daily deal"): "daily",
        gettext("Learn"): "learn",
        gettext("Puzzles"): "puzzles",
        gettext("Learn from your mistakes"): "mistakes",
        gettext("With friends"): "friends",
        gettext("Real cards"): "real",
        gettext("Watch"): "set_up(True)",
    }
    for title, action in places.items() if _is_free(app) else ():
        yield SystemCommand(title, opens, partial(app.run_action, action))
    yield SystemCommand(gettext("Library"), opens, partial(app.run_action, "library"))
    yield SystemCommand(gettext("Statistics"), opens, partial(app.run_action, "statistics"))
    yield SystemCommand(gettext("Keys"), opens, lambda: app.push_screen(KeysScreen()))


def _games(app: App[Any], host: AppContext) -> Iterator[SystemCommand]:
    """Yield a game against each opponent."""
    if _is_free(app):
        about = gettext("random pairs of opponents, game after game")
        yield SystemCommand(gettext("Watch TV"), about, host.watch_pairs)
        for opponent in OPPONENTS:
            rules = Rules.parse(host.settings.rules).changed(seats=2)
            launch = Launch(rules, (opponent.text,))
            begin = partial(_play, host, launch)
            stars = stars_text(opponent.stars, ascii_only=host.settings.ascii)
            about = f"{stars} {capital(character_of(opponent))}"
            title = gettext("Play against {name}", name=name_of(opponent))
            yield SystemCommand(title, about, begin)


def _theme_commands(app: App[Any], host: AppContext) -> Iterator[SystemCommand]:
    for name, words in theme_words(app.available_themes.values()).items():
        title = gettext("Colours: {theme}", theme=words)
        change = partial(host.change_settings, theme=name)
        yield SystemCommand(title, gettext("the colours around the cards"), change)


def _play(host: AppContext, launch: Launch) -> None:
    host.begin(play_setup(host.settings, launch))
