"""A game while somebody chooses it: however they choose, there is a player for every seat."""

from __future__ import annotations

from dataclasses import replace

from durak_core import OPTIONS, Rules
from durak_core.rules import OptionValue
from durak_tui.library.rating import Standing
from durak_tui.play.series import NO_SERIES, Series
from durak_tui.play.setup import GameSetup, last_players, names_at_table, new_seed, usual_players
from durak_tui.players.roster import HUMAN
from durak_tui.storage.settings import Settings


class Draft:
    """What has been chosen so far.

    Args:
        settings: Say by which rules the last game was played, and who played or was watched.
        standing: Whom the person has met, and with what success.
        watching: Whether bots shall play each other.

    Attributes:
        base: The preset that the rules begin with; `values` has every option of theirs.
        players: For each seat ``human`` or the text of a bot.
        guests: What people are called where several share the keyboard.
        seed: Of the deal; None for any.
        games: How many games follow each other where nobody plays.
        rotating: Whether everybody moves one seat on in between.
    """

    def __init__(self, settings: Settings, standing: Standing, *, watching: bool) -> None:
        rules = Rules.parse(settings.rules)
        self.standing = standing
        suggested = standing.suggested.text
        self.players = last_players(settings, human=not watching, suggested="" if watching else suggested)
        self.guests = settings.guests
        self.seed: int | None = None
        self.games = 1
        self.rotating = False
        self._latest: list[int] = []
        self.take_rules(rules)

    @property
    def seats(self) -> int:
        return len(self.players)

    @property
    def people(self) -> int:
        return self.players.count(HUMAN)

    @property
    def bots(self) -> tuple[str, ...]:
        return tuple(player for player in self.players if player != HUMAN)

    # Choosing

    def take_rules(self, rules: Rules) -> None:
        """Play by these rules, with as many players as there are."""
        self.base = rules.base
        self.values: dict[str, OptionValue] = {name: getattr(rules, name) for name in OPTIONS}
        self.values["seats"] = self.seats

    def take_game(self, preset: str) -> None:
        """Play this game with the house rules chosen so far."""
        usual, other = Rules.preset(self.base), Rules.preset(preset)
        changed = {name for name in OPTIONS if self.values[name] != getattr(usual, name)} - {"transfer"}
        self.base = preset
        self.values |= {name: getattr(other, name) for name in OPTIONS if name not in {"seats", *changed}}

    def take_seats(self, seats: int) -> None:
        """Let so many play; those who leave are the last ones."""
        human = bool(self.people)
        self.players = usual_players(seats, human=human, chosen=self.players[:seats])
        self.values["seats"] = seats

    def take_people(self, people: int) -> None:
        """Let so many share the keyboard, in the first seats that become theirs."""
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
        """Let a bot take the chair of the one that has sat longest, or of the last person."""
        chairs = [seat for seat, player in enumerate(self.players) if player != HUMAN] or [self.seats - 1]
        chair = min(chairs, key=lambda seat: self._latest.index(seat) if seat in self._latest else -1)
        self._latest = [seat for seat in self._latest if seat != chair] + [chair]
        self.take_player(chair, bot)

    def take_player(self, seat: int, player: str) -> None:
        self.players = (*self.players[:seat], player, *self.players[seat + 1 :])

    # What comes of it

    @property
    def rules(self) -> Rules:
        """The rules as chosen; reading them raises a `RulesError` if they cannot be played."""
        return Rules.preset(self.base, **self.values)

    def names(self, settings: Settings) -> tuple[str, ...]:
        return names_at_table(self.players, replace(settings, guests=self.guests))

    def setup(self, settings: Settings) -> GameSetup:
        """Return the game as chosen; raise a `DurakError` if it cannot be played."""
        seed = new_seed() if self.seed is None else self.seed
        series = NO_SERIES if self.people else Series(planned=self.games, rotating=self.rotating)
        return GameSetup(self.rules, self.players, self.names(settings), seed, series=series)

    def changes(self) -> dict[str, object]:
        """Return the settings that remember what was chosen."""
        chosen: dict[str, object] = {"rules": self.rules.text}
        chosen["players" if self.people else "watched"] = self.players
        if self.people > 1:
            chosen["guests"] = self.guests
        return chosen
