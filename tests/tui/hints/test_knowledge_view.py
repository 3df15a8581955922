"""The knowledge panel as data: what it says is what the core knows, and depends on nothing else."""

import random
from dataclasses import replace

import pytest
from playing import mixed, play, random_game

from durak_core import (
    BOTTOM,
    DISCARD,
    PLAYER_TYPES,
    TABLE,
    TALON,
    Card,
    OpponentModel,
    Record,
    Rules,
    SeatLocations,
    State,
    make_agent,
    unseen_cards,
)
from durak_core.lab import play_game
from durak_tui.hints.model import NO_MODELS, PlayerModelMemory, PlayerModels
from durak_tui.hints.view.knowledge import (
    PanelState,
    cell_text,
    character_words,
    knowledge_view,
    manner_words,
    seat_signs,
)
from durak_tui.play.setup import GameSetup, next_setup
from durak_tui.text.i18n import LANGUAGES, set_language
from durak_tui.ui.view.board_data import Look
from tui.boards import NAMES

SIGNS = {"▒": TALON, "▲": BOTTOM, "×": TABLE, "·": DISCARD}  # noqa: RUF001 - the sign is meant
VARIETY = [
    "podkidnoy:seats=2,lowest_rank=9",
    "perevodnoy:seats=4,show_trump=yes",
    "podkidnoy:seats=6,lowest_rank=2",
    "podkidnoy:seats=3,forced_play=yes",
    "podkidnoy:seats=2,trumps=no",
    "podkidnoy:seats=3,visibility=open",
]
HAND = PanelState("hand")


def view_of(state, seat, panel=None, posteriors=NO_MODELS, look=None):
    return knowledge_view(
        state.observation(seat), NAMES[: state.rules.seats], look or Look(), panel or PanelState(), posteriors
    )


def truth(state):
    """Where every card lies, as the state has it."""
    found = {card: seat for seat, hand in enumerate(state.hands) for card in hand}
    found |= dict.fromkeys(state.talon, TALON)
    if state.talon and state.trump_card is not None:
        found[state.talon[-1]] = BOTTOM
    found |= dict.fromkeys(state.discards, DISCARD)
    return found | {card: TABLE for pair in state.table for card in (pair.attack, pair.defence) if card}


def moments(text, seeds=1, every=17):
    for seed in range(seeds):
        for ply, state in enumerate(random_game(Rules.parse(text), seed, "play")):
            if ply % every == 0 or state.is_over:
                yield state


# Where the cards are


@pytest.mark.sampled(2)
@pytest.mark.parametrize("text", VARIETY)
def test_the_grid_says_of_every_card_what_the_core_knows(text):
    """The signs of a cell stand for the locations that `SeatLocations` allows, the true one included."""
    for state in moments(text):
        places = truth(state)
        for seat in range(state.rules.seats):
            known = SeatLocations.from_observation(state.observation(seat))
            view = view_of(state, seat)
            shown = [card for row in view.deck for card in row]
            assert sorted(card.card for card in shown) == sorted(state.rules.deck)
            hidden = {place for cell in shown for place in known.places_of(cell.card) if cell.kind == "open"}
            for cell in shown:
                possible = set(known.places_of(cell.card))
                assert places[cell.card] in possible
                if cell.kind == "open":
                    assert possible == hidden
                    assert cell.signs == (("?", None),)
                    assert len(possible) > 1
                else:
                    said = {SIGNS[sign] if at is None else at for sign, at in cell.signs}
                    assert said == possible
                    assert all(sign == NAMES[at][0] for sign, at in cell.signs if at is not None)


@pytest.mark.parametrize("text", VARIETY)
def test_kinds_are_own_hand_certain_places_and_what_is_left_open(text):
    for state in moments(text):
        view = view_of(state, 0)
        seen = state.observation(0)
        kinds = {cell.card: cell.kind for row in view.deck for cell in row}
        assert {card for card, kind in kinds.items() if kind == "own"} == set(seen.hand)
        assert {card for card, kind in kinds.items() if kind == "table"} == set(seen.table_cards)
        assert {card for card, kind in kinds.items() if kind == "discard"} == set(seen.gone)
        bottom = [card for card, kind in kinds.items() if kind == "bottom"]
        assert bottom == ([seen.trump_card] if seen.talon_size and seen.trump_card else [])
        for known in seen.known[1:]:
            assert all(kinds[card] == "seat" for card in known)


