"""Learning against agents that stay as they are: they play as everywhere, and runs go on as they were."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the extra learn is not installed")
pytest.importorskip("tensorboard", reason="the extra learn is not installed")

import numpy as np  # noqa: E402 - after the check
import tiny_runs  # noqa: E402
from commands import good  # noqa: E402

from durak_core import AgentError, Rules  # noqa: E402
from durak_core.config import ConfigError  # noqa: E402
from durak_core.errors import DurakError  # noqa: E402
from durak_core.lab.learn.learners import DmcTrainer  # noqa: E402
from durak_core.lab.learn.rollout import FROZEN, Rollout, Teacher  # noqa: E402
from durak_core.lab.learn.run import TrainingRun  # noqa: E402
from durak_core.lab.learn.selfplay import FrozenAgent, against  # noqa: E402
from durak_core.lab.learn.settings import exploiter_settings  # noqa: E402
from durak_core.lab.learn.vector import Setting, VectorGames  # noqa: E402
from durak_core.lab.matches.players import player_text, read_player  # noqa: E402
from durak_core.search.backend.backend import plain_backend  # noqa: E402
from durak_core.search.policies.playouts import EXPERT  # noqa: E402

RUN = replace(tiny_runs.DMC, opponents={"expert": 0.3, "smart": 0.3, "random": 0.3})


pytestmark = pytest.mark.usefixtures("compiled_training")


def test_an_agent_that_is_asked_one_by_one_plays_as_its_policy_does() -> None:
    """What it is shown is its own game: the rule book of machine code would play the same in every one."""
    cast = ((0, FROZEN), (FROZEN, 0))
    games = VectorGames(Setting(Rules.parse(RUN.rules), 5, skips=True), 4)
    games.reset()
    agent, policy = FrozenAgent(read_player("expert"), FROZEN, cast, games), Teacher(EXPERT)
    rollout = Rollout(games, cast, 1)
    compared = 0
    for _ in range(150):
        asked = np.flatnonzero(np.array(cast)[games.numbers % 2, games.turns] == FROZEN)
        expected, found = (
            (np.ones(1, np.int64), np.zeros(4, np.int64), np.zeros(4, np.float32)) for _ in "ab"
        )
        policy.choose(asked, games, 0.0, expected)
        agent.choose(asked, games, 0.0, found)
        assert found[1][asked].tolist() == expected[1][asked].tolist()
        compared += len(asked)
        rollout.step((policy, policy, agent), 0.0)
    assert compared > 100
    assert games.numbers.min() > 4


def test_an_agents_illegal_action_is_refused_in_a_sentence(importable: Path) -> None:
    (importable / "own.py").write_text("class Own:\n def choose(self, observation):\n  return 'exchange'\n")
    games = VectorGames(Setting(Rules.parse(RUN.rules), 5, skips=True), 1, plain_backend())
    games.reset()
    agent = FrozenAgent(read_player("own.py:Own"), FROZEN, ((FROZEN, FROZEN),), games)
    memory = (np.ones(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.float32))
    with pytest.raises(AgentError, match=r"own.py:Own at seat . chose an illegal action: exchange"):
        agent.choose(np.zeros(1, np.int64), games, 0.0, memory)


def test_games_of_a_search_in_an_older_checkpoint_go_on() -> None:
    """It had the games' numbers and choices in two lists, and counted the searches."""
    text = "ismcts:iterations=3,leaf=0"
    cast = against(text, 2)
    agents = []
    for _ in range(2):
        games = VectorGames(Setting(Rules.parse(RUN.rules), 5, cast.line_ups, skips=True), 2)
        games.reset()
        agents.append(FrozenAgent(read_player(text), FROZEN, cast.cast, games))
    agent, policy = agents[0], Teacher(EXPERT)
    rollout = Rollout(games, cast.cast, 1)
    for _ in range(12):
        rollout.step((policy, policy, agent), 0.0)
    numbers, played = zip(*[(number, played) for number, *played in agent.games()], strict=True)
    agents[1].resume({"numbers": [*numbers], "played": [*played], "searches": [[0] * 6] * 2})
    assert agents[1].games() == agent.games()


