"""How the game goes: told by the rules in force, short, and pointed out to who has never played."""

import threading

import pytest

from durak_core import PASS, PRESETS, Rules
from durak_tui.board.widgets.prompt import Prompt
from durak_tui.help.screens import _how
from durak_tui.help.view import how_the_game_goes
from durak_tui.library.model.entries import entry_of
from durak_tui.library.model.service import LibraryService
from durak_tui.library.model.store import Library
from durak_tui.storage.paths import data_dir
from durak_tui.text.house_rules import GROUPS
from durak_tui.text.i18n import LANGUAGES, set_language
from tui.games import a_record
from tui.helpers import an_app, my_turn, screen_text, shows, until


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preset", PRESETS)
def test_how_the_game_goes_is_told_on_two_pages_of_the_smallest_window(preset, language):
    set_language(language)
    told = how_the_game_goes(Rules.preset(preset, seats=3), lambda _action: "Space", ascii_only=False)
    assert _how(told).get_height({}, 54) <= 2 * 18 - 2


@pytest.mark.parametrize(
    ("rules", "said", "unsaid"),
    [
        ("podkidnoy", "the other attacks again", "lay another card of that rank"),
        ("podkidnoy:seats=3", "does not attack next", "the other attacks again"),
        ("podkidnoy:attack_limit=none", "Never more in all", "Never more than"),
        ("podkidnoy:attack_limit=5", "Never more than 5", "Never more in all"),
        ("podkidnoy:seats=4,throw_in=neighbours", "Then the neighbours", "Then all the others"),
        ("podkidnoy:pile_on=no", "picks up", "Before that"),
        ("podkidnoy:trumps=no", "There are no trumps", "lowest trump"),
        ("podkidnoy:lowest_rank=9,hand_size=4", "Of 24 cards each player gets 4", "6 7 8"),
        ("podkidnoy:draws=no", "the defender is the fool", "nobody is the fool"),
        ("perevodnoy", "lay another card of that rank", "Not in the first bout"),
        ("perevodnoy:show_trump=yes,transfer_first_bout=no", "once a game. Not in the first bout.", "one_by"),
        ("larsenbier", "Several cards", "Never more than"),
        ("groningen", "If you can, you must", "talon"),
        ("podkidnoy:first_bout_limit=5", "In the first bout: 5 at most.", "Until the first"),
        ("podkidnoy:first_bout_limit=6", "Never more than 6", "In the first bout"),
        ("online", "Until the first attack is beaten off: 5 at most.", "In the first bout"),
        (
            "podkidnoy:redeal_trump_ace=yes",
            "shows the trumps. If it is an ace, the cards",
            "of one suit, the",
        ),
        ("podkidnoy:redeal_trump_ace=yes,trumps=no", "There are no trumps", "ace"),
        ("podkidnoy:exchange_trump=yes", "may first exchange it for the face-up card", "lay another"),
        ("podkidnoy:exchange_trump=yes,deal_all=yes", "All 36 cards are dealt", "exchange it"),
        ("huji", "If a hand has 5 cards of one suit", "an ace"),
    ],
)
def test_how_the_game_goes_is_told_by_the_rules_in_force(rules, said, unsaid):
    told = how_the_game_goes(Rules.parse(rules), str, ascii_only=False)
    text = " ".join(sentence for _about, sentence in told)
    assert said in text
    assert unsaid not in text


@pytest.mark.sampled(31)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "change",
    [
        *("lowest_rank=9", "suits=3", "trumps=no", "hand_size=5", "deal_all=yes", "redeal_same_suit=5"),
        *("redeal_trump_ace=yes", "next_first_attacker=under_fool", "attack_limit=5", "first_bout_limit=5"),
        *("first_bout_limit=5,first_limit_lasts=until_beaten", "attack_style=volley", "throw_in=attacker"),
        *("forced_play=yes", "pile_on=no", "transfer_first_bout=no", "show_trump=yes", "draws=no"),
        *("exchange_trump=yes", "lowest_card=defence", "lowest_card=always"),
        *("next_first_attacker=after_fool", "lowest_beats_ace=trump", "lowest_beats_ace=any"),
        *("jokers=any", "jokers=colour"),
        *("show_trump=yes,show_trump_once=bout", "series_score=places"),
        "seats=4,teams=2x2,partner_plays_on=yes",
        *("stall_limit=20", "visibility=open"),
    ],
)
def test_every_house_rule_in_force_is_told(change, language):
    """Each changes a sentence; those that follow from another option are compared with it alone."""
    set_language(language)
    usual, _, last = f"perevodnoy:seats=3,{change}".rpartition(",")
    assert last
    told, other = (
        how_the_game_goes(Rules.parse(rules), str, ascii_only=False) for rules in (f"{usual},{last}", usual)
    )
    assert told != other


def test_every_house_rule_has_a_test_that_it_is_told():
    (options,) = (
        mark.args[1] for mark in test_every_house_rule_in_force_is_told.pytestmark if mark.args[0] == "change"
    )
    named = {setting.partition("=")[0] for change in options for setting in change.split(",")}
    assert {rule.option for rules in GROUPS.values() for rule in rules} <= named


async def test_who_has_never_played_is_told_where_the_game_is_explained_by_its_own_rules():
    app = an_app("perevodnoy:seats=2")
    async with app.run_test(size=(80, 40)) as pilot:
        await my_turn(app)
        await until(shows(app, "New here? F3: how to play."))
        await pilot.press("f3")
        await until(shows(app, "How the game goes: Perevodnoy, 2 players"))


async def test_the_word_for_who_has_never_played_leaves_the_answer_to_a_key_standing(monkeypatch):
    is_asked = threading.Event()
    monkeypatch.setattr(LibraryService, "is_empty", lambda _service: is_asked.wait())
    app = an_app("podkidnoy:seats=2")
    async with app.run_test(size=(80, 24)):
        table = await my_turn(app)
        why = table.session.state.why_not(PASS)
        assert why is not None
        table.refuse(why, words="Seven does not beat ten.")
        is_asked.set()
        await until(lambda: table._is_first_game and not table._is_drawing)
        assert table.query_one(Prompt).aside == "Seven does not beat ten."


async def test_who_has_played_before_is_told_nothing():
    library = Library(data_dir())
    library.add(entry_of(a_record(2)))
    library.close()
    app = an_app("podkidnoy:seats=2")
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(app)
        await pilot.pause()
        assert "New here?" not in screen_text(app)
