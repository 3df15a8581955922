"""A table: seats, turns, clock, people who go and return, stand-ins, and the score of an evening."""

import asyncio
import random
from contextlib import asynccontextmanager

import msgspec
import pytest
from waiting import a_while, until

pytest.importorskip("msgspec", reason="the extra web is not installed")

from durak_core import Decision, read_game, read_observation
from durak_core.engine.protocol import parse_event
from durak_core.errors import DealError, Message
from durak_tui.engine import EnginePool
from durak_tui.friends.game import OldLink
from durak_tui.friends.messages import Act, GameLook, No, Said
from durak_tui.friends.table import HostedTable, Timing
from tui.friends.evening import Person, agree, begun, new_table, plan_of, play_out, seated_at
from tui.helpers import fake_engine


@asynccontextmanager
async def running(table):
    task = asyncio.create_task(table.run())
    try:
        yield table
    finally:
        task.cancel()
        await asyncio.wait({task})
        if not task.cancelled():
            task.result()


@asynccontextmanager
async def game_of(count, plan=None, **settings):
    """A running game and its people, the host first."""
    async with running(new_table(plan, **settings)) as table:
        people = seated_at(table, count)
        assert table.start(table.host) is None
        await begun(table)
        yield table, people


async def test_people_play_a_game_and_the_next_one():
    async with game_of(2) as (table, people):
        await play_out(table, people, random.Random(1))
        ends = [person.end for person in people]
        record = read_game(ends[0].record)
        assert ends[0] == ends[1]
        assert record.end == table.game.state
        assert record.seed is None
        assert ends[0].score == tuple(int(seat in table.game.state.fools) for seat in range(2))
        assert not people[0].lobby.is_playing
        agree(table)
        await begun(table, 2)
        await play_out(table, people, random.Random(2))
        assert people[1].end.game == 2
        assert sum(people[1].end.score) <= 2


async def test_the_events_of_all_looks_are_the_events_of_the_seat():
    async with game_of(3, plan_of("perevodnoy:lowest_rank=T,seats=3")) as (table, people):
        await play_out(table, people, random.Random(3))
        state = table.game.state
        for person in people:
            events = []
            for look in person.sent:
                if isinstance(look, GameLook):
                    assert look.first == len(events)
                    events += map(parse_event, look.events)
            assert tuple(events) == state.observation(person.seat).events
        record = read_game(people[0].end.record)
        assert record.end.events == state.events


async def test_free_seats_get_bots_and_the_next_person_takes_one_over():
    plan = plan_of("podkidnoy:lowest_rank=J,hand_size=4,seats=3", ("", "misha", ""))
    async with game_of(1, plan) as (table, people):
        assert [seat.kind for seat in people[0].lobby.seats] == ["person", "bot", "bot"]
        assert not any(seat.is_away for seat in people[0].lobby.seats)
        assert people[0].lobby.seats[1].player == "misha"
        late = Person("Late")
        table.sit(table.free_seat(), late.name, late)
        assert late.seat == 2
        assert late.look is None
        assert people[0].lobby.seats[2].kind == "bot"
        assert table.act(late.seat, Act(1, table.game.state.plies, "pass")).kind == "not_now"
        await play_out(table, people)
        assert late.end is None
        assert people[0].lobby.seats[2].name == "Late"
        assert read_game(people[0].end.record).tags["Player1"] == "level:misha"
        agree(table)
        await begun(table, 2)
        assert late.look.game == 2
        await play_out(table, [*people, late])


