"""Your own agents play wherever the program's agents do, named by file, module, entry point or object."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import pickle
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from commands import bad, durak, good

from durak_core import AgentError, Decision, RecordError, Rules, State, load_records
from durak_core.agents.base import one_way
from durak_core.agents.registry import split_texts
from durak_core.kernel.position import GAMES_STREAM, derive
from durak_core.lab import (
    PLAYERS,
    Grid,
    Match,
    SavedGames,
    Tournament,
    make_player,
    play_game,
    play_match,
    play_matches,
    player_text,
    tally_match,
)
from durak_core.lab.experiments.manifest import read_experiment
from durak_core.lab.matches.tournament import combinations_of, common_text
from durak_core.lab.own_agents import reading
from durak_core.lab.own_agents.adapter import decision_of
from durak_core.lab.own_agents.origins import AgentOrigin, own_modules

SOURCE = '''"""An agent as a newcomer writes it."""
from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from durak_core import Rules

__version__ = "0.3"


class Lowest:
    """Plays its lowest card."""

    def __init__(self, depth: int = 1, rate: float = 0.5, trumps: bool = False,
                 name: str | None = None, kind: Literal["a", "b"] = "a", other: object = None) -> None:
        self.given = (depth, rate, trumps, name, kind)

    def choose(self, observation):
        plays = [action for action in observation.legal_actions if hasattr(action, "card")]
        return min(plays, key=lambda one: one.card.rank, default=observation.legal_actions[-1])


class Broken(Lowest):
    def choose(self, observation):
        return 1 / 0


class Needy(Lowest):
    def __init__(self, depth: int) -> None:
        super().__init__(depth)


class Peeking(Lowest):
    sees_all = True


class Either(Lowest):
    def __init__(self, depth: str | int | None = "auto", rate: float | int = 0) -> None:
        super().__init__(depth, rate)


class Typed(Lowest):
    def __init__(self, depth: int = 1, rules: Rules | None = None, seen: typing.Nothing = 0) -> None:
        super().__init__(depth)


class Impossible(Lowest):
    def __init__(self, tree: list[int]) -> None:
        super().__init__()


class Incomparable:
    def __eq__(self, other: object) -> bool:
        raise TypeError


class Odd(Lowest):
    def __init__(self, depth: int = 1, rate: float = float("nan"), a: [int] = 3, b: Literal[()] = 3,
                 c: int = Incomparable()) -> None:
        super().__init__(depth)


class Mixed(Lowest):
    def __init__(self, depth: Literal[2, "b", True, None] = 2) -> None:
        super().__init__(depth)


class Dumb:
    @property
    def choose(self):
        return 1 / 0


class Hidden(type):
    def __getattr__(cls, name: str) -> object:
        raise KeyError(name)


class Secret(Lowest, metaclass=Hidden):
    pass


class Mute:
    pass


def lowest(depth: int = 2) -> Lowest:
    return Lowest(depth)
'''


class First:
    """Chooses an action without a reason, begins nothing and has no name."""

    def __init__(self, text: str = "") -> None:
        if text:
            self.text = text

    def choose(self, observation):
        return str(observation.legal_actions[0])


class Wordless:
    """Has no text and fails at every attribute."""

    def __getattr__(self, name: str) -> object:
        raise KeyError(name)

    def __repr__(self) -> str:
        raise ValueError


class WordlessError(Exception):
    def __str__(self) -> str:
        raise ValueError


class Speechless:
    def choose(self, observation):
        raise WordlessError


run = partial(good, columns=200)


@pytest.fixture
def here(importable: Path) -> Path:
    """The current folder, with the file of an agent."""
    (importable / "lowest.py").write_text(SOURCE)
    return importable


@pytest.mark.parametrize(
    ("text", "canonical", "given"),
    [
        ("lowest.py:Lowest", "lowest.py:Lowest", (1, 0.5, False, None, "a")),
        ("./lowest.py:Lowest,depth=3", "lowest.py:Lowest,depth=3", (3, 0.5, False, None, "a")),
        ("lowest:Lowest,trumps,kind=b", "lowest:Lowest,trumps,kind=b", (1, 0.5, True, None, "b")),
        (
            'lowest.py:Lowest,name="a,b",rate=0.123456789,depth=1',
            'lowest.py:Lowest,rate=0.123456789,name="a,b"',
            (1, 0.123456789, False, "a,b", "a"),
        ),
        ("lowest.py:Lowest,name=none", "lowest.py:Lowest", (1, 0.5, False, None, "a")),
        ("lowest.py:Needy,depth=4", "lowest.py:Needy,depth=4", (4, 0.5, False, None, "a")),
        ("lowest.py:Either,depth=4", "lowest.py:Either,depth=4", (4, 0, False, None, "a")),
        (
            "lowest.py:Either,depth=all,rate=0.5",
            "lowest.py:Either,depth=all,rate=0.5",
            ("all", 0.5, False, None, "a"),
        ),
        ("lowest.py:Typed,depth=4", "lowest.py:Typed,depth=4", (4, 0.5, False, None, "a")),
        ("lowest.py:Odd,depth=4", "lowest.py:Odd,depth=4", (4, 0.5, False, None, "a")),
        ("lowest.py:Mixed,depth=b", "lowest.py:Mixed,depth=b", ("b", 0.5, False, None, "a")),
        ("lowest.py:Mixed,depth=on", "lowest.py:Mixed,depth=on", (True, 0.5, False, None, "a")),
        ("lowest.py:Mixed,depth=none", "lowest.py:Mixed,depth=none", (None, 0.5, False, None, "a")),
        ("lowest.py:Mixed,depth=2", "lowest.py:Mixed", (2, 0.5, False, None, "a")),
        ("lowest.py:lowest,depth=5", "lowest.py:lowest,depth=5", (5, 0.5, False, None, "a")),
    ],
)
@pytest.mark.usefixtures("here")
def test_a_spec_names_a_class_and_its_options(text: str, canonical: str, given: tuple[object, ...]) -> None:
    assert player_text(text) == player_text(canonical) == canonical
    agent = make_player(text)
    assert agent.text == canonical
    assert agent._agent.given == given  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gone.py:Lowest", "gone.py cannot be read: there is no such file"),
        ("lowest.py", "lowest.py: expected lowest.py:CLASS, such as lowest.py:Lowest"),
        ("lowest.py:Lowst", "lowest.py has no class 'Lowst'; did you mean Lowest?"),
        ("lowest.py:Mute", "lowest.py:Mute has no method choose: expected choose(observation)"),
        ("lowest.py:Lowest,dept=3", "there is no option of lowest.py:Lowest 'dept'; did you mean depth?"),
        ("lowest.py:Lowest,other=3", "there is no option of lowest.py:Lowest 'other'"),
        (
            "lowest.py:Lowest:depth=3",
            "lowest.py:Lowest:depth=3: options follow a comma: expected lowest.py:Lo",
        ),
        ("lowest.py:Lowest:", "lowest.py has no class 'Lowest:'; did you mean Lowest?"),
        ("lowest.py:Lowest,depth", "lowest.py:Lowest,depth: expected depth=value"),
        ('lowest.py:Lowest,name="a', 'lowest.py:Lowest,name="a: the quote is not closed'),
        ("lowest.py:Odd,a=3", "there is no option of lowest.py:Odd 'a'; there are: depth, rate, open"),
        ("lowest.py:Lowest,depth=x", "depth=x: expected a whole number"),
        ("lowest.py:Lowest,rate=nan", "rate=nan: expected a number"),
        ("lowest.py:Either,rate=x", "rate=x: expected a whole number or a number"),
        ("lowest.py:Lowest,kind=c", "kind=c: expected a or b"),
        ("lowest.py:Needy", "lowest.py:Needy needs depth: expected lowest.py:Needy,depth=value"),
        ("lowest.py:Impossible", "lowest.py:Impossible needs tree: list[int], which no text can give"),
        ("lowest.py:Peeking", "lowest.py:Peeking sees all cards: expected its option open"),
        ("lowest.py:Secret", "the arguments of lowest.py:Secret cannot be read: KeyError: '__"),
        ("lowest.py:Dumb", "lowest.py:Dumb cannot be built: ZeroDivisionError: division by zero (lowest.py"),
        ("broken.py:Any", "broken.py cannot be loaded: ModuleNotFoundError: No module named 'nothing_such'"),
        ("exits.py:Any", "exits.py cannot be loaded: SystemExit: 3"),
        ("around.it:Any", "the module around.it cannot be imported: ZeroDivisionError: division by zero"),
        ("far.py:Any", "far.py is part of a package: expected PACKAGE.MODULE:CLASS"),
        ("nothing_such:Any", "there is no agent 'nothing_such'; there are: level"),
        ("gredy", "there is no agent 'gredy'; did you mean greedy?"),
    ],
)
def test_a_wrong_spec_is_refused_in_a_sentence(here: Path, text: str, message: str) -> None:
    (here / "broken.py").write_text("import nothing_such\n")
    (here / "exits.py").write_text("raise SystemExit(3)\n")
    (here / "around").mkdir()
    (here / "around/__init__.py").write_text("1 / 0\n")
    (here / "far.py").write_text(f"from {'.' * 99} import nothing\n")
    with pytest.raises(AgentError) as caught:
        make_player(text)
    assert str(caught.value).startswith(message)


@pytest.mark.usefixtures("here")
def test_every_number_of_processes_plays_the_same() -> None:
    """By file, by module, as a class, as an object and as a function, in matches of all of them."""
    for pair in (("lowest.py:Lowest", "lowest:lowest"), (First, lambda: First("other")), (First(), "greedy")):
        match = Match(Rules(), pair, 12, 1)
        alone, together = [list(play_matches([match], jobs)) for jobs in (1, 2)]
        assert alone == together


def test_a_process_in_another_folder_finds_the_module(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker keeps the folder in which it began."""
    path = sys.path[:]
    (agent, _) = Match(Rules(), ("lowest:Lowest", "greedy"), 2, 1).named
    assert isinstance(agent, reading.OwnAgent)
    read, arguments = agent.recipe
    elsewhere = here / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setattr(sys, "path", path)
    monkeypatch.delitem(sys.modules, "lowest")
    assert read(*arguments).text == agent.text


