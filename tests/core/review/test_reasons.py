"""Reasons: for each kind a position in which it is given, and one in which it does not hold."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
from playing import cards

from durak_core import Observation, Rules, parse_action, read_observation
from durak_core.review import reasons
from durak_core.review.reasons import Comparison, reason_of


def hand_size(hand: str) -> int:
    """Count the cards of a hand as observations write it: ``?4+QsQh`` has six."""
    hidden, _, known = hand.partition("+") if hand.startswith("?") else ("?0", "", hand)
    return int(hidden[1:]) + len(known) // 2


def seen(
    hand: str,
    other: str = "?6",
    *,
    table: str = "",
    talon: int = 12,
    trump: str = "7d",
    phase: str = "",
    defends: bool = False,
    gone: str | None = None,
    rules: str = "podkidnoy",
) -> Observation:
    """What somebody with this hand sees of a game for two; what is left was discarded, low cards first."""
    deck = Rules.parse(rules).deck
    beaten = table.count("x")
    on_table = table.replace("x", "").replace(",", "")
    away = len(deck) - hand_size(hand) - hand_size(other) - len(on_table) // 2 - talon
    if gone is None:
        used = cards(hand) + cards(on_table) + cards(other.partition("+")[2]) + cards(trump)
        rest = [str(card) for card in deck if card not in used]
        gone = "".join(rest[:away] if talon else [trump, *rest][:away])
    assert len(gone) // 2 == away, f"{away} cards lie in the discard pile"
    defending = hand_size(hand if defends else other)
    phase = phase or ("defence" if defends else "throw_in" if table else "opening")
    fields = {
        "rules": rules,
        "seat": int(defends),
        "bout": 3,
        "attacker": 0,
        "defender": 1,
        "limit": min(6, defending + beaten),
        "phase": phase,
        "turn": int(defends),
        "hands": f"{other}/{hand}" if defends else f"{hand}/{other}",
        "table": table,
        "talon": f"?{talon - 1}+{trump}" if talon > 1 else trump if talon else "",
        "trump": trump,
        "gone": gone,
    }
    return read_observation(" ".join(f"{name}={value}" for name, value in fields.items() if value != ""))


@dataclass
class Case:
    """Two actions in a position, as texts, and what may be expected after them."""

    position: Observation
    played: str
    better: str
    after_played: str = ""
    after_better: str = ""
    proved: tuple[float, float] | None = None
    comparison: Comparison = field(init=False)

    def __post_init__(self):
        played, better = parse_action(self.played), parse_action(self.better)
        legal = self.position.legal_actions
        assert {played, better} <= set(legal), f"legal are {' '.join(map(str, legal))}"
        ahead = [tuple(map(parse_action, text.split())) for text in (self.after_played, self.after_better)]
        self.comparison = Comparison(self.position, played, better, ahead[0], ahead[1], self.proved)


TRANSFER = {"rules": "perevodnoy", "table": "8s", "defends": True}
SHOW = {"rules": "perevodnoy:show_trump=yes", "table": "8s", "defends": True}
VOLLEY = {"rules": "podkidnoy:attack_style=volley", "table": "8s,8h", "defends": True}
ANSWER = {"table": "8s", "defends": True}
FOLLOW = {"table": "9sx8s"}
PILE_ON = {"phase": "pile_on"}
END = {"talon": 0, "trump": "Ad"}
EXCHANGE = {"rules": "podkidnoy:exchange_trump=yes", "trump": "Kd"}

CASES = {
    "misses_the_way_out": (
        Case(seen("9s", "?2", table="Thx9h", **END), "pass", "9s"),
        "misses the way out: 9s is the last card",
        Case(seen("9sKs", "?2", table="Thx9h", **END), "pass", "9s"),
    ),
    "leaves_out_what_cannot_be_beaten": (
        Case(seen("8s9c", "+ThTc", **END), "9c", "8s"),
        "leaves out 8s: seat 1 cannot beat it",
        Case(seen("8s9c", "+ThTs", **END), "9c", "8s"),
    ),
    "gives_away_a_win": (
        Case(seen("8s9c", "+TsTc", **END), "9c", "8s", proved=(0, 1)),
        "misses a forced win with 8s",
        Case(seen("8s9c", "+TsTc", **END), "9c", "8s"),
    ),
    "gives_away_a_draw": (
        Case(seen("8s9c", "+TsTc", **END), "9c", "8s", proved=(0, 0.5)),
        "misses a forced draw with 8s",
        Case(seen("8s9c", "+TsTc", **END), "9c", "8s", proved=(0, 1)),
    ),
    "spends_a_trump_for_nothing": (
        Case(seen("9sKd6hAh", **ANSWER), "Kdx8s", "9sx8s"),
        "spends a trump, Kd, with 12 still in the talon; 9s beats it too",
        Case(seen("9dKd6hAh", **ANSWER), "Kdx8s", "9dx8s"),
    ),
    "spends_the_highest_trump": (
        Case(seen("9sAd6hTh", "?4", **ANSWER, talon=0), "Adx8s", "9sx8s"),
        "spends the highest trump left, Ad; 9s beats it too",
        Case(seen("9sAd6hTh", "?4", **ANSWER), "Adx8s", "9sx8s"),
    ),
    "spends_a_high_trump": (
        Case(seen("9dKd6hAh", **ANSWER), "Kdx8s", "9dx8s"),
        "spends Kd where a lower trump, 9d, is enough",
        Case(seen("9dKd6hAh", **ANSWER), "9dx8s", "Kdx8s"),
    ),
    "spends_a_high_card": (
        Case(seen("9sQs6hAh", **ANSWER), "Qsx8s", "9sx8s"),
        "gives up Qs where a lower card, 9s, is enough",
        Case(seen("9sQs6hAh", **ANSWER), "9sx8s", "Qsx8s"),
    ),
    "lets_known_cards_in": (
        Case(seen("9sQs6hAh", "?5+Qh", **ANSWER), "Qsx8s", "9sx8s"),
        "lets seat 0 throw in Qh, seen in that hand",
        Case(seen("9sQs6hAh", "?5+Kh", **ANSWER), "Qsx8s", "9sx8s"),
    ),
    "brings_a_new_rank": (
        Case(seen("8s9sAh", table="9hx6h,6s", defends=True), "8sx6s", "9sx6s"),
        "brings a new rank to the table, so more can be thrown in; 9s brings none",
        Case(seen("8sJsAh", table="9hx6h,6s", defends=True), "8sx6s", "Jsx6s"),
    ),
    "is_taken_anyway": (
        Case(seen("9sQs6hAh", **ANSWER), "9sx8s", "Qsx8s", "9h take", "pass"),
        "does not save the bout: more is thrown in, and all of it is taken in the end",
        Case(seen("9sQs6hAh", **ANSWER), "9sx8s", "Qsx8s", "pass take", "pass"),
    ),
    "invites_more": (
        Case(seen("9sTsThTcAh", **ANSWER), "9sx8s", "Tsx8s"),
        "lets 9d9c be thrown in; fewer cards fit Ts",
        Case(seen("9sTsThTcAh", **ANSWER), "Tsx8s", "9sx8s"),
    ),
    "breaks_up_a_pair": (
        Case(seen("9sQs9hAh", **ANSWER), "9sx8s", "Qsx8s"),
        "breaks up 9s9h, which belong together in an attack",
        Case(seen("9sQs9hQh", **ANSWER), "9sx8s", "Qsx8s"),
    ),
    "refuses_a_catch": (
        Case(seen("9d6hAh", table="8d", defends=True), "9dx8d", "take"),
        "turns down 8d, worth having in hand",
        Case(seen("9d6hAh", **ANSWER), "9dx8s", "take"),
    ),
    "loses_what_has_beaten": (
        Case(seen("Qh6cAc", table="KsxTs,Th", defends=True), "QhxTh", "take"),
        "discards Ks, which taking would bring back",
        Case(seen("Qh6cAc", table="JsxTs,Th", defends=True), "QhxTh", "take"),
    ),
    "costs_a_trump": (
        Case(seen("Kd6hAh", **ANSWER), "Kdx8s", "take"),
        "costs a trump, Kd, with 12 still in the talon; taking costs less",
        Case(seen("Ks6hAh", **ANSWER), "Ksx8s", "take"),
    ),
    "costs_a_high_card": (
        Case(seen("Ks6hAh", **ANSWER), "Ksx8s", "take"),
        "costs Ks; taking keeps it in hand",
        Case(seen("9s6hAh", **ANSWER), "9sx8s", "take"),
    ),
    "takes_what_a_spare_card_beats": (
        Case(seen("9s6hAh", **ANSWER), "take", "9sx8s"),
        "no need, you can spare 9s",
        Case(seen("Ks6hAh", **ANSWER), "take", "Ksx8s"),
    ),
    "takes_with_nothing_to_draw": (
        Case(seen("Ks6hAh", **ANSWER, **END), "take", "Ksx8s"),
        "takes with the talon empty, when every card has to be shed again; Ks beats it",
        Case(seen("Ks6hAh", **ANSWER), "take", "Ksx8s"),
    ),
    "gives_the_attack_away": (
        Case(seen("Ks6hAh", **ANSWER), "take", "Ksx8s"),
        "gives the next attack away; Ks beats it",
        Case(seen("Ks6hAh", **VOLLEY), "take", "Ksx8s"),
    ),
    "takes_too_early": (
        Case(seen("Ks6hAh", **VOLLEY), "take", "Ksx8s"),
        "takes too early: Ks still beats a card",
        Case(seen("Ks6hAh", **VOLLEY), "Ksx8s", "take"),
    ),
    "misses_a_free_transfer": (
        Case(seen("8dKs6hAh", **SHOW), "take", "^8d"),
        "misses a free transfer: 8d is only shown, and stays",
        Case(seen("8dKs6hAh", **SHOW), "take", ">8d"),
    ),
    "misses_the_transfer": (
        Case(seen("8hKs6hAh", **TRANSFER), "take", ">8h"),
        "misses the transfer: after 8h another player defends",
        Case(seen("8hKs6hAh", **TRANSFER), "take", "Ksx8s"),
    ),
    "transfers_with_a_trump": (
        Case(seen("8dKs6hAh", **TRANSFER), ">8d", "Ksx8s"),
        "transfers with a trump, 8d, with 12 still in the talon",
        Case(seen("8hKs6hAh", **TRANSFER), ">8h", "Ksx8s"),
    ),
    "is_transferred_on": (
        Case(seen("8hKs6hAh", "?5+8c", **TRANSFER), ">8h", "Ksx8s"),
        "is transferred back with 8c, seen with seat 0",
        Case(seen("8hKs6hAh", "?5+9c", **TRANSFER), ">8h", "Ksx8s"),
    ),
    "transfers_what_could_be_beaten": (
        Case(seen("8hKs6hAh", **TRANSFER), ">8h", "Ksx8s"),
        "gives the next attack away; Ks beats it",
        Case(seen("8hKs6hAh", **TRANSFER), ">8h", "take"),
    ),
    "runs_into_known_cards": (
        Case(seen("9s9cKh", "?5+Ts"), "9s", "9c"),
        "runs into Ts, seen with seat 1",
        Case(seen("9s8sKh", "?5+Ts"), "9s", "8s"),
    ),
    "attacks_with_a_trump": (
        Case(seen("8d9cKh"), "8d", "9c"),
        "attacks with a trump, 8d, with 12 still in the talon; hold it for later",
        Case(seen("8d9cKh", **END), "8d", "9c"),
    ),
    "opens_with_a_single_card": (
        Case(seen("8s9c9h"), "8s", "9c"),
        "cannot be followed up; 9c can, with 9h",
        Case(seen("8s9cTh"), "8s", "9c"),
    ),
    "is_easier_to_beat": (
        Case(seen("7s8cJcKs9hTh", talon=24), "7s", "Ks"),
        "is easy to beat: 14 of the cards still out beat it, and only 9 beat Ks",
        Case(seen("7s8cJcKs9hTh", talon=24), "7s", "8c"),
    ),
    "attacks_too_high": (
        Case(seen("8cQs"), "Qs", "8c"),
        "gives up Qs; a lower card, 8c, can be spared sooner",
        Case(seen("8cQs"), "8c", "Qs"),
    ),
    "makes_a_present": (
        Case(seen("Qc8h", table="Qs", **PILE_ON), "Qc", "pass"),
        "makes seat 1 a present of Qc",
        Case(seen("9c8h", table="9s", **PILE_ON), "9c", "pass"),
    ),
    "throws_in_a_good_card": (
        Case(seen("Qc8h", table="QsxTs"), "Qc", "pass"),
        "parts with Qc, which is worth keeping",
        Case(seen("9cTh", **FOLLOW), "9c", "pass"),
    ),
    "is_beaten_for_nothing": (
        Case(seen("9cTh", **FOLLOW), "9c", "pass", "Tcx9c"),
        "is likely beaten by Tc; passing keeps 9c",
        Case(seen("9cTh", **FOLLOW), "9c", "pass", "take"),
    ),
    "keeps_what_could_be_given": (
        Case(seen("9cTh", table="9s", **PILE_ON), "pass", "9c"),
        "keeps 9c, which could be given to seat 1 for good",
        Case(seen("9cTh", **FOLLOW), "pass", "9c"),
    ),
    "lets_off_who_would_take": (
        Case(seen("9cTh", **FOLLOW), "pass", "9c", "9h", "take"),
        "lets seat 1 off: 9c would likely be taken",
        Case(seen("9cTh", **FOLLOW), "pass", "9c", "9h", "Tcx9c"),
    ),
    "stops_too_early": (
        Case(seen("9cTh", **FOLLOW), "pass", "9c"),
        "stops too early: 9c can still be thrown in",
        Case(seen("9cTh", **FOLLOW), "9c", "pass"),
    ),
    "leaves_the_higher_trump": (
        Case(seen("6d9cTh", **EXCHANGE), "9c", "exchange"),
        "leaves Kd under the talon; 6d can be exchanged for it",
        Case(seen("6d9cTh", **EXCHANGE), "Th", "9c"),
    ),
    "expects_worse": (
        Case(seen("9c9s", talon=28), "9c", "9s", "Tcx9c", "Jsx9s"),
        "is likely beaten by Tc; 9s would draw out Js",
        Case(seen("9c9s", talon=28), "9c", "9s", "Jcx9c", "Tsx9s"),
    ),
}
"""The reason's function, a position in which it is given with its words, and one in which it is not."""

