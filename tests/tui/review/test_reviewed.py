"""A game under review without a screen: where one looks, what is tried out, and who asks the engine."""

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from durak_core import Card, CardSet, IllegalActionError, parse_action, read_games, read_json_lines
from durak_core.errors import FileError, Message
from durak_core.review import turning_point, worst_moves
from durak_core.review.reasons import SeatName
from durak_core.search.search_result import SearchedAction
from durak_tui.hints.view.advice import marked_words, reason_words
from durak_tui.play.analysis import AnalysisCache, Source
from durak_tui.play.setup import play_on_setup, usual_players
from durak_tui.review.model import (
    Reviewer,
    ReviewGame,
    default_path,
    export_problem,
    export_review,
)
from durak_tui.review.view import (
    candidate_rows,
    curve_values,
    marked_log,
    overview,
    progress_words,
    review_prompt,
    score_words,
    turning_words,
    worst_move_words,
)
from durak_tui.table.view import accuracy_line
from durak_tui.text.phrases import Voice
from tui.helpers import until
from tui.reviewing import Content, Oracle, a_game

SMALL = "podkidnoy:seats=2,lowest_rank=10,hand_size=4"


def voice(game):
    return Voice(game.names, game.you)


async def judged(game, engine=None):
    """Let an engine judge the whole game."""
    told = []
    reviewer = Reviewer(game, engine or Oracle(), lambda: told.append(game.evaluated_moves))
    reviewer.start()
    await until(lambda: game.review.is_complete)
    await reviewer.close()
    assert told == sorted(told)
    return game


# Where one looks


def test_one_goes_through_a_game_move_by_move_and_bout_by_bout():
    game = ReviewGame(a_game())
    assert (game.key, game.last_ply) == ((0, ()), len(game.record.moves))
    game.step(-1)
    assert game.ply == 0
    for ply in range(1, game.last_ply + 1):
        game.step(1)
        assert (game.ply, game.shown) == (ply, game.states[ply])
    game.step(1)
    assert game.ply == game.last_ply
    bouts = [game.shown.bout]
    while game.ply:
        game.go_bout(-1)
        bouts.append(game.shown.bout)
        assert game.ply == 0 or game.states[game.ply - 1].bout == game.shown.bout - 1
    assert bouts == sorted(bouts, reverse=True)
    game.go_bout(1)
    assert (game.shown.bout, game.shown.table) == (2, ())


def test_any_legal_action_is_tried_out_for_any_seat_and_the_game_stays_as_it_was():
    game = ReviewGame(a_game())
    game.go(4)
    start = game.shown
    seats = set()
    for _ in range(6):
        others = [choice.action for choice in game.candidates if choice.action != game.played]
        seats.add(game.shown.turn)
        game.follow(others[-1] if others else game.candidates[0].action)
    assert seats == {0, 1}
    assert game.path[: game.ply + 1] == tuple(game.states[: game.ply + 1])
    for (before, after), action in zip(pairwise(game.path[game.ply :]), game.tried, strict=True):
        assert before.apply(action) == after
    tip = game.shown
    game.step(-1)
    game.step(1)
    game.step(1)
    assert game.shown == tip
    while game.tried:
        game.step(-1)
    game.go(4)
    assert game.shown == start
    assert game.states == a_review().states


def a_review():
    return ReviewGame(a_game())


def test_hidden_cards_are_those_of_the_game_in_what_is_tried_out():
    game = a_review()
    game.follow(next(choice.action for choice in game.candidates if choice.action != game.played))
    before, after = game.path[-2:]
    everything = [card for hand in after.hands for card in hand] + list(after.talon)
    assert set(before.hands[1 - before.turn]) == set(after.hands[1 - before.turn])
    assert {*everything, after.table[0].attack} == set(before.rules.deck)


def test_the_games_own_move_is_followed_along_the_game():
    game = a_review()
    game.follow(game.played)
    assert game.key == (1, ())


def test_what_is_not_legal_cannot_be_tried_out():
    game = a_review()
    with pytest.raises(IllegalActionError):
        game.follow(parse_action("take"))
    assert game.key == (0, ())


