"""A game with real cards in lines: the player types what happens at the table of wood."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from durak_core import EXCHANGE, PASS, TAKE, Action, Card, RealGame, Rules, ShowTrump, Transfer
from durak_core.errors import DurakError
from durak_tui.engine import Engine
from durak_tui.hints.model import PlayerModels
from durak_tui.lines import view
from durak_tui.lines.reading import (
    Console,
    Named,
    Order,
    UnknownWordError,
    named_cards,
    read_line,
    word,
    words_of,
)
from durak_tui.lines.table import LinesTable
from durak_tui.play.evening import MOST_PLAYERS
from durak_tui.play.real import RealTable
from durak_tui.play.saves import Saves, unfinished_words
from durak_tui.players import fit_names
from durak_tui.storage.settings import Settings
from durak_tui.table.view import headline
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext

_T = TypeVar("_T")
_X: Final = "[x×х]"  # noqa: RUF001 - the Cyrillic letter, too
_PAIRED: Final = rf"\b\w\w\w?{_X}\w\w\w?\b"
_PIECE: Final = re.compile(rf"[.!]|{_PAIRED}|(?:(?!{_PAIRED})[^.!])+")
"""A sign, a card with the one that it beats, or other words."""
_SIGNS: Final = {".": "pass", "!": "take"}
"""Signs for the two commonest reports; after cards, without a space."""
_ACTS: Final[Mapping[str, Action]] = {"take": TAKE, "pass": PASS, "exchange": EXCHANGE}
_REPORTS: Final = frozenset({*_ACTS, "play", "beat", "transfer", "show"})
_PAIR: Final = 2


class RealBoard(LinesTable):
    """Keeps one game, and answers from what its seat knows."""

    session: RealTable

    def __init__(
        self, table: RealTable, console: Console, settings: Callable[[], Settings], engine: Engine
    ) -> None:
        super().__init__(table, console, settings, engine, PlayerModels(table.setup.rules, table.states))
        self._told = len(table.moment.observation.events) if table.game.moves else 0

    def ask(self) -> None:
        """Print the news, and ask for the next report."""
        self._tell_news()
        if self.session.is_over:
            self._console.say(headline(self.moment.observation, self.voice))
            self._console.say(gettext("The game is in the library. {review} shows it.", review="durak-tui"))
        elif self.is_waiting:
            self._console.say(view.question(self.moment, self.voice))
        else:
            self._console.say(self.session.question(self.voice))
            if not self.session.game.moves and self.session.game.unnamed:
                self._console.say(_how_to_name())

    async def obey(self, line: str) -> bool:
        """Do what a line wants, piece by piece, up to the first that cannot be; return False to leave."""
        seat, text = self._named_seat(line)
        before = ""
        for piece in filter(str.strip, _PIECE.findall(text) or [""]):
            sign = _SIGNS.get(piece)
            if sign is not None and before in _ACTS:
                continue  # the full stop of a sentence
            order = read_line(piece) if sign is None else Order(sign)
            if order.name == "quit":
                return False
            for one in self._singly(order):
                game = self.session.game
                await self._do(one, seat)
                if one.name in _REPORTS and self.session.game is game:
                    return True  # refused: what follows would be about another position
            before = order.name if sign is None else ""
        return True

    def _named_seat(self, line: str) -> tuple[int | None, str]:
        """Split off the name of the player that a report is about; None without one."""
        first, _, rest = line.strip().partition(" ")
        if first.casefold() in words_of("all"):
            return None, f"{rest} {first}"
        named = [seat for seat, name in enumerate(self.session.names) if name.casefold() == first.casefold()]
        return (named[0], rest) if rest and len(named) == 1 else (None, line)

    def _singly(self, order: Order) -> list[Order]:
        """Take a list of cards apart, except a card and the one that it beats."""
        cards = order.cards
        if order.name not in {"play", "beat"} or len(cards) < _PAIR or self.session.game.unnamed:
            return [order]
        open_attacks = self.moment.observation.open_attacks
        if len(cards) == _PAIR and any(self._fits(card, target) for card in cards for target in open_attacks):
            return [order]
        return [Order("play", (card,), order.rest) for card in cards]

    async def _do(self, order: Order, seat: int | None) -> None:
        table = self.session
        if order.name in {"undo", "redo"}:
            done = table.undo() if order.name == "undo" else table.redo()
            self._told = 0 if not table.game.moves else len(self.moment.observation.events)
            words = gettext("Taken back.") if order.name == "undo" else gettext("Played again.")
            self._console.say(words if done else gettext("Nothing was taken back."))
        elif order.name == "hint":
            await self.hint()
        elif order.name == "help":
            self._console.say(*help_lines())
        elif order.name not in _REPORTS:
            if not await self.answer(order):
                self._console.say(gettext("“{word}” is for a game.", word=word(order.name)))
        elif table.game.unnamed:
            table.name(self._whole(order.cards))
        elif order.name == "pass" and order.rest.casefold() in words_of("all"):
            table.all_pass()
        elif self.is_waiting and seat in {None, table.game.seat}:
            await self.answer(order)
        elif order.name in _ACTS:
            table.act(_ACTS[order.name], seat)
        else:
            self._play_for(order, seat)

    def _play_for(self, order: Order, seat: int | None) -> None:
        cards = self._whole(order.cards)
        attacks = self.moment.observation.open_attacks
        if not cards:
            self._console.say(gettext("Which card? Type it, such as 6s."))
        elif order.name == "transfer":
            self.session.act(Transfer(cards[0]), seat)
        elif order.name == "show":
            self.session.act(ShowTrump(cards[0]), seat)
        else:
            target = next((card for card in cards[1:] if card in attacks), None)
            if target is None and len(cards) > 1 and cards[0] in attacks:
                cards, target = cards[::-1], cards[0]
            self.session.play_card(cards[0], target, seat)

    def _whole(self, named: Sequence[Named]) -> list[Card]:
        """Return whole cards; raise `UnknownWordError` if a rank or a suit is missing."""
        trump = self.moment.observation.trump_suit
        whole = [card for one in named if (card := one.card(trump)) is not None]
        if len(whole) < len(named):
            raise UnknownWordError(_how_to_name())
        return whole

    def _take_up(self, _order: Order) -> None:
        """Take without a question: it has happened."""
        self._submit(TAKE)


def _how_to_name() -> str:
    return gettext("Type the rank and the suit of each card, such as 6s 10h.")


def help_lines() -> list[str]:
    return [
        gettext(
            "Type what happens: a card, such as 6s, “{take}” or a “!”, “{done}” or a “.”.",
            take=word("take"),
            done=word("pass"),
        ),
        gettext("One line may hold several moves: 6s9s. is an attack, a defence and a pass."),
        gettext("A name is the player who acts: “{example}”. The others before pass.", example="Boris 9h"),
        gettext(
            "“{all} {done}”: all pass. “{undo}” takes the last move back.",
            all=word("all"),
            done=word("pass"),
            undo=word("undo"),
        ),
        gettext(
            "You may ask: {words}.",
            words=", ".join(map(word, ("hint", "known", "hand", "table", "players", "log", "moves", "quit"))),
        ),
    ]


@dataclass
class RealCards:
    """The conversation: the players, the trump, the cards, then every move until the game is over."""

    console: Console
    settings: Callable[[], Settings]
    engine: Engine
    saves: Saves

    async def run(self, rules: Rules | None) -> bool:
        """Keep the unfinished game, or a new one, to its end; return False if the player leaves before.

        Raises:
            DurakError: If a game cannot begin with these rules or this number of players.
        """
        unfinished = (game for game in self.saves.unfinished() if game.real is not None)
        game = next(unfinished, None)
        for problem in self.saves.problems:
            self._tell(problem)
        if game is None:
            table = await self._begin(rules or Rules.parse(self.settings().rules))
        else:
            table = RealTable.continued(game, self.saves, None)
            if table is not None:
                self._tell(gettext("Continued: {game}", game=unfinished_words(game)))
        if table is None:
            return False
        board = RealBoard(table, self.console, self.settings, self.engine)
        try:
            board.ask()
            while not table.is_over:
                line = await self.console.hear()
                if line is None or not await self._obeyed(board, line):
                    break
            return table.is_over
        finally:
            await board.close()

    async def _obeyed(self, board: RealBoard, line: str) -> bool:
        """Do what a line wants, or print why not; return False if the player leaves."""
        moves = board.session.game
        try:
            if not await board.obey(line):
                return False
        except UnknownWordError as error:
            self.console.say(str(error))
        except DurakError as error:
            self._tell(
                core_words(error, lambda value: board.voice.card(value) if isinstance(value, Card) else value)
            )
        if board.session.game is not moves or not line.strip():
            board.ask()
        return True

    async def _begin(self, rules: Rules) -> RealTable | None:
        """Ask for the players, the trump and the first attacker; None if the input ends."""
        names = await self._asked(
            gettext("Who plays? Type the names, beginning with yours, then on from your left."), _names
        )
        if names is None:
            return None
        rules = replace(rules, seats=len(names))
        trump = None
        if rules.trumps:
            question = gettext("Which card shows the trumps? Type it, such as 6s.")
            trump = await self._asked(question, lambda text: _one_card(text, rules))
            if trump is None:
                return None
        first = await self._asked(gettext("Who attacks first?"), lambda text: _seat(text, names))
        if first is None:
            return None
        return RealTable.begin(RealGame.begin(rules, 0, first, trump), names, self.saves)

    async def _asked(self, question: str, read: Callable[[str], _T]) -> _T | None:
        """Ask until the answer can be read; None if the player leaves."""
        while True:
            self.console.say(question)
            line = await self.console.hear()
            if line is None or line.strip().casefold() in words_of("quit"):
                return None
            try:
                return read(line.strip())
            except UnknownWordError as error:
                self.console.say(str(error))

    def _tell(self, text: str) -> None:
        self.console.say(view.sentence(text))


def _names(text: str) -> tuple[str, ...]:
    names = fit_names(re.split(r"[,;\s]+", text.strip(" ,;")))
    if not _PAIR <= len(names) <= MOST_PLAYERS or len({name.casefold() for name in names}) < len(names):
        raise UnknownWordError(
            gettext("Expected 2 to 6 different names, such as {names}.", names="Anna, Boris")
        )
    return names


def _seat(text: str, names: Sequence[str]) -> int:
    found = [seat for seat, name in enumerate(names) if name.casefold().startswith(text.casefold())]
    if len(found) != 1:
        raise UnknownWordError(gettext("Expected one of {names}.", names=", ".join(names)))
    return found[0]


def _one_card(text: str, rules: Rules) -> Card:
    cards = named_cards(text) or ()
    card = cards[0].card() if len(cards) == 1 else None
    if card is None:
        raise UnknownWordError(gettext("Type the rank and the suit of one card, such as 6s."))
    if card not in rules.deck:
        raise UnknownWordError(view.sentence(gettext("{card} is not in this deck", card=card)))
    return card
