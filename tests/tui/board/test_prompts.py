"""The sentence under the table, for every phase and role."""

from __future__ import annotations

import pytest
from playing import play

from durak_core import Rules, State
from durak_tui.ui.view.board_data import ButtonView, Look
from tui.boards import (
    a_view,
    bout,
    defence,
    finished,
    lone_bout,
    perevodnoy,
    three,
    volley,
    volley_bout,
)

YOUR_TURN = [
    (three(0), 0, "You attack Boris: open the bout with any card.", ""),
    (
        State.setup(Rules(exchange_trump=True), ["6hAc9s", "7s8s9d"], talon="TsKh"),
        0,
        "You attack Boris: exchange 6♥ for K♥, or open the bout.",
        "transfer",
    ),
    (defence(), 0, "You defend: beat J♥ with a higher ♥ or a trump ♦.", "take"),
    (volley(), 0, "You defend, 3 to beat: 6♠ with a higher ♠ or a trump ♦.", "take"),
    (
        perevodnoy(),
        0,
        "You defend: beat 7♣ with a higher ♣ or a trump ♦, or transfer any 7.",
        "transfer take",
    ),
    (
        perevodnoy(show_trump=True),
        0,
        "You defend: beat 7♣ with a higher ♣ or a trump ♦, or transfer any 7.",
        "transfer show_trump take",
    ),
    (lone_bout("Ad", ["Ah6h7h", "Ad9h"]), 0, "You cannot beat A♦: take the cards.", "take"),
    (lone_bout("As", ["Ah6d7h", "As9h"]), 0, "You defend: beat A♠ with a trump ♦.", "take"),
    (lone_bout("7d", ["Ah8d7h", "7d9h"]), 0, "You defend: beat 7♦ with a higher trump ♦.", "take"),
    (
        lone_bout("Qs", ["AhKs", "Qs9d8d"], trumps=False),
        0,
        "You defend: beat Q♠ with a higher ♠.",
        "take",
    ),
    (
        lone_bout("7s", ["6h7h", "7s8h9h"], transfer=True),
        0,
        "You cannot beat 7♠: transfer any 7, or take.",
        "transfer take",
    ),
    (
        lone_bout("7s", ["6h*s", "7s8h9h"], jokers="colour"),
        0,
        "You defend: beat 7♠ with a higher ♠, a trump ♦ or the black joker.",
        "take",
    ),
    (
        lone_bout("As", ["6h*h", "As8h9h"], trumps=False, jokers="any"),
        0,
        "You defend: beat A♠ with a joker.",
        "take",
    ),
    (
        lone_bout("*s", ["6h*h", "*s8h9h"], transfer=True, jokers="any"),
        0,
        "You cannot beat *♠: transfer any joker, or take.",
        "transfer take",
    ),
    (bout("9c Tdx9c"), 0, "You may throw in any 9 against Boris, or pass.", "done"),
    (bout("9c Tdx9c pass"), 2, "You have nothing to throw in against Boris: pass.", "done"),
    (bout("9c take"), 0, "Boris takes: you may add any 9, or pass.", "done"),
    (bout("9c take 9h"), 0, "Boris takes, and you have no card to add: pass.", "done"),
    (volley_bout("9c"), 0, "You attack Boris: add any 9, or end the attack.", "done"),
    (volley_bout("9c 9h"), 0, "You attack Boris and have no card to add: end the attack.", "done"),
]


@pytest.mark.parametrize(("state", "seat", "text", "buttons"), YOUR_TURN)
def test_at_your_turn_the_prompt_says_what_you_may_do(state, seat, text, buttons):
    shown = a_view(state, seat, seat).prompt
    names = " ".join(button.name for button in shown.buttons)
    assert (shown.text, names, shown.tone) == (text, buttons, "turn")


WAITING = [
    (three(2), 1, 1, "Clara attacks Anna."),
    (three(2), 0, 0, "Clara attacks you."),
    (volley_bout("9c"), 1, 1, "Anna may add to the attack on you."),
    (bout("9c"), 0, 0, "Boris defends against 9♣."),
    (bout("9c"), 1, None, "Boris defends against 9♣."),
    (bout("9c Tdx9c"), 1, 1, "Anna may throw in against you."),
    (bout("9c Tdx9c pass"), 0, 0, "Clara may throw in against Boris."),
    (bout("9c take"), 1, 1, "You take; Anna may add more cards."),
    (bout("9c take"), 2, 2, "Boris takes; Anna may add more cards."),
]


@pytest.mark.parametrize(("state", "seat", "human", "text"), WAITING)
def test_at_anothers_turn_the_prompt_says_what_goes_on(state, seat, human, text):
    shown = a_view(state, seat, human, reason="It keeps its trumps.").prompt
    assert (shown.text, shown.tone, shown.buttons) == (text, "wait", ())
    assert shown.detail == "It keeps its trumps."


def test_at_the_end_the_prompt_tells_the_result_and_the_places():
    texts = [a_view(finished(), seat, seat).prompt.text for seat in range(3)]
    assert texts == [
        "You have won! Boris is the fool.",
        "You are the fool!",
        "You have won! Boris is the fool.",
    ]
    assert a_view(finished(), 0, None).prompt.text == "Boris is the fool."
    assert a_view(finished(), 0, 0).prompt.detail == "1st: Clara · 2nd: you"
    assert a_view(finished(), 0, 0).prompt.tone == "result"
    drawn = State.setup(Rules(), ["6d", "8h"], trump="Ad", attacker=1)
    assert a_view(play(drawn, "8h 6dx8h")).prompt.text == "The game is drawn: nobody is the fool."


def test_who_went_out_has_a_place_though_the_team_has_lost():
    """Only who still holds cards comes last (rules 2.2.6)."""
    rules = Rules(seats=4, teams="2x2")
    state = State.setup(rules, ["9h", "6c", "Ad", "6h7h"], trump="6d", attacker=1)
    shown = a_view(play(state, "6c Adx6c 6h 9hx6h"), 0, 0).prompt
    assert shown.text == "You and Clara have won! Boris and Dima have lost."
    assert shown.detail == "Out in this order: Boris, Clara, You"


def test_the_screen_may_add_buttons():
    hint = ButtonView("hint", "Hint", "h")
    assert a_view(defence(), extra=(hint,)).prompt.buttons[-1] == hint
    assert a_view(finished(), extra=(hint,)).prompt.buttons == (hint,)


def test_without_signs_cards_and_suits_are_named_by_letters_and_words():
    look = Look(ascii=True)
    view = a_view(defence(), look=look)
    assert view.prompt.text == "You defend: beat Jh with a higher heart or a trump diamond."
    assert [held.why for held in view.hand.cards][:1] == ["6h does not beat Jh."]
    texts = [line.words for line in view.log] + [view.prompt.text, view.note]
    assert "".join(texts).isascii()
