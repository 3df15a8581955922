"""What targets do with a text: read it, and see that what comes of it is right."""

from __future__ import annotations

import asyncio
import io
import struct
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

from durak_core import (
    Rules,
    agent_text,
    make_agent,
    read_game_code,
    read_position,
    write_game_code,
    write_position,
)
from durak_core.agents.registry import AGENTS, split_texts
from durak_core.cli.choices import RulesChoice
from durak_core.cli.commands.match import _read_sprt
from durak_core.engine import protocol
from durak_core.engine.client import EngineClient, Search
from durak_core.engine.process import EngineProcess
from durak_core.engine.server import Server, _read_lines
from durak_core.errors import DurakError
from durak_core.game.files import load_records, scan_games
from durak_core.game.notation.game_code import _check
from durak_core.lab.equilibrium.saved import read_equilibrium
from durak_core.lab.learn.settings import KINDS, read_settings
from durak_core.lab.matches.match import Match, play_match
from durak_core.lab.matches.schedule import SavedGames
from durak_core.lab.matches.tournament import Grid, combinations_of
from durak_core.lab.stats.stopping import Sprt
from durak_core.lessons.lesson import Tutor, faults, parse_lesson
from durak_core.npz import archive_of
from durak_core.search.network.weights import read_network
from durak_tui.friends.game import TableGame
from durak_tui.friends.store import read_table, write_table
from durak_tui.library.model.service import import_file
from durak_tui.library.model.store import Library, Query
from durak_tui.lines.reading import UnknownWordError, read_line
from durak_tui.play.saves import Saves
from durak_tui.play.setup import read_new_game
from durak_tui.players import check_bot
from durak_tui.review.model import AnalysisCache, Source
from durak_tui.storage.settings import Settings, SettingsFile
from durak_tui.web.messages import cells, read_message
from durak_tui.web.visit import process_environment, visitor_of

GOLDEN: Final = Path(__file__).parents[1] / "golden"

MATCH: Final = Match(Rules(), ("greedy", "random"), 4, 7)

_CHEAP: Final = ("random", "greedy", "smart", "expert", "cautious", "temperament", "solver")
"""Agents that are made for nothing."""


def check_sentence(text: str, most: int = 500) -> None:
    """Whatever is wrong is told in a sentence that a terminal can show."""
    assert 0 < len(text) <= most, f"{len(text)} characters: {text[:200]!a}"
    odd = "".join([letter for letter in text if not letter.isprintable() and letter != "\n"])
    assert not odd, f"not for reading: {odd[:20]!a} in {text!a}"


@contextmanager
def telling() -> Iterator[None]:
    """Take an error for what it says, and go on."""
    try:
        yield
    except DurakError as error:
        check_sentence(str(error))


def typed_line(text: str) -> object:
    """Read a line of the game in lines, and the words of a new game."""
    with telling():
        read_new_game(text)
    try:
        return read_line(text)
    except UnknownWordError as error:
        check_sentence(str(error))
        return None


def check_problems(problems: list[str]) -> None:
    """Check what the app says around errors, with the names of files beside them."""
    for problem in problems:
        check_sentence(problem, 1000)


def there_and_back(read: Callable[[str], Any], write: Callable[[Any], str]) -> Callable[[str], object]:
    """Return what reads a text and, where that can be, reads once more what it writes of it."""

    def check(text: str) -> None:
        found = read(text)
        again = read(write(found))
        assert again == found
        assert write(again) == write(found)

    return check


def game_code(text: str) -> None:
    """Read a game code as it stands, and its digits with the right check."""
    check = there_and_back(read_game_code, write_game_code)
    digits = text[5:]
    if digits.isascii():
        with suppress(DurakError):
            check(text[:1] + _check(digits) + digits)
    check(text)


def position(text: str) -> None:
    """Read a position, which can be played on, and comes back whatever is played."""
    there_and_back(read_position, write_position)(text)
    state = read_position(text)
    assert state.is_over or state.legal_actions
    for action in state.legal_actions:
        after = state.apply(action)
        assert read_position(write_position(after)) == after


def lesson(text: str) -> None:
    """Read a lesson, tell its faults, and go through it where it has none."""
    found = parse_lesson(text, "a.lesson")
    problems = list(faults(found))
    for problem in problems:
        check_sentence(str(problem))
        assert problem.line is not None
    tutor = Tutor(found)
    while not problems and not tutor.is_over:
        check_sentence(str(tutor.step.saying.said("ru")))
        for action in tutor.state.legal_actions if tutor.is_waiting else ():
            assert tutor.is_answered or tutor.attempt(action).saying is not None or tutor.is_answered
        if tutor.is_waiting:
            tutor.attempt(tutor.step.right_ways[0].actions[0])
        tutor.go_on()


