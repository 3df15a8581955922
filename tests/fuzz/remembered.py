"""Texts that were once read wrongly, by their target; every finding gets a line here."""

from __future__ import annotations

from typing import Final

_MANY_DIGITS: Final = "9" * 5000
_DEEP: Final = "[" * 100_000

REMEMBERED: Final = (
    ("formulas", "K0 in(6s,1)" + " " * 100_000),
    ("engine messages", f'{{"template": "{{a:.2f}}", "values": {{"a": 1{"0" * 400}}}}}'),
    ("engine messages", '{"template": "{a:c}", "values": {"a": 9999999999999}}'),
    ("judgements", f'{{"hasty": [], "lines": {_DEEP}'),
    ("queries", "anna \ud800"),
    ("queries", "a " * 50_000),
    ("saves", f'[Rules "podkidnoy"]\n[Hints "{_MANY_DIGITS}"]'),
)
"""Targets and texts."""
