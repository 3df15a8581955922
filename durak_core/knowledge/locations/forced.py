"""What a pass or a take proves under forced play (rules 5.8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from durak_core.game import events
from durak_core.game.events import Event
from durak_core.game.observation import Observation
from durak_core.kernel.legal import beaters, fitting_cards, transfer_cards
from durak_core.kernel.position import Position
from durak_core.kernel.transition import add_attack, transfer_attack
from durak_core.knowledge.visible import visible_position


class ForcedBout:
    """The public part of the running bout, from which the kernel computes playable cards."""

    __slots__ = ("_p",)

    def __init__(self, observation: Observation) -> None:
        self._p: Position = visible_position(observation)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ForcedBout) and self._bout() == other._bout()

    __hash__ = None  # type: ignore[assignment]

    def lacking(self, event: Event, sizes: Sequence[int]) -> int:
        """Return the mask of cards that a seat cannot hold after an event that is not observed yet."""
        p = self._p
        match event:
            case events.Passed(seat):
                self._lay_hands(sizes, seat)
                return fitting_cards(p, seat)
            case events.TookUp(seat):
                self._lay_hands(sizes, seat)
                cards = transfer_cards(p)
                for i in range(p.n_attacks):
                    if p.defences[i] == 0:
                        cards |= beaters(p, p.attacks[i])
                return cards
            case _:
                return 0

    def observe(self, event: Event, sizes: Callable[[], Sequence[int]], gone: int) -> None:
        """Update the bout; ``sizes`` returns the hand sizes after the event, ``gone`` masks the discards."""
        p = self._p
        p.discards = gone
        match event:
            case events.BoutBegan(bout, attacker, defender, limit):
                p.bout, p.attacker, p.defender, p.limit = bout, attacker, defender, limit
                p.table = p.n_attacks = p.n_open = 0
                p.in_mask = sum([1 << seat for seat, size in enumerate(sizes()) if size])
            case events.Attacked(_, card):
                p.table |= card.mask
                add_attack(p, card.number)
            case events.Defended(_, card, target):
                p.table |= card.mask
                for i in range(p.n_attacks):
                    if p.attacks[i] == target.number:
                        p.defences[i] = card.number
                p.n_open -= 1
            case events.Transferred(_, card):
                p.table |= card.mask
                add_attack(p, card.number)
                self._hand_on(sizes())
            case events.TrumpShown():
                self._hand_on(sizes())
            case _:
                pass

    def _hand_on(self, sizes: Sequence[int]) -> None:
        self._lay_hands(sizes)
        transfer_attack(self._p)

    def _lay_hands(self, sizes: Sequence[int], asked: int | None = None) -> None:
        """Set every hand to its size, and the asked seat's hand to all cards."""
        p = self._p
        for seat, size in enumerate(sizes):
            p.hands[seat] = (1 << size) - 1
        if asked is not None:
            p.hands[asked] = p.deck_mask

    def _bout(self) -> tuple[object, ...]:
        p = self._p
        laid = (p.table, p.n_attacks, p.n_open, tuple(p.attacks[: p.n_attacks]))
        seats = (p.in_mask, p.attacker, p.defender)
        return (*seats, p.discards, p.bout, p.limit, *laid, tuple(p.defences[: p.n_attacks]))
