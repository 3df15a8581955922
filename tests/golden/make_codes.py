"""Writes codes.txt: codes of a hundred random games, which every version is to read (docs/game-codes.md).

A line holds the code, a digest of the game and its rules. The file only ever grows:

    python3 tests/golden/make_codes.py
"""

from __future__ import annotations

import hashlib
import random
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path

from durak_core import PRESETS, Record, Rules, write_game_code

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))

from playing import STYLES, TABLES, random_game, random_rules  # noqa: E402 - the folder of tests is not a package

GOLDEN = HERE / "codes.txt"
GAMES = 120
PLAYERS = ("human", "friend", "level:misha", "level:nina", "smart", "Пётр")
WHOLE = 20_000


def rules_of(seed: int) -> Rules:
    """Return the rules of a game: every preset with all seats and teams, then random rules."""
    tables = [(preset, teams, seats) for preset in PRESETS for teams, seats in TABLES]
    if seed < len(tables):
        preset, teams, seats = tables[seed]
        return Rules.preset(preset, seats=seats, teams=teams)
    rules = random_rules(random.Random(seed).choice, teams=seed % 2 == 0)
    return rules.changed(next_first_attacker="after_fool" if seed % 3 else "lowest_trump")


def game(rules: Rules, seed: int, style: str, moves: int) -> Record:
    """Return a random game: of each three, one has a small seed, one a large seed, and one no seed."""
    dealt = seed if seed % 3 else 2**62 + seed
    *_, last = islice(random_game(rules, dealt, style), moves + 1)
    players = random.Random(seed).choices(PLAYERS, k=rules.seats)
    record = Record.of(last, tuple(players))
    return record if seed % 3 < 2 else replace(record, seed=None)


def games() -> list[Record]:
    """Return the games, one in ten of them unfinished."""
    return [
        game(rules_of(seed), seed, STYLES[seed % len(STYLES)], 7 * (seed % 5) if seed % 10 == 9 else WHOLE)
        for seed in range(GAMES)
    ]


def digest(record: Record) -> str:
    """Return the beginning of a hash of the deal, the seed and the moves."""
    moves = " ".join(f"{move.seat}:{move.action}" for move in record.moves)
    deal = f"{''.join(map(str, record.deck))} {record.first_attacker} {record.by_lowest_trump} {record.seed}"
    return hashlib.sha256(f"{deal} {moves}".encode()).hexdigest()[:16]


def main() -> None:
    """Add the games that the file lacks; what stands there stays as it is, though rules have come since."""
    lines = GOLDEN.read_text(encoding="utf-8").splitlines()
    lines += [
        f"{write_game_code(record)} {digest(record)} {record.rules}" for record in games()[len(lines) :]
    ]
    GOLDEN.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
