"""One game at a table: the true state, and what each seat sees of it.

Only `TableGame.look` and `TableGame.record` turn the state into messages. A look is made from one seat's
observation alone, and the record exists only after the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from durak_core import Action, Card, Record, Rules, State, parse_action, write_game, write_observation
from durak_core.engine.event_sync import write_event
from durak_core.errors import ActionError, NotationError
from durak_core.game.events import BoutBegan
from durak_tui.friends.messages import Act, Look, No, refusal
from durak_tui.friends.stored import StoredGame


@dataclass(slots=True)
class TableGame:
    """A game and its players.

    Attributes:
        number: Its number at the table, from 1.
        names: The players' names at its start.
        players: For each seat a bot's spec, or empty for a person.
        left: Seats of people who have left the table for good.
        moves: The actions so far in notation.
    """

    number: int
    state: State
    names: tuple[str, ...]
    players: tuple[str, ...]
    left: set[int] = field(default_factory=set)
    moves: list[str] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        return self.state.is_over

    def act(self, seat: int, act: Act) -> No | None:
        """Play a person's action; return why it is refused."""
        if act.game != self.number or act.ply != self.state.plies:
            return refusal("late")
        if not self.is_over and self.state.turn != seat:
            return refusal("not_your_turn")
        try:
            action = parse_action(act.action)
        except (ActionError, NotationError):
            return refusal("message")
        why = self.state.why_not(action)
        if why is not None:
            return No(why.kind, why.paragraph, str(why.reason))
        self.play(action)
        return None

    def play(self, action: Action) -> None:
        """Play a legal action for the seat to act."""
        self.state = self.state.apply(action)
        self.moves.append(str(action))

    def look(
        self, seat: int, known: int, left: float | None, away: tuple[int, ...], stand_ins: tuple[int, ...]
    ) -> Look:
        """Return a seat's look with the events after the first ``known`` ones."""
        seen = self.state.observation(seat)
        events = tuple([write_event(event) for event in seen.events[known:]])
        return Look(
            self.number, self.state.plies, known, events, write_observation(seen), left, away, stand_ins
        )

    def record(self) -> str:
        """Return the record of a finished game."""
        if not self.is_over:
            raise ValueError("the game is not over")
        tags = {f"Player{seat}": player for seat, player in enumerate(self.players) if player}
        date = datetime.now().astimezone().date().isoformat()
        return write_game(Record.of(self.state, self.names, date, **tags))

    # On disk

    def stored(self) -> StoredGame:
        deck = "".join(map(str, self.state.deck or ()))
        begun = self.state.events[0]
        ruled = isinstance(begun, BoutBegan) and begun.first_by is not None
        return StoredGame(
            self.number,
            self.state.rules.text,
            deck,
            self.state.first_attacker,
            ruled,
            self.names,
            self.players,
            tuple(sorted(self.left)),
        )

    @classmethod
    def restored(cls, stored: StoredGame) -> TableGame:
        """Deal a stored game again; raise `durak_core.errors.DurakError` if it is damaged."""
        rules = Rules.parse(stored.rules)
        deck = [Card.parse(stored.deck[place : place + 2]) for place in range(0, len(stored.deck), 2)]
        dealt = State.from_deck(rules, deck, stored.first_attacker, by_lowest_trump=stored.by_lowest_trump)
        return cls(stored.number, dealt, stored.names, stored.players, set(stored.left))
