"""One game in lines: reports what happens, and does what the player types."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from durak_core import (
    EXCHANGE,
    PASS,
    TAKE,
    Action,
    Attack,
    Card,
    Defend,
    Observation,
    Phase,
    Rank,
    SearchedAction,
    ShowTrump,
    Suit,
    Transfer,
    WhyNot,
)
from durak_core.review import is_known
from durak_tui.board.view import remark
from durak_tui.engine import Engine
from durak_tui.hints.model import NO_MODELS, Advice, Adviser, PlayerModels, Posteriors
from durak_tui.lines import view
from durak_tui.lines.reading import Console, Named, Order, word
from durak_tui.play import commands
from durak_tui.play.game import Moment
from durak_tui.play.session import Session
from durak_tui.storage.settings import Settings
from durak_tui.text.core_messages import rule
from durak_tui.text.i18n import gettext
from durak_tui.text.phrases import Voice, any_of, rank_name, suit_name, why_words

_PAIR: Final = 2
"""Cards of a defence: one of the hand and one on the table."""
_READING: Final = 2.0
"""Most seconds for the models of how the others play."""


class LinesBoard:
    """Answers what the player types about a position: a game's, a lesson's or a puzzle's.

    Args:
        settings: Returns the settings, which the player may change.
    """

    def __init__(self, console: Console, settings: Callable[[], Settings]) -> None:
        self._console = console
        self._settings = settings
        self._told_before = 0
        self._refused: tuple[int, WhyNot] | None = None
        """The last refusal, and after how many actions it was."""
        self._asked_to_take = -1

    @property
    @abstractmethod
    def moment(self) -> Moment: ...

    @property
    def voice(self) -> Voice:
        moment = self.moment
        return view.voice_of(self._settings(), moment.names, moment.human)

    @abstractmethod
    def why_not(self, action: Action) -> WhyNot | None:
        """Return why the rules forbid an action; None if they allow it."""

    @abstractmethod
    def submit(self, action: Action) -> WhyNot | None:
        """Play an action; return why the rules forbid it."""

    @property
    def is_waiting(self) -> bool:
        """Whether the player is to act."""
        return True

    async def answer(self, order: Order) -> bool:
        """Do what the player wants of this position; return False if it is nothing of the position's."""
        acts: dict[str, Callable[[Order], object]] = {
            "play": self._play,
            "beat": self._play,
            "take": self._take_up,
            "pass": lambda _order: self._submit(PASS),
            "transfer": self._transfer,
            "show": self._show,
            "exchange": lambda _order: self._submit(EXCHANGE),
        }
        tells: dict[str, Callable[[Order], Iterable[str]]] = {
            "hand": lambda _order: [view.hand_line(self.moment.observation, self.voice, self._settings())],
            "table": lambda _order: view.table_lines(self.moment, self.voice),
            "players": lambda _order: view.players_lines(self.moment, self.voice),
            "trump": lambda _order: [view.trump_line(self.moment.observation, self.voice)],
            "talon": lambda _order: [view.left_line(self.moment.observation, self.voice)],
            "discard": lambda _order: view.discard_lines(self.moment.observation, self.voice),
            "moves": lambda _order: view.moves_lines(self.moment, self.voice),
            "again": lambda _order: view.news_lines(self.moment, self.voice, self._told_before),
            "log": self._log,
            "known": self._known,
            "why": self._why,
        }
        if order.name in tells:
            self._console.say(*tells[order.name](order))
        elif order.name in acts:
            if self._may_act():
                acts[order.name](order)
        else:
            return False
        return True

    def _may_act(self) -> bool:
        if self.moment.observation.is_over:
            self._console.say(gettext("The game is over."))
            return False
        if not self.is_waiting:
            self._console.say(commands.out_of_turn_words(self.moment.observation))
        return self.is_waiting

    def _log(self, order: Order) -> Iterable[str]:
        text = order.rest.strip()
        bout = int(text) if text.isdecimal() and len(text) < 5 else None
        if text and (bout is None or not 1 <= bout <= self.moment.observation.bout):
            return [gettext("Expected the number of a bout, 1 to {bout}.", bout=self.moment.observation.bout)]
        return view.log_lines_of(self.moment, self.voice, bout)

    def _known(self, order: Order) -> Iterable[str]:
        moment, voice = self.moment, self.voice
        deck = moment.observation.rules.deck
        cards = [card for named in order.cards for card in deck if self._fits(named, card)]
        if cards:
            return [view.card_line(card, moment, voice) for card in cards]
        return view.known_lines(moment, voice, self._posteriors())

    def _posteriors(self) -> Posteriors:
        """Return how the others seem to play, by seat, if their play gives a clue."""
        return NO_MODELS

    def _why(self, order: Order) -> Iterable[str]:
        cards = self._own_cards(order.cards[0]) if order.cards else []
        if order.cards and not cards:
            return [gettext("You do not have that card.")]
        if cards:
            return [self._why_card(card) for card in cards]
        if self._refused is None or self._refused[0] != self.moment.ply:
            example = f"{word('why')} {rank_name(Rank.QUEEN)} {suit_name(Suit.CLUBS)}"
            return [gettext("Nothing was refused. “{example}” asks about a card.", example=example)]
        return view.plain_text(rule(self._refused[1].paragraph))

    def _why_card(self, card: Card) -> str:
        moment = self.moment
        choice = moment.options.of(card)
        target = (
            commands.current_target(moment.observation) if moment.observation.phase == Phase.DEFENCE else None
        )
        if choice.why is not None:
            self._refused = self.moment.ply, choice.why
            return self._why_not(choice.why, card, target)
        if choice.actions:
            return view.stated("{card} can be played", card=self.voice.card(card))
        return gettext("It is not your turn.")

    # Moves

    def _submit(self, action: Action, card: Card | None = None) -> None:
        target = commands.current_target(self.moment.observation)
        why = self.submit(action)
        if why is not None:
            self._refuse(why, card, target)

    def _refuse(self, why: WhyNot, card: Card | None, target: Card | None) -> None:
        self._refused = self.moment.ply, why
        self._console.say(self._why_not(why, card, target))

    def _why_not(self, why: WhyNot, card: Card | None, target: Card | None) -> str:
        return view.sentence(why_words(why, self.moment.observation, self.voice, card, target))

    def _play(self, order: Order) -> None:
        if not order.cards:
            self._console.say(gettext("Which card? {hand} lists yours.", hand=word("hand")))
            return
        if len(order.cards) > 1:
            self._beat(order.cards)
            return
        card = self._chosen_card(order.cards[0])
        if card is None:
            return
        target = commands.current_target(self.moment.observation)
        outcome = commands.play(self.moment.options, card, target)
        if isinstance(outcome, WhyNot):
            self._refuse(outcome, card, target)
        else:
            self._submit(outcome or Attack(card), card)

    def _beat(self, named: Sequence[Named]) -> None:
        """Beat one of two named cards with the other one, which is in the hand."""
        attacks = self.moment.observation.open_attacks
        pairs = (named, named[::-1]) if len(named) == _PAIR else ()
        found = [
            Defend(card, target)
            for one, other in pairs
            for card in self._own_cards(one)
            for target in attacks
            if self._fits(other, target)
        ]
        legal = [action for action in found if self.why_not(action) is None]
        if len(legal) == 1 or (found and not legal):
            action = (legal or found)[0]
            why = self.submit(action)
            if why is not None:
                self._refuse(why, action.card, action.target)
        elif legal:
            possible = [self.voice.pair(action.card, action.target) for action in legal]
            self._console.say(view.stated("Which one: {cards}?", cards=any_of(possible)))
        elif missing := [one for one, other in pairs if any(self._fits(other, target) for target in attacks)]:
            self._chosen_card(missing[0])
        else:
            self._console.say(gettext("Name one card, or a card of yours and the open card that it beats."))

    def _transfer(self, order: Order) -> None:
        options = self.moment.options
        if order.cards:
            card = self._chosen_card(order.cards[0], [action.card for action in options.transfers])
            if card is not None:
                self._submit(Transfer(card))
            return
        outcome = commands.transfer(options)
        if isinstance(outcome, Action):
            self._submit(outcome)
        elif outcome:
            cards = view.by_suit([action.card for action in outcome], self.voice, self.moment.observation)
            self._console.say(view.stated("You may transfer with {cards}", cards=cards))
        else:
            self._submit(options.show_trump or Transfer(next(iter(self.moment.observation.hand))))

    def _show(self, order: Order) -> None:
        if not order.cards:
            self._submit(commands.show_trump(self.moment.options, next(iter(self.moment.observation.hand))))
        elif (card := self._chosen_card(order.cards[0])) is not None:
            self._submit(ShowTrump(card))

    def _take_up(self, _order: Order) -> None:
        """Take; if the cards could be beaten, only at the second time."""
        ply, question = self.moment.ply, commands.take_question(self.moment)
        if question and self._settings().confirm and self._asked_to_take != ply:
            self._asked_to_take = ply
            self._console.say(f"{question} {gettext('If so, type {take} again.', take=word('take'))}")
        else:
            self._submit(TAKE)

    # Cards as typed

    def _suit(self, named: Named) -> Suit | None:
        return self.moment.observation.trump_suit if named.is_trump else named.suit

    def _fits(self, named: Named, card: Card) -> bool:
        return named.fits(card, self.moment.observation.trump_suit)

    def _own_cards(self, named: Named) -> list[Card]:
        return [card for card in self.moment.observation.hand if self._fits(named, card)]

    def _chosen_card(self, named: Named, able: Sequence[Card] = ()) -> Card | None:
        """Return the card that is meant: the only one that fits, or that can be played; otherwise ask."""
        own = self._own_cards(named)
        options = self.moment.options
        playable = [card for card in own if card in able or options.of(card).actions]
        if len(own) == 1 or (own and not playable):
            return own[0]
        if len(playable) == 1:
            return playable[0]
        if playable:
            cards = any_of(list(map(self.voice.card, playable)))
            self._console.say(view.stated("Which one: {cards}?", cards=cards))
        elif (card := named.card(self.moment.observation.trump_suit)) is not None:
            self._console.say(view.stated("You do not have {card}", card=self.voice.card(card)))
        elif named.rank is None:
            self._console.say(gettext("You have no card of that suit."))
        else:
            self._console.say(gettext("You have no card of that rank: {rank}.", rank=rank_name(named.rank)))
        return None


