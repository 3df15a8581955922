"""Writes perft.json: how many sequences of legal actions there are from deals and set positions.

Run it from the repository's root only when the rules are meant to change, and read the diff:

    python3 tests/golden/make_perft.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from durak_core import PRESETS, Rules, State

GOLDEN = Path(__file__).with_name("perft.json")
MOST = 10_000
"""An entry's depths end before its count would pass this."""
DEEPEST = 8

DEALS = [
    *(f"{preset}:seats={seats}" for preset in PRESETS for seats in (2, 3, 4, 6)),
    "podkidnoy:seats=4,throw_in=neighbours",
    "podkidnoy:seats=3,first_bout_limit=2",
    "podkidnoy:seats=3,first_bout_limit=2,first_limit_lasts=until_beaten",
    "podkidnoy:seats=2,first_bout_limit=1,first_limit_lasts=until_beaten",
    "perevodnoy:seats=3,first_bout_limit=1,first_limit_lasts=until_beaten",
    "podkidnoy:seats=2,lowest_rank=11,suits=2,hand_size=2,redeal_trump_ace=yes",
    "podkidnoy:seats=2,attack_limit=1",
    "podkidnoy:seats=5,lowest_rank=2",
    "podkidnoy:seats=3,trumps=no",
    "podkidnoy:seats=3,attack_style=volley",
    "podkidnoy:seats=2,forced_play=yes",
    "perevodnoy:seats=3,show_trump=yes",
    "perevodnoy:seats=3,transfer_first_bout=no",
    "perevodnoy:seats=6,throw_in=attacker,pile_on=no",
    "perevodnoy:seats=2,lowest_rank=9,hand_size=4,show_trump=yes",
    "larsenbier:seats=2,forced_play=yes",
    *(f"{preset}:seats=4,teams=2x2" for preset in ("podkidnoy", "perevodnoy", "groningen", "larsenbier")),
    *(
        f"{preset}:seats=6,teams={teams}"
        for teams in ("2x3", "3x2")
        for preset in ("podkidnoy", "perevodnoy")
    ),
    "podkidnoy:seats=6,teams=2x3,throw_in=neighbours",
    "podkidnoy:seats=2,exchange_trump=yes",
    "perevodnoy:seats=4,lowest_rank=8,hand_size=5,exchange_trump=yes",
    "larsenbier:seats=3,exchange_trump=yes",
    "podkidnoy:seats=3,lowest_card=defence",
    "larsenbier:seats=3,lowest_card=always",
    "podkidnoy:seats=2,lowest_rank=12,hand_size=4",
    "podkidnoy:seats=3,jokers=any",
    "perevodnoy:seats=2,lowest_rank=2,jokers=colour",
    "larsenbier:seats=4,suits=3,hand_size=3,jokers=colour,lowest_card=always",
    "groningen:seats=6,jokers=any",
]