def test_results_name_the_class_the_digest_and_the_version(here: Path) -> None:
    output = run("match", "lowest.py:Lowest,depth=2", "greedy", "--games", "2", "--json", "games.jsonl")
    digest = AgentOrigin("lowest.py:Lowest", version="0.3")
    assert f"own agent: {digest.name} {digest.version}, sha256 " in output
    (told,) = {
        json.dumps(json.loads(line)["origins"]) for line in Path("games.jsonl").read_text().splitlines()
    }
    (spec, origin), *_ = json.loads(told).items()
    assert spec == "lowest.py:Lowest,depth=2"
    assert origin == Match(Rules(), (spec, "greedy"), 2, 1).origins[spec]
    assert set(origin) == {"name", "sha256", "version"}
    run("tournament", "lowest.py:Lowest", "greedy", "random", "--games", "2", "--json", "all.json")
    assert set(json.loads(Path("all.json").read_text())["origins"]) == {"lowest.py:Lowest"}
    assert "depth" in run(
        "tune", "lowest.py:Lowest", "--grid", "depth=1,2", "--against", "greedy", "--games", "2"
    )
    Path("lowest.py").unlink()
    (first, _) = load_records("games.jsonl")
    assert spec in first.players, "a recorded game needs no agent"


@pytest.mark.usefixtures("here")
def test_a_tuned_option_may_be_required() -> None:
    """The caption of the plot leaves it out."""
    grids = [Grid("depth", ("1", "2"))]
    for agent in ("lowest.py:Needy", "lowest.py:Needy,depth=1"):
        assert common_text(agent, grids) == "lowest.py:Needy"
        assert list(combinations_of(agent, grids)) == ["lowest.py:Needy,depth=1", "lowest.py:Needy,depth=2"]


