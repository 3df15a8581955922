"""A game with real cards that is kept as it is played: a session whose other seats' moves are reported."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final, Self

from durak_core import PASS, Action, Attack, Card, Observation, Phase, RealGame, Record, RecordError, WhyNot
from durak_core.errors import Message
from durak_core.game.record import REAL_TAG
from durak_tui.engine import Engine
from durak_tui.play import commands
from durak_tui.play.evening import Evening
from durak_tui.play.game import CardChoice, CardOptions, Moment, card_options
from durak_tui.play.saves import SavedGame, Saves, Unfinished, game_record
from durak_tui.play.session import Session
from durak_tui.play.setup import GameSetup
from durak_tui.players import FRIEND, HUMAN
from durak_tui.text.i18n import gettext, ngettext
from durak_tui.text.phrases import Voice

_ROUNDS: Final = (Phase.THROW_IN, Phase.PILE_ON)


class RealTable(Session):
    """A game with real cards. Reports that cannot have happened raise `RecordError` and change nothing.

    Args:
        game: The game so far.

    Attributes:
        game: The game with all reports.
    """

    def __init__(self, setup: GameSetup, game: RealGame, keeper: SavedGame, saves: Saves) -> None:
        super().__init__(setup, game.states, keeper=keeper, tell=saves.tell)
        self.game = game
        self._folder = saves.folder
        self.known_seat = game.seat
        self._earlier: list[RealGame] = []
        self._later: list[RealGame] = []

    @classmethod
    def begin(cls, game: RealGame, names: Sequence[str], saves: Saves) -> RealTable:
        """Begin to keep a game; raises `DurakError` if the names do not fit the rules."""
        state = game.state
        players = tuple([HUMAN if seat == game.seat else FRIEND for seat in range(state.rules.seats)])
        setup = GameSetup(state.rules, players, tuple(names), 0, state.first_attacker)
        return cls(setup, game, saves.begin(setup, state, tags={REAL_TAG: game.tag}), saves)

    @classmethod
    def resumed(cls, game: Unfinished, saved: SavedGame, saves: Saves, engine: Engine | None) -> Self:
        del engine
        if game.real is None:
            raise RecordError("the record has no seat in a tag {tag}: its cards were not real", tag=REAL_TAG)
        return cls(game.setup, game.real, saved, saves)

    # What is known

    @property
    def record(self) -> Record:
        return game_record(self.setup, self.state, used=self.used, **{REAL_TAG: self.game.tag})

    @property
    def is_over(self) -> bool:
        return self.state.is_over and not self.game.unnamed

    @property
    def turn(self) -> int | None:
        """The seat whose action is to be reported; None at the end, and while drawn cards have no names."""
        return None if self.game.unnamed else self.state.turn

    @property
    def is_persons_turn(self) -> bool:
        return self.turn == self.game.seat

    @property
    def moment(self) -> Moment:
        """What the reporting seat sees; drawn cards without names are not in its hand yet."""
        seen = self.game.seen
        options = self.options if self.is_persons_turn else card_options(self.game.why_not, seen)
        return replace(super().moment, observation=seen, options=options)

    @cached_property
    def options(self) -> CardOptions:
        """What the seat to act may do with each card that it may hold, or all names of a drawn card."""
        if self.game.unnamed:
            return CardOptions(tuple([CardChoice(card, (Attack(card),)) for card in self.game.possible]))
        turn = self.game.seat if self.turn is None else self.turn
        return card_options(self.game.why_not, replace(self.game.seen, seat=turn, hand=self.game.possible))

    @property
    def decision(self) -> Observation | None:
        return self.game.observation if self.is_persons_turn else None

    def question(self, voice: Voice) -> str:
        """Return what is to be reported next, if it is not the player's own move."""
        if count := len(self.game.unnamed):
            return ngettext("Which card did you get?", "Which {count} cards did you get?", count)
        seen = self.game.seen
        name = self.names[self.turn or 0]
        target = commands.current_target(seen)
        if seen.phase == Phase.DEFENCE and target is not None:
            return gettext("{name} against {card}: which card, or take?", name=name, card=voice.card(target))
        if seen.phase == Phase.OPENING:
            return gettext("{name} attacks: with which card?", name=name)
        return gettext("{name}: which card, or pass?", name=name)

    # Reports

    def name(self, cards: Iterable[Card]) -> None:
        self._take(self.game.name(list(cards)))

    def play_card(self, card: Card, target: Card | None = None, seat: int | None = None) -> None:
        """Report that a seat, by default the one to act, played a card; others may pass before it."""
        game = self._reached(seat).holding(card)
        turn = game.seat if game.state.turn is None else game.state.turn
        seen = game.state.observation(turn)
        action = commands.play(
            card_options(game.state.why_not, seen), card, target or commands.current_target(seen)
        )
        if isinstance(action, WhyNot):
            raise RecordError(action.message)
        self._take(game.play(action or Attack(card)))

    def act(self, action: Action, seat: int | None = None) -> None:
        self._take(self._reached(seat).play(action))

    def submit(self, action: Action, seat: int | None = None, reason: Message | str = "") -> WhyNot | None:
        """Report an action of the seat to act, which is the only one that can act; return why not."""
        del reason
        why = self.game.why_not(action)
        if why is None:
            self.act(action, seat)
        return why

    def all_pass(self) -> None:
        """Report that all pass until the bout ends or cards of the defence are due."""
        game = self.game.play(PASS)
        while game.state.phase in _ROUNDS and game.state.bout == self.game.state.bout and not game.unnamed:
            game = game.play(PASS)
        self._take(game)

    @property
    def can_undo(self) -> bool:
        is_named = len(self.game.seen.hand) > len(self.game.state.known[self.game.seat])
        return not self.is_over and bool(self._earlier or self.game.moves or is_named)

    def undo(self) -> bool:
        """Take the last report back; after a restart, the last action."""
        if not self.can_undo:
            return False
        self._later.append(self.game)
        self._show(self._earlier.pop() if self._earlier else self.game.undo())
        return True

    @property
    def can_redo(self) -> bool:
        return bool(self._later)

    def redo(self) -> bool:
        if not self._later:
            return False
        self._earlier.append(self.game)
        self._show(self._later.pop())
        return True

    def _reached(self, seat: int | None) -> RealGame:
        """Let the seats before the given one pass, if they may."""
        game = self.game
        for _ in range(len(self.names)):
            if seat in {None, game.state.turn} or game.unnamed or game.state.phase not in _ROUNDS:
                break
            game = game.play(PASS)
        if seat not in {None, game.state.turn} and not game.unnamed:
            turn = self.game.state.turn
            raise RecordError("it is the turn of {name}", name="" if turn is None else self.names[turn])
        return game

    def _take(self, game: RealGame) -> None:
        self._earlier.append(self.game)
        self._later.clear()
        self._show(game)

    def _show(self, game: RealGame) -> None:
        is_next = game.moves[:-1] == self.game.moves and game.state.deck == self.state.deck
        self.game = game
        self.__dict__.pop("options", None)
        self.states[:] = [*self.states, game.state] if is_next and game.moves else game.states
        self.ply = self.last_ply
        self.answers.forget_from(self.ply)
        self._hinted = -1
        self._keep()
        self.publish()

    def _keep(self) -> None:
        if self.keeper is not None:
            if self.is_over:  # first, as a game that is over is not read again
                fool = "" if self.state.fool is None else self.names[self.state.fools[0]]
                trump = "" if self.state.trump_suit is None else self.state.trump_suit.letter
                Evening(self._folder, self.tell).add(self.names, fool, trump, self.keeper.path.stem)
            self.keeper.tags = {REAL_TAG: self.game.tag}
            self.keeper.keep(self.state, self.used)

    # Nothing plays itself

    @property
    def forced(self) -> Action | None:
        return None

    @property
    def can_skip(self) -> bool:
        return False
