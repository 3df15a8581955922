"""The durak-tui command: help, versions, arguments, terminals that are none, and what it imports."""

import os
import pty
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from waiting import PATIENCE, wait_for_end

from durak_core import write_game_code, write_json_line
from durak_core.agents.registry import AGENTS, split_texts
from durak_tui import cli
from durak_tui.cli import _PACES, _outlive_the_terminal, _read_bots
from durak_tui.library.model.store import Library
from durak_tui.play.setup import Launch, play_setup
from durak_tui.players import OPPONENT_WORDS
from durak_tui.storage.paths import data_dir
from durak_tui.storage.settings import PACE_SECONDS, Settings
from tui.games import a_record
from tui.reviewing import a_game

PROGRAM = (sys.executable, "-m", "durak_tui")


def run(*arguments, **environment):
    """Run the command without a terminal."""
    return subprocess.run(
        [*PROGRAM, *arguments],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **environment},
        check=False,
        timeout=PATIENCE,
    )


def run_here(*arguments, **environment):
    """Run the command in this process, where the standard input is no terminal either."""
    return CliRunner(env=environment).invoke(cli._command, arguments)


def run_on_a_terminal(*arguments):
    """Run the command where input and outputs are a terminal; return its exit code and text."""
    master, slave = pty.openpty()
    with subprocess.Popen([*PROGRAM, *arguments], stdin=slave, stdout=slave, stderr=slave) as process:
        os.close(slave)
        text = b""
        while True:
            try:
                piece = os.read(master, 4096)
            except OSError:
                break
            if not piece:
                break
            text += piece
        code = wait_for_end(process)
    os.close(master)
    return code, text.decode()


def test_help_names_every_option():
    result = run("--help")
    assert result.returncode == 0
    for option in (
        "--rules",
        "--seats",
        "--bots",
        "--seed",
        "--watch",
        "--continue",
        "--daily",
        "--name",
        "--ascii",
        "--import",
    ):
        assert option in result.stdout
    assert run("-h").stdout == result.stdout


def test_games_are_imported_and_damaged_lines_named_without_a_terminal(tmp_path):
    path = tmp_path / "games.jsonl"
    games = "".join(write_json_line(a_record(seed, ("smart", "greedy"))) for seed in (1, 2))
    path.write_text(games, "utf-8")
    result = run("--import", str(path))
    assert (result.returncode, result.stdout, result.stderr) == (0, f"{path}: 2 games imported\n", "")
    path.write_text(f"{games}rubbish\n", "utf-8")
    result = run("--import", str(path), "--import", str(path))
    assert result.returncode == 2
    assert result.stdout == f"{path}: 0 games imported, 2 there already, 1 damaged\n" * 2
    assert f"{path}, line 3: this is not JSON" in result.stderr
    assert "2 games could not be read" in result.stderr


def test_an_import_that_cannot_be_says_why(tmp_path):
    (tmp_path / "empty").touch()
    result = run_here("--import", str(tmp_path / "empty"))
    assert result.exit_code == 2
    assert "holds no game" in result.stderr
    os.mkfifo(tmp_path / "pipe")
    for path, why in (
        (tmp_path / "pipe", "it is not a regular file"),
        (Path("/dev/zero"), "it is not a regular file"),
        (tmp_path, "it is a folder; expected a file"),
        (tmp_path / "missing", "there is no such file or folder"),
    ):
        result = run_here("--import", str(path))
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.endswith(f"Error: {path} cannot be read: {why}.\n")


def test_games_are_imported_while_a_window_has_the_library_open(tmp_path):
    library = Library(data_dir())
    (tmp_path / "one").write_text(write_json_line(a_record(1)), "utf-8")
    assert run("--import", str(tmp_path / "one")).returncode == 0
    assert library.count() == 1
    library.close()