def test_another_branch_replaces_what_was_tried_out_before():
    game = a_review()
    first, second = [choice.action for choice in game.candidates if choice.action != game.played][:2]
    game.follow(first)
    game.follow(game.candidates[0].action)
    game.step(-1)
    game.step(-1)
    assert game.key == (0, ())
    game.follow(second)
    game.step(1)
    assert game.tried == (second,)
    game.leave_variation()
    assert game.key == (0, ())


def test_the_view_is_the_persons_or_the_first_seats():
    assert ReviewGame(a_game()).viewer == 0
    assert ReviewGame(a_game(Player1="human")).viewer == 1
    assert ReviewGame(a_game(Player1="human"), viewer=0).viewer == 0


def test_the_moment_hides_what_the_viewer_does_not_see_until_hands_are_opened():
    game = a_review()
    assert game.moment.open_hands is None
    assert game.moment.observation == game.shown.observation(0)
    game.open_hands = True
    assert game.moment.open_hands == game.shown.hands


# Judging


async def test_an_engine_judges_every_choice_with_all_its_actions():
    engine = Oracle()
    game = await judged(ReviewGame(a_game(SMALL)), engine)
    assert game.evaluated_moves == game.free_moves == len(engine.asked)
    for observation, budget, _options in engine.asked:
        assert len(observation.legal_actions) > 1
        assert observation.seat == observation.turn
        assert (budget.time, budget.lines) == (75, 1000)
    marks = {evaluation.mark for evaluation in game.review.evaluations.values()}
    assert marks >= {"", "?!"}


async def test_the_position_shown_is_judged_first_also_one_that_is_tried_out():
    engine = Oracle()
    engine.may_answer.clear()
    game = ReviewGame(a_game())
    game.go(10)
    reviewer = Reviewer(game, engine, lambda: None)
    reviewer.start()
    await until(lambda: engine.asked)
    shown = next(ply for ply in range(10, 40) if len(game.states[ply].legal_actions) > 1)
    assert engine.asked[0][0] == game.states[shown].observation(game.states[shown].turn)
    game.go(shown)
    while not game.tried or len(game.shown.legal_actions) < 2:
        others = [choice.action for choice in game.candidates if choice.action != game.played]
        game.follow(others[0] if others else game.candidates[0].action)
    reviewer.attend()
    engine.may_answer.set()
    await until(lambda: game.key in game.answers)
    assert engine.asked[1][0] == game.shown.observation(game.shown.turn)
    await until(lambda: game.review.is_complete)
    assert reviewer.is_running
    await reviewer.close()
    assert not reviewer.is_running


def test_a_move_in_place_of_one_that_was_taken_back_has_all_its_searches():
    answers = AnalysisCache()
    answers.compared.update([(1, ()), (1, ()), (3, ())])
    answers.forget_from(2)
    assert answers.compared == {(1, ()): 2}


async def test_judging_is_left_off_and_taken_up_again_without_asking_twice():
    answers = AnalysisCache()
    game = ReviewGame(a_game(), answers=answers)
    engine = Oracle()
    reviewer = Reviewer(game, engine, lambda: game.evaluated_moves == 5 and reviewer.stop())
    reviewer.start()
    await until(lambda: not reviewer.is_running)
    assert game.evaluated_moves == 5
    again = ReviewGame(a_game(), answers=answers)
    assert again.evaluated_moves == 5
    other = Oracle()
    await judged(again, other)
    assert len(other.asked) == again.free_moves - 5


async def test_a_single_failure_is_forgiven_and_two_in_a_row_are_told():
    await judged(ReviewGame(a_game(SMALL)), Oracle(wrong=1))
    game = ReviewGame(a_game(SMALL))
    engine = Oracle(wrong=2)
    reviewer = Reviewer(game, engine, lambda: None)
    reviewer.start()
    await until(lambda: not reviewer.is_running)
    assert str(reviewer.problem) == "the engine has ended, or was ended"
    reviewer.start()
    await until(lambda: game.review.is_complete)
    assert not reviewer.problem
    await reviewer.close()


