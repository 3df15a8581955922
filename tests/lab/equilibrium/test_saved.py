"""Saved equilibria: what solve wrote is what the agent plays, in every seat and against every agent."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import pytest
from commands import bad, durak, good

from durak_core import AgentError, Rules, State, make_agent
from durak_core.actions import Attack
from durak_core.cards import Card
from durak_core.kernel.position import mixed
from durak_core.lab import Match, make_player, play_match, tally_match
from durak_core.lab.equilibrium import endgames, saved, small_game
from durak_core.lab.equilibrium import saved as equilibrium_agent
from durak_core.lab.equilibrium.saved import FORMAT, EquilibriumAbout, read_equilibrium, write_equilibrium
from durak_core.lab.equilibrium.small_game import Deal, TinyGame, all_deals, play_as
from durak_core.lab.matches import players
from durak_core.npz import archive_of
from durak_core.search.backend.backend import plain_backend

HIDDEN = Rules.parse("podkidnoy:suits=1,lowest_rank=11,hand_size=1")
EXCHANGING = HIDDEN.changed(exchange_trump=True)
NO_TRUMPS = HIDDEN.changed(trumps=False)
TRANSFERS = Rules.parse("perevodnoy:suits=2,lowest_rank=11,hand_size=3,attack_limit=1,stall_limit=3")
SIX = Rules.parse("podkidnoy:suits=1,lowest_rank=9,hand_size=2")


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled, and of many deals some are enough."""
    for module in (small_game, equilibrium_agent, players):
        monkeypatch.setattr(module, "backend", lambda _: plain_backend())
    monkeypatch.setattr(small_game, "all_deals", some_deals)


