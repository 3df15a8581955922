"""Writes the golden games and playthroughs: for every preset one game of random moves.

``games`` holds their texts, ``playthroughs`` every position with its legal actions and the move that
was played. Run it when behaviour changes on purpose, and read the difference before it is committed:

    python3 tests/golden/make_games.py
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from durak_core import Record, Rules, State, write_game, write_position
from durak_core.kernel.position import derive, random_below

if TYPE_CHECKING:
    from collections.abc import Iterator

GAMES = {
    "podkidnoy-2": ("podkidnoy", 11),
    "perevodnoy-4": ("perevodnoy:seats=4", 43),
    "zarlykov-2": ("zarlykov", 13),
    "huji-3": ("huji:seats=3", 58),
    "groningen-3": ("groningen:seats=3,lowest_rank=9", 32),
    "van-khan-5": ("van-khan:seats=5", 58),
    "larsenbier-3": ("larsenbier:seats=3", 48),
    "online-3": ("online:seats=3", 66),
    "exchange-3": ("podkidnoy:seats=3,exchange_trump=yes", 77),
    "podkidnoy-2x2": ("podkidnoy:seats=4,teams=2x2", 71),
    "perevodnoy-2x3": ("perevodnoy:seats=6,teams=2x3", 72),
    "perevodnoy-3x2": ("perevodnoy:seats=6,teams=3x2,throw_in=neighbours", 73),
}
"""Rules and seed by file name."""

HERE = Path(__file__).parent
NAMES = ("Anna", "Boris", "Olga", "Пётр", "Zoë", "Ann-Marie")
_STREAM = 1 << 50
"""Stream of `derive` that draws the moves."""


def play(rules_text: str, seed: int) -> Record:
    """Play a game of moves drawn uniformly."""
    rules = Rules.parse(rules_text)
    state = State.deal(rules, seed)
    record = Record.of(state, NAMES[: rules.seats], date="2025-11-20", Event="Golden playthrough")
    chance = [derive(seed, _STREAM)]
    while not record.end.is_over:
        actions = record.end.legal_actions
        record = record.added(actions[random_below(chance, len(actions))])
    return record


def playthrough(record: Record) -> Iterator[str]:
    """Yield the lines of a playthrough."""
    states = record.replay()
    for state, move in zip(states, record.moves, strict=False):
        yield write_position(state)
        yield f"  legal {' '.join(map(str, state.legal_actions))}"
        yield f"  {move.seat}:{move.action}"
    yield write_position(states[-1])
    yield f"  {record.result}"


def files() -> Iterator[tuple[Path, str]]:
    """Yield every golden file and what belongs into it."""
    for name, (rules_text, seed) in GAMES.items():
        record = play(rules_text, seed)
        yield HERE / "games" / f"{name}.durak", write_game(record)
        yield HERE / "playthroughs" / f"{name}.txt", "\n".join(playthrough(record)) + "\n"


def main() -> None:
    """Write the files."""
    for path, text in files():
        path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
