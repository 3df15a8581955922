"""Records: a deal, its moves, and what they come to."""

from __future__ import annotations

import copy
import pickle
import tracemalloc

import pytest
from playing import random_game, random_record

from durak_core import (
    PASS,
    TAKE,
    Attack,
    Card,
    Move,
    Record,
    RecordResult,
    Rules,
    State,
    parse_action,
)
from durak_core.actions import encode
from durak_core.errors import DealError, DurakError, RecordError
from durak_core.game.events import ActionEvent

NAMES = ("Anna", "Boris")


@pytest.fixture
def record() -> Record:
    """A fresh game of two."""
    return Record.of(State.deal(Rules(), seed=7), NAMES, date="2025-11-20", Event="Test")


def test_a_record_of_a_deal_has_its_deck_seed_and_names(record) -> None:
    """What makes the deal is taken over from the state."""
    state = State.deal(Rules(), seed=7)
    assert (record.deck, record.seed, record.first_attacker) == (state.deck, 7, state.first_attacker)
    assert record.players == NAMES
    assert record.tags == {"Event": "Test"}
    assert record.start == record.end == state
    assert record.result is None


def test_a_record_of_a_running_game_has_the_moves_so_far() -> None:
    """The events of a state tell its moves."""
    rules = Rules.preset("perevodnoy", seats=4, show_trump=True)
    states = list(random_game(rules, 3, "transfer"))
    record = Record.of(states[-1], tuple("ABCD"))
    assert record.replay() == tuple(states)
    assert len(record.moves) == states[-1].plies
    kinds = {str(move.action)[0] for move in record.moves}
    assert {">", "p", "t"} <= kinds


def test_added_makes_the_next_record_and_leaves_this_one(record) -> None:
    """Records are values."""
    action = record.end.legal_actions[0]
    longer = record.added(action, mark="!?", comment="why not")
    assert longer.moves == (Move(record.end.turn, action, "!?", "why not"),)
    assert record.moves == ()
    assert longer.end == record.end.apply(action)
    assert longer.replay() == (record.start, longer.end)


def test_a_finished_record_has_a_result() -> None:
    """The result is what the last state says."""
    record = random_record(Rules(seats=3), 5)
    end = record.end
    assert record.result == RecordResult(end.fools, end.is_draw, end.places, end.bout, end.plies)
    assert str(record.result) == ("draw" if end.is_draw else f"fool {end.fool}")
    assert Record(record.rules, record.deck, record.first_attacker, record.players, record.moves).result == (
        record.result
    )


def test_an_illegal_move_is_refused_with_ply_action_paragraph_and_legal_actions(record) -> None:
    """Nobody has to guess what is wrong with a record."""
    attack = record.end.legal_actions[0]
    wrong = Record(
        record.rules,
        record.deck,
        record.first_attacker,
        NAMES,
        (Move(record.first_attacker, attack), Move(1 - record.first_attacker, PASS)),
    )
    with pytest.raises(RecordError) as caught:
        wrong.replay()
    assert caught.value.ply == 2
    text = str(caught.value)
    for part in ("ply 2", "pass", "rules 5.5", "take"):
        assert part in text
    with pytest.raises(RecordError):
        _ = wrong.end
    with pytest.raises(RecordError):
        _ = wrong.result


def test_a_move_of_the_wrong_seat_is_refused(record) -> None:
    """Every move has to be that of the seat to act (rules 11.1)."""
    other = 1 - record.first_attacker
    with pytest.raises(RecordError, match=rf"ply 1: .* by seat {other} .*rules 11\.1.*legal: "):
        record.added(record.end.legal_actions[0], seat=other)


def test_a_move_after_the_end_is_refused() -> None:
    """A finished game takes no more moves (rules 8.2)."""
    record = random_record(Rules(), 5)
    with pytest.raises(RecordError, match=r"the game is over \(rules 8\.2\)"):
        record.added(TAKE)
    with pytest.raises(RecordError, match=r"rules 8\.2"):
        record.added(TAKE, seat=0)


def test_marks_and_comments_can_be_put_at_any_move(record) -> None:
    """Annotating changes nothing else."""
    longer = record.added(record.end.legal_actions[0]).added(TAKE)
    noted = longer.annotated(2, "?", "too early").annotated(0, comment="A first game.")
    assert noted.moves[1] == Move(longer.moves[1].seat, TAKE, "?", "too early")
    assert (noted.moves[0], noted.comment) == (longer.moves[0], "A first game.")
    assert noted.end == longer.end
    for ply, mark in ((3, ""), (-1, ""), (0, "!")):
        with pytest.raises(RecordError, match="no move"):
            longer.annotated(ply, mark)


