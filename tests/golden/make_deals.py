"""Writes deals.txt: the deals of some seeds, which are to stay the same for ever (rules 3.1).

A line holds the rules, the seed, the first attacker and the deck. The file only ever grows:

    python3 tests/golden/make_deals.py
"""

from __future__ import annotations

from pathlib import Path

from durak_core import PRESETS, Rules, State

GOLDEN = Path(__file__).with_name("deals.txt")

RULES = [
    *(f"{preset}:seats={seats}" for preset in PRESETS for seats in (2, 3, 6)),
    "podkidnoy:seats=4,lowest_rank=2",
    "podkidnoy:seats=5,lowest_rank=2,redeal_same_suit=4",
    "podkidnoy:seats=2,suits=1,lowest_rank=9,hand_size=2",
    "podkidnoy:seats=3,trumps=no",
    "podkidnoy:seats=3,redeal_trump_ace=yes",
    "podkidnoy:seats=2,lowest_rank=11,hand_size=4,redeal_same_suit=4,redeal_trump_ace=yes",
]
SEEDS = (0, 1, 2, 123456789, 2**63 - 1)


def line(rules: str, seed: int) -> str:
    """Return a deal's line."""
    state = State.deal(Rules.parse(rules), seed)
    return f"{rules} {seed} {state.first_attacker} {''.join(map(str, state.deck or ()))}"


def main() -> None:
    """Write the file."""
    GOLDEN.write_text(
        "\n".join(line(rules, seed) for rules in RULES for seed in SEEDS) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