def some_deals(rules: Rules) -> list[Deal]:
    deals = list(all_deals(rules))
    return deals[7 :: len(deals) // 2] if len(deals) > 500 else deals


def solved(rules: Rules, path: Path, iterations: int = 30) -> TinyGame:
    """Solve a game, and save its equilibrium."""
    game = TinyGame(rules)
    game.iterate(iterations)
    about = EquilibriumAbout(
        FORMAT, rules.text, game.distance().nash_conv, game.first_attackers_return(), game.iterations
    )
    write_equilibrium(path, about, game.strategy())
    return game


@pytest.mark.parametrize(
    "rules",
    [
        HIDDEN,
        EXCHANGING,
        NO_TRUMPS,
        pytest.param(TRANSFERS, marks=pytest.mark.slow),
        pytest.param(SIX, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_the_agent_is_as_exploitable_as_the_solution(rules: Rules, tmp_path: Path) -> None:
    """It is asked for its probabilities at all its decisions, from observations, without the tree."""
    path = tmp_path / "saved.npz"
    game = solved(rules, path)
    distance, equilibrium = game.distance(), game.snapshot()
    game.iterate(1)
    play_as(game, make_agent("random"), 1, 1)  # whatever was there before
    assert play_as(game, make_player(f"equilibrium:file={path}"), 1, 1) == 1
    assert game.distance().best == pytest.approx(distance.best, abs=1e-5)
    assert read_equilibrium(path).about.nash_conv == distance.nash_conv
    for own, best in zip(game.returns_against(equilibrium), reversed(distance.best), strict=True):
        assert own >= -best - 1e-5


@pytest.mark.sampled(1)
@pytest.mark.parametrize("text", ["greedy", "expert", "random:uniform"])
def test_no_agent_gains_against_it(text: str) -> None:
    """Its expected return in each seat is at least what its best response leaves it."""
    game = TinyGame(SIX)
    game.iterate(30)
    distance, equilibrium = game.distance(), game.snapshot()
    play_as(game, make_agent(text), 5, 1)
    agent, found = game.distance(), game.returns_against(equilibrium)
    for gained, best in zip(found, distance.best, strict=True):
        assert gained <= best + 1e-9
    assert game.distance() == agent
    assert sum(found) < -0.05


def test_its_games_have_the_exact_score(tmp_path: Path) -> None:
    """All deals, each once from both seats: the tally of the games is the tree's value."""
    path = tmp_path / "saved.npz"
    game = solved(SIX, path)
    equilibrium = game.snapshot()
    play_as(game, make_agent("greedy"), 1, 1)
    exact = 0.5 - sum(game.returns_against(equilibrium)) / 4
    match = Match(SIX, (f"equilibrium:file={path}", "greedy"), 400, 1)
    (share, _) = [agent.share for agent in tally_match(match, play_match(match)).agents]
    assert share.low - 0.02 < exact < share.high + 0.02


def test_it_refuses_what_was_not_solved(tmp_path: Path) -> None:
    """Other rules at the first move, and a position that no deal leads to."""
    path, six = tmp_path / "saved.npz", tmp_path / "six.npz"
    solved(HIDDEN, path, 1)
    solved(SIX, six, 1)
    agent = make_player(f"equilibrium:file={path}")
    for other in (Rules(), HIDDEN.changed(hand_size=2), HIDDEN.changed(next_first_attacker="under_fool")):
        with pytest.raises(AgentError, match=r"is an equilibrium of .*hand_size=1.* and cannot play"):
            agent.begin(other, 0, 1)
    agent = make_player(f"equilibrium:file={six}")
    agent.begin(SIX, 0, 1)
    state = State.setup(SIX, ["9sKs", "TsJs"], trump="As", talon="QsAs", attacker=1).apply(
        Attack(Card.parse("Ts"))
    )
    with pytest.raises(AgentError, match="knows no such history"):
        agent.choose(state.observation(0))
    with pytest.raises(AgentError, match="expected equilibrium:file=FILE"):
        make_player("equilibrium")


def test_a_damaged_file_is_refused_in_words(tmp_path: Path) -> None:
    """Whatever is wrong with it, the error names the file and what is wrong."""
    path = tmp_path / "saved.npz"
    about = EquilibriumAbout(FORMAT, HIDDEN.text, 0.1, 0.2, 3)

    def refusal(strategy=(), data: bytes | None = None, **other: object) -> str:
        write_equilibrium(path, EquilibriumAbout(**{**asdict(about), **other}), strategy)
        if data is not None:
            path.write_bytes(data)
        with pytest.raises(AgentError) as caught:
            read_equilibrium(path)
        assert str(path) in str(caught.value)
        return str(caught.value)

    fair = (0.5, 0.5)
    write_equilibrium(path, about, [(1, fair), (2, (0.25, 0.25, 0.5))])
    good = path.read_bytes()
    assert list(read_equilibrium(path).probabilities(2) or ()) == [0.25, 0.25, 0.5]
    assert "the keys do not ascend" in refusal([(2, fair), (1, fair)])
    assert "do not add up to 1" in refusal([(1, (0.5, 0.6))])
    assert "not from 0 to 1" in refusal([(1, (-0.5, 1.5))])
    assert "not from 0 to 1" in refusal([(1, (float("nan"), 1.0))])
    assert "a width is not from 2" in refusal([(1, (1.0,))])
    assert "format" in refusal(format="durak-equilibrium/9")
    assert "nash_conv" in refusal(nash_conv=9.0)
    assert "there is no preset" in refusal(rules="podkidnoi")
    assert "damaged" in refusal(data=good[:-30])
    arrays = {"about": ("|u1", json.dumps(asdict(about)).encode()), "keys": ("<i8", bytes(8))}
    few = {**arrays, "widths": ("|u1", bytes([2, 2])), "shares": ("<f4", bytes(16))}
    assert "do not fit together" in refusal(data=archive_of(few))
    assert "expected 1 of <f4" in refusal(data=archive_of({**few, "shares": ("<i8", bytes(8))}))


def test_every_flipped_bit_gives_an_equilibrium_or_one_error(tmp_path: Path, monkeypatch) -> None:
    """And takes no time to speak of."""
    path, chance, refused = tmp_path / "saved.npz", random.Random(7), 0
    solved(HIDDEN, path, 1)
    good = path.read_bytes()
    for _ in range(300):
        data = bytearray(good)
        for _ in range(chance.choice((1, 3, 30))):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        monkeypatch.setattr(saved, "read_bytes", lambda *_, data=bytes(data): data)
        with suppress(AgentError):
            read_equilibrium(path)
            continue
        refused += 1
    assert refused > 200


def test_the_hash_of_decisions_stays_that_of_saved_files() -> None:
    assert mixed(mixed(1, 2), 1 << 62) == 1087931123649808466


def test_an_endgame_table_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    """It gives the same answers as a table with room from the start."""
    state = State.setup(SIX, ["TsQsAs", "JsKs"], trump="As", attacker=0)
    position = state.to_position()
    whole = endgames.EndgameTable(SIX, plain_backend()).optimal(position)
    monkeypatch.setattr(endgames, "FIRST_ROOM", 4)
    assert endgames.EndgameTable(SIX, plain_backend()).optimal(position) == whole
    assert any(whole)
    monkeypatch.setattr(endgames, "MOST_POSITIONS", 4)
    with pytest.raises(ValueError, match="more than 4 positions can follow"):
        endgames.EndgameTable(SIX, plain_backend()).optimal(position)


def test_solve_saves_what_plays(tmp_path: Path) -> None:
    """From the command line to a match, and it is found again by solve itself."""
    path, told = tmp_path / "six.npz", tmp_path / "six.json"
    good("solve", SIX.text, "--iterations", 20, "--agents", "greedy", "--save", path)
    again = ("--iterations", 20, "--agents", f"equilibrium:file={path}", "--json", told)
    good("solve", SIX.text, *again)
    first, second = json.loads(told.read_text())["players"]
    assert second["nash_conv"] == pytest.approx(first["nash_conv"], abs=1e-5)
    assert second["score_against_equilibrium"] == pytest.approx(0.5, abs=1e-5)
    refused = durak("match", f"equilibrium:file={path}", "greedy", "--games", 2)
    assert (refused.exit_code, "cannot play podkidnoy" in refused.stderr) == (2, True)
    assert "there is no such folder" in bad("solve", SIX.text, "--save", tmp_path / "no" / "folder.npz")