KINDS = {
    name: kind
    for name, kind in vars(reasons).items()
    if not name.startswith("_") and getattr(kind, "__annotations__", {}).get("it") == "Comparison"
}


def test_there_is_a_case_for_every_reason():
    assert set(CASES) == KINDS.keys() - {"reason_of", "known_reason"}


@pytest.mark.parametrize("name", CASES)
def test_a_reason_is_given_where_it_holds_and_not_where_it_does_not(name):
    kind = KINDS[name]
    given, words, other = CASES[name]
    assert str(reason_of(given.comparison)) == words
    assert kind(given.comparison) == reason_of(given.comparison)
    assert kind(other.comparison) is None


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (
            Case(seen("8dTh", **FOLLOW), "8d", "pass"),
            "throws in a trump, 8d, with 12 still in the talon; hold it for later",
        ),
        (Case(seen("8d9c", table="8s", **PILE_ON), "8d", "pass"), "makes seat 1 a present of 8d"),
        (Case(seen("8d9cKh", **END), "8d", "9c"), "gives up a trump, 8d; 9c can be spared sooner"),
    ],
)
def test_a_trump_is_spent_in_other_words_by_who_leads_throws_in_or_gives_it_away(case, words):
    assert str(reason_of(case.comparison)) == words


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (
            Case(seen("9cAd", "?3"), "9c", "Ad"),
            "leaves out Ad: none of the cards still out beats it",
        ),
        (
            Case(seen("9sTsThTc", **ANSWER, gone="6s7s6h7h8h6d8d9dTd6c7c8c9c"), "9sx8s", "Tsx8s"),
            "lets 9h be thrown in; nothing fits Ts",
        ),
    ],
)
def test_what_counting_the_cards_shows_is_said(case, words):
    assert str(reason_of(case.comparison)) == words


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (Case(seen("8s9c", "+TsTc", **END), "8s", "9c", proved=(0, 1)), "a high lead, 9c"),
        (Case(seen("8s9d", "+TsTd", talon=0), "8s", "9d", proved=(0, 1)), "9d"),
        (Case(seen("9s9c", "+TsTc", **END), "9s", "9c", proved=(0, 1)), "9c"),
    ],
)
def test_a_plain_lead_that_wins_is_called_high_if_a_lower_one_loses(case, words):
    assert str(reason_of(case.comparison)) == f"misses a forced win with {words}"


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (
            Case(seen("9s6h", "+Ts7c", **ANSWER, **END), "9sx8s", "take", proved=(0, 1)),
            "take, although 9s beats it",
        ),
        (
            Case(seen("9cTh", "+TcTs", **FOLLOW, **END), "9c", "pass", proved=(0, 1)),
            "pass: 9c is better kept",
        ),
        (
            Case(seen("9cTh", "+TcTs", table="9s", **PILE_ON, **END), "9c", "pass", proved=(0, 1)),
            "pass",
        ),
    ],
)
def test_taking_and_stopping_that_win_are_named(case, words):
    assert str(reason_of(case.comparison)) == f"misses a forced win by {words}"


