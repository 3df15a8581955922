"""Bounded parsing of untrusted JSON: its length, its depth, and the length of its numbers."""

from __future__ import annotations

import json
import math
import re
from typing import Final

from durak_core.errors import NotationError
from durak_core.files import MEGABYTE

_DEEPEST: Final = 50
_DIGITS: Final = 300
"""Most digits of a number; longer ones fit no float, and parsing them takes quadratic time."""

_BRACKETS: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
"""Brackets, and the strings to skip."""


def read_json(text: str, most: int = MEGABYTE) -> object:
    """Parse JSON of at most ``most`` characters; raise `NotationError` if invalid or beyond the limits."""
    if len(text) > most:
        raise NotationError("this JSON is longer than {most} characters", most=most)
    _check_depth(text)
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NotationError("this is not JSON: {why}", error.pos, why=error.msg) from None


def _check_depth(text: str) -> None:
    depth = 0
    for bracket in _BRACKETS.finditer(text):
        if bracket[0] in "[{":
            depth += 1
        elif bracket[0] in "]}":
            depth -= 1
        if depth > _DEEPEST:
            raise NotationError("this JSON is nested too deeply", bracket.start())


def _whole(text: str) -> int:
    return int(_bounded(text))


def _decimal(text: str) -> float:
    number = float(_bounded(text))
    if math.isinf(number):
        raise NotationError("this JSON has a number that is too large: {number}", number=text)
    return number


def _bounded(text: str) -> str:
    if len(text) > _DIGITS:
        raise NotationError("this JSON has a number of {count} digits", count=len(text))
    return text


def _no_constant(name: str) -> object:
    raise NotationError("this is not JSON: there is no {name}", name=name)


_DECODER: Final = json.JSONDecoder(parse_int=_whole, parse_float=_decimal, parse_constant=_no_constant)
