"""Texts carry their values: English by `str`, whole between processes, and every template fits its values."""

from __future__ import annotations

import ast
import pickle
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from durak_core.agents.registry import agent_text
from durak_core.config import ConfigError
from durak_core.errors import (
    LONGEST,
    AgentError,
    IllegalActionError,
    Message,
    NotationError,
    RecordError,
    RulesError,
    alternatives,
    printable,
    unknown,
)
from durak_core.game.record import BrokenGameError
from durak_core.rules import Rules

ROOT = Path(__file__).parents[2]
CONTROL = {"rule", "requirement", "position", "ply", "line", "partial", "at", "is_missing"}
"""What an error keeps beside its values."""
OTHERS = {"ConfigError", "IllegalActionError"}
"""Errors that take no template."""


def test_braces_in_values_are_safe():
    """A value is never a template, however deep it lies."""
    inner = Message("{a}", a="{b} {{ }")
    assert str(Message("{x}: {y!r}, {n:,} {{}}", x=inner, y="{x}", n=1000)) == "{b} {{ }: '{x}', 1,000 {}"


def test_equal_messages_are_one_key():
    """Templates and values decide."""
    one, other = (Message("{a} of {b}", a=1, b=Message("c")) for _ in range(2))
    assert {one: 1} == {other: 1}
    assert one != Message("{a} of {b}", a=2, b=Message("c"))


def test_alternatives_are_joined_in_their_order():
    """One stays as it is."""
    assert alternatives("none") == "none"
    number = Message("a number from {low} to {high}", low=1, high=2)
    assert str(alternatives("none", "never", number)) == "none or never or a number from 1 to 2"


def test_what_comes_from_outside_is_made_harmless_where_it_is_kept():
    """Texts, paths and the texts of the system's errors: escapes, directions, halves of pairs, line ends."""
    hostile = "\x1b]0;X\x07\x9b2J\u202e\ud800\r\n\u2028end\tof\xa0it"
    shown = "?]0;X??2J??   end of it"
    assert printable(hostile) == shown
    message = Message("{a} {b} {c}", a=hostile, b=Path(hostile), c=OSError(hostile))
    assert [value for _, value in message.values] == [shown] * 3


def test_long_texts_are_cut_in_their_middle_and_lists_between_their_words():
    """What was wrong and what would be right are both still there."""
    told = str(unknown(Message("there is no card {name}", name=repr("x" * 10**6)), "x" * 10**6, ["6c"] * 500))
    assert re.fullmatch(r"there is no card 'x+\.\.\.x+'; there are: (6c, )+\.\.\.", told)
    assert 400 < len(told) <= LONGEST


def test_no_text_is_longer_than_a_paragraph():
    """However many values there are, and in any language."""
    message = Message("{a}{b}{c}{d}", **dict.fromkeys("abcd", "x" * 10**6))
    assert len(str(message)) == len(message.said(lambda template: template * 9)) == LONGEST
    assert str(message).endswith("...")


def test_a_name_is_suggested_for_short_names_only():
    """Comparing takes a time that grows with the square of the length."""
    assert "did you mean greedy?" in str(unknown(Message("no"), "gredy", ["greedy"]))
    assert "did you mean" not in str(unknown(Message("no"), "greedy" * 200_000, ["greedy"]))


def test_texts_of_agents_and_rules_have_a_length():
    """A megabyte is refused before it is read."""
    with pytest.raises(AgentError, match="an agent spec of 1000007 characters: expected at most 2000"):
        agent_text("greedy:" + "x" * 10**6)
    with pytest.raises(RulesError, match="rules of 1000000 characters: expected at most 2000"):
        Rules.parse("x" * 10**6)


@pytest.mark.parametrize(
    ("error", "text", "kept"),
    [
        (AgentError("{count} agents", count=3), "3 agents", {}),
        (RulesError("{what} is too much", rule="3.4", what="{x}"), "{x} is too much (rules 3.4)", {}),
        (NotationError("found {a!r}", 4, a="{"), "found '{' (at character 5)", {"position": 4}),
        (RecordError("no {a}", 7, rule="2.1", a=1), "ply 7: no 1 (rules 2.1)", {"ply": 7}),
        (BrokenGameError("{a}", 2, line=3, position=9, a=1), "1", {"ply": 2, "line": 3, "position": 9}),
        (
            IllegalActionError("6c", "5.3", Message("no card of this rank"), ()),
            "6c is not allowed here: no card of this rank (rules 5.3); legal: none, the game is over",
            {"action": "6c", "paragraph": "5.3", "reason": Message("no card of this rank"), "legal": ()},
        ),
        (
            ConfigError(Message("missing"), "a.b", "7", "file.toml"),
            "file.toml: a.b=7: missing",
            {"problem": Message("missing"), "key": "a.b", "value": "7", "file": "file.toml"},
        ),
    ],
)
def test_errors_are_the_same_in_another_process(error, text, kept):
    """Text, message and attributes; workers send them back."""
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert str(error) == str(again) == text
    assert again.message == error.message
    assert type(again) is type(error)
    assert {name: getattr(again, name) for name in kept} == kept


def texts() -> Iterator[tuple[str, ast.Call]]:
    """Yield every call that makes a message or an error of the package."""
    found = [
        (path, node)
        for folder in ("durak_core", "durak_tui", "benchmarks")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef | ast.Call)
    ]
    classes = [node for _, node in found if isinstance(node, ast.ClassDef)]
    names, before = {"DurakError", "Message", "_error"}, set()
    while names != before:
        before = set(names)
        names |= {one.name for one in classes if any(getattr(base, "id", "") in names for base in one.bases)}
    for path, node in found:
        if isinstance(node, ast.Call) and node.args:
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
            if name in names - OTHERS:
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node


def test_every_template_is_a_literal_that_fits_its_values():
    """What is computed, even by an f-string, could hold braces, and nobody could translate it."""
    wrong, seen = [], 0
    for where, call in texts():
        template = call.args[0]
        if isinstance(template, (ast.JoinedStr, ast.BinOp)):
            wrong.append(f"{where}: {ast.unparse(template)}")
        if not isinstance(template, ast.Constant) or any(one.arg is None for one in call.keywords):
            continue
        seen += 1
        fields = {name for _, name, _, _ in string.Formatter().parse(template.value) if name is not None}
        given = {one.arg for one in call.keywords}
        if fields - given or given - fields - CONTROL:
            wrong.append(f"{where}: {template.value}")
    assert wrong == []
    assert seen > 200
