"""Real cards: the form that begins a game, the table where moves are reported, and the evening's score."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Final

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.geometry import Size
from textual.widgets import Static

from durak_core import PASS, TAKE, Action, Card, Phase, Rank, RealGame, Suit, WhyNot, next_first_attacker
from durak_core.errors import DurakError, FileError
from durak_core.files import write_text_atomically
from durak_tui.board.view import action_buttons, in_order
from durak_tui.keys.keymap import twins
from durak_tui.library.model.statistics import GameCounts, Played, PlayerStatistics, Standing
from durak_tui.play.evening import MOST_PLAYERS, Evening, ScoredGame, next_attacker
from durak_tui.play.game import CardOptions, Moment
from durak_tui.play.real import RealTable
from durak_tui.setup.model import Draft
from durak_tui.setup.screens import SetupScreen
from durak_tui.storage.paths import home, unused_path, why_no_place, written_path
from durak_tui.storage.settings import Settings, settings_problem
from durak_tui.table.screens import TableScreen
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, mark, ngettext, percent, pgettext
from durak_tui.text.phrases import capital, card_text, players_words, suit_name, suit_text
from durak_tui.ui.screens.base import DurakScreen, TranslatedLabel
from durak_tui.ui.screens.dialogs import Write
from durak_tui.ui.view.board_data import ButtonView, Cell, Column, HandCard, HandView, PromptView, TableView
from durak_tui.ui.widgets.form import Row, start_row
from durak_tui.ui.widgets.lines import LongTable

_SUITS: Final = {key: suit for suit in Suit for key in (suit.letter, *twins(suit.letter))}
"""Keys of the suits in all layouts."""
_JACK: Final = ("j", *twins("j"))
"""Keys of the jack besides ``b``, while they do not turn the cards panel."""
_JOKER: Final = "*"
_PAIR: Final = 2
_FEW: Final = 4
"""Cards that have a button each; more are chosen by rank first."""


class RealDraft(Draft):
    """The choices of a game with real cards: people only, the trump card, and who begins.

    Attributes:
        suit: The trump suit's letter, or empty.
        rank: The letter of the trump card's rank, or empty.
        first: The number of the seat that attacks first.
    """

    def __init__(self, settings: Settings, standing: Standing, first: int = 0) -> None:
        super().__init__(settings, standing, watching=False)
        self.suit = self.rank = ""
        self.first = str(first)
        self.take_table(self.table)

    def take_table(self, table: str) -> None:
        super().take_table(table)
        self.take_people(self.seats)
        self.first = min(self.first, str(self.seats - 1))

    def begun(self) -> RealGame:
        """Return the new game. Raises `DurakError` if it is invalid."""
        trump = f"{self.rank}{self.suit}" if self.rules.trumps else None
        return RealGame.begin(self.rules, 0, int(self.first), trump)


class RealSetupScreen(SetupScreen):
    """Edits a game with real cards. The hand is named at the table."""

    draft: RealDraft

    @property
    def _heading(self) -> str:
        return mark("Real cards")

    def problem(self) -> str:
        draft = self.draft
        try:
            if draft.rules.trumps and not (draft.suit and draft.rank):
                return gettext("Choose the card that shows the trumps.")
            draft.begun()
        except DurakError as error:
            return capital(f"{core_words(error)}.")
        return super().problem()

    def _rows(self, size: Size) -> list[Row]:
        del size
        draft, names, ascii_only = self.draft, self._names(), self.host.settings.ascii
        suits = {suit.letter: f"{suit_text(suit, ascii=ascii_only)} {suit_name(suit)}" for suit in Suit}
        try:
            cards = draft.rules.deck if draft.rules.trumps else ()
        except DurakError:
            cards = ()
        ranks = {
            card.rank.letter: card_text(card, ascii=ascii_only)[:-1] for card in cards if not card.is_joker
        }
        trump = [
            Row("suit", gettext("Trump"), draft.suit, tuple(suits), words=suits),
            Row("rank", gettext("Trump card"), draft.rank, tuple(ranks), words=ranks),
        ]
        order = gettext("Separated by commas: yours, then on from your left.")
        fools = gettext("Who was the fool, and how often.")
        seats = {str(seat): name for seat, name in enumerate(names)}
        return [
            self._game_row(),
            self._seats_row(),
            self._teams_row(),
            Row("names", gettext("Names"), ", ".join(names), written=True, help=order),
            self._rules_row(),
            *(trump if ranks else []),
            Row("first", gettext("First attacker"), draft.first, tuple(seats), words=seats),
            Row("evening", gettext("The evening"), gettext("score"), help=fools),
            start_row(gettext("Play"), gettext("You name your cards at the table.")),
        ]

    def change(self, name: str, text: str) -> None:
        if name in {"suit", "rank", "first"}:
            setattr(self.draft, name, text)
            self.show()
        else:
            super().change(name, text)

    def open_row(self, row: Row, typed: str) -> None:
        if row.name == "evening":
            self.app.push_screen(EveningScreen())
        else:
            super().open_row(row, typed)

    def begin(self) -> None:
        names = self._names()
        self.host.change_settings(rules=self.draft.rules.text, guests=names)
        table = RealTable.begin(self.draft.begun(), names, self.host.saves)
        self.dismiss()
        self.app.push_screen(RealScreen(table))


class RealScreen(TableScreen, place="real"):
    """The table of a game with real cards. The hand's place shows what the seat to act may play."""

    PLANS = False
    session: RealTable

    def __init__(self, session: RealTable) -> None:
        super().__init__(session)
        self._rank: Rank | None = None
        """The rank of the card whose suit comes next."""
        self._echo: Suit | None = None
        """The suit of a card that its rank has played, which may be typed nevertheless."""

    # What is asked

    @property
    def is_my_turn(self) -> bool:
        return not self.session.is_over

    @property
    def is_asked(self) -> bool:
        return self.session.is_persons_turn

    @property
    def options(self) -> CardOptions:
        options = self.session.options
        return options.only_transfers() if self.asks_transfer else options

    @property
    def read_up_to(self) -> int:
        return self.moment.ply - bool(self.session.game.unnamed)

    def take(self, moment: Moment) -> None:
        if moment.ply == self.moment.ply and moment.observation != self.moment.observation:
            self.advice.close()  # of cards that have other names now
            self.__dict__.pop("advice")
        self._rank = None
        super().take(moment)

    def _offered(self, rank: Rank | None) -> list[Card]:
        cards = (choice.card for choice in self.options.cards if choice.actions)
        return [card for card in cards if rank in {None, card.rank}]

    # Drawing

    def view(self) -> TableView:
        view, session = super().view(), self.session
        if session.is_over:
            return view
        cards = in_order(self._offered(self._rank), view.look, view.moment.observation)
        buttons = self._card_buttons(cards) if self.is_for_fingers else ()
        if self._rank is not None:
            rank = self.voice.rank(Card(Suit.SPADES, self._rank))
            is_joker = self._rank is Rank.JOKER
            text = gettext("Black or red, s or h?") if is_joker else gettext("{rank}: which suit?", rank=rank)
            buttons = (*buttons, ButtonView("back", pgettext("answer", "Back")))
        elif session.is_persons_turn:
            return replace(view, hand=replace(view.hand, is_numbered=False))
        else:
            text = session.question(self.voice)
            others = () if session.game.unnamed else self._other_buttons(view)
            buttons = (*buttons, *others)
        held = tuple([HandCard(card, playable=True) for card in cards])
        hand = HandView(held, True, True, is_numbered=False)
        how = "" if self.is_for_fingers else self._how_to_type()
        return replace(view, hand=hand, prompt=PromptView(text, "turn", how, buttons))

    def _how_to_type(self) -> str:
        if self.session.game.state.rules.jokers is None:
            return gettext("Type a card's rank and suit, such as 9h.")
        return gettext("Type a card's rank and suit, such as 9h, or *s and *h for the jokers.")

    def _card_buttons(self, cards: list[Card]) -> tuple[ButtonView, ...]:
        """Return a button for each card, or for each rank if there are many."""
        ascii_only = self.host.settings.ascii
        if self._rank is not None or len(cards) <= _FEW:
            return tuple([ButtonView(f"card_{card}", card_text(card, ascii=ascii_only)) for card in cards])
        ranks = {card.rank: card_text(card, ascii=ascii_only)[:-1] for card in cards}
        return tuple([ButtonView(f"rank_{rank.value}", ranks[rank]) for rank in sorted(ranks)])

    def _other_buttons(self, view: TableView) -> tuple[ButtonView, ...]:
        seen = view.moment.observation
        buttons = action_buttons(seen, self.options, self.voice)
        in_round = seen.phase in {Phase.THROW_IN, Phase.PILE_ON} and seen.rules.seats > _PAIR
        return (*buttons, ButtonView("all_pass", gettext("All pass"))) if in_round else buttons

    def key_label(self, button: str) -> str:
        return "" if button.startswith(("card_", "rank_")) else super().key_label(button)

    def offers(self, action: str) -> bool:
        if action in {"play", "left", "right"}:
            return self.is_my_turn or super().offers(action)
        if action == "hint":
            return self.session.is_persons_turn
        return self.options.can_pass if action == "all_pass" else super().offers(action)

    # Reports

    def _report(self, report: Callable[[], None]) -> None:
        """Report something, or show why it cannot have happened."""
        try:
            report()
        except DurakError as error:
            self.app.bell()
            self.board.tell(self._sentence(error), "refusal")

    def submit(self, action: Action) -> None:
        self._report(partial(super().submit, action))

    def why_words(self, why: WhyNot, card: Card | None = None, target: Card | None = None) -> str:
        if self.session.is_persons_turn:
            return super().why_words(why, card, target)
        return self._sentence(why.message)

    def _sentence(self, message: object) -> str:
        words = core_words(message, lambda one: self.voice.card(one) if isinstance(one, Card) else one)
        return capital(words) + "."

    def play_card(self, card: Card) -> None:
        session = self.session
        if self._rank is not None:
            self._rank = None
            self.draw()  # a later drawing would take the refusal away
        if session.game.unnamed:
            self._report(lambda: session.name([card]))
        elif card not in session.game.possible:
            self._report(lambda: session.play_card(card))
        else:
            super().play_card(card)

    def on_key(self, event: events.Key) -> None:
        """Take the suit that follows a rank; after a rank that was enough, let it pass."""
        typed = (event.character or "").lower()
        suit, echo, rank = _SUITS.get(typed), self._echo, self._rank
        self._echo = None
        if rank is not None and suit is not None:
            if rank < Rank.JOKER or suit <= Suit.HEARTS:
                self.play_card(Card(suit, rank))
        elif rank is not None and event.key in {"escape", "backspace"}:
            self._choose_rank(None)
        elif typed == _JOKER:
            self.action_rank(list(Rank).index(Rank.JOKER) + 1)
        elif typed in _JACK and not self.knowledge.is_open:
            self.action_rank(list(Rank).index(Rank.JACK) + 1)
        elif suit is None or suit != echo:
            return
        event.stop()
        event.prevent_default()

    def action_rank(self, number: int) -> None:
        """Play the only card of a rank, counted from 1 for the two, or ask for its suit."""
        rank = list(Rank)[number - 1]
        cards = self._offered(rank)
        if len(cards) == 1 and not self.session.is_over:
            self._echo = cards[0].suit
            self.play_card(cards[0])
        else:
            self._choose_rank(rank)

    def _choose_rank(self, rank: Rank | None) -> None:
        self._rank = None if self.session.is_over else rank
        self.board.tell("")
        self.redraw()

    async def press(self, button: str) -> None:
        kind, _, what = button.partition("_")
        if kind == "rank":
            self._choose_rank(Rank(int(what)))
        elif kind == "card":
            self.play_card(Card(what))
        else:
            await super().press(button)

    def action_done(self) -> None:
        if self.session.is_over:
            return
        self.submit(TAKE if self.options.can_take and not self.options.can_pass else PASS)

    def take_table(self) -> None:
        """Take without a question: it has happened."""
        self.submit(TAKE)

    def action_all_pass(self) -> None:
        self._report(self.session.all_pass)

    def action_hint(self) -> None:
        if self.session.is_persons_turn:
            super().action_hint()
        else:
            self.board.tell(gettext("A hint comes at your turn."), "refusal")

    # Leaving, and the end

    def action_back(self) -> None:
        if self._rank is None:
            super().action_back()
        else:
            self._choose_rank(None)

    def _next_game(self) -> None:
        """Begin the next game of the same players; the rules choose who attacks first (4.2)."""
        first = next_first_attacker(self.session.setup.rules, self.session.state.fool)
        draft = RealDraft(self.host.settings, self.host.library.standing(), first or 0)
        self.leave_game(lambda: self.app.push_screen(RealSetupScreen(draft)))


