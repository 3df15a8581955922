"""The checker of prose finds habits in prose, and nothing in code."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tools import prose

BAD = {
    "What each action is worth.": "worth",
    "Two players, of whom one wins.": "relative",
    "It takes the card, for which nobody asked.": "actor",
    "Whoever fails loses.": "actor",
    "The file is for those who want it.": "actor",
    "The page says how it works.": "say",
    "Print a table and say which row is best.": "say",
    "The engine is told the time.": "say",
    "The agents were asked at every decision.": "ask",
    "Where no network was trained, the rule book is used.": "where",
    "Exit code 1 where something is wrong.": "where",
    "Every deal is gone through.": "vague",
    "They are played at a commit, those of\ntiny decks at another.": "pronoun",
    "The cards of each seat are known; no draws are left in the talon; the game can be solved.": "chain",
    "# What looking ahead brings": "heading",
    "It is right on the mean.": "archaic",
    "A number, or else none.": "archaic",
    "A panel beside the table.": "archaic",
    "It stands in the title.": "archaic",
    "Judge every move.": "term",
    "It runs as machine code.": "term",
    "10 ms of processor time.": "term",
    "The text of an agent is parsed.": "term",
    "The figure was measured at commit 0a1021b.": "notebook",
}

GOOD = [
    "It is worth trying.",
    "Besides, the test so far is the best.",
    "The player who passed leads.",
    "`durak says` is not a command.",
    "Where may a card be, and who knows?",
    "The folder where the games are.",
    "It fails, so that of all errors this is first.",
    "# How to write an engine",
    "**Loss rate, 2,000 games (commit 0a1021b, seed 1)**",
    "Cells | stand for rows; one semicolon is enough.",
    "```\nwhoever says this is worth nothing\n```",
    "[whoever](https://example.org/anew)",
    "Compute the value if it exists, otherwise return None.",
    "Only the last of the hands counts.",
]


@pytest.mark.parametrize(("text", "habit"), BAD.items(), ids=str)
def test_habits_are_found(text: str, habit: str) -> None:
    """Each habit has an example."""
    assert habit in {it.habit for it in prose.check_text(text, "page.md")}


@pytest.mark.parametrize("text", GOOD, ids=str)
def test_proper_words_pass(text: str) -> None:
    """Code, quoted names, captions and proper uses are no habits."""
    assert prose.check_text(text, "page.md") == []


def test_every_habit_has_an_example() -> None:
    """A new habit needs one."""
    assert set(prose.RULES["habits"]) == set(BAD.values())


def test_python_is_read_without_its_code() -> None:
    """Texts and comments count, joined ones as one sentence; names, keys and examples do not."""
    source = '''"""Play anew.

    >>> anew = 1  # whoever
    """
worth = {"worth": f"{whoever} cards " "on the"
    " mean"}  # judges it
# a longer comment, on
# the mean
'''
    found = prose.check_text(source, "module.py")
    assert [(it.line, it.words) for it in found] == [
        (1, "anew"),
        (5, "on the mean"),
        (6, "judges"),
        (7, "on the mean"),
    ]


def test_lessons_are_read_in_english() -> None:
    """The other lines of a lesson are positions, actions and translations."""
    found = prose.check_text("en: Begin\n anew.\nru: anew\nelse: anew\n", "a.lesson")
    assert [(it.line, it.words) for it in found] == [(2, "anew")]


def test_proper_uses_and_limits_name_habits() -> None:
    names = set(prose.RULES["habits"])
    assert {use["habit"] for use in prose.RULES["proper"]} <= {*names, "*"}
    assert prose.RULES["limits"].keys() <= names


def test_a_proper_use_passes_in_its_files_alone() -> None:
    """What is left of the sentence is still checked."""
    text = "# Nobody is the fool, and whoever wins tells them apart.\n"
    assert [it.words for it in prose.check_text(text, "page.py")] == ["whoever"]
    assert prose.check_text("en: Nobody waits.\n", "a.lesson") == []
    assert [it.words for it in prose.check_text("Nobody waits.\n", "page.md")] == ["Nobody"]


def test_statements_of_sql_are_code() -> None:
    assert prose.check_text('x = "SELECT game FROM judgements"\ny = "the judgements of it"\n', "a.py") == [
        ("a.py", 2, "term", "judgements", "evaluate, evaluation, analysis")
    ]


def test_the_exit_code_counts_beyond_the_limits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """0 within the limits, 1 beyond them, with the matches; a file that is named has none."""
    page = tmp_path / "page.md"
    monkeypatch.setattr(prose, "PLACES", (str(page),))
    for left in (0, 1):
        page.write_text(
            "A panel beside it.\n\n" * (prose.RULES["limits"]["archaic"] + left), encoding="utf-8"
        )
        assert prose.main([]) == left
        assert (f"{page}:3: archaic: “beside”" in capsys.readouterr().out) == bool(left)
    page.write_text("A panel beside it.\n", encoding="utf-8")
    assert prose.main([str(page)]) == 1
    assert f"{page}:1: archaic: “beside”" in capsys.readouterr().out
    page.write_text("A panel next to it.\n", encoding="utf-8")
    assert prose.main([str(page)]) == 0


def test_subjects_of_commits_come_from_the_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for subject, code in (("Judge every move", 1), ("Analyse every move", 0)):
        monkeypatch.setattr("sys.stdin", io.StringIO(f"Add a page\n{subject}\n"))
        assert prose.main(["-"]) == code