def test_help_loads_neither_textual_nor_the_rules():
    program = (
        "import sys; sys.argv[1:] = ['--help']\n"
        "from durak_tui.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "assert not {'textual', 'rich', 'durak_core', 'numpy', 'numba'} & set(sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout


@pytest.mark.parametrize(
    ("command", "arguments", "module"),
    [
        ("durak", ["deal", "1"], "click"),
        ("durak", ["deal", "1"], "durak_core.cli.root"),
        ("durak", ["deal", "1"], "durak_core.cli.commands.play"),
        ("durak-tui", ["--help"], "click"),
        ("durak-tui", ["--import", "none"], "durak_core"),
    ],
)
def test_an_interrupted_import_ends_the_command_without_a_traceback(command, arguments, module):
    root = Path(cli.__file__).parents[1]
    scripts = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    package, _, function = scripts[command].partition(":")
    program = (
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path, target=None):\n"
        f"        if name == {module!r}: raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        f"from {package} import {function}\n"
        f"{function}()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr.strip()) == (130, "", "")


def test_the_paces_of_the_command_line_are_those_of_the_settings():
    assert tuple(PACE_SECONDS) == _PACES


def test_version():
    result = run("--version")
    assert result.returncode == 0
    assert result.stdout.startswith("durak-tui")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--rules", "podkidnoi"], "there is no preset 'podkidnoi'"),
        (["--rules", "podkidnoy:attack=3"], "there is no option 'attack'"),
        (["--rules", "podkidnoy:lowest_rank=11", "--seats", "4"], "rules 1.3"),
        (["--seats", "7"], "2<=x<=6"),
        (["--seats", "two"], "not a valid integer"),
        (["--seed", "-1"], "--seed"),
        (["--bots", "gredy"], "did you mean greedy"),
        (["--bots", "greedy,smart", "--seats", "2"], "expected 1 other player for 2 seats, found 2"),
        (["--bots", "greedy", "--seats", "3", "--watch"], "expected 3 players for 3 seats, found 1"),
        (["--bots", "lowest:Lowest"], "there is no player 'lowest:Lowest'"),
        (["--bots", "misah"], "there is no player 'misah'; did you mean misha"),
        (["--bots", "human,misha", "--watch"], "human is a person who plays"),
        (["--colours", "three"], "two"),
        (["--pace", "9x"], "instant"),
        (["--continue", "--seed", "3"], "--continue"),
        (["--daily", "--seats", "3"], "--daily"),
        (["--nonsense"], "--nonsense"),
        (["stray"], "stray"),
        ([], "the standard input is not a terminal"),
    ],
)
def test_wrong_arguments_exit_with_2_and_say_why(arguments, told):
    result = run_here(*arguments, DURAK_DATA_DIR="/nonexistent")
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert told in result.stderr
    assert result.stdout == ""


def test_a_wrong_argument_is_told_by_the_program_too():
    result = run("--seats", "7", DURAK_DATA_DIR="/nonexistent")
    assert result.returncode == 2
    assert "2<=x<=6" in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("text", "arguments", "told"),
    [
        ('{"format": "durak-game/1"', (), "line 1: this is not JSON"),
        ("nothing", (), "line 1"),
        ("", (), "holds no game"),
        (None, ("--game", "3"), "holds 2 games; there is no game 3"),
        (None, ("--seed", "3"), "leave the options of a new game away"),
        (None, (), "the standard input is not a terminal"),
        (None, ("--game", "2"), "the standard input is not a terminal"),
    ],
)
def test_a_file_that_cannot_be_reviewed_is_told_before_the_screen_opens(tmp_path, text, arguments, told):
    path = tmp_path / "games.jsonl"
    path.write_text("".join(write_json_line(a_game(seed=seed)) for seed in (1, 2)) if text is None else text)
    result = run_here(str(path), *arguments)
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert told in " ".join(result.stderr.split())


def test_a_code_is_reviewed_and_a_damaged_one_told(monkeypatch):
    """A visitor's app opens all the same, and shows the error."""
    code = write_game_code(a_game())
    link = f"https://durak.example/g/{code}"
    assert "the standard input is not a terminal" in run_here(code).stderr
    assert "the standard input is not a terminal" in run_here(link).stderr
    assert "is incomplete or has a wrong character" in run_here(code[:-1]).stderr
    launched = []
    monkeypatch.setattr(cli, "_run", launched.append)
    monkeypatch.setattr(cli, "_check_terminal", lambda: None)
    run_here("--bots", "greedy", code[:-1], DURAK_CONFINED="1")
    run_here("--bots", "greedy", code, DURAK_CONFINED="1")
    told, reviewed = launched
    assert "incomplete" in str(told.problem)
    assert reviewed.at_once == "review"
    assert len(reviewed.games) == 1


