"""The new-game screen, the house rules, and the Laboratory for experiments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar, Final

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.geometry import Size
from textual.widgets import Static

from durak_core import OPTIONS, PRESETS, Rules
from durak_core.agents.personas import LEVEL, OPPONENTS, opponent_of
from durak_core.agents.registry import AGENTS, thinks
from durak_core.errors import AgentError, DurakError
from durak_tui.library.view import rating_line, score_text
from durak_tui.players import (
    HUMAN,
    TIMES,
    called,
    check_bot,
    describe,
    resolve_opponent,
    short_name,
    team_names,
    time_label,
    with_time,
)
from durak_tui.setup.model import TABLES, Draft
from durak_tui.storage.settings import settings_problem
from durak_tui.text.core_messages import core_words, rule
from durak_tui.text.house_rules import (
    GAMES,
    GROUPS,
    SETS,
    HouseRule,
    house_rules_count,
    house_rules_text,
    house_words,
    set_name,
)
from durak_tui.text.i18n import gettext, mark, ngettext, pgettext, translate
from durak_tui.text.phrases import accusative, all_of, capital, choice_words, players_words, preset_text
from durak_tui.ui.screens.base import TranslatedLabel
from durak_tui.ui.screens.dialogs import FormScreen, Pick, Write
from durak_tui.ui.widgets.form import Form, Portrait, Row, opponent_rows, start_row


class DraftScreen(FormScreen):
    """Edits a draft and shows its errors."""

    def __init__(self, draft: Draft) -> None:
        super().__init__()
        self.draft = draft

    def problem(self) -> str:
        try:
            self.draft.setup(self.host.settings)
        except DurakError as error:
            return capital(f"{core_words(error)}.")
        return ""


_SET: Final = "set"
OWN_SET: Final = "own"


def set_row(draft: Draft, name: str, label: str) -> Row:
    """Return a row to choose named house rules."""
    try:
        value = set_name(draft.rules) or OWN_SET
    except DurakError:
        value = OWN_SET
    words = {name: house_words(words) for name, (_options, words, _sentence) in SETS.items()}
    words[OWN_SET] = gettext("your own")
    help_ = house_words(SETS[value][2]) if value in SETS else gettext("The rules every table argues about.")
    return Row(name, label, value, tuple(SETS), help=help_, words=words)


class HouseRulesScreen(DraftScreen):
    """Lists rule options in groups, each with an explanation."""

    HEADING: ClassVar[str] = mark("House rules")
    PARAGRAPHS: ClassVar = {name: option.paragraph for name, option in OPTIONS.items()}

    def rows(self) -> list[Row]:
        rows = [set_row(self.draft, _SET, gettext("Rules"))]
        for group, rules in GROUPS.items():
            shown = [self._row(rule) for rule in rules if not rule.needs or self.draft.values[rule.needs]]
            rows += [Row("", house_words(group)), *shown] if shown else []
        return rows

    def _row(self, rule: HouseRule) -> Row:
        option = OPTIONS[rule.option]
        value = option.show(self.draft.values[rule.option])
        usual = option.show(getattr(Rules.preset(self.draft.base), rule.option))
        words = {choice: rule.words(choice) for choice in rule.choices(value)}
        note = "" if value == usual else gettext("usually {value}", value=rule.words(usual))
        label, help_ = house_words(rule.label), house_words(rule.sentence)
        return Row(rule.option, label, value, tuple(words), help=help_, note=note, words=words)

    def change(self, name: str, text: str) -> None:
        if name == _SET:
            self.draft.take_set(text)
        else:
            self.draft.values[name] = OPTIONS[name].read(text)
        self.show()


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
_TEXT_HINT: Final = mark(
    "An agent with its options, such as ismcts:time=500, or a class of yours: FILE.py:CLASS."
)
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
            check_bot(text, own=True)
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


_WITH_PORTRAIT: Final = 110
"""Columns needed to show the opponent under the cursor."""
_CLOCKS: Final = ("0", "30", "60")
"""Seconds a move at a table of friends."""
_NO_TEAMS: Final = "none"
_BESIDE_RULES: Final = 30
"""Columns that the row of the house rules needs next to its value."""
_AIRY: Final = 32
"""Rows needed for space between the groups."""
_PLAIN: Final = 20
"""Rows for which opponents have no descriptions."""
_AROUND: Final = 4
"""Rows of the heading, the help and the keys."""


class SetupScreen(DraftScreen, place="setup"):
    """Edits a game to play or to watch."""

    PARAGRAPHS: ClassVar = {"game": "7", "seats": "2.1", "teams": "2.2", "partners": "2.2"}

    def compose_body(self) -> ComposeResult:
        with Horizontal(classes="form-title"):
            yield TranslatedLabel(self._heading)
            yield Static(id="setup-rating", markup=False)
        with Horizontal(classes="page"):
            yield Form()
            yield Portrait()
        yield from self.compose_foot()

    @property
    def _heading(self) -> str:
        if self.draft.is_hosting:
            return mark("Host a table")
        return mark("New game") if self.draft.people else mark("Watch a game")

    @on(events.Resize)
    @on(events.ScreenResume)
    def show(self) -> None:
        line = rating_line(self.draft.standing, ascii_only=self.host.settings.ascii)
        self.query_one("#setup-rating", Static).update(line if self.draft.people else "")
        form = self.query_one(Form)
        is_first = not form.count
        super().show()
        if is_first:
            first = "game" if self.draft.is_hosting else "start"
            form.go_to(next((one.text for one in OPPONENTS if one.text in self.draft.players), first))

    # Drawing

    def rows(self) -> list[Row]:
        """Return the rows, without space between groups or descriptions of opponents if they do not fit."""
        size = self.app.size
        for height in (size.height, _AIRY - 1, _PLAIN):
            rows = self._rows(Size(size.width, min(size.height, height)))
            if len(rows) <= size.height - _AROUND or self.is_for_fingers:
                break
        return rows

    def _rows(self, size: Size) -> list[Row]:
        air = [Row("", "")] if size.height >= _AIRY else []
        return [
            *air,
            self._game_row(),
            self._seats_row(),
            *self._fairer_rows(),
            self._teams_row(),
            *self._partner_rows(),
            *air,
            Row("", self._question()),
            *opponent_rows(self.draft.players, self._beside(), size, ascii_only=self.host.settings.ascii),
            *air,
            *self._people_rows(),
            *([] if self.draft.people else [self._television_row()]),
            *air,
            self._rules_row(),
            *([] if self.draft.is_hosting else [self._laboratory_row()]),
            *air,
            start_row(self._start_label(), self._start_help()),
        ]

    def _laboratory_row(self) -> Row:
        help_ = gettext("Rules of published programs, their players, deals by number, series.")
        return Row("laboratory", gettext("Laboratory"), gettext("for research"), help=help_)

    def _beside(self) -> dict[str, str]:
        standing = self.draft.standing
        if not self.draft.people:
            return {}
        if self.draft.teams:
            own = [self.draft.players[seat] for seat in self.draft.teams[0]]
            words = {True: gettext("with you"), False: gettext("against you")}
            return {bot: words[bot in own] for bot in self.draft.bots} if self.draft.people == 1 else {}
        beside = {one.text: score_text(standing.scores.get(one.key)) for one in OPPONENTS}
        if self.draft.is_hosting:  # nothing is rated at a table of friends
            return beside
        suggested = standing.suggested.text
        beside[suggested] = "   ".join(filter(None, (gettext("next for you"), beside[suggested])))
        return beside

    def _game_row(self) -> Row:
        base = self.draft.base
        games = tuple(GAMES) if base in GAMES else (*GAMES, base)
        words = {game: preset_text(game) for game in games}
        note = house_words(GAMES[base]) if base in GAMES else gettext("rules of the Laboratory")
        return Row("game", gettext("Game"), base, games, note=note, words=words)

    def _seats_row(self) -> Row:
        choices = tuple(table for table, (_seats, teams) in TABLES.items() if teams is None)
        note = ""
        if self.draft.people == 1 and not self.draft.teams:
            opponents = ngettext("{count} opponent", "{count} opponents", len(self.draft.bots))
            note = gettext("you and {opponents}", opponents=opponents)
        return Row("seats", gettext("Players"), str(self.draft.seats), choices, note=note)

    def _fairer_rows(self) -> list[Row]:
        """Return the offer of a larger deck if all cards are dealt."""
        if not self.draft.is_unfair:
            return []
        help_ = gettext("All cards are dealt, so the seat decides more than the play.")
        return [Row("full_deck", gettext("Fairer"), gettext("with 52 cards"), help=help_)]

    def _teams_row(self) -> Row:
        words = {
            table: players_words(seats, Rules(seats=seats, teams=teams).team_count)
            for table, (seats, teams) in TABLES.items()
            if teams is not None
        }
        words = {_NO_TEAMS: gettext("none"), **words}
        draft = self.draft
        help_ = gettext("Partners win and lose together.")
        value, note = (draft.table if draft.teams else _NO_TEAMS), ""
        if draft.teams and not draft.people:  # other options may contradict the teams
            note = "; ".join(team_names(self._names(), Rules(seats=draft.seats, teams=draft.table)))
        return Row("teams", gettext("Partners"), value, tuple(words), help=help_, note=note, words=words)

    def _names(self) -> tuple[str, ...]:
        return self.draft.names(self.host.settings)

    def _partner_rows(self) -> list[Row]:
        draft, names = self.draft, self._names()
        if not draft.teams or not draft.people:
            return []
        choices = draft.partners_to_choose()
        mates = {choice: sorted([names[seat] for seat in seats]) for choice, seats in choices.items()}
        # By names: the partner changes seats, so by seats the next choice would undo this one.
        words = {choice: all_of(mates[choice]) for choice in sorted(mates, key=mates.__getitem__)}
        label = ngettext("Your partner", "Your partners", len(draft.teams[0]) - 1)
        if draft.people > 1:
            label = gettext("With {name}", name=names[draft.players.index(HUMAN)])
        others = [" + ".join(names[seat] for seat in team) for team in draft.teams[1:]]
        note = gettext("against {teams}", teams="; ".join(others))
        return [Row("partners", label, draft.partners, tuple(words), note=note, words=words)]

    def _question(self) -> str:
        if not self.draft.people:
            return gettext("Who plays?")
        if self.draft.is_hosting:
            return gettext("Bots at the table")
        chairs = len(self.draft.bots)
        if self.draft.teams:
            return ngettext("Who plays? Choose {count}.", "Who plays? Choose {count}.", chairs)
        if chairs < 2:
            return gettext("Who do you play?")
        return ngettext("Who do you play? Choose {count}.", "Who do you play? Choose {count}.", chairs)

    def _people_rows(self) -> list[Row]:
        draft = self.draft
        if not draft.people:
            return []
        if draft.is_hosting:
            return self._hosting_rows()
        choices = tuple(map(str, range(draft.seats)))
        words = {
            choice: ngettext("you and {count} friend", "you and {count} friends", int(choice))
            for choice in choices
        }
        words["0"] = gettext("only you")
        help_ = gettext("Friends take turns with you, and nobody sees another's cards.")
        rows = [
            Row(
                "friends",
                gettext("At this keyboard"),
                str(draft.people - 1),
                choices,
                help=help_,
                words=words,
            )
        ]
        if draft.people > 1:
            names = zip(draft.players, draft.names(self.host.settings), strict=True)
            people = ", ".join(name for player, name in names if player == HUMAN)
            rows.append(
                Row("names", gettext("Names"), people, written=True, help=gettext("Separated by commas."))
            )
        return rows

    def _hosting_rows(self) -> list[Row]:
        choices = tuple(map(str, range(1, self.draft.seats)))
        words = {choice: ngettext("{count} friend", "{count} friends", int(choice)) for choice in choices}
        clocks = {
            clock: ngettext("{count} second a move", "{count} seconds a move", int(clock))
            for clock in _CLOCKS
        }
        clocks["0"] = gettext("no clock")
        return [
            Row(
                "friends",
                gettext("Seats for"),
                str(self.draft.people - 1),
                choices,
                help=gettext("Bots take the seats that are still free when you start."),
                words=words,
            ),
            Row(
                "clock",
                gettext("Clock"),
                str(self.draft.clock),
                _CLOCKS,
                help=gettext("If a player is late, Viktor may play for them."),
                words=clocks,
            ),
            Row(
                "spectators",
                gettext("Spectators"),
                "yes" if self.draft.spectators else "no",
                ("yes", "no"),
                help=gettext("They see no hands, and everything one bout later."),
                words={"yes": gettext("anyone with the code"), "no": gettext("nobody")},
            ),
        ]

    def _television_row(self) -> Row:
        help_ = gettext("The next game starts by itself. Opponents and cards change every time.")
        return Row("television", gettext("TV"), gettext("random pairs, game after game"), help=help_)

    def _rules_row(self) -> Row:
        """Return the row of the house rules. If they are too long for it, the help has them."""
        row = set_row(self.draft, "rules", gettext("House rules"))
        try:
            differences, count = house_rules_text(self.draft.rules), house_rules_count(self.draft.rules)
        except DurakError:
            return replace(row, value=gettext("cannot be played"))
        if row.value != OWN_SET:
            return row
        if cell_len(differences) <= self.app.size.width - _BESIDE_RULES:
            return replace(row, words={**row.words, OWN_SET: differences})
        value = ngettext("{count} rule changed", "{count} rules changed", count)
        return replace(row, words={**row.words, OWN_SET: value}, help=differences)

    def _start_label(self) -> str:
        if self.draft.is_hosting:
            return gettext("Open the table")
        names = all_of([called(bot) for bot in self.draft.bots])
        if not self.draft.people:
            return gettext("Watch {names}", names=names)
        if self.draft.teams:
            return gettext("Play")
        whom = all_of([accusative(called(bot)) for bot in self.draft.bots])
        return gettext("Play against {names}", names=whom) if names else gettext("Play")

    def _start_help(self) -> str:
        if self.is_for_fingers:
            return ""
        key = self.host.settings.keymap.label("setup.start", ascii_only=self.host.settings.ascii)
        return gettext("Shortcut: {key}, or Enter on the chosen opponent.", key=key)

    @on(Form.Moved)
    def picture(self) -> None:
        row = self.query_one(Form).row
        portrait, opponent = self.query_one(Portrait), opponent_of(row.name) if row else None
        portrait.show(opponent, ascii_only=self.host.settings.ascii)
        portrait.set_class(opponent is None or self.app.size.width < _WITH_PORTRAIT, "-hidden")

    # Changing

    def change(self, name: str, text: str) -> None:
        if name == "game":
            self.draft.take_game(text)
        elif name == "seats":
            self.draft.take_table(text)
        elif name == "teams":
            self.draft.take_table(str(self.draft.seats) if text == _NO_TEAMS else text)
        elif name == "partners":
            self.draft.take_partners(text, self._names())
        elif name == "friends":
            self.draft.take_people(int(text) + 1)
        elif name == "clock":
            self.draft.clock = int(text)
        elif name == "rules":
            self.draft.take_set(text)
        elif name == "spectators":
            self.draft.spectators = text == "yes"
        else:
            self.draft.guests = _split_names(text)
        self.show()

    @on(Portrait.Chosen)
    def choose_pictured(self) -> None:
        self.query_one(Form).action_open()

    def open_row(self, row: Row, typed: str) -> None:
        if row.name == "start":
            self.action_start()
        elif row.name == "rules":
            self.app.push_screen(HouseRulesScreen(self.draft))
        elif row.name == "laboratory":
            self.app.push_screen(AdvancedSetupScreen(self.draft))
        elif row.name == "full_deck":
            self.draft.take_full_deck()
            self.show()
        elif row.name == "television":
            self.dismiss()
            self.host.watch_pairs()
        elif row.name == "names":
            write = Write(row.label, row.value, self._names_problem, row.help, typed=typed)
            self.ask(write, lambda text: self.change(row.name, text))
        elif row.choices:
            super().open_row(row, typed)
        elif row.name in self.draft.players:
            self.action_start()
        else:
            self.draft.seat(row.name)
            self.show()

    def _names_problem(self, text: str) -> str:
        names, people = _split_names(text), self.draft.people
        if len(names) != people:
            return gettext("{count} names for {people} people", count=len(names), people=people)
        is_twice = len(set(names)) < people
        return settings_problem(guests=names) or (gettext("each name only once") if is_twice else "")

    # Leaving

    def action_start(self) -> None:
        if self.problem():
            self.app.bell()
            self.show()
        else:
            self.begin()

    def begin(self) -> None:
        setup, draft = self.draft.setup(self.host.settings), self.draft
        self.host.change_settings(**draft.changes())
        self.dismiss()
        if draft.is_hosting:
            self.host.host_table(setup.rules, setup.players, draft.clock, spectators=draft.spectators)
        else:
            self.host.begin(setup)


def _split_names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))
