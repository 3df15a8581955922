#!/usr/bin/env bash
# joblib's generator of results takes all tasks while nobody reads a result.
#
# Guess: `Parallel(n_jobs=2, return_as="generator", pre_dispatch=4)` takes a few tasks ahead of the results that were read,
#   so that endless tasks and large results fit into memory.
# Fact: it takes all 20,000 tasks before the first result is read. `pre_dispatch` only bounds the tasks in progress;
#   finished results wait in memory without bound.
# Source: joblib.Parallel's documentation of `return_as` ("yields the results as soon as they are available") and
#   `pre_dispatch`; the example "Returning a generator in joblib.Parallel" says that it keeps memory low.
# Hurt: matches of many games that are read one by one: an endless stream of deals fills the memory, and a stopping
#   rule that stops reading does not stop the games.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check joblib==1.6.0
"$folder/venv/bin/python" - <<'PYTHON'
import time
from importlib.metadata import version

from joblib import Parallel, delayed

print("joblib", version("joblib"))
TASKS = 20_000
taken = 0


def tasks():
    global taken
    for number in range(TASKS):
        taken += 1
        yield delayed(abs)(number)


results = Parallel(n_jobs=2, backend="threading", return_as="generator", pre_dispatch=4)(tasks())
end = time.monotonic() + 120
while taken < TASKS and time.monotonic() < end:
    time.sleep(0.1)
print("expected: about 4 tasks taken before the first result is read")
print("happened:", taken)
assert taken == TASKS
assert sum(results) == TASKS * (TASKS - 1) // 2
PYTHON
