"""What to remember of a game: the worst moves, and where it turned."""

from __future__ import annotations

from playing import random_record

from durak_core import Record, Rules
from durak_core.review import Review, Unevaluated, questions, turning_point, worst_moves
from durak_core.search.search_result import SearchedAction


def review_of(record, value_of, margin=0.0):
    """Judge a game: ``value_of`` says of a choice and its number the best score and what was lost.

    ``margin`` is half the width of every interval, or what gives that for a score.
    """
    wide = margin if callable(margin) else lambda _score: margin
    asked = questions(record)
    answers = {}
    free = [question for question in asked if question.is_free]
    for number, question in enumerate(free):
        best, drop = value_of(number, question)
        others = [action for action in question.observation.legal_actions if action != question.action]
        scores = {question.action: best - drop, others[0]: best if drop else best - 0.02}
        lines = [(action, scores.get(action, best - drop - 0.02)) for action in (question.action, *others)]
        lines.sort(key=lambda line: -line[1])
        answers[question.ply] = [
            SearchedAction(one, at, 1000, (), at - wide(at), at + wide(at), exact=False) for one, at in lines
        ]
    return Review(record, asked, answers)


def test_the_moments_to_learn_from_are_the_worst_ones_of_different_kinds_and_bouts():
    record = random_record(Rules(), 5, "play")
    review = review_of(record, lambda number, _question: (0.9, 0.06 + number / 1000))
    found = worst_moves(review, 0)
    bouts = {question.ply: question.observation.bout for question in review.asked}
    drops = [evaluation.drop for evaluation in found]
    assert len(found) == 3
    assert drops == sorted(drops, reverse=True)
    assert drops[0] == max(j.drop for j in review.evaluations.values() if j.seat == 0)
    assert len({evaluation.reason.template for evaluation in found}) == 3
    assert len({bouts[evaluation.ply] for evaluation in found}) == 3


def test_only_moves_with_a_mark_are_moments_to_learn_from():
    record = random_record(Rules(), 5, "play")
    review = review_of(record, lambda number, _question: (0.9, 0.2 if number == 3 else 0.04))
    ply = review_ply(review, 3)
    assert [evaluation.ply for seat in (0, 1) for evaluation in worst_moves(review, seat)] == [ply]


def review_ply(review, number):
    """The ply of the choice with this number."""
    return [question.ply for question in review.asked if question.is_free][number]


def test_a_game_turns_where_the_chance_came_to_the_side_of_the_result_for_good():
    record = random_record(Rules(), 5, "play")
    (fool,) = record.result.fools
    review = review_of(
        record, lambda number, question: (0.7 if (question.seat == fool) == (number < 6) else 0.3, 0)
    )
    for seat in range(2):
        turn = turning_point(review, seat)
        own = [q.ply for q in review.asked if q.is_free and q.seat == seat]
        later = next(ply for ply in own if ply >= review_ply(review, 6))
        assert turn.last == later - 1
        assert turn.own is None
        assert (turn.before, turn.after) == ((0.7, 0.3) if seat == fool else (0.3, 0.7))


def test_a_game_turns_by_a_move_of_ones_own_where_that_gave_the_lead_away():
    record = random_record(Rules(), 5, "play")
    (fool,) = record.result.fools
    asked = questions(record)
    own = [q.ply for q in asked if q.is_free and q.seat == fool][3]

    def value_of(_number, question):
        return (0.7, 0.4) if question.ply == own else (0.7 if question.ply < own else 0.3, 0)

    review = review_of(record, value_of)
    turn = turning_point(review, fool)
    assert (turn.ply, turn.last, turn.own) == (own - 1, own, review.evaluations[own])
    assert (turn.before, round(turn.after, 6)) == (0.7, 0.3)


def own_choices(record, seat):
    """The plies of a seat's choices."""
    return [question.ply for question in questions(record) if question.is_free and question.seat == seat]


