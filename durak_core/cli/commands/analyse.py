"""`durak analyse`, `review` and `know`: evaluate positions and moves, and show what each seat knows."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import click
from rich.table import Table
from rich.text import Text

from durak_core.actions import Pass, Take
from durak_core.agents.base import Agent
from durak_core.agents.classic import DealingAgent
from durak_core.agents.learned import AUTO, NetworkSelector
from durak_core.cards import Card, CardSet, Suit
from durak_core.cli import choices
from durak_core.cli.choices import file_argument, file_option, game_option, json_option, moment, ply_option
from durak_core.cli.output import TextTable, check_targets, console, print_lines, progress, seat_names
from durak_core.errors import AgentError, KnowledgeError, NotationError, RecordError, printable
from durak_core.files import write_text_atomically
from durak_core.game.notation.position_text import read_observation, write_observation
from durak_core.game.observation import Observation
from durak_core.game.real_game import seat_to_show
from durak_core.game.record import Record
from durak_core.game.state import State
from durak_core.game.state_view import checked_seat
from durak_core.kernel.position import MAX_SEATS
from durak_core.knowledge.locations import (
    BOTTOM,
    DISCARD,
    TABLE,
    TALON,
    Location,
    PublicLocations,
    SeatLocations,
)
from durak_core.lab import epistemic as kripke
from durak_core.lab.matches.players import read_local_player
from durak_core.review import (
    MoveEvaluation,
    PlayerReport,
    Question,
    Review,
    Unevaluated,
    evaluate_move,
    percent_text,
    questions,
    turning_point,
    with_comparison,
    with_playouts,
    worst_moves,
)
from durak_core.review.evaluation import BY_PLAYOUTS
from durak_core.review.reasons import SeatName
from durak_core.search.analysis import Analysis
from durak_core.search.analysis import analyse as analyse_observation
from durak_core.search.backend.backend import backend, backend_now, warm
from durak_core.search.determinized.searches import ConsideredMove
from durak_core.search.ismcts.tree_search import SearchSettings
from durak_core.search.search_result import SearchedAction


@click.command()
@click.argument("what", metavar="OBSERVATION|FILE")
@choices.game_option()
@choices.ply_option()
@click.option(
    "--agent",
    metavar="AGENT",
    callback=lambda _context, _option, text: None if text is None else read_local_player(text).build(),
    help="Search with an agent and the options of its spec, as in matches.",
)
@choices.seconds_option(help="Stop after S seconds of wall time.")
@choices.iterations_option(help="Stop after N iterations.")
@click.option(
    "--threads",
    type=choices.IntegerRange(1, 64),
    default=1,
    metavar="N",
    help="Number of trees grown in parallel.",
)
@choices.net_option
@click.option("--tree", is_flag=True, help="Print every move that minimax or maxn considers in a first deal.")
@click.option("--lines", type=choices.IntegerRange(min=1), metavar="N", help="Show only the N best actions.")
@choices.json_option
@choices.seed_option
def analyse(  # noqa: PLR0913, PLR0917 - an argument for each option
    what: str,
    game: int | None,
    ply: int | None,
    agent: Agent | None,
    seconds: float | None,
    iterations: int | None,
    threads: int,
    net: str,
    lines: int | None,
    seed: int,
    *,
    tree: bool,
    as_json: bool,
) -> None:
    """Evaluate every action of the seat to act, from what that seat knows.

    Give an observation as text, or a FILE of games with --game and --ply. The search takes a second unless
    --time or --iterations is given. Endgames without hidden cards are solved. With --agent, the values are
    those by which an agent such as minimax:depth=4 chooses. --tree prints the moves inside its search, too.
    """
    if tree and (agent is None or as_json):
        raise click.UsageError("--tree prints the search of an --agent, such as minimax, without --json")
    if agent is not None and (seconds, iterations, threads, net) != (None, None, 1, AUTO):
        raise click.UsageError(
            "--time, --iterations, --threads and --net belong to the analysis: give the agent its own, "
            "as in ismcts:iterations=1000"
        )
    observation = _observation(what, game, ply, sees_all=agent is not None and agent.sees_all)
    if agent is not None:
        if tree:
            _print_tree(observation, agent, seed)
        _ask(observation, agent, seed, lines, as_json=as_json)
        return
    settings = NetworkSelector(net).fit(SearchSettings(threads=threads), observation.rules)
    is_timed = seconds is not None or iterations is None
    warming = warm(settings.group) if is_timed else None
    done = analyse_observation(
        observation,
        better=partial(backend_now, settings.group) if is_timed else None,
        seed=seed,
        iterations=iterations,
        seconds=seconds,
        settings=settings,
    )
    if as_json:
        click.echo(json.dumps(_as_json(observation, done, seed, lines)))
    else:
        _print(observation, done, seed, lines)
    if warming is not None:
        if warming.is_alive() and done.backend == "plain":
            click.echo("compiling the search for the next run; Ctrl+C stops this", err=True)
        warming.join()


def _observation(what: str, game: int | None, ply: int | None, *, sees_all: bool) -> Observation:
    if "rules=" in what:
        if game is not None or ply is not None:
            raise click.UsageError("--game and --ply belong to a FILE of games, and this is an observation")
        return read_observation(what)
    record, state, after = choices.moment(Path(what), game, ply)
    if state.turn is None:
        raise RecordError("after {move} moves the game is over: there is nothing to analyse", move=after)
    seat_to_show(record, state.turn, needs_all=sees_all)
    return state.observation(state.turn, sees_all=sees_all)


def _ask(observation: Observation, agent: Agent, seed: int, lines: int | None, *, as_json: bool) -> None:
    agent.begin(observation.rules, observation.seat, seed)
    decision = agent.choose(observation)
    found = decision.search_info() if decision.search_info else None
    if found is None and len(observation.legal_actions) > 1:
        raise AgentError(
            "{text} found nothing to tell: expected an agent that searches here", text=agent.text
        )
    told = {"agent": agent.text, "choice": str(decision.action), "reason": str(decision.reason)}
    if as_json:
        figures = found.as_json(lines) if found else {"lines": []}
        click.echo(
            json.dumps({"observation": write_observation(observation), "seed": seed, **told, **figures})
        )
        return
    print_lines(write_observation(observation))
    if found:
        rows = [(line, (found.value_text(line), f"{line.visits:,}")) for line in found.lines[:lines]]
        _print_table(("value", "visits"), rows)
        print_lines(f"{found.effort}, seed {seed}")
    why = f": {decision.reason}" if str(decision.reason) else ""
    print_lines(f"{agent.text} chooses {decision.action}{why}")


def _print_tree(observation: Observation, agent: Agent, seed: int) -> None:
    """Print the moves considered in the first deal of the agent's decision."""
    agent.begin(observation.rules, observation.seat, seed)
    found = agent.considered(observation) if isinstance(agent, DealingAgent) else None
    if found is None:
        raise click.UsageError(f"{agent.text} has no tree of moves: expected minimax or maxn")
    hands, moves = found
    held = "  ".join([f"seat {seat} {' '.join(map(str, hand))}" for seat, hand in enumerate(hands)])
    print_lines(f"first deal: {held}")
    _print_moves(moves, 1)


