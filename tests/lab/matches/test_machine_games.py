"""Matches in machine code: the same games as between the agents, and nobody sees a hidden card."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest

from durak_core import AgentError, Rules
from durak_core.errors import DealError
from durak_core.lab import Match, play_match
from durak_core.lab.matches import compiled_games
from durak_core.lab.matches.compiled_games import CompiledGames, compiled_games_backend, line_up
from durak_core.lab.matches.match import DrawnSeats, SoloMatch
from durak_core.lab.matches.schedule import SavedGames, play_matches
from durak_core.search.backend.backend import Backend, backend, plain_backend

TINY = Path(__file__).parents[2] / "golden" / "network.npz"

MATCHES = [
    ("podkidnoy", ("dmc", "expert"), 11),
    ("podkidnoy", ("ppo", "dqn"), 12),
    ("podkidnoy", ("level:misha", "level:viktor"), 13),
    ("podkidnoy", ("level:tanya", f"dmc:weights={TINY}"), 14),
    ("podkidnoy", ("dmc:weights=bench1,temperature=0.03", "ppo:weights=bench1"), 15),
    ("podkidnoy", ("random", "random:uniform"), 15),
    ("larsenbier", ("greedy:trumps=spend", "greedy:trumps=hoard"), 15),
    ("perevodnoy:seats=3,show_trump=yes,exchange_trump=yes", ("greedy:trumps=hoard", "smart"), 15),
    ("perevodnoy", ("dmc", "level:boris"), 16),
    ("perevodnoy:visibility=open", ("smart", "level:olga"), 17),
    ("podkidnoy:lowest_rank=2", ("level:boris", "level:viktor"), 18),
    ("podkidnoy:seats=3", ("dmc", "level:olga", "aggressive"), 19),
    (
        "perevodnoy:seats=4,show_trump=yes,exchange_trump=yes",
        ("smart", "cautious", "moderate", "level:tanya"),
        20,
    ),
    ("podkidnoy:seats=5,trumps=no,throw_in=neighbours,stall_limit=9", ("smart", "expert"), 21),
    ("podkidnoy:seats=6", ("dmc", "greedy", "level:misha"), 22),
    ("larsenbier:seats=4", ("smart", "temperament:noise=3,daring=5", "expert"), 23),
    ("groningen:seats=3", ("smart", "expert", "aggressive"), 24),
    ("zarlykov:lowest_rank=2,first_bout_limit=3", ("smart", "level:viktor"), 25),
    ("podkidnoy:seats=4,teams=2x2", ("expert+smart", "level:olga+random"), 26),
    ("podkidnoy:seats=6,teams=3x2", ("greedy+smart", "smart+cautious", "expert+expert"), 27),
    ("podkidnoy:forced_play=yes,attack_style=volley", ("smart", "level:misha"), 28),
]


def lined_up(match: Match):
    with match.built() as players:
        return line_up(match, players)


def in_machine_code(match: Match, runner: Backend, *, with_lines: bool = True) -> list:
    players = lined_up(match)
    assert players is not None
    return list(CompiledGames(match, players, runner, with_lines).play(range(match.games)))


def by_agents(match: Match) -> list:
    return [game.summary(with_line=True) for game in play_match(match)]


@pytest.fixture(scope="module")
def runner() -> Backend:
    loaded = backend("players")
    if loaded.name != "compiled":
        pytest.skip(f"no machine code here: {loaded.note}")
    return loaded


@pytest.mark.sampled(12)
@pytest.mark.parametrize(("rules", "texts", "seed"), MATCHES)
def test_every_player_does_what_its_agent_does(
    rules: str, texts: tuple[str, ...], seed: int, runner: Backend
):
    """Action by action, and whatever is counted; agents see no hidden card, so neither do these."""
    read = Rules.parse(rules)
    match = Match(read, texts, 2 * read.seats, seed)
    assert in_machine_code(match, runner) == by_agents(match)


def test_plain_python_plays_the_same_games():
    match = Match(Rules(seats=3, lowest_rank=2), ("smart", "level:olga", "moderate"), 3, 4)
    assert in_machine_code(match, plain_backend()) == by_agents(match)


def test_a_solo_match_deals_anew_for_every_game(runner: Backend):
    match = SoloMatch(Rules(), ("moderate",), 8, 4)
    assert in_machine_code(match, runner) == by_agents(match)


def test_drawn_seats_are_the_same_in_both(runner: Backend):
    match = DrawnSeats(Rules(seats=4), ("smart", "greedy", "random"), 12, 4)
    games = in_machine_code(match, runner)
    assert games == by_agents(match)
    assert len({game.seating for game in games}) > 4
    players = lined_up(match)
    assert players is not None
    assert list(CompiledGames(match, players, runner, with_lines=True).play(range(5, 9))) == games[5:9]


def test_every_seat_has_its_time(runner: Backend):
    """A network takes many times as long as a rule book, in most games even on a busy machine."""
    games = in_machine_code(Match(Rules(), ("dmc", "greedy"), 60, 4), runner)
    times = [median(game.seconds[game.seating.index(player)] for game in games) for player in (0, 1)]
    assert times[0] > 3 * times[1] > 0
    assert all(min(game.waited) > 0 for game in games)


def test_long_games_are_played_when_there_is_room(runner: Backend, monkeypatch: pytest.MonkeyPatch):
    match = Match(Rules(), ("smart", "random"), 30, 5)
    whole = in_machine_code(match, runner)
    monkeypatch.setattr(compiled_games, "_ACTIONS", 30)
    assert in_machine_code(match, runner) == whole


def test_a_deal_that_never_stands_is_an_error(runner: Backend):
    """Rules 3.4: that six hands have two cards of every suit hardly ever happens."""
    rules = Rules.parse("podkidnoy:seats=6,lowest_rank=2,hand_size=8,redeal_same_suit=3")
    match = Match(rules, ("smart", "random"), 30, 5)
    with pytest.raises(DealError):
        in_machine_code(match, runner)


@pytest.mark.parametrize(
    "text", ["ismcts", "ismcts:iterations=9,inference", "kripke", "smart:open", "level:nina", "adaptive"]
)
def test_others_play_as_agents(text: str):
    assert lined_up(Match(Rules(), (text, "greedy"), 99, 1)) is None


def test_a_series_is_played_by_agents():
    rules = Rules.parse("podkidnoy:next_first_attacker=under_fool")
    assert lined_up(Match(rules, ("smart", "greedy"), 99, 1)) is None


def test_a_network_for_other_rules_is_refused():
    with pytest.raises(AgentError, match="was trained for"):
        lined_up(Match(Rules.parse("podkidnoy:lowest_rank=2"), ("ppo", "greedy"), 99, 1))


def test_short_matches_do_not_wait_for_machine_code():
    match = Match(Rules(), ("smart", "greedy"), 20, 1)
    with match.built() as agents:
        assert line_up(match, agents)
        assert compiled_games_backend(match, agents) is None


def test_code_is_compiled_if_the_games_left_take_longer(monkeypatch: pytest.MonkeyPatch):
    """Ready code is always loaded; an interpreted game takes milliseconds, not hours and not nanoseconds."""
    match = Match(Rules(), ("smart", "greedy"), 1000, 1)
    monkeypatch.setattr(compiled_games, "backend", lambda _group: replace(plain_backend(), name="compiled"))
    with match.built() as agents:
        for is_ready, hours, start, is_worth in [
            (True, 1, 0, True),
            (False, 1, 0, False),
            (False, 1e-9, 0, True),
            (False, 1e-9, 990, False),
        ]:
            monkeypatch.setattr(compiled_games, "is_compiled", lambda _group, ready=is_ready: ready)
            monkeypatch.setattr(compiled_games, "_COMPILING_SECONDS", 3600 * hours)
            assert (compiled_games_backend(match, agents, start) is not None) == is_worth


def test_a_file_is_continued_by_whoever_plays(
    runner: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Games of machine code and of agents stand in one file, and it is the file of either."""
    assert runner.name == "compiled"  # ready, so that two dozen games are worth it
    match = Match(Rules(), ("smart", "cautious"), 24, 6)

    def play(name: str, games: int) -> bytes:
        with SavedGames(tmp_path / name, [match]) as saved:
            played = play_matches([match], 1, saved)
            for _ in range(games):
                next(played)
            played.close()
        return (tmp_path / name).read_bytes()

    half = play("both", 11)
    monkeypatch.setattr(compiled_games, "_WORTH_LOADING", 99)
    assert play("agents", 24).startswith(half)
    assert play("both", 24) == play("agents", 24)