@pytest.mark.parametrize(
    "case",
    [
        Case(seen("8s8c", "+ThTc", table="8h", **PILE_ON, **END), "8c", "8s"),
        Case(seen("9s9cKh", "?5+Ts", table="9h", **PILE_ON), "9s", "9c"),
    ],
)
def test_nothing_is_beaten_any_more_once_the_defender_takes(case):
    assert str(reason_of(case.comparison)) == f"has no simple flaw, but {case.better} is better"


@pytest.mark.parametrize("name", ["lets_known_cards_in", "brings_a_new_rank", "invites_more"])
def test_nothing_is_said_to_be_thrown_in_where_the_bout_is_full(name):
    given, _, _ = CASES[name]
    full = replace(given.position, limit=len(given.position.table))
    assert KINDS[name](replace(given.comparison, observation=full)) is None


@pytest.mark.parametrize(("played", "better"), [("take", "9sx8s"), (">8c", "9sx8s")])
def test_a_card_beats_the_attack_only_where_no_other_attack_is_open(played, better):
    rules = {"rules": "perevodnoy:attack_style=volley", "table": "8s,8h", "defends": True}
    words = str(reason_of(Case(seen("8c9s6hAh", **rules), played, better).comparison))
    assert words in {"takes too early: 9s still beats a card", "has no simple flaw, but 9sx8s is better"}


