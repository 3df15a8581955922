"""The log of games as people read it: every bout, every decision and its reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from durak_core.agents.base import Decision
from durak_core.arena.match import GameSummary, Match, MatchGame
from durak_core.game.events import (
    BeatenOff,
    BoutBegan,
    Drew,
    Event,
    GameEnded,
    TableTaken,
    WentOut,
)
from durak_core.game.state import State

__all__ = ["GameLog", "WriteLine", "result_line"]

WriteLine: TypeAlias = Callable[[str], None]


class GameLog:
    """Writes down a match as it is played.

    Give `decided` to the match as its listener and call `ended` after each game.

    Args:
        match: What is played.
        write: Takes one line at a time.
    """

    def __init__(self, match: Match, write: WriteLine) -> None:
        self._match = match
        self._write = write
        self._game = 0
        self._told = 0

    def decided(self, state: State, decision: Decision) -> None:
        """Write what led to this decision, and the decision."""
        if state.plies == 0:
            self._begin(state)
        self._tell_events(state)
        seat = state.turn or 0
        legal = " ".join(map(str, state.legal_actions))
        self._write(
            f"  {self._name(seat)}  hand {_cards(state.hands[seat])}  may {legal}  "
            f"plays {decision.action}: {decision.reason}"
        )

    def ended(self, game: MatchGame) -> None:
        """Write how a game ended."""
        self._tell_events(game.result.state)
        self._write(result_line(self._match, game.summary()))
        self._write("")
        self._game = game.number + 1

    def _begin(self, state: State) -> None:
        self._told = 0
        self._write(f"game {self._game + 1}  rules {state.rules}  deal {state.seed}")
        for seat, hand in enumerate(state.hands):
            self._write(f"  {self._name(seat)}  dealt {_cards(hand)}")
        talon = " ".join(map(str, state.talon)) or "empty"
        self._write(f"  talon {talon}  trump {state.trump_card or 'none'}")

    def _name(self, seat: int) -> str:
        return f"seat {seat} {self._match.agents[self._match.seating(self._game)[seat]]}"

    def _tell_events(self, state: State) -> None:
        for event in state.events[self._told :]:
            line = _event_line(event, state)
            if line:
                self._write(line)
        self._told = len(state.events)


def result_line(match: Match, game: GameSummary) -> str:
    """Return a game's result in one line."""
    if game.fool is None:
        ending = "draw"
    else:
        ending = f"fool: {match.agents[game.seating[game.fool]]} at seat {game.fool}"
    forfeit = f", forfeited: {game.forfeit}" if game.forfeit else ""
    return f"game {game.number + 1}: {ending}, {game.bouts} bouts, {game.plies} plies{forfeit}"


def _cards(cards: object) -> str:
    text = str(cards)
    return " ".join(text[i : i + 2] for i in range(0, len(text), 2)) or "none"


def _event_line(event: Event, state: State) -> str:
    """Return what an event adds to the decisions, or nothing where they have said it."""
    line = ""
    match event:
        case BoutBegan(bout, attacker, defender, limit):
            line = f" bout {bout}: seat {attacker} attacks seat {defender}, at most {limit} cards"
        case BeatenOff(seat, cards):
            line = f"  seat {seat} has beaten off {_cards(cards)}"
        case TableTaken(seat, cards):
            line = f"  seat {seat} takes {_cards(cards)}"
        case Drew(seat, _, drawn, _):
            line = f"  seat {seat} draws {_cards(''.join(map(str, drawn or ())))}"
        case WentOut(seat, place):
            line = f"  seat {seat} is out, place {place}"
        case GameEnded(_, stalled) if stalled:
            line = f"  the game has stalled: {state.rules.stall_limit} taken bouts in a row (rules 8.5)"
    return line
