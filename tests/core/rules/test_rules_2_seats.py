"""Section 2 of docs/rules.md: seats."""

from __future__ import annotations

from typing import Any

import pytest
from playing import play, random_game, refused

from durak_core import (
    PASS,
    TAKE,
    GameEnded,
    Phase,
    Record,
    Role,
    Rules,
    State,
    WentOut,
    read_position,
    write_position,
)
from durak_core.errors import NotationError, RecordError, RulesError


@pytest.mark.parametrize("seats", range(2, 7))
def test_rule_2_1_two_to_six_seats(seats: int) -> None:
    """Two to six seats can play, and seat 0 comes after the last one."""
    state = State.deal(Rules(seats=seats), 3, first_attacker=seats - 1)
    assert state.hand_sizes == (6,) * seats
    assert (state.attacker, state.defender) == (seats - 1, 0)


def test_rule_2_1_other_numbers_of_seats_are_refused() -> None:
    """One seat and seven seats are refused with the paragraph."""
    for wrong in (1, 7, 0, -2):
        with pytest.raises(RulesError, match=r"seats=.*2 to 6.*rules 2\.1"):
            Rules(seats=wrong)


def test_rule_2_1_the_next_seat_is_the_next_one_still_in() -> None:
    """Seats that are out are stepped over, also past the last seat."""
    state = State.setup(Rules(seats=5), ["6s7s", "", "8s9s", "TsJs", ""], trump="6c", attacker=0)
    assert state.defender == 2
    assert state.roles == (Role.ATTACKER, Role.OUT, Role.DEFENDER, Role.HELPER, Role.OUT)
    state = State.setup(Rules(seats=5), ["6s7s", "", "8s9s", "TsJs", ""], trump="6c", attacker=3)
    assert state.defender == 0
    assert play(state, "Ts take pass pass").attacker == 2


@pytest.mark.parametrize(
    ("teams", "seats", "members"),
    [
        (None, 3, [(0,), (1,), (2,)]),
        ("2x2", 4, [(0, 2), (1, 3)]),
        ("2x3", 6, [(0, 2, 4), (1, 3, 5)]),
        ("3x2", 6, [(0, 3), (1, 4), (2, 5)]),
    ],
)
def test_rule_2_2_the_seats_of_a_team_sit_alternately(
    teams: str | None, seats: int, members: list[object]
) -> None:
    """Seat s belongs to team s mod T; without teams every seat is a team of its own."""
    rules = Rules(seats=seats, teams=teams)
    assert [rules.members(team) for team in range(rules.team_count)] == members
    for seat in range(seats):
        assert rules.team_of(seat) == seat % len(members)
        assert {seat, *rules.partners(seat)} == set(rules.members(rules.team_of(seat)))
        assert seat not in rules.partners(seat)
        assert (seat + 1) % seats not in rules.partners(seat)
    assert Rules.parse(rules.text) == rules


@pytest.mark.parametrize(
    ("teams", "seats", "right"),
    [
        ("2x2", 6, "seats=4 or teams=2x3 or 3x2 or none"),
        ("2x3", 4, "seats=6 or teams=2x2 or none"),
        ("3x2", 5, "seats=6 or teams=none"),
    ],
)
def test_rule_2_2_another_number_of_seats_is_refused(teams: str, seats: int, right: str) -> None:
    """The error names the paragraph and what would be right, from Python and from text."""
    for make in (
        lambda: Rules(seats=seats, teams=teams),
        lambda: Rules.parse(f"podkidnoy:seats={seats},teams={teams}"),
    ):
        with pytest.raises(RulesError, match=rf"{right} \(rules 2\.2\)"):
            make()


def test_rule_2_2_other_divisions_are_refused() -> None:
    """There are three divisions, and none."""
    for wrong in ("4x1", "yes", "2", ""):
        with pytest.raises(RulesError, match=r"none or 2x2 or 2x3 or 3x2 \(rules 2\.2\)"):
            Rules.parse(f"podkidnoy:seats=4,teams={wrong}")
        with pytest.raises(RulesError, match=r"none or 2x2 or 2x3 or 3x2 \(rules 2\.2\)"):
            Rules(seats=4, teams=wrong)
    assert Rules.parse("podkidnoy:teams=none").teams is None


PAIRS = Rules(seats=4, teams="2x2")
THREES = Rules(seats=6, teams="2x3")
THREE_PAIRS = Rules(seats=6, teams="3x2")