class LinesAdviser:
    """Waits for a hint until the best action's figure holds, or if asked again until the search has ended."""

    def __init__(self, engine: Engine) -> None:
        self._advised = asyncio.Event()
        self._adviser = Adviser(engine, lambda _advice: self._advised.set())
        self.close = self._adviser.close

    def has_answered(self, observation: Observation) -> bool:
        return self._adviser.advice is not None and self._adviser.advice.observation == observation

    async def ask(self, observation: Observation, known: Sequence[SearchedAction] = ()) -> Advice | None:
        wants_all = self.has_answered(observation)
        self._adviser.ask(observation, known)
        while True:
            self._advised.clear()
            advice = self._adviser.advice
            if advice is None or not advice.is_running:
                return advice
            if advice.lines and is_known(advice.lines[0]) and not wants_all:
                self._adviser.stop()
                return advice
            await self._advised.wait()


class LinesTable(LinesBoard):
    """Reports on one session.

    Args:
        settings: Returns the settings, which the player may change during the game.
    """

    def __init__(
        self,
        session: Session,
        console: Console,
        settings: Callable[[], Settings],
        engine: Engine,
        readings: PlayerModels,
    ) -> None:
        super().__init__(console, settings)
        self.session = session
        self._changed = asyncio.Event()
        self._adviser = LinesAdviser(engine)
        self._is_warned = False
        self._readings = readings
        self._told = 0
        self._told_hand = 0
        self._said = ""
        self._coached = -1
        self._is_silent = False

    # The game

    def start(self) -> None:
        session = self.session
        session.subscribe(self._take)
        session.set_only_moves(self._settings().only_moves)
        session.start()
        setup, moment = session.setup, session.moment
        self._console.say(*view.opening_lines(setup, moment, self.voice))
        if moment.ply:
            self._told = len(moment.observation.events)
            self._console.say(*view.table_lines(moment, self.voice))

    async def close(self) -> None:
        """Stop the game. It stays saved, and can be continued."""
        self._adviser.close()
        await self.session.close()
        if self.session.keeper is not None:
            self.session.keeper.release()

    def _take(self, moment: Moment) -> None:
        if moment.thinking is not None and not self._is_silent:
            self._tell_news()
        self._changed.set()

    @property
    def moment(self) -> Moment:
        return self.session.moment

    def why_not(self, action: Action) -> WhyNot | None:
        return self.session.state.why_not(action)

    def submit(self, action: Action) -> WhyNot | None:
        return self.session.submit(action)

    @property
    def is_waiting(self) -> bool:
        return self.session.is_persons_turn

    async def answer(self, order: Order) -> bool:
        if order.name in {"hint", "undo"} and self._warns():
            return True
        if order.name == "hint":
            await self.hint()
        elif order.name == "undo":
            self._undo()
        elif order.name == "redo":
            self._redo()
        else:
            return await super().answer(order)
        return True

    def _posteriors(self) -> Posteriors:
        seat, ply = self.moment.observation.seat, self.moment.ply
        self._readings.read(seat, ply, _READING)
        return self._readings.at(seat, ply)

    @property
    def waits(self) -> bool:
        """Whether the game waits for a person: at a decision, at a handover, at its end, or stuck."""
        session = self.session
        if session.is_over or session.problem or session.hand_over is not None:
            return True
        return session.is_persons_turn and session.forced is None

    async def until_it_waits(self) -> None:
        """Let the others play until the game waits for a person, and tell the news."""
        session = self.session
        while not self.waits:
            if session.can_skip and not session.is_skipping:
                self._tell_news()
                self._is_silent = True
                self._console.say(gettext("The others play on to the end."))
                session.skip_to_end()
            self._changed.clear()
            await self._changed.wait()
        self._tell_news()

    def _tell_news(self) -> None:
        moment = self.moment
        events = moment.observation.events
        if moment.hand_over is not None:
            return
        if len(events) > self._told and not self._is_silent:
            self._told_before = self._told
            self._console.say(*view.news_lines(moment, self.voice, self._told))
            said = remark(moment, self.voice) if self._settings().remarks else ""
            if said and said != self._said:
                self._console.say(said)
            self._said = said
        self._told = len(events)

    # Questions

    def ask(self) -> None:
        """Print the question to the player, once a bout after the hand."""
        moment = self.moment
        if self.session.problem:
            self._console.say(self.session.problem)
            return
        if moment.observation.bout != self._told_hand:
            self._told_hand = moment.observation.bout
            self._console.say(view.hand_line(moment.observation, self.voice, self._settings()))
        self._console.say(view.question(moment, self.voice))

    @property
    def wants_coach(self) -> bool:
        """Whether a hint is due without being asked for."""
        moment = self.moment
        is_new = self._coached != moment.ply
        self._coached = moment.ply
        has_choice = len(moment.observation.legal_actions) > 1 and not moment.observation.is_over
        return self._settings().coach and is_new and has_choice and self.session.setup.day is None

    # Help

    def _undo(self) -> None:
        if self.session.is_over:
            self._console.say(gettext("The game is over; nothing can be taken back."))
        elif self.session.setup.day is not None:
            self._console.say(_no_help())
        elif self.session.undo():
            self._show_change(gettext("Taken back. The game counts as assisted."))
        else:
            self._console.say(gettext("You have not played anything yet."))

    def _redo(self) -> None:
        if self.session.redo():
            self._show_change(gettext("Played again."))
        else:
            self._console.say(gettext("Nothing was taken back."))

    def _show_change(self, words: str) -> None:
        self._told = self._told_before = len(self.moment.observation.events)
        self._console.say(words, *view.table_lines(self.moment, self.voice))
        self._told_hand = 0

    def _warns(self) -> bool:
        """Warn, once a game, that help costs the rating; the same word again helps."""
        session = self.session
        can_help = session.is_rated and session.setup.day is None and session.is_persons_turn
        is_first = can_help and not self._is_warned
        if is_first:
            self._is_warned = True
            self._console.say(gettext("With help, this game will not be rated. Type it again to go on."))
        return is_first

    async def hint(self) -> None:
        """Search the decision, and say the result; asking again searches longer."""
        session = self.session
        if session.setup.day is not None:
            self._console.say(_no_help())
            return
        observation = session.decision
        if not self._may_act() or observation is None:
            return
        is_again = self._adviser.has_answered(observation)
        if is_again:
            self._console.say(gettext("Searching for longer."))
        answers, key = session.answers, (session.ply, ())
        advice = await self._adviser.ask(observation, answers.lines_at(key))
        if advice is None:
            return
        if advice.lines:
            answers.add_lines(key, advice.lines)
        self._console.say(*view.hint_lines(advice, self.voice, figures=self._settings().figures))
        if advice.lines:
            session.count_hint()


def _no_help() -> str:
    return gettext("In the daily deal there are no hints, and no moves are taken back.")
