"""Marks and accuracies from scored lines: pure functions, no search."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import pairwise

import pytest
from playing import deck_of, play, random_record

from durak_core import PASS, Record, Rules, State, parse_action, read_game, write_game
from durak_core.review import (
    Review,
    Unevaluated,
    evaluate_move,
    evaluation_text,
    game_accuracy,
    mark_of,
    move_accuracy,
    percent_text,
    questions,
    reason_for_best,
    with_playouts,
)
from durak_core.search.search_result import SearchedAction


def line(text: str, score: float, margin: float = 0.01, *, exact: bool = False) -> SearchedAction:
    """A line whose interval lies evenly around its score."""
    spread = 0.0 if exact else margin
    low, high = max(0.0, score - spread), min(1.0, score + spread)
    return SearchedAction(parse_action(text), score, 1000, (), low, high, exact)


def between(score: float, low: float, high: float, *, exact: bool = False) -> SearchedAction:
    return SearchedAction(PASS, score, low=low, high=high, exact=exact)


def sure(score: float) -> SearchedAction:
    return between(score, score - 0.001, score + 0.001)


# Marks


@pytest.mark.parametrize(
    ("best", "played", "mark"),
    [
        (0.70, 0.70, ""),
        (0.70, 0.651, ""),
        (0.70, 0.65, "?!"),
        (0.70, 0.601, "?!"),
        (0.70, 0.60, "?"),
        (0.70, 0.551, "?"),
        (0.70, 0.55, "??"),
        (1.0, 0.0, "??"),
        (0.50, 0.60, ""),
    ],
)
def test_drops_of_5_10_and_15_points_are_marked(best, played, mark):
    assert mark_of(sure(best), sure(played)) == mark


@pytest.mark.parametrize(
    ("margin", "mark"), [(0.03, "??"), (0.05, "??"), (0.06, "?"), (0.07, "?"), (0.08, "?!"), (0.09, "")]
)
def test_a_mark_needs_half_of_its_threshold_to_be_surely_lost(margin, mark):
    """The loss is 15 points; it is sure within the margin of each move."""
    best, played = (between(score, score - margin, score + margin) for score in (0.7, 0.55))
    assert mark_of(best, played) == mark


@pytest.mark.parametrize(
    ("loss", "mark"), [(0.18, "??"), (0.179, "?"), (0.13, "?"), (0.129, "?!"), (0.05, "?!"), (0.049, "")]
)
def test_a_grave_mark_needs_three_points_more_of_a_compared_loss(loss, mark):
    """Compared actions are searched equally often, or nearly so by several threads."""
    best, played = line("6c", 0.7, 0.02), line("7c", 0.7 - loss, 0.02)
    assert mark_of(best, replace(played, visits=990)) == mark
    assert mark_of(best, replace(played, visits=300, high=0.9)) == ""


@pytest.mark.parametrize(
    ("told", "mark"),
    [(0.30, "??"), (0.12, "??"), (0.11, "?"), (0.08, "?"), (0.07, "?!"), (-0.10, "?!"), (-0.60, "?!")],
)
def test_playouts_only_make_a_mark_milder(told, mark):
    """The network finds a loss of 25 points; a grave mark needs three quarters of its threshold."""
    lines = line("6c", 0.7, 0.001), line("7c", 0.45, 0.001), line("8c", 0.4, 0.3)
    untried = SearchedAction(parse_action("8c"), 0.5)
    found = with_playouts(lines, [line("7c", 0.5 - told, 0.001), line("6c", 0.5, 0.001), untried])
    assert mark_of(*found[:2]) == mark
    assert [one.score for one in found] == [one.score for one in lines]
    assert found[0] == lines[0]
    assert found[2] == lines[2]


def test_a_proved_drop_is_marked_without_any_interval():
    """The loss is 15 points, and the value of the move that is not proved may be 8 higher."""
    best, played = between(0.7, 0.7, 0.7, exact=True), between(0.55, 0.47, 0.63)
    assert mark_of(between(1, 1, 1, exact=True), between(0.5, 0.5, 0.5, exact=True)) == "??"
    assert mark_of(best, played) == "?"
    assert mark_of(best, replace(played, exact=True)) == "??"


# Accuracy


def test_accuracy_falls_with_what_was_given_away_by_the_root_of_what_was_at_stake():
    """Values of 100 * exp(-4 * given / sqrt(stake)), calculated by hand."""
    assert move_accuracy(0.0, 0.3) == 100
    assert move_accuracy(0.05, 0.25) == pytest.approx(67.03, abs=0.01)
    assert move_accuracy(0.25, 0.25) == pytest.approx(13.53, abs=0.01)
    assert move_accuracy(0.05, 0.09) < move_accuracy(0.05, 0.25)


def test_accuracy_never_grows_with_what_was_given_away_and_stays_within_its_bounds():
    found = [move_accuracy(step / 200, 1.0) for step in range(201)]
    assert all(earlier > later for earlier, later in pairwise(found))
    assert found[0] == 100
    assert found[-1] > 0


def test_a_game_without_choices_has_no_accuracy():
    assert game_accuracy([]) is None


def test_one_move_is_the_games_accuracy():
    assert game_accuracy([(0.1, 0.2)]) == pytest.approx(move_accuracy(0.1, 0.2))


def test_a_games_accuracy_is_a_geometric_mean_in_which_high_stakes_weigh_more():
    """Stakes of 4 and 16 points weigh 0.2 and 0.4."""
    one, other = move_accuracy(0.04, 0.04), move_accuracy(0.04, 0.16)
    assert game_accuracy([(0.04, 0.04), (0.04, 0.16)]) == pytest.approx(one ** (1 / 3) * other ** (2 / 3))


def test_a_worse_move_never_makes_a_game_more_accurate():
    found = [game_accuracy([(0.02, 0.1), (drop / 100, 0.2), (0.0, 0.4)]) for drop in range(21)]
    assert all(earlier > later for earlier, later in pairwise(found))


# One move


def first_question():
    """The opening attack of seed 5's game, with its legal actions."""
    question = next(question for question in questions(random_record(Rules(), 5, "play")) if question.is_free)
    return question, [str(action) for action in question.observation.legal_actions]


