"""Write the tables of Durak-Bench from its result lines.

python3 -m benchmarks.bench_ranking docs/experiments/benchmark/results.jsonl [--document docs/benchmark.md]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.exits import with_exit_codes
from durak_core.lab.experiments.benchmark import opponents_table, ranking, read_results
from durak_core.lab.experiments.report import put_into


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
