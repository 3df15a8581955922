"""The Laboratory: rules presets, research agents in any seat, seeds and series."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final

from durak_core import PRESETS, Rules
from durak_core.agents.catalogue import AGENTS
from durak_core.agents.personas import LEVEL, OPPONENTS
from durak_core.agents.registry import thinks
from durak_core.errors import AgentError
from durak_tui.players.opponents import called
from durak_tui.players.roster import (
    HUMAN,
    TIMES,
    check_bot,
    describe,
    resolve_opponent,
    short_name,
    time_label,
    with_time,
)
from durak_tui.setup.screens.draft import DraftScreen
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, mark, pgettext, translate
from durak_tui.text.phrases import choice_words, preset_text
from durak_tui.text.rules_text import rule
from durak_tui.ui.screens.dialogs import Pick, Write
from durak_tui.ui.widgets.form import Row

_ANY_SEED: Final = "any"
_SEAT: Final = "seat "
_TIME: Final = "time "
_USUAL_TIME: Final = 1000
"""Milliseconds per move for a searching bot chosen by name."""
_OWN_TIME: Final = "own"
_YES_NO: Final = ("no", "yes")
OTHER_WORDS: Final = (_ANY_SEED, _OWN_TIME, *_YES_NO, *TIMES)
"""Choices that `tools/catalogue.py` extracts for translation."""
_LARGEST_SEED: Final = 2**63 - 1
_MOST_GAMES: Final = 10_000
_OTHER: Final = "other"
_TEXT_HINT: Final = mark("An agent with its options, such as ismcts:time=500.")
_GAMES: Final = ("1", "2", "3", "5", "10", "20", "50", "100")


class AdvancedSetupScreen(DraftScreen):
    """Edits a draft for experiments."""

    HEADING: ClassVar[str] = mark("Laboratory")
    PARAGRAPHS: ClassVar = {"preset": "12", "seed": "3.1"}

    # Drawing

    def rows(self) -> list[Row]:
        draft = self.draft
        return [
            Row("", pgettext("heading", "Game")),
            self._preset_row(),
            self._seed_row(),
            Row("", gettext("Players")),
            *(row for seat, player in enumerate(draft.players) for row in _seat_rows(seat, player)),
            *(() if draft.people else self._series_rows()),
        ]

    def _preset_row(self) -> Row:
        words = {preset: preset_text(preset) for preset in PRESETS}
        help_ = gettext("The rules of other published programs (rules 12).")
        return Row("preset", gettext("Preset"), self.draft.base, tuple(PRESETS), help=help_, words=words)

    def _seed_row(self) -> Row:
        words = choice_words((_ANY_SEED,))
        paragraph = " ".join(rule("3.1").replace("**", "").replace("`", "").split())
        help_ = gettext("Or {word}. {rule}", word=words[_ANY_SEED], rule=paragraph)
        seed = _ANY_SEED if self.draft.seed is None else str(self.draft.seed)
        return Row("seed", gettext("Seed"), seed, written=True, help=help_, words=words)

    def _series_rows(self) -> list[Row]:
        rotating = _YES_NO[self.draft.rotating]
        turn = gettext("All players move one seat on after each game.")
        games = gettext("How many games to watch one after the other, with a score.")
        return [
            Row("", gettext("Series")),
            Row("games", gettext("Games"), str(self.draft.games), _GAMES, written=True, help=games),
            Row("rotate", gettext("Rotate seats"), rotating, _YES_NO, help=turn, words=choice_words(_YES_NO)),
        ]

    # Changing

    def change(self, name: str, text: str) -> None:
        draft = self.draft
        if name == "preset":
            draft.take_rules(Rules.preset(text))
        elif name == "seed":
            word = text.strip()
            draft.seed = None if word.casefold() in _any_seed_words() else int(word)
        elif name == "games":
            draft.games = int(text)
        elif name == "rotate":
            draft.rotating = text == "yes"
        elif name.startswith(_SEAT):
            self._seat_player(int(name.removeprefix(_SEAT)), text.strip())
        else:
            seat = int(name.removeprefix(_TIME))
            player = draft.players[seat]
            draft.take_player(seat, with_time(player, TIMES[text]) or player)
        self.show()

    def _seat_player(self, seat: int, player: str) -> None:
        player = resolve_opponent(player)
        if player in AGENTS and thinks(player):
            player = with_time(player, _USUAL_TIME) or player
        self.draft.take_player(seat, player)

    def open_row(self, row: Row, typed: str) -> None:
        def answered(text: str) -> None:
            if text == _OTHER:
                player = self.draft.players[int(row.name.removeprefix(_SEAT))]
                self.ask(Write(row.label, player, _player_problem, translate(_TEXT_HINT)), answered)
            else:
                self.change(row.name, text)

        if row.written and (typed or not row.name.startswith(_SEAT)):
            problem = _PROBLEMS.get(row.name, _player_problem)
            self.ask(Write(row.label, row.value, problem, row.help, typed=typed), answered)
        elif row.name.startswith(_SEAT):
            other = (_OTHER, gettext("other: write an agent with its options"))
            choices = [(choice, f"{words}: {describe(choice)}".rstrip(": ")) for choice, words in row.options]
            self.ask(Pick(row.label, [*choices, other], row.value), answered)
        else:
            super().open_row(row, typed)


def _seat_rows(seat: int, player: str) -> list[Row]:
    choices = (HUMAN, *(one.text for one in OPPONENTS), *(name for name in AGENTS if name != LEVEL.name))
    words = {HUMAN: gettext("a person"), **{choice: called(choice) for choice in choices if choice != HUMAN}}
    label = gettext("Seat {seat}", seat=seat)
    sit = describe(player)
    rows = [Row(f"{_SEAT}{seat}", label, short_name(player), choices, True, sit, "", words)]
    name = player.partition(":")[0]
    if name in AGENTS and thinks(name) and with_time(name, _USUAL_TIME):
        help_ = gettext("How long this bot may think for a move.")
        time = time_label(player) or _OWN_TIME
        words = choice_words((*TIMES, _OWN_TIME))
        label = "   " + gettext("time per move")
        rows.append(Row(f"{_TIME}{seat}", label, time, tuple(TIMES), help=help_, words=words))
    return rows


def _player_problem(text: str) -> str:
    try:
        if text.strip() != HUMAN:
            check_bot(text)
    except AgentError as error:
        return core_words(error)
    return ""


def _games_problem(text: str) -> str:
    word = text.strip()
    if word.isascii() and word.isdecimal() and 1 <= int(word[:9]) <= _MOST_GAMES:
        return ""
    return gettext("expected a number from {low} to {high}", low=1, high=_MOST_GAMES)


def _seed_problem(text: str) -> str:
    word = text.strip()
    if word.casefold() in _any_seed_words() or (
        word.isascii() and word.isdecimal() and int(word[:20]) <= _LARGEST_SEED
    ):
        return ""
    word = pgettext("choice", _ANY_SEED)
    return gettext("expected a number from 0 to {most}, or {word}", most=_LARGEST_SEED, word=word)


def _any_seed_words() -> set[str]:
    return {"", _ANY_SEED, pgettext("choice", _ANY_SEED).casefold()}


_PROBLEMS: Final[dict[str, Callable[[str], str]]] = {"seed": _seed_problem, "games": _games_problem}
