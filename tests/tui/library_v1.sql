BEGIN TRANSACTION;
CREATE TABLE files (name TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO "files" VALUES('old.durak');
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    date TEXT NOT NULL,
    rules TEXT NOT NULL,
    preset TEXT NOT NULL,
    seats INTEGER NOT NULL,
    players TEXT NOT NULL,
    names TEXT NOT NULL,
    human INTEGER,
    outcome TEXT NOT NULL,
    draw INTEGER NOT NULL,
    over INTEGER NOT NULL,
    bouts INTEGER NOT NULL,
    plies INTEGER NOT NULL,
    hints INTEGER NOT NULL,
    undos INTEGER NOT NULL,
    source TEXT NOT NULL,
    tags TEXT NOT NULL,
    search TEXT NOT NULL,
    deleted INTEGER NOT NULL DEFAULT 0
);
INSERT INTO "games" VALUES(1,'cfcaecb6f042605aebc0e2907695aa92','2026-01-02 10:00','podkidnoy','podkidnoy',2,'Anna, greedy','Anna, Boris (greedy)',0,'lost',0,1,23,76,1,0,'played','{}','2026-01-02 10:00
podkidnoy
anna, boris (greedy)
lost
played
2 seats
assisted',0);
CREATE TABLE records (
    game INTEGER PRIMARY KEY REFERENCES games ON DELETE CASCADE,
    record TEXT NOT NULL
);
INSERT INTO "records" VALUES(1,'{"format": "durak-game/1", "rules": {"preset": "podkidnoy", "seats": 2}, "seed": 1, "deck": ["8h", "Ks", "6c", "7s", "Ts", "Kh", "Kd", "Kc", "Qc", "8s", "6h", "Td", "Qh", "9c", "Qs", "Th", "As", "Tc", "Jh", "Ah", "Ac", "Jc", "8d", "8c", "Qd", "9h", "Ad", "Jd", "6d", "9d", "7h", "9s", "7d", "7c", "Js", "6s"], "players": ["Anna", "Boris"], "first_attacker": 1, "date": "2026-01-02 10:00", "tags": {"Player0": "human", "Player1": "greedy", "Hints": "1"}, "actions": [{"seat": 1, "action": "attack", "card": "8s"}, {"seat": 0, "action": "defend", "card": "Ts", "target": "8s"}, {"seat": 1, "action": "pass"}, {"seat": 0, "action": "attack", "card": "6h"}, {"seat": 1, "action": "defend", "card": "Kh", "target": "6h"}, {"seat": 0, "action": "attack", "card": "6c"}, {"seat": 1, "action": "take"}, {"seat": 0, "action": "pass"}, {"seat": 0, "action": "attack", "card": "8h"}, {"seat": 1, "action": "defend", "card": "7s", "target": "8h"}, {"seat": 0, "action": "pass"}, {"seat": 1, "action": "attack", "card": "Ks"}, {"seat": 0, "action": "take"}, {"seat": 1, "action": "attack", "card": "Kc"}, {"seat": 1, "action": "attack", "card": "Kh"}, {"seat": 1, "action": "pass"}, {"seat": 1, "action": "attack", "card": "Qh"}, {"seat": 0, "action": "defend", "card": "Ks", "target": "Qh"}, {"seat": 1, "action": "pass"}, {"seat": 0, "action": "attack", "card": "9c"}, {"seat": 1, "action": "defend", "card": "Tc", "target": "9c"}, {"seat": 0, "action": "attack", "card": "Th"}, {"seat": 1, "action": "defend", "card": "Jh", "target": "Th"}, {"seat": 0, "action": "pass"}, {"seat": 1, "action": "attack", "card": "6c"}, {"seat": 0, "action": "defend", "card": "As", "target": "6c"}, {"seat": 1, "action": "pass"}, {"seat": 0, "action": "attack", "card": "Kc"}, {"seat": 1, "action": "defend", "card": "Ac", "target": "Kc"}, {"seat": 0, "action": "pass"}, {"seat": 1, "action": "attack", "card": "9h"}, {"seat": 0, "action": "defend", "card": "Kh", "target": "9h"}, {"seat": 1, "action": "pass"}, {"seat": 0, "action": "attack", "card": "8c"}, {"seat": 1, "action": "defend", "card": "Jc", "target": "8c"}, {"seat": 0, "action": "pass"}, {"seat": 1, "action": "attack", "card": "Ah"}, {"seat": 0, "action": "defend", "card": "Qs", "target": "Ah"}, {"seat": 1, "action": "pass"}, {"seat": 0, "action": "attack", "card": "Jd"}, {"seat": 1, "action": "defend", "card": "Ad", "target": "Jd"}, {"seat": 0, "action": "pass"}, {"seat": 1, "action": "attack", "card": "Td"}, {"seat": 0, "action": "defend", "card": "9s", "target": "Td"}, {"seat": 1, "action": "attack", "card": "9d"}, {"seat": 0, "action": "take"}, {"seat": 1, "action": "pass"}, {"seat": 1, "action": "attack", "card": "6s"}, {"seat": 0, "action": "take"}, {"seat": 1, "action": "pass"}, {"seat": 1, "action": "attack", "card": "7c"}, {"seat": 0, "action": "defend", "card": "9s", "target": "7c"}, {"seat": 1, "action": "pass"}, {"seat": 0, "action": "attack", "card": "Td"}, {"seat": 1, "action": "take"}, {"seat": 0, "action": "pass"}, {"seat": 0, "action": "attack", "card": "Qd"}, {"seat": 1, "action": "defend", "card": "Js", "target": "Qd"}, {"seat": 0, "action": "pass"}, {"seat": 1, "action": "attack", "card": "7h"}, {"seat": 0, "action": "take"}, {"seat": 1, "action": "pass"}, {"seat": 1, "action": "attack", "card": "Td"}, {"seat": 0, "action": "defend", "card": "6s", "target": "Td"}, {"seat": 1, "action": "pass"}, {"seat": 0, "action": "attack", "card": "Kd"}, {"seat": 1, "action": "take"}, {"seat": 0, "action": "pass"}, {"seat": 0, "action": "attack", "card": "9d"}, {"seat": 1, "action": "defend", "card": "Kd", "target": "9d"}, {"seat": 0, "action": "pass"}, {"seat": 1, "action": "attack", "card": "8d"}, {"seat": 0, "action": "take"}, {"seat": 1, "action": "pass"}, {"seat": 1, "action": "attack", "card": "6h"}, {"seat": 0, "action": "take"}], "result": {"fool": 0, "draw": false, "places": [1, 0], "bouts": 23, "plies": 76}}');
CREATE TABLE seats (
    game INTEGER NOT NULL REFERENCES games ON DELETE CASCADE,
    seat INTEGER NOT NULL,
    player TEXT NOT NULL,
    name TEXT NOT NULL,
    lost INTEGER NOT NULL,
    accuracy REAL,
    PRIMARY KEY (game, seat)
) WITHOUT ROWID;
INSERT INTO "seats" VALUES(1,0,'human','Anna',1,91.5);
INSERT INTO "seats" VALUES(1,1,'greedy','Boris',0,NULL);
CREATE INDEX seats_by_player ON seats (player);
CREATE INDEX deleted_games ON games (id) WHERE deleted = 1;
COMMIT;
PRAGMA user_version = 1;