def _print_moves(moves: Iterable[ConsideredMove], level: int) -> None:
    for move in moves:
        forced = f", forced {' '.join(map(str, move.forced))}" if move.forced else ""
        values = " ".join(map(str, move.values))
        best = "  best" if move.is_best else ""
        click.echo(f"{'  ' * level}seat {move.seat} {move.action}{forced}: {values}{best}")
        _print_moves(move.replies, level + 1)


def _print_table(heads: tuple[str, ...], rows: Iterable[tuple[SearchedAction, tuple[str, ...]]]) -> None:
    table = Table()
    table.add_column("action")
    for name in heads:
        table.add_column(name, justify="right")
    table.add_column("expected after it", overflow="fold")
    for line, figures in rows:
        table.add_row(str(line.action), *figures, " ".join(map(str, line.continuation)))
    console().print(table)


def _print(observation: Observation, done: Analysis, seed: int, lines: int | None) -> None:
    print_lines(write_observation(observation))
    _print_table(("score", "95 %", "visits"), [(line, _figures(line)) for line in done.lines()[:lines]])
    if done.is_exact:
        print_lines(f"solved: {done.nodes:,} nodes, {done.depth} deep")
    elif done.is_finished:
        print_lines("there is no choice")
    else:
        effort = f"{done.iterations:,} iterations, {done.nodes:,} nodes, {done.depth} deep"
        print_lines(f"{effort}, seed {seed}")