async def test_actions_that_are_late_doubled_of_others_or_illegal_change_nothing():
    async with game_of(2) as (table, people):
        turn = table.game.state.turn
        mine, other = people[turn], people[1 - turn]
        legal = str(read_observation(mine.look.observation).legal_actions[0])
        held = str(next(iter(table.game.state.hands[1 - turn])))
        before = table.game.state
        for seat, act, kind in (
            (other.seat, Act(1, 0, held), "not_your_turn"),
            (mine.seat, Act(1, 1, legal), "late"),
            (mine.seat, Act(2, 0, legal), "late"),
            (mine.seat, Act(1, 0, "nonsense"), "message"),
            (mine.seat, Act(1, 0, "pass"), "must_open"),
            (mine.seat, Act(1, 0, held), "not_in_hand"),
        ):
            no = table.act(seat, act)
            assert (no.kind, bool(no.why)) == (kind, True)
        assert table.game.state is before
        assert table.act(mine.seat, Act(1, 0, legal)) is None
        assert table.act(mine.seat, Act(1, 0, legal)).kind == "late"
        assert table.game.state.plies == 1


async def test_only_the_host_starts_and_only_once():
    async with running(new_table()) as table:
        host, guest = seated_at(table, 2)
        assert table.start(guest.seat).kind == "not_host"
        assert table.again(host.seat).kind == "not_now"
        assert table.start(host.seat) is None
        assert table.start(host.seat).kind == "not_now"
        await begun(table)
        assert table.again(host.seat).kind == "not_now"


async def test_a_newer_connection_takes_the_seat_and_gets_the_whole_game():
    async with game_of(2) as (table, people):
        people[table.game.state.turn].act(table)
        newer = Person()
        table.connect(1, people[1].token, newer)
        assert people[1].is_closed
        assert people[1].refused == "elsewhere"
        assert newer.look.first == 0
        assert len(newer.look.events) == len(table.game.state.events)
        table.disconnect(people[1])  # the older one's end is no news
        assert table.seat_at(newer) == 1
        assert not newer.lobby.seats[1].is_away


async def test_a_stand_in_plays_for_a_person_who_is_away_until_they_return():
    async with game_of(2, absence=0.01) as (table, people):
        away = people[table.game.state.turn]
        other = people[1 - away.seat]
        table.disconnect(away)
        await until(lambda: table.game.state.turn != away.seat or table.game.is_over)
        assert away.seat in other.look.away
        assert away.seat in other.look.stand_ins
        back = Person()
        table.connect(away.seat, away.token, back)
        assert away.seat not in {*other.look.stand_ins, *other.look.away}
        await play_out(table, [other, back])


async def test_another_person_may_ask_for_the_stand_in():
    async with game_of(2) as (table, people):
        away = people[table.game.state.turn]
        other = people[1 - away.seat]
        assert table.replace(away.seat).kind == "not_now"
        assert table.replace(5).kind == "not_now"
        table.disconnect(away)
        await a_while()
        assert table.game.state.plies == 0
        assert table.replace(away.seat) is None
        await until(lambda: table.game.state.plies > 0)
        assert other.look.stand_ins == (away.seat,)


async def test_a_deserted_table_waits():
    async with game_of(2, absence=0.0) as (table, people):
        for person in people:
            table.disconnect(person)
        await a_while()
        assert table.game.state.plies == 0


async def test_a_person_whose_time_has_run_out_is_away_until_they_act():
    plan = plan_of(clock=30)
    async with game_of(2, plan) as (table, people):
        turn = table.game.state.turn
        late, other = people[turn], people[1 - turn]
        assert 0 < late.look.left <= 30
        table._turn_since -= 30
        table._woken.set()
        await until(lambda: other.look.away == (turn,))
        assert other.look.stand_ins == ()
        assert other.lobby.seats[turn].is_away
        late.act(table)
        assert other.look.away == ()


async def test_without_a_clock_a_person_who_sleeps_may_be_replaced_but_is_not_by_itself():
    async with game_of(2, absence=0.01) as (table, people):
        turn = table.game.state.turn
        other = people[1 - turn]
        assert other.look.left is None
        await until(lambda: other.look.away == (turn,))
        await a_while()
        assert table.game.state.plies == 0
        assert table.replace(turn) is None
        await until(lambda: table.game.state.plies > 0)


