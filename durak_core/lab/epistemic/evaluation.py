"""Operations on extensions: byte strings with 1 for each included world."""

from __future__ import annotations

from array import array
from itertools import compress
from typing import Final

_FLIP: Final = bytes([1, 0, *range(2, 256)])


def flipped(inside: bytes) -> bytes:
    return inside.translate(_FLIP)


def throughout(view: array[int], inside: bytes) -> bytes:
    """Return the equivalence classes that are entirely inside."""
    failing = set(compress(view, flipped(inside)))
    if not failing:
        return inside
    table = bytearray(b"\1") * (max(view) + 1)
    for class_ in failing:
        table[class_] = 0
    return bytes(map(table.__getitem__, view))


def touched(view: array[int], inside: bytes) -> bytes:
    """Return the equivalence classes that are at least partly inside."""
    return flipped(throughout(view, flipped(inside)))


def both(left: bytes, right: bytes) -> bytes:
    both = int.from_bytes(left, "little") & int.from_bytes(right, "little")
    return both.to_bytes(len(left), "little")


def either(left: bytes, right: bytes) -> bytes:
    either = int.from_bytes(left, "little") | int.from_bytes(right, "little")
    return either.to_bytes(len(left), "little")


def join_views(left: array[int], right: array[int]) -> array[int]:
    """Return the finest common coarsening of two partitions."""
    above = list(range(max(left) + 1))

    def root(class_: int) -> int:
        while above[class_] != class_:
            above[class_] = above[above[class_]]
            class_ = above[class_]
        return class_

    partner: dict[int, int] = {}
    for mine, other in set(zip(left, right, strict=True)):
        if other in partner:
            above[root(mine)] = root(partner[other])
        else:
            partner[other] = mine
    roots = [root(class_) for class_ in range(len(above))]
    return array("I", map(roots.__getitem__, left))
