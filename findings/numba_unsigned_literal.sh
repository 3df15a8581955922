#!/usr/bin/env bash
# Numba turns an unsigned 64-bit integer into a signed one when it meets a plain number.
#
# Guess: compiled `x % 36` and `x + 1` of a `uint64` stay `uint64`, as in NumPy 2.
# Fact: both become `int64`. With x = 2**63 + 11, NumPy gives 19 and 9223372036854775820, Numba 3 and
#   -9223372036854775796; x // 2 is negative. `x + np.uint64(1)` stays unsigned.
# Source: Numba's "Integer typing" (proposals/integer-typing.html): mixed signedness gives a signed integer.
# Hurt: random generators, hashes and card masks above 2**63: a compiled shuffle with `state % 36` draws other cards
#   than the interpreted one, without an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check numba==0.68.1 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import numba
import numpy as np

print("numba", numba.__version__, "numpy", np.__version__)


def results(x):
    return x % 36, x + 1, x // 2


x = np.uint64(2**63 + 11)
plain = [int(value) for value in results(x)]
compiled = list(numba.njit(results)(x))
print("expected:", plain)
print("happened:", compiled)
assert plain == [19, 2**63 + 12, 2**62 + 5]
assert compiled[:2] == [3, -(2**63) + 12]
assert compiled[2] < 0
PYTHON
