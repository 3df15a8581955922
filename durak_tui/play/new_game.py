"""What the next game begins with: the settings, what the command line asked for, and the usual bots."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from durak_core import Record, Rules, State, next_first_attacker
from durak_core.errors import AgentError
from durak_tui.play.setup import GameSetup
from durak_tui.players.names import BOT_NAMES
from durak_tui.players.roster import HUMAN, check_bot, resolve_level
from durak_tui.storage.settings import Settings
from durak_tui.text.i18n import say, say_as, translate

USUAL_BOTS: Final = ("smart", "greedy")
"""Who plays where nobody was chosen, seat after seat and then again."""


@dataclass(frozen=True, slots=True)
class Launch:
    """What the command line asked for.

    Attributes:
        rules: The rules of the first game; None for those last played.
        bots: Its bots; empty for the usual ones.
        seed: Its seed; None for a new one.
        at_once: ``play``, ``watch``, ``continue`` or ``review`` to begin without the menu; else empty.
        changes: Settings that hold for this run only, by name.
        games: The games of which one is to be reviewed.
    """

    rules: Rules | None = None
    bots: tuple[str, ...] = ()
    seed: int | None = None
    at_once: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)
    games: tuple[Record, ...] = ()


def new_seed() -> int:
    return secrets.randbelow(10**9)


def usual_players(seats: int, *, human: bool, chosen: Sequence[str] = ()) -> tuple[str, ...]:
    """Return who sits where: those chosen as far as they fit, then the usual bots.

    Args:
        seats: How many seats there are.
        human: Whether people play; if nobody was chosen for it, one in the first seat.
        chosen: Players' texts, seat by seat.
    """
    if len(chosen) == seats and (HUMAN in chosen) == human:
        return tuple(chosen)
    bots = [player for player in chosen if player != HUMAN]
    bots += [USUAL_BOTS[number % len(USUAL_BOTS)] for number in range(seats - len(bots))]
    if not human:
        return tuple(bots[:seats])
    if list(chosen[:seats]).count(HUMAN) > 1:
        return tuple(chosen[:seats]) + tuple(bots[: max(0, seats - len(chosen))])
    return (HUMAN, *bots[: seats - 1])


def seat_names(players: Sequence[str], people: Sequence[str]) -> tuple[str, ...]:
    """Name the seats: people as they like, the bots by `BOT_NAMES` in the language in force.

    Args:
        players: Players' texts, seat by seat.
        people: What the people are called; one without a name is called "Player 2" and so on.
    """
    named: list[str] = []
    for number in range(1, players.count(HUMAN) + 1):
        given = people[number - 1] if number <= len(people) else ""
        named.append(given if given and given not in named else say("Player {number}", number=number))
    bots = iter(name for name in map(translate, BOT_NAMES) if name not in named)
    persons = iter(named)
    return tuple(next(persons) if player == HUMAN else next(bots) for player in players)


def names_at_table(players: Sequence[str], settings: Settings) -> tuple[str, ...]:
    """Name the seats by the settings; "You" says nothing where several people play."""
    if players.count(HUMAN) < 2:
        return seat_names(players, [person_name(settings)])
    person = "" if settings.name == Settings().name else settings.name
    return seat_names(players, settings.guests or [person])


def person_name(settings: Settings) -> str:
    """Return what the person is called; who has chosen no name is called "You" in the language in force."""
    return say_as("name", "You") if settings.name == Settings().name else settings.name


def play_setup(settings: Settings, launch: Launch | None = None) -> GameSetup:
    """Set up a game of a person against bots, as the launch asks for and else by the settings."""
    return _setup(settings, launch or Launch(), settings.players, human=True)


def watch_setup(settings: Settings, launch: Launch | None = None) -> GameSetup:
    """Set up a game of bots against each other, likewise."""
    return _setup(settings, launch or Launch(), settings.watched, human=False)


def play_on_setup(record: Record, seat: int, name: str) -> GameSetup:
    """Set up the rest of a recorded game for a person; whoever cannot be a bot is replaced by a usual one.

    Args:
        record: The game.
        seat: Where the person sits.
        name: What the person is called, unless another seat has that name.
    """
    others = usual_players(record.rules.seats, human=False)
    players = [_bot(record.tags.get(f"Player{at}", ""), other) for at, other in enumerate(others)]
    players[seat] = HUMAN
    names = list(record.players)
    if name not in names:
        names[seat] = name
    return GameSetup(record.rules, tuple(players), tuple(names), record.seed or 0, record.first_attacker)


def next_setup(setup: GameSetup, end: State, *, rotate: bool = False) -> GameSetup:
    """Set up the next game of a series: the same players, another deal, the score kept.

    Args:
        setup: The game that has ended.
        end: How it ended; the rules may say by it who begins (4.2).
        rotate: Whether everybody sits one seat further.
    """
    rules, players, names = setup.rules, setup.players, setup.names
    first = next_first_attacker(rules, end)
    series = setup.series.after(end.fool, rules.seats)
    if rotate:
        players, names = players[-1:] + players[:-1], names[-1:] + names[:-1]
        first = None if first is None else (first + 1) % rules.seats
        series = series.turned()
    return GameSetup(rules, players, names, new_seed(), first, series)


def _bot(text: str, other: str) -> str:
    try:
        check_bot(text)
    except AgentError:
        return other
    return text


def _setup(settings: Settings, launch: Launch, last: Sequence[str], *, human: bool) -> GameSetup:
    rules = launch.rules or Rules.parse(settings.rules)
    chosen = launch.bots or (last if len(last) == rules.seats else ())
    players = usual_players(rules.seats, human=human, chosen=chosen)
    seed = new_seed() if launch.seed is None else launch.seed
    texts = tuple(map(resolve_level, players))
    return GameSetup(rules, texts, names_at_table(players, settings), seed)