def test_unknown_marks_are_refused() -> None:
    """There are six marks."""
    with pytest.raises(RecordError, match=r"'!!!' is not a mark"):
        Move(0, PASS, "!!!")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"players": ("Anna",)}, "1 names for 2 seats"),
        ({"seed": -1}, "seed -1: expected a number from 0"),
        ({"seed": 2**63}, "expected a number from 0"),
        ({"tags": {"Deck": "x"}}, "Deck belongs to the record"),
        ({"tags": {"a b": "x"}}, "'a b' cannot name a tag"),
        ({"tags": {"": "x"}}, "'' cannot name a tag"),
        ({"tags": {"A": "x" * 10_001}}, "the tag A has 10001 characters: expected at most 10000"),
        ({"tags": {f"A{number}": "x" for number in range(101)}}, "101 tags: expected at most 100"),
    ],
)
def test_records_that_cannot_be_written_are_refused(record, change, message) -> None:
    """What no text could carry is refused at once."""
    values = {"rules": record.rules, "deck": record.deck, "first_attacker": 0, "players": NAMES} | change
    with pytest.raises(RecordError, match=message):
        Record(**values)


def test_a_wrong_deck_or_first_attacker_is_a_deal_error(record) -> None:
    """The deal is checked when it is played."""
    with pytest.raises(DealError, match="needs each of the 36 cards"):
        Record(record.rules, record.deck[1:], 0, NAMES).replay()
    with pytest.raises(DealError, match="no seat 2"):
        _ = Record(record.rules, record.deck, 2, NAMES).end


def test_a_position_that_was_set_up_has_no_record() -> None:
    """Without a deal there is nothing to replay."""
    with pytest.raises(RecordError, match="set up"):
        Record.of(State.setup(Rules(), ["6c7d", "8s9h"], trump="Ah"), NAMES)


def test_records_are_hashable_copied_and_pickled() -> None:
    """Processes send records to each other."""
    record = random_record(Rules(), 11)
    assert len({record, copy.deepcopy(record), pickle.loads(pickle.dumps(record))}) == 1  # noqa: S301 - our own bytes


def test_a_chain_of_added_moves_is_cheap() -> None:
    """Adding a move plays one move, however long the game is: the states are shared, not replayed."""
    record = random_record(Rules(), 7)
    chain = Record(record.rules, record.deck, record.first_attacker, record.players, seed=7)
    played = 0
    real = State.apply

    def counted(state, action):
        nonlocal played
        played += 1
        return real(state, action)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(State, "apply", counted)
        for move in record.moves:
            chain = chain.added(move.action, move.seat)
    assert played == len(record.moves)
    assert chain == record


def test_record_errors_are_durak_errors(record) -> None:
    """One except clause catches all."""
    with pytest.raises(DurakError):
        record.added(Attack(Card.parse("2c")))
    with pytest.raises(DurakError):
        record.added(parse_action("^6h"))


def test_the_states_of_a_long_game_share_its_events() -> None:
    """A short game code may hold 20,000 actions; with all events in every state they took 12 GB."""
    states = [State.deal(Rules(seats=3, stall_limit=1000), seed=1)]

    def play_to(plies: int) -> int:
        while len(states) <= plies:
            legal = states[-1].legal_actions
            chosen = next((action for action in (TAKE, PASS) if action in legal), legal[0])
            states.append(states[-1].apply(chosen))
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        early = [play_to(plies) for plies in (100, 300)]
        late = [play_to(plies) for plies in (1300, 1500)]
    finally:
        tracemalloc.stop()
    assert not states[-1].is_over
    assert late[1] - late[0] < 1.5 * (early[1] - early[0])
    actions = [event for event in states[-1].observation(2).events if isinstance(event, ActionEvent)]
    assert len(actions) == 1500


def test_moves_played_at_once_end_like_moves_played_one_by_one() -> None:
    """Also in their events, which are made later, and after pickling; an illegal one plays none."""
    start = State.deal(Rules.parse("perevodnoy:seats=3"), 5)
    state, seats, codes = start, [], []
    while not state.is_over:
        action = state.legal_actions[-1]
        seats.append(state.turn)
        codes.append(encode(action))
        state = state.apply(action)
    at_once = start.after(seats, codes)
    assert at_once == state
    assert copy.deepcopy(at_once).events == state.events == at_once.events
    assert at_once.known == state.known
    assert start.after([*seats, 0], [*codes, codes[0]]) is None
    assert start.after([1 - seats[0]], codes[:1]) is None
