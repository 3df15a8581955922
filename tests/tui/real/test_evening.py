"""The score of an evening: one key a game, who comes and goes, and its file."""

from __future__ import annotations

import csv

import pytest
from waiting import until

from durak_core import Rules
from durak_tui.play.evening import Evening, ScoredGame, next_attacker
from durak_tui.real import EveningScreen, scores
from durak_tui.storage.paths import data_dir
from durak_tui.ui.screens.dialogs import Write
from tui.helpers import an_app, on_screen, shows

TRIO = ("Anna", "Boris", "Vera")


def games(*fools, players=TRIO):
    return [ScoredGame("2026-11-28 20:00", " / ".join(players), fool) for fool in fools]


def test_scores_are_shares_of_lost_games_against_par():
    played = [*games("Boris", "Vera", "", "Boris"), *games("Anna", players=TRIO[:2])]
    found = scores(played)
    boris = found["Boris"]
    assert [(game.seats, game.lost) for game in boris.games] == [(3, 1), (3, 0), (3, 0), (3, 1), (2, 0)]
    assert boris.total.lost_share == pytest.approx(2 / 5)
    assert boris.total.par == pytest.approx((4 / 3 + 1 / 2) / 5)
    assert [found[name].unbeaten[0] for name in TRIO] == [0, 1, 2]


def test_the_rules_say_who_attacks_next():
    under = Rules.parse("podkidnoy:next_first_attacker=under_fool")
    assert next_attacker(under, games("Boris"), TRIO) == "Anna"
    assert next_attacker(under, games("Boris"), ("Boris", "Anna")) == "Anna"
    assert next_attacker(under, games("Boris"), ("Anna", "Vera")) is None  # the fool has left
    assert next_attacker(Rules(), games("Boris"), TRIO) is None  # the lowest trump decides


def test_a_game_of_a_file_counts_once_and_damage_is_set_aside(tmp_path):
    evening = Evening(tmp_path)
    evening.add(TRIO, "Boris")
    for fool in ("Vera", "Anna"):
        evening.add(TRIO, fool, "c", "2026-11-28-1")
    assert [game.fool for game in Evening(tmp_path).games] == ["Boris", "Anna"]
    (tmp_path / "evenings.csv").write_text("date,who\n")
    told = []
    assert Evening(tmp_path, told.append).games == []
    assert "damaged" in told[0]
    assert len(list(tmp_path.iterdir())) == 1  # set aside


async def test_one_key_counts_a_game_and_players_come_and_go(tmp_path):
    app = an_app(at_once="", guests=TRIO)
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(EveningScreen())
        await until(on_screen(app, EveningScreen))
        await pilot.press("2", "2", "3", "0", "c")
        await pilot.press("n")
        await until(on_screen(app, Write))
        await pilot.press(*"Olga", "enter")
        await until(on_screen(app, EveningScreen))
        await pilot.press("4", "down", "space", "u")
        await until(shows(app, "Taken back."))
        assert app.settings.guests == ("Anna", "Vera", "Olga")
        await pilot.press("e")
        await until(on_screen(app, Write))
        app.screen.query_one("Input").value = str(tmp_path / "out.csv")
        await pilot.press("enter")
        await until((tmp_path / "out.csv").exists)
    rows = list(csv.DictReader((tmp_path / "out.csv").read_text("utf-8").splitlines()))
    assert [(row["fool"], row["trump"]) for row in rows] == [
        ("Boris", ""),
        ("Boris", ""),
        ("Vera", ""),
        ("", "c"),
    ]
    assert (data_dir() / "evenings.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()