def _figures(line: SearchedAction) -> tuple[str, str, str]:
    """Return score, interval and visits; unvisited actions have neither score nor interval."""
    if line.exact:
        found = {1.0: "won", 0.5: "draw", 0.0: "lost"}[line.score]
        return found if line.bouts is None else f"{found} in {line.bouts}", "exact", f"{line.visits:,}"
    if line.visits == 0:
        return "", "", "0"
    interval = f"{line.low * 100:.1f} to {line.high * 100:.1f}"
    return f"{line.score * 100:.1f} %", interval, f"{line.visits:,}"


def _as_json(observation: Observation, done: Analysis, seed: int, lines: int | None) -> dict[str, object]:
    return {
        "observation": write_observation(observation),
        "seed": seed,
        "backend": done.backend,
        "iterations": done.iterations,
        "exact": done.is_exact,
        "forced": done.is_finished and not done.is_exact,
        **done.search_info().as_json(lines),
    }


_SECONDS = 0.1
_MARK_STYLES = {"??": "bold red", "?": "red", "?!": "yellow", "!": "green"}


@click.command()
@choices.file_argument
@choices.game_option()
@choices.seconds_option(help=f"Seconds for each move; {_SECONDS:g} if --iterations is not given either.")
@choices.iterations_option(help="Number of iterations for each move.")
@choices.net_option
@choices.json_option
@choices.seed_option
def review(  # noqa: PLR0913 - an argument for each option
    file: Path,
    game: int | None,
    seconds: float | None,
    iterations: int | None,
    *,
    net: str,
    seed: int,
    as_json: bool,
) -> None:
    """Analyse every move of a recorded game, from what its player knew.

    A move that lost 5, 10 or 15 points of win probability is marked ?!, ? or ??, with a reason, unless the
    search is unsure. Forced moves are not analysed.
    """
    record = choices.one_record(file, game)
    if seconds is None and iterations is None:
        seconds = _SECONDS
    settings = NetworkSelector(net).fit(SearchSettings(), record.rules)
    report = searched(record, settings, seed, iterations=iterations, seconds=seconds)
    if as_json:
        moves = [_move_json(evaluation) for evaluation in report.evaluations.values()]
        players = [_player_json(report, seat) for seat in range(record.rules.seats)]
        click.echo(json.dumps({"seed": seed, "moves": moves, "players": players}))
    else:
        _print_review(report)
        limits = [f"{iterations:,} iterations"] if iterations else []
        limits += [f"{seconds:g} s"] if seconds else []
        print_lines(f"{' or '.join(limits)} a move, seed {seed}")


def searched(  # noqa: PLR0913 - an argument for each option
    record: Record,
    settings: SearchSettings,
    seed: int,
    seats: Collection[int] = range(MAX_SEATS),
    *,
    iterations: int | None = None,
    seconds: float | None = None,
) -> Review:
    """Analyse the choices of some seats, and compare doubtful moves with the best; show the progress."""

    def look(question: Question, length: int, chosen: SearchSettings) -> tuple[SearchedAction, ...]:
        return analyse_observation(
            question.observation,
            backend(chosen.group),
            seed=seed,
            iterations=iterations and length * iterations,
            seconds=seconds and length * seconds,
            settings=chosen,
        ).lines()

    asked = questions(record)
    answers: dict[int, tuple[SearchedAction, ...]] = {}
    with progress(len(asked), "reviewing") as step:
        for question in asked:
            if question.is_free and question.seat in seats:
                lines, done = look(question, 1, settings), 0
                found = evaluate_move(question, lines)
                while found.compared and (length := found.comparison(done)):
                    chosen, join = replace(settings, compared=found.compared), with_comparison
                    if done == BY_PLAYOUTS:
                        chosen, join = replace(chosen, guide=None), with_playouts
                    lines = join(lines, look(question, length, chosen))
                    found, done = evaluate_move(question, lines), done + 1
                answers[question.ply] = lines
            step()
    return Review(record, asked, answers)


