"""Secrets of a table: decks, seeds, codes and tokens. All come from the system's random numbers."""

from __future__ import annotations

import hashlib
import secrets
from random import SystemRandom
from typing import Final

from durak_core import Rules, State
from durak_tui.friends.messages import CODE_LENGTH, CODE_LETTERS

_MOST_SEEDS: Final = 1 << 62


def deal_secretly(rules: Rules, first_attacker: int | None = None) -> State:
    """Deal a game without a seed; a short seed could be found from a hand and the trump.

    ``first_attacker`` is None if the deal decides (rules 4.1). `DealError` is raised if no deal stands.
    """
    return State.deal_with(rules, SystemRandom(), first_attacker)


def secret_seed() -> int:
    """Return a seed for bots, which no player learns."""
    return secrets.randbelow(_MOST_SEEDS)


def new_code() -> str:
    return "".join([secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH)])


def new_token() -> str:
    """Return 128 random bits as 32 hexadecimal digits."""
    return secrets.token_hex(16)


def token_hash(token: str) -> str:
    """Return the hash of any text as a token; only hashes are kept and compared."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def is_token(token: str, hashed: str) -> bool:
    """Return whether a token has this hash, in constant time."""
    return bool(hashed) and secrets.compare_digest(token_hash(token), hashed)