# Files


@cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="durak-fuzz-")


def folder(name: str) -> Path:
    """Return a folder for a target, which is there until the tests end."""
    path = Path(_scratch().name) / name
    path.mkdir(exist_ok=True)
    return path


def in_file(name: str, read: Callable[[Path], object]) -> Callable[[str], object]:
    """Return what reads a text from a file; halves of surrogate pairs become bytes that are no UTF-8."""

    def check(text: str) -> object:
        path = folder(name) / name
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        return read(path)

    return check


def network_file(text: str) -> None:
    """Read the bytes of a network's file."""
    path = folder("network") / "weights.npz"
    path.write_bytes(text.encode("latin-1", "replace"))
    read_network(path)


def network_about(text: str) -> None:
    """Read a network that says something else of itself in a sound file."""
    data = text.encode("utf-8", "replace")
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({len(data)},), }}\n"
    _read_parts((header, data), golden_arrays()[1])


def equilibrium_about(text: str) -> None:
    """Read a saved equilibrium with other metadata."""
    about = ("|u1", text.encode("utf-8", "replace"))
    arrays = {
        "keys": ("<i8", bytes(8)),
        "widths": ("|u1", b"\2"),
        "shares": ("<f4", struct.pack("<2f", 0.5, 0.5)),
    }
    path = folder("equilibrium") / "saved.npz"
    path.write_bytes(archive_of({"about": about, **arrays}))
    read_equilibrium(path)


def network_header(text: str) -> None:
    """Read a network of which the file says something else about the numbers."""
    about, (_, numbers) = golden_arrays()
    _read_parts(about, (text, numbers))


def _read_parts(*parts: tuple[str, bytes]) -> None:
    path = folder("network") / "weights.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for name, (header, data) in zip(("about", "weights"), parts, strict=True):
            told = header.encode("latin-1", "replace")[:65_535]
            start = b"\x93NUMPY\x01\x00" + len(told).to_bytes(2, "little")
            archive.writestr(f"{name}.npy", start + told + data)
    read_network(path)


@cache
def golden_arrays() -> tuple[tuple[str, bytes], ...]:
    """Return header and data of each array of the golden network."""
    found = []
    with zipfile.ZipFile(GOLDEN / "network.npz") as archive:
        for name in ("about", "weights"):
            data = archive.read(f"{name}.npy")
            end = 10 + int.from_bytes(data[8:10], "little")
            found.append((data[10:end].decode("latin-1"), data[end:]))
    return tuple(found)


def settings(path: Path) -> None:
    """Whatever is in the file, the app starts, and what it then writes it reads without a complaint."""
    for old in path.parent.glob(f"{path.name}.*"):
        old.unlink()
    file = SettingsFile(path)
    found = file.load()
    check_problems(file.problems)
    if not file.problems:
        file.save(found)
        assert file.load() == found
        assert not file.problems


def training(path: Path) -> None:
    """Read a training file as that of every learner."""
    for kind in KINDS.values():
        with telling():
            read_settings(path, kind)


def games(path: Path) -> None:
    """Read a file of games whole and game by game."""
    for part in scan_games(path):
        with telling():
            part.records()
    load_records(path)


def imported(path: Path) -> None:
    """Import a file of games."""
    check_problems(import_file(_library(), path).problems)
    _library().rows(_library().find())


@cache
def _library() -> Library:
    return Library(folder("library"))


def query(text: str) -> None:
    """Look for words in a library of some games."""
    _filled().rows(_filled().find(Query(text)))


@cache
def _filled() -> Library:
    library = Library(folder("filled"))
    for path in sorted((GOLDEN / "games").iterdir()):
        import_file(library, path)
    return library


def resumed(path: Path) -> None:
    """Continue a match of which two games are played."""
    with SavedGames(path, (MATCH,)):
        pass


def begun_match() -> str:
    """Return the file of a match of which two games are played."""
    path = folder("match") / "games.jsonl"
    with SavedGames(path, (MATCH,)) as saved:
        for game in play_match(MATCH, games=range(2)):
            saved.add(0, game.summary(with_line=True))
    return path.read_text(encoding="utf-8")