def test_rule_2_2_1_an_attack_steps_over_partners() -> None:
    """It goes to the next seat still in that plays for another team."""
    state = State.setup(PAIRS, ["6s7s", "", "8s9s", "TsJs"], trump="6c", attacker=0)
    assert state.roles == (Role.ATTACKER, Role.OUT, Role.HELPER, Role.DEFENDER)
    state = State.setup(THREES, ["6s", "7s", "8s", "", "9s", "Ts"], trump="6c", attacker=2)
    assert state.defender == 5
    state = State.setup(THREE_PAIRS, ["6s", "", "", "7s", "8s", "9s"], trump="6c", attacker=0)
    assert state.defender == 4


def test_rule_2_2_1_who_has_beaten_off_attacks() -> None:
    """The defender is the next attacker, and its partner is stepped over."""
    state = State.setup(PAIRS, ["6s7d", "7s8s", "", "8hJs"], trump="6c", attacker=0)
    state = play(state, "6s 7sx6s pass")
    assert (state.attacker, state.defender) == (1, 0)


def test_rule_2_2_1_after_a_bout_is_taken_the_next_seat_attacks_whoevers_partner_it_is() -> None:
    """That may be the partner of the one who took."""
    state = play(State.setup(PAIRS, ["6s7d", "7s8s", "", "8hJs"], trump="6c", attacker=0), "6s take pass")
    assert (state.attacker, state.defender) == (3, 0)
    state = play(
        State.setup(PAIRS, ["6s7d", "7s8s", "9d", "8hJs"], trump="6c", attacker=0), "6s take pass pass"
    )
    assert (state.attacker, state.defender) == (2, 3)


def test_rule_2_2_2_only_opponents_of_the_defender_throw_in() -> None:
    """The partner of the defender holds a six and is not asked, before or after the defender takes."""
    state = State.setup(PAIRS, ["6s9h", "7sKsKh", "6h8h", "6d8d"], trump="9c", attacker=0)
    assert state.roles == (Role.ATTACKER, Role.DEFENDER, Role.HELPER, Role.BYSTANDER)
    for answer in ("7sx6s", "take"):
        asked = play(state, f"6s {answer}")
        assert asked.turn == 0
        asked = play(asked, "pass")
        assert asked.turn == 2
        asked = play(asked, "pass")
        assert (asked.bout, asked.phase) == (3, Phase.OPENING)


def test_rule_2_2_2_neighbours_are_the_nearest_opponents_on_both_sides() -> None:
    """The defender's partners are stepped over; the principal attacker may be too far away."""
    rules = THREES.changed(throw_in="neighbours")
    state = State.setup(rules, ["6s9h", "", "6h8h", "7sKsKh", "6d8d", "7h7d9d"], trump="9c", attacker=0)
    wanted = (Role.ATTACKER, Role.OUT, Role.HELPER, Role.DEFENDER, Role.HELPER, Role.BYSTANDER)
    assert state.roles == wanted
    assert play(state, "6s 7sx6s").turn == 2
    state = State.setup(rules, ["6s9h", "7d", "6h8h", "7sKsKh", "", "7h9d"], trump="9c", attacker=2)
    wanted = (Role.HELPER, Role.BYSTANDER, Role.ATTACKER, Role.DEFENDER, Role.OUT, Role.BYSTANDER)
    assert state.roles == wanted


def test_rule_2_2_2_a_record_in_which_a_partner_throws_in_is_refused() -> None:
    """The error names the paragraph."""
    state = State.deal(PAIRS, 7)
    record = Record.of(state, ("A", "B", "C", "D"))
    record = record.added(state.legal_actions[0]).added(TAKE)
    partner = (state.defender + 2) % 4
    with pytest.raises(RecordError, match=r"against a partner \(rules 2\.2\.2\)"):
        record.added(PASS, seat=partner)


TRANSFERS = PAIRS.changed(transfer=True)


def test_rule_2_2_3_a_transfer_goes_to_the_next_opponent() -> None:
    """It reaches the partner of the first attacker, and where that is out the first attacker."""
    state = State.setup(TRANSFERS, ["6s9h9d", "6h7h", "8s8hTs", "6dKs"], trump="9c", attacker=0)
    state = play(state, "6s >6h")
    assert (state.attacker, state.defender, state.turn) == (1, 2, 2)
    assert state.roles == (Role.BYSTANDER, Role.ATTACKER, Role.DEFENDER, Role.HELPER)
    state = State.setup(TRANSFERS, ["6s9h9d", "6h7h", "", "6dKs"], trump="9c", attacker=0)
    state = play(state, "6s >6h")
    assert (state.attacker, state.defender, state.turn) == (1, 0, 0)


