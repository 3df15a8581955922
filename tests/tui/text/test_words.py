"""The move log in words."""

from __future__ import annotations

import pytest
from playing import play

from durak_core import (
    Attacked,
    BeatenOff,
    BoutBegan,
    Card,
    CardSet,
    Defended,
    Drew,
    Exchanged,
    GameEnded,
    Passed,
    Rules,
    State,
    TableTaken,
    TookUp,
    Transferred,
    TrumpShown,
    WentOut,
)
from durak_tui.text.i18n import set_language
from durak_tui.text.phrases import Voice, accusative, dative, event_words, log_lines
from tui.boards import NAMES, defence, three

SIX, NINE, TEN = Card.parse("6c"), Card.parse("9c"), Card.parse("Th")

EVENTS = [
    (BoutBegan(3, 1, 2, 6), "Bout 3: Boris against Clara", "Bout 3: You against Clara"),
    (BoutBegan(3, 0, 1, 6), "Bout 3: Anna against Boris", "Bout 3: Anna against you"),
    (Attacked(1, SIX), "Boris attacks with 6♣", "You attack with 6♣"),
    (Defended(1, NINE, SIX), "Boris beats 6♣ with 9♣", "You beat 6♣ with 9♣"),
    (Transferred(1, TEN, 2), "Boris transfers to Clara with 10♥", "You transfer to Clara with 10♥"),
    (Transferred(0, TEN, 1), "Anna transfers to Boris with 10♥", "Anna transfers to you with 10♥"),
    (
        TrumpShown(1, SIX, 2),
        "Boris transfers to Clara by showing 6♣",
        "You transfer to Clara by showing 6♣",
    ),
    (Exchanged(1, SIX, NINE), "Boris exchanges 6♣ for 9♣", "You exchange 6♣ for 9♣"),
    (Passed(1), "Boris passes", "You pass"),
    (TookUp(1), "Boris says: I take", "You say: I take"),
    (BeatenOff(1, CardSet.of([SIX, NINE])), "Beaten off: 2 discarded", "Beaten off: 2 discarded"),
    (TableTaken(1, CardSet.of([SIX, NINE])), "Boris takes 6♣ 9♣", "You take 6♣ 9♣"),
    (Drew(1, 2, None, trump=False), "Boris draws 2", "You draw 2"),
    (Drew(1, 2, None, trump=True), "Boris draws 2, with the trump card", "You draw 2, with the trump card"),
    (Drew(1, 2, (TEN, SIX), trump=True), "Boris draws 10♥ 6♣", "You draw 10♥ 6♣"),
    (WentOut(1, 2), "Boris is out, 2nd", "You are out, 2nd"),
    (GameEnded((1,), stalled=False), "Boris is the fool", "You are the fool"),
    (
        GameEnded((), stalled=False),
        "The game is drawn: nobody is the fool",
        "The game is drawn: nobody is the fool",
    ),
    (
        GameEnded((), stalled=True),
        "The game is drawn: nobody gets any further",
        "The game is drawn: nobody gets any further",
    ),
]


@pytest.mark.parametrize(("event", "of_others", "to_you"), EVENTS)
def test_every_event_has_its_words(event, of_others, to_you):
    assert event_words(event, Voice(NAMES)) == of_others
    assert event_words(event, Voice(NAMES, 1)) == to_you
    assert event_words(event, Voice(NAMES, ascii=True)).isascii()


def test_the_log_gives_each_line_its_ply_and_each_bout_a_heading():
    state = play(three(2), "Ts JsxTs Jh take pass pass")
    lines = log_lines(state.observation(0).events, Voice(NAMES, 0))
    assert [(line.ply, line.words, line.is_heading, line.seat) for line in lines[:6]] == [
        (0, "Bout 2: Clara against you", True, None),
        (1, "Clara attacks with 10♠", False, 2),
        (2, "You beat 10♠ with J♠", False, 0),
        (3, "Clara throws in J♥", False, 2),
        (4, "You say: I take", False, 0),
        (5, "Clara passes", False, 2),
    ]
    assert [line.is_action for line in lines[:2]] == [False, True]


def test_the_cards_others_draw_are_not_told():
    state = defence()
    while state.bout == 2:
        state = state.apply(state.legal_actions[-1])
    seen = [line.words for line in log_lines(state.observation(1).events, Voice(NAMES, 1))]
    assert "Clara draws 2" in seen


def test_every_bout_is_opened_by_an_attack_and_all_cards_after_it_are_thrown_in():
    state = State.setup(Rules(), ["6s6h7c9c", "8s8hTdJd"], trump="Ad")
    state = play(state, "6s 8sx6s 6h 8hx6h pass Td take")
    told = [line.words for line in log_lines(state.events, Voice(("Anna", "Boris"))) if line.is_action]
    assert told[0].startswith("Anna attacks")
    assert told[2].startswith("Anna throws in")
    assert told[5].startswith("Boris attacks")


def test_players_called_by_a_number_are_inflected_like_the_opponents_and_other_names_are_not():
    assert [accusative("Player 2"), dative("Player 2")] == ["Player 2"] * 2
    set_language("ru")
    names = ("Игрок 2", "Миша", "Лена 2")
    assert [*map(accusative, names)] == ["игрока 2", "Мишу", "игрока Лена 2"]
    assert [*map(dative, names)] == ["игроку 2", "Мише", "игроку Лена 2"]


FRIENDS = {
    "ru": (
        "Саша Мария Сергей Иван Пётр Лев Игорь Андре",
        "Сашу Марию Сергея Ивана Петра Льва Игоря игрока Андре",
        "Саше Марии Сергею Ивану Петру Льву Игорю игроку Андре",
    ),
    "uk": (
        "Катя Марія Ольга Одарка Дмитро Андрій",
        "Катю Марію Ольгу Одарку Дмитра Андрія",
        "Каті Марії Ользі Одарці Дмитру Андрію",
    ),
    "de": ("Саша Anna", "Саша Anna", "Саша Anna"),
}


@pytest.mark.parametrize("code", FRIENDS)
def test_names_of_friends_are_inflected_by_their_endings(code):
    set_language(code)
    names, whom, to_whom = FRIENDS[code]
    assert " ".join(map(accusative, names.split())) == whom
    assert " ".join(map(dative, names.split())) == to_whom
