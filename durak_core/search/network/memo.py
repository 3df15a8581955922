"""A table of a network's outputs, so that equal inputs are not evaluated again; also compiled."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Final, NamedTuple

from durak_core.kernel.random import scramble
from durak_core.search.backend.backend import Backend
from durak_core.search.network.arithmetic import Activations, Weights, action_values
from durak_core.search.network.encoding import MAX_ACTIVE

_SLOTS: Final = 1024
"""Entries; a new one replaces the one in its slot.

With a much larger table the weights do not stay in the processor's cache.
"""

_OUTPUTS: Final = 16
"""Maximum outputs of an entry; calls with more are not remembered."""

_BITS: Final = 10
"""Bits of an input's or action's number."""

_PACKED: Final = 6
"""Numbers in an integer of a key."""

_KEY: Final = 3 + (MAX_ACTIVE + _OUTPUTS) // _PACKED
"""Maximum integers of a key."""

_WORD: Final = 0xFFFF_FFFF


class Memo(NamedTuple):
    """Recent outputs of one network."""

    keys: MutableSequence[int]  # packed inputs and actions: the present ones, then an entry for each slot
    outputs: MutableSequence[float]  # `_OUTPUTS` for each slot


def new_memo(runner: Backend) -> Memo:
    return Memo(runner.integers((1 + _SLOTS) * _KEY), runner.floats((1 + _SLOTS) * _OUTPUTS))


def remembered_values(network: Weights, room: Activations, memo: Memo, n_inputs: int, n: int) -> None:
    """Write the same outputs as `action_values`, which is called if the table does not have them."""
    if n > _OUTPUTS:
        action_values(network, room, n_inputs, n)
        return
    keys = memo.keys
    keys[0] = n_inputs << _BITS | n
    end = _pack(room.inputs, n_inputs, keys, 1)
    end = _pack(room.actions, n, keys, end)
    digest = 0
    for i in range(end):
        digest = scramble(digest ^ (keys[i] & _WORD) ^ (keys[i] >> 32))
    slot = 1 + digest % _SLOTS
    start = slot * _KEY
    first = slot * _OUTPUTS
    same = 0
    while same < end and keys[start + same] == keys[same]:
        same += 1
    if same == end:
        for i in range(n):
            room.outputs[i] = memo.outputs[first + i]
        return
    action_values(network, room, n_inputs, n)
    for i in range(end):
        keys[start + i] = keys[i]
    for i in range(n):
        memo.outputs[first + i] = room.outputs[i]


def _pack(numbers: Sequence[int], n: int, keys: MutableSequence[int], end: int) -> int:
    """Append numbers to the present key and return its new length."""
    word = 0
    for i in range(n):
        word = word << _BITS | numbers[i]
        if i % _PACKED == _PACKED - 1:
            keys[end] = word
            end += 1
            word = 0
    keys[end] = word
    return end + 1
