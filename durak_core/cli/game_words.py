"""What happens in a game, in words, as everybody or one seat sees it."""

from __future__ import annotations

from collections.abc import Iterable

from rich.cells import cell_len
from rich.text import Text

from durak_core.cards import Card
from durak_core.cli.output import card_text, sorted_cards
from durak_core.game import events
from durak_core.game.events import Event
from durak_core.game.setup import checked_seat
from durak_core.game.state import State
from durak_core.messages import printable
from durak_core.rules import Rules


class GameWords:
    """Puts events and hands into words.

    Args:
        seat: Whose view, or None for all cards.
        in_colour: Whether cards have symbols and colours, or the letters of docs/notation.md.

    Attributes:
        names: Each seat as it is called.
        seat: Whose view; None also where an open game shows everything to everybody (rules 9.3).

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
        """Return each seat's name and hand, or how many cards it has where they are not seen."""
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
        """Return what lies on the table, in the talon and in the discard pile."""
        pairs = [
            self._card(pair.defence) + Text("x") + self._card(pair.attack)
            if pair.defence
            else self._card(pair.attack)
            for pair in state.table
        ]
        trump = state.trump_card
        line = Text("table ") + (Text(" ").join(pairs) if pairs else Text("empty"))
        line.append(f"   talon {len(state.talon)}   gone {len(state.discards)}   trump ")
        return line + (self._card(trump) if trump else Text("none"))

    def news(self, before: State, after: State) -> tuple[Event, ...]:
        """Return what happened between a state and a later one of the same game."""
        return self._events(after)[len(self._events(before)) :]

    def event(self, event: Event) -> Text:
        match event:
            case events.BoutBegan(bout, attacker, defender, limit):
                who = f"{self.names[attacker]} attacks {self.names[defender]}"
                return Text(f"Bout {bout}: {who}, at most {_count(limit)}", style="bold")
            case events.GameEnded(_, stalled):
                why = f": {self._rules.stall_limit} taken bouts in a row (rules 8.5)" if stalled else ""
                return Text(f"the game is over{why}")
            case _:
                return Text(f"{self.names[event.seat]} ") + self._deed(event)

    def _events(self, state: State) -> tuple[Event, ...]:
        return state.events if self.seat is None else state.observation(self.seat).events

    def _deed(self, event: Event) -> Text:
        line = self._card_deed(event)
        match event:
            case events.Passed():
                line.append("passes")
            case events.TookUp():
                line.append("takes")
            case events.BeatenOff():
                line.append("has beaten off the attack")
            case events.WentOut(_, place):
                line.append(f"is out, place {place}")
            case events.TableTaken(_, cards):
                line += Text("takes up ") + self.cards(cards)
            case events.Drew(_, count, cards):
                line += Text("draws ") + (self.cards(cards) if cards else Text(_count(count)))
        return line

    def _card_deed(self, event: Event) -> Text:
        """Return how a card was played; nothing where the event is about something else."""
        match event:
            case events.Attacked(_, card):
                return Text("plays ") + self._card(card)
            case events.Defended(_, card, target):
                return Text("beats ") + self._card(target) + Text(" with ") + self._card(card)
            case events.Transferred(_, card, defender):
                return self._handed_on("transfers with ", card, defender)
            case events.TrumpShown(_, card, defender):
                return self._handed_on("transfers by showing ", card, defender)
            case _:
                return Text()

    def _handed_on(self, how: str, card: Card, defender: int) -> Text:
        return Text(how) + self._card(card) + Text(f" to seat {defender}")

    def _card(self, card: Card) -> Text:
        return card_text(card) if self._in_colour else Text(str(card))


def _count(cards: int) -> str:
    return "1 card" if cards == 1 else f"{cards} cards"
