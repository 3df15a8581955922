"""Texts that were once read wrongly, by their target; every finding gets a line here."""

from __future__ import annotations

from typing import Final

from fuzz.readings import GOLDEN

_MANY_DIGITS: Final = "9" * 5000
_HINTS: Final = f'[Hints "{_MANY_DIGITS}"]'
_TRAINING: Final = (GOLDEN.parents[1] / "benchmarks/learning/dmc-two.toml").read_text("utf-8")
_DEEP: Final = "[" * 100_000

_TAGS: Final = "\n".join([f'[T{number} "a"]' for number in range(8000)])


def _head(tags: str) -> str:
    """Return a game's tags with more behind them."""
    game = (GOLDEN / "games" / "podkidnoy-2.durak").read_text("utf-8")
    return game.partition("[Date")[0] + tags + "\n"


REMEMBERED: Final = (
    ("formulas", "K0 in(6s,1)" + " " * 100_000),
    ("engine messages", f'{{"template": "{{a:.2f}}", "values": {{"a": 1{"0" * 400}}}}}'),
    ("engine messages", '{"template": "{a:c}", "values": {"a": 9999999999999}}'),
    ("judgements", f'{{"hasty": [], "lines": {_DEEP}'),
    ("queries", "anna \ud800"),
    ("queries", "a " * 50_000),
    ("games", f"{_head(_TAGS)}\n{'{a} ' * 8000}\n*\n"),
    ("training", _TRAINING.replace("rate = ", f"rate = {'9' * 350} # ")),
    ("SPRT", _MANY_DIGITS + ","),
    ("agents", f"random:{'uniform,' * 100_000}"),
    ("agents", f'dmc:weights="{"x" * 100_000}", {"open," * 20_000}'),
    ("bots", f"random:uniform{',uniform' * 100_000}"),
    ("saves", f"{_head(_HINTS)}\n*\n"),
)
"""Targets and texts."""
