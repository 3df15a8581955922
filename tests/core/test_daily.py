"""The deal of the day: everybody who plays alike sees the same game, and the line to share tells no card."""

from __future__ import annotations

from datetime import date
from hashlib import sha256
from types import SimpleNamespace

import pytest

from durak_core import PASS, Record, make_agent
from durak_core.agents.base import agent_seed
from durak_core.daily import OPPONENTS, SEAT, DailyDeal, DailyResult, _parts
from durak_core.errors import RecordError
from durak_core.lab import play_game
from durak_core.review import MoveEvaluation
from durak_core.search.backend.backend import Backend, backend, plain_backend

ODD, EVEN, LEAP = date(2026, 11, 23), date(2026, 11, 22), date(2028, 2, 29)

GOLDEN = {
    ODD: (2096998644897743549, "4d0eddd959284a8f"),
    EVEN: (991285532843743435, "3f21b17760ab0150"),
    LEAP: (235144090914332950, "456575a87fdb9ba9"),
}
"""The seed, and the digest of a game in which the person plays as the agent `expert` does: for ever."""


def played(deal: DailyDeal) -> Record:
    """Play the day's deal, with somebody at the person's seat who does the same every time."""
    agents = [make_agent("expert"), *map(make_agent, OPPONENTS)]
    return play_game(deal.rules, agents, deal.seed).record


def digest(record: Record) -> str:
    moves = " ".join(f"{move.seat}:{move.action}" for move in record.moves)
    return sha256(moves.encode()).hexdigest()[:16]


@pytest.fixture(scope="module")
def game() -> Record:
    return played(DailyDeal.of(EVEN))


@pytest.mark.parametrize("day", [ODD, EVEN, LEAP], ids=str)
def test_the_same_moves_give_the_same_game_for_ever(day) -> None:
    """Podkidnoy on odd days of the month, perevodnoy on even ones."""
    deal = DailyDeal.of(day)
    assert deal.rules.transfer == (day.day % 2 == 0)
    assert (deal.seed, digest(played(deal))) == GOLDEN[day]


def test_the_opponents_play_the_same_in_plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a day on which they ask a network, whose sums are taken in the same order either way."""
    loaded: Backend = backend("network")
    if loaded.name != "compiled":
        pytest.skip(f"no machine code here: {loaded.note}")
    monkeypatch.setattr("durak_core.agents.personas.backend_if_it_pays", lambda _: plain_backend())
    assert digest(played(DailyDeal.of(ODD))) == GOLDEN[ODD][1]


def test_a_game_that_is_left_and_taken_up_again_goes_on_the_same(game) -> None:
    """Whoever sits down anew for each move still plays what the game shows."""
    deal = DailyDeal.of(EVEN)
    for state, move in zip(game.replay(), game.moves, strict=False):
        if move.seat != SEAT:
            agent = make_agent(OPPONENTS[move.seat - 1])
            agent.begin(deal.rules, move.seat, agent_seed(deal.seed, move.seat))
            assert agent.choose(state.observation(move.seat)).action == move.action


def test_the_line_to_share_tells_the_result_and_no_card(game) -> None:
    """From the record alone, and with what a review has found."""
    found = DailyResult.of(DailyDeal.of(EVEN), game)
    end = game.end
    where = "the fool" if end.fools == (SEAT,) else f"out {('1st', '2nd')[end.places.index(SEAT)]} of 3"
    assert str(found.line) == f"Durak 22 Nov 2026 · {where} · {end.bout} bouts"
    first = DailyResult(EVEN, 3, 1, False, 14, 92.6, (True, True, False, True))
    assert str(first.line) == "Durak 22 Nov 2026 · out 1st of 3 · 14 bouts · 93% · ◆◆◇◆"
    assert " · the fool · " in str(DailyResult(EVEN, 3, None, False, 14).line)
    assert " · a draw · " in str(DailyResult(EVEN, 3, None, True, 14).line)


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ("", ()),
        ("?", (False,)),
        (" ? ", (True, False, True)),
        (["?!", "", "!", "", "??", ""], (True, True, False, True)),
    ],
)
def test_each_quarter_of_the_choices_is_one_sign(marks, expected) -> None:
    """What others did, and what did not matter, counts for nothing."""
    own = [MoveEvaluation(1, SEAT, PASS, stake=0.2, mark=mark) for mark in marks]
    others = [MoveEvaluation(1, 1, PASS, stake=0.2, mark="??"), MoveEvaluation(1, SEAT, PASS, mark="?")]
    assert [one.accuracy is None for one in others] == [False, True]
    review = SimpleNamespace(evaluations=dict(enumerate([*others, *own, *others])))
    assert _parts(review) == expected


def test_only_the_finished_game_of_the_day_has_a_result(game) -> None:
    """Another day's and half a game are refused."""
    with pytest.raises(RecordError, match="this game is not the daily deal of 2026-11-23"):
        DailyResult.of(DailyDeal.of(ODD), game)
    half = Record(game.rules, game.deck, game.first_attacker, game.players, game.moves[:9])
    with pytest.raises(RecordError, match="the game of 2026-11-22 is not finished"):
        DailyResult.of(DailyDeal.of(EVEN), half)