def test_a_resumed_match_wants_the_same_file(here: Path) -> None:
    games = ("match", "lowest.py:Lowest", "greedy", "--seed", "1", "--resume", "kept.jsonl", "--games")
    run(*games, "2")
    assert "2 games were finished before" in run(*games, "4")
    assert "games a second" not in run(*games, "4"), "nothing was played"
    (here / "lowest.py").write_text(SOURCE + "\n# changed\n")
    assert "another match: origins" in bad(*games, "6")


def test_the_digest_covers_the_files_that_options_name(here: Path) -> None:
    """Also by default; a path that is no file and a text say nothing."""
    (here / "reading.py").write_text(
        "from pathlib import Path\n"
        "class Own:\n"
        "    def __init__(self, weights: Path = Path('default'), more: Path | None = None, name: str = ''):\n"
        "        pass\n"
        "    def choose(self, observation):\n"
        "        return observation.legal_actions[0]\n"
    )

    def digest(options: str = "") -> str:
        (origin,) = Match(Rules(), (f"reading.py:Own{options}", "greedy"), 2, 1).origins.values()
        return origin["sha256"]

    plain = digest()
    assert plain == hashlib.sha256((here / "reading.py").read_bytes()).hexdigest()
    (here / "text").write_text("a")
    assert digest(",name=text,more=gone") == plain
    found = {plain, digest(",weights=text"), digest(",weights=text,more=text")}
    (here / "text").write_text("b")
    found.add(digest(",weights=text"))
    (here / "default").write_text("c")
    assert len({*found, digest()}) == 5
    games = ("match", "reading.py:Own,weights=text", "greedy", "--resume", "kept.jsonl", "--seed", "1")
    run(*games, "--games", "2")
    (here / "text").write_text("a")
    assert "another match: origins" in bad(*games, "--games", "4")


