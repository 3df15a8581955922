"""Write the playthrough of Durak in OpenSpiel's format; run it again only if the game itself changes."""

from __future__ import annotations

from pathlib import Path

from open_spiel.python.algorithms.generate_playthrough import playthrough

from durak_core.lab.learn.adapters.open_spiel_game import NAME

GOLDEN = Path(__file__).parent / "open_spiel" / "python_durak.txt"
GAME = f"{NAME}(rules=podkidnoy:suits 2 lowest_rank 11 hand_size 3)"

if __name__ == "__main__":
    GOLDEN.write_text(playthrough(GAME, None, seed=1), "utf-8")
