"""OpenSpiel's CFR+ solves Durak with a deck of four cards.

    python3 -m pip install '.[learn,examples]'
    python3 examples/open_spiel_cfr.py [--rules SPEC] [--iterations 20]

Exploitability is a best response's mean return against the average policy over both seats; it is 0 in an
equilibrium. The solver enumerates all deals, so only small decks can be solved.
"""

from __future__ import annotations

import argparse

import pyspiel
from open_spiel.python.algorithms import cfr, exploitability

from durak_core.lab.learn.adapters.open_spiel_game import NAME

RULES = "podkidnoy:lowest_rank=11,suits=1,hand_size=2"


def solve(rules: str, iterations: int) -> list[float]:
    """Return the exploitability before the first iteration and after each."""
    game = pyspiel.load_game(NAME, {"rules": rules})
    solver = cfr.CFRPlusSolver(game)
    course = [exploitability.exploitability(game, solver.average_policy())]
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
        course.append(exploitability.exploitability(game, solver.average_policy()))
    return course


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rules", default=RULES)
    parser.add_argument("--iterations", type=int, default=20)
    given = parser.parse_args()
    for iteration, reached in enumerate(solve(given.rules, given.iterations)):
        print(f"{iteration:3}: exploitability {reached:.4f}")


if __name__ == "__main__":
    main()