def test_a_file_that_changes_under_a_match_is_noticed(here: Path) -> None:
    """Another process compares the digest with what the match began with."""
    match = Match(Rules(), ("lowest.py:Lowest", "greedy"), 4, 1)
    pickled = pickle.dumps(match)
    (here / "lowest.py").write_text(SOURCE + "\n# changed\n")
    there = pickle.loads(pickled)  # noqa: S301 - pickled above
    with pytest.raises(AgentError, match=r"lowest\.py has another content here"):
        _ = there.named


def test_the_digest_covers_the_own_modules_the_file(here: Path) -> None:
    """Also what these import, but no installed package and no other file of the folder."""
    (here / "near.py").write_text("import json\nimport numpy\nimport farther\n")
    (here / "farther.py").write_text("DEPTH = 3\n")
    (here / "other.py").write_text("DEPTH = 4\n")
    path = here / "importing.py"
    path.write_text(SOURCE + "\n\ndef late():\n    from near import farther\n")
    (here / "pack").mkdir()
    (here / "pack/__init__.py").write_text("")
    (here / "pack/a.py").write_text("from . import b\nimport near\n")
    (here / "pack/b.py").write_text("from pack.a import Any\n")
    source = path.read_bytes()
    assert own_modules(path, source) == [here / "near.py", here / "farther.py"]
    a = here / "pack/a.py"
    assert set(own_modules(a, a.read_bytes())) == {here / "pack/__init__.py", here / "pack/b.py"}
    a.write_text("import b\n")
    assert own_modules(a, a.read_bytes()) == [here / "pack/b.py", here / "pack/__init__.py"]
    (digest,) = [one["sha256"] for one in Match(Rules(), (f"{path}:Lowest", "greedy"), 2, 1).origins.values()]
    assert digest != hashlib.sha256(source).hexdigest()
    (here / "farther.py").write_text("DEPTH = 5\n")
    with pytest.raises(AgentError, match=r"farther\.py changed after its import: expected a new process"):
        Match(Rules(), (f"{path}:Lowest", "greedy"), 2, 1)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("form", ["{}.py", "{}/__init__.py", "{}/plain.py"])
