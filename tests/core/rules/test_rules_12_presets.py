"""Section 12 of docs/rules.md: the presets."""

from __future__ import annotations

import re

import pytest
from playing import deck_of, legal, play, refused

from durak_core import OPTIONS, PRESETS, Phase, Role, Rules, State
from durak_core.errors import RulesError


def test_rule_12_presets_are_those_of_the_table(rules_text: str) -> None:
    """Each row of the table names a preset and exactly the options that differ from the default."""
    table = rules_text[rules_text.index("## 12.") :]
    rows = re.findall(r"^\| `([\w-]+)` \|[^|]*\| ([^|]*) \|$", table, re.MULTILINE)
    assert [name for name, _ in rows] == list(PRESETS)
    for name, text in rows:
        without_remark = re.sub(r"\([^)]*\)", "", text)
        settings = re.findall(r"`(\w+)` ([\w]+)", without_remark)
        options = {option: OPTIONS[option].read(value) for option, value in settings}
        assert Rules.preset(name) == Rules().changed(**options), name
        assert (without_remark.strip() == "nothing") is (not options)
        assert Rules.preset(name).base == name


@pytest.mark.parametrize("preset", PRESETS)
def test_rule_12_presets_have_a_text_that_reads_back(preset: str) -> None:
    """A preset's text is its name, and changed options follow it."""
    assert Rules.preset(preset).text == preset
    assert Rules.parse(preset) == Rules.preset(preset)
    changed = Rules.preset(preset, seats=3, draws=False)
    assert changed.text == f"{preset}:seats=3,draws=no"
    assert Rules.parse(changed.text) == changed


def test_rule_12_an_unknown_preset_is_refused() -> None:
    """The error names the nearest preset."""
    with pytest.raises(RulesError, match="podkidnoy"):
        Rules.parse("podkidnoi")


def test_rule_12_preset_podkidnoy_is_the_throw_in_game() -> None:
    """The default: six cards, 36 in the deck, throwing in, nothing to transfer."""
    rules = Rules.preset("podkidnoy")
    assert rules == Rules()
    state = play(State.setup(rules, ["6s9sAs", "6h7s8h"], trump="9c"), "6s")
    assert legal(state) == {"7sx6s", "take"}
    assert play(state, "7sx6s").phase == Phase.THROW_IN


def test_rule_12_preset_perevodnoy_is_the_transfer_game() -> None:
    """The same game in which the six can be handed on."""
    state = State.setup(Rules.preset("perevodnoy"), ["6s9sAs", "6h7s8h"], trump="9c")
    assert legal(play(state, "6s")) == {"7sx6s", ">6h", "take"}


def test_rule_12_preset_zarlykov_has_no_attack_limit() -> None:
    """Only the defender's hand limits the attack."""
    hands = ["6s6h6d6c8h8d8c", "8sTsThTdTcJsJhJd"]
    assert State.setup(Rules.preset("zarlykov"), hands, trump="9c").limit == 8
    assert State.setup(Rules.preset("podkidnoy"), hands, trump="9c").limit == 6


def test_rule_12_preset_huji_deals_again() -> None:
    """No hand of any of two hundred deals has five cards of one suit."""
    for seed in range(200):
        for hand in State.deal(Rules.preset("huji"), seed).hands:
            suits = [card.suit for card in hand]
            assert max(map(suits.count, suits)) < 5


def test_rule_12_preset_groningen_deals_all_and_forces_play() -> None:
    """No talon, no free pass or take, one attacker, nothing piled on."""
    rules = Rules.preset("groningen", seats=3)
    assert State.deal(rules, 1).hand_sizes == (12, 12, 12)
    state = play(State.setup(rules, ["6s7hAs", "7s8s9s", "7d7c8h"], trump="9c"), "6s")
    assert refused(state, "take") == "5.8"
    state = play(state, "7sx6s")
    assert legal(state) == {"7h"}
    state = play(state, "7h take")
    assert (state.phase, state.attacker) == (Phase.OPENING, 2)


def test_rule_12_preset_van_khan_lets_one_attack() -> None:
    """The third seat looks on, nothing is piled on, and there is no attack limit."""
    rules = Rules.preset("van-khan", seats=3)
    state = State.setup(rules, ["6s7hAs", "7s8s9sTsJsQsKs", "7d7c8h"], trump="9c")
    assert (state.limit, state.roles[2]) == (7, Role.BYSTANDER)
    assert play(state, "6s 7sx6s pass").attacker == 1
    assert play(state, "6s take").attacker == 2


def test_rule_12_preset_larsenbier_has_volleys_and_transfers() -> None:
    """Several cards may come before the answer, and the defender may hand them on."""
    state = State.setup(Rules.preset("larsenbier"), ["6s6h9s9h9d", "6d7s8hTsJsQsKs"], trump="9c")
    assert state.limit == 7
    state = play(state, "6s 6h pass")
    assert legal(state) == {"7sx6s", "Tsx6s", "Jsx6s", "Qsx6s", "Ksx6s", ">6d", "take"}


def test_rule_12_preset_online_has_volleys_and_five_cards_until_one_is_beaten_off() -> None:
    """Two sixes may open; the limit of five outlives a bout that is taken, not one that is beaten off."""
    rules = Rules.preset("online")
    deck = deck_of(rules, ["6s6h9s9h9dTd", "7s7h8sThJsQs"], bottom="9c")
    state = State.from_deck(rules, deck, first_attacker=0)
    assert state.limit == 5
    state = play(state, "6s 6h pass")
    assert legal(state) == {"7sx6s", "8sx6s", "Jsx6s", "Qsx6s", "take"}
    assert play(state, "take pass").limit == 5
    assert play(state, "7sx6s 7hx6h pass").limit == 6