async def test_answers_of_an_engine_that_was_not_warm_are_bettered_when_it_is():
    engine = Oracle("plain")
    game = ReviewGame(a_game(SMALL))

    def warm_up():
        engine.backend = "compiled" if game.evaluated_moves >= 3 else "plain"

    reviewer = Reviewer(game, engine, warm_up)
    reviewer.start()
    await until(lambda: game.review.is_complete and not game.answers.hasty)
    await reviewer.close()
    assert len(engine.asked) == game.free_moves + 3


async def test_an_engine_that_leaves_actions_out_is_no_judge():
    class Forgetful(Oracle):
        async def answer(self, question, heard=None):
            search = await super().answer(question, heard)
            search.lines.pop(1)
            return search

    reviewer = Reviewer(ReviewGame(a_game(SMALL)), Forgetful(), lambda: None)
    reviewer.start()
    await until(lambda: not reviewer.is_running)
    assert "did not evaluate every action" in str(reviewer.problem)


# What is shown


async def test_after_the_viewers_last_mark_comes_the_first():
    game = await judged(ReviewGame(a_game()))
    marked = [one for one in game.review.evaluations.values() if one.mark == "?!"]
    found = [one.ply for one in marked if one.seat == game.viewer]
    assert 1 < len(found) < len(marked)
    for ply in [*found, found[0]]:
        assert game.go_mark("?!")
        assert game.key == (ply - 1, ())
    place = game.key
    assert not game.go_mark("!!")
    assert game.key == place


async def test_the_prompt_says_how_good_the_move_was():
    game = ReviewGame(a_game())
    assert review_prompt(game, voice(game)).text.endswith("(not analysed yet)")
    await judged(game)
    texts = []
    for ply in range(game.last_ply + 1):
        game.go(ply)
        texts.append(review_prompt(game, voice(game)).text)
    assert any(text.endswith(". The only legal move.") for text in texts)
    assert any(" ?!. " in text and " Better: " in text for text in texts)
    assert any(text.endswith(". The best move.") for text in texts)
    assert not any("%" in text or "±" in text for text in texts)
    assert texts[-1].endswith("is the fool.") or "drawn" in texts[-1]


async def test_the_log_has_the_marks_behind_the_moves():
    game = await judged(ReviewGame(a_game()))
    lines = [line for line in marked_log(game, voice(game)) if line.is_action]
    assert len(lines) == len(game.record.moves)
    for line in lines:
        mark = game.review.evaluations[line.ply].mark
        assert line.words.endswith(f" {mark}") if mark else line.words[-1] not in "!?"


async def test_the_scores_name_accuracy_and_marks():
    game = await judged(ReviewGame(a_game()))
    (seat, anna), (_, boris) = score_words(game)
    assert seat == 0
    assert anna == f"Anna {game.review.player(0).accuracy:.0f}%" + anna.partition("%")[2]
    assert " ?!)" in boris or " ?!," in boris
    assert score_words(game, marks=False)[1][1].endswith("%")


async def test_the_curve_has_straight_lines_between_what_is_known_and_ends_with_the_result():
    game = ReviewGame(a_game())
    assert curve_values(game, 0) == [None] * (game.last_ply + 1)
    await judged(game)
    for seat in (0, 1):
        curve = game.review.curve(seat)
        values = curve_values(game, seat)
        assert [values[ply] for ply in curve] == list(curve.values())
        first = min(curve)
        assert values[:first] == [None] * first
        assert None not in values[first:]


def test_what_nobody_searched_has_no_estimate():
    game = ReviewGame(a_game())
    actions = game.shown.legal_actions
    lines = [SearchedAction(action, 0.5, low=0.0, high=1.0) for action in actions]
    game.answers.add_lines(game.key, lines)
    assert not any(choice.is_tried for choice in game.candidates)
    assert {choice.action for choice in game.candidates} == set(actions)


# Files, and playing on


@pytest.mark.parametrize(
    ("name", "read"), [("a.durak", read_games), ("a.json", read_json_lines), ("a.ndjson", read_json_lines)]
)
async def test_a_judged_game_is_exported_whole(tmp_path, name, read):
    game = await judged(ReviewGame(a_game()))
    path = export_review(game, str(tmp_path / name))
    assert [entry.name for entry in tmp_path.iterdir() if entry.is_file()] == [name]
    (written,) = read(path.read_text("utf-8"))
    assert [move.action for move in written.moves] == [move.action for move in game.record.moves]
    assert "?!" in {move.mark for move in written.moves}
    assert any(", best " in move.comment for move in written.moves)
    assert "Accuracy0" in written.tags