async def test_a_person_who_leaves_is_played_for_and_the_host_passes_on():
    async with game_of(2) as (table, people):
        host, guest = people
        table.leave(host.seat)
        assert table.host == guest.seat
        assert guest.lobby.seats[host.seat].is_away
        assert guest.look.stand_ins == (host.seat,)
        new = Person("New")
        table.sit(table.free_seat(), new.name, new)
        assert new.seat == host.seat
        assert new.look is None
        await play_out(table, [guest])
        assert guest.lobby.seats[host.seat].name == "New"
        agree(table)
        await begun(table, 2)
        await play_out(table, [guest, new])


async def test_an_absent_host_loses_the_table():
    async with running(new_table(absence=0.0)) as table:
        host, guest = seated_at(table, 2)
        table.disconnect(host)
        await until(lambda: guest.lobby.host == guest.seat)


async def test_names_are_different_and_phrases_reach_everyone():
    async with running(new_table()) as table:
        people = [Person() for _ in range(2)]
        for person in people:
            table.sit(table.free_seat(), person.name, person)
        assert [seat.name for seat in people[0].lobby.seats] == ["Anna", "Anna 2"]
        table.say(1, 3)
        assert all(person.last(Said) == Said(1, 3) for person in people)


async def test_the_next_game_begins_when_everyone_who_is_there_agrees():
    async with game_of(3, plan_of("podkidnoy:lowest_rank=J,hand_size=4,seats=3")) as (table, people):
        assert table.again(0).kind == "not_now"
        await play_out(table, people)
        assert table.wait(0).kind == "not_now"
        assert table.again(1) is None
        assert [seat.agrees for seat in people[0].lobby.seats] == [False, True, False]
        assert 9 < people[0].lobby.begins <= 10
        assert table.wait(2) is None
        assert (people[0].lobby.begins, people[0].lobby.waits_for) == (None, 2)
        await a_while()
        assert table.game.number == 1
        table.again(0)
        table.disconnect(people[2])
        assert people[0].lobby.waits_for is None
        table.again(1)
        await begun(table, 2)
        assert people[0].lobby.begins is None


async def test_the_next_game_begins_without_those_who_do_not_answer():
    async with game_of(2, agreement=0.01) as (table, people):
        await play_out(table, people)
        table.again(1)
        await begun(table, 2)


async def test_everyone_is_told_why_a_player_is_away_and_when_the_stand_in_plays():
    async with game_of(3, plan_of("podkidnoy:seats=3", clock=30), absence=100) as (table, people):
        turn = table.game.state.turn
        late, other, third = (people[(turn + step) % 3] for step in range(3))
        table._turn_since -= 30
        table._woken.set()
        await until(lambda: other.lobby.seats[turn].presence == "late")
        assert 90 < other.lobby.seats[turn].stand_in <= 100
        assert late.lobby.seats[turn].stand_in == other.lobby.seats[turn].stand_in
        late.act(table)
        assert (other.lobby.seats[turn].presence, other.lobby.seats[turn].stand_in) == ("", None)
        table.disconnect(third)
        assert other.lobby.seats[third.seat].presence == "lost"
        assert other.lobby.seats[third.seat].stand_in > 90
        back = Person()
        table.connect(third.seat, third.token, back)
        assert other.lobby.seats[third.seat].presence == ""
        table.leave(third.seat, returns=True)
        assert other.lobby.seats[third.seat].presence == "later"
        table.leave(late.seat)
        assert other.lobby.seats[late.seat].presence == "left"
        assert other.lobby.seats[late.seat].stand_in is None


async def test_without_a_clock_a_person_who_sleeps_is_thinking():
    async with game_of(2, absence=0.01) as (table, people):
        turn = table.game.state.turn
        await until(lambda: people[1 - turn].lobby.seats[turn].presence == "idle")
        assert people[1 - turn].lobby.seats[turn].stand_in is None


