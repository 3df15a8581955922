"""Tables of these tests deal and play the same games every time: what one sees may depend on the deal."""

import random

import pytest

from durak_core import State


@pytest.fixture(autouse=True)
def _known_deals(monkeypatch):
    chance = random.Random(1)
    random.seed(1)
    monkeypatch.setattr(
        "durak_tui.friends.table.deal_secretly",
        lambda rules, first_attacker=None: State.deal_with(rules, chance, first_attacker),
    )
    monkeypatch.setattr("durak_tui.friends.table.secret_seed", lambda: 1)