def test_exports_never_overwrite(tmp_path):
    game = ReviewGame(a_game())
    first = default_path(game)
    assert (first.name, export_problem(str(first))) == ("2026-11-20-Anna-Boris.durak", "")
    export_review(game, str(first))
    assert default_path(game).name == "2026-11-20-Anna-Boris-2.durak"
    assert "file already exists" in export_problem(str(first))
    assert "There is no folder" in export_problem(str(tmp_path / "nowhere" / "a.durak"))
    assert export_problem("  ") == "Expected the name of a file."


def test_an_export_says_why_its_folder_cannot_be_made(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("DURAK_DATA_DIR", str(tmp_path / "file" / "data"))
    game = ReviewGame(a_game())
    why = f"cannot be written: {tmp_path / 'file'} is in the way: it is no folder"
    with pytest.raises(FileError, match=re.escape(why)):
        export_review(game, str(default_path(game)))


def test_playing_on_seats_the_bots_of_the_record_and_the_person_where_one_looks():
    record = a_game(
        "podkidnoy:seats=3", players=("greedy",) * 3, Player0="human", Player1="random", Player2="x"
    )
    setup = play_on_setup(record, 2, "Zoe")
    assert setup.players == (usual_players(3, human=False)[0], "random", "human")
    assert setup.names == ("Anna", "Boris", "Zoe")
    assert play_on_setup(record, 2, "Anna").names == ("Anna", "Boris", "Clara")


# Keeping what was found


async def test_a_judgement_is_written_and_read_again():
    game = ReviewGame(a_game())
    await judged(game, Oracle(backend="plain"))
    again = ReviewGame(a_game())
    again.answers.load(game.answers.text(), game.answers.source, again.states)
    assert again.answers.by_ply() == game.answers.by_ply()
    assert again.answers.hasty == game.answers.hasty != frozenset()
    assert again.review.evaluations == game.review.evaluations
    assert again.answers.source == Source("Oracle", 300)
    assert again.answers.is_stored


async def test_only_the_game_itself_is_kept_and_not_what_was_tried_out():
    game = ReviewGame(a_game())
    other = next(choice.action for choice in game.candidates if choice.action != game.played)
    game.follow(other)
    await judged(game)
    assert any(tried for _ply, tried in game.answers._lines)
    again = ReviewGame(a_game())
    again.answers.load(game.answers.text(), game.answers.source, again.states)
    assert not any(tried for _ply, tried in again.answers._lines)
    assert again.review.is_complete


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", "{}", '{"hasty":[],"lines":{"0":["nonsense"]}}', '{"hasty":7,"lines":[]}']
)
def test_a_damaged_judgement_is_left_out(text):
    game = ReviewGame(a_game())
    game.answers.load(text, Source("Oracle", 300), game.states)
    assert game.answers.source is None
    assert game.evaluated_moves == 0


async def test_lines_that_do_not_fit_the_game_are_left_out():
    game = ReviewGame(a_game(seed=3))
    await judged(game)
    other = ReviewGame(a_game(seed=4))
    other.answers.load(game.answers.text(), game.answers.source, other.states)
    for ply, lines in other.answers.by_ply().items():
        assert {line.action for line in lines} == set(other.states[ply - 1].legal_actions)
    assert not other.review.is_complete