def test_a_run_against_agents_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    """A random agent, too, goes on with the chance that it had."""
    run = replace(RUN, opponents={"random": 0.2, "random:uniform": 0.2, "hybrid:iterations=4,leaf=0": 0.5})
    whole = DmcTrainer(run)
    for _ in range(60):
        whole.step()
    TrainingRun(whole, tmp_path, lambda _: None).save()
    again = DmcTrainer(run)
    TrainingRun(again, tmp_path, lambda _: None)
    for trainer in (whole, again):
        for _ in range(60):
            trainer.step()
    assert again.counts == whole.counts
    assert again.tally.outcomes.keys() <= whole.tally.outcomes.keys()
    for one, other in zip(again.parameters, whole.parameters, strict=True):
        assert torch.equal(one, other)
    assert again.state()["frozen"] == whole.state()["frozen"]


def test_an_evaluation_has_more_games_than_are_played_at_once() -> None:
    """As many outcomes as asked for, and with a policy the same ones however many that are."""
    trainers = [DmcTrainer(replace(RUN, tables=tables)) for tables in (4, 40)]
    few, many = (trainer.evaluate("greedy", 40) for trainer in trainers)
    assert len(few) == 40
    assert few.tolist() == many.tolist()
    assert len(trainers[0].evaluate("smart", 10)) == 10


def test_a_network_of_the_package_is_met_at_the_speed_of_training() -> None:
    """And refused by rules that it was not trained for."""
    trainer = DmcTrainer(replace(RUN, rules="podkidnoy", opponents={"dmc": 1.0}))
    for _ in range(3):
        trainer.step()
    assert trainer.opponents == ("dmc",)
    assert "frozen" not in trainer.state()
    drawing = replace(RUN, rules="podkidnoy", opponents={"dmc:weights=bench1,temperature=0.03": 1.0})
    assert "frozen" in DmcTrainer(drawing).state(), "its actions are not those of the highest values"
    with pytest.raises(AgentError, match="trained for"):
        DmcTrainer(replace(RUN, opponents={"dmc": 1.0}))


def test_an_opponent_may_see_all_cards(tmp_path: Path) -> None:
    """With the option open, as in matches."""
    file = tmp_path / "curious.py"
    file.write_text(
        "class Curious:\n    def choose(self, seen):\n        assert seen.hands\n"
        "        return seen.legal_actions[0]\n"
    )
    trainer = DmcTrainer(replace(RUN, opponents={f"{file}:Curious,open": 1.0}))
    for _ in range(20):
        trainer.step()


def test_an_exploiters_run_is_against_its_agent_alone() -> None:
    """It begins with the package's network where there is one for the rules."""
    settings = exploiter_settings("ismcts:net=auto,iterations=30", Rules(), 100, 7)
    assert settings.opponents == {"ismcts:iterations=30,net=auto": 1.0}
    assert (settings.start, settings.hidden) == ("dmc", (256, 256, 256))
    assert exploiter_settings("greedy", Rules(hand_size=3), 100, 7).start == ""
    with pytest.raises(DurakError, match="one against one: expected 2 seats, not 3"):
        exploiter_settings("greedy", Rules(seats=3), 100, 7)
    with pytest.raises(ConfigError, match="no such network for podkidnoy:hand_size=3"):
        DmcTrainer(replace(settings, rules="podkidnoy:hand_size=3"))


def test_exploit_trains_tests_and_says_what_the_score_means(tmp_path: Path) -> None:
    """Without training, it is the package's network, which beats `random`; the file has every game."""
    told = tmp_path / "told.json"
    words = ("exploit", "random", "--hours", "0", "--seed", "5", "--test-games", "60")
    text = " ".join(good(*words, "--out", tmp_path / "run", "--json", told).split())
    assert "60 games on each of the fresh seeds 6 and 7" in text
    assert "This is a lower bound on how badly it can be beaten" in text
    figures = json.loads(told.read_text())
    assert figures["interval"][0] > 0.6
    assert [test["seed"] for test in figures["tests"]] == [6, 7]
    assert [one["agent"] for one in figures["tests"][0]["agents"]] == ["exploiter", "random"]
    assert figures["training"]["games"] == 0
    assert figures["search"] == 0


def test_exploit_tests_its_network_with_a_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its player is the agent `ismcts` with the network of the run."""
    texts: list[str] = []
    monkeypatch.setattr(
        "durak_core.cli.commands.train.player_text", lambda text: texts.append(text) or player_text(text)
    )
    told, out = tmp_path / "told.json", tmp_path / "run"
    words = ("exploit", "random", "--hours", "0", "--test-games", "2", "--search", "5")
    good(*words, "--out", out, "--json", told)
    assert texts == [f"ismcts:iterations=5,net={out / 'weights.npz'}"]
    assert json.loads(told.read_text())["search"] == 5