def with_action(question, text):
    return replace(question, action=parse_action(text))


def test_what_was_played_is_compared_with_the_first_line():
    question, names = first_question()
    lines = [line(name, 0.7 - 0.14 * rank) for rank, name in enumerate(names)]
    made = evaluate_move(with_action(question, names[1]), lines)
    assert (made.mark, made.best.action, made.unevaluated) == ("?", parse_action(names[0]), None)
    assert made.drop == pytest.approx(0.14)
    assert made.accuracy == pytest.approx(move_accuracy(0.14, made.stake))
    assert made.stake == pytest.approx(0.14 * (len(names) - 1))
    assert evaluation_text(made) == f"56.0% ±1.0, best {names[0]} 70.0% ±1.0"


def test_the_best_move_loses_nothing():
    question, names = first_question()
    made = evaluate_move(
        with_action(question, names[0]), [line(names[0], 0.5), *(line(n, 0.4) for n in names[1:])]
    )
    assert (made.mark, made.drop, made.accuracy) == ("", 0.0, 100)
    assert evaluation_text(made) == "50.0% ±1.0"


def test_a_choice_in_which_little_was_at_stake_does_not_count():
    question, names = first_question()
    lines = [line(names[0], 0.5), *(line(name, 0.46) for name in names[1:])]
    made = evaluate_move(with_action(question, names[1]), lines)
    assert (made.accuracy, made.unevaluated) == (None, None)
    assert made.stake == pytest.approx(0.04)


def test_a_move_that_nearly_nobody_searched_is_not_judged():
    question, names = first_question()
    lines = [line(names[0], 0.6), *(line(name, 0.3, 0.3) for name in names[1:])]
    made = evaluate_move(with_action(question, names[1]), lines)
    assert (made.mark, made.accuracy, made.unevaluated) == ("", None, Unevaluated.TOO_LITTLE)
    assert "searched too little" in evaluation_text(made)


def test_a_move_in_doubt_counts_but_gets_no_mark():
    """Bad moves are searched little: to leave them out would make weak players look good."""
    question, names = first_question()
    lines = [line(names[0], 0.6, 0.1), *(replace(line(name, 0.4, 0.24), visits=9) for name in names[1:])]
    made = evaluate_move(with_action(question, names[1]), lines)
    assert (made.mark, made.unevaluated, made.reason) == ("", None, None)
    assert made.drop == pytest.approx(0.2)


def test_a_wide_interval_that_lies_far_below_is_judged():
    question, names = first_question()
    lines = [line(names[0], 0.95), *(line(name, 0.3, 0.26) for name in names[1:])]
    assert evaluate_move(with_action(question, names[1]), lines).mark == "??"


def test_the_best_move_is_judged_however_wide_its_interval():
    """Whoever played what the search thinks best has given nothing away, be the search ever so unsure."""
    question, names = first_question()
    lines = [line(names[0], 0.6, 0.3), *(line(name, 0.5, 0.3) for name in names[1:])]
    best = evaluate_move(with_action(question, names[0]), lines)
    assert (best.unevaluated, best.drop, best.accuracy) == (None, 0.0, 100)
    assert evaluate_move(with_action(question, names[1]), lines).unevaluated is Unevaluated.TOO_LITTLE


def test_where_everything_ends_the_same_nothing_is_judged():
    question, names = first_question()
    made = evaluate_move(with_action(question, names[1]), [line(name, 0.0, exact=True) for name in names])
    assert (made.mark, made.accuracy, made.unevaluated) == ("", None, Unevaluated.NO_DIFFERENCE)
    assert evaluation_text(made) == "lost"


