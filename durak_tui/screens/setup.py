"""Setting up a game: rules, seats, players and seed; what cannot be played is explained at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.containers import Vertical
from textual.widgets import Static

from durak_core import OPTIONS, PRESETS, Rules
from durak_core.errors import AgentError, DurakError, RulesError
from durak_core.rules_text import paragraph
from durak_tui.bindings import bindings
from durak_tui.newgame import new_seed, seat_names, usual_players
from durak_tui.players import (
    BOTS,
    LEVELS,
    TIMES,
    check_bot,
    describe,
    manner,
    player_text,
    short_name,
    thinks,
    time_label,
    with_time,
)
from durak_tui.screens.base import DurakScreen
from durak_tui.screens.dialogs import Pick, Write
from durak_tui.session import HUMAN, GameSetup
from durak_tui.settings import Settings, SettingsError
from durak_tui.widgets.form import Form, Row
from durak_tui.words import capital

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult

    from durak_core.rules import Option, OptionValue

__all__ = ["SetupScreen"]

_MOST_CHOICES: Final = 100
_ANY_SEED: Final = "any"
_SEAT: Final = "seat "
_TIME: Final = "time "
_USUAL_TIME: Final = 1000
"""Milliseconds a move for a bot that thinks and was chosen by its name."""
_OTHER: Final = "other"
_TEXT_HINT: Final = "human, a level, or an agent with its options, such as ismcts:time=500."
_LARGEST_SEED: Final = 2**63 - 1


class SetupScreen(DurakScreen):
    """Choose everything that a game begins with."""

    PLACE: ClassVar[str] = "setup"
    BINDINGS: ClassVar = bindings("setup")
    CSS_PATH = "form.tcss"

    def __init__(self) -> None:
        super().__init__()
        self._base = ""
        self._values: dict[str, OptionValue] = {}
        self._players: tuple[str, ...] = ()
        self._names: tuple[str, ...] = ()
        self._seed = _ANY_SEED

    def compose_body(self) -> ComposeResult:
        """Make the form, the line that explains it, and the one that says what is wrong."""
        yield Static("New game", classes="form-title")
        yield Form()
        with Vertical(classes="form-foot -tall"):
            yield Static(id="form-problem", markup=False)
            yield Static(id="form-help", markup=False)

    def on_mount(self) -> None:
        """Begin with what was played last."""
        settings = self.durak.settings
        self._take_rules(Rules.parse(settings.rules))
        self._players = usual_players(self._seats, human=True, chosen=settings.players)
        super().on_mount()

    @property
    def paragraph(self) -> str:
        """The paragraph about the row under the cursor."""
        row = self.query_one(Form).row
        if row is None or row.name not in OPTIONS:
            return "12" if row is not None and row.name == "preset" else ""
        return OPTIONS[row.name].paragraph

    def settings_changed(self) -> None:
        """Show the form."""
        super().settings_changed()
        self.query_one(Form).ascii_only = self.durak.settings.ascii
        self._show()

    # What is chosen

    @property
    def _seats(self) -> int:
        return int(self._values["seats"] or 0)

    def _take_rules(self, rules: Rules) -> None:
        self._base = rules.base
        self._values = {name: getattr(rules, name) for name in OPTIONS}

    def _rules(self) -> Rules:
        """Return the rules as chosen.

        Raises:
            RulesError: If they cannot be played.
        """
        return Rules.preset(self._base, **self._values)

    def _setup(self) -> GameSetup:
        """Return the game as chosen.

        Raises:
            DurakError: If it cannot be played.
        """
        seed = new_seed() if self._seed == _ANY_SEED else int(self._seed)
        players = tuple(map(player_text, self._players))
        return GameSetup(self._rules(), players, self._all_names(), seed)

    def _all_names(self) -> tuple[str, ...]:
        if len(self._names) == self._seats:
            return self._names
        return seat_names(self._players, self.durak.settings.name)

    def _problem(self) -> str:
        try:
            self._setup()
        except DurakError as error:
            return capital(f"{error}.")
        return ""

    # Showing

    def _show(self) -> None:
        self.query_one(Form).show(self._rows())
        self.query_one("#form-problem", Static).update(self._problem())

    def _rows(self) -> list[Row]:
        chairs = ("2", "3", "4", "5", "6")
        options = [option for option in OPTIONS.values() if option.name != "seats"]
        return [
            Row("start", "Start the game", help="Enter starts it; so does the key in the last line."),
            Row("", "Game"),
            Row("preset", "Preset", self._base, tuple(PRESETS), help="Sets all options (rules 12)."),
            Row("seats", "Seats", str(self._seats), chairs, help=_explained(OPTIONS["seats"])),
            Row("seed", "Seed", self._seed, written=True, help=f"Or {_ANY_SEED}. {_plain_paragraph('3.1')}"),
            Row("", "Players"),
            *(row for seat, player in enumerate(self._players) for row in _seat_rows(seat, player)),
            Row("names", "Names", ", ".join(self._all_names()), written=True, help="Commas between."),
            Row("", "Options of the rules"),
            *(self._option_row(option) for option in options),
        ]

    def _option_row(self, option: Option) -> Row:
        value = self._values[option.name]
        usual = getattr(Rules.preset(self._base), option.name)
        choices = list(option.choices)
        if option.low is not None and option.high is not None and option.high - option.low < _MOST_CHOICES:
            choices += map(str, range(option.low, option.high + 1))
        elif option.low is not None:
            choices = []
        note = "" if value == usual else f"instead of {option.show(usual)}"
        label = option.name.replace("_", " ").capitalize()
        written = option.low is not None
        return Row(option.name, label, option.show(value), tuple(choices), written, _explained(option), note)

    def on_form_moved(self, event: Form.Moved) -> None:
        """Explain the row under the cursor."""
        self.query_one("#form-help", Static).update(event.row.help)

    # Changing

    def on_form_changed(self, event: Form.Changed) -> None:
        """Take over another choice."""
        self._set(event.name, event.value)

    def _set(self, name: str, text: str) -> None:
        if name == "preset":
            self._take_rules(Rules.preset(text, seats=self._seats))
        elif name == "seed":
            self._seed = text.strip() or _ANY_SEED
        elif name == "names":
            self._names = _split_names(text)
        elif name.startswith(_SEAT):
            self._seat_player(int(name.removeprefix(_SEAT)), text.strip())
        elif name.startswith(_TIME):
            seat = int(name.removeprefix(_TIME))
            self._seat_player(seat, with_time(self._players[seat], TIMES[text]) or self._players[seat])
        else:
            self._values[name] = OPTIONS[name].read(text)
        if name == "seats":
            human = HUMAN in self._players
            self._players = usual_players(self._seats, human=human, chosen=self._players[: self._seats])
        self._show()

    def _seat_player(self, seat: int, player: str) -> None:
        """Seat a player; a person leaves the chair they had, and a bot keeps its name."""
        players = list(self._players)
        was_human = HUMAN in (players[seat], player)
        if player in BOTS and thinks(player):
            player = with_time(player, _USUAL_TIME) or player
        if player == HUMAN and HUMAN in players:
            players[players.index(HUMAN)] = players[seat]
        players[seat] = player
        self._players = tuple(players)
        if was_human:
            self._names = ()

    def on_form_opened(self, event: Form.Opened) -> None:
        """Start, or let a choice be picked or a value be written."""
        row = event.row
        if row.name == "start":
            self.action_start()
            return

        def answered(text: str | None) -> None:
            if text == _OTHER and row.name.startswith(_SEAT):
                self.app.push_screen(
                    Write(row.label, self._player_at(row), self._check(row.name), _TEXT_HINT), answered
                )
            elif text is not None:
                self._set(row.name, text)

        if row.choices and not row.written:
            choices = [(word, word) for word in row.choices]
            self.app.push_screen(Pick(row.label, choices, row.value), answered)
        elif row.name.startswith(_SEAT) and not event.typed:
            bots = [(name, f"{name}: {describe(name)}") for name in (*LEVELS, *BOTS)]
            choices = [(HUMAN, "human: you"), *bots, (_OTHER, "other: write an agent with its options")]
            self.app.push_screen(Pick(row.label, choices, row.value), answered)
        else:
            write = Write(row.label, row.value, self._check(row.name), row.help, typed=event.typed)
            self.app.push_screen(write, answered)

    def _player_at(self, row: Row) -> str:
        return player_text(self._players[int(row.name.removeprefix(_SEAT))])

    def _check(self, name: str) -> Callable[[str], str]:
        """Return what tells why a text may not stand in a row."""
        if name == "seed":
            return _seed_problem
        if name == "names":
            return lambda text: _names_problem(text, self._seats)
        if name.startswith(_SEAT):
            return _player_problem
        return lambda text: _option_problem(OPTIONS[name], text)

    # Leaving

    def action_start(self) -> None:
        """Start the game, and remember its rules and players."""
        problem = self._problem()
        if problem:
            self.app.bell()
            self.query_one("#form-problem", Static).update(problem)
            return
        setup = self._setup()
        who = "watched" if setup.human is None else "players"
        self.durak.change_settings(rules=setup.rules.text, **{who: self._players})
        self.dismiss()
        self.durak.begin(setup)

    def action_back(self) -> None:
        """Go back to the menu."""
        self.dismiss()


def _explained(option: Option) -> str:
    """Say what an option means, what may stand for it, and where the rules speak of it."""
    where = f"(rules {option.paragraph})"
    text = _plain_paragraph(option.paragraph).removeprefix(option.paragraph).strip()
    return f"{capital(option.summary)}: {option.expected} {where}. {text}"


def _plain_paragraph(number: str) -> str:
    """Return a paragraph of the rules, or the first of a section, without its marks."""
    text = paragraph(number)
    if text.startswith("#"):
        text = text.split("\n\n")[1]
    return " ".join(text.replace("**", "").replace("`", "").split())


def _seat_rows(seat: int, player: str) -> list[Row]:
    """Make the row of a seat, and under it that of a thinking bot's time where it can be chosen."""
    sit = describe(player) or "You. One person can play; without one you watch."
    choices = (HUMAN, *LEVELS, *BOTS)
    rows = [Row(f"{_SEAT}{seat}", f"Seat {seat}", short_name(player), choices, True, sit, _who(player))]
    name = player.partition(":")[0]
    if name in BOTS and thinks(name) and with_time(name, _USUAL_TIME):
        help_ = "How long this bot may think for a move."
        rows.append(
            Row(f"{_TIME}{seat}", "   time a move", time_label(player) or "own", tuple(TIMES), help=help_)
        )
    return rows


def _who(player: str) -> str:
    return "level" if player in LEVELS else manner(player)


def _split_names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


def _names_problem(text: str, seats: int) -> str:
    names = _split_names(text)
    if len(names) != seats:
        return f"{len(names)} names for {seats} seats"
    try:
        for name in names:
            Settings(name=name)
    except SettingsError as error:
        return str(error).partition(": ")[2]
    return "" if len(set(names)) == seats else "each name only once"


def _player_problem(text: str) -> str:
    try:
        if text.strip() != HUMAN:
            check_bot(text)
    except AgentError as error:
        return str(error)
    return ""


def _seed_problem(text: str) -> str:
    word = text.strip()
    if word in {"", _ANY_SEED} or (word.isascii() and word.isdecimal() and int(word) <= _LARGEST_SEED):
        return ""
    return f"expected a number from 0 to {_LARGEST_SEED}, or {_ANY_SEED}"


def _option_problem(option: Option, text: str) -> str:
    try:
        option.read(text)
    except RulesError as error:
        return str(error)
    return ""
