"""People at a table, for tests: what each is sent, and random actions."""

from __future__ import annotations

import random

from waiting import until

from durak_core import Rules, read_observation
from durak_tui.friends.messages import Act, End, GameLook, Lobby, No, Open, Seated, read_plan, write_message
from durak_tui.friends.table import HostedTable, Timing

QUICK = "podkidnoy:lowest_rank=J,hand_size=4"
NEVER = 1e6


class Person:
    """A connection that keeps what it is sent.

    Attributes:
        sent: All messages.
    """

    def __init__(self, name="Anna"):
        self.name = name
        self.sent = []
        self.texts = []
        self.is_closed = False

    def send(self, message):
        assert not self.is_closed
        self.sent.append(message)
        self.texts.append(write_message(message))

    def close(self):
        self.is_closed = True

    def last(self, kind):
        return next((one for one in reversed(self.sent) if isinstance(one, kind)), None)

    @property
    def look(self):
        return self.last(GameLook)

    @property
    def lobby(self):
        return self.last(Lobby)

    @property
    def seat(self):
        return self.last(Seated).seat

    @property
    def token(self):
        return self.last(Seated).token

    @property
    def end(self):
        return self.last(End)

    @property
    def refused(self):
        no = self.last(No)
        return no.kind if no else ""

    def act(self, table, chance=random):
        """Play a random action of the last look."""
        legal = read_observation(self.look.observation).legal_actions
        assert table.act(self.seat, Act(self.look.game, self.look.ply, str(chance.choice(legal)))) is None


def plan_of(rules=QUICK, players=None, clock=0):
    players = players or ("",) * Rules.parse(rules).seats
    return read_plan(Open(rules, tuple(players), clock))


def seated_at(table, count):
    """Seat so many people."""
    people = [Person(f"Person {number}") for number in range(count)]
    for person in people:
        table.sit(table.free_seat(), person.name, person)
    return people


def new_table(plan=None, *, absence=NEVER, agreement=10.0, **settings):
    timing = Timing(0.0, absence, agreement)
    return HostedTable("ABCDEFGH", "visitor", plan or plan_of(), None, timing=timing, **settings)


def agree(table):
    """Let everyone agree to the next game."""
    for seat in table.people:
        assert table.again(seat) is None


async def begun(table, number=1):
    await until(lambda: table.game is not None and table.game.number == number)


async def play_out(table, people, chance=random):
    """Let people play the running game at random."""
    by_seat = {person.seat: person for person in people}
    while not table.game.is_over:
        state = table.game.state
        if state.turn in by_seat:
            by_seat[state.turn].act(table, chance)
        else:
            await until(lambda state=state: table.game.state is not state)


def has_free_seats(client):
    """Whether a client's table is unknown or has a seat for somebody."""
    return client.lobby is None or any(seat.kind == "free" for seat in client.lobby.seats)
