"""The texts of docs/notation.md by the book, from a game of the second engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from durak_core.actions import Attack, Defend, Exchange, Pass, ShowTrump, Take, Transfer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from durak_core.actions import Action
    from durak_core.cards import Card
    from oracle.engine import OracleGame


def seats(numbers: Iterable[int]) -> str:
    """Seats with commas between them."""
    return ",".join(map(str, numbers))


def pile(cards: Iterable[Card], known: Iterable[Card], *, is_hidden: bool) -> str:
    """Cards, or how many there are if they are hidden, and after a plus those that all players know."""
    others = [str(card) for card in cards if card not in known]
    seen = "".join(map(str, known))
    return (f"?{len(others)}" if is_hidden and others else "".join(others)) + (f"+{seen}" if seen else "")


def position(game: OracleGame, seat: int | None = None) -> str:
    """The line of a position, or of what a seat sees of it ("Positions", "Observations")."""
    is_hidden = seat is not None and game.rules.visibility == "closed"
    fields: dict[str, object] = {
        "rules": game.rules,
        "seat": "" if seat is None else seat,
        "bout": game.bout,
        "attacker": game.attacker,
        "defender": game.defender,
        "limit": game.limit,
        "phase": game.phase,
        "turn": "" if game.turn is None else game.turn,
        "passed": seats(sorted(game.passed)),
        "hands": "/".join(
            # Hands are written from the lowest spade to the highest club.
            pile(sorted(hand), sorted(known), is_hidden=is_hidden and owner != seat) or "-"
            for owner, (hand, known) in enumerate(zip(game.hands, game.known, strict=True))
        ),
        "table": ",".join(
            str(pair.attack) if pair.defence is None else f"{pair.defence}x{pair.attack}"
            for pair in game.table
        ),
        # The talon is in drawing order; only its open trump card is known.
        "talon": pile(game.talon, game.talon[-1:] if game.trump_card else [], is_hidden=is_hidden),
        "trump": game.trump_card or "",
        "gone": "" if seat is None else "".join(map(str, sorted(game.discards))),
        "out": seats(game.places),
        "emptied": seats(game.ran_out) if seat is None else "",
        "shown": seats(sorted(game.shown)),
        "stall": game.stall or "",
        "fool": seats(game.fools),
    }
    return " ".join(f"{key}={value}" for key, value in fields.items() if value != "")


def as_json(seat: int, action: Action) -> dict[str, object]:
    """A move as the key ``actions`` has it ("Games as JSON")."""
    move: dict[str, object] = {"seat": seat}
    match action:
        case Attack(card):
            move |= {"action": "attack", "card": str(card)}
        case Defend(card, target):
            move |= {"action": "defend", "card": str(card), "target": str(target)}
        case Transfer(card):
            move |= {"action": "transfer", "card": str(card)}
        case ShowTrump(card):
            move |= {"action": "show_trump", "card": str(card)}
        case Exchange():
            move["action"] = "exchange"
        case Take():
            move["action"] = "take"
        case Pass():
            move["action"] = "pass"
    return move


class Notes:
    """What is written down while a game is played: its bouts as text, and its moves as JSON."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.moves: list[dict[str, object]] = []
        self.bout = 0

    def note(self, game: OracleGame, action: Action) -> None:
        """Write an action down that is about to be applied."""
        assert game.turn is not None
        if game.bout != self.bout:  # a bout begins with its number, attacker and first defender
            self.bout = game.bout
            self.words.append(f"{game.bout}. {game.attacker} attacks {game.defender}:")
        self.words.append(f"{game.turn}:{action}")
        self.moves.append(as_json(game.turn, action))

    def text(self, game: OracleGame, seed: int, names: Iterable[str]) -> str:
        """The text of the game that has ended ("Games")."""
        result = f"fool {seats(game.fools)}" if game.fools else "draw"
        tags: dict[str, object] = {
            "Rules": game.rules,
            "Seed": seed,
            "Deck": " ".join(map(str, game.deck)),
            "FirstAttacker": self.moves[0]["seat"],
            **{f"Seat{seat}": name for seat, name in enumerate(names)},
            "Result": result,
        }
        lines = [f'[{tag} "{text}"]' for tag, text in tags.items()]
        return "\n".join([*lines, "", *self.words, result])