def test_two_folders_share_no_module(
    importable: Path, order: tuple[int, int], form: str, *, late: bool
) -> None:
    """Helpers of one name, imported at the top or in a function; what the caller imported stays as it was."""
    name = "helping" + ".plain" * ("plain" in form)
    import_ = f"from {name} import PLACE"
    top, inner = ("", import_) if late else (import_, "pass")
    for place, folder in ((0, importable / "v1"), (-1, importable / "v2"), (None, importable)):
        helper = folder / form.format("helping")
        helper.parent.mkdir(parents=True, exist_ok=True)
        helper.write_text(f"PLACE = {place}\n")
        (folder / "agent.py").write_text(
            f"{top}\nclass Own:\n def choose(self, seen):\n  {inner}\n"
            "  assert seen.legal_actions[PLACE] is not None\n  self.places = PLACE\n"
            "  return seen.legal_actions[PLACE]\n"
        )
    sys.path.insert(0, str(importable))
    callers = importlib.import_module(name)
    before = sys.path[:], sys.meta_path[:]
    specs = [f"v{number + 1}/agent.py:Own" for number in order]
    match = Match(Rules(), tuple(specs), 8, 1)
    alone = list(play_matches([match], 1))
    for spec in specs:
        agent = make_player(spec)
        agent.begin(Rules(), 0, 1)
        state = State.deal(Rules(), 1)
        wanted = state.legal_actions[0 if "v1" in spec else -1]
        assert agent.choose(state.observation(state.turn)).action == wanted
    assert list(play_matches([match], 2)) == alone
    assert importlib.import_module(name) is callers
    assert (sys.path, sys.meta_path) == before
    (importable / "v1" / form.format("helping")).write_text("PLACE = 1\n")
    with pytest.raises(AgentError, match="changed after its import"):
        make_player("v1/agent.py:Own")
    assert make_player("v2/agent.py:Own")


def test_a_folder_with_the_name_of_an_installed_package_does_not_hide_it(importable: Path) -> None:
    (importable / "click").mkdir()
    (importable / "random.py").write_text("1 / 0\n")
    (importable / "agent.py").write_text(
        "import random\nfrom click import Path\nclass Own:\n def choose(self, seen):\n"
        "  return random.choice(seen.legal_actions)\n"
    )
    make_player("agent.py:Own")


@pytest.mark.usefixtures("here")
def test_teams_and_tournaments_take_own_agents() -> None:
    teams = Rules(seats=4, teams="2x2")
    by_text = Match(teams, ("lowest.py:Lowest+greedy", "greedy+greedy"), 4, 1)
    by_tuple = Match(teams, (("lowest.py:Lowest", "greedy"), ["greedy", "greedy"]), 4, 1)
    assert by_text == by_tuple
    assert [game.fool for game in play_match(by_text)] == [game.fool for game in play_match(by_tuple)]
    played = Tournament(Rules(), (First, "lowest.py:Lowest", "greedy"), 2, 1)
    assert played.agents == ("First", "lowest.py:Lowest", "greedy")
    assert set(played.origins) == {"First", "lowest.py:Lowest"}
    assert len(list(play_matches(played.matches))) == 6


