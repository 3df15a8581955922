"""Creation of games and series from settings, command-line options and default players."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import permutations
from operator import add
from typing import Any, Final

from durak_core import OPTIONS, PRESETS, Record, Rules, State, next_first_attacker
from durak_core.agents.personas import OPPONENTS
from durak_core.agents.registry import AGENTS, split_texts
from durak_core.errors import AgentError, DealError, DurakError, Message, unknown
from durak_tui.players import (
    FRIEND,
    HUMAN,
    OPPONENT_WORDS,
    allowing,
    bot_names,
    check_bot,
    fit_names,
    opponent_named,
    own_name,
    recorded_players,
    resolve_opponent,
)
from durak_tui.storage.settings import Settings
from durak_tui.text.i18n import gettext, in_every_language, pgettext

_TEXT: Final = re.compile(
    r"lost (\d{1,6}(?: \d{1,6})*), drawn (\d{1,6})(?:, of (\d{1,6}))?(, rotating)?"
    r"(?:, points (\d{1,6}(?: \d{1,6})*))?"
)


@dataclass(frozen=True, slots=True)
class Series:
    """The score before the current game.

    Attributes:
        losses: Losses of each team, or of each seat's player without teams; empty at first.
        planned: Number of games to play in a row; 0 or 1 for a single game.
        rotating: Whether the players move one seat on after each game.
        points: Points of each seat's player, if places are scored (rules 8.6).
    """

    losses: tuple[int, ...] = ()
    draws: int = 0
    planned: int = 0
    rotating: bool = False
    points: tuple[int, ...] = ()

    @property
    def games(self) -> int:
        return sum(self.losses) + self.draws

    @property
    def goes_on(self) -> bool:
        return self.games < self.planned

    def after(self, fool: int | None, teams: int, points: Sequence[int] = ()) -> Series:
        """Return the score after a game that a team lost or that was drawn, with its points by seat."""
        losses = self.losses or (0,) * teams
        counted = tuple(lost + (team == fool) for team, lost in enumerate(losses))
        total = tuple(map(add, self.points or (0,) * teams, points))
        return replace(self, losses=counted, draws=self.draws + (fool is None), points=total)

    def after_game(self, end: State) -> Series:
        """Return the score after a game of this series, by its rules."""
        points = end.points if end.rules.series_score == "places" else ()
        return self.after(end.fool, end.rules.team_count, points)

    def turned(self) -> Series:
        losses, points = (one[-1:] + one[:-1] for one in (self.losses, self.points))
        return replace(self, losses=losses, points=points)

    @property
    def text(self) -> str:
        """The value of the record's tag ``Series``; empty before the first game."""
        if not self.games and self.planned < 2:
            return ""
        plan = f", of {self.planned}" if self.planned > 1 else ""
        losses = " ".join(map(str, self.losses)) or "0"
        points = f", points {' '.join(map(str, self.points))}" if self.points else ""
        return f"lost {losses}, drawn {self.draws}{plan}{', rotating' if self.rotating else ''}{points}"

    @classmethod
    def parse(cls, text: str, teams: int) -> Series:
        """Parse the tag. Invalid values and other numbers of teams give `NO_SERIES`."""
        found = _TEXT.fullmatch(text)
        if found is None:
            return NO_SERIES
        losses = tuple(map(int, found[1].split()))
        if losses == (0,):
            losses = ()
        elif len(losses) != teams:
            return NO_SERIES
        points = tuple(map(int, (found[5] or "").split()))
        if points and len(points) != teams:
            return NO_SERIES
        return cls(losses, int(found[2]), int(found[3] or 0), found[4] is not None, points)


NO_SERIES: Final = Series()


def score_words(series: Series, names: Sequence[str], *, is_over: bool, dot: str = " · ") -> str:
    """Return the score in a line, including the shown game once it is over; empty before the first."""
    if series.planned < 2 and series.games <= is_over:
        return ""
    number = series.games + (not is_over)
    game = gettext("game {number}", number=number)
    if series.planned > 1:
        game = gettext("game {number} of {planned}", number=number, planned=series.planned)
    counts = zip(names, series.points or series.losses or (0,) * len(names), strict=True)
    counted = ", ".join(f"{name} {count}" for name, count in counts)
    if series.points:
        return dot.join((game, gettext("points: {score}", score=counted)))
    score = gettext("lost: {score}", score=counted)
    return dot.join((game, score, gettext("draws: {count}", count=series.draws)))


