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

HIDDEN = {
    "the eight would let an eight in": (
        "rating=1011 lines=Kcx7c:69.6:7h:Kdx7h:8c:>8s/8cx7c:56.1:8s:Jdx8s:Jc:KcxJc/Jdx7c:55.6:Jc:KcxJc:Jh:K"
        "dxJh/take:52.7:pass:Kh:>Kc:take/Kdx7c:51.7:Kc:take:7h:Thx7h usual=8cx7c themes=higher "
        "rules=perevodnoy seat=0 bout=7 attacker=1 defender=0 limit=5 phase=defence turn=0 "
        "hands=JdKd8cKc/?3+6s8sTsAsTh6cTcAc table=Ksx7s,7c talon=?11+7d trump=7d gone=9sJs8hQh9cQc"
    ),
    "the seven runs into the jack": (
        "rating=1078 lines=Td:70.8:JsxTd:8c:Ksx8c:Kc/Qd:50.6:take:pass:7c:Jcx7c/Qh:50.4:take:pass:Td:take/7"
        "c:42.5:Jcx7c:6c:Asx6c:Ah/8d:36.6:9dx8d:Jc:take:pass/Ks:23.0:Td:QsxTd:Qd:take/As:17.1:Td:take:8d:ta"
        "ke usual=7c themes=low rules=podkidnoy seat=0 bout=13 attacker=0 defender=1 limit=6 phase=opening "
        "turn=0 hands=KsAs8dQd+QhTd7c/?4+JcKc talon=?4+7s trump=7s "
        "gone=6s9sTs6h7h8h9hThJhKh6d7dJdKdAd9cTcQc"
    ),
    "the ace can still be thrown in": (
        "rating=913 lines=As:86.8:TdxAs:pass:Qd:AdxQd/pass:68.4:6s:Asx6s:8d:Tdx8d/Ad:44.2:pass:As:take:6s "
        "usual=pass themes=throw rules=podkidnoy seat=0 bout=12 attacker=0 defender=1 limit=6 "
        "phase=throw_in turn=0 hands=As6dAd+8dJc/?5 table=Acx7c talon=?5+Kd trump=Kd "
        "gone=7s8s9sTs6h7h8h9hJhQhKhAhJd6c8cTcQcKc"
    ),
}
"""The same with hidden cards: what would you play?"""