def scores(games: Sequence[ScoredGame], present: Sequence[str] = ()) -> dict[str, PlayerStatistics]:
    """Return each person's statistics, those at the table first."""
    found: dict[str, list[Played]] = {name: [] for name in present}
    for game in games:
        seats = len(game.names)
        for name in game.names:
            is_lost, is_draw = name == game.fool, not game.fool
            played = Played(game.date, "", seats, seats, (), lost=is_lost, draw=is_draw, bouts=0, plies=0)
            found.setdefault(name, []).append(played)
    return {name: PlayerStatistics.of(played) for name, played in found.items()}


def evening_columns(sizes: Sequence[int]) -> tuple[Column, ...]:
    """Return the columns of the scores, with one for each number of players at the table."""
    titles = (
        (pgettext("column", "Games"), 0),
        (pgettext("column", "Lost"), 0),
        (pgettext("column", "Loss rate"), 0),
        (pgettext("column", "Par"), 50),
        (capital(gettext("streak")), 60),
        *((players_words(size, size), 80) for size in sizes),
    )
    columns = [Column(one, one, max(4, cell_len(one)), right=True, least=least) for one, least in titles]
    return Column("name", pgettext("column", "Players")), *columns


def evening_cells(name: str, figures: PlayerStatistics, sizes: Sequence[int]) -> tuple[Cell, ...]:
    total, texts = figures.total, [""] * 4
    if total.games:
        shares = percent(total.lost_share), percent(total.par)
        texts = [str(total.losses), *shares, str(figures.unbeaten[0])]
    for size in sizes:
        one = GameCounts([game for game in figures.games if game.seats == size])
        texts.append(f"{one.losses}/{one.games}" if one.games else "")
    return tuple([Cell(text) for text in (name, str(total.games), *texts)])


