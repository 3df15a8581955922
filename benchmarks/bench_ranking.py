"""Write the tables of Durak-Bench from its result lines.

python3 -m benchmarks.bench_ranking docs/experiments/benchmark/results.jsonl [--document docs/benchmark.md]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.exits import with_exit_codes
from durak_core.errors import DurakError, RecordError
from durak_core.files import MEGABYTE, read_json, read_text
from durak_core.lab.experiments import benchmark
from durak_core.lab.experiments.benchmark import rounded
from durak_core.lab.experiments.report import markdown_table, put_into
from durak_core.statistics import three_digits

_LARGEST: Final = 16 * MEGABYTE


def read_results(path: Path) -> list[dict[str, Any]]:
    """Read result lines.

    Raises:
        FileError: If the file cannot be read.
        RecordError: If a line is not a result of this benchmark, or its figures contradict each other.
    """
    results = []
    for number, line in enumerate(read_text(path, _LARGEST).splitlines(), 1):
        try:
            result: Any = read_json(line)
            fault = next(_faults(result), "")
            list(_ranked_cells(number, result))  # reads the other keys
        except (ArithmeticError, AttributeError, DurakError, LookupError, TypeError, ValueError) as error:
            fault = f"it is not a line of durak bench-agent ({type(error).__name__}: {error})"
        if fault:
            raise RecordError("{path}, line {number}: {fault}", path=path, number=number, fault=fault)
        results.append(result)
    return results


def _faults(result: dict[str, Any]) -> Iterator[str]:
    for key, expected in (("benchmark", benchmark.BENCHMARK), ("choices", benchmark.CHOICES)):
        if result[key] != expected:
            yield f"{key} {result[key]!r}: expected {expected!r}"
    is_trial = result["deals"] < benchmark.DEALS * len(benchmark.SEEDS)
    if result["trial"] is not is_trial:
        yield f"trial {result['trial']} with {result['deals']} deals: expected {is_trial}"
    if list(result["opponents"]) != list(benchmark.OPPONENTS):
        yield f"opponents {', '.join(result['opponents'])}: expected {', '.join(benchmark.OPPONENTS)}"
    means = []
    for name, one in result["opponents"].items():
        games = one["wins"] + one["draws"] + one["losses"]
        if games != 2 * result["deals"]:
            yield f"{games} games against {name}: expected {2 * result['deals']}"
        means.append((one["wins"] + one["draws"] / 2) / games)
        if one["score"] != rounded(means[-1]):
            yield f"score {one['score']} against {name}: expected {rounded(means[-1])}"
    mean = rounded(sum(means) / len(means))
    if result["score"] != mean:
        yield f"score {result['score']}: expected {mean}, the mean of all opponents"


def ranking(results: Iterable[Mapping[str, Any]]) -> str:
    """Return the Markdown table of result lines, best first; trials are marked."""
    ranked = sorted(results, key=lambda one: -one["score"])
    rows = [list(_ranked_cells(place, one)) for place, one in enumerate(ranked, 1)]
    heads = ["rank", "agent", "score (95 %)", *benchmark.OPPONENTS, "ms a move", "deals", "commit"]
    return markdown_table(heads, rows).rstrip()


def _ranked_cells(place: int, one: Mapping[str, Any]) -> Iterator[str]:
    low, high = one["interval"]
    spent = one["milliseconds_a_move"]
    yield str(place)
    yield f"`{one['agent']}`" + (f" ({one['name']})" if "name" in one else "")
    yield f"{one['score']:.3f} ({low:.3f}\N{EN DASH}{high:.3f})"
    yield from [f"{met['score']:.3f}" for met in one["opponents"].values()]
    yield "?" if spent is None else three_digits(spent)
    yield f"{one['deals']:,}" + (", trial" if one["trial"] else "")
    yield f"`{one['commit']}`"


def opponents_table() -> str:
    rows = [[name, f"`{text}`"] for name, text in benchmark.OPPONENTS.items()]
    return markdown_table(["name", "agent spec"], rows, numbers=False).rstrip()


@with_exit_codes("nothing is written")
def main(arguments: Sequence[str] | None = None) -> None:
    """Print the ranking, and write both tables into a document if one is named."""
    parser = argparse.ArgumentParser(
        prog="python3 -m benchmarks.bench_ranking", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("results", type=Path)
    parser.add_argument(
        "--document", type=Path, help="write there, at <!-- table: opponents --> and <!-- table: ranking -->"
    )
    given = parser.parse_args(arguments)
    text = ranking(read_results(given.results))
    print(text)
    if given.document:
        put_into(given.document, "opponents", opponents_table())
        put_into(given.document, "ranking", text)


if __name__ == "__main__":
    sys.exit(main())