POSITIONS: list[dict[str, Any]] = [
    {"rules": "podkidnoy", "hands": ["6s9h", "7sTh"], "trump": "6c"},
    {"rules": "podkidnoy", "hands": ["6s6d9h", "7sThJd"], "trump": "6c"},
    {"rules": "podkidnoy", "hands": ["6s6h6d", "7s7h7d"], "talon": "8s8hAc", "trump": "Ac"},
    {"rules": "podkidnoy", "hands": ["6s6h", "7s7h"], "talon": "Ac", "trump": "Ac"},
    {"rules": "podkidnoy:draws=no", "hands": ["6s9h", "7s9d"], "trump": "6c"},
    {"rules": "podkidnoy:pile_on=no", "hands": ["6s6d9h", "7sThJd"], "trump": "6c"},
    {"rules": "podkidnoy:stall_limit=2,seats=3", "hands": ["Ks", "Kh6d", "Kd6h"], "trump": "6c"},
    {"rules": "podkidnoy:seats=3", "hands": ["6s7s", "7h8h", "6d8d"], "trump": "6c", "attacker": 2},
    {"rules": "podkidnoy:seats=4", "hands": ["6s7s", "", "7h8h", "6d8d"], "trump": "9c", "attacker": 3},
    {"rules": "podkidnoy:forced_play=yes", "hands": ["6s6d9h", "7s8dJc"], "trump": "6c"},
    {"rules": "podkidnoy:attack_style=volley", "hands": ["6s6d6h", "7s8dJc"], "trump": "6c"},
    {"rules": "perevodnoy", "hands": ["6s7d", "6d7h"], "trump": "6c"},
    {"rules": "perevodnoy", "hands": ["6s6d7d", "6h7h8c"], "trump": "6c"},
    {"rules": "perevodnoy:seats=3", "hands": ["6s7d", "6d7h", "6h8h"], "trump": "Ac"},
    {"rules": "perevodnoy:show_trump=yes", "hands": ["6s7d8h", "6c7h9h"], "trump": "Ac"},
    {"rules": "perevodnoy:show_trump=yes,seats=3", "hands": ["6s7d", "6c7h", "6d8h"], "trump": "Ac"},
    {"rules": "perevodnoy:transfer_first_bout=no", "hands": ["6s7d", "6d7h"], "trump": "6c", "bout": 1},
    {"rules": "larsenbier", "hands": ["6s6d7d", "6h7h8c"], "trump": "6c"},
    {
        "rules": "podkidnoy:lowest_rank=9,first_bout_limit=1,first_limit_lasts=until_beaten",
        "hands": ["9s9h9dTs", "TdTcQsQh"],
        "talon": "JsJhJdJcQdQcKsKhKdKcAsAhAdAc9cTh",
        "trump": "Th",
        "bout": 2,
    },
    {"rules": "podkidnoy:seats=4,teams=2x2", "hands": ["6s7d", "7s8s", "", "8hJs"], "trump": "6c"},
    {"rules": "perevodnoy:seats=4,teams=2x2", "hands": ["6s9h9d", "6h7h", "8s8hTs", "6dKs"], "trump": "9c"},
    {"rules": "perevodnoy:seats=4,teams=2x2", "hands": ["6s9h9d", "6h7h", "", "6dKs"], "trump": "9c"},
    {
        "rules": "podkidnoy:seats=4,teams=2x2,partner_plays_on=yes",
        "hands": ["6s7d", "7s8s", "", "8hJs"],
        "trump": "6c",
    },
    {
        "rules": "perevodnoy:seats=4,teams=2x2,partner_plays_on=yes",
        "hands": ["6s9h9d", "6h7h", "", "6dKs"],
        "trump": "9c",
    },
    {"rules": "podkidnoy:jokers=any", "hands": ["6s*h9h", "7s*sAc"], "trump": "6c"},
    {"rules": "perevodnoy:jokers=any,seats=3", "hands": ["*s6h", "*h7hAh", "6c8c"], "trump": "Ac"},
    {"rules": "podkidnoy:jokers=colour", "hands": ["6s6h7dAc", "*s*hTh"], "trump": "9d"},
    {"rules": "perevodnoy:jokers=colour,seats=3", "hands": ["*s6h7h", "*h7s8s", "9c9d9h"], "trump": "6s"},
    {
        "rules": "podkidnoy:jokers=colour,lowest_card=defence,forced_play=yes",
        "hands": ["6s9c*h", "*s7c8c"],
        "trump": "Kc",
    },
    {
        "rules": "podkidnoy:seats=6,teams=2x3,throw_in=neighbours",
        "hands": ["6s9h", "", "6h8h", "7sKs", "6d8d", "7h"],
        "trump": "9c",
    },
    {
        "rules": "podkidnoy:seats=6,teams=3x2,draws=no",
        "hands": ["6s", "", "", "7s", "8s", "9s6h"],
        "trump": "6c",
    },
    {"rules": "podkidnoy:exchange_trump=yes", "hands": ["6c9h", "7sTh"], "talon": "Kc", "trump": "Kc"},
    {
        "rules": "podkidnoy:exchange_trump=yes,hand_size=2",
        "hands": ["7s9h", "6c8s"],
        "talon": "Kc",
        "trump": "Kc",
    },
]


def start(entry: dict[str, Any]) -> State:
    """Return the state from which an entry counts."""
    rules = Rules.parse(entry["rules"])
    if "seed" in entry:
        return State.deal(rules, entry["seed"])
    return State.setup(
        rules,
        entry["hands"],
        talon=entry.get("talon", ""),
        trump=entry["trump"],
        attacker=entry.get("attacker", 0),
        bout=entry.get("bout", 2),
    )


def counts(state: State) -> list[int]:
    """Count depth after depth while the numbers stay small and the game goes on."""
    found: list[int] = []
    for depth in range(1, DEEPEST + 1):
        count = state.perft(depth)
        if count > MOST and found:
            break
        found.append(count)
        if count == 0:
            break
    return found


def main() -> None:
    """Write the file, one entry a line."""
    entries: list[dict[str, Any]] = [{"rules": rules, "seed": seed} for rules in DEALS for seed in (1, 2)]
    lines = [json.dumps({**entry, "counts": counts(start(entry))}) for entry in entries + POSITIONS]
    GOLDEN.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