def _print_review(report: Review) -> None:
    record = report.record
    names = seat_names(record.players)
    table = Table()
    for head in ("move", "player", "played", "value", "best", "value"):
        table.add_column(head, justify="right" if head in {"move", "value"} else "left")
    for evaluation in report.evaluations.values():
        played = Text(str(evaluation.action))
        played.append(f" {evaluation.mark}" if evaluation.mark else "", _MARK_STYLES.get(evaluation.mark, ""))
        table.add_row(str(evaluation.ply), Text(names[evaluation.seat]), played, *_values(evaluation))
    console().print(table)
    for seat, name in enumerate(names):
        print_lines(f"{name}: {summary(report.player(seat))}")
        for evaluation in report.evaluations.values():
            if evaluation.seat == seat and evaluation.reason is not None:
                print_lines(f"  {evaluation.ply:>3} {_reason(evaluation, names)}")


def _reason(evaluation: MoveEvaluation, names: Sequence[str]) -> str:

    def word(value: object) -> object:
        match value:
            case SeatName(number):
                return names[number]
            case Pass():
                return "passing"
            case Take():
                return "taking"
        return value

    why = "" if evaluation.reason is None else evaluation.reason.said(str, word)
    instead = "" if evaluation.instead is None else f"{evaluation.instead} "
    return f"{evaluation.action} {evaluation.mark}: {instead}{why}"


def _values(evaluation: MoveEvaluation) -> tuple[str, str, str]:
    """Return the move's win probability, and a better move with its own."""
    best, played = evaluation.best, evaluation.played
    if best is None:
        return "", "", ""
    if evaluation.unevaluated is Unevaluated.NO_DIFFERENCE:
        return percent_text(best), "", ""
    own = percent_text(played) if played and evaluation.unevaluated is None else "?"
    if evaluation.action == best.action:
        return own, "", ""
    return own, str(best.action), percent_text(best)


def summary(player: PlayerReport) -> str:
    if player.accuracy is None:
        return "no move was a choice"
    marks = ", ".join(f"{count} {mark}" for mark, count in [*player.marks.items()][::-1] if count)
    moves = "1 choice that mattered" if player.counted == 1 else f"{player.counted} choices that mattered"
    return (
        f"accuracy {player.accuracy:.1f} % in {moves}{', ' + marks if marks else ''}; lost "
        f"{100 * player.given:.1f} points, {100 * player.fortune:+.1f} came from luck and opponents"
    )


def _move_json(evaluation: MoveEvaluation) -> dict[str, object]:
    return {
        "move": evaluation.ply,
        "seat": evaluation.seat,
        "action": str(evaluation.action),
        "mark": evaluation.mark,
        "played": _value_json(evaluation.played),
        "best": None if evaluation.best is None else str(evaluation.best.action),
        "best_score": _value_json(evaluation.best),
        "drop": evaluation.drop,
        "stake": evaluation.stake,
        "accuracy": evaluation.accuracy,
        "reason": None if evaluation.reason is None else str(evaluation.reason),
        "instead": None if evaluation.instead is None else str(evaluation.instead),
        "unjudged": None if evaluation.unevaluated is None else evaluation.unevaluated.name.lower(),
    }


def _value_json(line: SearchedAction | None) -> dict[str, object] | None:
    if line is None:
        return None
    return {"score": line.score, "interval": [line.low, line.high], "exact": line.exact}


def _player_json(report: Review, seat: int) -> dict[str, object]:
    player = report.player(seat)
    turn = turning_point(report, seat)
    return {
        "seat": seat,
        "name": report.record.players[seat],
        "accuracy": player.accuracy,
        "choices": player.counted,
        "marks": dict(player.marks),
        "given": player.given,
        "fortune": player.fortune,
        "worst_moves": [evaluation.ply for evaluation in worst_moves(report, seat)],
        "turning_point": None
        if turn is None
        else {"move": turn.last, "before": turn.before, "after": turn.after},
    }


_LETTERS: Final[dict[Location, str]] = {TALON: "t", BOTTOM: "b", DISCARD: "d", TABLE: "x"}
_WORDS: Final[dict[Location, str]] = {
    TALON: "in the talon",
    BOTTOM: "at the talon's bottom",
    DISCARD: "in the discard pile",
    TABLE: "on the table",
}


