"""Every function that is declared for machine code compiles, and does there what it does in CPython."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, is_dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest
from endgames import solve_position
from lookahead import small_states
from playing import halves

import durak_core
from durak_core import PRESETS, Observation, Rules, State
from durak_core.cli.commands.rules import run_perft
from durak_core.kernel.compiled import GROUPS, with_called, zeros
from durak_core.kernel.position import MAX_ACTIONS, MAX_SEATS, OVER, derive, random_below
from durak_core.kernel.transition import new_position
from durak_core.knowledge.belief import belief_of
from durak_core.lab import Match
from durak_core.lab.equilibrium.endgames import EndgameTable
from durak_core.lab.equilibrium.small_game import TinyGame
from durak_core.lab.matches.compiled_games import CompiledGames, line_up
from durak_core.lab.speed import Batch, play_chunk
from durak_core.search.backend.backend import (
    _COMPILED_MODULES,
    Backend,
    functions_of,
    plain_backend,
    sources_of,
)
from durak_core.search.determinized.searches import (
    LookAheadSettings,
    MctsSettings,
    look_ahead_table,
    mcts_table,
)
from durak_core.search.ismcts.tree import MODELS
from durak_core.search.ismcts.tree_search import NetworkGuide, SearchSettings, TreeSearch
from durak_core.search.network.encoding import (
    ACTIONS,
    ENCODING,
    code_index,
    encode,
    input_size,
    seen_by,
    trump_place,
)
from durak_core.search.network.hands import write_odds
from durak_core.search.network.vector import OUTSIDE
from durak_core.search.network.weights import (
    HANDS,
    OF_ACTIONS,
    About,
    Network,
    Weights,
    activations_for,
    in_memory,
    output_count,
)
from durak_core.search.opponents.model import PLAYER_TYPES, OpponentModel
from durak_core.search.players import TEMPERED, VALUING, Player
from durak_core.search.policies.expert import WEIGHTS
from durak_core.search.policies.playouts import EXPERT, GREEDY, POLICIES, UNIFORM

SMALL = SearchSettings(memory=0.02, opponent_policy_share=0.3, end_cards=5)


def playing(runner: Backend) -> None:
    for number, preset in enumerate(PRESETS):
        rules = Rules.preset(preset, seats=2 + number % 3)
        position = runner.records(new_position(rules), 1)[0]
        rng, codes, values = runner.integers(1), runner.integers(MAX_ACTIONS), runner.floats(MAX_SEATS)
        rng[0] = derive(7, number)
        assert runner.functions["deal"](position, rng)
        chance = [derive(8, number)]
        while position.phase != OVER:
            n = runner.functions["legal"](position, codes)
            runner.functions["returns"](position, values)
            runner.functions["apply"](position, codes[random_below(chance, n)])
        runner.functions["returns"](position, values)
        run_perft(State.deal(rules, number).to_position(), 3, runner)
        play_chunk(runner, Batch(rules, ["expert"] * rules.seats, 3), number, 5)
    play_chunk(runner, Batch(Rules(seats=4), list(POLICIES), 3), 0, 9)


def observations(seats: int, step: int = 9) -> Iterator[Observation]:
    """Yield what the seat to act sees now and then in a game of random actions."""
    state = State.deal(Rules.preset("perevodnoy", seats=seats), seats)
    rng = [derive(5, seats)]
    while not state.is_over:
        seen = state.observation(state.turn or 0)
        if len(seen.legal_actions) > 1 and state.plies % step == 0:
            yield seen
        state = state.apply(seen.legal_actions[random_below(rng, len(seen.legal_actions))])


def searching(runner: Backend) -> None:
    hands = network(HANDS)
    for seats in (2, 3):
        for seen in observations(seats):
            belief = belief_of(seen)
            if seats == 2:
                write_odds(belief[1], hands, seen, runner, {})
            TreeSearch(seen, 3, runner, SMALL, belief=belief).run(15)
    for state in small_states(Random(4), 10, cards=10, talon=0):
        solve_position(state.to_position(), state.turn or 0, runner, nodes=200, table_bits=6)


def looking_at_deals(runner: Backend) -> None:
    for state in small_states(Random(5), 10, cards=14, talon=4):
        seen = state.observation(state.turn or 0)
        for settings in (
            LookAheadSettings(3, 2),
            LookAheadSettings(3, 2, "paranoid"),
            LookAheadSettings(2, 2, "coalition"),
            LookAheadSettings(3, 2, "paranoid", "basic"),
            LookAheadSettings(2, 1, "paranoid", "playout"),
            LookAheadSettings(2, 1, "paranoid", "playout", prunes=False),
        ):
            look_ahead_table(seen, 6, runner, settings)
        mcts_table(seen, 6, runner, MctsSettings(iterations=30, samples=2))


@cache
def network(outputs: str) -> Network:
    widths = (input_size(2), 6, 5, output_count(outputs, 2))
    chance = Random(1)
    n = sum((before + 1) * width for before, width in pairwise(widths))
    about = About(ENCODING, outputs, "podkidnoy", widths, 0)
    return Network(about, Rules(), halves([chance.randrange(-8, 9) / 8 for _ in range(n)]))


def valuing(runner: Backend) -> None:
    for outputs in OF_ACTIONS:
        one = network(outputs)
        weights, room = in_memory(one, runner), activations_for(one, runner)
        for seen in observations(2):
            position, memory = seen_by(seen)
            n_inputs = encode(position, memory, seen.seat, room.active)
            for i, action in enumerate(seen.legal_actions):
                room.actions[i] = code_index(durak_core.actions.encode(action), trump_place(position))
            runner.functions["action_values"](weights, room, n_inputs, len(seen.legal_actions))


def guided(runner: Backend) -> None:
    hands = network(HANDS)
    for outputs in OF_ACTIONS:
        guide = NetworkGuide.of(network(outputs), opponent_policy_share=0.3, playouts=0.3)
        for seen in observations(2):
            chances = [(0.1,) * MODELS] * 2
            belief = belief_of(seen)
            write_odds(belief[1], hands, seen, runner, {})
            TreeSearch(seen, 3, runner, replace(SMALL, guide=guide), chances, belief=belief).run(10)
    for state in small_states(Random(4), 10, cards=10, talon=0):
        solve_position(state.to_position(), state.turn or 0, runner, nodes=200, table_bits=6)


def reading(runner: Backend) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("durak_core.search.opponents.model.backend_now", lambda _group: runner)
        for rules in ("podkidnoy", "perevodnoy:seats=3", "podkidnoy:seats=4,teams=2x2"):
            state = State.deal(Rules.parse(rules), 3)
            types = dict(
                PLAYER_TYPES,
                uniform=Player(UNIFORM),
                expert=Player(EXPERT),
                book=Player(TEMPERED, weights=list(WEIGHTS)),
            )
            valuing = network("outcome") if state.rules.seats == 2 else None
            if valuing is not None:
                types["network"] = Player(VALUING)
            reader = OpponentModel(state.rules, 0, types, samples=8, network=valuing)
            chance = [derive(6, 0)]
            while not state.is_over:
                legal = state.legal_actions
                state = state.apply(legal[random_below(chance, len(legal))])
                reader.follow(state.observation(0))


def learning(runner: Backend) -> None:
    np = pytest.importorskip("numpy", reason="numpy comes with numba or the extra learn")
    pytest.importorskip("torch", reason="the extra learn is not installed")  # or nothing else needs this code
    from durak_core.lab.learn.vector import Setting, VectorGames  # noqa: PLC0415 - after the check

    setting = Setting(Rules.preset("perevodnoy", seats=3), 4, [[OUTSIDE, GREEDY, OUTSIDE]])
    games = VectorGames(setting, 3, runner)
    games.reset()
    chance = np.random.default_rng(1)
    rng = np.array([derive(1, 1)])
    for step in range(60):
        some = np.array([0, 2])
        choices = np.zeros(3, np.int64)
        games.choose_by_policy(some, EXPERT, 0.3, (rng, choices))
        inputs, starts = np.zeros(2 * games.active.shape[1], np.int32), np.zeros(2, np.int32)
        runner.functions["gather_active"](some, games.board, inputs, starts)
        units, greatest = chance.random((2, 4), np.float32), np.zeros(3, np.float32)
        last = chance.random((5, ACTIONS), np.float32), np.zeros(MAX_ACTIONS, np.float32)
        runner.functions["choose_rows"](some, games.board, (units, *last), 0.3, (rng, choices, greatest))
        choices[1] = step % games.counts[1]
        games.observations()
        games.step_places(choices)


def stepping(runner: Backend) -> None:
    np = pytest.importorskip("numpy", reason="numpy comes with numba or the extra learn")
    pytest.importorskip("gymnasium", reason="the extra learn is not installed")  # or nothing else needs it
    from durak_core.lab.learn.vector import OneGame  # noqa: PLC0415 - after the check
    from durak_core.lab.matches.players import read_player  # noqa: PLC0415 - as above

    for texts in (["greedy", "moderate"], ["level:olga", "smart"]):
        single = OneGame(Rules(seats=3), list(map(read_player, texts)), runner=runner)
        turn = single.deal(11, seat=1)
        while turn >= 0:
            mask = single.seen(turn)[1]
            single.play(int(np.flatnonzero(mask == 0)[0]))
            turn = single.play(int(np.flatnonzero(mask)[0]))


def seated(runner: Backend) -> None:
    for rules, texts in (
        ("podkidnoy", ("dmc", "smart")),
        ("podkidnoy:lowest_rank=2,visibility=open", ("level:misha", "level:boris")),
        ("podkidnoy:seats=3", ("cautious", "random", "level:olga")),
    ):
        match = Match(Rules.parse(rules), texts, 4, 3)
        with match.built() as players:
            games = CompiledGames(match, line_up(match, players) or [], runner)
        for number in range(3):  # one by one, for how many a call plays depends on how long it takes
            list(games.play(range(number, number + 1)))


def solving(runner: Backend) -> None:
    game = TinyGame(Rules.parse("podkidnoy:suits=1,lowest_rank=11,hand_size=1"), runner)
    game.iterate(3)
    game.distance()
    game.first_attackers_return()
    game.returns_against(game.snapshot())
    list(game.examples())
    rules = Rules.parse("podkidnoy:suits=1,lowest_rank=9,hand_size=2")
    state = State.setup(rules, ["9sKs", "TsJs"], trump="As", talon="", attacker=1)
    EndgameTable(rules, runner).optimal(state.to_position())


def replaying(runner: Backend) -> None:
    """Replay whole games, games with an illegal action, and with a seat that is not to act."""
    for number, preset in enumerate(PRESETS):
        state = State.deal(Rules.preset(preset, seats=2 + number % 3), number)
        start, chance, acted = state.to_position(), Random(number), []
        while not state.is_over:
            action = chance.choice(state.legal_actions)
            acted.append((state.turn or 0, durak_core.actions.encode(action)))
            state = state.apply(action)
        half = len(acted) // 2
        other_seat = (1 - min(1, acted[half][0]), acted[half][1])
        for moves in (acted, [*acted, acted[0]], [acted[0], *acted], [*acted[:half], other_seat]):
            seats, codes = runner.integers(len(moves)), runner.integers(len(moves))
            seats[:], codes[:] = zip(*moves, strict=True)
            runner.functions["replay"](runner.records(start, 1), seats, codes)


USES: dict[str, Callable[[Backend], None]] = {
    "rules": playing,
    "replay": replaying,
    "search": searching,
    "classic": looking_at_deals,
    "network": valuing,
    "players": seated,
    "guided": guided,
    "opponents": reading,
    "environments": stepping,
    "learn": learning,
    "solve": solving,
}

RARE = {"classic", "guided", "search", "solve"}
"""Groups that only slow tests need, or that the tests of each search compare as well."""


CLOCKED = {"play_seated_games"}
"""Functions whose last argument is a clock."""


def content(value: Any) -> Any:
    """Return everything that an argument holds, as it is the same in either backend."""
    if isinstance(value, list) and value and isinstance(value[0], int | float):
        return value[:]
    if is_dataclass(value):
        return asdict(value)
    if isinstance(value, Weights):
        value = value._replace(rows=[])  # packed in CPython
    names = getattr(getattr(value, "dtype", None), "names", None)
    if names and not value.shape:
        return {name: value[name].tolist() for name in names}
    if isinstance(value, list | tuple) or names:
        return [content(part) for part in value]
    if hasattr(value, "tolist"):
        return value.tolist()
    return value


def traced(runner: Backend, use: Callable[[Backend], None]) -> dict[str, list[Any]]:
    """Return, for each function, its result and all that its arguments held after each call."""
    calls: dict[str, list[Any]] = {name: [] for name in runner.functions}

    def watched(name: str) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            result = runner.functions[name](*arguments)
            seen = arguments[:-1] if name in CLOCKED else arguments
            calls[name].append([content(seen), content(result)])
            return result

        return call

    # Searches are cut into the same calls as compiled ones.
    name = runner.name if use in {learning, stepping} else "compiled"
    use(replace(runner, name=name, functions={name: watched(name) for name in runner.functions}))
    return calls


@pytest.mark.parametrize(
    "group", [pytest.param(group, marks=[pytest.mark.slow] * (group in RARE)) for group in GROUPS]
)
def test_a_declared_function_is_the_same_compiled(group: str, machine_code: Callable[[str], Backend]):
    """After every call all memory is the same in both; a function that is never called here fails."""
    functions = functions_of(group)
    plain = traced(plain_backend(), USES[group])
    compiled = traced(machine_code(group), USES[group])
    assert set(compiled) == set(functions)
    for name in functions:
        assert compiled[name], f"nothing here calls {name}"
        assert len(compiled[name]) == len(plain[name])
        for one, other in zip(compiled[name], plain[name], strict=True):
            assert one == other, name


def test_all_declarations_are_found():
    """The packages that are searched for declarations have them all."""
    root = Path(durak_core.__path__[0])
    declared = sum(path.read_text("utf-8").count("\n@compiled(") for path in root.rglob("*.py"))
    assert declared == len({name for group in GROUPS for name in functions_of(group)})


@pytest.mark.parametrize("module", ["saved", "small_game"])
def test_every_way_to_solve_declares_the_same(module: str):
    """A cache is named after the functions of a group: fewer of them would be compiled again elsewhere."""
    code = (
        f"import durak_core.lab.equilibrium.{module}\n"
        "from durak_core.search.backend.backend import functions_of\n"
        "print(*functions_of('solve'))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert set(told.split()) == set(functions_of("solve"))


def test_only_equilibria_declare_functions_elsewhere():
    """All other functions are declared whenever any is used."""
    elsewhere = {
        group
        for group in GROUPS
        for function in functions_of(group).values()
        if function.__module__ not in _COMPILED_MODULES
    }
    assert elsewhere == {"solve"}


def test_lists_of_a_record_begin_with_zeros_and_are_its_own():
    """Compiled code gets arrays of zeros in their place."""
    make = zeros(3)
    assert make() == [0, 0, 0]
    assert make() is not make()


def test_names_are_unique():
    """Functions are called by name, whatever group they are in."""
    every = {function for group in GROUPS for function in functions_of(group).values()}
    assert len({function.__name__ for function in every}) == len(every)


@cache
def imported(module: ModuleType) -> dict[str, str]:
    """Return where a module takes names of this package from."""
    tree = ast.parse(inspect.getsource(module))
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    return {
        name.asname or name.name: str(node.module)
        for node in nodes
        for name in node.names
        if str(node.module).startswith("durak_core")
    }


@pytest.mark.parametrize("group", GROUPS)
def test_all_that_is_compiled_is_in_the_digest(group: str):
    """Functions and constants of machine code stand in files whose change makes a new cache."""
    root = Path(durak_core.__path__[0])
    declared = functions_of(group).values()
    functions, sources = with_called(declared), sources_of(declared)
    assert functions
    for function in functions:
        module = inspect.getmodule(function)
        assert module is not None
        origins = [imported(module).get(name, module.__name__) for name in function.__code__.co_names]
        for origin in origins:
            path = root.parent / f"{origin.replace('.', '/')}.py"
            assert path in sources, f"{function.__name__} takes from {origin}"