def test_the_deck_is_laid_out_by_suit_and_rank():
    for text, ranks in (("lowest_rank=9", 6), ("lowest_rank=6", 9), ("lowest_rank=2", 13)):
        view = view_of(State.deal(Rules.parse(f"podkidnoy:{text}"), 1), 0)
        assert [len(row) for row in view.deck] == [ranks] * 4
        assert [row[0].card.suit.letter for row in view.deck] == ["s", "h", "d", "c"]
    view = view_of(State.deal(Rules.parse("podkidnoy:suits=2,trumps=no"), 1), 0)
    assert len(view.deck) == 2
    assert view.trump is None


def words_of(state, seat, card, look=None):
    return view_of(state, seat, PanelState(cursor=Card.parse(card)), look=look).description


def three():
    """Anna attacks Boris with a jack, which he takes; Clara and the talon stay hidden."""
    hands = ["Js 6h 9c 7c Qc Kd", "6s 7s 8d 9d Td Ac", "Ts Jh Jc Kh Qd As"]
    state = State.setup(Rules(seats=3), hands, talon="8h 9h 8c 7h Kc 6d", attacker=0)
    return play(state, "Js take")


def test_the_card_under_the_cursor_is_told_in_words():
    state = three()
    assert words_of(state, 0, "Js") == "J♠: the table"
    assert words_of(state, 0, "6d") == "6♦: under the talon"
    assert words_of(state, 0, "As") == "A♠: Boris, Clara or the talon"
    assert words_of(state, 0, "6h") == "6♥: in hand. Nobody else knows"
    taken = play(state, "pass pass")
    assert words_of(taken, 0, "Js") == "J♠: certainly Boris"
    assert words_of(taken, 1, "Js") == "J♠: in hand. The others know"
    assert words_of(taken, 1, "Js", Look(ascii=True)) == "Js: in hand. The others know"
    assert view_of(taken, 0, PanelState(hint="a hint")).description == "a hint"


def test_the_cursor_goes_round_the_deck():
    state = three()
    card = view_of(state, 0).beside(1, 0)
    assert str(card) == "6s"
    for right, down, expected in ((1, 0, "7s"), (-1, 0, "6s"), (-1, 0, "As"), (0, 1, "Ah"), (0, -2, "Ac")):
        card = view_of(state, 0, PanelState(cursor=card)).beside(right, down)
        assert str(card) == expected


def test_the_legend_names_each_sign_that_is_used():
    for text in VARIETY:
        for state in moments(text):
            view = view_of(state, 1)
            named = {item.sign for item in view.legend}
            used = {sign for row in view.deck for cell in row for sign, _seat in cell.signs}
            out = {NAMES[seat][0] for seat in state.places}
            assert used <= named | out


def test_letters_are_unlike_or_numbers_stand_for_the_seats():
    assert seat_signs(("You", "Masha", "Boris")) == ("Y", "M", "B")
    assert seat_signs(("Маша", "Миша")) == ("1", "2")
    assert seat_signs(("", "Boris")) == ("1", "2")
    assert seat_signs(("?", "Boris", "Xenia")) == ("1", "2", "3")
    set_language("ru")
    assert seat_signs(("Вы", "Маша")) == ("1", "2"), "a jack has this letter too"


def test_what_has_no_room_in_a_cell_is_left_to_the_words():
    state = next(s for s in moments(VARIETY[3], seeds=4, every=2) if "some" in kinds_of(view_of(s, 0)))
    cell = next(c for row in view_of(state, 0).deck for c in row if c.kind == "some")
    assert cell_text(cell, len(cell.signs)) == cell.signs
    assert cell_text(cell, len(cell.signs) - 1) == (("~", None),)


def kinds_of(view):
    return {cell.kind for row in view.deck for cell in row}


def test_in_ascii_every_sign_is():
    for state in moments(VARIETY[1]):
        for side in ("places", "hand"):
            view = view_of(state, 0, PanelState(side), look=Look(ascii=True))
            signs = [sign for row in view.deck for cell in row for sign, _seat in cell.signs]
            rows = [part for row in view.rows for part in row.parts]
            legend = [f"{item.sign} {item.words}" for item in view.legend]
            assert " ".join([*signs, *rows, *legend, view.title, view.description]).isascii()


# What the others know of the hand


