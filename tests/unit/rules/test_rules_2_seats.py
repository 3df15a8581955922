"""Section 2 of docs/rules.md: seats."""

from __future__ import annotations

import pytest
from playing import play

from durak_core import Role, Rules, State
from durak_core.errors import RulesError


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


def test_rule_2_2_teams_cannot_be_played_yet() -> None:
    """Teams are refused with an error that names the paragraph, from Python and from text."""
    for wrong in ("2x2", "2x3", "yes"):
        with pytest.raises(RulesError, match=r"team.*rules 2\.2"):
            Rules(seats=4, teams=wrong)
        with pytest.raises(RulesError, match=r"team.*rules 2\.2"):
            Rules.parse(f"podkidnoy:seats=4,teams={wrong}")
    assert Rules.parse("podkidnoy:teams=none").teams is None
