"""Every reader of something from outside, with real texts and the errors that it documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import click
from puzzling import FOUND

from durak_core import (
    agent_text,
    parse_action,
    read_games,
    read_json_lines,
    read_observation,
    read_position,
    write_game_code,
    write_games,
    write_json_line,
    write_observation,
)
from durak_core.cards import CardSet
from durak_core.engine import protocol
from durak_core.errors import DurakError
from durak_core.game.notation.position_text import escape, read_public, unescape, write_public
from durak_core.game.state_view import card_list
from durak_core.lab.epistemic import parse_formula
from durak_core.lab.experiments.manifest import read_experiment
from durak_core.lab.experiments.results import ResultsFile
from durak_core.lab.matches.players import player_text
from durak_core.lessons.lesson import shipped_lessons
from durak_core.puzzles.puzzle import read_puzzle, write_puzzle
from durak_core.rules import Rules
from durak_tui.friends.messages import parse_address, read_from_player, read_from_server, write_message
from durak_tui.play.setup import Series
from fuzz import readings
from fuzz.readings import GOLDEN, in_file, there_and_back

PROJECT: Final = GOLDEN.parents[1]


@dataclass(frozen=True, slots=True)
class Target:
    """A reader.

    Attributes:
        read: Reads a text; what it can write of it is read as the same.
        texts: Real texts.
        errors: What it may raise.
        most: Characters of the largest inputs.
    """

    name: str
    read: Callable[[str], object]
    texts: Sequence[str]
    errors: tuple[type[Exception], ...] = (DurakError,)
    most: int = 100_000


def _texts(*paths: Path) -> tuple[str, ...]:
    return tuple([path.read_text(encoding="utf-8") for path in paths])


def _of(folder: str) -> list[Path]:
    return sorted((PROJECT / folder).glob("*.*"))


def _public(position: str) -> str:
    return write_public(read_position(position))


_CARDS: Final = ("6c7dTh", "As Ks Qs", "Kc Js 9h Ad 8d Tc 6d 6s Jc 8h Kd Jd 8s Jh Ts As Qd Qh Kh 7h 7d Ks")
_RULES: Final = (
    *("podkidnoy", "perevodnoy:seats=3", "huji:redeal_same_suit=never", "larsenbier:lowest_rank=2"),
    "podkidnoy:lowest_rank=2,attack_limit=none,seats=6,hand_size=7,trumps=no,stall_limit=1000",
)
_AGENTS: Final = (
    *("greedy", "random:uniform", "smart:open", "ismcts:time=100,net=off", "minimax:depth=3"),
    *(
        "mcts:limit=100,c=1.4,simulation=greedy",
        'dmc:weights="a, b.npz"',
        'ismcts:net="C:\\\\x\\"y",threads=2',
    ),
)
_PLAYERS: Final = (
    *_AGENTS,
    'engine:cmd="durak engine --x",time=100',
    "engine:cmd=\"a 'b c'\",patience=9",
    'equilibrium:file="a, b.npz"',
)
_EQUILIBRIUM: Final = (
    '{"format": "durak-equilibrium/1", "rules": "podkidnoy:suits=1,lowest_rank=9,hand_size=2", '
    '"nash_conv": 0.0005, "value": -0.355, "iterations": 50}'
)
_FORMULAS: Final = (
    *("K0 !K1 in(6s,2) & C{0,1} in(As,talon)", "E{0,1,2} (in(6s,1) -> M0 in(7h,discard)) | !in(Tc,bottom)"),
    "!(K0 in(6s,1) | K0 in(7s,1) | K0 in(8s,1))",
)
_ANSWERS: Final = (
    "id name Durak 1\noption name Seed type number default 1 min 0 max 9\nprotocol 1\ndurakok\nreadyok\n",
    "option name Net type text default auto\noption name Compiled type switch default on\n",
    "info iterations 220 nodes 221 time 205 backend plain\ninfo string machine code\nbestmove 8cx6c\n",
    "info line 1 action Acx6c score 0.474 interval 0.3664 0.5841 visits 7 exact no in 3 continuation As 6d\n",
    'info message {"template": "{a} of {b:.2f}", "values": {"a": "x", "b": 3}}\nerror go: nothing\n',
)
_MESSAGES: Final = (
    '{"template": "{a} of {b!r}", "values": {"a": {"template": "{c:,}", "values": {"c": 7000}}, "b": null}}',
    '{"template": "{share:.0%} {n:d}", "values": {"share": 0.5, "n": 3}}',
)
_FOUND: Final = ('{"hasty":[1],"lines":{"0":["1 action 8h score 0.4 interval 0.3 0.5 visits 7 exact no"]}}',)
_SETTINGS: Final = (
    '[player]\nname = "Anna"\nguests = ["Boris"]\n[play]\npace = "2x"\nwatched = ["greedy"]\ncoach = true\n',
    '[cards]\ncolours = "four"\nascii = true\n[screen]\ntheme = "durak"\nlanguage = "ru"\n',
    '[play]\nrules = "perevodnoy:seats=3"\nplayers = ["human", "ismcts:time=100"]\n',
    '[keys]\ntable.take = ["x", "ctrl+t"]\n"table.sort" = "f5"\nmenu.play = ["p"]\n',
)
_SERIES: Final = ("lost 1 0, drawn 0", "lost 3 2, drawn 1, of 9, rotating", "lost 0, drawn 0, of 3")
_PAGES: Final = ('["stdin", "a"]', '["resize", {"width": 80, "height": 24}]', '["focus"]', '["ping", "1"]')
_ADDRESSES: Final = (
    "http://192.0.2.7:8000/t/ABCDEFGH",
    "https://durak.example/cards/t/abcdefgh/",
    "[2001:db8::1]:8000",
    "abcd-efgh",
)
_TO_TABLES: Final = (
    '{"type":"hello","version":1,"name":"Anna"}',
    '{"type":"open","rules":"podkidnoy:seats=3","players":["","","viktor"],"clock":30,"spectators":false}',
    '{"type":"watch","code":"ABCDEFGH"}',
    '{"type":"sit","code":"ABCDEFGH","token":"00112233445566778899aabbccddeeff"}',
    '{"type":"act","game":1,"ply":7,"action":"9cx6c"}',
    *('{"type":"say","phrase":3}', '{"type":"replace","seat":1}', '{"type":"start"}', '{"type":"leave"}'),
)
_FROM_TABLES: Final = (
    (
        '{"type":"lobby","code":"ABCDEFGH","rules":"podkidnoy","clock":0,"host":0,"seats":[{"name":"Anna",'
        '"kind":"person"},{"name":"","kind":"free"}],"score":[0,1],"is_playing":false}'
    ),
    (
        '{"type":"look","game":1,"ply":2,"first":0,"events":["bout:1:0:1:6","0:6c"],"observation":"seat=0",'
        '"left":12.5,"away":[1],"stand_ins":[]}'
    ),
    '{"type":"no","kind":"rank_not_on_table","rule":"5.3","why":"no card"}',
    *('{"type":"said","seat":1,"phrase":2}', '{"type":"end","game":1,"record":"...","score":[0,1]}'),
)
_STORED_TABLES: Final = (
    (
        '{"code":"ABCDEFGH","visitor":"v","rules":"podkidnoy:lowest_rank=J,hand_size=4","players":["",""],'
        '"clock":0,"host":0,"score":[0,0],"seats":[{"name":"Anna","token":"","plays":true},{"name":"Boris",'
        '"token":"","plays":true}],"game":{"number":1,"rules":"podkidnoy:lowest_rank=J,hand_size=4",'
        '"deck":"JsJhJdJcQsQhQdQcKsKhKdKcAsAhAdAc","first_attacker":0,"by_lowest_trump":true,'
        '"names":["Anna","Boris"],"players":["",""],"left":[]}}'
    ),
)
_TYPED: Final = (
    *(
        "six of spades",
        "9cx6c",
        "beat 6c with 9c",
        ">6d",
        "trump six",
        "рфтв",
        "why 7h",
        "rules 5.3",
        "log 3",
    ),
    "new perevodnoy seats=3 lowest_rank=2 bots=olga,misha seed=7",
    "подкидываю козырную десятку и A♠️",
)
_KEYS: Final = ("table.take t ctrl+t", "menu.up up", "table.card 1 2 3 4 5 6 7 8 9 0", "table.sort shift+tab")


@cache
def targets() -> tuple[Target, ...]:
    """Return all targets."""
    games = _texts(*_of("tests/golden/games"))
    lines = tuple([write_json_line(record) for text in games for record in read_games(text)])
    codes = tuple([write_game_code(record) for text in games for record in read_games(text)])
    plays = "\n".join(_texts(*_of("tests/golden/playthroughs"))).splitlines()
    positions = tuple([line for line in plays if line.startswith("rules=")])[::7]
    seen = tuple(
        [write_observation(read_position(line).observation(seat)) for line in positions for seat in (0, 1)]
    )
    open_games = tuple([text.rpartition("\n\n")[0] + "\n\n*\n" for text in games])
    saves = tuple(
        text.replace("[Date", '[Player0 "human"]\n[Hints "2"]\n[Series "lost 1 0, drawn 0"]\n[Date', 1)
        for text in games[:3]
    )
    commands = (
        "durak\nisready\nsetoption name Seed value 7\nsetoption name Messages value on\nnewgame podkidnoy\n",
        f"newgame podkidnoy\nobservation {seen[0]}\ngo time 100 lines 3\nstop\n",
        "setoption name Agent value random\nsetoption name Net value off\ngo iterations 10\nquit\n",
    )
    (header, about), (numbers, _) = readings.golden_arrays()
    experiments = _texts(*[path for path in _of("benchmarks/experiments") if path.suffix == ".toml"])
    trainings = _texts(*[path for path in _of("benchmarks/learning") if path.suffix == ".toml"])
    results = _texts(PROJECT / "docs/experiments/imperial/results.json")
    network = ((GOLDEN / "network.npz").read_bytes().decode("latin-1"),)
    return (
        Target("actions", there_and_back(parse_action, str), ("6c", "9cx6c", ">6d", "^6h", "pass", "take")),
        Target("card sets", there_and_back(CardSet.parse, str), _CARDS),
        Target("decks", there_and_back(card_list, lambda cards: " ".join(map(str, cards))), _CARDS),
        Target(
            "quoted texts",
            there_and_back(unescape, lambda text: escape(text, '"')),
            ('a \\"b\\" \\u00e4\\n',),
        ),
        Target("rules", there_and_back(Rules.parse, str), _RULES),
        Target("positions", readings.position, positions),
        Target("puzzles", there_and_back(read_puzzle, write_puzzle), tuple(FOUND.values())),
        Target("observations", there_and_back(read_observation, write_observation), seen),
        Target("game codes", readings.game_code, codes),
        Target("spectators", there_and_back(read_public, write_public), tuple(map(_public, positions))),
        Target("games", there_and_back(read_games, write_games), (*games, *open_games, *saves)),
        Target(
            "JSON", there_and_back(read_json_lines, lambda found: "".join(map(write_json_line, found))), lines
        ),
        Target(
            "files of games",
            in_file("games", readings.games),
            (*games, *lines, games[0] + "\n" + games[1]),
            most=30_000,
        ),
        Target(
            "imports", in_file("imported", readings.imported), (*saves, *lines, games[0] + "\n" + games[1])
        ),
        Target("saves", readings.save, (*saves, *open_games)),
        Target("matches", in_file("match", readings.resumed), (readings.begun_match(),)),
        Target("queries", readings.query, ("anna 2025", "fool podkidnoy", "won draw 2 seats")),
        Target("series", there_and_back(lambda text: Series.parse(text, 2).text, str), _SERIES),
        Target("agents", there_and_back(agent_text, agent_text), _AGENTS),
        Target(
            "agents made", readings.made_agent, (*_AGENTS, "expert:open", "solver", "temperament:spite=0.5")
        ),
        Target("players", there_and_back(player_text, player_text), _PLAYERS),
        Target("bots", readings.bots, (",".join(_AGENTS), "greedy,random:uniform, smart")),
        Target("rules options", readings.rules_options, ("podkidnoy\nattack_limit=none", *_RULES)),
        Target("grids", readings.grid, ("limit=10..50..10", "uniform=on,off", "c=0.5,1.4", "open=off")),
        Target("SPRT", readings.sprt, ("0,20", "-5.5,1e1"), (DurakError, click.ClickException)),
        Target("formulas", there_and_back(parse_formula, str), _FORMULAS),
        Target("engine commands", readings.commands, commands, most=20_000),
        Target("engine answers", readings.answers, _ANSWERS),
        Target(
            "engine messages",
            there_and_back(
                lambda text: protocol.parse_message("info message " + text),
                lambda found: protocol.write_message(found).removeprefix("info message "),
            ),
            _MESSAGES,
        ),
        Target("judgements", readings.found_lines, _FOUND),
        Target("settings", in_file("settings.toml", readings.settings), _SETTINGS),
        Target("keys", readings.keys, _KEYS),
        Target("manifests", in_file("manifest.toml", read_experiment), experiments),
        Target("training", in_file("training.toml", readings.training), trainings),
        Target("results", in_file("results.json", ResultsFile.load), results),
        Target("lessons", readings.lesson, _texts(*shipped_lessons()), most=20_000),
        Target("typed lines", readings.typed_line, _TYPED, most=2_000),
        Target("networks", readings.network_file, network),
        Target("networks' descriptions", readings.network_about, (about.decode(),)),
        Target("equilibria", readings.equilibrium_about, (_EQUILIBRIUM,)),
        Target("networks' headers", readings.network_header, (numbers, header)),
        Target("visitors", readings.visitor, ("0123456789abcdef" * 2, "ru-RU,ru;q=0.9", "de", "120")),
        Target("pages", readings.page_message, _PAGES),
        Target("messages to tables", there_and_back(read_from_player, write_message), _TO_TABLES, most=4096),
        Target(
            "addresses of tables",
            there_and_back(parse_address, lambda found: found.link),
            _ADDRESSES,
            most=300,
        ),
        Target("messages of tables", there_and_back(read_from_server, write_message), _FROM_TABLES),
        Target("stored tables", readings.stored_table, _STORED_TABLES),
    )
