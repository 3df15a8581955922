"""Events, hands and tables of a game in words, with all cards or as one seat sees them."""

from __future__ import annotations

from collections.abc import Iterable
from string import Formatter
from typing import Final

from rich.cells import cell_len
from rich.text import Text

from durak_core.cards import Card
from durak_core.cli.output import card_text, sorted_cards
from durak_core.game import events
from durak_core.game.events import Event
from durak_core.game.observation import TablePair
from durak_core.game.setup import checked_seat
from durak_core.game.state import State
from durak_core.messages import printable
from durak_core.rules import Rules

_DEEDS: Final[dict[type, str]] = {
    events.Attacked: "plays {card}",
    events.Defended: "beats {target} with {card}",
    events.Transferred: "transfers with {card} to seat {defender}",
    events.TrumpShown: "transfers by showing {card} to seat {defender}",
    events.Passed: "passes",
    events.TookUp: "takes",
    events.Exchanged: "exchanges {given} for {taken}",
    events.BeatenOff: "has beaten off the attack",
    events.WentOut: "is out, place {place}",
    events.TableTaken: "takes up {cards}",
    events.Drew: "draws {cards}",
}
"""What a seat does in an event; the fields are the event's attributes."""


class GameWords:
    """Describes events and hands.

    Args:
        seat: Whose view, or None for all cards.
        in_colour: Whether cards have symbols and colours, or the letters of docs/notation.md.

    Attributes:
        names: Each seat's name.
        seat: Whose view; None also in an open game (rules 9.3).

    Raises:
        DealError: If the game has no such seat.
    """

    def __init__(
        self, rules: Rules, players: Iterable[str], seat: int | None = None, *, in_colour: bool = True
    ) -> None:
        if seat is not None:
            checked_seat(rules, seat)
        self.seat = None if rules.visibility == "open" else seat
        self.names = [f"seat {i} {printable(name)}".rstrip() for i, name in enumerate(players)]
        self._rules = rules
        self._in_colour = in_colour
        self._width = max(map(cell_len, self.names))

    def sees(self, seat: int) -> bool:
        return self.seat in (None, seat)

    def cards(self, cards: Iterable[Card]) -> Text:
        return Text(" ").join(map(self._card, cards))

    def hands(self, state: State) -> list[Text]:
        """Return each seat's name and hand, or only the number of cards if they are hidden."""
        lines = []
        for seat, (name, hand) in enumerate(zip(self.names, state.hands, strict=True)):
            line = Text(f"{name}{' ' * (self._width - cell_len(name))}  ")
            if hand and self.sees(seat):
                line += self.cards(sorted_cards(hand, state.trump_suit))
            else:
                line.append(_count(len(hand)) if hand else "no cards")
            lines.append(line)
        return lines

    def table(self, state: State) -> Text:
        """Return the table, the sizes of talon and discard pile, and the trump."""
        pairs = list(map(self.pair, state.table))
        trump = state.trump_card
        line = Text("table ") + (Text(" ").join(pairs) if pairs else Text("empty"))
        line.append(f"   talon {len(state.talon)}   gone {len(state.discards)}   trump ")
        return line + (self._card(trump) if trump else Text("none"))

    def pair(self, pair: TablePair) -> Text:
        attack = self.cards([pair.attack])
        return self.cards([pair.defence]) + Text("x") + attack if pair.defence else attack

    def news(self, before: State, after: State) -> tuple[Event, ...]:
        """Return the events between a state and a later one of the same game."""
        return self._events(after)[len(self._events(before)) :]

    def event(self, event: Event) -> Text:
        match event:
            case events.BoutBegan(bout, attacker, defender, limit):
                who = f"{self.names[attacker]} attacks {self.names[defender]}"
                return Text(f"Bout {bout}: {who}, at most {_count(limit)}", style="bold")
            case events.GameEnded(_, stalled):
                why = f": {self._rules.stall_limit} taken bouts in a row (rules 8.5)" if stalled else ""
                return Text(f"the game is over{why}")
            case events.Drew(seat, count, None | ()):
                return Text(f"{self.names[seat]} draws {_count(count)}")
        line = Text(f"{self.names[event.seat]} ")
        for text, field, _, _ in Formatter().parse(_DEEDS[type(event)]):
            line.append(text)
            value = getattr(event, field) if field else ""
            if isinstance(value, int | str):
                line.append(str(value))
            else:
                line += self.cards([value] if isinstance(value, Card) else value)
        return line

    def _events(self, state: State) -> tuple[Event, ...]:
        return state.events if self.seat is None else state.observation(self.seat).events

    def _card(self, card: Card) -> Text:
        return card_text(card) if self._in_colour else Text(str(card))


def _count(cards: int) -> str:
    return "1 card" if cards == 1 else f"{cards} cards"
