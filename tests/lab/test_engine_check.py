"""`durak engine --check`: each duty that an engine does not do is found by its name, and no other one."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from commands import durak
from talking import ROOT, plain_environment
from waiting import PATIENCE

from durak_core import Rules
from durak_core.engine.client import DURAK
from durak_core.lab import Match, play_match, tally_match
from durak_core.lab.engine_check import REQUIREMENTS, check_engine, checked_rules
from durak_core.rules import OPTIONS

PAGE = (ROOT / "docs" / "protocol.md").read_text("utf-8")
SMALL = (ROOT / "examples" / "engines" / "small.py").read_text("utf-8")
"""The smallest engine of the examples."""

NAME = "id name Small\\n"
SEEDED = f"{NAME}option name Seed type number default 1 min 0 max 9\\n"
LOOP = "for line in sys.stdin:"
READ = 'line.strip().partition(" ")'
CHOICE = "choose(observation)"
GO = f'print("bestmove", {CHOICE}, flush=True)'
QUIT = 'elif command == "quit":\n        break'

PLANTED: Mapping[str, Mapping[str, str]] = {
    "start": {GO: "sys.exit(3)"},
    "greeting": {NAME: ""},
    "version": {"protocol 2\\n": ""},
    "ready": {'print("readyok", flush=True)': "pass"},
    "options": {
        NAME: SEEDED,
        QUIT: f'elif command == "setoption":\n        print("error setoption: no", flush=True)\n    {QUIT}',
    },
    "form": {CHOICE: '"banana"'},
    "silence": {CHOICE: f'{CHOICE}, "\\ninfo string done"'},
    "once": {CHOICE: f'{CHOICE}, "\\nbestmove take"'},
    "legal": {CHOICE: '"pass"'},
    "refusal": {GO: 'print("error go: too hard", flush=True)'},
    "time": {GO: "pass"},
    "alive": {GO: f'__import__("time").sleep(9999 if "infinite" in rest else 0)\n        {GO}'},
    "stop": {GO: f'if "infinite" not in rest:\n            {GO}'},
    "unknown": {QUIT: f'elif command == "yodel":\n        sys.exit(1)\n    {QUIT}'},
    "lines": {LOOP: f'sys.stdin.reconfigure(newline="\\n")\n{LOOP}', READ: 'line[:-1].partition(" ")'},
    "newgame": {
        NAME: SEEDED,
        LOOP: f"games = 0\n{LOOP}",
        READ: f'{READ}\n    games += command == "newgame"',
        CHOICE: f'"take" if games > 1 and "phase=defence" in observation else {CHOICE}',
    },
    "quit": {QUIT: ""},
    "end": {QUIT: f"{QUIT[:-5]}sys.exit()\nsys.exit(7)"},
}
"""For each duty, what is changed in the small engine so that it does not do it."""

TOGETHER = {"alive": {"alive", "stop", "quit"}}
"""Who does not do one of these does not do the others either."""


def planted(folder: Path, requirement: str) -> Path:
    """Write the small engine with what is planted in it."""
    text = SMALL
    for old, new in PLANTED.get(requirement, {}).items():
        assert text.count(old) == 1, (requirement, old)
        text = text.replace(old, new)
    path = folder / f"{requirement}.py"
    path.write_text(text, encoding="utf-8")
    return path


def found(path: Path, grace_period: float, games: int = 2) -> set[str]:
    """Return the duties that an engine does not do."""
    command = (sys.executable, "-I", "-S", str(path))
    return {
        one.requirement
        for one in check_engine(command, games=games, grace_period=grace_period, moment=0.05).breaches
    }


def test_each_duty_that_is_not_done_is_found_by_its_name(tmp_path: Path) -> None:
    """Patience is short for those that never answer; where the machine has no time, all get more."""
    assert set(PLANTED) == set(REQUIREMENTS)
    missing = {requirement: planted(tmp_path, requirement) for requirement in PLANTED}
    seen: dict[str, set[str]] = {}
    grace_period = 1.0
    while missing and grace_period < PATIENCE:
        with ThreadPoolExecutor(len(missing)) as pool:
            seen = dict(
                zip(
                    missing,
                    pool.map(partial(found, grace_period=grace_period), missing.values()),
                    strict=True,
                )
            )
        missing = {
            requirement: path
            for requirement, path in missing.items()
            if seen[requirement] != TOGETHER.get(requirement, {requirement})
        }
        grace_period *= 4
    assert not missing, seen


def test_the_small_engine_of_the_page_does_all_its_duties(tmp_path: Path) -> None:
    """By many rules, and those by which it could not play it refuses."""
    bot = planted(tmp_path, "none")
    check = check_engine((sys.executable, "-I", "-S", str(bot)), games=12, grace_period=PATIENCE, moment=0.05)
    assert check.breaches == ()
    assert (check.name, check.games) == ("Small", 12)
    assert check.refused
    assert all(re.search("groningen|forced_play|lowest_card", text) for text in check.refused)
    every = tuple(checked_rules())
    spaced = {rules.text for rules in every[:: len(every) // 12]}
    assert {*check.rules, *check.refused} == spaced


OTHERWISE: Mapping[str, set[str]] = {
    'elif command == "yodel":\n        print("what?", flush=True)': {"unknown"},
    'elif command == "yodel":\n        print("error what?", flush=True)': {"form"},
    'elif not command:\n        print("error input: an empty line", flush=True)': {"lines"},
    'elif command == "setoption" and "sEED" in line:\n        print("error setoption: no", flush=True)': {
        "options"
    },
    'elif command == "stop":\n        print("error stop: no search is running", flush=True)': set(),
}
"""What is added to the small engine, and the duties that it does not do then."""


@pytest.mark.parametrize("added", OTHERWISE)
def test_a_line_too_many_is_found_but_not_the_error_of_a_stop_that_came_too_late(
    tmp_path: Path, added: str
) -> None:
    bot = tmp_path / "added.py"
    bot.write_text(SMALL.replace(NAME, SEEDED).replace(QUIT, f"{added}\n    {QUIT}"), encoding="utf-8")
    assert found(bot, PATIENCE) == OTHERWISE[added]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_a_signal_at_the_end_is_named(tmp_path: Path) -> None:
    """As everywhere where an engine ends so."""
    bot = tmp_path / "killed.py"
    bot.write_text("import signal\n" + SMALL.replace(QUIT, f"{QUIT[:-5]}signal.raise_signal(signal.SIGTERM)"))
    check = check_engine((sys.executable, "-I", "-S", str(bot)), games=1, grace_period=PATIENCE, moment=0.05)
    assert [one.why for one in check.breaches] == ["it ended by signal SIGTERM: expected exit code 0"]


THREADED = ROOT / "examples" / "engines" / "threaded.py"


def test_the_engine_with_two_threads_does_all_its_duties() -> None:
    """It thinks while it answers."""
    assert found(THREADED, PATIENCE) == set()


@pytest.mark.slow
def test_the_engines_of_the_examples_play_a_match(tmp_path: Path) -> None:
    """Against each other, without a forfeit; the one that thinks is the better one."""
    paths = (THREADED, planted(tmp_path, "none"))
    texts = tuple([f'engine:cmd="{sys.executable} -I -S {path}",time=10' for path in paths])
    counted = tally_match(match := Match(Rules(), texts, 20, 1), play_match(match))
    assert [agent.name for agent in counted.agents] == ["Threaded", "Small"]
    assert [agent.forfeits for agent in counted.agents] == [0, 0]
    assert counted.agents[0].score > 0.5


def test_every_option_and_every_number_of_seats_is_checked() -> None:
    """But what only a series of games would show."""
    rules = list(checked_rules())
    for name, option in OPTIONS.items():
        values = {getattr(one, name) for one in rules}
        assert len(values) > 1 or name in {"next_first_attacker", "series_score"}, option
    assert {one.seats for one in rules} == set(range(2, 7))
    assert {one.teams for one in rules} == {None, "2x2", "2x3", "3x2"}
    assert len({one.text for one in rules}) == len(rules) < 100


def test_the_page_names_the_duties_as_they_are_printed() -> None:
    """In the same order and words."""
    rows = re.findall(
        r"^\| `(\w+)` \| (It .*|[A-Z].*) \|$",
        PAGE.partition("## Conformance requirements")[2].partition("\n## ")[0],
        re.MULTILINE,
    )
    assert rows == list(REQUIREMENTS.items())


def test_the_command_line_prints_breaches_and_ends_accordingly(tmp_path: Path, monkeypatch) -> None:
    """0 without any, 1 with some, 2 where there is no engine to be checked."""
    monkeypatch.setattr("durak_core.lab.engine_check.GAMES", 2)
    refusing = tmp_path / "refusing.py"
    refusing.write_text(SMALL.replace("any(rule in rest for rule in REFUSED)", "True"), encoding="utf-8")

    def run(command: str) -> tuple[int, str]:
        done = durak("engine", "--check", command)
        return done.exit_code, done.output

    code, text = run(f"{sys.executable} {planted(tmp_path, 'legal')}")
    assert code == 1
    assert text.startswith(f"legal: {REQUIREMENTS['legal']}\n  pass is not allowed here:")
    assert re.search(r"  > observation rules=.*\n  > go time 20\n  < bestmove pass\n", text)
    assert text.endswith("not met: legal\n")
    code, text = run(f"{sys.executable} {planted(tmp_path, 'none')}")
    assert (code, text.partition(",")[0]) == (0, "Small: 2 games by 2 rules")
    assert text.endswith("all requirements met\n")
    for command, why in (
        (
            f"{sys.executable} {refusing}",
            "refuses all rules: newgame: these rules force which card is played",
        ),
        ("no-such-engine", "no-such-engine cannot be started"),
        ("'open", "No closing quotation"),
        (" ", "expected a command"),
    ):
        code, text = run(command)
        assert code == 2
        assert why in text


@pytest.mark.slow
def test_this_packages_engine_does_all_its_duties(monkeypatch) -> None:
    """In plain Python."""
    for name, value in plain_environment().items():
        monkeypatch.setenv(name, value)
    assert check_engine(DURAK, games=12, grace_period=PATIENCE).breaches == ()
