"""What cards and players look like: trumps, suits and faces."""

from __future__ import annotations

import re

import pytest

from durak_core import Rules, State
from durak_tui.board.view import mood_of
from durak_tui.players import OPPONENTS
from durak_tui.ui.view.board_data import Look
from durak_tui.ui.view.portraits import (
    COURT,
    court_bust,
    court_portrait,
    face_portrait,
    small_face,
    whole_portrait,
)
from tui.boards import a_view, defence, finished, long_bout, shown, three
from tui.ui.test_themes import ratio


@pytest.mark.parametrize(("ascii_only", "sign"), [(False, "◤"), (True, "*")])
async def test_trumps_have_a_sign_in_the_hand_on_the_table_and_under_the_talon(ascii_only, sign):
    state = defence().apply(defence().legal_actions[0])
    assert str(state.table[-1].defence) == "Kd"
    for shown_state in (three(0), state):
        view = a_view(shown_state, look=Look(ascii=ascii_only))
        async with shown(view, (80, 30)) as (app, _):
            assert app.text.count(sign) == 2  # the king, and the six under the talon


@pytest.mark.parametrize("plain", [False, True])
async def test_one_line_trumps_are_underlined_and_the_cursor_is_readable(plain):
    async with shown(a_view(three(0), look=Look(size="tiny", plain=plain))) as (app, pilot):

        def style_of(card):
            return [seg.style for strip in app.strips for seg in strip if card in seg.text][-1]

        assert style_of("K♦").underline
        assert not style_of("9♣").underline
        app.board.hand.cursor = 2
        await pilot.pause()
        style = style_of("7♣")
        assert style != style_of("9♣")
        assert style.reverse if plain else ratio(style.color, style.bgcolor) > 4.5


@pytest.mark.sampled(2)
@pytest.mark.parametrize("size", ["giant", "huge", "large", "normal", "small"])
async def test_a_ten_under_the_talon_shows_no_stray_digit(size):
    hands = ["7d 7h 9c Ac", "6s 7s 8d 9d Td"]
    state = State.setup(Rules(), hands, talon="8h8c6dTs", attacker=0)
    async with shown(a_view(state, look=Look(size=size)), (100, 36)) as (app, _):
        assert app.text.count("0♠") == app.text.count("10♠") == 1


async def test_log_and_header_have_the_four_colours_of_the_cards():
    async with shown(a_view(defence()), (120, 36)) as (app, _):
        strips = app.strips
        inks = {
            seg.text: seg.style.color.triplet for strip in strips[:6] for seg in strip if seg.text.strip()
        }
        assert len({inks["10♠"], inks["♦"], inks["J♥"]}) == 3


@pytest.mark.parametrize("ascii_only", [False, True])
def test_faces_and_court_cards_differ_at_a_glance(ascii_only):
    keys = [opponent.key for opponent in OPPONENTS]
    moods = ("calm", "pleased", "worried")
    faces = [face_portrait(key, mood, ascii_only=ascii_only) for key in keys for mood in moods]
    assert len({face.rows for face in faces}) == len(keys) * len(moods)
    for make in (whole_portrait, court_portrait, court_bust):
        assert len({make(rank, ascii_only=ascii_only).rows for rank in COURT}) == len(COURT)
    if ascii_only:
        assert all("".join(face.rows).isascii() for face in faces)
        assert all(small_face(key, mood, ascii_only=True).isascii() for key in keys for mood in moods)


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (100, 30)])
async def test_a_court_card_shows_a_whole_face_or_none(size):
    """A hat alone, on a small card or on one that lies under another, would be only specks."""
    hats, eyes = re.compile("▖◆▗|▙█▟|▟█▞"), re.compile("•_•|◕‿◕|•‿•")
    for state in (long_bout(), defence().apply(defence().legal_actions[0])):
        async with shown(a_view(state), size) as (app, _):
            assert "J" in app.text
            assert len(hats.findall(app.text)) == len(eyes.findall(app.text))


PLAYERS = ("human", "level:viktor", "level:nina")


async def test_an_opponents_face_shows_its_mood_where_there_is_room():
    rows = face_portrait("viktor", "worried").rows
    async with shown(a_view(finished(), players=PLAYERS), (120, 36)) as (app, _):
        assert all(row in app.text for row in rows)
        assert small_face("viktor", "worried") not in app.text
    async with shown(a_view(finished(), players=PLAYERS), (80, 24)) as (app, _):
        assert small_face("viktor", "worried") in app.text


def test_remarks_come_now_and_then_and_can_be_switched_off():
    state, said = State.deal(Rules(seats=3, lowest_rank=9), 5), set()
    while not state.is_over:
        state = state.apply(state.legal_actions[-1])
        if not state.is_over:
            said.add(a_view(state, players=PLAYERS).prompt.detail)
            assert not a_view(state, look=Look(remarks=False), players=PLAYERS).prompt.detail
    assert "" in said
    assert len(said) > 1
    assert all(text.startswith(("Boris: “", "Clara: “")) for text in said - {""})


PAIRS = (("human", "level:viktor", "level:nina"), ("human", "human", "human"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (100, 30), (120, 36), (200, 50)])
async def test_a_face_takes_no_room_from_open_cards(size):
    hidden = []
    for players in PAIRS:
        view = a_view(defence(), human=None, players=players, open_hands=defence().hands)
        async with shown(view, size) as (app, _):
            hidden.append(app.text.count("+"))
    assert hidden[0] <= hidden[1]


async def test_a_long_open_hand_leaves_the_face_a_place_in_the_lower_edge():
    hands = ["6d", "6s 7s 8s 9s Ts Js Qs Ks As 6h 7h 8h 9h Th Jh Qh", "7d"]
    state = State.setup(Rules(seats=3), hands, trump="Ad", attacker=2)
    players = ("level:nina", "level:viktor", "level:misha")
    view = a_view(state, human=None, players=players, open_hands=state.hands)
    async with shown(view, (46, 44)) as (app, _):
        face = small_face("viktor", mood_of(state.observation(0), 1))
        assert any(line.lstrip().startswith(f"╰─ {face} ") for line in app.lines), app.text


async def test_open_hands_are_real_cards_on_a_large_screen():
    view = a_view(defence(), human=None, players=PLAYERS, open_hands=defence().hands)
    async with shown(view, (200, 50)) as (app, _):
        rows = [line for line in app.lines if "│6♠" in line]
        assert rows
        assert all(f"│{card}" in rows[0] for card in ("7♠", "9♦", "A♣", "Q♦", "A♠"))