def test_a_rank_that_lies_on_the_table_lets_no_card_in():
    """The better card's mate can be thrown in anyway, the played card's only after it."""
    position = seen("9sQsAh", "?4+9cQh", table="9hx6h,6s", defends=True)
    found = reason_of(Case(position, "Qsx6s", "9sx6s").comparison)
    assert str(found) == "lets seat 0 throw in Qh, seen in that hand"


def test_what_is_expected_in_the_next_bout_says_nothing_of_this_one():
    """Moves without a choice are left out: a king cannot follow, and the defender throws nothing in."""
    for ahead in ("Tcx9c Kh take", "Tcx9c Td take"):
        case = Case(seen("9cTh", "?5+Td", **FOLLOW), "pass", "9c", "9h", ahead)
        assert str(reason_of(case.comparison)) == "stops too early: 9c can still be thrown in"


def test_what_comes_after_a_forced_take_is_no_answer():
    case = Case(seen("9c9s", talon=28), "9c", "9s", "6h", "Jsx9s")
    assert str(reason_of(case.comparison)) == "has no simple flaw, but 9s is better"


def test_nothing_is_said_to_be_transferred_back_where_the_search_expects_another_answer():
    case = Case(seen("8hKs6hAh", "?5+8c", **TRANSFER), ">8h", "Ksx8s", "9sx8s")
    assert "transferred back" not in str(reason_of(case.comparison))


def test_a_trump_that_nothing_can_beat_later_is_said_to_be_one():
    highest = Case(seen("AdTh", **(FOLLOW | {"table": "AsxKs"})), "Ad", "pass")
    words = str(reason_of(highest.comparison))
    assert words == "throws in a trump, Ad, with 12 still in the talon; nothing can beat it later"


def test_there_is_always_something_to_say():
    assert (
        str(reason_of(Case(seen("9c9s", talon=28), "9c", "9s").comparison))
        == "has no simple flaw, but 9s is better"
    )


def test_answers_to_different_cards_are_not_held_against_each_other():
    """A lower card that beats another attack is no reason against the higher one."""
    position = seen("9hQs", **VOLLEY)
    played, better = parse_action("Qsx8s"), parse_action("9hx8h")
    assert "beats it too" not in str(reason_of(Comparison(position, played, better)))
    assert "enough" not in str(reason_of(Comparison(position, played, better)))
