"""What a game begins with: rules, players, names and seed; and what a person is helped with in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from durak_core import Rules, State
from durak_core.errors import DealError
from durak_tui.play.series import NO_SERIES, Series
from durak_tui.players.roster import HUMAN, check_bot


@dataclass(frozen=True, slots=True)
class GameSetup:
    """Everything that a game begins with.

    Attributes:
        rules: The rules.
        players: For each seat ``human`` or the text of a bot; several people share one keyboard.
        names: Each seat's name.
        seed: Seed of the deal, 0 to 2^63 - 1.
        first_attacker: Who begins; None where the deal decides (rules 4.1).
        series: What came of the games before it.

    Raises:
        DealError: If there are not as many players and names as seats.
        AgentError: If a bot does not exist, or cannot play by these rules.
    """

    rules: Rules
    players: tuple[str, ...]
    names: tuple[str, ...]
    seed: int
    first_attacker: int | None = None
    series: Series = NO_SERIES

    def __post_init__(self) -> None:
        seats = self.rules.seats
        if len(self.players) != seats:
            raise DealError("{count} players for {seats} seats", "2.1", count=len(self.players), seats=seats)
        if len(self.names) != seats:
            raise DealError("{count} names for {seats} seats", "2.1", count=len(self.names), seats=seats)
        for player in self.players:
            if player != HUMAN:
                check_bot(player, self.rules)

    @property
    def humans(self) -> frozenset[int]:
        """The seats of people; empty when bots play each other."""
        return frozenset(seat for seat, player in enumerate(self.players) if player == HUMAN)

    @property
    def human(self) -> int | None:
        """The seat of the only person; None when several play, or none."""
        return self.players.index(HUMAN) if len(self.humans) == 1 else None

    @property
    def is_shared(self) -> bool:
        """Whether several people play at one keyboard."""
        return len(self.humans) > 1

    def deal(self) -> State:
        """Deal the game.

        Raises:
            DealError: If no deal stands (rules 3.4) or the seed is out of range.
        """
        return State.deal(self.rules, self.seed, self.first_attacker)


@dataclass(frozen=True, slots=True)
class Help:
    """What the person was helped with in a game; any of it makes the game an assisted one.

    Attributes:
        hints: Decisions before which advice was shown.
        undos: Decisions taken back.
    """

    hints: int = 0
    undos: int = 0


NO_HELP: Final = Help()
"""The help in a game that has just begun."""
