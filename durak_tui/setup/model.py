"""The draft of a new game, which has a player for every seat at any time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from durak_core import OPTIONS, Rank, Rules
from durak_core.agents.personas import OPPONENTS
from durak_core.errors import RulesError
from durak_core.rules import OptionValue
from durak_tui.library.model.statistics import Standing
from durak_tui.play.setup import (
    NO_SERIES,
    GameSetup,
    Series,
    last_players,
    names_at_table,
    new_seed,
    usual_players,
)
from durak_tui.players import HUMAN
from durak_tui.storage.settings import Settings
from durak_tui.text.house_rules import with_set

TABLES: Final[dict[str, tuple[int, str | None]]] = {
    "2": (2, None),
    "3": (3, None),
    "4": (4, None),
    "5": (5, None),
    "6": (6, None),
    "2x2": (4, "2x2"),
    "2x3": (6, "2x3"),
    "3x2": (6, "3x2"),
}
"""Numbers of players, with or without partners: seats and the rules' `teams`."""


class Draft:
    """The choices so far.

    Args:
        settings: They have the last game's rules and players.
        standing: The player's scores and rating.
        watching: Whether only bots play.
        hosting: Whether the people are friends on other devices.

    Attributes:
        base: The rules' preset; `values` has all their options.
        players: For each seat ``human`` or a bot's spec.
        seed: Seed of the deal; None for a random one.
        games: Number of games that bots play in a row.
        rotating: Whether the players move one seat on after each game.
        clock: Seconds a move at a table of friends; 0 for no clock.
        spectators: Whether others may watch a table of friends.
    """

    def __init__(
        self, settings: Settings, standing: Standing, *, watching: bool, hosting: bool = False
    ) -> None:
        rules = Rules.parse(settings.rules)
        self.standing = standing
        suggested = standing.suggested.text
        self.players = last_players(settings, human=not watching, suggested="" if watching else suggested)
        self.guests = settings.guests
        self.seed: int | None = None
        self.games = 1
        self.rotating = False
        self._latest: list[int] = []
        self.values: dict[str, OptionValue] = {}
        self.is_hosting = hosting
        self.clock = 0
        self.spectators = True
        self.take_rules(rules)
        if hosting:
            known = [one.text for one in OPPONENTS]
            others = [player for player in self.players if player in known]
            self.players = usual_players(self.seats, human=True, chosen=(HUMAN, HUMAN, *others))

    @property
    def seats(self) -> int:
        return len(self.players)

    @property
    def table(self) -> str:
        """The number of players or the division into teams, one of `TABLES`."""
        teams = self.values["teams"]
        return str(self.seats) if teams is None else str(teams)

    @property
    def teams(self) -> tuple[tuple[int, ...], ...]:
        """The seats of each team, the first person's team first; empty without teams."""
        if self.values["teams"] is None:
            return ()
        rules = Rules(seats=self.seats, teams=str(self.values["teams"]))
        first = rules.team_of(self._first)
        return tuple([rules.members((first + step) % rules.team_count) for step in range(rules.team_count)])

    @property
    def partners(self) -> str:
        """The first person's partners, as a key of `partners_to_choose`."""
        return _text([seat for seat in self.teams[0] if seat != self._first]) if self.teams else ""

    @property
    def _first(self) -> int:
        return self.players.index(HUMAN) if self.people else 0

    @property
    def people(self) -> int:
        return self.players.count(HUMAN)

    @property
    def bots(self) -> tuple[str, ...]:
        return tuple(player for player in self.players if player != HUMAN)

    # Choices

    def take_rules(self, rules: Rules) -> None:
        self.base = rules.base
        table = {"seats": self.seats, "teams": self.values["teams"] if self.values else rules.teams}
        self.values = {name: getattr(rules, name) for name in OPTIONS} | table

    def take_game(self, preset: str) -> None:
        usual, other = Rules.preset(self.base), Rules.preset(preset)
        changed = {name for name in OPTIONS if self.values[name] != getattr(usual, name)} - {"transfer"}
        self.base = preset
        self.values |= {name: getattr(other, name) for name in OPTIONS if name not in {"seats", *changed}}

    def take_set(self, name: str) -> None:
        """Take named house rules in place of the present ones."""
        self.take_rules(with_set(Rules.preset(self.base), name))

    def take_table(self, table: str) -> None:
        """Set the number of players or the division into teams. Surplus players leave from the end."""
        human = bool(self.people)
        seats, teams = TABLES[table]
        self.players = usual_players(seats, human=human, chosen=self.players[:seats])
        self.values |= {"seats": seats, "teams": teams}
        if teams != "2x2":
            self.values["partner_plays_on"] = False

    def take_full_deck(self) -> None:
        self.values["lowest_rank"] = int(Rank.TWO)

    def partners_to_choose(self) -> dict[str, tuple[int, ...]]:
        """Return the possible partners of the first person: seats by label."""
        if not self.teams:
            return {}
        others = [seat for seat in range(self.seats) if seat != self._first]
        return {_text(seats): seats for seats in combinations(others, len(self.teams[0]) - 1)}

    def take_partners(self, choice: str, names: Sequence[str]) -> None:
        order = list(range(self.seats))
        chosen = self.partners_to_choose()[choice]
        coming = [seat for seat in chosen if seat not in self.teams[0]]
        leaving = [seat for seat in self.teams[0] if seat not in {self._first, *chosen}]
        for one, other in zip(coming, leaving, strict=True):
            order[one], order[other] = other, one
        self.players = tuple(self.players[seat] for seat in order)
        self._latest = [order.index(seat) for seat in self._latest]
        if self.people > 1:
            called = zip(order, self.players, strict=True)
            self.guests = tuple([names[seat] for seat, player in called if player == HUMAN])

    def take_people(self, people: int) -> None:
        """Set the number of people at the keyboard. They get the first seats."""
        usual = [player for player in usual_players(self.seats, human=False) if player not in self.players]
        players = list(self.players)
        while players.count(HUMAN) > people:
            last = len(players) - 1 - players[::-1].index(HUMAN)
            players[last] = usual.pop(0)
        for seat in range(len(players)):
            if players.count(HUMAN) < people:
                players[seat] = HUMAN
        self.players = tuple(players)

    def seat(self, bot: str) -> None:
        """Let a bot replace the longest-seated bot, or the last person."""
        chairs = [seat for seat, player in enumerate(self.players) if player != HUMAN] or [self.seats - 1]
        chair = min(chairs, key=lambda seat: self._latest.index(seat) if seat in self._latest else -1)
        self._latest = [seat for seat in self._latest if seat != chair] + [chair]
        self.take_player(chair, bot)

    def take_player(self, seat: int, player: str) -> None:
        self.players = (*self.players[:seat], player, *self.players[seat + 1 :])

    # Results

    @property
    def rules(self) -> Rules:
        """The chosen rules. Raises `RulesError` if they are invalid."""
        return Rules.preset(self.base, **self.values)

    @property
    def is_unfair(self) -> bool:
        """Whether all cards are dealt to single players: their places then decide more than their play."""
        try:
            rules = self.rules
        except RulesError:
            return False
        is_dealt = rules.deck_size == rules.seats * rules.hand_size
        return is_dealt and rules.teams is None and rules.seats > 2 and rules.lowest_rank > Rank.TWO

    def names(self, settings: Settings) -> tuple[str, ...]:
        return names_at_table(self.players, replace(settings, guests=self.guests))

    def setup(self, settings: Settings) -> GameSetup:
        """Return the chosen game. Raises `DurakError` if it is invalid."""
        seed = new_seed() if self.seed is None else self.seed
        points = (0,) * (self.rules.seats if self.rules.series_score == "places" else 0)
        planned = Series(planned=self.games, rotating=self.rotating, points=points)
        series = NO_SERIES if self.people else planned
        return GameSetup(self.rules, self.players, self.names(settings), seed, series=series)

    def changes(self) -> dict[str, object]:
        chosen: dict[str, object] = {"rules": self.rules.text}
        if self.is_hosting:
            return chosen
        chosen["players" if self.people else "watched"] = self.players
        if self.people > 1:
            chosen["guests"] = self.guests
        return chosen


def _text(seats: Sequence[int]) -> str:
    return " ".join(map(str, seats))
