"""A game with real cards that is kept as it is played: reports, refusals and its file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from durak_core import (
    PASS,
    Action,
    Attack,
    Card,
    DurakError,
    Phase,
    RealGame,
    Record,
    RecordError,
    WhyNot,
    read_game,
    write_game,
)
from durak_core.errors import FileError
from durak_core.files import MEGABYTE, make_private, read_bytes, write_text_atomically, writing
from durak_core.messages import Message
from durak_tui.play import commands
from durak_tui.play.game import CardOptions, Moment, card_options
from durak_tui.play.saves import counted_help, new_name, time_now
from durak_tui.players import FRIEND, HUMAN
from durak_tui.storage.paths import data_dir, keep_aside

_FOLDER: Final = "real"
_FINISHED: Final = "games"
_ROUNDS: Final = (Phase.THROW_IN, Phase.PILE_ON)


class RealTable:
    """A game with real cards and its file, which is written after every report.

    Args:
        game: The game so far.
        names: A name for each seat.
        path: The file of the unfinished game.
        date: When the game began.

    Attributes:
        hints: Number of decisions made with a hint.
        unsaved: Why the file lacks the last reports; None if it has them.
    """

    def __init__(self, game: RealGame, names: Sequence[str], path: Path, date: str, hints: int = 0) -> None:
        self.game = game
        self.names = tuple(names)
        self.path = path
        self.hints = hints
        self.unsaved: FileError | None = None
        self._date = date

    @classmethod
    def begin(cls, game: RealGame, names: Sequence[str], folder: Path | None = None) -> RealTable:
        """Begin to keep a game in the folder of all games; raises `FileError` if it cannot be written."""
        table = cls(game, names, (folder or data_dir()) / _FOLDER / new_name(), time_now())
        table.save()
        return table

    @classmethod
    def unfinished(cls, folder: Path | None = None) -> tuple[RealTable | None, DurakError | None]:
        """Return the newest unfinished game, and why a damaged one was set aside."""
        problem: DurakError | None = None
        for path in sorted((folder or data_dir()).joinpath(_FOLDER).glob("*.durak"), reverse=True):
            try:
                record = read_game(read_bytes(path, MEGABYTE).decode())
                hints = counted_help(record).hints
                return cls(RealGame.of(record), record.players, path, record.date, hints), problem
            except FileError as error:
                problem = error
            except (DurakError, UnicodeDecodeError) as error:
                why = error if isinstance(error, DurakError) else Message("it is no text")
                aside = keep_aside(path)
                problem = RecordError(
                    "A saved game was damaged ({why}); its file is kept as {aside}.", why=why, aside=aside
                )
        return None, problem

    @property
    def record(self) -> Record:
        seat = self.game.seat
        tags = {f"Player{other}": HUMAN if other == seat else FRIEND for other in range(len(self.names))}
        if self.hints:
            tags["Hints"] = str(self.hints)
        return self.game.record(self.names, self._date, **tags)

    def save(self) -> None:
        """Write the game; a finished one goes to the others. Raises `FileError`, and keeps the old file."""
        with writing(self.path):
            make_private(self.path.parent)
        write_text_atomically(self.path, write_game(self.record))
        if self.is_over:
            finished = self.path.parent.parent / _FINISHED
            with writing(finished):
                make_private(finished)
                self.path = self.path.replace(finished / self.path.name)

    @property
    def is_over(self) -> bool:
        return self.game.state.is_over and not self.game.unnamed

    @property
    def turn(self) -> int | None:
        """The seat whose action is to be reported; None at the end, and while drawn cards have no names."""
        return None if self.game.unnamed else self.game.state.turn

    @property
    def moment(self) -> Moment:
        """What the reporting seat sees; drawn cards without names are not in its hand yet."""
        game = self.game
        seen = game.seen
        options = CardOptions() if game.unnamed else card_options(game.state.why_not, seen)
        ply = len(game.moves)
        return Moment(
            seen,
            self.names,
            options,
            ply=ply,
            last_ply=ply,
            human=game.seat,
            hints=self.hints,
            is_finished=self.is_over,
        )

    # Reports. What cannot have happened raises `RecordError` and changes nothing.

    def name(self, cards: Iterable[Card]) -> None:
        self._take(self.game.name(list(cards)))

    def play_card(self, card: Card, target: Card | None = None, seat: int | None = None) -> None:
        """Report that a seat, by default the one to act, played a card; others may pass before it."""
        game = self._reached(seat).holding(card)
        state = game.state
        turn = game.seat if state.turn is None else state.turn
        seen = state.observation(turn)
        options = card_options(state.why_not, seen)
        action = commands.play(options, card, target or commands.current_target(seen))
        if isinstance(action, WhyNot):
            raise RecordError(action.message)
        self._take(game.play(action or Attack(card)))

    def act(self, action: Action, seat: int | None = None) -> None:
        self._take(self._reached(seat).play(action))

    def all_pass(self) -> None:
        """Report that all pass until the bout ends or cards of the defence are due."""
        game = self.game.play(PASS)
        while game.state.phase in _ROUNDS and game.state.bout == self.game.state.bout and not game.unnamed:
            game = game.play(PASS)
        self._take(game)

    def undo(self) -> None:
        self._take(self.game.undo())

    def _reached(self, seat: int | None) -> RealGame:
        """Let the seats before the given one pass, if they may."""
        game = self.game
        for _ in range(len(self.names)):
            if seat in {None, game.state.turn} or game.unnamed or game.state.phase not in _ROUNDS:
                break
            game = game.play(PASS)
        if seat not in {None, game.state.turn} and not game.unnamed:
            turn = self.game.state.turn
            name = "" if turn is None else self.names[turn]
            raise RecordError("it is the turn of {name}", name=name)
        return game

    def _take(self, game: RealGame) -> None:
        self.game = game
        self.try_again()

    def try_again(self) -> None:
        """Write the game; `unsaved` is why it could not be."""
        try:
            self.save()
        except FileError as error:
            self.unsaved = error
        else:
            self.unsaved = None