class EveningScreen(DurakScreen, place="evening"):
    """Lists the people of an evening with their scores; one key counts a game."""

    MOVED = LongTable
    DEFAULT_CSS = "EveningScreen { & LongTable { max-height: 70%; } & #evening-foot { padding: 0 1; } }"

    def __init__(self) -> None:
        super().__init__()
        self._shows_all = False
        self._present: list[str] = []
        self._names: list[str] = []

    def compose_body(self) -> ComposeResult:
        yield TranslatedLabel(mark("The evening's score"), classes="form-title")
        yield LongTable()
        yield Static(id="evening-foot", markup=False)

    @cached_property
    def _evening(self) -> Evening:
        return Evening(self.host.saves.folder, self.host.tell)

    def on_mount(self) -> None:
        games = self._evening.tonight
        self._present = list(self.host.settings.guests or (games[-1].names if games else ()))

    def settings_changed(self) -> None:
        super().settings_changed()
        self.query_one(LongTable).ascii_only = self.host.settings.ascii
        self._fill()

    # Drawing

    def _fill(self, told: str = "") -> None:
        games = self._evening.games if self._shows_all else self._evening.tonight
        people = scores(games, self._present)
        self._names = list(people)
        sizes = sorted({len(game.names) for game in games})
        numbers = {name: number for number, name in enumerate(self._present, 1)}
        rows = [evening_cells(f"{numbers.get(one, '-')} {one}", people[one], sizes) for one in people]
        table = self.query_one(LongTable)
        table.columns = evening_columns(sizes)
        table.show(len(rows), lambda start, stop: rows[start:stop])
        table.styles.height = table.HEAD + table.per * len(rows) + 1
        self.query_one("#evening-foot", Static).update("\n".join(filter(None, (told, *self._told()))))

    def _told(self) -> Iterator[str]:
        games = self._evening.tonight
        if self._shows_all:
            yield gettext("All evenings.")
        else:
            yield ngettext("{count} game tonight.", "{count} games tonight.", len(games))
        rules = self.rules
        first = next_attacker(rules, games, self._present)
        if first is not None:
            yield gettext("{name} attacks first.", name=first)
        elif rules.trumps:
            yield gettext("The lowest trump attacks first.")
        if games and games[-1].trump:
            trump = suit_name(Suit("shdc".index(games[-1].trump)))
            yield gettext("Trumps of the last game: {suit}.", suit=trump)
        if not self.is_for_fingers:
            yield gettext("A player's number: the fool. Space: joins or leaves.")

    # Actions

    @property
    def _chosen(self) -> str | None:
        return self._names[self.query_one(LongTable).cursor] if self._names else None

    @on(LongTable.Chosen)
    def action_choose(self) -> None:
        if self._chosen in self._present:
            self._count(self._chosen)

    def action_lost(self, number: int) -> None:
        if number <= len(self._present):
            self._count(self._present[number - 1])

    def action_draw(self) -> None:
        self._count("")

    def _count(self, fool: str | None) -> None:
        if len(self._present) < _PAIR:
            self._fill(gettext("At least two players are needed."))
            return
        self._evening.add(self._present, fool or "")
        counted = gettext("{name} is the fool.", name=fool) if fool else gettext("A draw.")
        self._fill(self._evening.unsaved or counted)

    def action_trump(self, number: int) -> None:
        self._evening.name_trump("shdc"[number - 1])
        self._fill()

    def action_undo(self) -> None:
        undone = self._evening.take_back()
        self._fill(gettext("Taken back.") if undone else gettext("Nothing was taken back."))

    def action_turn(self) -> None:
        self._shows_all = not self._shows_all
        self._fill()

    def action_present(self) -> None:
        """Let the chosen player leave the table, or join it again."""
        name = self._chosen
        if name in self._present:
            self._present.remove(name)
        elif name is not None and len(self._present) < MOST_PLAYERS:
            self._present.append(name)
        self._keep()

    def action_add(self) -> None:
        def problem(text: str) -> str:
            names = (*self._present, text.strip())
            if len(names) > MOST_PLAYERS:
                return gettext("At most six players fit at a table.")
            is_twice = text.strip() in self._present
            return settings_problem(guests=names) or (gettext("each name only once") if is_twice else "")

        def added(text: str) -> None:
            self._present.append(text.strip())
            self._keep()

        self.ask(Write(gettext("Who joins the table?"), "", problem), added)

    def _keep(self) -> None:
        self.host.change_settings(guests=tuple(self._present))
        self._fill()

    def action_export(self) -> None:
        def export(text: str) -> None:
            path = written_path(text)
            try:
                write_text_atomically(path, self._evening.text())
            except FileError as error:
                self._fill(core_words(error))
            else:
                self._fill(gettext("{file} is written.", file=path.name))

        value = str(unused_path(home() / "durak-evenings.csv"))
        self.ask(Write(gettext("Write the scores to"), value, why_no_place), export)