@dataclass(frozen=True, slots=True)
class GameSetup:
    """Everything needed to start a game.

    Attributes:
        players: For each seat ``human``, a bot's spec, or ``friend`` at a table with real cards. Several
            people share one keyboard.
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
            if player not in {HUMAN, FRIEND}:
                check_bot(player, self.rules, own=True)

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
            ``tv``, ``real``, ``return``, or empty.
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
    series = setup.series.after_game(end)
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


_DEFAULT: Final = "podkidnoy"
_MOST_DIGITS: Final = 19
_SPACED: Final = re.compile(r"--(\w+)[ =]+")
"""An option as on the command line, with its value after a space."""


def read_rules(text: str | None, seats: int | None) -> Rules | None:
    """Return rules from their spec and the number of seats, or None if neither is given.

    Raises:
        RulesError: If they are invalid.
    """
    if text is None and seats is None:
        return None
    text = text or _DEFAULT
    if seats is not None:  # other options are valid only for this number of seats
        preset, _, options = text.partition(":")
        text = f"{preset}:{','.join(filter(None, (options.strip(), f'seats={seats}')))}"
    return Rules.parse(text)


def read_players(text: str, rules: Rules | None, *, watch: bool = False) -> tuple[Rules, tuple[str, ...]]:
    """Return the rules and the other players, or with `watch` all players.

    Without rules, the number of players sets the number of seats.

    Raises:
        DurakError: If there is no such player, or their number does not fit.
    """
    names = (HUMAN, *(opponent.key for opponent in OPPONENTS), *AGENTS)
    words = split_texts(text, (*names, *OPPONENT_WORDS))
    players = tuple(OPPONENT_WORDS.get(word) or opponent_named(word) or word for word in words)
    seats = len(players) if watch else len(players) + 1
    for word, player in zip(words, players, strict=True):
        if word.partition(":")[0] not in names and player == word and not own_name(word):
            raise AgentError(unknown(Message("there is no player {word}", word=repr(word)), word, names))
        if player != HUMAN:
            with allowing((player,)):
                check_bot(player, own=True)
    rules = rules or Rules(seats=seats)
    if watch and HUMAN in players:
        raise AgentError("human is a person who plays: leave out human or --watch")
    if seats != rules.seats:
        wanted = rules.seats if watch else rules.seats - 1
        values: dict[str, Any] = {"wanted": wanted, "seats": rules.seats, "found": len(players)}
        if watch:
            raise AgentError("expected {wanted} players for {seats} seats, found {found}", **values)
        if wanted == 1:
            raise AgentError("expected 1 other player for {seats} seats, found {found}", **values)
        raise AgentError("expected {wanted} other players for {seats} seats, found {found}", **values)
    return rules, players


@dataclass(frozen=True, slots=True)
class NewGame:
    """What a player asks for; the rest is as in the last game."""

    rules: Rules | None = None
    players: tuple[str, ...] = ()
    seed: int | None = None


def read_new_game(text: str) -> NewGame:
    """Read words such as ``perevodnoy seats=3 lowest_rank=2 bots=olga,misha seed=7``.

    A preset, a number of seats and opponents need no name. Options may have dashes, as in the shell.

    Raises:
        DurakError: If a word means nothing, or the game is impossible.
    """
    rules = ""
    options: list[str] = []
    bots: list[str] = []
    seed: int | None = None
    for word in _SPACED.sub(r"\1=", text).split():
        name, equals, value = word.partition("=")
        if preset := _preset(word):
            rules = preset
        elif equals and name in {"rules", "bots"}:
            rules = value if name == "rules" else rules
            bots += value.split(",") if name == "bots" else ()
        elif equals and name == "seed":
            seed = _read_seed(value)
        elif equals and name in OPTIONS:
            options.append(word)
        elif word.isdecimal():
            options.append(f"seats={word}")
        else:
            bots.append(word)
    spec = None
    if rules or options:
        preset, _, given = (rules or _DEFAULT).partition(":")
        if bots and "seats=" not in f"{given},{','.join(options)}":
            options.append(f"seats={len(bots) + 1}")
        spec = f"{preset}:{','.join(filter(None, (given, *options)))}".rstrip(":")
    read = read_rules(spec, None)
    players: tuple[str, ...] = ()
    if bots:
        read, players = read_players(",".join(bots), read)
    return NewGame(read, players, seed)


def _preset(word: str) -> str:
    """Return a spec that begins with a preset's name in any language; empty for another word."""
    name, colon, options = word.partition(":")
    wanted = name.casefold()
    found = [one for one in PRESETS if wanted in {one, *map(str.casefold, in_every_language("preset", one))}]
    return f"{found[0]}{colon}{options}" if found else ""


def _read_seed(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > _MOST_DIGITS or int(text) >= 1 << 63:
        raise DealError("seed={value}: expected a number from 0 to 2^63 - 1", value=text)
    return int(text)
