"""Lessons: those that come with the program, the format, what the checker finds, and who tells them."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest
from commands import durak

from durak_core import parse_action
from durak_core.errors import FileError
from durak_core.lessons.lesson import (
    LARGEST,
    LEARNER,
    LessonError,
    Tutor,
    Verdict,
    faults,
    load_lesson,
    parse_lesson,
    read_lesson,
    shipped_lessons,
)
from durak_core.search.endgame.solver import solve_actions
from durak_tui.text.i18n import LANGUAGES

PAGE = Path(__file__).parents[3] / "docs" / "write-lessons.md"
SHIPPED = shipped_lessons()
RECAPS = {"en": "In short: ", "de": "Kurz: ", "ru": "Итог: ", "uk": "Підсумок: "}
"""What begins the last sentence of a shipped lesson, by language."""
POSITION = """\
step: rules=podkidnoy bout=5 attacker=1 defender=0 limit=6 phase=defence turn=0
 hands=8sQsKs6hJdTc/7s6c7cAdKd table=9d talon=AsTsKhQh9c+8h trump=8h"""


@pytest.fixture(scope="module")
def text() -> str:
    """The lesson that the documentation shows."""
    found = re.search(r"^```lesson\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def tutor(text) -> Tutor:
    return Tutor(parse_lesson(text, "a.lesson"))


def problems(text: str) -> list[str]:
    """Say everything that is wrong with a text."""
    try:
        return list(map(str, faults(parse_lesson(text, "a.lesson"))))
    except LessonError as error:
        return [str(error)]


def line_of(text: str, what: str) -> int:
    return text[: text.index(what)].count("\n") + 1


# Those that come with the program


def test_there_are_ten_lessons_in_every_language_of_the_app() -> None:
    """In the order of their numbers, each under a name of its own."""
    lessons = [load_lesson(path) for path in SHIPPED]
    assert [path.name for path in SHIPPED] == [f"{n}-{one.key}.lesson" for n, one in enumerate(lessons, 1)]
    assert len(lessons) == 10
    assert all(set(lesson.languages) == set(LANGUAGES) for lesson in lessons)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_lesson_has_four_to_eight_steps_and_something_to_do(path: Path) -> None:
    """And is without faults, down to the last sentence, which all languages say about the same cards."""
    lesson = read_lesson(path)
    assert list(faults(lesson)) == []
    assert 4 <= len(lesson.steps) <= 8
    assert sum(bool(step.ways) for step in lesson.steps) >= 2
    for step in lesson.steps:
        for saying in (step.saying, *[way.saying for way in step.ways]):
            cards = (
                [{name for name, _ in message.values} for message in saying.texts.values()] if saying else []
            )
            assert all(one == cards[0] for one in cards), f"{path}, line {step.line}"


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_shipped_lesson_ends_with_a_line_to_keep(path: Path, language: str) -> None:
    ends = [way.saying.said(language) for way in read_lesson(path).steps[-1].right_ways]
    assert ends
    assert all(RECAPS[language] in str(end) for end in ends)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_sentence_of_a_shipped_lesson_reads_without_words_for_cards(path: Path) -> None:
    """Forms such as ``{8c:gen}`` are for who has words; without them a card is its notation."""
    sayings = [
        saying for step in read_lesson(path).steps for saying in (step.saying, *[w.saying for w in step.ways])
    ]
    assert not [
        text for saying in sayings if saying for text in map(str, saying.texts.values()) if "{" in text
    ]


@pytest.mark.parametrize("path", SHIPPED[-2:], ids=lambda path: path.stem)
def test_what_the_endgame_lessons_teach_is_proved(path: Path) -> None:
    """The right actions are those that win with exact play, and no others do."""
    state = load_lesson(path).start
    for step in load_lesson(path).steps:
        state = step.position or state
        values = solve_actions(state.observation(LEARNER))
        assert values is not None
        for way in step.right_ways:
            assert {action for action, value in values.items() if value == 1} == set(way.actions)
            for action in (way.actions[0], *[move.action for move in way.moves]):
                state = state.apply(action)


# The format


def test_the_example_of_the_documentation_is_sound(text) -> None:
    """Also with the ends of lines of other systems, and without its remark."""
    assert problems(text) == []
    assert problems(text.replace("\n", "\r\n")) == []
    assert problems(text.partition("\n")[2]) == []


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("lesson: the-first-trump", "lesson: The first", "lesson:", "expected a name of small letters"),
        ("lesson: the-first-trump", "lessen: x", "lesson:", "lessen: found where lesson: is expected"),
        ("players:", "players: Masha", "players:", "expected no value on this line"),
        ("en: Masha\n", "en: Masha, Boris\n", "players:", "expected as many names in each language"),
        ("en: Masha\n", "", "players:", "en: is missing below it"),
        ("ru: Вы отбились", "de: Vorbei", "step:\n", "ru: is missing below it"),
        ("ru: Вы отбились", "de: Vorbei\nru: Вы", "step:\n", "the lesson's title is not in that language"),
        ("en: You have", "en: Over\nen: You have", "en: You have", "is there already"),
        ("ru: Вы отбились", "Вы отбились", "Вы отбились", "expected a key, a colon and a text"),
        ("step:\n", "stop:\n", "step:\n", "stop: found where step: is expected"),
        (POSITION, "step:", "step:", "the first one needs a position"),
        ("bout=5", "bout=five", "step: rules", "bout=five: expected a number"),
        ("limit=6", "limit=5", "step: rules", "limit=5: has to be 6"),
        ("do: Jdx9d", "do:", "do:", "expected one or more actions"),
        ("do: Jdx9d", "do: Jd over 9d", "do:", "'over' is not an action"),
        ("then: 1:pass", "then:", "then:", "expected 1 to 20 moves"),
        ("then: 1:pass", "then: pass", "then:", "'pass': expected a seat and an action"),
        ("then: 1:pass", "then: 1:off", "then:", "'off' is not an action"),
        ("What do you beat", "x" * 300, "en: Masha attacks", "expected 1 to 300 letters, found 3"),
        ("{9d}. Hearts", "{1d}. Hearts", "en: Masha attacks", "'1d' is not a card"),
        ("{9d}. Hearts", "{9d. Hearts", "en: Masha attacks", "braces stand around a card, as in {9c}"),
        ("Hearts are", "Hearts \x1b are", "en: Masha attacks", "letters and signs that can be shown"),
    ],
)  # fmt: skip
def test_what_does_not_follow_the_format_is_named_with_its_line(text, old, new, line, said) -> None:
    """The file, the line, and what would be right."""
    changed = text.replace(old, new, 1)
    (problem,) = problems(changed)
    place = line_of(changed if line in new else text, line)
    assert problem.startswith(f"a.lesson, line {place}: ")
    assert said in problem


def test_a_text_that_breaks_off_is_told_what_is_missing(text) -> None:
    """There is no line to name then."""
    assert problems("") == ["a.lesson: the file ends where lesson: is expected"]
    assert problems(text[: text.index("step:")]) == ["a.lesson: the file ends where step: is expected"]


def test_lessons_have_bounds(text, tmp_path) -> None:
    """Steps, and bytes of a file."""
    head, _, step = text.rpartition("\nstep:")
    many = head + f"\nstep:{step}" * 40
    assert problems(many)[0].endswith("a lesson has at most 40 steps")
    large = tmp_path / "large.lesson"
    large.write_text("#" * (LARGEST + 1))
    with pytest.raises(FileError, match=r"larger than 0\.0625 MB"):
        read_lesson(large)


# The checker


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("do: Jdx9d", "do: Tcx9d", "do:", "Tcx9d is not allowed here: only a higher card of the suit"),
        ("do: Jdx9d", "do: Jdx9d Jdx9d", "do:", "Jdx9d is in this step already"),
        ("else: 6hx9d", "else: Ahx9d", "else: 6hx9d", "the card is not in the hand of the seat to act"),
        ("then: 1:pass", "then: 1:Ts", "do:", "after Jdx9d: ply 1: Ts is not allowed here"),
        ("then: 1:pass", "then: 0:pass", "do:", "after Jdx9d: ply 1: pass by seat 0 is not allowed here"),
        ("do: Jdx9d\nthen: 1:pass", "else: Jdx9d", "step: rules", "else: needs a do: in the same step"),
        ("phase=defence turn=0\n hands=8sQsKs6hJdTc/7s6c7cAdKd table=9d",
         "phase=opening turn=1\n hands=8sQsKs6hJdTc/7s6c7cAdKd9d", "step: rules", "it is seat 1's turn"),
        ("else:\nen: You can beat it: {Jd}.\nru: Её можно побить: {Jd}.\n", "", "step: rules",
         "take is allowed here too: say with else:"),
        ("do: Jdx9d", "do: Jdx9d 6hx9d", "else: 6hx9d", "6hx9d is in this step already"),
        ("rules=podkidnoy", "rules=podkidnoy:seats=3", "step: rules", "2 hands for 3 seats"),
    ],
)  # fmt: skip
def test_what_cannot_be_played_is_named_with_its_line(text, old, new, line, said) -> None:
    """Each of these is one fault, or the first of some."""
    place = line_of(text, line)
    problem = problems(text.replace(old, new, 1))[0]
    assert problem.startswith(f"a.lesson, line {place}: ")
    assert said in problem


def test_a_step_that_ends_in_several_ways_is_followed_by_a_position(text) -> None:
    """Else nobody knows where the game goes on."""
    several = text.replace("do: Jdx9d", "do: Jdx9d 6hx9d").replace("else: 6hx9d", "else: take")
    (problem,) = problems(several)
    assert problem.endswith("the one before ends in several ways, so this one needs a position")
    assert problems(several.rpartition("\nstep:")[0]) == []


def test_everybody_at_the_table_has_a_name(text) -> None:
    """Three seats need two names beside the learner."""
    lesson = re.sub(r"^(..: \w+), \w+$", r"\1", SHIPPED[3].read_text("utf-8"), flags=re.MULTILINE)
    assert "2 others sit at this table, and players: names 1" in problems(lesson)[0]


# Who tells them


def test_a_tutor_waits_for_what_the_step_asks_for(tutor) -> None:
    """What is refused or not meant changes nothing; a right answer is played with what follows."""
    before = tutor.state
    refused = tutor.attempt(parse_action("Tcx9d"))
    assert (refused.verdict, refused.saying) == (Verdict.REFUSED, None)
    assert refused.why is not None
    assert refused.why.paragraph == "1.4"
    other = tutor.attempt(parse_action("6hx9d"))
    assert other.verdict is Verdict.OTHER
    assert other.saying is not None
    assert str(other.saying.said("ru")) == "Козыря жалко: Jd побьёт не хуже."
    assert str(other.saying.said("de")) == str(other.saying.said("en"))
    assert tutor.state is before
    with pytest.raises(LessonError, match="an answer is asked for"):
        tutor.go_on()
    right = tutor.attempt(parse_action("Jdx9d"))
    assert right.verdict is Verdict.RIGHT
    assert right.states[-1] is tutor.state
    assert [state.bout for state in right.states] == [5, 6]


def test_a_tutor_goes_on_and_back(tutor) -> None:
    """Back is the beginning of the step, and then the step before."""
    start = tutor.state
    tutor.attempt(parse_action("Jdx9d"))
    with pytest.raises(LessonError, match="nothing is asked for"):
        tutor.attempt(parse_action("6s"))
    tutor.go_on()
    assert (tutor.number, tutor.is_waiting, tutor.is_over) == (2, False, False)
    tutor.go_back()
    assert (tutor.number, tutor.state) == (1, start)
    tutor.attempt(parse_action("Jdx9d"))
    tutor.go_back()
    assert (tutor.number, tutor.state, tutor.is_waiting) == (1, start, True)
    tutor.attempt(parse_action("Jdx9d"))
    tutor.go_on()
    tutor.go_on()
    assert (tutor.number, tutor.is_over) == (2, True)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_learner_sees_no_hidden_card(path: Path) -> None:
    """The table of a lesson is an observation like any other."""
    tutor = Tutor(load_lesson(path))
    while not tutor.is_over:
        seen = tutor.state.observation(LEARNER)
        assert seen.hands is None
        assert seen.talon is None
        if tutor.is_waiting:
            tutor.attempt(tutor.step.right_ways[0].actions[0])
        tutor.go_on()


# The command


lessons = partial(durak, "lessons")


def test_check_says_a_sentence_for_each_fault(text, tmp_path) -> None:
    """Of every file; a file that is not there is a fault as well."""
    good, bad = tmp_path / "good.lesson", tmp_path / "bad.lesson"
    good.write_text(text, encoding="utf-8")
    bad.write_text(
        text.replace("do: Jdx9d", "do: Tcx9d").replace("else: 6hx9d", "else: 7sx9d"), encoding="utf-8"
    )
    result = lessons("check", good, bad, tmp_path / "none.lesson")
    assert result.exit_code == 2
    assert result.stdout == f"{good}: the-first-trump, 2 steps, in en, ru: no faults\n"
    lines = result.stderr.splitlines()
    assert [line.partition(": ")[0] for line in lines] == ["Error"] * 3
    assert "line 14: do: Tcx9d is not allowed" in lines[0]
    assert "line 18: else: 7sx9d" in lines[1]
    assert "there is no such file" in lines[2]


def test_play_asks_until_the_answer_is_right(text, tmp_path) -> None:
    """In any language of the lesson; the end of the input ends it."""
    path = tmp_path / "one.lesson"
    path.write_text(text, encoding="utf-8")
    result = lessons("play", path, "--language", "ru", typed="\nnonsense\n6hx9d\nTcx9d\nJdx9d\n\n\n")
    assert result.exit_code == 0
    assert "nonsense" in result.stdout
    assert "Козыря жалко" in result.stdout
    assert "валет бубен побьёт" in result.stdout
    assert "козырь ещё пригодится" in result.stdout
    assert not {*"♠♥♦♣"} & {*result.stdout}
    assert lessons("play", path, typed="take\n").exit_code == 0


def test_a_lesson_that_nobody_has_written_is_refused() -> None:
    """By its number."""
    for number in ("11", "0", "9" * 5000):
        result = lessons("play", number)
        assert result.exit_code == 2
        assert "expected 1 to 10, or a file" in result.stderr


def test_list_names_them_in_a_language() -> None:
    """With their numbers."""
    assert lessons("list", "--language", "ru").stdout.splitlines()[2] == "3  Козыри (6 steps)"