@pytest.mark.parametrize(("second", "mark"), [(0.59, "!"), (0.61, "")])
def test_the_only_good_move_is_praised_where_it_is_not_obvious(second, mark):
    question, names = first_question()
    lines = [line(names[0], 0.7), *(line(name, second) for name in names[1:])]
    played = with_action(question, names[0])
    assert evaluate_move(replace(played, obvious=parse_action(names[1])), lines).mark == mark
    assert evaluate_move(replace(played, obvious=parse_action(names[0])), lines).mark == ""


def test_an_answer_to_another_card_than_the_oldest_is_worth_what_comes_after_it():
    """Rules 5.5: any order of answers leads to the same position, and nobody learns anything between."""
    rules = Rules.preset("podkidnoy", attack_style="volley")
    deck = deck_of(rules, ("6s6h7s8cTdJd", "9s9hTsThJsJh"), bottom="6d")
    state = play(State.from_deck(rules, deck, 0), "6s 6h pass 9hx6h 9sx6s")
    asked = questions(Record.of(state, ("A", "B")))
    other, own = asked[3], asked[4]
    assert other.action not in other.observation.legal_actions
    lines = [line(str(action), 0.6) for action in other.observation.legal_actions]
    after = [line(str(action), 0.4) for action in own.observation.legal_actions]
    made = evaluate_move(other, lines, after)
    assert (made.mark, made.played.score) == ("??", 0.4)
    assert evaluate_move(other, lines).unevaluated is Unevaluated.NOT_LISTED


def test_what_comes_after_an_answer_counts_only_where_it_was_a_choice():
    """A forced move is not searched, whatever lines there may be of it."""
    rules = Rules.preset("podkidnoy", attack_style="volley")
    deck = deck_of(rules, ("6s6h7s8cTdJd", "7dTcJcQcKcAc"), bottom="6d")
    record = Record.of(play(State.from_deck(rules, deck, 0), "6s 6h pass 7dx6h take"), ("A", "B"))
    asked = questions(record)
    assert [question.is_free for question in asked[3:]] == [True, False]
    answers = {4: [line("7dx6s", 0.6), line("take", 0.5)], 5: [line("take", 0.5)]}
    assert Review(record, asked, answers).evaluations[4].unevaluated is Unevaluated.NOT_LISTED


# A whole game


def answers_for(record, *, best="played"):
    """Score every choice: what was played is the best, or the first other action is, by 20 points."""
    found = {}
    for question in questions(record):
        actions = [question.action] + [
            action for action in question.observation.legal_actions if action != question.action
        ]
        if best != "played":
            actions = actions[1:] + actions[:1]
        found[question.ply] = [line(str(action), 0.7 - 0.2 * bool(n)) for n, action in enumerate(actions)]
    return found


def test_questions_are_what_the_player_knew():
    record = random_record(Rules(seats=3), 5, "play")
    states = record.replay()
    asked = questions(record, states)
    assert [question.ply for question in asked] == list(range(1, len(record.moves) + 1))
    for question, state, move in zip(asked, states, record.moves, strict=False):
        assert question.observation == state.observation(move.seat)
        assert question.action == move.action
        assert question.is_free == (len(state.legal_actions) > 1)


def test_moves_without_a_choice_do_not_count():
    record = random_record(Rules(), 5, "play")
    asked = questions(record)
    review = Review(record, asked, answers_for(record))
    forced = [question.ply for question in asked if not question.is_free]
    assert forced
    assert all(review.evaluations[ply].unevaluated is Unevaluated.NO_CHOICE for ply in forced)
    counted = sum(review.player(seat).counted for seat in range(2))
    assert counted == len(asked) - len(forced)
    assert review.is_complete


def test_who_plays_the_best_moves_is_accurate_and_who_does_not_is_not():
    record = random_record(Rules(seats=3), 5, "play")
    asked = questions(record)
    good, bad = (Review(record, asked, answers_for(record, best=best)) for best in ("played", "other"))
    for seat in range(3):
        assert good.player(seat).accuracy == pytest.approx(100.0, abs=0.01)
        assert bad.player(seat).accuracy == pytest.approx(move_accuracy(0.2, 0.2))
        assert bad.player(seat).marks["??"] == bad.player(seat).counted
        assert bad.player(seat).given == pytest.approx(0.2 * bad.player(seat).counted)