async def test_likely_mistakes_are_compared_with_the_best_move_and_grave_ones_three_times():
    game, engine = ReviewGame(a_game()), Oracle(margin=0.06, surest=0.01)
    reviewer = Reviewer(game, engine, lambda: None)
    reviewer.start()
    await until(lambda: reviewer.is_idle)
    await reviewer.close()
    looks = [budget.time for _observation, budget, _options in engine.asked]
    assert set(looks) == {75, 300, 1200}
    for time, compared, by_playouts in zip(looks, engine.compared, engine.by_playouts, strict=True):
        assert len(compared) == (0 if time == 75 else 2)
        assert time == 300 or not by_playouts
    shown = game.shown.observation(game.shown.turn)
    asked = [observation for observation, _budget, _options in engine.asked if observation != shown]
    waiting = [observation.seat != game.viewer for observation in asked]
    assert waiting == sorted(waiting), "the viewer's marks are sure before the others are looked at"
    compared = Counter(game.states[ply].turn for ply, _tried in game.answers.compared)
    assert max(compared.values()) <= 12
    assert not game.answers.doubts(game.review.evaluations)
    evaluations = game.review.evaluations
    marks_of = [(evaluations[ply + 1].mark, done) for (ply, _tried), done in game.answers.compared.items()]
    marks = set(marks_of)
    assert marks >= {("??", 3), ("?!", 1)}
    assert not marks & {("??", 1), ("?", 1), ("??", 2), ("?", 2), ("?!", 2)}
    assert sum(engine.by_playouts) == sum(done == 3 for _mark, done in marks_of)
    again = ReviewGame(game.record)
    again.answers.load(game.answers.text(), game.answers.source, again.states)
    assert again.answers.compared == game.answers.compared


def test_a_comparison_keeps_the_other_lines():
    def line(action, score, visits):
        return SearchedAction(parse_action(action), score, visits, low=score - 0.1, high=score + 0.1)

    answers, key = AnalysisCache(), (0, ())
    first = [line("6c", 0.6, 900), line("7c", 0.5, 90), line("8c", 0.4, 10)]
    answers.add_lines(key, first)
    untried = SearchedAction(parse_action("7c"), 0.5)
    compared = [line("8c", 0.62, 400), line("6c", 0.58, 400), untried]
    answers.add_lines(key, compared)
    assert answers.lines_at(key) == (compared[0], compared[1], first[1])
    answers.add_lines(key, [line("6c", 0.7, 50), line("8c", 0.3, 50), untried])
    assert answers.lines_at(key)[0] == compared[0], "a shorter comparison changes nothing"


# Why, and what is to be learnt


async def test_a_marked_move_says_why_and_other_moves_where_most_is_to_be_learnt():
    game = await judged(ReviewGame(a_game()))
    evaluation = next(j for j in game.review.evaluations.values() if j.mark == "??")
    game.go(evaluation.ply - 1)
    words = reason_words(evaluation.reason, voice(game))
    assert f" ??. {words[0].upper()}{words[1:]}. Better: " in review_prompt(game, voice(game)).text
    game.viewer = evaluation.seat
    learnt = ", ".join(str(j.ply) for j in sorted(worst_moves(game.review, game.viewer), key=lambda j: j.ply))
    assert f"Key moments for {game.names[game.viewer]}: {learnt}" in overview(game, Voice(game.names))
    assert f"Key moments: {learnt}" in overview(game, Voice(game.names, game.viewer))


async def test_figures_never_rise_down_the_list_of_actions():
    game = await judged(ReviewGame(a_game()))
    game.go(next(ply for ply, one in game.review.evaluations.items() if one.best is not None) - 1)
    first, *rest = game.candidates
    score = first.score + 0.01
    above = replace(rest[-1], score=score, low=score - 0.01, high=score + 0.01)
    game.answers.add_lines(game.key, (first, *rest[:-1], above))
    assert game.candidates[-1].score > game.candidates[0].score
    rows = candidate_rows(game, voice(game), figures=True)
    values = [float(row.value.split()[-1].rstrip("%")) for row in rows]
    assert values == sorted(values, reverse=True)


async def test_a_lost_game_says_why_in_one_sentence():
    game = await judged(ReviewGame(a_game()))
    (game.viewer,) = game.record.result.fools
    name, mistakes = game.names[game.viewer], worst_moves(game.review, game.viewer)
    assert mistakes[0].mark in {"??", "?"}
    told = overview(game, Voice(game.names))
    assert told.startswith(f"Why {name} lost: move ")
    assert all((f"move {one.ply} (" in told) == (one.mark in {"??", "?"}) for one in mistakes)
    assert overview(game, Voice(game.names, game.viewer)).startswith("Why you lost: move ")
    lucky = await judged(ReviewGame(a_game()), Content())
    (lucky.viewer,) = lucky.record.result.fools
    assert overview(lucky, Voice(lucky.names)).startswith("Bad luck: no mistake cost much")


