"""The program in lines: games one after another, with the app's settings, saves, library and engines."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from durak_core import Record
from durak_core.config import ConfigError
from durak_core.errors import DurakError, FileError
from durak_tui.engine import Engines, engine_command
from durak_tui.hints.model import PlayerModelMemory
from durak_tui.learn.model import daily_setup, days_begun, practice_setup, was_played
from durak_tui.learn.model import today as now
from durak_tui.learn.view import daily_result_line as shared_line
from durak_tui.learn.view import deal_words
from durak_tui.library.model.service import LibraryService
from durak_tui.library.model.store import Library
from durak_tui.lines import view
from durak_tui.lines.reading import (
    SETTINGS,
    Console,
    Order,
    UnknownWordError,
    read_line,
    setting_named,
    setting_word,
    value_named,
    value_words,
    word,
    words_of,
)
from durak_tui.lines.real import RealCards
from durak_tui.lines.table import LinesTable
from durak_tui.play.analysis import AnalysisCache
from durak_tui.play.bots import try_own
from durak_tui.play.saves import Saves, Unfinished, unfinished_words
from durak_tui.play.session import Session
from durak_tui.play.setup import (
    GameSetup,
    Launch,
    NewGame,
    next_setup,
    play_setup,
    read_new_game,
    swapped_setup,
    watch_setup,
)
from durak_tui.players import allowing
from durak_tui.review.model import Reviewer, ReviewGame
from durak_tui.storage.settings import SettingsFile
from durak_tui.table.view import HAND_OVER
from durak_tui.text.core_messages import core_words, rule, rules_in_force
from durak_tui.text.i18n import gettext, language_of, ngettext, set_language, translate
from durak_tui.text.phrases import any_of
from durak_tui.ui.view.signals import code_of

_FAILED: Final = 2
"""Exit code if the last game could not be saved, or a game with real cards cannot begin."""
_REPORT: Final = 10.0
"""Seconds between two words on a running analysis."""


class LinesProgram:
    """Holds what lasts longer than a game, and the conversation."""

    def __init__(self, launch: Launch, console: Console) -> None:
        self._launch = launch
        self._console = console
        self._file = SettingsFile()
        set_language(language_of())
        self.settings = replace(self._file.load(), **launch.changes)
        self._problems = [*self._file.problems]
        self._problems += filter(None, [set_language(self.settings.language_code)])
        self._saves = Saves(tell=self._tell)
        self._saves.sweep()
        self._library = LibraryService(self._saves.folder, self._saves.finished, self._tell)
        self._engines = Engines(engine_command())
        self._readings = PlayerModelMemory()
        self._table: LinesTable | None = None
        self._asked: object = None
        self._is_told_result = False
        self._is_quitting = False

    def _tell(self, text: str) -> None:
        self._console.say(view.sentence(text))

    # The conversation

    async def run(self) -> int:
        """Play until the player leaves or the input ends; return the exit code."""
        try:
            for problem in self._problems:
                self._tell(problem)
            if self._launch.at_once == "real":
                return await self._keep_real_cards()
            await self._open_first()
            while await self._exchange():
                pass
        except asyncio.CancelledError:
            self._console.say("")  # after the sign of Ctrl+C
            self._tell_saved()
            raise
        else:
            return 0 if self._is_saved else _FAILED
        finally:
            await self._leave_table()
            self._library.close()
            await self._engines.close()

    async def _keep_real_cards(self) -> int:
        real = RealCards(self._console, lambda: self.settings, self._engines.adviser, self._saves)
        try:
            await real.run(self._launch.rules)
        except DurakError as error:
            self._tell(core_words(error))
            return _FAILED
        return 0

    async def _exchange(self) -> bool:
        """Ask and hear once; return whether to go on."""
        table = self._table
        if table is not None:
            await table.until_it_waits()
            if table.session.hand_over is not None:
                return await self._hand_over(table)
            if table.session.is_over:
                await self._tell_result(table)
            elif self._asked != (table, table.session.state):
                self._asked = table, table.session.state
                table.ask()
                if table.wants_coach:
                    await table.hint()
        line = await self._console.hear()
        if line is None:
            self._tell_saved()
            return False
        try:
            order = read_line(line)
        except UnknownWordError as error:
            self._console.say(str(error))
            return True
        return await self._obey(order)

    async def _obey(self, order: Order) -> bool:
        if order.name == "quit":
            return not self._may_quit()
        acts: dict[str, Callable[[Order], Awaitable[None]]] = {
            "new": self._new,
            "next": self._next,
            "swap": self._next,
            "games": self._games,
            "continue": self._continue,
            "daily": self._daily,
            "review": self._review,
            "share": self._share,
            "set": self._set,
            "score": self._score,
            "rules": self._rules,
            "help": self._help,
            "save": self._save,
        }
        if order.name in acts:
            await acts[order.name](order)
        elif self._table is None:
            self._console.say(gettext("No game is running. {new} begins one.", new=word("new")))
        else:
            await self._table.answer(order)
            if order.name == "again":
                self._asked = None
        return True

    async def _hand_over(self, table: LinesTable) -> bool:
        """Let the next person at the keyboard take it."""
        self._console.clear()
        name = table.session.names[table.session.hand_over or 0]
        self._console.say(gettext("{name}, your turn", name=name) + ".")
        self._console.say(translate(HAND_OVER))
        line = await self._console.hear()
        if line is None:
            self._tell_saved()
            return False
        name = ""
        with suppress(UnknownWordError):
            name = read_line(line).name
        if name == "quit":
            return not self._may_quit()
        if name == "undo":
            await table.answer(Order("undo"))
        else:
            table.session.take_seat()
        self._asked = None
        return True

    @property
    def _is_saved(self) -> bool:
        keeper = None if self._table is None else self._table.session.keeper
        return keeper is None or keeper.unsaved is None

    def _tell_saved(self) -> None:
        """Retry a failed save, and print whether the game is saved."""
        session = None if self._table is None else self._table.session
        if session is None or session.keeper is None:
            return
        problem = session.save()
        if problem:
            self._tell(problem)
        elif not session.is_over:
            self._console.say(gettext("The game is saved."))

    def _may_quit(self) -> bool:
        """Return whether to leave: at once, or at the second time if the game is not saved."""
        self._tell_saved()
        is_asked, self._is_quitting = self._is_quitting, True
        if self._is_saved or is_asked:
            return True
        self._console.say(gettext("To leave without saving, type {quit} again.", quit=word("quit")))
        return False

    # Games

    async def _open_first(self) -> None:
        launch = self._launch
        games = self._unfinished()
        for problem in self._saves.problems:
            self._tell(problem)
        if launch.at_once == "daily":
            await self._daily(Order("daily"))
        elif launch.at_once == "play":
            await self._play(launch)
        elif launch.at_once == "watch":
            await self._begin(lambda: watch_setup(self.settings, launch))
        elif (games and games[0].setup.day is None) or (launch.at_once == "continue" and games):
            await self._go_on(games[0])
        elif launch.at_once == "continue":
            self._tell(gettext("There is no unfinished game."))
        else:
            await self._play(launch)

    async def _play(self, launch: Launch) -> bool:
        suggested = "" if self.settings.players else self._library.standing().suggested.text
        return await self._begin(lambda: play_setup(self.settings, launch, suggested))

    async def _begin(self, make_setup: Callable[[], GameSetup]) -> bool:
        try:
            setup = make_setup()
            await try_own(setup, self._engines.players)
            session = Session.new(setup, self._saves, self._engines.players)
        except DurakError as error:
            self._tell(core_words(error))
            return False
        await self._open(session)
        return True

    async def _go_on(self, game: Unfinished) -> None:
        session = Session.continued(game, self._saves, self._engines.players)
        if session is not None:
            self._console.say(view.stated("Continued: {game}", game=unfinished_words(game)))
            await self._open(session)

    async def _open(self, session: Session) -> None:
        await self._leave_table()
        readings = self._readings.of(session.setup, session.states)
        self._table = LinesTable(
            session, self._console, lambda: self.settings, self._engines.adviser, readings
        )
        self._asked = None
        self._is_told_result = False
        self._table.start()

    async def _leave_table(self) -> None:
        table, self._table = self._table, None
        if table is not None:
            await table.close()

    async def _new(self, order: Order) -> None:
        try:
            asked = read_new_game(order.rest) if order.rest else NewGame()
        except DurakError as error:
            self._tell(core_words(error))
            return
        launch = Launch(asked.rules, asked.players, asked.seed)
        with allowing(asked.players):
            is_begun = await self._play(launch)
        table = self._table
        if is_begun and table is not None and (asked.rules or asked.players):
            setup = table.session.setup
            self._change(rules=setup.rules.text, players=setup.players)

    async def _next(self, order: Order) -> None:
        """Begin the next game of the series, or with other seats the same deal."""
        session = self._finished
        if session is None:
            return
        if order.name == "next":
            await self._begin(lambda: next_setup(session.setup, session.state))
        else:
            await self._begin(lambda: swapped_setup(session.setup, session.states))

    @property
    def _finished(self) -> Session | None:
        """The finished game of the series; None, with a sentence, if there is none."""
        session = None if self._table is None else self._table.session
        if session is None or not session.is_over or session.setup.day is not None:
            self._console.say(
                gettext("That is for the end of a game. {new} begins another game.", new=word("new"))
            )
            return None
        return session

    def _unfinished(self) -> list[Unfinished]:
        return [game for game in self._saves.unfinished() if game.setup.humans and game.real is None]

    async def _games(self, _order: Order) -> None:
        games = self._unfinished()
        if not games:
            self._tell(gettext("There is no unfinished game."))
        for number, game in enumerate(games, 1):
            self._console.say(view.sentence(f"{number}: {unfinished_words(game)}"))

    async def _continue(self, order: Order) -> None:
        games = self._unfinished()
        text = order.rest or "1"
        number = int(text) if text.isdecimal() and len(text) < 5 else 0
        if not games:
            self._tell(gettext("There is no unfinished game."))
        elif not 1 <= number <= len(games):
            self._console.say(gettext("Expected a number from 1 to {count}.", count=len(games)))
        else:
            await self._go_on(games[number - 1])

    async def _daily(self, _order: Order) -> None:
        day = now()
        begun = days_begun(self._saves.unfinished())
        if day in begun:
            await self._go_on(begun[day])
            return
        await self._library.collect()
        is_over = await self._library.query(lambda library: was_played(day, library, self._saves))
        self._console.say(deal_words(day))
        if is_over:
            self._console.say(gettext("Replays are practice only."))
            await self._begin(lambda: practice_setup(day, self.settings))
        else:
            self._console.say(
                gettext("Everyone who plays it gets the same deal. One try: no hints, no undo.")
            )
            await self._begin(lambda: daily_setup(day, self.settings))

    # The end of a game

    async def _tell_result(self, table: LinesTable) -> None:
        if self._is_told_result:
            return
        self._is_told_result = True
        session = table.session
        self._console.say(*view.result_lines(session, session.moment, table.voice))
        record = session.record
        change = await self._library.ratings_around(record)
        if change is not None and session.person is not None:
            self._console.say(
                gettext("Your rating was {before} and is {after} now.", before=change[0], after=change[1])
            )
        if session.setup.day is not None:
            game = self._game_to_review(record, session.person, session.answers)
            if game is not None:
                self._console.say(shared_line(session.setup.day, game, ascii_only=True))
        words = {name: word(name) for name in ("next", "new", "review", "quit")}
        self._console.say(gettext("What now? {next}, {new}, {review} or {quit}.", **words))

    def _game_to_review(
        self, record: Record, viewer: int | None, answers: AnalysisCache | None = None
    ) -> ReviewGame | None:
        try:
            game = ReviewGame(record, viewer, answers)
        except DurakError as error:
            self._tell(core_words(error))
            return None
        game.recall(self._library)
        return game

    async def _review(self, _order: Order) -> None:
        """Analyse the last game, and tell the player's mistakes."""
        record, viewer = await self._last_game()
        session = None if self._table is None else self._table.session
        answers = session.answers if session is not None and session.is_over else None
        game = None if record is None else self._game_to_review(record, viewer, answers)
        if game is None:
            if record is None:
                self._console.say(gettext("There is no finished game yet."))
            return
        reviewer = await self._analyse(game)
        if reviewer.problem and not game.evaluated_moves:
            self._tell(gettext("No analysis: {why}.", why=core_words(reviewer.problem)))
            return
        voice = view.voice_of(self.settings, game.names, game.viewer)
        self._console.say(*view.review_lines(game, voice))
        await game.remember(self._library)

    async def _share(self, _order: Order) -> None:
        """Print the code of the last game."""
        record, _viewer = await self._last_game()
        code, problem = ("", gettext("There is no finished game yet.")) if record is None else code_of(record)
        if code:
            self._console.say(gettext("The code of this game:"), code)
            how = gettext(
                "It holds the whole game. To open it, start {command} with the code.", command="durak-tui"
            )
            self._console.say(how)
        else:
            self._console.say(problem)

    async def _last_game(self) -> tuple[Record | None, int | None]:
        """Return the game just finished with its viewer's seat, or the last one of the library."""
        session = None if self._table is None else self._table.session
        if session is not None and session.is_over:
            return session.record, session.viewer
        await self._library.collect()
        return await self._library.query(_last_played), None

    async def _analyse(self, game: ReviewGame) -> Reviewer:
        changed = asyncio.Event()
        reviewer = Reviewer(game, self._engines.adviser, changed.set, self.settings.review_milliseconds)
        reviewer.start()
        try:
            while not reviewer.is_idle and not (reviewer.problem and not reviewer.is_running):
                self._console.say(
                    ngettext("Analysing: {count} choice to go.", "Analysing: {count} choices to go.", count)
                    if (count := len(game.review.open_plies))
                    else gettext("Analysing the doubtful choices for longer.")
                )
                with suppress(TimeoutError):
                    async with asyncio.timeout(_REPORT):
                        while reviewer.is_running and not reviewer.is_idle:
                            changed.clear()
                            await changed.wait()
        finally:
            await reviewer.close()
        return reviewer

    # Questions about more than the game

    async def _score(self, _order: Order) -> None:
        if self._table is not None:
            self._console.say(*view.score_lines(self._table.session.moment))
        await self._library.collect()
        standing = self._library.standing()
        if not standing.games:
            self._console.say(gettext("You have no rating yet."))
            return
        self._console.say(view.stated("Your rating {rating}", rating=standing.rating))
        if standing.is_provisional:
            self._console.say(gettext("It is provisional until you have played ten games."))

    async def _rules(self, order: Order) -> None:
        rules = self.settings.rules if self._table is None else self._table.session.setup.rules.text
        if not order.rest:
            self._console.say(*view.rules_lines(rules))
        elif order.rest.strip().casefold() in words_of("all"):
            self._console.say(*view.plain_text(rules_in_force()))
        else:
            number = order.rest.strip().rstrip(".")
            try:
                self._console.say(*view.plain_text(rule(number)))
            except (DurakError, KeyError, IndexError):
                self._console.say(gettext("There is no paragraph {number}.", number=number))

    async def _help(self, order: Order) -> None:
        if not order.rest:
            self._console.say(*view.help_lines())
            return
        try:
            asked = read_line(order.rest)
        except UnknownWordError as error:
            self._console.say(str(error))
        else:
            self._console.say(view.help_line(asked.name))

    async def _save(self, _order: Order) -> None:
        self._tell_saved()

    # Settings

    async def _set(self, order: Order) -> None:
        typed, _, value = order.rest.replace("=", " ").strip().partition(" ")
        name = setting_named(typed)
        if not typed:
            self._console.say(*(view.setting_line(self.settings, one) for one in SETTINGS))
        elif not name:
            known = ", ".join(map(setting_word, SETTINGS))
            self._console.say(
                gettext("There is no setting {name}; there are {known}.", name=typed, known=known)
            )
        elif not value.strip():
            self._console.say(view.setting_line(self.settings, name))
        else:
            self._set_value(name, value.strip())

    def _set_value(self, name: str, typed: str) -> None:
        choices = view.setting_choices(name)
        value = value_named(typed, choices) if choices else typed
        if not value:
            possible = any_of(list(map(value_words, choices)))
            self._console.say(gettext("{name} can be {values}.", name=setting_word(name), values=possible))
            return
        try:
            self._change(**{name: value == "on" if value in {"on", "off"} and choices else value})
        except ConfigError as error:
            self._tell(core_words(error))
            return
        self._console.say(view.setting_line(self.settings, name))
        if self._table is not None and name == "only_moves":
            self._table.session.set_only_moves(self.settings.only_moves)

    def _change(self, **changes: Any) -> None:  # noqa: ANN401 - the fields have several types
        """Save changed settings; an invalid value raises `ConfigError`."""
        self.settings = replace(self.settings, **changes)
        if "language" in changes:
            set_language(self.settings.language_code)
        try:
            self._file.change(**changes)
        except FileError as error:
            self._tell(gettext("The settings cannot be saved: {why}.", why=core_words(error.why)))


def _last_played(library: Library) -> Record | None:
    last = library.last_played()
    return None if last is None else library.record(last.id)


async def _run(launch: Launch) -> int:
    """Run the program; an order to end, such as Ctrl+C, ends it with the game saved."""
    console = Console()
    program = LinesProgram(launch, console)
    task = asyncio.ensure_future(program.run())
    ended: list[int] = []

    def end(number: int) -> None:
        ended.append(number)
        task.cancel()

    if sys.platform != "win32":
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, end, number)
    try:
        return await task
    except asyncio.CancelledError:
        if not ended:
            raise
        return 128 + ended[0]


def run_lines(launch: Launch) -> int:
    """Play in lines on the standard streams; return the exit code.

    Raises:
        OutputError: If the output cannot be written. The game is saved.
    """
    with allowing(launch.bots):
        return asyncio.run(_run(launch))
