"""Learning curves of a training run, from its TensorBoard log.

python3 benchmarks/learning/curve.py FOLDER [--svg FILE] [--rows 12]

FOLDER is the folder of `durak train --out`. The program prints a Markdown table of the averaged network's
scores against fixed agents with 95 % intervals, and draws them as SVG.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from durak_core.files import write_text_atomically
from durak_core.lab import wilson_interval
from durak_core.lab.learn.settings import CHECKPOINT

WIDTH, HEIGHT, MARGIN = 640, 320, 48
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd")
PREFIX = "evaluation/"
HOURS = "evaluation/hours"


@dataclass(frozen=True, slots=True)
class Curve:
    """A figure over the games of training."""

    name: str
    games: tuple[int, ...]
    values: tuple[float, ...]


def read_curves(folder: Path) -> list[Curve]:
    """Read the evaluations of a run, the hours last."""
    log = EventAccumulator(str(folder / "log"), size_guidance={"scalars": 0})
    log.Reload()
    curves = []
    for tag in sorted(log.Tags()["scalars"], key=lambda tag: (tag == HOURS, tag)):
        if tag.startswith(PREFIX):
            events = log.Scalars(tag)
            games, values = tuple(e.step for e in events), tuple(e.value for e in events)
            curves.append(Curve(tag.removeprefix(PREFIX), games, values))
    return curves


def evaluation_length(folder: Path) -> int:
    """Return the number of games of each evaluation, from the run's checkpoint."""
    length: int = torch.load(folder / CHECKPOINT, weights_only=True)["settings"]["evaluate_length"]
    return length


def table(curves: list[Curve], rows: int, length: int) -> str:
    """Return some of the points, evenly spread, as Markdown."""
    scores, hours = curves[:-1], curves[-1]
    n = len(hours.games)
    places = sorted({round(i * (n - 1) / max(1, rows - 1)) for i in range(rows)})
    lines = [
        "| games | hours | " + " | ".join(f"against `{curve.name}`" for curve in scores) + " |",
        "| ---: | ---: |" + " ---: |" * len(scores),
    ]
    for place in places:
        cells = []
        for curve in scores:
            low, high = wilson_interval(curve.values[place], length)
            cells.append(f"{curve.values[place]:.3f} ({low:.3f} to {high:.3f})")
        lines.append(f"| {hours.games[place]:,} | {hours.values[place]:.2f} | {' | '.join(cells)} |")
    return "\n".join(lines)


def picture(curves: list[Curve]) -> str:
    """Return the scores over the games as SVG."""
    scores = curves[:-1]
    most = max(max(curve.games) for curve in scores)

    def x(games: float) -> float:
        return MARGIN + (WIDTH - 2 * MARGIN) * games / most

    def y(score: float) -> float:
        return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * score

    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
    parts = [
        f'{head} font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for tick in range(0, 11, 2):
        height = y(tick / 10)
        parts.append(f'<path d="M{MARGIN} {height:.1f}H{WIDTH - MARGIN}" stroke="#ddd"/>')
        parts.append(f'<text x="{MARGIN - 8}" y="{height + 4:.1f}" text-anchor="end">{tick / 10:.1f}</text>')
    for tick in range(5):
        games = most * tick / 4
        label = f"{games / 1e6:.2f}" if tick else "0"
        parts.append(
            f'<text x="{x(games):.1f}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{label}</text>'
        )
    parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 10}" text-anchor="middle">million games</text>')
    for curve, colour in zip(scores, COLOURS, strict=False):
        points = zip(curve.games, curve.values, strict=True)
        line = " ".join(f"{x(games):.1f},{y(score):.1f}" for games, score in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        height = y(curve.values[-1])
        parts.append(f'<text x="{WIDTH - MARGIN + 4}" y="{height:.1f}" fill="{colour}">{curve.name}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def main() -> None:
    """Print the table and draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--svg", type=Path)
    parser.add_argument("--rows", type=int, default=12)
    given = parser.parse_args()
    curves = read_curves(given.folder)
    print(table(curves, given.rows, evaluation_length(given.folder)))
    if given.svg:
        write_text_atomically(given.svg, picture(curves))


if __name__ == "__main__":
    main()