@pytest.mark.sampled(2)
@pytest.mark.parametrize("text", VARIETY)
def test_what_the_others_know_of_the_hand_is_what_the_core_says(text):
    for state in moments(text):
        for seat in range(state.rules.seats):
            observation = state.observation(seat)
            known = SeatLocations.from_observation(observation)
            view = view_of(state, seat, HAND)
            asked = [row.seat for row in view.rows]
            still = [at for at in range(state.rules.seats) if at != seat and at not in state.places]
            if still:
                assert sorted(asked) == still
            for row in view.deck:
                for cell in row:
                    told = {at: known.knows_that_knows(at, cell.card, seat) for at in asked}
                    if cell.card not in observation.hand:
                        assert (cell.signs, cell.kind) == ((), "none")
                        continue
                    signs = {sign for sign, _seat in cell.signs}
                    assert ("?" in signs) == (None in told.values())
                    if len(asked) > 1 and all(told.values()):
                        assert signs == {"*"}
                    elif not any(told.values()):
                        assert "-" in signs or "?" in signs
                    else:
                        assert {at for _sign, at in cell.signs if at is not None} == {
                            at for at in told if told[at]
                        }
            for row in view.rows:
                count = sum(known.knows_that_knows(row.seat, c, seat) is True for c in observation.hand)
                assert row.parts[0].rstrip(":") == f"{count} of {len(observation.hand)}"
                assert len(row.parts) == 1 + count


def test_taken_cards_are_known_and_drawn_ones_are_not():
    state = play(three(), "pass pass")
    rows = view_of(state, 1, HAND).rows
    assert [(row.name, row.parts) for row in rows] == [
        ("Clara", ("1 of 7:", "J♠")),
        ("Anna", ("1 of 7:", "J♠")),
    ]
    assert view_of(state, 2, HAND).rows[0].parts == ("0 of 6",)


# Nobody peeks


def reshuffled(states, ply, seat, chance):
    """The same game up to a moment, with the cards permuted that this seat cannot place there."""
    state = states[ply]
    deck = mixed(state, list(unseen_cards(state.observation(seat))), chance)
    twins = [State.from_deck(state.rules, deck, state.first_attacker)]
    for move in Record.of(state, ("",) * state.rules.seats).moves:
        twins.append(twins[-1].apply(move.action))
    return twins


@pytest.mark.sampled(1)
@pytest.mark.parametrize("text", [VARIETY[0], VARIETY[1], "podkidnoy:seats=6"])
def test_hidden_cards_change_nothing_on_the_panel(text):
    """Neither a cell, nor a word, nor a character: all of it follows from what the seat may know."""
    chance = random.Random(7)
    different = 0
    states = list(random_game(Rules.parse(text), 1, "play"))
    for ply in chance.sample(range(len(states) // 2), 4):
        seat = chance.randrange(states[0].rules.seats)
        twins = reshuffled(states, ply, seat, chance)
        different += twins[-1].hands != states[ply].hands
        shown = []
        for game in (states, twins):
            readings = PlayerModels(game[0].rules, game)
            assert readings.read(seat, ply, 60.0)
            found = readings.at(seat, ply)
            shown.append([view_of(game[ply], seat, PanelState(side), found) for side in ("places", "hand")])
        assert shown[0] == shown[1]
    assert different >= 3


# Characters


def a_game(players, seed=3, **options):
    rules = Rules(seats=len(players), **options)
    return play_game(rules, [make_agent(player) for player in players], seed).record.replay()


def test_every_type_of_player_has_a_word_in_every_language():
    try:
        for code in LANGUAGES:
            set_language(code)
            words = character_words()
            assert set(words) == set(PLAYER_TYPES)
            assert len(set(words.values())) == len(words)
            assert len({manner_words({kind: 1.0}) for kind in PLAYER_TYPES}) == len(words)
    finally:
        set_language("en")


def test_the_rows_name_what_the_reader_takes_to_be_likely():
    states = a_game(("greedy", "cautious", "aggressive"))
    ply = len(states) - 1
    readings = PlayerModels(states[0].rules, states)
    assert readings.read(0, ply, 60.0)
    reader = OpponentModel(states[0].rules, 0, PLAYER_TYPES, seed=1)
    for state in states:
        reader.follow(state.observation(0))
    rows = view_of(states[-1], 0, None, readings.at(0, ply)).rows
    for row in rows:
        posterior = reader.posterior(row.seat)
        assert row.brief.rstrip("?") == max(posterior, key=posterior.__getitem__)
        assert row.parts == (manner_words(posterior),)
    assert [(row.name, row.parts[0].partition(",")[0]) for row in rows] == [
        ("Boris", "plays carefully"),
        ("Clara", "plays boldly"),
    ]


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.59, "hard to tell yet"),
        (0.6, "plays carefully, it seems"),
        (0.94, "plays carefully, it seems"),
        (0.95, "plays carefully"),
    ],
)
def test_a_character_is_guessed_only_where_the_guess_is_better_than_a_coin(share, words):
    state = State.setup(Rules(), ["KsAs6h", "7s8h7d"], trump="Ac", attacker=0)
    (row,) = view_of(state, 0, None, {1: {"cautious": share, "smart": 1 - share}}).rows
    assert row.parts == (words,)