def test_objects_are_copied_for_each_seat() -> None:
    agent = First("mine")
    (game,) = play_match(Match(Rules(seats=3), (agent,), 1, 1))
    assert game.players == ("mine",) * 3
    assert play_game(Rules(), [First, "greedy"], 7).players == ("First", "greedy")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Match(Rules(), (3, "greedy"), 2, 1), "3 is no agent: expected an agent spec"),
        (lambda: Match(Rules(), "greedy", 2, 1), "agents 'greedy': expected a list of agents"),  # type: ignore[arg-type]
        (lambda: Match(Rules(), First, 2, 1), "First'>: expected a list of agents"),  # type: ignore[arg-type]
        (lambda: Match("podkidnoy:seats=4,teams=2x2", (First, First), 2, 1), "First'> in place of a team"),  # type: ignore[arg-type]
        (lambda: play_game(Rules(), First, 7), "First'>: expected a list with one agent for each seat"),
        (lambda: play_game(Rules(), None, 7), "agents None: expected a list with one agent for each seat"),
        (
            lambda: play_match(Match(Rules(), (First, "greedy"), 2, 1), games=[0, 1]),  # type: ignore[arg-type]
            "games [0, 1]: expected a range of ascending numbers from 0 to 1",
        ),
        (lambda: Match(Rules(), (First(), First()), 2, 1), "two agents are called First"),
        (lambda: Match(Rules(), (First("greedy"), "greedy"), 2, 1), "two agents are called greedy"),
        (lambda: play_game(Rules(), "ab", 7), "agents 'ab': expected a list with one agent for each seat"),
        (lambda: play_game(Rules(), [None, "greedy"], 7), "None is no agent"),
        (
            lambda: play_game(Rules(), ["lowest.py:Broken", "greedy"], 7),
            "lowest.py:Broken at seat 0 failed in",
        ),
        (lambda: play_game(Rules(), [dict, "greedy"], 7), "dict has no method choose"),
        (lambda: play_game(Rules(), [_choosing(None), "greedy"], 7), "chose None: expected one of"),
        (lambda: play_game(Rules(), [_choosing("zz"), "greedy"], 7), "Choosing chose 'zz': expected one of"),
        (
            lambda: play_game(Rules(), [_choosing(Decision("zz")), "greedy"], 7),  # type: ignore[arg-type]
            "Choosing chose 'zz': expected one of",
        ),
        (lambda: play_game(Rules(), [Wordless(), "greedy"], 7), "Wordless is no agent: expected"),
        (lambda: play_game(Rules(), [_choosing(Wordless()), "greedy"], 7), "Choosing chose Wordless: expect"),
        (lambda: play_game(Rules(), [Speechless, "greedy"], 7), "failed in choose: WordlessError (test_own_"),
        (lambda: play_game(Rules(), [_choosing("exchange"), "greedy"], 7), "an illegal action: exchange"),
    ],
)
@pytest.mark.usefixtures("here")
def test_what_is_no_agent_is_refused_in_a_sentence(call: Callable[[], object], message: str) -> None:
    with pytest.raises(AgentError) as caught:
        call()
    assert message in str(caught.value)


LATE_SEEDS = [
    [one_way(derive(derive(1, GAMES_STREAM + game), seat)) for seat in range(2)] for game in range(4)
]


class Late:
    """Fails in its third game, and chooses an illegal action in its fourth."""

    def __init__(self) -> None:
        self._seed = -1

    def begin(self, rules, seat, seed):
        del rules, seat
        self._seed = seed

    def choose(self, observation):
        if self._seed in LATE_SEEDS[2]:
            raise ValueError("out of memory")
        return "exchange" if self._seed in LATE_SEEDS[3] else observation.legal_actions[0]


def test_an_agent_that_fails_later_forfeits_its_game() -> None:
    """The other games count, on any number of processes."""
    match = Match(Rules(), (Late, "greedy"), 6, 1)
    games = list(play_match(match))
    assert [game.failed for game in games] == [None, None, 0, 1, None, None]
    assert "Late at seat 0 failed in choose: ValueError: out of memory (test_own_" in games[2].forfeit
    assert "the agent Late at seat 1 chose an illegal action: exchange" in games[3].forfeit
    late, greedy = tally_match(match, games).agents
    assert (late.games, late.forfeits, greedy.forfeits) == (6, 2, 0)
    played = [game for _, game in play_matches([match], 2)]
    assert [(game.fool, game.forfeit) for game in played] == [(game.fool, game.forfeit) for game in games]


def _choosing(chosen: object) -> object:
    class Choosing:
        def choose(self, observation):
            del observation
            return chosen

    return Choosing


@pytest.mark.parametrize(
    ("search_info", "message"),
    [
        ("3", "own.py:Own chose with the search_info 3: expected None, or a function"),
        (
            "lambda: 1 / 0",
            "own.py:Own at seat 0 failed in search_info: ZeroDivisionError: division by zero (own",
        ),
        ("lambda: 3", "own.py:Own: search_info returned 3: expected a SearchResult"),
    ],
)
def test_a_wrong_search_info_is_refused_in_a_sentence(
    importable: Path, search_info: str, message: str
) -> None:
    (importable / "own.py").write_text(
        "from durak_core import Decision\nclass Own:\n def choose(self, observation):\n"
        f"  return Decision(observation.legal_actions[0], search_info={search_info})\n"
    )
    words = ("match", "own.py:Own", "greedy", "--games", "2", "--seed", "1", "--jobs", "1")
    for more in (("--verbose",), ("--findings", "--json", "games.json")):
        result = durak(*words, *more)
        assert result.exit_code == 2
        assert f"Error: {message}" in " ".join(result.stderr.split())


