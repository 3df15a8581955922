"""Action codes are packed and taken apart in one module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import durak_core
from durak_core.actions import decode, encode
from durak_core.cards import ALL_CARDS
from durak_core.errors import ActionError
from durak_core.kernel import legal

CORE = Path(durak_core.__path__[0])
SHIFTS = {legal._KIND_SHIFT, legal.TARGET_SHIFT}
WORDS = ("code", "kind", "card", "target")


def arithmetic(source: str) -> Iterator[str]:
    """Yield the expressions of a source that take the bits of action codes into their own hands."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.BinOp):
            continue
        parts = [part for part in ast.walk(node) if isinstance(part, ast.Name | ast.Attribute)]
        names = [part.id if isinstance(part, ast.Name) else part.attr for part in parts]
        constant = node.right.value if isinstance(node.right, ast.Constant) else None
        is_shift = isinstance(node.op, ast.LShift | ast.RShift) and constant in SHIFTS
        is_named = not names or any(word in name.lower() for name in names for word in WORDS)
        packs = isinstance(node.op, ast.BitOr) and any(name.endswith("_CODE") for name in names)
        if (is_shift and is_named) or packs or (isinstance(node.op, ast.BitAnd) and constant == 63):
            yield ast.unparse(node)


@pytest.mark.parametrize(
    "text",
    [
        "code >> 6 & 7",
        "codes[i] & 63",
        "choice.code & (7 << 6)",
        "ATTACK_CODE | card",
        "kind << 6",
        "code >> 9",
    ],
)
def test_arithmetic_on_codes_is_found(text: str):
    """What this file looks for is what used to stand all over the place."""
    assert list(arithmetic(text))


def test_no_other_module_knows_the_bits_of_a_code():
    """Everything else calls `kind_of`, `card_of` and their like."""
    found = [
        f"{path.relative_to(CORE)}: {text}"
        for path in sorted(CORE.rglob("*.py"))
        if path != Path(legal.__file__)
        for text in arithmetic(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_every_part_of_a_code_comes_back():
    """Kind, card and target are found again in each code, and no code is another's."""
    numbers = [card.number for card in ALL_CARDS]
    packed = {
        (legal.KIND_PASS, 0, 0): legal.PASS_CODE,
        (legal.KIND_TAKE, 0, 0): legal.TAKE_CODE,
        (legal.KIND_EXCHANGE, 0, 0): legal.EXCHANGE_CODE,
    }
    for card in numbers:
        for kind in (legal.KIND_ATTACK, legal.KIND_TRANSFER, legal.KIND_SHOW_TRUMP):
            packed[kind, card, 0] = legal.pack(kind, card, 0)
        for target in numbers:
            packed[legal.KIND_DEFEND, card, target] = legal.pack(legal.KIND_DEFEND, card, target)
    assert len(set(packed.values())) == len(packed)
    for (kind, card, target), code in packed.items():
        assert (legal.kind_of(code), legal.card_of(code), legal.target_of(code)) == (kind, card, target)
        assert legal.card_mask_of(code) == (1 << card if card else 0)
        assert (code > legal.TAKE_CODE) == (code not in (legal.PASS_CODE, legal.TAKE_CODE))
        assert encode(decode(code)) == code


def test_what_is_no_code_is_refused():
    """Codes of no action have no text either."""
    for code in (
        1,
        legal.TAKE_CODE | 1,
        legal.pack(legal.KIND_ATTACK, 0, 0),
        legal.pack(6, 2, 0),
        legal.pack(7, 2, 0),
        -1,
    ):
        with pytest.raises(ActionError):
            decode(code)