def test_rule_2_2_3_the_opponent_transferred_to_has_to_hold_enough() -> None:
    """7.2 counts that seat's cards, not those of the partner that sits nearer."""
    state = State.setup(TRANSFERS, ["6s9h", "6h7h", "", "6dKsKd"], trump="9c", attacker=0)
    assert refused(play(state, "6s"), ">6h") == "7.2"


def test_rule_2_2_4_partners_of_a_seat_that_is_out_play_on() -> None:
    """The attacker goes out; the game goes on between its partner and the others."""
    state = State.setup(PAIRS, ["6s", "7s8s", "7hTh", "9dTd"], trump="9c", attacker=0)
    state = play(state, "6s 7sx6s pass")
    assert (state.places, state.is_over) == ((0,), False)
    assert (state.attacker, state.defender) == (1, 2)


def test_rule_2_2_5_the_last_team_with_cards_is_the_fool() -> None:
    """Two seats of one team hold cards and nobody else does."""
    state = State.setup(PAIRS, ["6s7h", "7s", "8h9h", ""], trump="9c", attacker=0)
    state = play(state, "6s 7sx6s")
    assert (state.is_over, state.is_draw, state.fools) == (True, False, (0, 2))
    assert state.events[-1] == GameEnded((0, 2), stalled=False)


def test_rule_2_2_5_the_game_goes_on_while_two_teams_have_cards() -> None:
    """With three pairs one of them may be out altogether."""
    state = State.setup(THREE_PAIRS, ["6s", "7sKs", "", "", "9h", ""], trump="9c", attacker=0)
    state = play(state, "6s 7sx6s")
    assert (state.is_over, state.fools) == (True, (1, 4))
    state = State.setup(THREE_PAIRS, ["6s", "7sKs", "Kh", "", "9h", ""], trump="9c", attacker=0)
    state = play(state, "6s 7sx6s pass")
    assert (state.is_over, state.places) == (False, (3, 5, 0))


def test_rule_2_2_5_nobody_holds_cards() -> None:
    """It is a draw, or with `draws` no the last defender's team has lost."""
    hands = ["6s", "7s", "", ""]
    state = play(State.setup(PAIRS, hands, trump="9c"), "6s 7sx6s")
    assert (state.is_over, state.is_draw, state.fools, state.returns) == (True, True, (), (0.0,) * 4)
    state = play(State.setup(PAIRS.changed(draws=False), hands, trump="9c"), "6s 7sx6s")
    assert (state.is_over, state.is_draw, state.fools) == (True, False, (1, 3))
    assert state.places == (2, 3, 0, 1)
    assert state.returns == (1.0, -1.0, 1.0, -1.0)
    hands = ["", "", "6s", "7s"]
    state = play(State.setup(PAIRS.changed(draws=False), hands, trump="9c", attacker=2), "6s 7sx6s")
    assert (state.fools, state.returns) == ((1, 3), (1.0, -1.0, 1.0, -1.0))


def test_rule_2_2_5_a_game_that_stalls() -> None:
    """It is drawn, or the last defender's team has lost; its seats with cards have the last places."""
    hands = ["6sKs", "7h8h", "9h", "9d"]
    rules = PAIRS.changed(stall_limit=1)
    state = play(State.setup(rules, hands, trump="9c"), "6s take pass pass")
    assert (state.is_draw, state.places) == (True, ())
    state = play(State.setup(rules.changed(draws=False), hands, trump="9c"), "6s take pass pass")
    assert (state.fools, state.places) == ((1, 3), (1, 3))
    hands = ["9h", "9d", "6sKs", "7h8h"]
    state = State.setup(rules.changed(draws=False), hands, trump="9c", attacker=2)
    assert play(state, "6s take pass pass").fools == (1, 3)


@pytest.mark.parametrize("rules", [PAIRS, THREES, THREE_PAIRS], ids=lambda rules: rules.teams)
def test_rule_2_2_6_returns_are_the_teams(rules: Rules) -> None:
    """The fool's seats have -1 each, the others share as much; places are those of seats."""
    lost = 0
    for seed in range(12):
        end = list(random_game(rules, seed, "play"))[-1]
        assert sum(end.returns) == pytest.approx(0)
        out = [seat for seat in end.places if not end.hands[seat]]
        assert out == [event.seat for event in end.events if isinstance(event, WentOut)]
        last = tuple(seat for seat in end.fools if end.hands[seat])
        assert (end.places[len(out) :], end.observation(0).last) == (last, last)
        if end.fools:
            share = len(end.fools) / (rules.seats - len(end.fools))
            wanted = [-1.0 if seat in end.fools else share for seat in range(rules.seats)]
            assert end.returns == pytest.approx(wanted)
            lost += 1
    assert lost > 3