@pytest.mark.parametrize(("body", "shown"), [("return 'higher'", "higher"), ("raise ValueError", "Why")])
def test_a_reason_that_is_no_text_is_shown_as_one(importable: Path, body: str, shown: str) -> None:
    (importable / "own.py").write_text(
        f"from durak_core import Decision\nclass Why:\n def __str__(self): {body}\n"
        "class Own:\n def choose(self, observation):\n"
        "  return Decision(observation.legal_actions[0], Why())\n"
    )
    words = ("match", "own.py:Own", "greedy", "--games", "2", "--seed", "1", "--jobs", "1", "--verbose")
    assert shown in good(*words)


def test_no_reason_is_an_empty_one() -> None:
    action = State.deal(Rules(), seed=1).legal_actions[0]
    assert decision_of("own", Decision(action, None)) == Decision(action)  # type: ignore[arg-type]


def test_a_choice_may_be_an_action_its_text_or_a_decision() -> None:
    def choosing(way: Callable[[object], object]) -> object:
        class Choosing:
            text = "choosing"

            def choose(self, observation):
                return way(observation.legal_actions[0])

        return Choosing

    ways: tuple[Callable[[Any], object], ...] = (
        str,
        lambda action: action,
        Decision,
        lambda action: Decision(str(action)),  # type: ignore[arg-type]
    )
    games = [play_game(Rules(), [choosing(way), "random"], 7).record for way in ways]
    assert games == games[:1] * 4


def test_an_own_agent_sees_what_its_seat_may_know(here: Path) -> None:
    """All cards only with the option that every agent has (rules 9.3), which its spec then shows."""
    (here / "curious.py").write_text(
        "class Curious:\n    def choose(self, seen):\n"
        "        assert (seen.hands is None) == (not self.knows)\n        return seen.legal_actions[0]\n"
        "def honest():\n    one = Curious(); one.knows = False; return one\n"
        "def peeking():\n    one = Curious(); one.knows = True; return one\n"
    )
    game = play_game(Rules(), ["curious.py:honest", "curious.py:peeking,open"], 7)
    assert game.players == ("curious.py:honest", "curious.py:peeking,open")


def test_an_own_agents_seed_does_not_lead_to_the_deal() -> None:
    """`derive` can be inverted up to the match's seed, so it gets a hash, the same in each run."""
    seeds: list[int] = []

    class Noting(First):
        def begin(self, rules, seat, seed):
            seeds.append(seed)

    games = 20
    match = Match(Rules(), (Noting, "greedy"), games, 1)
    list(play_match(match))
    given = seeds[-games:]  # the first is a trial of the rules
    derived = {derive(derive(1, GAMES_STREAM + game), seat) for game in range(games) for seat in range(2)}
    assert len(set(given)) == games
    assert derived.isdisjoint(given)
    assert {one_way(seed) for seed in derived}.issuperset(given)
    list(play_match(match))
    assert seeds[-games:] == given


