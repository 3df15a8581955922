"""Creation of games from settings, command-line options and default players."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import permutations
from typing import Any, Final

from durak_core import Record, Rules, State, next_first_attacker
from durak_core.agents.personas import OPPONENTS
from durak_core.errors import AgentError, DealError, DurakError
from durak_tui.play.series import NO_SERIES, Series
from durak_tui.players.names import bot_names, fit_names
from durak_tui.players.roster import HUMAN, check_bot, recorded_players, resolve_opponent
from durak_tui.storage.settings import Settings
from durak_tui.text.i18n import gettext, pgettext


@dataclass(frozen=True, slots=True)
class GameSetup:
    """Everything needed to start a game.

    Attributes:
        players: For each seat ``human`` or a bot's spec. Several people share one keyboard.
        names: The players' names, cleaned for display.
        seed: Seed of the deal, 0 to 2^63 - 1.
        first_attacker: None if the deal decides (rules 4.1).
        series: The score before this game.
        day: The date of a daily game, which allows no help.

    Raises:
        DealError: If the number of players or names differs from the number of seats.
        AgentError: If a bot does not exist, or does not support the rules.
    """

    rules: Rules
    players: tuple[str, ...]
    names: tuple[str, ...]
    seed: int
    first_attacker: int | None = None
    series: Series = NO_SERIES
    day: date | None = None

    def __post_init__(self) -> None:
        seats = self.rules.seats
        if len(self.players) != seats:
            raise DealError("{count} players for {seats} seats", "2.1", count=len(self.players), seats=seats)
        if len(self.names) != seats:
            raise DealError("{count} names for {seats} seats", "2.1", count=len(self.names), seats=seats)
        object.__setattr__(self, "names", fit_names(self.names))
        for player in self.players:
            if player != HUMAN:
                check_bot(player, self.rules)

    @property
    def humans(self) -> frozenset[int]:
        """The seats of people; empty if only bots play."""
        return frozenset(seat for seat, player in enumerate(self.players) if player == HUMAN)

    @property
    def human(self) -> int | None:
        """The seat of the only person; None if there are several or none."""
        return self.players.index(HUMAN) if len(self.humans) == 1 else None

    @property
    def is_shared(self) -> bool:
        return len(self.humans) > 1

    def deal(self) -> State:
        """Deal the game. Raises `DealError` if no deal is accepted (rules 3.4) or the seed is invalid."""
        return State.deal(self.rules, self.seed, self.first_attacker)


@dataclass(frozen=True, slots=True)
class Help:
    """The help used in a game: decisions with a hint, and decisions taken back."""

    hints: int = 0
    undos: int = 0


NO_HELP: Final = Help()


@dataclass(frozen=True, slots=True)
class Launch:
    """The command line's requests.

    Attributes:
        rules: The rules of the first game; None for the last used.
        bots: The other players, bots or people; empty for the default ones.
        seed: Its seed; None for a new one.
        at_once: ``play``, ``watch``, ``continue``, ``review``, ``daily``, ``friends``,
            ``tv``, ``return``, or empty.
        changes: Settings for this run only, by name.
        games: The games to choose from for a review.
        table: ``table`` to host a table of friends, or the link or code of one to join or watch.
        problem: Why the requested game cannot be shown.
    """

    rules: Rules | None = None
    bots: tuple[str, ...] = ()
    seed: int | None = None
    at_once: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)
    games: tuple[Record, ...] = ()
    table: str = ""
    problem: DurakError | None = None


def new_seed() -> int:
    return secrets.randbelow(10**9)


def usual_players(
    seats: int, *, human: bool, chosen: Sequence[str] = (), suggested: str = ""
) -> tuple[str, ...]:
    """Return the chosen players as far as they fit, and opponents of about the suggested strength.

    If people play and none was chosen, a person gets the first seat. Without a suggestion people meet the
    weakest opponents, and spectators see strong and fast ones.
    """
    players = [player for player in chosen[:seats] if human or player != HUMAN]
    if human and HUMAN not in players:
        players = [HUMAN, *players[: seats - 1]]
    known = [opponent.text for opponent in OPPONENTS]
    like = known.index(suggested) if suggested in known else 0 if human else len(known) // 2
    nearest = sorted(known, key=lambda text: abs(known.index(text) - like))
    return tuple([*players, *(text for text in nearest if text not in players)][:seats])


def last_players(settings: Settings, *, human: bool = True, suggested: str = "") -> tuple[str, ...]:
    """Return the last players, or the last watched ones, if they fit the rules, else the default ones."""
    seats = Rules.parse(settings.rules).seats
    last = settings.players if human else settings.watched
    chosen = tuple(map(resolve_opponent, last)) if len(last) == seats else ()
    return usual_players(seats, human=human, chosen=chosen, suggested=suggested)


def names_at_table(players: Sequence[str], settings: Settings) -> tuple[str, ...]:
    """Return the players' names: the settings' or "Player 2" for people, translated ones for bots."""
    people: Sequence[str] = [person_name(settings)]
    if players.count(HUMAN) > 1:  # "You" is ambiguous if several people play
        person = "" if settings.name == Settings().name else settings.name
        people = settings.guests or [person]
    named: list[str] = []
    for number in range(1, players.count(HUMAN) + 1):
        given = people[number - 1] if number <= len(people) else ""
        named.append(given if given and given not in named else gettext("Player {number}", number=number))
    bots = bot_names([player for player in players if player != HUMAN], named)
    persons = iter(named)
    return tuple(next(persons) if player == HUMAN else next(bots) for player in players)


def person_name(settings: Settings) -> str:
    return pgettext("name", "You") if settings.name == Settings().name else settings.name


def play_setup(settings: Settings, launch: Launch | None = None, suggested: str = "") -> GameSetup:
    return _setup(settings, launch or Launch(), suggested, human=True)


def watch_setup(settings: Settings, launch: Launch | None = None) -> GameSetup:
    return _setup(settings, launch or Launch(), "", human=False)


def random_pair(settings: Settings, before: Sequence[str] = ()) -> GameSetup:
    """Set up a game of two random opponents, not the same two as before, with the last game's rules."""
    rules = Rules.parse(settings.rules).changed(seats=2, teams=None)
    pairs = [pair for pair in permutations([one.text for one in OPPONENTS], 2) if {*pair} != {*before}]
    players = secrets.choice(pairs)
    return GameSetup(rules, players, names_at_table(players, settings), new_seed())