@pytest.mark.parametrize(("every", "is_told"), [(2, False), (20, True)])
def test_who_was_searched_too_little_is_not_called_accurate(every, is_told):
    """Of the choices only the best ones were judged; where many others were not, that says nothing."""
    record = random_record(Rules(), 5, "play")
    answers = answers_for(record)
    for ply in list(answers)[::every]:
        best, *others = answers[ply]
        answers[ply] = [*others, replace(best, score=0.4, low=0.1, high=0.7)]
    reports = [Review(record, questions(record), answers).player(seat) for seat in range(2)]
    assert any(report.unsure for report in reports)
    assert all((report.accuracy is not None) == is_told for report in reports)


def test_the_curve_and_the_fortune_lead_from_the_first_choice_to_the_result():
    """What a player gave away and what came to it add up to the way from the first value to the end."""
    record = random_record(Rules(), 5, "play")
    review = Review(record, questions(record), answers_for(record, best="other"))
    for seat in range(2):
        curve = review.curve(seat)
        player = review.player(seat)
        first, last = next(iter(curve.values())), curve[len(record.moves)]
        assert last == (0.5 if record.result.draw else float(seat not in record.result.fools))
        assert first + player.fortune - player.given == pytest.approx(last)


def test_the_curve_never_rises_by_a_move():
    """The best line is the one tried most: another may stand higher, and still nobody gains by playing it."""
    record = random_record(Rules(), 5, "play")
    asked = questions(record)
    question = next(question for question in asked if question.is_free)
    others = [action for action in question.observation.legal_actions if action != question.action]
    lines = [
        line(str(others[0]), 0.6),
        *(line(str(action), 0.62) for action in [question.action, *others[1:]]),
    ]
    review = Review(record, asked, {question.ply: lines})
    curve = review.curve(question.seat)
    assert (curve[question.ply - 1], curve[question.ply]) == (0.6, 0.6)
    assert review.evaluations[question.ply].drop == 0.0


def test_a_review_grows_answer_by_answer():
    record = random_record(Rules(), 5, "play")
    asked = questions(record)
    everything = answers_for(record)
    nothing = Review(record, asked, {})
    assert nothing.open_plies == tuple(question.ply for question in asked if question.is_free)
    assert nothing.player(0).accuracy is None
    first = nothing.open_plies[0]
    one = Review(record, asked, {first: everything[first]})
    assert first in one.evaluations
    assert set(one.open_plies) == set(nothing.open_plies) - {first}
    assert not one.is_complete


def test_a_game_without_a_move_can_be_reviewed():
    record = replace(random_record(Rules(), 1), moves=())
    review = Review(record, questions(record), {})
    assert review.evaluations == {}
    assert review.is_complete
    assert [review.player(seat).accuracy for seat in range(2)] == [None, None]


def test_an_annotated_game_is_the_same_game_and_can_be_written_and_read():
    record = random_record(Rules.preset("perevodnoy", seats=3), 5, "play")
    review = Review(record, questions(record), answers_for(record, best="other"))
    free = review.open_plies or next(q.ply for q in review.asked if q.is_free)
    record = record.annotated(free, "!!", "so I thought")
    again = Review(record, questions(record), review.answers).annotated()
    assert [move.action for move in again.moves] == [move.action for move in record.moves]
    assert again.moves[free - 1].mark == "!!"
    assert again.moves[free - 1].comment.startswith("so I thought 50.0% ±1.0, best ")
    assert "??" in {move.mark for move in again.moves}
    assert set(again.tags) == {"Accuracy0", "Accuracy1", "Accuracy2"}
    assert read_game(write_game(again)) == again
    assert Review(again, review.asked, review.answers).annotated() == again


def endless_game(moves: int) -> Record:
    """Three players hand one card round the table as long as the rules allow."""
    state = State.deal(Rules(seats=3, stall_limit=1000), 1)
    while state.plies < moves:
        texts = {str(action): action for action in state.legal_actions}
        state = state.apply(texts.get("take") or texts.get("pass") or state.legal_actions[0])
    return Record.of(state, ("A", "B", "C"))


def test_the_review_of_an_endless_game_keeps_no_copies_of_its_events():
    record = endless_game(1200)
    states = record.replay()
    tracemalloc.start()
    asked = questions(record, states)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(asked[-1].observation.events) > 1200
    assert kept < 2500 * len(asked)


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (between(0.541, 0.529, 0.553), "54.1% ±1.2"),
        (between(1, 1, 1, exact=True), "won"),
        (between(0.5, 0.5, 0.5, exact=True), "draw"),
        (between(0, 0, 0, exact=True), "lost"),
    ],
)
def test_estimates_are_written_as_people_read_them(estimate, text):
    assert percent_text(estimate) == text


@pytest.mark.parametrize(("second", "is_worse"), [(0.68, True), (0.6801, False)])
def test_a_hint_names_a_worse_action_from_two_points_on(second, is_worse):
    """Less is as good: then there is nothing to explain."""
    question, names = first_question()
    lines = [line(names[0], 0.7), *(line(name, second) for name in names[1:])]
    assert (reason_for_best(question.observation, lines) is not None) == is_worse