def test_before_the_first_choice_and_after_forced_ones_there_is_nothing_to_go_by():
    state = play(State.setup(Rules(), ["KsAs6h", "7s8h7d"], trump="Ac", attacker=0), "Ks")
    states = [state, play(state, "take")]
    readings = PlayerModels(state.rules, states)
    for ply in (0, 1):
        assert readings.read(0, ply, 60.0)
        (row,) = view_of(states[ply], 0, None, readings.at(0, ply)).rows
        assert row.parts == ("hard to tell yet",)
    assert view_of(state, 0).rows[0].parts == ("reading…",)


def test_reading_stops_when_its_time_is_over_and_goes_on_later():
    states = a_game(("greedy", "smart"))
    readings = PlayerModels(states[0].rules, states)
    last = len(states) - 1
    assert not readings.read(0, last, 0.0)
    assert readings.at(0, 0) is NO_MODELS
    rounds = 0
    while not readings.read(0, last, 0.0005):
        rounds += 1
        assert rounds < 10_000
    whole = PlayerModels(states[0].rules, states)
    assert whole.read(0, last, 60.0)
    for ply in range(last + 1):
        assert readings.at(0, ply) == whole.at(0, ply)
    assert readings.read(0, last, 0.0)


def test_what_was_taken_back_is_read_no_more():
    states = a_game(("greedy", "smart"))
    played = list(states[:20])
    readings = PlayerModels(states[0].rules, played)
    assert readings.read(0, 19, 60.0)
    del played[12:]
    other = next(a for a in played[-1].legal_actions if played[-1].apply(a) != states[12])
    played.append(played[-1].apply(other))
    assert readings.at(0, 19) is NO_MODELS
    assert readings.at(0, 12) is NO_MODELS
    assert readings.read(0, 12, 60.0)
    fresh = PlayerModels(states[0].rules, list(played))
    assert fresh.read(0, 12, 60.0)
    assert readings.at(0, 12) == fresh.at(0, 12)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("rotate", [False, True])
def test_in_a_series_what_was_read_is_kept_wherever_everybody_sits_now(rotate):
    players = ("greedy", "cautious", "aggressive")
    states = a_game(players)
    before = GameSetup(states[0].rules, players, NAMES[:3], 3)
    memory = PlayerModelMemory()
    memory.of(before, states)
    after = next_setup(before, states[-1], rotate=rotate)
    begun = [after.deal()]
    readings = memory.of(after, begun)
    alone = PlayerModels(states[0].rules, states)
    for seat in range(3):
        assert alone.read(seat, len(states) - 1, 60.0)
        chair = (seat + rotate) % 3
        assert readings.read(chair, 0, 60.0)
        then, now = alone.at(seat, len(states) - 1), readings.at(chair, 0)
        assert {(other + rotate) % 3: found for other, found in then.items()} == now
    assert memory.of(after, begun) is readings


def test_other_players_and_games_that_did_not_end_leave_nothing_behind():
    players = ("greedy", "cautious")
    states = a_game(players)
    before = GameSetup(states[0].rules, players, NAMES[:2], 3)
    uniform = dict.fromkeys(PLAYER_TYPES, 1 / len(PLAYER_TYPES))
    others = GameSetup(states[0].rules, ("greedy", "smart"), NAMES[:2], 4, None, before.series)
    for played, after in (
        (states, others),
        (states[:30], next_setup(before, states[-1])),
        (states, GameSetup(states[0].rules, players, NAMES[:2], 4)),
        (states, replace(next_setup(before, states[-1]), rules=states[0].rules.changed(pile_on=False))),
    ):
        memory = PlayerModelMemory()
        memory.of(before, played)
        readings = memory.of(after, [after.deal()])
        assert readings.read(0, 0, 60.0)
        assert readings.at(0, 0)[1] == pytest.approx(uniform)


def test_only_some_games_of_a_series_are_kept_in_mind():
    players = ("greedy", "cautious")
    states = a_game(players, lowest_rank=11, hand_size=3)
    setup = GameSetup(states[0].rules, players, NAMES[:2], 3)
    memory = PlayerModelMemory()
    readings = memory.of(setup, states)
    for _ in range(15):
        setup = next_setup(setup, states[-1])
        states = list(states)
        readings = memory.of(setup, states)
    depth = 0
    while readings._before is not None:
        readings, depth = readings._before, depth + 1
    assert depth == 10
