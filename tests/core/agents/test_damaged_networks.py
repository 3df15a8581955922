"""Files of networks that are damaged or made to do harm: each is refused in words, at once."""

from __future__ import annotations

import json
import os
import random
import time
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from io import BytesIO
from pathlib import Path

import make_network
import pytest

from durak_core import AgentError, make_agent
from durak_core.search.network.weights import read_network

GOOD = make_network.GOLDEN.read_bytes()
DAMAGED = 3000


def refusal(path: Path) -> str:
    """Return why a file is none of a network; nothing where it is one."""
    began, why = time.process_time(), ""
    try:
        read_network(path)
    except AgentError as error:
        why = str(error)
    assert time.process_time() - began < 1
    assert not why or str(path) in why
    return why


def flipped(chance: random.Random) -> bytes:
    data = bytearray(GOOD)
    for _ in range(chance.choice((1, 1, 1, 3, 30))):
        # The ends hold the archive's headers, where there is most to be broken.
        near = chance.choice((len(data), 500))
        place = chance.randrange(near) if chance.random() < 0.5 else len(data) - 1 - chance.randrange(near)
        data[place] ^= 1 << chance.randrange(8)
    return bytes(data)


def cut(chance: random.Random) -> bytes:
    return GOOD[: chance.randrange(len(GOOD))]


def spliced(chance: random.Random) -> bytes:
    start, end, place = (chance.randrange(len(GOOD)) for _ in range(3))
    return GOOD[:place] + GOOD[start : start + chance.randrange(400)] + GOOD[end:]


def test_every_damage_gives_a_network_or_one_error() -> None:
    """Bits that flip, ends that are missing, pieces that stand elsewhere; none takes long."""
    path = Path("damaged.npz")
    chance = random.Random(5)
    kinds: list[Callable[[random.Random], bytes]] = [flipped, flipped, cut, spliced]
    refused = 0
    with pytest.MonkeyPatch.context() as patch:
        for _ in range(DAMAGED):
            data = chance.choice(kinds)(chance)
            patch.setattr("durak_core.search.network.weights.read_bytes", lambda *_, data=data: data)
            refused += bool(refusal(path))
    assert DAMAGED * 0.9 < refused <= DAMAGED


def archive(about: bytes | None = None, weights: bytes | None = None, **options: int) -> bytes:
    """Return an archive with other arrays than those of the good one, as they stand."""
    with zipfile.ZipFile(BytesIO(GOOD)) as good:
        arrays = {name: good.read(f"{name}.npy") for name in ("about", "weights")}
    file = BytesIO()
    with zipfile.ZipFile(file, "w", **options) as made:
        for name, data in {**arrays, "about": about or arrays["about"]}.items():
            made.writestr(f"{name}.npy", weights if weights and name == "weights" else data)
    return file.getvalue()


def array(header: str, data: bytes = b"") -> bytes:
    """Return an array of NumPy's format with any header."""
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data


def saying(text: bytes) -> bytes:
    """Return an archive whose network says something else of itself."""
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({len(text)},), }}\n"
    return archive(about=array(header, text))


def about(**changes: object) -> bytes:
    """Return an archive whose network says the same of itself but for some keys."""
    told = {**asdict(read_network(make_network.GOLDEN).about), **changes}
    return saying(json.dumps({name: value for name, value in told.items() if value != ...}).encode())


def flags(data: bytes, value: int) -> bytes:
    """Return an archive whose files claim other flags, such as to be encrypted."""
    changed = bytearray(data)
    for signature, place in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        start = changed.find(signature)
        changed[start + place] |= value
    return bytes(changed)


def twice() -> bytes:
    file = BytesIO(GOOD)
    with zipfile.ZipFile(file, "a") as made, pytest.warns(UserWarning, match="Duplicate name"):
        made.writestr("about.npy", b"x")
    return file.getvalue()


def crowd() -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for number in range(101):
            made.writestr(f"{number}", b"")
    return file.getvalue()


ZEROS = bytes(16 * 2**20 + 100)
HOSTILE = {
    "its header is nested": archive(weights=array("(" * 60_000)),
    "its header claims much": archive(
        weights=array("{'descr': '<f2', 'fortran_order': False, 'shape': (999999999,), }\n")
    ),
    "its header has another order": archive(
        weights=array("{'shape': (0,), 'descr': '<f2', 'fortran_order': False}\n")
    ),
    "a bomb": archive(weights=ZEROS, compression=zipfile.ZIP_DEFLATED),
    "another compression": archive(compression=zipfile.ZIP_LZMA),
    "encrypted": flags(GOOD, 0x01),
    "patched": flags(GOOD, 0x20),
    "a name twice": twice(),
    "many files": crowd(),
    "nested json": saying(b"[" * 60_000),
    "no object": saying(b"[]"),
    "no text": saying(b"\xff\xff"),
    "huge widths": about(widths=[633, 60_000, 60_000, 210]),
    "widths without end": about(widths=[10**300, 2, 210]),
    "widths that are none": about(widths="633"),
    "games that are none": about(games="many"),
    "rules that are none": about(rules=5),
    "long rules": about(rules="podkidnoy:" + "seats=2," * 7000),
    "outputs that are a list": about(outputs=[]),
    "levels that are none": about(levels=[float("nan"), 1]),
    "something more": about(more=1),
    "something less": about(games=...),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_made_to_do_harm_is_refused(tmp_path: Path, name: str) -> None:
    """Sizes, depths and types are not believed before they are checked."""
    path = tmp_path / "hostile.npz"
    path.write_bytes(HOSTILE[name])
    assert "cannot be read" not in refusal(path)


def test_a_few_weights_cannot_ask_for_much_memory(tmp_path: Path) -> None:
    """Rows are as wide as the widest layer: one wide layer behind a narrow one would fill the memory."""
    path = tmp_path / "wide.npz"
    path.write_bytes(make_network.network(hidden=(1, 4500)))
    assert "is damaged: its weights are not those of the widths" in refusal(path)


@pytest.mark.parametrize("option", ["dmc:weights", "ismcts:net"])
def test_only_regular_files_are_networks(tmp_path: Path, option: str) -> None:
    """Nothing is waited for, nothing endless is read, and what is no name is told."""
    pipe, sparse = tmp_path / "pipe", tmp_path / "sparse"
    os.mkfifo(pipe)
    with sparse.open("wb") as file:
        file.truncate(3 * 2**30)
    whys = (
        ("/dev/zero", "it is not a regular file"),
        (f"{pipe}", "it is not a regular file"),
        (f"{tmp_path}", "it is a folder"),
        (f"{sparse}", "it is larger than 32 MB"),
        ("a\0b", "this cannot be the name of a file"),
        ("a\ud800", "this cannot be the name of a file"),
        ("a\udcff", "there is no such file"),
    )
    for name, why in whys:
        with pytest.raises(AgentError, match=f"cannot be read: {why}"):
            make_agent(f"{option}={name}")
