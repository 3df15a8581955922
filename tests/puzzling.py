"""Puzzles that tests share: five that were found in games, and what each of them is about."""

from __future__ import annotations

FOUND = {
    "the ten forces a trump": (
        "rating=1400 goal=win action=Td themes=low,pair rules=podkidnoy bout=16 attacker=1 defender=0 "
        "limit=2 phase=opening turn=1 hands=+JsJh/6sTd6cJc trump=Jh"
    ),
    "beating would cost both trumps": (
        "rating=1200 goal=win action=take themes=take rules=podkidnoy bout=11 attacker=1 defender=0 limit=3 "
        "phase=defence turn=0 hands=Qd6c+9d/Kh6d9cQc table=Ks trump=9d"
    ),
    "the king would open its rank": (
        "rating=1100 goal=win action=AhxJh themes=higher,close rules=podkidnoy bout=17 attacker=0 defender=1 "
        "limit=3 phase=defence turn=1 hands=+KsKc/6hKhAh table=Jh trump=Qh"
    ),
    "only the trump draws": (
        "rating=1100 goal=draw action=8dx7h themes=trump,pair rules=podkidnoy bout=15 attacker=1 defender=0 "
        "limit=4 phase=defence turn=0 hands=AsAh+8d/JdKd table=Qsx7s,7h trump=8d"
    ),
    "the small trump transfers": (
        "rating=1300 goal=win action=>8s themes=transfer rules=perevodnoy bout=17 attacker=0 defender=1 "
        "limit=6 phase=defence turn=1 hands=Js+AsKc/8sQs+KsKhAhKd table=8h trump=As stall=1"
    ),
}