def test_rule_2_2_7_partners_do_not_see_each_others_cards() -> None:
    """An observation is the same whatever the partner holds, but where all hands are open."""
    hands = ["6s7s", "8s9s", "8h9h", "TdJd"]
    other = [*hands[:2], hands[3], hands[2]]
    one, twin = (State.setup(PAIRS, held, trump="9c") for held in (hands, other))
    assert one.observation(0) == twin.observation(0)
    assert one.observation(0).hands is None
    shown = State.setup(PAIRS.changed(visibility="open"), hands, trump="9c").observation(0)
    assert shown.hands == one.hands


BOTH_PLACES = PAIRS.changed(partner_plays_on=True)


@pytest.mark.parametrize("options", [{}, {"seats": 4}, {"seats": 6, "teams": "2x3"}])
def test_rule_2_2_8_only_two_against_two_play_in_both_places(options: dict[str, Any]) -> None:
    with pytest.raises(RulesError, match=r"choose teams=2x2 or partner_plays_on=no \(rules 2\.2\.8\)"):
        Rules(partner_plays_on=True, **options)


def test_rule_2_2_8_a_partner_attacks_in_the_place_of_one_who_is_out() -> None:
    """The example in Rozaliev's book, with 3 out: 1 attacks 0 in its place, and 0 beats it off or takes."""
    hands = ["9s9d", "7h8s7c", "6hTh", "8h"]
    state = play(State.setup(BOTH_PLACES, hands, trump="6c", attacker=2), "6h 8hx6h")
    assert (state.places, state.attacker, state.defender) == ((3,), 1, 0)
    beaten = play(state, "8s 9sx8s pass")
    assert (beaten.attacker, beaten.defender) == (0, 1)
    again = play(beaten, "9d take pass")
    assert (again.places, again.attacker, again.defender) == ((3, 0), 2, 1)
    taken = play(state, "8s take pass")
    assert (taken.attacker, taken.defender) == (1, 2)
    usual = play(State.setup(PAIRS, hands, trump="6c", attacker=2), "6h 8hx6h")
    assert (usual.attacker, usual.defender) == (0, 1)


def test_rule_2_2_8_a_partner_defends_in_the_place_of_one_who_is_out() -> None:
    """With 0 out, 3 attacks 2 in its place, and 1 attacks 2 in its own."""
    state = State.setup(BOTH_PLACES, ["", "9hTh", "8s8dKs", "7s9d"], trump="6c", attacker=3)
    assert (state.defender, state.limit) == (2, 3)
    beaten = play(state, "7s 8sx7s pass pass")
    assert (beaten.attacker, beaten.defender) == (2, 1)
    taken = play(state, "7s take pass pass")
    assert (taken.attacker, taken.defender) == (1, 2)
    taken = play(taken, "9h take pass pass")
    assert (taken.attacker, taken.defender) == (3, 2)


def test_rule_2_2_8_a_transfer_goes_to_the_next_place() -> None:
    """A seat in two places may transfer an attack twice, and each time to another opponent."""
    rules = BOTH_PLACES.changed(transfer=True)
    hands = ["", "6hThJh", "6dKsKdQs", "6sQdAd7d7h"]
    state = play(State.setup(rules, hands, trump="9c", attacker=3), "6s >6d")
    assert (state.attacker, state.defender) == (2, 1)
    state = play(state, ">6h")
    assert (state.attacker, state.defender) == (1, 2)
    assert play(state, "take").attacker == 3
    state = play(State.setup(rules, hands, trump="9c", attacker=1), "6h >6d")
    assert (state.attacker, state.defender) == (2, 3)
    hands = ["", "6hTh", "6dKs", "6s"]
    assert refused(play(State.setup(rules, hands, trump="9c", attacker=1), "6h"), ">6d") == "7.2"
    assert refused(play(State.setup(rules, hands, trump="9c", attacker=3), "6s"), ">6d") == ""


def test_rule_2_2_8_a_seat_in_two_places_throws_in_as_one() -> None:
    """It is asked once a round; a written position keeps whom it attacks."""
    hands = ["", "7s7dKd", "8h6d9h", "6hQd"]
    state = play(State.setup(BOTH_PLACES, hands, trump="6c", attacker=3), "6h 8hx6h pass pass 6d 7dx6d")
    assert state.roles == (Role.OUT, Role.DEFENDER, Role.ATTACKER, Role.BYSTANDER)
    assert read_position(write_position(state)).roles == state.roles
    with pytest.raises(NotationError, match=r"has to be 1 or 3, .*2\.2\.8"):
        read_position(write_position(state).replace("defender=1", "defender=0"))
    state = play(state, "pass")
    assert (state.attacker, state.defender) == (1, 2)
