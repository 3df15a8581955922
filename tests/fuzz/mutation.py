"""Texts that are nearly right: pieces of real ones lost, doubled, moved, swapped, grown and nested."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from typing import Any, Final

_ODD: Final = (
    *"\0\x07\x1b\x7f\x85\xa0\xad\u2028\u2029\u200b\u202e\u2066\ufeff\ud800\udfff\U000e0041\U0010ffff",
    *"٣²Ⅷ½İßﬃ́😀",
    "\r\n",
    "\x1b]0;X\a",
    "\x1b[2J",
)
"""What terminals obey, what has no glyph, halves of pairs, digits that are none, letters that grow."""

_NUMBERS: Final = (
    *("0", "-1", "+1", "00", "1e999", "-0.0", "nan", "inf", "1_000", "0x10", "1.5", "1e-320"),
    *(str(2**31), str(2**63), str(2**64), str(10**18), "9" * 400, "9" * 5000),
)
_ALPHABET: Final = "0123456789TJQKAshdcxX ?+-/,.:;=!*^><()[]{}\"'\\|&#%_~\n\t"
_NESTS: Final = ("[", "{", "(", '{"a":', "[[", '"', "!", "K0 ", "a.")
_VALUES: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, -1, 2**63, 10**400, 0.5, float("inf"), float("nan"), "", "6c", "\0", "\ud800"),
    *([], {}, [[]], {"": None}, [0] * 50, {"a": {"a": 0}}, "9" * 5000, "take", "yes", "none"),
)
_WORD: Final = re.compile(r"\w+|\s+|.", re.DOTALL)
_DIGITS: Final = re.compile(r"\d+")

SMALL: Final = 3_000
"""Characters of most inputs at most; one in some hundreds may be larger."""


class Mutator:
    """Makes inputs from real texts, the same ones from the same seed.

    Args:
        texts: Real texts.
        seed: Of all chance.
        most: Characters of the largest inputs.
    """

    def __init__(self, texts: Sequence[str], seed: int, most: int = 100_000) -> None:
        self._texts = texts
        self._most = most
        self._chance = random.Random(seed)
        self._ways = (
            *(self._cut, self._lose, self._double, self._move, self._splice, self._insert, self._change),
            *(self._swap_words, self._number, self._odd, self._nest, self._repeat, self._node),
        )

    def text(self) -> str:
        """Return the next input."""
        pick = self._chance.choice
        text = pick(self._texts)
        for _ in range(pick((1, 1, 1, 2, 2, 3, 5))):
            text = pick(self._ways)(text)
        is_large = self._chance.random() < 0.003
        return text[: self._most] if is_large else text[:SMALL] if len(text) > 2 * SMALL else text

    def _place(self, text: str) -> tuple[int, int]:
        """Return the beginning and the end of a piece."""
        start = self._chance.randint(0, len(text))
        return start, min(len(text), start + self._chance.choice((1, 1, 2, 3, 8, 40, 200)))

    def _cut(self, text: str) -> str:
        start, _ = self._place(text)
        return self._chance.choice((text[:start], text[start:]))

    def _lose(self, text: str) -> str:
        start, end = self._place(text)
        return text[:start] + text[end:]

    def _double(self, text: str) -> str:
        start, end = self._place(text)
        return text[:end] + text[start:]

    def _move(self, text: str) -> str:
        start, end = self._place(text)
        rest = text[:start] + text[end:]
        at = self._chance.randint(0, len(rest))
        return rest[:at] + text[start:end] + rest[at:]

    def _splice(self, text: str) -> str:
        other = self._chance.choice(self._texts)
        start, end = self._place(other)
        at, _ = self._place(text)
        return text[:at] + self._chance.choice((other[start:], other[start:end] + text[at:]))

    def _insert(self, text: str) -> str:
        at, _ = self._place(text)
        return text[:at] + self._chance.choice(_ALPHABET) + text[at:]

    def _change(self, text: str) -> str:
        at, _ = self._place(text)
        return text[:at] + self._chance.choice(_ALPHABET) + text[at + 1 :]

    def _odd(self, text: str) -> str:
        at, end = self._place(text)
        anything = chr(self._chance.randrange(0x110000))
        return text[:at] + self._chance.choice((*_ODD, anything)) + text[self._chance.choice((at, end)) :]

    def _swap_words(self, text: str) -> str:
        words = _WORD.findall(text[:SMALL])
        if len(words) < 2:
            return text
        here, there = self._chance.randrange(len(words)), self._chance.randrange(len(words))
        words[here], words[there] = words[there], words[here]
        return "".join(words) + text[SMALL:]

    def _number(self, text: str) -> str:
        found = [match.span() for match in _DIGITS.finditer(text[:SMALL])]
        start, end = self._chance.choice(found) if found else self._place(text)
        return text[:start] + self._chance.choice(_NUMBERS) + text[end:]

    def _nest(self, text: str) -> str:
        at, _ = self._place(text)
        return (
            text[:at] + self._chance.choice(_NESTS) * self._chance.choice((1, 2, 61, 200, 3000)) + text[at:]
        )

    def _repeat(self, text: str) -> str:
        start, end = self._place(text)
        piece = self._chance.choice((text[start:end], self._chance.choice(_ALPHABET)))
        times = self._chance.choice((2, 3, 10, 60, 300, self._most // (len(piece) or 1)))
        return text[:start] + piece * times + text[start:]

    def _node(self, text: str) -> str:
        """Put another value anywhere into JSON; other texts stay as they are."""
        if not text.lstrip().startswith(("{", "[")):
            return text
        try:
            root = json.loads(text)
        except (ValueError, RecursionError):
            return text
        holder = root
        while holder:
            key = self._chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
            if isinstance(holder[key], dict | list) and holder[key] and self._chance.random() < 0.7:
                holder = holder[key]
                continue
            way = self._chance.randrange(4)
            if way == 0:
                del holder[key]
            elif way == 1 and isinstance(holder, dict):
                holder[self._chance.choice(("", "a", key + "x", "\ud800"))] = holder.pop(key)
            else:
                holder[key] = self._chance.choice(_VALUES)
            break
        return json.dumps(root, ensure_ascii=self._chance.random() < 0.5)
