"""Writes network.npz: a tiny network for two seats of podkidnoy, which knows nothing about the game.

Tests play it where they ask how networks play and not how well:

    python3 tests/golden/make_network.py
"""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

from durak_core.lab.learn.arrays import network_bytes
from durak_core.search.network.encoding import ENCODING, input_size
from durak_core.search.network.weights import About, output_count

GOLDEN = Path(__file__).with_name("network.npz")
HIDDEN = (6, 5)


def network(
    rules: str = "podkidnoy",
    seats: int = 2,
    encoding: str = ENCODING,
    outputs: str = "outcome",
    hidden: tuple[int, ...] = HIDDEN,
) -> bytes:
    """Return a random network's file."""
    widths = (input_size(seats), *hidden, output_count(outputs, seats))
    chance = random.Random(1)
    n = sum((before + 1) * width for before, width in pairwise(widths))
    weights = [chance.uniform(-1, 1) for _ in range(n)]
    return network_bytes(
        About(encoding=encoding, outputs=outputs, rules=rules, widths=widths, games=0), weights
    )


def main() -> None:
    """Write the file."""
    GOLDEN.write_bytes(network())


if __name__ == "__main__":
    main()