def save(text: str) -> None:
    """Look for a game that was left unfinished."""
    running = folder("saves") / "running"
    running.mkdir(exist_ok=True)
    for old in running.iterdir():
        old.unlink()
    (running / "2025-11-20.durak").write_bytes(text.encode("utf-8", "surrogatepass"))
    saves = Saves(folder("saves"))
    saves.unfinished()
    check_problems(saves.problems)


# Engines


class _Terminal(io.StringIO):
    """Takes an engine's answers, which have to be fit for a terminal and hold no fault."""

    def write(self, text: str) -> int:
        assert "has a fault" not in text, text
        assert text.replace("\n", "").isprintable(), text
        assert all(len(line) <= protocol.LONGEST_LINE for line in text.split("\n"))
        return len(text)


@cache
def _server() -> Server:
    return Server(io.BytesIO(), _Terminal())


def commands(text: str) -> None:
    """Give lines to an engine that never searches."""
    for line in _read_lines(io.BytesIO(text.encode("utf-8", "surrogatepass"))):
        with telling():
            if isinstance(line, DurakError):
                raise line
            if line.strip().startswith("go"):
                protocol.parse_go(line.strip()[2:])
            else:
                _server()._answer(line)


@cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


def answers(text: str) -> None:
    """Hear an engine that may be anybody's, to its end, while a search is asked of it."""
    _loop().run_until_complete(_heard(text.encode("utf-8", "surrogatepass")))


async def _heard(data: bytes) -> None:
    client = EngineClient(options={"Messages": "on"})
    client._search = search = Search()
    stdout = asyncio.StreamReader(limit=protocol.LONGEST_LINE)
    stdout.feed_data(data)
    stdout.feed_eof()
    client._process = process = EngineProcess(client._hear, client._over)
    process._end_with(0, 0.0)
    await process.read(stdout)
    for said in (client.name, str(search.reason), *client.output):
        assert said.isprintable(), said
    search.choice  # noqa: B018 - raises what it has come to


def found_lines(text: str) -> None:
    """Take up what an engine has found, as a library may hold it."""
    source = Source("durak", 300)
    found, again = AnalysisCache(), AnalysisCache()
    found.load(text, source, _states())
    again.load(found.text(), source, _states())
    assert again.by_ply() == found.by_ply()


@cache
def _states() -> tuple[Any, ...]:
    lines = (GOLDEN / "playthroughs" / "podkidnoy-2.txt").read_text("utf-8").splitlines()
    return tuple([read_position(line) for line in lines[:9] if line.startswith("rules=")])


# Options


def sprt(text: str) -> None:
    """Read the option --sprt."""
    given = _read_sprt(None, None, text)
    Sprt(MATCH, *given)


def grid(text: str) -> None:
    """Read the option --grid."""
    found = Grid.parse(text)
    assert found.numbers is None or len(found.numbers) == len(found.values)
    combinations_of("random", [found])


def rules_options(text: str) -> None:
    """Read the options --rules and --set."""
    preset, *changes = text.split("\n")
    RulesChoice(preset, tuple(changes), None, None).rules()


def made_agent(text: str) -> None:
    """Make an agent."""
    agent = make_agent(text, {name: AGENTS[name] for name in _CHEAP})
    assert agent_text(agent.text) == agent.text


def bots(text: str) -> None:
    """Read the option --bots."""
    for one in split_texts(text, AGENTS):
        if one.partition(":")[0] in _CHEAP:
            check_bot(one)


def keys(text: str) -> None:
    """Give an action other keys."""
    action, _, told = text.partition(" ")
    keymap = Settings(keys={action: tuple(told.split(" "))}).keymap
    keymap.all_keys(action)
    keymap.label(action)


def visitor(text: str) -> None:
    """Tell who visits by a cookie, in which language, and how large the page is."""
    who = visitor_of(text)
    assert len(who) == 32
    assert who.isalnum()
    told = process_environment(who, cells(text, text[1:]), text)
    assert all(value.isprintable() and len(value) < 200 for value in told.values())


def page_message(text: str) -> None:
    """Take what a page says; no more of it than it may say reaches the app."""
    kind, packet = read_message(text)
    assert len(packet) <= 5 + 4 * len(text) + 100
    if kind == "ping":
        assert not packet
    elif kind:
        assert packet[:1] == (b"D" if kind == "stdin" else b"M")
        assert int.from_bytes(packet[1:5], "big") == len(packet) - 5
        packet[5:].decode()


def stored_table(text: str) -> None:
    """Read a stored table, and replay its game's deal."""
    table = read_table(text.encode("utf-8", "surrogatepass"))
    assert read_table(write_table(table)) == table
    if table.game is not None:
        TableGame.restored(table.game)
