"""The six opponents: who they are, that their mistakes are those of people, and who is the stronger one."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import pytest
from rich.cells import cell_len

from durak_core import Decision, Rules, State, make_agent, parse_action
from durak_core.actions import Attack, encode
from durak_core.agents.base import TimedAgent
from durak_core.agents.personas import OPPONENTS, Opponent, opponent_of
from durak_core.cards import Rank
from durak_core.deadline import Deadline
from durak_core.game.observation import Phase
from durak_core.lab import play_game
from durak_core.search.backend.backend import backend
from durak_core.search.players import is_human

OTHER_RULES = "podkidnoy:lowest_rank=2"
"""Rules for which no network was trained."""


def points(text: str, other: str, rules: str, deals: int) -> float:
    """Play some deals from both seats; a win counts 1 and a draw a half."""
    agents = [make_agent(text), make_agent(other)]
    won = 0.0
    for seed in range(2 * deals):
        order = agents if seed % 2 else agents[::-1]
        fool = play_game(Rules.parse(rules), order, seed // 2).fool
        won += 0.5 if fool is None else order[fool] is agents[1]
    return won


def test_there_are_six_each_stronger_than_the_one_before() -> None:
    """By their stars, and by 100 points or more."""
    assert [opponent.stars for opponent in OPPONENTS] == [1, 2, 3, 4, 5, 6]
    assert all(above.rating - below.rating >= 100 for below, above in pairwise(OPPONENTS))
    for opponent in OPPONENTS:
        assert opponent_of(make_agent(opponent.text).text) == opponent
        assert opponent_of(f"{opponent.text},open") is None
        assert cell_len(opponent.face) == cell_len(opponent.plain_face) == 2
        assert opponent.plain_face.isascii()
        assert opponent.character.endswith(".")


@pytest.mark.parametrize(
    ("rules", "games"),
    [
        ("podkidnoy", 20),
        (OTHER_RULES, 10),
        pytest.param("podkidnoy", 60, marks=pytest.mark.slow),
        pytest.param(OTHER_RULES, 20, marks=pytest.mark.slow),
    ],
)
def test_the_weakest_makes_no_absurd_mistakes(rules: str, games: int) -> None:
    """What no person does is played only where it is the favourite of whoever plays best of these five."""
    backend("network")
    best = make_agent("level:viktor")
    choices = 0

    def check(state: State, decision: Decision) -> None:
        nonlocal choices
        choices += 1
        assert state.turn is not None
        observation = state.observation(state.turn)
        action = decision.action
        assert is_human(state.to_position(), encode(action)) or best.choose(observation).action == action
        if observation.phase == Phase.OPENING and isinstance(action, Attack) and observation.talon_size:
            is_ace_of_trumps = action.card.suit == observation.trump_suit and action.card.rank == Rank.ACE
            has_others = any(card.suit != observation.trump_suit for card in observation.hand)
            assert not (is_ace_of_trumps and has_others)

    agents = [make_agent("level:misha") for _ in range(2)]
    for seed in range(games):
        play_game(Rules.parse(rules), agents, seed, on_decision=check)
    assert choices > 40 * games


TALON_OF_SIX = "6c6d6h7c7d6s"
TALON_OF_SEVEN = f"8d{TALON_OF_SIX}"


@pytest.mark.parametrize(
    ("hands", "talon", "moves", "human"),
    [
        # Seat 0 throws a trump in after its card is beaten.
        (("ThTs", "Qh8c"), TALON_OF_SIX, "Th QhxTh Ts", True),
        (("ThTs", "Qh8c"), TALON_OF_SEVEN, "Th QhxTh Ts", False),
        (("JhJs", "Qh8c"), TALON_OF_SIX, "Jh QhxJh Js", False),
        # Seat 0 leads a trump.
        (("TsTh", "8c9c"), TALON_OF_SIX, "Ts", False),
        (("TsJs", "8c9c"), TALON_OF_SIX, "Ts", True),
        # Seat 1 beats an ace or a nine.
        (("AhTc", "QsKs"), TALON_OF_SEVEN, "Ah QsxAh", True),
        (("AhTc", "QsKs"), TALON_OF_SEVEN, "Ah KsxAh", False),
        (("AhTc", "Ks8c"), TALON_OF_SEVEN, "Ah KsxAh", True),
        (("9hTc", "Th7s"), TALON_OF_SEVEN, "9h 7sx9h", False),
        # Seat 1 takes.
        (("9hTc", "Jh8c"), TALON_OF_SEVEN, "9h take", False),
        (("9hTc", "Qh8c"), TALON_OF_SEVEN, "9h take", True),
        (("9hTc", "7s8c"), TALON_OF_SEVEN, "9h take", True),
        (("9h9c", "ThJh"), TALON_OF_SEVEN, "9h Thx9h 9c take", True),
        # Seat 1 transfers with a trump.
        (("9hTcJc", "9s8c"), TALON_OF_SIX, "9h >9s", True),
        (("9hTcJc", "9s8c"), TALON_OF_SEVEN, "9h >9s", False),
        (("KhTcJc", "Ks8c"), TALON_OF_SIX, "Kh >Ks", False),
        # Without cards to draw, anything goes.
        (("AhTc", "QsKs"), "", "Ah KsxAh", True),
    ],
)
def test_people_spend_good_cards_only_where_they_must(
    hands: tuple[str, str], talon: str, moves: str, human: bool
) -> None:
    state = State.setup(Rules.preset("perevodnoy"), hands, talon=talon, trump="6s" if not talon else None)
    *before, last = [parse_action(text) for text in moves.split()]
    for action in before:
        state = state.apply(action)
    assert last in state.legal_actions
    assert is_human(state.to_position(), encode(last)) is human


@pytest.mark.parametrize(
    ("weaker", "stronger", "rules"),
    [
        ("misha", "boris", "podkidnoy"),
        ("boris", "viktor", OTHER_RULES),
        pytest.param("misha", "boris", OTHER_RULES, marks=pytest.mark.slow),
        pytest.param("boris", "viktor", "podkidnoy", marks=pytest.mark.slow),
    ],
)
def test_stars_tell_who_is_stronger(weaker: str, stronger: str, rules: str) -> None:
    """With a network and without one."""
    backend("network")
    assert points(f"level:{stronger}", f"level:{weaker}", rules, 20) > 20


@pytest.mark.parametrize("opponent", OPPONENTS)
@pytest.mark.parametrize("rules", ["perevodnoy", "larsenbier:seats=3", "podkidnoy:seats=4,teams=2x2"])
def test_everybody_can_hurry(opponent: Opponent, rules: str) -> None:
    """Also where a network has to be read, or none fits."""
    state = State.deal(Rules.parse(rules), 5)
    assert state.turn is not None
    agent = make_agent(opponent.text)
    agent.begin(state.rules, state.turn, 3)
    assert isinstance(agent, TimedAgent)
    assert agent.choose_by(state.observation(state.turn), Deadline(0.01)).action in state.legal_actions


def test_whoever_answers_at_once_does_without_machine_code() -> None:
    """A person waits for no compiler, and the screen for no large library."""
    program = """
import sys
from durak_core import Rules, State, make_agent
from durak_core.deadline import Deadline
state = State.deal(Rules(), 5)
decision = make_agent("level:misha").choose_by(state.observation(state.turn), Deadline(1))
assert decision.action in state.legal_actions
print({"numpy", "numba"} & set(sys.modules))
"""
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout == "set()\n"