def play_on_setup(record: Record, seat: int, name: str, suggested: str = "") -> GameSetup:
    """Continue a recorded game with a person. Default players replace those that are not bots.

    The person gets the name unless another seat has it.
    """
    others = usual_players(record.rules.seats, human=False, suggested=suggested)
    players = list(map(_bot, recorded_players(record), others))
    players[seat] = HUMAN
    names = list(record.players)
    if name not in names:
        names[seat] = name
    return GameSetup(record.rules, tuple(players), tuple(names), record.seed or 0, record.first_attacker)


def next_setup(setup: GameSetup, end: State, *, rotate: bool = False) -> GameSetup:
    """Set up a series' next game: same players, new deal, updated score, first attacker by rules 4.2."""
    rules, players, names = setup.rules, setup.players, setup.names
    first = next_first_attacker(rules, end.fool)
    series = setup.series.after(end.fool, rules.team_count)
    if rotate:  # all players move one seat on
        players, names = players[-1:] + players[:-1], names[-1:] + names[:-1]
        first = None if first is None else (first + 1) % rules.seats
        series = series.turned()
    return GameSetup(rules, players, names, new_seed(), first, series)


def swapped_setup(setup: GameSetup, states: Sequence[State]) -> GameSetup:
    """Set up the same deal again, with all players moved by one seat."""
    turned = next_setup(setup, states[-1], rotate=True)
    return replace(turned, seed=setup.seed, first_attacker=states[0].attacker)


def _bot(text: str, other: str) -> str:
    try:
        check_bot(text)
    except AgentError:
        return other
    return text


def _setup(settings: Settings, launch: Launch, suggested: str, *, human: bool) -> GameSetup:
    rules = launch.rules or Rules.parse(settings.rules)
    if launch.bots:
        players = usual_players(rules.seats, human=human, chosen=(*[HUMAN] * human, *launch.bots))
    else:
        players = last_players(replace(settings, rules=rules.text), human=human, suggested=suggested)
    seed = new_seed() if launch.seed is None else launch.seed
    players = tuple(map(resolve_opponent, players))
    return GameSetup(rules, players, names_at_table(players, settings), seed)