def test_what_the_search_cannot_tell_from_noise_is_no_turning_point():
    """The same wobble about the fair share is one where the intervals are narrow."""
    record = random_record(Rules(), 5, "play")
    (fool,) = record.result.fools
    middle = own_choices(record, fool)[4]

    def value_of(_number, question):
        return (0.52 if question.ply < middle else 0.48), 0

    assert turning_point(review_of(record, value_of, 0.01), fool).before == 0.52
    assert turning_point(review_of(record, value_of, 0.05), fool) is None


def test_a_larger_step_between_overlapping_intervals_is_no_turning_point():
    """From 0.70 with a wide interval to 0.53 the lower end counts; the sure step comes after it."""
    record = random_record(Rules(), 5, "play")
    (fool,) = record.result.fools
    own = own_choices(record, fool)

    def value_of(_number, question):
        return (0.7 if question.ply < own[4] else 0.53 if question.ply == own[4] else 0.45), 0

    turn = turning_point(
        review_of(record, value_of, lambda score: {0.7: 0.15, 0.53: 0.05}.get(score, 0.01)), fool
    )
    assert (turn.before, turn.after) == (0.53, 0.45)


def test_a_wobble_after_the_game_has_turned_does_not_move_the_turning_point():
    record = random_record(Rules(), 5, "play")
    (fool,) = record.result.fools
    own = own_choices(record, fool)

    def value_of(_number, question):
        return (0.51 if question.ply == own[6] else 0.8 if question.ply < own[4] else 0.3), 0

    turn = turning_point(review_of(record, value_of, 0.02), fool)
    assert (turn.before, turn.after, turn.last) == (0.8, 0.3, own[4] - 1)


def test_of_several_steps_across_the_fair_share_the_largest_is_the_turning_point():
    record = random_record(Rules(), 5, "play")
    (fool,) = record.result.fools
    own = own_choices(record, fool)
    chances = {own[3]: 0.6, own[4]: 0.51, own[5]: 0.49}

    def value_of(_number, question):
        return chances.get(question.ply, 0.6 if question.ply < own[3] else 0.2), 0

    turn = turning_point(review_of(record, value_of, 0.03), fool)
    assert (turn.before, turn.after, turn.last) == (0.49, 0.2, own[6] - 1)


def test_a_choice_that_was_searched_too_little_is_not_blamed_on_the_others():
    """Its value is not known, so neither is whether the chance fell by it or after it."""
    record = random_record(Rules(), 5, "play")
    (fool,) = record.result.fools
    own = own_choices(record, fool)[4]

    def value_of(_number, question):
        return (0.9, 0.2) if question.ply == own else (0.9 if question.ply < own else 0.3, 0)

    def margin(score):
        return 0.3 if round(score, 2) == 0.7 else 0.01

    review = review_of(record, value_of, margin)
    assert review.evaluations[own].unevaluated is Unevaluated.TOO_LITTLE
    assert turning_point(review, fool) is None


def test_a_proved_draw_that_was_lost_is_a_turning_point():
    record = random_record(Rules(), 5, "play")
    (fool,) = record.result.fools
    last = own_choices(record, fool)[-1]
    review = review_of(record, lambda _number, question: (0.5, 0.5) if question.ply == last else (0.3, 0))
    turn = turning_point(review, fool)
    assert (turn.before, turn.after, turn.own) == (0.5, 0.0, review.evaluations[last])


def test_a_game_that_was_never_in_doubt_has_no_turning_point():
    record = random_record(Rules(), 5, "play")
    (fool,) = record.result.fools
    review = review_of(record, lambda _number, question: (0.2 if question.seat == fool else 0.8, 0))
    assert [turning_point(review, seat) for seat in range(2)] == [None, None]


def test_a_game_without_an_end_has_no_turning_point():
    record = random_record(Rules(), 5, "play")
    short = Record(record.rules, record.deck, record.first_attacker, record.players, record.moves[:9])
    review = review_of(short, lambda number, _question: (0.3 + 0.4 * (number % 2), 0))
    assert turning_point(review, 0) is None
