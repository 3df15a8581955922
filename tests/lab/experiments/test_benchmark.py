"""Durak-Bench: frozen opponents, results that repeat, and a page that agrees with its result lines."""

from __future__ import annotations

import hashlib
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from commands import durak, good

from benchmarks import bench_ranking
from durak_core import Decision, DurakError, Rules, State, make_agent
from durak_core.agents.base import SimpleAgent
from durak_core.agents.learned import shipped_network
from durak_core.cli.commands import experiment
from durak_core.errors import AgentError, RecordError
from durak_core.lab import play_game, play_match
from durak_core.lab.experiments import benchmark
from durak_core.lab.experiments.benchmark import (
    OPPONENTS,
    RULES,
    SEEDS,
    Benchmark,
    check_opponents,
)
from durak_core.lab.matches.compiled_games import plays_compiled
from durak_core.lab.stats.match_results import tally_match
from durak_core.search.backend.backend import backend
from durak_core.search.opponents.model import follow_all
from durak_core.search.policies.playouts import POLICIES

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "docs/experiments/benchmark/results.jsonl"
NO_GAMES = {name: {"wins": 0, "draws": 0, "losses": 0} for name in ("spender", "stubborn")}


bench = partial(durak, "bench-agent")


def result_of(*words: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(good("bench-agent", *words).splitlines()[-1])
    return found


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the search, which would be the only opponent that takes time, and without the check."""
    few = {name: text for name, text in OPPONENTS.items() if name in {"spender", "stubborn"}}
    monkeypatch.setattr(benchmark, "OPPONENTS", few)
    monkeypatch.setattr(experiment, "check_opponents", lambda: None)
    monkeypatch.setattr(benchmark, "_TIMED_DEALS", 1)


def test_the_opponents_choose_as_they_always_did() -> None:
    """A change here needs a new version of the benchmark: published results would not compare."""
    if backend("search").name != "compiled":
        pytest.skip("the search takes a minute without machine code")
    check_opponents()


def test_other_choices_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """One changed parameter of one opponent is noticed before any game."""
    monkeypatch.setattr(benchmark, "OPPONENTS", {"spender": "greedy"})
    with pytest.raises(DurakError, match=r"choose differently here: digest .*, expected 47e67eb29dba"):
        check_opponents()


def agreement(text: str, other: str) -> float:
    """Return how often an agent chooses as another would, where there is a choice."""
    agent, same = make_agent(other), []

    def note(state: State, decision: Decision) -> None:
        if state.turn is not None and len(state.legal_actions) > 1:
            same.append(agent.choose(state.observation(state.turn)).action == decision.action)

    for seed in range(4):
        play_game(Rules.parse(RULES), [text, text], seed, None, note)
    return sum(same) / len(same)


def test_the_page_names_the_opponents_that_resemble_followed_types() -> None:
    """By their settings, their policy, their network or, for policies, by their choices."""
    rules = Rules.parse(RULES)
    followed = follow_all(has_network=True)
    network = shipped_network("dmc", rules)
    alike = set()
    for name, text in OPPONENTS.items():
        agent = make_agent(text)
        if not isinstance(agent, SimpleAgent):
            continue
        player, own = agent.player(rules)
        is_followed = player.kind in set(POLICIES.values()) & set(followed.models.values())
        is_alike = player in followed.types.values() or is_followed or own == network
        if is_alike or (own is None and agreement(text, "greedy") > 0.85):
            alike.add(name)
    page = (ROOT / "docs/benchmark.md").read_text(encoding="utf-8")
    assert alike == {name for name in OPPONENTS if f"*{name}*" in page} == {"book", "spender"}


def test_the_deals_are_used_for_nothing_else() -> None:
    """No manifest, result or training of this repository has a seed of the benchmark."""
    texts = [
        path
        for folder in ("benchmarks", "docs")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".toml", ".json", ".jsonl", ".md", ".py"} and path.name != "benchmark.md"
    ]
    assert len(texts) > 50
    assert not [path for path in texts for seed in SEEDS if str(seed) in path.read_text(encoding="utf-8")]


@pytest.mark.usefixtures("quick")
def test_a_run_repeats_and_counts_what_matches_count(tmp_path: Path) -> None:
    """The same line again, on two processes, and from a resume file; the time is another one."""
    first = result_of("expert", "--deals", 10)
    again = result_of("expert", "--deals", 10, "--jobs", 2, "--resume", tmp_path / "games.jsonl")
    resumed = result_of("expert", "--deals", 10, "--resume", tmp_path / "games.jsonl")
    assert first["digest"] == again["digest"] == resumed["digest"]
    is_timed_again = plays_compiled(Benchmark("expert", 10).matches[0])
    assert (resumed["milliseconds_a_move"] is not None) == is_timed_again
    for other in (again, resumed):
        assert {**other, "milliseconds_a_move": 0} == {**first, "milliseconds_a_move": 0}
    assert result_of("smart", "--deals", 10)["digest"] != first["digest"]
    matches = Benchmark("expert", 10).matches
    tallies = [tally_match(match, play_match(match)).agents[0] for match in matches]
    assert first["opponents"]["spender"]["wins"] == tallies[0].wins + tallies[1].wins
    assert first["opponents"]["stubborn"]["losses"] == tallies[2].losses + tallies[3].losses
    assert first["score"] == pytest.approx(sum(one.score for one in tallies) / 4, abs=1e-6)
    low, high = first["interval"]
    assert low < first["score"] < high


@pytest.mark.usefixtures("quick")
def test_a_trial_is_marked(tmp_path: Path) -> None:
    done = bench("greedy", "--deals", 2, "--json", tmp_path / "line.json")
    assert "trial, 2 x 2 deals, 16 games" in done.stdout
    assert "a trial, not to submit:" in done.stdout
    line = (tmp_path / "line.json").read_text(encoding="utf-8")
    assert line == done.stdout.splitlines(keepends=True)[-1]
    (result,) = bench_ranking.read_results(tmp_path / "line.json")
    assert (result["trial"], result["deals"]) == (True, 4)
    assert "4, trial" in bench_ranking.ranking([result])


@pytest.mark.usefixtures("quick")
def test_an_own_agent_is_named_with_its_file(tmp_path: Path) -> None:
    """The line has the file's digest; the spec is the one that was given."""
    file = tmp_path / "first.py"
    file.write_text(
        "class First:\n    def choose(self, observation):\n        return observation.legal_actions[0]\n",
        encoding="utf-8",
    )
    result = result_of(f"{file}:First", "--deals", 1)
    assert result["agent"] == f"{file}:First"
    (origin,) = result["origins"].values()
    assert origin["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()


def test_bad_input_is_refused() -> None:
    with pytest.raises(AgentError, match="5001 deals: expected 1 to 5000"):
        Benchmark("greedy", 5001)
    done = bench("gredy")
    assert (done.exit_code, "there is no agent 'gredy'" in done.stderr) == (2, True)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"benchmark": "durak-bench/0"}, "benchmark 'durak-bench/0': expected 'durak-bench/1'"),
        ({"choices": "abc"}, "choices 'abc': expected"),
        ({"trial": False}, "trial False with 4 deals"),
        ({"deals": 5}, "8 games against spender: expected 10"),
        ({"score": 0.99}, "score 0.99: expected 0"),
        ({"opponents": {}}, "opponents : expected spender, stubborn"),
        ({"opponents": None}, "not a line of durak bench-agent"),
        ({"interval": None}, "not a line of durak bench-agent"),
        ({"deals": 0, "opponents": NO_GAMES}, "not a line of durak bench-agent"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    result = result_of("greedy", "--deals", 2)
    path = tmp_path / "results.jsonl"
    path.write_text(f"{json.dumps(result)}\n{json.dumps({**result, **change})}\n", encoding="utf-8")
    with pytest.raises(RecordError, match=f"line 2: .*{message}"):
        bench_ranking.read_results(path)


def test_the_page_ranks_the_lines_of_the_repository(tmp_path: Path) -> None:
    """Every line is consistent, and writing the page again changes nothing."""
    page = ROOT / "docs/benchmark.md"
    copy = tmp_path / "page.md"
    copy.write_bytes(page.read_bytes())
    assert bench_ranking.main([str(RESULTS), "--document", str(copy)]) == 0
    assert copy.read_text(encoding="utf-8") == page.read_text(encoding="utf-8")