@click.command()
@file_argument
@game_option()
@ply_option()
@click.option("--seat", type=int, metavar="K", help="Show only what seat K knows.")
@click.option("--formula", "text", metavar="F", help="Formula to evaluate, such as 'K0 !K1 in(6s,2)'.")
@click.option(
    "--lowest", is_flag=True, help="Assume common knowledge that defenders use the lowest card that works."
)
@click.option(
    "--types", is_flag=True, help="Show what type of player each other seat is, as far as seat K knows."
)
@json_option
@file_option("--dot", metavar="FILE", help="Write the Kripke model as a Graphviz file.")
@file_option("--svg", metavar="FILE", help="Draw the Kripke model as an SVG file.")
def know(  # noqa: PLR0913, PLR0917 - an argument for each option
    file: Path,
    game: int | None,
    ply: int | None,
    seat: int | None,
    text: str | None,
    dot: Path | None,
    svg: Path | None,
    *,
    lowest: bool,
    types: bool,
    as_json: bool,
) -> None:
    """Show where each card of a recorded game may be, as far as each seat knows.

    With --formula, evaluate a formula in that position, and show a counterexample if it is false. in(As,1):
    the card is with seat 1 (or in talon, bottom, discard or table). K0 f: seat 0 knows f. M0 f: seat 0
    considers f possible. E{0,1} f: both know f. C{0,1} f: f is common knowledge between them. Connectives:
    !, &, | and ->. With --types, weigh the types of player over all worlds that seat K cannot rule out. See
    docs/knowledge.md.
    """
    if types:
        _show_types(moment(file, game, ply), seat, as_json=as_json, others=(text, dot, svg, lowest))
        return
    if text is not None and seat is not None:
        raise click.UsageError("--seat belongs to the maps of cards; a formula names its seats itself")
    formula = None if text is None else _parsed(text)
    check_targets(dot, svg, inputs=[file])
    record, state, number = moment(file, game, ply)
    seat = seat_to_show(record, seat, needs_all=formula is not None or bool(dot or svg))
    public = _public(state, lowest=lowest)
    if formula is None:
        seats = range(record.rules.seats) if seat is None else [checked_seat(record.rules, seat)]
        dealt = record.start.hands
        known = [SeatLocations(who, state.hands[who], public, dealt[who]) for who in seats]
        if dot or svg:
            model = kripke.KripkeModel.of(kripke.Scenario.from_locations(public))
            _draw(model, model.find(kripke.deal_of(state)).number, dot, svg)
        if as_json:
            click.echo(json.dumps({"ply": number, "seats": [_map_json(record, places) for places in known]}))
        else:
            for places in known:
                _map_table(record, places).print()
            print_lines(
                f"0 to {record.rules.seats - 1}: in that seat's hand, t: talon, b: its bottom, "
                "d: discard pile, x: table; several letters: it may be in any of these"
            )
        return
    deal = kripke.deal_of(state)
    found = kripke.answer(public, deal, formula, record.start.hands)
    if as_json:
        click.echo(json.dumps(_answer_json(found, formula, number, state)))
    else:
        print_lines(*_answer_lines(found, formula, number, state))
    if not (dot or svg):
        return
    if found.model is not None and found.actual is not None and found.model.size <= kripke.MAX_PICTURE:
        _draw(found.model, found.actual.number, dot, svg)
        return
    about = kripke.cards_of(formula)
    model = kripke.model_of_cards(public, about)
    _draw(model, model.find(deal).number, dot, svg)
    click.echo(f"the picture has the possible locations of {about} alone", err=True)


def _public(state: State, *, lowest: bool) -> PublicLocations:
    """Return the common knowledge; with ``lowest`` it includes what lowest defences reveal."""
    if not lowest:
        return PublicLocations.from_observation(state.observation(0))
    try:
        public = PublicLocations.from_observation(state.observation(0), lowest=True)
        held = all(
            public.hands[seat].accepts(hand.mask & public.hidden) for seat, hand in enumerate(state.hands)
        )
    except KnowledgeError:
        held = False
    if not held:
        raise KnowledgeError(
            "in this game a seat did not defend with its lowest card: leave out --lowest, or ask about an "
            "earlier move"
        )
    return public


def _parsed(text: str) -> kripke.Formula:
    try:
        return kripke.parse_formula(text)
    except NotationError as error:
        pointer = "" if error.position is None else f"\n  {printable(text)}\n  {' ' * error.position}^"
        raise click.UsageError(f"--formula: {error}{pointer}") from None