def test_a_damaged_game_does_not_keep_an_earlier_one_from_being_reviewed(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text(write_json_line(a_game()) + "{")
    assert "line 2" in run_here(str(path)).stderr
    assert "not a terminal" in run_here(str(path), "--game", "1").stderr


def test_a_game_needs_a_file():
    assert "name the file as well" in run_here("--game", "1").stderr


def test_a_wrong_name_is_told_on_a_terminal_too():
    code, text = run_on_a_terminal("--name", "x" * 30)
    assert code == 2
    assert "expected a name of 1 to 20 letters" in text


def test_a_dumb_terminal_is_told(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    code, text = run_on_a_terminal()
    assert code == 2
    assert "TERM=dumb" in text


def test_output_that_is_no_terminal_is_told():
    master, slave = pty.openpty()
    try:
        result = subprocess.run([*PROGRAM], stdin=slave, capture_output=True, text=True, check=False)
    finally:
        os.close(master)
        os.close(slave)
    assert result.returncode == 2
    assert "the standard output is not a terminal" in result.stderr


@pytest.mark.parametrize(
    ("text", "bots"),
    [
        ("greedy", ["greedy"]),
        ("greedy, smart", ["greedy", "smart"]),
        ("random:uniform,greedy", ["random:uniform", "greedy"]),
        ("ismcts:time=5,club,smart", ["ismcts:time=5", "club", "smart"]),
        ("thinker:a=1,b=2,greedy", ["thinker:a=1,b=2", "greedy"]),
    ],
)
def test_commas_stand_between_bots_and_between_their_options(text, bots):
    assert split_texts(text, (*AGENTS, *OPPONENT_WORDS)) == bots


@pytest.mark.parametrize(("watch", "seats"), [(False, 3), (True, 2)])
def test_the_number_of_bots_says_how_many_seats_there_are(watch, seats):
    rules, bots = _read_bots("greedy,smart", None, watch=watch)
    assert (rules.seats, bots) == (seats, ("greedy", "smart"))


@pytest.mark.parametrize(
    ("text", "seats", "players"),
    [
        ("misha,Olga", 3, ("level:misha", "level:olga")),
        ("Баба Нина", 2, ("level:nina",)),
        ("human,misha", 3, ("human", "level:misha")),
        ("ismcts:time=5,tanya", 3, ("ismcts:time=5", "level:tanya")),
    ],
)
def test_opponents_are_named_as_people_call_them_and_more_people_may_play(text, seats, players):
    rules, read = _read_bots(text, None, watch=False)
    assert (rules.seats, read) == (seats, players)
    assert play_setup(Settings(), Launch(rules, read)).players == ("human", *players)


LIMITED = {"ascii": True, "language": "en"}


@pytest.mark.parametrize(
    ("environment", "changes"),
    [
        ({"LC_ALL": "C.UTF-8"}, {}),
        ({"LC_ALL": "C"}, LIMITED),
        ({"LANG": "C"}, LIMITED),
        ({"LANG": "POSIX"}, LIMITED),
        ({"LANG": "ru_RU.KOI8-R"}, LIMITED),  # not installed: Python writes UTF-8, which it would garble
        ({"LANG": "nowhere.UTF-8"}, {}),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, {}),
        ({}, {}),
        ({"LC_ALL": "C", "PYTHONUTF8": "1"}, {}),
        ({"PYTHONIOENCODING": "ascii"}, LIMITED),
        ({"PYTHONIOENCODING": "koi8-r"}, {"ascii": True}),
        ({"PYTHONIOENCODING": "ascii", "TEXTUAL_DRIVER": "a.browser:Driver"}, {}),
    ],
)
@pytest.mark.slow
def test_a_terminal_without_unicode_has_the_plain_deck_and_no_letters_it_cannot_show(environment, changes):
    program = "from durak_tui.cli import _settings; print(_settings(None))"
    about = {"LC_ALL", "LC_CTYPE", "LANG", "PYTHONUTF8", "PYTHONIOENCODING", "TEXTUAL_DRIVER"}
    bare = {name: value for name, value in os.environ.items() if name not in about}
    result = subprocess.run(
        [sys.executable, "-c", program], env=bare | environment, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == str(changes)


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no such terminals")
def test_a_terminal_without_a_dash_gets_a_substitute_of_the_same_width(monkeypatch):
    window, terminal = pty.openpty()
    with os.fdopen(terminal, "w", encoding="koi8-r", errors="backslashreplace") as stream:
        monkeypatch.setattr(sys, "__stderr__", stream)
        _outlive_the_terminal()
        print(
            "Ход — «Дурак»… \N{SNOWMAN}\N{CJK UNIFIED IDEOGRAPH-4E2D}\udcff", file=sys.__stderr__, flush=True
        )
        assert os.read(window, 100).decode("koi8-r") == 'Ход - "Дурак". ????\r\n'
    os.close(window)


def test_what_a_closed_window_does_not_take_is_dropped(monkeypatch):
    """Else Textual's thread of output ends, its queue fills, and the program waits for ever."""
    window, terminal = pty.openpty()
    with os.fdopen(terminal, "w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "__stderr__", stream)
        _outlive_the_terminal()
        print("shown", file=sys.__stderr__, flush=True)
        assert os.read(window, 100) == b"shown\r\n"
        os.close(window)
        with pytest.raises(OSError, match="Input/output error"):
            os.write(terminal, b"gone")
        print("gone", file=sys.__stderr__, flush=True)