def test_installed_packages_bring_agents(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the entry points of the group `durak.agents`."""
    info = here / "strong_durak-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: strong-durak\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(
        "[durak.agents]\nstrong = lowest:Lowest\nlost = nothing_such:Lost\ngreedy = lowest:Lowest\n"
    )
    monkeypatch.syspath_prepend(here)
    reading._entry_points.cache_clear()
    try:
        assert player_text("strong:depth=03") == "strong:depth=3"
        (origin,) = Match(Rules(), ("strong", "greedy"), 2, 1).origins.values()
        assert (origin["name"], origin["version"]) == ("lowest:Lowest", "1.2")
        listed = durak("agents", columns=200)
        assert "Plays its lowest card." in listed.stdout
        assert "the agent lost of the package strong-durak cannot be loaded" in listed.stderr
        assert "the agent greedy of another package is hidden" in listed.stderr
        with pytest.raises(AgentError, match="did you mean strong"):
            player_text("stron")
    finally:
        reading._entry_points.cache_clear()


@pytest.mark.usefixtures("here")
def test_an_experiment_plays_a_changed_agent_again(here: Path) -> None:
    """Its digest is part of what identifies a result."""
    (here / "mine.toml").write_text(
        'title = "Mine"\nquestion = "Is it any good?"\ngames = 2\n[agents]\n'
        'mine = "lowest.py:Lowest,depth=2"\n'
        '[[table]]\nname = "all"\nkind = "versus"\ntitle = "All"\nplayers = ["mine"]\nagainst = ["greedy"]\n'
    )
    experiment = ("experiment", "run", "mine.toml", "--out", "out")
    assert "1 matches and measurements, 0 of them done before" in run(*experiment)
    assert "1 matches and measurements, 1 of them done before" in run(*experiment)
    assert "Own agent: lowest.py:Lowest 0.3, sha256 " in Path("out/report.md").read_text()
    (work,) = read_experiment(Path("mine.toml")).works
    key = work.key
    (here / "lowest.py").write_text(SOURCE + "\n# changed\n")
    assert work.key == key, "the agent that plays is the one that was read"
    assert "1 matches and measurements, 0 of them done before" in run(*experiment)


def test_an_object_that_cannot_be_sent_is_named() -> None:
    class Holding(First):
        def __init__(self) -> None:
            super().__init__()
            self.lock = threading.Lock()

        def __deepcopy__(self, memo):
            return self

    match = Match(Rules(), (Holding(), "greedy"), 40, 1)
    with pytest.raises(AgentError, match=r"cannot be sent to another process .*lock"):
        list(play_matches([match], 2))


def test_lists_of_agents_hold_own_ones() -> None:
    text = "greedy,level:misha,lowest.py:Lowest,depth=3,a.b:C,random"
    wanted = ["greedy", "level:misha", "lowest.py:Lowest,depth=3", "a.b:C", "random"]
    assert split_texts(text, PLAYERS) == wanted


@pytest.mark.usefixtures("here")
def test_a_saved_match_reopens_by_its_objects(tmp_path: Path) -> None:
    match = Match(Rules(), (First, "lowest.py:Lowest"), 4, 1)
    for finished in (0, 4):
        with SavedGames(tmp_path / "kept", [match]) as saved:
            assert len(saved.finished) == finished
            assert tally_match(match, (game for _, game in play_matches([match], 1, saved))).games == 4


@pytest.mark.parametrize("make", [First, lambda text: partial(First, text)])
def test_objects_without_a_text_are_not_saved(tmp_path: Path, make: Callable[[str], object]) -> None:
    """Their class and file are no key: an object with other values would get their results."""
    kept = tmp_path / "kept"
    match = Match(Rules(), (make(""), "greedy"), 2, 1)
    with pytest.raises(AgentError, match="the object First cannot be saved: expected an attribute text"):
        SavedGames(kept, [match])
    assert not kept.exists()


def test_a_saved_object_is_known_by_its_text(tmp_path: Path) -> None:
    first, other = [Match(Rules(), (First(text), "greedy"), 2, 1) for text in ("first", "other")]
    with SavedGames(tmp_path / "kept", [first]) as saved:
        assert list(play_matches([first], 1, saved))
    with SavedGames(tmp_path / "kept", [first]) as saved:
        assert len(saved.finished) == 2
    with pytest.raises(RecordError, match="another match: agents"):
        SavedGames(tmp_path / "kept", [other])


def test_rules_are_refused_before_the_first_match() -> None:
    """Not in the middle of a tournament, after hours."""
    played = []

    class Picky(First):
        def begin(self, rules, seat, seed):
            if rules.seats == 2:
                raise AgentError("expected three seats")

    matches = Tournament(Rules(), ("greedy", "random", Picky), 2, 1).matches
    with pytest.raises(AgentError, match="Picky: expected three seats"):
        played += play_matches(matches)
    assert played == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("kind", ["pipe", "endless", "huge"])
def test_a_file_of_agents_that_never_ends_is_refused(tmp_path, kind) -> None:
    """It would hang, or take all memory."""
    path = tmp_path / "mine.py"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "endless":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as file:
            file.truncate(1 << 40)
    with pytest.raises(AgentError, match=r"mine\.py cannot be read: .*: expected FILE\.py:CLASS"):
        make_player(f"{path}:Mine")