def _draw(model: kripke.KripkeModel, actual: int, dot: Path | None, svg: Path | None) -> None:
    for path, write in ((dot, kripke.write_dot), (svg, kripke.write_svg)):
        if path:
            write_text_atomically(path, write(model, actual))


# Maps


def _map_table(record: Record, places: SeatLocations) -> TextTable:
    rules = record.rules
    ranks = [card.rank for card in rules.deck if card.suit == Suit.SPADES]
    deck = {(card.suit, card.rank): card for card in rules.deck}
    rows = []
    for suit in sorted({card.suit for card in rules.deck}):
        there = [places.places_of(deck[suit, rank]) if (suit, rank) in deck else () for rank in ranks]
        cells = ["".join([_LETTERS.get(place, str(place)) for place in cell]) for cell in there]
        rows.append((suit.symbol, *cells))
    header = [Card(Suit.SPADES, rank).pretty.removesuffix(Suit.SPADES.symbol) for rank in ranks]
    return TextTable((seat_names(record.players)[places.seat], *header), tuple(rows))


def _map_json(record: Record, places: SeatLocations) -> dict[str, object]:
    seat, rules = places.seat, record.rules
    return {
        "seat": seat,
        "name": record.players[seat],
        "cards": {str(card): list(places.places_of(card)) for card in rules.deck},
        "knows_that_others_know": {
            str(other): [str(card) for card in places.known_to(other)]
            for other in range(rules.seats)
            if other != seat
        },
    }


def _show_types(
    at: tuple[Record, State, int], seat: int | None, *, as_json: bool, others: tuple[object, ...]
) -> None:
    """Print a seat's posterior over the others' types; ``others`` are options that exclude it."""
    if seat is None or any(others):
        raise click.UsageError(
            "--types is what one seat knows: expected --seat, and otherwise only --game, --ply and --json"
        )
    record, _, ply = at
    checked_seat(record.rules, seat)
    seat_to_show(record, seat)
    found = kripke.read_types(record, ply, seat)
    if as_json:
        click.echo(json.dumps({"ply": ply, "seat": seat, "types": found}))
        return
    names = seat_names(record.players)
    rows = [(names[other], *[f"{part:.1%}" for part in types.values()]) for other, types in found.items()]
    TextTable((f"as seat {seat} knows", *next(iter(found.values()))), tuple(rows)).print()


# Formulas


def _answer_lines(found: kripke.FormulaAnswer, formula: kripke.Formula, ply: int, state: State) -> list[str]:
    cards = kripke.cards_of(formula)
    word = "true" if found.value else "false"
    lines = [f"{word} after {ply} moves: {formula}", f"in the game: {_lying(cards, kripke.deal_of(state))}"]
    if found.model is None:
        return [*lines, "answered from what each seat knows of single cards"]
    for step in found.steps:
        world = found.model.world(step.world)
        lines.append(f"seat {step.seat} cannot rule out: {_lying(cards, world.cards)}")
        lines.append(f"  and there this is false: {step.formula}")
    true, size = sum(found.model.extension(formula)), found.model.size
    known = "one world: all know where these cards lie"
    return [*lines, known if size == 1 else f"true in {true:,} of {size:,} worlds"]


def _lying(cards: CardSet, deal: Mapping[Location, CardSet]) -> str:
    places = _places_json(cards, deal).items()
    return ", ".join([f"{card} {_WORDS.get(place, f'with seat {place}')}" for card, place in places])


def _answer_json(
    found: kripke.FormulaAnswer, formula: kripke.Formula, ply: int, state: State
) -> dict[str, object]:
    cards = kripke.cards_of(formula)
    model = found.model
    return {
        "ply": ply,
        "formula": str(formula),
        "value": found.value,
        "worlds": None if model is None else model.size,
        "true_in": None if model is None else sum(model.extension(formula)),
        "actual": _places_json(cards, kripke.deal_of(state)),
        "counterexample": [
            {
                "seat": step.seat,
                "cards": _places_json(cards, model.world(step.world).cards),
                "false": str(step.formula),
            }
            for step in found.steps
            if model is not None
        ],
    }


def _places_json(cards: CardSet, deal: Mapping[Location, CardSet]) -> dict[str, Location]:
    return {str(card): next(place for place, there in deal.items() if card in there) for card in cards}
