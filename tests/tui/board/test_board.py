"""The board under keys, mouse and other sizes of the terminal."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest
from playing import play

from durak_core import State, parse_action
from durak_tui.board.widgets.cards import Hand, Table
from durak_tui.board.widgets.prompt import MoveLog, Prompt
from durak_tui.board.widgets.seats import Seat
from durak_tui.text.phrases import card_text
from durak_tui.ui.view.board_data import ButtonView, Look, PromptView
from tui.boards import a_view, defence, finished, large_hand, long_bout, shown, six_seats, three, volley
from tui.helpers import until

SIZE = (80, 24)


def find(app, text):
    """Where a text stands on the screen, as column and row."""
    for row, line in enumerate(app.lines):
        if text in line:
            return line.index(text), row
    raise AssertionError(f"{text!r} is not on the screen:\n{app.text}")


def row_of(app, kind):
    """The rows that a widget takes, as text."""
    region = app.screen.query_one(kind).region
    return "\n".join(line[region.x : region.right] for line in app.lines[region.y : region.bottom])


async def shows(app, text):
    await until(lambda: text in app.text)


# The hand


async def test_the_cursor_goes_round_the_playable_cards_and_chooses():
    async with shown(a_view(defence())) as (app, _):
        hand = app.board.hand
        for step in (1, -1):
            hand.move_cursor(step)
            assert str(app.board.card) == "Kd"
        hand.cursor = 0
        assert str(app.board.card) == "6h"
        hand.choose()
        assert hand.go_to_number(9) is None
        assert str(hand.go_to_number(5)) == "Kd"
        hand.choose()
        await until(lambda: len(app.heard) == 2)
        assert app.heard == [("card", "6h"), ("card", "Kd")]


async def test_when_the_turn_begins_the_cursor_goes_to_a_card_that_can_be_played():
    async with shown(a_view(play(three(), "Ts JsxTs"))) as (app, pilot):
        hand = app.board.hand
        hand.cursor = 1
        app.board.show(a_view(defence(), look=Look(cursor="middle")))
        assert str(app.board.card) == "Kd"
        hand.cursor = 1
        app.board.show(a_view(defence(), look=Look(cursor="middle", sort="rank")))
        await pilot.pause()
        assert str(app.board.card) == "7c"


async def test_the_prompt_says_why_the_card_under_the_cursor_cannot_be_played():
    async with shown(a_view(defence())) as (app, _):
        assert "does not beat" not in app.text
        app.board.hand.cursor = 0
        await shows(app, "6♥ does not beat J♥.")
        app.board.hand.cursor = 1
        await shows(app, "7♣ does not beat J♥.")
        app.board.hand.cursor = 4
        await until(lambda: "does not beat" not in app.text)
        app.board.tell("It is not your turn.")
        await shows(app, "It is not your turn.")


async def test_another_moment_keeps_the_focus_and_the_cursor_on_its_card():
    async with shown(a_view(three(0))) as (app, pilot):
        hand = app.board.hand
        hand.cursor = 3
        held = app.board.card
        state = three(0).apply(parse_action("6h"))
        app.board.show(a_view(state))
        await pilot.pause()
        assert app.focused is hand
        assert app.board.card == held
        app.board.show(a_view(finished()))
        assert app.board.card is None
        hand.move_cursor(1)
        hand.choose()
        await pilot.pause()
        assert app.heard == []


async def test_a_click_plays_the_card_under_the_mouse_and_moving_it_moves_the_cursor():
    async with shown(a_view(defence())) as (app, pilot):
        x, y = find(app, "│9♣   │")
        await pilot.hover(offset=(x + 1, y))
        await until(lambda: str(app.board.card) == "9c")
        x, y = find(app, "K♦")
        await pilot.hover(offset=(x + 1, y))
        await pilot.click(offset=(x + 1, y))
        await until(lambda: app.heard == [("card", "Kd")])
        await pilot.click(Hand, offset=(1, 1))
        await pilot.pause()
        assert len(app.heard) == 1


async def test_a_tap_lifts_a_card_and_a_second_one_plays_it():
    """Also the card where the cursor is by itself has to be lifted first."""
    async with shown(a_view(defence())) as (app, pilot):
        for name, tapped in (("K♦", "Kd"), ("9♣ ", "9c"), ("K♦", "Kd")):
            x, y = find(app, name)
            await pilot.click(offset=(x + 1, y))
            await pilot.pause()
            assert str(app.board.card) == tapped
            assert app.heard == []
        await pilot.click(offset=(x + 1, y))
        await until(lambda: app.heard == [("card", "Kd")])
        app.board.show(a_view(defence()))
        await pilot.click(offset=(x + 1, y))
        await until(lambda: len(app.heard) == 2)


async def test_the_card_that_comes_beneath_a_finger_is_not_lifted_yet():
    async with shown(a_view(three(0))) as (app, pilot):
        hand = app.board.hand
        at, names = hand._layout().place(2), [held.card for held in hand._view.cards]
        await pilot.click(Hand, offset=at)
        await pilot.click(Hand, offset=at)
        await until(lambda: len(app.heard) == 1)
        state = three(0).apply(parse_action(str(names[2])))
        app.board.show(a_view(state))
        await pilot.click(Hand, offset=at)
        await pilot.pause()
        assert len(app.heard) == 1


async def test_of_overlapping_cards_the_upper_one_is_hit():
    async with shown(a_view(large_hand())) as (app, pilot):
        await shows(app, "│10♥│J♥")
        hand = app.board.hand
        place = hand._layout().place(5)
        await pilot.hover(Hand, offset=(place.x, place.y + 1))
        await until(lambda: hand.cursor == 5)
        await pilot.hover(Hand, offset=(place.x - 1, place.y + 1))
        await until(lambda: hand.cursor == 4)


async def test_a_hand_nobody_plays_has_no_cursor_and_takes_no_click():
    async with shown(a_view(defence(), human=None)) as (app, pilot):
        assert "┏" not in row_of(app, Hand)
        await pilot.hover(Hand, offset=(40, 3))
        await pilot.click(Hand, offset=(40, 3))
        await pilot.pause()
        assert app.heard == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 36)])
async def test_every_card_of_a_large_hand_is_in_sight_and_hit_by_the_mouse(size):
    async with shown(a_view(large_hand()), size) as (app, pilot):
        hand = app.board.hand
        for card_size in ("auto", "small", "tiny"):
            app.board.show(a_view(large_hand(), look=Look(size=card_size)))
            await pilot.pause()
            for step in (*range(0, 36, 5), 35):
                await pilot.hover(Hand, offset=hand._layout().place(step))
                await until(lambda step=step: hand.cursor == step)
            await pilot.hover(Hand, offset=hand._layout().place(7))
            await pilot.click(Hand, offset=hand._layout().place(7))
            await until(lambda: app.heard and app.heard.pop() == ("card", str(hand._view.cards[7].card)))


async def test_cards_that_may_not_be_played_are_dim_without_colours_too():
    async with shown(a_view(defence(), look=Look(plain=True))) as (app, _):
        app.board.hand.cursor = 1
        await shows(app, "┃7♣   ┃")
        assert "┆6♥   ┆" in app.text
        assert "│K♦▙█▟│" in app.text
        segments = [segment for strip in app.strips for segment in strip]
        papers = {segment.style.bgcolor.name for segment in segments if segment.style.bgcolor}
        assert "#f4f0e6" not in papers


async def test_colours_follow_the_look():
    async with shown(a_view(three(0), look=Look(colours="two"))) as (app, _):

        def ink(text):
            return {seg.style.color.name for strip in app.strips for seg in strip if text in seg.text}

        assert ink("K♦") == ink("6♥")
        assert ink("K♦") != ink("7♣")
        app.board.show(a_view(three(0), look=Look(colours="four")))
        await until(lambda: ink("K♦") != ink("6♥"))
        assert ink("7♣") != ink("J♠")


# Table, prompt and log


async def test_a_click_on_an_open_attack_chooses_it():
    async with shown(a_view(volley())) as (app, pilot):
        x, y = find(app, "│6♣   │")
        await pilot.click(offset=(x + 1, y))
        await until(lambda: app.heard == [("target", "6c")])
        app.board.show(a_view(volley(), target=volley().table[2].attack))
        await shows(app, "┃6♣   ┃")


async def test_a_click_on_a_beaten_attack_or_beside_does_nothing():
    async with shown(a_view(defence())) as (app, pilot):
        x, y = find(app, "│10♠  │")
        await pilot.click(offset=(x + 1, y))
        await pilot.click(Table, offset=(0, 0))
        await pilot.pause()
        assert app.heard == []


async def test_buttons_are_clicked_and_light_up():
    hint = ButtonView("hint", "Hint", "h")
    async with shown(a_view(defence(), extra=(hint,))) as (app, pilot):
        for label in ("[ Take t ]", "[ Hint h ]"):
            x, y = find(app, label)
            await pilot.hover(offset=(x + 2, y))
            await until(lambda: app.screen.query_one(Prompt)._hovered)
            await pilot.click(offset=(x, y))
            await pilot.click(offset=(x + len(label) - 1, y))
        x, y = find(app, "[ Take t ]")
        await pilot.click(offset=(x - 1, y))
        await pilot.click(offset=(x, y - 1))
        await until(lambda: len(app.heard) == 4)
        assert app.heard == [("button", "take")] * 2 + [("button", "hint")] * 2
        await pilot.hover(Hand)
        await until(lambda: not app.screen.query_one(Prompt)._hovered)


async def test_buttons_that_do_not_fit_with_their_keys_are_drawn_without():
    extra = tuple(ButtonView(f"button_{key}", "A long label", key) for key in "abc")
    async with shown(a_view(defence(), extra=extra), (60, 20)) as (app, _pilot):
        assert app.text.count("[ A long label ]") == 3
        assert "[ Take ]" in app.text
    async with shown(a_view(defence(), extra=extra), (80, 24)) as (app, _pilot):
        assert all(f"[ A long label {key} ]" in app.text for key in "abc")


def long_game():
    """A game of many bouts, to fill a log."""
    state = State.deal(three().rules, 5)
    for _ in range(90):
        state = state.apply(state.legal_actions[0])
    return state


async def test_the_log_follows_and_a_click_on_a_line_names_its_ply():
    state = long_game()
    async with shown(a_view(state, human=None), (120, 36)) as (app, pilot):
        log = app.screen.query_one(MoveLog)
        await until(lambda: log.max_scroll_y > 0 and log.scroll_offset.y == log.max_scroll_y)
        app.board.show(a_view(state.apply(state.legal_actions[0]), human=None))
        await until(lambda: log.scroll_offset.y == log.max_scroll_y)
        await pilot.click(MoveLog, offset=(3, log.size.height - 1))
        await until(lambda: app.heard == [("ply", 91)])


async def test_looking_back_the_log_shows_that_moment():
    state = long_game()
    early = State.deal(three().rules, 5).apply(State.deal(three().rules, 5).legal_actions[0])
    async with shown(
        a_view(early, human=None, story=state.observation(0).events, last_ply=90), (120, 36)
    ) as (app, _):
        log = app.screen.query_one(MoveLog)
        await shows(app, "Bout 1")
        assert log.scroll_offset.y == 0
        assert "move 1 of 90" in app.lines[0]


async def test_the_log_can_be_hidden_beside_the_table_and_laid_over_it():
    async with shown(a_view(long_game()), (100, 30)) as (app, pilot):
        side = app.board.query_one("#side")
        await until(lambda: side.display)
        app.board.toggle_log()
        await until(lambda: not side.display)
        app.board.toggle_log()
        await until(lambda: side.display)
        app.board.toggle_log()
        await pilot.resize_terminal(80, 24)
        await until(lambda: app.board.size.width == 80)
        assert not side.display
        app.board.toggle_log()
        await until(lambda: side.display and side.region.right == 80)
        await shows(app, "Bout 11")
        assert app.board.hand.region.width == 80


# Sizes


async def test_a_live_resize_changes_the_layout_and_loses_nothing():
    async with shown(a_view(defence())) as (app, pilot):
        sizes = {}
        for size in ((60, 20), SIZE, (120, 36), (50, 20), (60, 19), SIZE):
            await pilot.resize_terminal(*size)
            await until(lambda size=size: app.size == size)
            await pilot.pause()
            sizes[size] = app.board.hand.card_size.name
            if size[0] >= 60 and size[1] >= 20:
                assert "J♥" in row_of(app, Table)
                assert "[ Take t ]" in app.text
                assert ("Bout 2" in app.text) == (size[0] >= 100)
        assert sizes[60, 20] == "normal"
        assert sizes[SIZE] == "large"
        assert sizes[120, 36] == "huge"


async def test_every_card_of_a_long_bout_is_in_sight_in_every_size():
    state = long_bout()
    async with shown(a_view(state)) as (app, pilot):
        for size in ((60, 20), SIZE, (100, 30), (160, 50)):
            await pilot.resize_terminal(*size)
            for card_size in ("auto", "large", "small"):
                app.board.show(a_view(state, look=Look(size=card_size)))
                await pilot.pause()
                table = row_of(app, Table)
                for pair in state.table:
                    assert pair.attack.pretty in table


async def test_six_seats_have_room_in_the_least_terminal():
    async with shown(a_view(six_seats(), thinking=3), (60, 20)) as (app, _):
        assert all(name in app.lines[1] for name in ("Boris", "Clara", "Dima", "Elena", "Fedor"))
        assert [int(number) for number in re.findall(r"\d", app.lines[2])] == [6, 6, 6, 4, 4]
        assert "thinking" in app.lines[3]


async def test_an_ascii_board_has_no_other_sign():
    for state in (defence(), large_hand(), six_seats(), finished(), long_game()):
        async with shown(a_view(state, look=Look(ascii=True), thinking=1)) as (app, _):
            assert app.text.isascii()


async def test_open_hands_are_drawn_by_suits_in_the_opponents_boxes():
    state = defence()
    async with shown(a_view(state, open_hands=state.hands)) as (app, _):
        assert "♠ 6 7  ♣ A  ♦ 8 9 10 " in app.lines[2]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 36), (200, 50)])
@pytest.mark.parametrize("look", [Look(), Look(ascii=True), Look(sort="rank")])
async def test_every_card_of_open_hands_can_be_read(size, look):
    state = six_seats()
    async with shown(a_view(state, human=None, open_hands=state.hands, look=look), size) as (app, _):
        seats = [seat for seat in app.screen.query(Seat) if seat.display]
        for seat, hand in zip(seats, state.hands[1:], strict=True):
            rows = [line[seat.region.x : seat.region.right] for line in app.lines[seat.region.y :]]
            words = " ".join(rows[: seat.region.height]).split()
            suit, read = "", set(re.findall(r"[│|]((?:10|[2-9JQKA])[♠♥♦♣shdc])", " ".join(words)))
            read |= {
                rank[1] + below[rank.start(1)]
                for row, below in itertools.pairwise(rows[: seat.region.height])
                for rank in re.finditer(r"[│|](10|[2-9JQKA])", row)
            }
            for word in words:
                suit = word if word in {*"♠♥♦♣", *"shdc"} else suit
                read.add(word + suit)
            assert {card_text(card, ascii=look.ascii) for card in hand} <= read


async def test_an_open_hand_without_room_tells_how_many_cards_are_missing():
    view = a_view(six_seats())
    deck = tuple(six_seats().rules.deck)[:40]
    first, *others = view.opponents
    view = replace(view, opponents=(replace(first, cards=40, shown=deck), *others))
    async with shown(view, (60, 20)) as (app, _):
        seat = app.screen.query(Seat).first().region
        rows = [line[seat.x : seat.right] for line in app.lines[seat.y + 3 : seat.bottom]]
        *words, rest = " ".join(rows).split()
        assert rest == f"+{40 - sum(word not in '♠♥♦♣' for word in words)}"


@pytest.mark.slow
async def test_every_built_in_theme_can_show_the_board():
    async with shown(a_view(defence())) as (app, pilot):
        for theme in app.available_themes:
            app.theme = theme
            await pilot.pause()
            assert "[ Take t ]" in app.text


@pytest.mark.parametrize(("state", "most"), [(three(0), 14), (defence(), 20)])
async def test_on_a_phone_the_hint_is_no_button_as_wide_as_the_screen(state, most):
    async with shown(a_view(state, extra=(ButtonView("hint", "Hint", "h"),)), (40, 38)) as (app, _pilot):
        prompt = app.query_one(Prompt)
        width = next(region.width for region, button in prompt._marks if button.name == "hint")
        assert 10 <= width <= most


FEWER_BUTTONS = {
    "Short.": "[ Play again r ] [ Next mistake n ] [ Back ← ] [ Move → ]",
    f"{'word ' * 14}word.": "[ Play again ] [ Next mistake ] [ Back ] [ Move ]",
    f"{'word ' * 17}word.": "[ Play again r ] [ Next mistake n ]",
}


@pytest.mark.parametrize(("sentence", "buttons"), FEWER_BUTTONS.items(), ids=["all", "no keys", "no steps"])
async def test_buttons_give_way_to_what_is_better(sentence, buttons):
    given = [("play_on", "Play again", "r"), ("next", "Next mistake", "n"), ("step_back", "Back", "←")]
    prompt = PromptView(
        f"{sentence} Better: attack with Q♣.",
        "turn",
        buttons=tuple(ButtonView(*words) for words in (*given, ("step", "Move", "→"))),
    )
    async with shown(replace(a_view(three(0)), prompt=prompt), (80, 24)) as (app, _):
        await until(lambda: buttons in app.text and "Better: attack with Q♣." in " ".join(app.text.split()))


@pytest.mark.parametrize("size", [(60, 20), (120, 36)])
async def test_that_the_game_is_not_saved_stays_in_sight(size):
    async with shown(a_view(defence(), is_unsaved=True), size) as (app, _):
        await shows(app, "not saved")
