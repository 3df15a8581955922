"""JSON from outside: what is none, too long, too deep or too large is refused at once."""

from __future__ import annotations

import time

import pytest

from durak_core.errors import NotationError
from durak_core.files import read_json


def test_json_is_read() -> None:
    """Brackets in texts do not count as nested ones, nor do many beside each other."""
    brackets = "[" * 1000
    text = f'{{"a": ["{brackets}\\"{{", 1, 2.5, true, null], "b": [{", ".join(["[]"] * 1000)}]}}'
    assert read_json(text) == {"a": [f'{brackets}"{{', 1, 2.5, True, None], "b": [[]] * 1000}
    assert read_json("[" * 50 + "]" * 50)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"this is not JSON: Expecting value \(at character 1\)"),
        ('{"a": \0}', "this is not JSON"),
        ('"a', "this is not JSON: Unterminated string"),
        ("[" * 51, r"nested too deeply \(at character 51\)"),
        ('{"a":' * 200_000, r"nested too deeply \(at character 251\)"),
        ("1" * 500_000, "a number of 500000 digits"),
        ("1" * 309, "a number of 309 digits"),
        ("-" + "1" * 401, "a number of 402 digits"),
        ("0." + "1" * 500_000, "a number of 500002 digits"),
        ("1e400", "a number that is too large: 1e400"),
        ("[NaN]", "there is no NaN"),
        ("[-Infinity]", "there is no -Infinity"),
        (" " * (1 << 20) + "1", "longer than 1048576 characters"),
        ('"' + '\\"' * 400_000, "this is not JSON"),
        ('"\\' * 400_000, "this is not JSON"),
        ('"' * 400_001, "this is not JSON"),
    ],
    ids=range(16),
)
def test_what_is_no_json_within_the_bounds_is_refused(text: str, message: str) -> None:
    """With one error, and in a time that grows with the text alone."""
    began = time.process_time()
    with pytest.raises(NotationError, match=message) as caught:
        read_json(text)
    assert time.process_time() - began < 1
    assert len(str(caught.value)) < 100


@pytest.mark.parametrize(
    "text", ['{"a":1,"a":2}', '{"a" : 1, "a" : 2}', '{"x": "\\":", "a" :1, "a":2}', '[{"a":1, "a":1}]']
)
def test_a_repeated_key_is_refused(text: str) -> None:
    """It would win without a word; spaces and quoted colons hide none."""
    with pytest.raises(NotationError, match="this JSON has the key a twice"):
        read_json(text)


def test_texts_that_look_like_keys_are_read() -> None:
    assert read_json('{"a": "b\\":", "c" : [1, {"a": 2}]}') == {"a": 'b":', "c": [1, {"a": 2}]}
