"""Setting up a game: rules, seats, players and seed; what cannot be played is explained at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from durak_core import OPTIONS, PRESETS, Rules
from durak_core.agents.catalogue import AGENTS
from durak_core.agents.level import OPPONENTS, opponent_of
from durak_core.agents.registry import thinks
from durak_core.config import ConfigError
from durak_core.errors import AgentError, DurakError, RulesError
from durak_core.rules import Option, OptionValue
from durak_tui.input.bindings import bindings
from durak_tui.play.series import NO_SERIES, Series
from durak_tui.play.setup import GameSetup, names_at_table, new_seed, usual_players
from durak_tui.players.opponents import called, stars_of
from durak_tui.players.roster import (
    HUMAN,
    TIMES,
    check_bot,
    describe,
    manner,
    resolve_opponent,
    short_name,
    time_label,
    with_time,
)
from durak_tui.screens.base import DurakScreen, Words
from durak_tui.screens.dialogs import Pick, Write
from durak_tui.storage.settings import Settings
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import mark, say, say_as, translate
from durak_tui.text.phrases import any_of, capital, choice_words, option_text, preset_text
from durak_tui.text.rules_text import rule
from durak_tui.widgets.form import Form, Row

_ANY_SEED: Final = "any"
_SEAT: Final = "seat "
_TIME: Final = "time "
_USUAL_TIME: Final = 1000
"""Milliseconds a move for a bot that thinks and was chosen by its name."""
_OWN_TIME: Final = "own"
_YES_NO: Final = ("no", "yes")
OTHER_WORDS: Final = (_ANY_SEED, _OWN_TIME, *_YES_NO, *TIMES)
"""Words that may stand in a row without being choices of an option."""
_LARGEST_SEED: Final = 2**63 - 1
_MOST_GAMES: Final = 10_000
_MOST_CHOICES: Final = 100
_OTHER: Final = "other"
_TEXT_HINT: Final = mark("human, an opponent, or an agent with its options, such as ismcts:time=500.")
_GAMES: Final = ("1", "2", "3", "5", "10", "20", "50", "100")


class SetupScreen(DurakScreen):
    """Choose everything that a game begins with."""

    PLACE: ClassVar[str] = "setup"
    BINDINGS: ClassVar = bindings("setup")
    CSS_PATH = "form.tcss"
    MOVED = Form

    def __init__(self) -> None:
        super().__init__()
        self._base = ""
        self._values: dict[str, OptionValue] = {}
        self._players: tuple[str, ...] = ()
        self._names: tuple[str, ...] = ()
        self._seed = _ANY_SEED
        self._games = 1
        self._rotating = False

    def compose_body(self) -> ComposeResult:
        yield Words(mark("New game"), classes="form-title")
        yield Form()
        with Vertical(classes="form-foot -tall"):
            yield Static(id="form-problem", markup=False)
            yield Static(id="form-help", markup=False)

    def on_mount(self) -> None:
        settings = self.host.settings
        self._take_rules(Rules.parse(settings.rules))
        self._players = usual_players(self._seats, human=True, chosen=settings.players)

    @property
    def paragraph(self) -> str:
        row = self.query_one(Form).row
        if row is None or row.name not in OPTIONS:
            return "12" if row is not None and row.name == "preset" else ""
        return OPTIONS[row.name].paragraph

    def settings_changed(self) -> None:
        super().settings_changed()
        self.query_one(Form).ascii_only = self.host.settings.ascii
        self._show()

    # What is chosen

    @property
    def _seats(self) -> int:
        return int(self._values["seats"] or 0)

    def _take_rules(self, rules: Rules) -> None:
        self._base = rules.base
        self._values = {name: getattr(rules, name) for name in OPTIONS}

    def _rules(self) -> Rules:
        """Return the rules as chosen; raise a `RulesError` if they cannot be played."""
        return Rules.preset(self._base, **self._values)

    def _setup(self) -> GameSetup:
        """Return the game as chosen; raise a `DurakError` if it cannot be played."""
        seed = new_seed() if self._seed == _ANY_SEED else int(self._seed)
        players = tuple(map(resolve_opponent, self._players))
        series = NO_SERIES if HUMAN in players else Series(planned=self._games, rotating=self._rotating)
        return GameSetup(self._rules(), players, self._all_names(), seed, series=series)

    def _all_names(self) -> tuple[str, ...]:
        if len(self._names) == self._seats:
            return self._names
        return names_at_table(self._players, self.host.settings)

    def _problem(self) -> str:
        try:
            self._setup()
        except DurakError as error:
            return capital(f"{core_words(error)}.")
        return ""

    # Showing

    def _show(self) -> None:
        self.query_one(Form).show(self._rows())
        self.query_one("#form-problem", Static).update(self._problem())

    def _rows(self) -> list[Row]:
        start = say("Enter starts it; so does the key in the last line.")
        names = ", ".join(self._all_names())
        chairs = ("2", "3", "4", "5", "6")
        options = [option for option in OPTIONS.values() if option.name != "seats"]
        return [
            Row("start", say("Start the game"), help=start),
            Row("", say_as("heading", "Game")),
            self._preset_row(),
            Row("seats", say("Seats"), str(self._seats), chairs, help=_explained(OPTIONS["seats"])),
            self._seed_row(),
            Row("", say("Players")),
            *(row for seat, player in enumerate(self._players) for row in _seat_rows(seat, player)),
            Row("names", say("Names"), names, written=True, help=say("Separated by commas.")),
            *(self._series_rows() if HUMAN not in self._players else ()),
            Row("", say("Options of the rules")),
            *(self._option_row(option) for option in options),
        ]

    def _series_rows(self) -> list[Row]:
        rotating = _YES_NO[self._rotating]
        turn = say("Everybody moves one seat on after each game.")
        games = say("How many games to watch one after the other, with a score.")
        return [
            Row("", say("Series")),
            Row("games", say("Games"), str(self._games), _GAMES, written=True, help=games),
            Row("rotate", say("Rotate seats"), rotating, _YES_NO, help=turn, words=choice_words(_YES_NO)),
        ]

    def _preset_row(self) -> Row:
        words = {preset: preset_text(preset) for preset in PRESETS}
        help_ = say("Sets all options (rules 12).")
        return Row("preset", say("Preset"), self._base, tuple(PRESETS), help=help_, words=words)

    def _seed_row(self) -> Row:
        words = choice_words((_ANY_SEED,))
        help_ = say("Or {word}. {rule}", word=words[_ANY_SEED], rule=_plain_paragraph("3.1"))
        return Row("seed", say("Seed"), self._seed, written=True, help=help_, words=words)

    def _option_row(self, option: Option) -> Row:
        value = self._values[option.name]
        usual = getattr(Rules.preset(self._base), option.name)
        choices = list(option.choices)
        if option.low is not None and option.high is not None and option.high - option.low < _MOST_CHOICES:
            choices += map(str, range(option.low, option.high + 1))
        elif option.low is not None:
            choices = []
        words = choice_words(option.choices)
        was = option.show(usual)
        note = "" if value == usual else say("instead of {value}", value=words.get(was, was))
        label = option_text(option)
        written = option.low is not None
        help_ = _explained(option)
        return Row(option.name, label, option.show(value), tuple(choices), written, help_, note, words)

    @on(Form.Moved)
    def explain(self) -> None:
        row = self.query_one(Form).row
        self.query_one("#form-help", Static).update(row.help if row else "")

    # Changing

    def on_form_changed(self, event: Form.Changed) -> None:
        self._set(event.name, event.value)

    def _set(self, name: str, text: str) -> None:
        if name == "preset":
            self._take_rules(Rules.preset(text, seats=self._seats))
        elif name == "seed":
            word = text.strip()
            self._seed = _ANY_SEED if word.casefold() in _any_seed_words() else word
        elif name == "names":
            self._names = _split_names(text)
        elif name == "games":
            self._games = int(text)
        elif name == "rotate":
            self._rotating = text == "yes"
        elif name.startswith(_SEAT):
            self._seat_player(int(name.removeprefix(_SEAT)), text.strip())
        elif name.startswith(_TIME):
            seat = int(name.removeprefix(_TIME))
            self._seat_player(seat, with_time(self._players[seat], TIMES[text]) or self._players[seat])
        else:
            self._values[name] = _read_value(OPTIONS[name], text)
        if name == "seats":
            human = HUMAN in self._players
            self._players = usual_players(self._seats, human=human, chosen=self._players[: self._seats])
        self._show()

    def _seat_player(self, seat: int, player: str) -> None:
        """Seat a player; others keep their names unless a person comes or goes."""
        players = list(self._players)
        was_human = HUMAN in (players[seat], player)
        player = resolve_opponent(player)
        if player in AGENTS and thinks(player):
            player = with_time(player, _USUAL_TIME) or player
        players[seat] = player
        self._players = tuple(players)
        if was_human:
            self._names = ()

    def on_form_opened(self, event: Form.Opened) -> None:
        row = event.row
        if row.name == "start":
            self.action_start()
            return

        def answered(text: str) -> None:
            if text == _OTHER and row.name.startswith(_SEAT):
                player = resolve_opponent(self._players[int(row.name.removeprefix(_SEAT))])
                self.ask(Write(row.label, player, self._check(row.name), translate(_TEXT_HINT)), answered)
            else:
                self._set(row.name, text)

        if row.choices and not row.written:
            self.ask(Pick(row.label, row.options, row.value), answered)
        elif row.name.startswith(_SEAT) and not event.typed:
            texts = (*[opponent.text for opponent in OPPONENTS], *AGENTS)
            bots = [(name, f"{called(name)}: {describe(name)}") for name in texts]
            other = say("other: write an agent with its options")
            choices = [(HUMAN, say("human: you")), *bots, (_OTHER, other)]
            self.ask(Pick(row.label, choices, row.value), answered)
        else:
            self.ask(
                Write(row.label, row.value, self._check(row.name), row.help, typed=event.typed), answered
            )

    def _check(self, name: str) -> Callable[[str], str]:
        if name == "seed":
            return _seed_problem
        if name == "games":
            return _games_problem
        if name == "names":
            return lambda text: _names_problem(text, self._seats)
        if name.startswith(_SEAT):
            return _player_problem
        return lambda text: _option_problem(OPTIONS[name], text)

    # Leaving

    def action_start(self) -> None:
        problem = self._problem()
        if problem:
            self.app.bell()
            self.query_one("#form-problem", Static).update(problem)
            return
        setup = self._setup()
        changes: dict[str, Any] = {"players" if setup.humans else "watched": self._players}
        if setup.is_shared:
            changes["guests"] = tuple(setup.names[seat] for seat in sorted(setup.humans))
        self.host.change_settings(rules=setup.rules.text, **changes)
        self.dismiss()
        self.host.begin(setup)


def _explained(option: Option) -> str:
    expected = list(choice_words(option.choices).values())
    if option.low is not None:
        expected.append(say("a number from {low} to {high}", low=option.low, high=option.high))
    text = _plain_paragraph(option.paragraph).removeprefix(option.paragraph).strip()
    return say(
        "{summary}: {expected} (rules {paragraph}). {text}",
        summary=capital(translate(option.summary)),
        expected=any_of(expected),
        paragraph=option.paragraph,
        text=text,
    )


def _read_value(option: Option, text: str) -> OptionValue:
    """Read a value, also as people read it; raise a `RulesError` if the option does not take it."""
    words = {shown.casefold(): word for word, shown in choice_words(option.choices).items()}
    return option.read(words.get(text.strip().casefold(), text))


def _plain_paragraph(number: str) -> str:
    """Return a paragraph of the rules, or the first of a section, without its marks."""
    return " ".join(rule(number).replace("**", "").replace("`", "").split())


def _seat_rows(seat: int, player: str) -> list[Row]:
    """Make the row of a seat, and under it that of a thinking bot's time where it can be chosen."""
    sit = describe(player) or say(
        "You. Several people share the keyboard and take turns; without any you watch."
    )
    choices = (HUMAN, *[opponent.text for opponent in OPPONENTS], *AGENTS)
    words = {HUMAN: say_as("player", "human"), **{word: called(word) for word in choices[1:]}}
    label = say("Seat {seat}", seat=seat)
    opponent = opponent_of(player)
    who = manner(player) if opponent is None else stars_of(opponent)
    rows = [Row(f"{_SEAT}{seat}", label, short_name(player), choices, True, sit, who, words)]
    name = player.partition(":")[0]
    if name in AGENTS and thinks(name) and with_time(name, _USUAL_TIME):
        help_ = say("How long this bot may think for a move.")
        time = time_label(player) or _OWN_TIME
        words = choice_words((*TIMES, _OWN_TIME))
        label = "   " + say("time a move")
        rows.append(Row(f"{_TIME}{seat}", label, time, tuple(TIMES), help=help_, words=words))
    return rows


def _split_names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


def _names_problem(text: str, seats: int) -> str:
    """Say why names may not stand for the seats; nothing where they may."""
    names = _split_names(text)
    if len(names) != seats:
        return say("{count} names for {seats} seats", count=len(names), seats=seats)
    try:
        for name in names:
            Settings(name=name)
    except ConfigError as error:
        return core_words(error.problem)
    return "" if len(set(names)) == seats else say("each name only once")


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
    return say("expected a number from {low} to {high}", low=1, high=_MOST_GAMES)


def _seed_problem(text: str) -> str:
    word = text.strip()
    if word.casefold() in _any_seed_words() or (
        word.isascii() and word.isdecimal() and int(word) <= _LARGEST_SEED
    ):
        return ""
    word = say_as("choice", _ANY_SEED)
    return say("expected a number from 0 to {most}, or {word}", most=_LARGEST_SEED, word=word)


def _any_seed_words() -> set[str]:
    return {"", _ANY_SEED, say_as("choice", _ANY_SEED).casefold()}


def _option_problem(option: Option, text: str) -> str:
    try:
        _read_value(option, text)
    except RulesError as error:
        return core_words(error)
    return ""