async def test_points_by_place_are_the_score_if_the_rules_say_so():
    """Under other rules the score starts from zero: points are not lost games."""
    places = "podkidnoy:lowest_rank=J,hand_size=4,seats=3,series_score=places"
    async with game_of(3, plan_of(places)) as (table, people):
        await play_out(table, people)
        assert people[0].end.score == table.game.state.points
        assert table.change(table.host, plan_of(f"{places},draws=no")) is None
        assert sum(table.score) == sum(people[0].end.score) > 0
        assert table.change(table.host, plan_of("podkidnoy:seats=3")) is None
        assert table.score == [0, 0, 0]


async def test_the_host_changes_rules_clock_and_bots_and_the_score_stays():
    plan = plan_of("podkidnoy:lowest_rank=J,hand_size=4,seats=4", ("", "misha", "", ""))
    async with game_of(2, plan) as (table, people):
        assert table.change(0, plan).kind == "not_now"
        await play_out(table, people)
        table.leave(people[0].seat)
        table.score = [3, 1, 2, 0]
        third = Person("Third")
        table.sit(3, "Third", third)
        table.score[3] = 4
        three = plan_of("perevodnoy:seats=3", ("", "", "misha"), 60)
        assert table.change(3, three).kind == "not_host"
        assert table.change(2, plan_of(players=("", "viktor"))).kind == "players"
        assert table.change(2, three) is None
        assert (people[1].seat, third.seat) == (0, 1)
        assert table.seat_at(third) == 1
        lobby = third.lobby
        assert (lobby.rules, lobby.clock, lobby.host, lobby.score) == (three.rules.text, 60, 0, (2, 4, 1))
        assert [seat.name for seat in lobby.seats] == ["Person 1", "Third", "Misha"]
        agree(table)
        await begun(table, 2)
        assert third.look.game == 2
        assert len(table.game.names) == 3


async def test_rules_change_only_if_every_program_understands_it():
    async with running(new_table()) as table:
        host, old = Person(), Person("Old")
        table.sit(0, "Anna", host)
        table.sit(1, "Old", OldLink(old))
        assert table.change(0, plan_of("perevodnoy")).kind == "old"
        assert table.change(0, plan_of(clock=30)) is None
        assert old.lobby.clock == 30


async def test_an_old_program_is_sent_only_what_it_knows():
    async with running(new_table()) as table:
        new, old = Person(), Person("Old")
        table.sit(0, "Anna", new)
        table.sit(1, "Old", OldLink(old))
        table.disconnect(new)
        assert old.lobby.seats[0].is_away
        assert not any("presence" in text for text in old.texts)
        OldLink(old).send(msgspec.structs.replace(new.lobby, games=3, begins=4.0, waits_for=1))
        assert (old.lobby.games, old.lobby.begins, old.lobby.waits_for) == (0, None, None)


async def test_a_table_whose_owner_leaves_for_good_is_closed():
    kept = []
    async with running(new_table(is_own=True, keep=kept.append)) as table:
        host, guest = seated_at(table, 2)
        table.leave(guest.seat)
        assert not table.is_closed
        table.sit(guest.seat, guest.name, guest)
        table.leave(host.seat)
        assert table.is_closed
        assert guest.lobby.seats[guest.lobby.host].name == host.name  # who has closed it


@pytest.mark.parametrize(
    ("rules", "players", "clock", "kind"),
    [
        ("podkidnoy:seats=9", ("", ""), 0, "rules"),
        ("nonsense", ("", ""), 0, "rules"),
        ("podkidnoy", ("", "", ""), 0, "players"),
        ("podkidnoy", ("viktor", "viktor"), 0, "players"),
        ("podkidnoy", ("", "level:viktor"), 0, "players"),
        ("podkidnoy", ("", "ismcts:memory=9999"), 0, "players"),
        ("podkidnoy", ("", "human"), 0, "players"),
        ("podkidnoy", ("", ""), 7, "clock"),
    ],
)
def test_impossible_tables_are_refused(rules, players, clock, kind):
    no = plan_of(rules, players, clock)
    assert isinstance(no, No)
    assert no.kind == kind


