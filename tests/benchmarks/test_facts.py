"""The questions about whole games and endgames whose answers are hard to guess."""

from __future__ import annotations

import pytest
from playing import deck_of, play

from benchmarks import facts
from durak_core import TAKE, Record, Rules, State, parse_action

SIX, ACE = parse_action("6c"), parse_action("As")


def test_an_action_is_right_if_it_keeps_the_value_and_another_does_not() -> None:
    """Positions in which every action is as good say nothing, and neither do missing actions."""
    assert facts.right({SIX: 1, ACE: -1}, [SIX]) is True
    assert facts.right({SIX: 1, ACE: -1}, [ACE]) is False
    assert facts.right({SIX: 1, ACE: -1}, [ACE, SIX]) is True
    assert facts.right({SIX: 1, ACE: 1}, [SIX]) is None
    assert facts.right({SIX: 1, ACE: -1}, [TAKE]) is None


def test_the_seats_of_a_game_that_questions_ask_for() -> None:
    """Seat 1 has the only trump, attacks first, and makes seat 0 take; the talon is far from empty."""
    deck = deck_of(Rules(), ["6c7c8c9cTcJc", "6s7h8h9hTh6h"], bottom="As")
    state = play(State.from_deck(Rules(), deck), "6h take pass")
    found = list(facts.seats_of_interest(Record.of(state, ("a", "b")).replay()))
    assert found == [
        ("first attacker", 1),
        ("dealt no trump", 0),
        ("takes first", 0),
        ("takes the most cards at once", 0),
    ]
    shares = facts.Shares()
    shares.add("takes first", True)
    shares.add("takes first", False)
    assert shares.cell("takes first") == "50.0 % (9.5 to 90.5) of 2"
    assert shares.cell("draws the open trump") == "-"


def test_both_tables_are_made_of_few_games(capsys: pytest.CaptureFixture[str]) -> None:
    """One line for every question, and the same ones for the same seed."""
    for _ in range(2):
        facts.main(["--games", "1", "--positions", "1", "--seed", "3"])
    first, second = capsys.readouterr().out.split("| table | first attacker")[1:]
    assert first.strip() == second.strip()
    assert all(f"| {question} |" in first for question in (*facts.TABLES, *facts.GAMES, *facts.ENDGAMES))