async def test_only_the_viewers_choices_are_counted():
    game, told = ReviewGame(a_game()), []
    reviewer = Reviewer(game, Oracle(), lambda: told.append(progress_words(game)))
    reviewer.start()
    await until(lambda: reviewer.is_idle)
    await reviewer.close()
    count = game.own_choices
    assert 0 < count < game.free_moves
    numbers = range(count + 1)
    assert list(dict.fromkeys(told)) == [f"{done} of {count} choices analysed" for done in numbers]


async def test_what_is_to_be_learnt_waits_for_the_whole_judgement():
    game = ReviewGame(a_game())
    assert overview(game, voice(game)) == ""


def test_a_reason_has_names_and_signs_of_cards():
    said = Message(
        "{name} {card} {cards} {action}",
        name=SeatName(1),
        card=Card.parse("Th"),
        cards=CardSet.parse("9sJd"),
        action=parse_action("take"),
    )
    assert reason_words(said, Voice(("Anna", "Boris"), 0)) == "Boris 10♥ 9♠ J♦ taking"
    assert reason_words(said, Voice(("Anna", "Boris"), 1, ascii=True)) == "you 10h 9s Jd taking"


async def test_moves_to_learn_from_are_worded_with_the_moves_to_show():
    game = await judged(ReviewGame(a_game()))
    found = worst_moves(game.review, 1)
    said = worst_move_words(game, 1, voice(game))
    assert [ply for ply, _ in said] == [evaluation.ply - 1 for evaluation in found]
    for evaluation, (_, words) in zip(found, said, strict=True):
        assert words.startswith(f"Move {evaluation.ply}, ")
        assert words.endswith(f"{marked_words(evaluation, voice(game))}")


async def test_the_turning_point_is_worded():
    game = await judged(ReviewGame(a_game()))
    (fool,) = game.record.result.fools
    turn = turning_point(game.review, fool)
    words = turning_words(game, fool, voice(game))
    assert f"move {turn.own.ply if turn.own else turn.last}" in words
    assert "%" not in words


class ColdOracle(Oracle):
    """An engine that is not compiled yet: its first searches are too short to be of use."""

    async def answer(self, question, heard=None):
        self.margin = 0.01 if question.budget.time > 75 else 0.4
        return await super().answer(question, heard)


async def test_positions_searched_too_little_get_more_time():
    game, engine = ReviewGame(a_game(SMALL)), ColdOracle("plain")
    reviewer = Reviewer(game, engine, lambda: None)
    reviewer.start()
    await until(lambda: reviewer.is_idle)
    await reviewer.close()
    assert not any(one.unsure for one in map(game.review.player, (0, 1)))
    assert any(one.accuracy is not None for one in map(game.review.player, (0, 1)))
    first = engine.asked[0][0]
    times = [budget.time for observation, budget, _options in engine.asked if observation == first]
    assert times[:2] == [75, 300]
    assert times == sorted(times)


async def test_fewer_than_three_choices_that_count_give_no_accuracy():
    told = set()
    for plies in range(1, 30):
        game = await judged(ReviewGame(replace(a_game(), moves=a_game().moves[:plies])))
        for seat in (0, 1):
            player = game.review.player(seat)
            assert game.accuracy(seat) == (player.accuracy if player.counted > 2 else None)
            if 0 < player.counted < 3:
                told.add(accuracy_line(game, seat))
                assert seat not in dict(score_words(game))
    assert told == {"Too few choices mattered for an accuracy."}


async def test_an_engine_that_never_gets_sure_is_not_asked_for_ever():
    game, engine = ReviewGame(a_game(SMALL)), Oracle("plain", margin=0.4)
    reviewer = Reviewer(game, engine, lambda: None)
    reviewer.start()
    await until(lambda: reviewer.is_idle)
    await reviewer.close()
    asked = [observation for observation, budget, _options in engine.asked if budget.time > 75]
    assert len(asked) <= 2 * 12, "a budget for each player"
    seat = next(seat for seat in (0, 1) if game.review.player(seat).unsure)
    assert accuracy_line(game, seat).startswith("Too little time")
    game.viewer = seat
    assert not game.is_flawless, "what is not known is no praise"
    assert accuracy_line(game, seat, is_done=False).startswith("Analysing your game")