async def test_rules_that_cannot_be_dealt_are_a_refusal_and_not_the_end(monkeypatch):
    def fail(*_arguments):
        raise DealError("no deal stands")

    async with running(new_table()) as table:
        host, _ = seated_at(table, 2)
        with monkeypatch.context() as patch:
            patch.setattr("durak_tui.friends.table.deal_secretly", fail)
            table.start(host.seat)
            await until(lambda: host.refused == "rules")
        assert not table.is_playing
        assert table.start(host.seat) is None
        await begun(table)


async def test_the_loser_is_led_against_if_the_rules_say_so():
    plan = plan_of("podkidnoy:lowest_rank=J,hand_size=4,next_first_attacker=under_fool,draws=no")
    async with game_of(2, plan) as (table, people):
        for number in range(2, 5):
            await play_out(table, people)
            fool = table.game.state.fool
            agree(table)
            await begun(table, number)
            assert table.game.state.first_attacker == 1 - fool


async def test_searching_bots_play_from_the_pool_or_by_their_deputy():
    pool = EnginePool(fake_engine("judge"), 1)
    table = HostedTable("ABCDEFGH", "visitor", plan_of(players=("", "nina")), pool, timing=Timing(0.0))
    try:
        async with running(table):
            people = seated_at(table, 1)
            table.start(table.host)
            await begun(table)
            await play_out(table, people)
            assert read_game(people[0].end.record).tags["Player1"] == "level:nina"
    finally:
        await pool.close()


async def test_a_bots_answer_to_an_old_position_is_not_played(monkeypatch):
    """The person came back and played while the stand-in thought; then another stand-in was to move."""
    asked = []
    release = asyncio.Event()

    async def think(observation):
        asked.append(observation)
        await release.wait()
        return Decision(observation.legal_actions[-1], Message(""))

    monkeypatch.setattr("durak_tui.friends.table.seat_bots", lambda *_: [think, think])
    async with game_of(2) as (table, people):
        first = people[table.game.state.turn]
        second = people[1 - first.seat]
        table.disconnect(first)
        table.replace(first.seat)
        await until(lambda: len(asked) == 1)
        back = Person()
        table.connect(first.seat, first.token, back)
        back.act(table)
        table.disconnect(second)
        table.replace(second.seat)
        state = table.game.state
        release.set()
        await until(lambda: table.game.state is not state)
        assert [one.seat for one in asked[:2]] == [first.seat, second.seat]
        assert table.game.state == state.apply(asked[1].legal_actions[-1])


class Clock:
    """The tables' time, which only the test lets pass."""

    def __init__(self):
        self.now = 1000.0

    def monotonic(self):
        return self.now


async def test_after_all_were_away_each_has_the_whole_absence_to_return(monkeypatch):
    clock = Clock()
    monkeypatch.setattr("durak_tui.friends.table.time", clock)
    monkeypatch.setattr("durak_tui.friends.game.time", clock)
    async with game_of(2, absence=120.0) as (table, people):
        first, second = people
        for person in people:
            table.disconnect(person)
        clock.now += 10_000
        back = Person()
        table.connect(first.seat, first.token, back)
        await a_while()
        assert back.look.stand_ins == ()
        clock.now += 121
        back.act(table) if table.game.state.turn == back.seat else table.say(back.seat, 0)
        table._woken.set()
        await until(lambda: back.look.stand_ins == (second.seat,))


async def test_a_newcomer_begins_without_the_losses_of_the_seat():
    async with game_of(2) as (table, people):
        while not sum(table.score):
            await play_out(table, people)
            number = table.game.number
            if not sum(table.score):
                assert table.again() is None
                await begun(table, number + 1)
        loser = table.score.index(1)
        table.leave(loser)
        new = Person("New")
        table.sit(loser, new.name, new)
        assert new.lobby.score == (0, 0)
