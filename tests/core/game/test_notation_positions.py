"""The text of positions and observations."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playing import play, random_game

from durak_core import (
    EXCHANGE,
    Card,
    CardSet,
    Observation,
    Phase,
    Record,
    Rules,
    State,
    read_observation,
    read_position,
    write_observation,
    write_position,
)
from durak_core.errors import NotationError

START = (
    "rules=podkidnoy bout=2 attacker=0 defender=1 limit=3 phase=opening turn=0 hands=7d6c9s/8s9hTd trump=Ah"
)


def field(text: str, key: str, value: str | None) -> str:
    """Return a text with one field changed, added or (None) left out."""
    fields = dict(part.split("=", 1) for part in text.split())
    if value is None:
        del fields[key]
    else:
        fields[key] = value
    return " ".join(f"{key}={value}" for key, value in fields.items())


def refused(text: str, read=read_position) -> NotationError:
    """Return the error that reading a text raises."""
    with pytest.raises(NotationError) as caught:
        read(text)
    return caught.value


def test_a_position_is_read_and_written() -> None:
    """The text of a position is the position."""
    state = State.setup(Rules(), ["6c7d9s", "8s9hTd"], trump="Ah")
    assert write_position(state) == START.replace("7d6c9s", "9s7d6c")
    assert read_position(START) == state
    assert read_position(START).legal_actions == state.legal_actions


def test_the_limit_of_a_position_depends_on_what_is_discarded() -> None:
    """Until a bout is beaten off the first limit holds, and a beaten-off bout shows in the discards (5.2)."""
    rules = Rules(lowest_rank=10, hand_size=4, first_bout_limit=2, first_limit_lasts="until_beaten")
    talon = "JsJhJdJcQsQhQdQcKsKhKdKc"
    state = State.setup(rules, ["TsThTdTc", "AsAhAdAc"], talon=talon, bout=3)
    text = write_position(state)
    assert "limit=2" in text
    assert read_position(text) == state
    assert "has to be 2" in str(refused(field(text, "limit", "4")))
    later = field(text, "talon", "QdQcKsKhKd+Kc")
    assert read_position(field(later, "limit", "4")).limit == 4
    assert "has to be 4" in str(refused(later))
    seen = state.observation(1)
    assert replace(read_observation(write_observation(seen)), events=seen.events) == seen


def test_fields_may_stand_in_any_order() -> None:
    """The keys say what is what."""
    assert read_position(" ".join(reversed(START.split()))) == read_position(START)
    assert read_position("\n " + START.replace(" ", "\t ")) == read_position(START)


def test_a_read_position_is_played_on_like_any_other() -> None:
    """Nothing of the game's course is missing."""
    rules = Rules.preset("perevodnoy", seats=4, show_trump=True, attack_style="volley")
    for state in random_game(rules, 13, "transfer"):
        twin = read_position(write_position(state))
        assert twin == state
        for action in state.legal_actions:
            assert twin.apply(action) == state.apply(action)


def test_the_order_in_which_hands_ran_out_is_kept() -> None:
    """Places depend on it (rules 8.4)."""
    rules = Rules(seats=4)
    state = State.setup(rules, ["6c", "6d", "8c8d9s", "7s"], trump="Ah", attacker=1)
    state = play(state, "6d 8dx6d pass 6c")
    text = write_position(state)
    assert " emptied=1,0" in text
    assert play(read_position(text), "take pass").places == play(state, "take pass").places == (1, 0)
    assert read_position(text.replace("emptied=1,0", "emptied=0,1")) != state


def test_known_cards_stand_behind_a_plus() -> None:
    """What all know of a hand is marked (rules 9.2)."""
    state = play(State.setup(Rules(), ["6c7d9s", "8s9hTd"], trump="Ah"), "6c take pass")
    assert "hands=9s7d/8s9hTd+6c" in write_position(state)
    assert read_position(write_position(state)).known == (CardSet(), CardSet.parse("6c"))


def test_a_position_without_trumps_names_none() -> None:
    """With no trumps there is no trump card (rules 1.4)."""
    state = State.deal(Rules(trumps=False), 3)
    text = write_position(state)
    assert "trump=" not in text
    assert "+" not in text
    assert read_position(text) == state
    seen = write_observation(state.observation(1))
    assert "talon=?24 " in seen + " "
    assert read_observation(seen) == replace(state.observation(1), events=())


def test_an_observation_names_no_card_that_the_seat_does_not_see() -> None:
    """Hidden cards are counted, and two states that look alike have one text."""
    state = State.deal(Rules(), 7)
    text = write_observation(state.observation(0))
    assert "hands=" in text
    assert f"?6 talon=?23+{state.trump_card}" in text
    hands = list(state.hands)
    talon = list(state.talon)
    stranger = next(iter(hands[1]))
    hands[1] = CardSet(hands[1].mask ^ stranger.mask ^ talon[0].mask)
    talon[0] = stranger
    other = State.setup(Rules(), hands, talon=talon, attacker=state.attacker, bout=1)
    assert write_observation(other.observation(0)) == text
    assert write_observation(other.observation(1)) != write_observation(state.observation(1))


def test_an_open_observation_shows_everything() -> None:
    """In the open world nothing is hidden (rules 9.3)."""
    state = State.deal(Rules(visibility="open", seats=3), 7)
    text = write_observation(state.observation(2))
    assert "?" not in text
    seen = read_observation(text)
    assert (seen.hands, seen.talon) == (state.hands, state.talon)


def test_cards_drawn_after_an_open_position_are_seen_by_all() -> None:
    """The text says that the world is open (rules 9.3)."""
    for visibility in ("open", "closed"):
        *_, end = random_game(Rules(visibility=visibility, seats=3), 7)
        record = Record.of(end, ("",) * 3)
        read = read_position(write_position(record.start))
        for move in record.moves:
            read = read.apply(move.action)
        assert read.observation(0).events == end.observation(0).events[-len(read.events) :]
        assert read.known == end.known


def test_who_has_shown_a_trump_comes_back() -> None:
    """A seat shows only once a game (rules 7.4)."""
    rules = Rules.preset("perevodnoy", seats=3, show_trump=True)
    states = [state for seed in range(9) for state in random_game(rules, seed, "transfer") if state.shown]
    assert {seat for state in states for seat in state.shown} > {0}
    assert all(read_position(write_position(state)).shown == state.shown for state in states)


def test_observations_come_back_with_their_legal_actions() -> None:
    """A program that reads an observation may act on it."""
    for state in random_game(Rules.preset("perevodnoy", seats=3, forced_play=True), 4, "transfer"):
        for seat in range(3):
            seen = state.observation(seat)
            twin = read_observation(write_observation(seen))
            assert twin == replace(seen, events=())
            assert isinstance(twin, Observation)
            if state.turn == seat:
                assert twin.legal_actions == state.legal_actions


def test_an_exchange_comes_back_from_the_text_of_what_each_seat_sees() -> None:
    """Before it the seat may exchange; afterwards all know both cards (rules 5.9)."""
    rules = Rules(seats=3, exchange_trump=True)
    before = State.setup(rules, ["6h9sAc", "7s8s9d", "ThJhQh"], talon="TsTdKh")
    after = play(before, "exchange")
    for state in (before, after):
        assert read_position(write_position(state)).legal_actions == state.legal_actions
        for seat in range(3):
            seen = state.observation(seat)
            twin = read_observation(write_observation(seen))
            assert twin == replace(seen, events=())
            assert twin.legal_actions == seen.legal_actions
    assert EXCHANGE in read_observation(write_observation(before.observation(0))).legal_actions
    told = read_observation(write_observation(after.observation(2)))
    assert (told.known[0], told.trump_card) == (CardSet.parse("Kh"), Card.parse("6h"))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("rules", None, "rules is missing"),
        ("rules", "podkidno", "did you mean podkidnoy"),
        ("rules", "podkidnoy:seats=" + "9" * 5000, "seats"),
        ("bout", None, "bout is missing"),
        ("bout", "0", "bouts are counted from 1"),
        ("bout", "x", "expected a number"),
        ("attacker", "2", "expected a seat from 0 to 1"),
        ("attacker", "1", "a seat cannot attack itself"),
        ("defender", "0", "a seat cannot attack itself"),
        ("limit", "6", "has to be 3: the defender held 3 cards (rules 5.2)"),
        ("phase", "lunch", "expected one of opening, volley, defence"),
        ("phase", "volley", "these rules have no volleys"),
        ("phase", "defence", "no attack card is open"),
        ("phase", "throw_in", "no attack to throw in to"),
        ("phase", "over", "no seat is to act"),
        ("turn", "1", "the attacker, seat 0, opens the bout"),
        ("turn", None, "a seat has to act"),
        ("passed", "1", "no seat has passed before a round"),
        ("passed", "1,1", "a seat appears twice"),
        ("hands", "6c7d9s", "1 hands for 2 seats"),
        ("hands", "6c7d9s/8s9h6c", "6c lies in two places"),
        ("hands", "6c7d6c/8s9hTd", "6c appears twice"),
        ("hands", "6c7d9s/8s9h2d", "2d is not in this deck"),
        ("hands", "6c7d9s/8s9hT", "'T' is not a card"),
        ("hands", "6c7d9s/", "'' is not a hand"),
        ("hands", "6c7d9s/?3", "the hand of seat 1 is seen: name its 3 hidden cards"),
        ("hands", "6c7d9s/-", "seats 1 hold nothing and are not out"),
        ("hands", "6c7dAh/8s9hTd", "write +Ah in that hand"),
        ("table", "6d", "nothing lies on the table before"),
        ("table", "pass", "expected an attack card such as 6c"),
        ("talon", "Kd+Ac", "has to end with +Ah"),
        ("talon", "KdAh", "has to end with +Ah"),
        ("talon", "?4+Ah", "it is seen: name its 4 hidden cards"),
        ("talon", "?", "expected cards from the top"),
        ("trump", None, "the card that showed the trump suit is missing"),
        ("trump", "2h", "not in this deck"),
        ("trump", "hA", "'hA' is not a card"),
        ("gone", "Kd", "cards are not listed"),
        ("out", "1", "hold cards"),
        ("emptied", "1", "seats none hold nothing"),
        ("shown", "0", "no transfers by showing"),
        ("stall", "60", "is less than the bout and 60"),
        ("stall", "2", "is less than the bout and 60"),
        ("fool", "1", "no fool before the game is over"),
        ("seat", "0", "this is an observation"),
        ("color", "red", "expected key=value with a key of rules, seat"),
        ("color", "r" * 99, f"'color={'r' * 34}': expected key=value"),
    ],
)
def test_an_impossible_position_is_refused(key, value, message) -> None:
    """Each field is checked, and the error says what would be right and where it stands."""
    text = field(START, key, value)
    error = refused(text)
    assert message in str(error)
    blamed = str(error).partition("=")[0]
    if error.position is not None and f" {blamed}=" in f" {text}":
        assert f" {text}".index(f" {blamed}=") + len(blamed) + 1 == error.position


RUNNING = (
    "rules=perevodnoy:seats=3,show_trump=yes bout=4 attacker=0 defender=1 limit=4 phase=throw_in turn=2 "
    "passed=0 hands=6s7s/9h8hTd/KsKd table=8cx6c trump=Ah"
)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"turn": "0"}, "seat 2 is next to be asked"),
        ({"turn": "1"}, "seat 2 is next to be asked"),
        ({"passed": "0,1"}, "seat 1 is not asked to throw in"),
        ({"passed": "0,2"}, "all have passed and the bout is over"),
        ({"table": "8dx6c"}, "attack card 1 is not beaten by the card on it"),
        ({"table": "8cx6c,7c"}, "attack card 2 has a rank that did not lie there"),
        ({"table": "8cx6c,6d"}, "an attack card is open"),
        ({"table": "8cx6c,9cx8d"}, "attack card 2 is not beaten"),
        ({"table": "8cx6c,TdxQd"}, "Td lies in two places"),
        ({"hands": "6s7s/9h8hTd/-"}, "seats 2 hold nothing and are not out"),
        (
            {"hands": "6s7s/9h8hTd/-", "out": "2", "talon": "Qc+Ah"},
            "no seat is out before the talon is empty",
        ),
        (
            {"hands": "6s7s/-/KsKd", "limit": "1", "emptied": "1"},
            "the limit is reached, or the defender holds",
        ),
        ({"attacker": "2"}, "has to be 0, the next seat after the attacker"),
        ({"hands": "-/9h8hTd/KsKd", "out": "0"}, "seat 0 is out"),
        ({"hands": "-/9h8hTd/KsKd", "out": "0", "attacker": "2"}, "seat 0 is not asked to throw in"),
        ({"hands": "-/-/KsKd", "out": "0,1"}, "no opponent is left"),
        ({"phase": "pile_on"}, "the defender cannot take when all is beaten"),
        (
            {"phase": "defence", "turn": "1", "passed": None, "table": "6c,6d", "limit": "3", "bout": "1"},
            None,
        ),
        (
            {"phase": "defence", "turn": "1", "passed": None, "table": "6c,8d", "limit": "3"},
            "attack card 2 has a rank that did not lie there",
        ),
        (
            {
                "rules": "podkidnoy:seats=3",
                "phase": "defence",
                "turn": "1",
                "passed": None,
                "table": "6c,6d",
                "limit": "3",
            },
            "only the newest attack card can be open",
        ),
        (
            {
                "rules": "podkidnoy:seats=3",
                "phase": "defence",
                "turn": "1",
                "passed": None,
                "table": "6c,9dx6d",
                "limit": "4",
            },
            "only the newest attack card can be open",
        ),
        (
            {"phase": "defence", "turn": "1", "passed": None, "table": "8cx6c,9dx8d,8s,6d", "limit": "5"},
            "only the newest attack card can be open",
        ),
        ({"phase": "defence", "table": "6c", "limit": "3", "turn": "0"}, "the defender, seat 1, answers"),
        ({"phase": "defence", "table": "6c", "limit": "3", "turn": "1"}, "no seat has passed before a round"),
        ({"phase": "over", "turn": None}, "nothing lies on the table when the game is over"),
        ({"shown": "0"}, None),
        (
            {"rules": "perevodnoy:seats=3,pile_on=no", "phase": "pile_on", "table": "6c", "limit": "3"},
            "these rules do not allow piling on",
        ),
        ({"table": "8cx6c,8d,6d,6h,8s", "phase": "pile_on"}, "5 attack cards are more than the limit"),
        ({"phase": "opening", "table": None, "passed": None, "turn": "0", "limit": "3"}, None),
        (
            {
                "phase": "opening",
                "table": None,
                "passed": None,
                "turn": "0",
                "limit": "3",
                "hands": "6s7s/9h8hTd/-",
                "emptied": "2",
            },
            "no card of this bout has been played yet",
        ),
    ],
)
def test_an_impossible_moment_of_a_bout_is_refused(changes, message) -> None:
    """Table, limit, passes and turn have to fit together."""
    assert read_position(RUNNING).phase is Phase.THROW_IN
    text = RUNNING
    for key, value in changes.items():
        text = field(text, key, value)
    if message is None:
        assert read_position(write_position(read_position(text))) == read_position(text)
    else:
        assert message in str(refused(text))


VOLLEY = (
    "rules=larsenbier:seats=3 bout=4 attacker=0 defender=1 limit=5 phase=volley turn=2 "
    "hands=6s7s/9h8hTdAs/KsKd table=8cx6c,6d,8d trump=Ah"
)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, None),
        ({"turn": "1"}, "seat 1 cannot have begun this volley"),
        ({"table": "6c,8dx6d"}, "come after all that are beaten"),
        ({"table": "8cx6c"}, "a volley has an open attack card"),
        ({"table": "6c,6d", "limit": "4"}, "seat 2 cannot have begun this volley"),
        ({"hands": "6s7s/9h8h/KsKd", "limit": "3"}, "a volley ends when the limit is reached"),
        ({"passed": "0"}, "no seat has passed before"),
    ],
)
def test_an_impossible_volley_is_refused(changes, message) -> None:
    """A volley belongs to one attacker and comes after everything that is beaten (rules 5.4)."""
    text = VOLLEY
    for key, value in changes.items():
        text = field(text, key, value)
    if message is None:
        assert read_position(text).phase is Phase.VOLLEY
    else:
        assert message in str(refused(text))


OVER = (
    "rules=podkidnoy:seats=3 bout=9 attacker=0 defender=1 limit=3 phase=over hands=-/8s9hTd/- trump=Ah "
    "out=2,0,1 fool=1"
)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, None),
        ({"out": "0,2,1"}, None),
        ({"out": "2,1,0"}, "has to end with 1"),
        ({"out": "2,1"}, "has to name the seats 0,1,2"),
        ({"fool": "0"}, "has to be 1"),
        ({"fool": None}, "has to be 1"),
        ({"talon": "Kd+Ah"}, "no game ends before the talon is empty"),
        ({"stall": "1"}, "has to be 0 when a seat has left"),
        ({"limit": "7"}, "expected 1 to 6"),
        ({"passed": "0"}, "no bout is being played"),
        ({"turn": "0"}, "no seat is to act"),
        ({"hands": "-/-/-", "out": "2,0,1", "fool": None}, None),
        ({"hands": "-/-/-"}, "the game is drawn: there is no fool"),
        ({"rules": "podkidnoy:seats=3,draws=no", "hands": "-/-/-"}, None),
        ({"hands": "6c/8s9hTd/-", "out": "2"}, "seats 0,1 hold cards and stall is not 60"),
        ({"hands": "6c/8s9hTd/-", "out": "2", "stall": "60", "fool": None}, None),
    ],
)
def test_an_impossible_end_is_refused(changes, message) -> None:
    """Fool, places and stall of a finished game have to fit its hands (rules 8)."""
    text = OVER
    for key, value in changes.items():
        text = field(text, key, value)
    if message is None:
        assert read_position(text).is_over
        assert read_position(write_position(read_position(text))) == read_position(text)
    else:
        assert message in str(refused(text))


SEEN = (
    "rules=podkidnoy:seats=3 seat=1 bout=4 attacker=0 defender=1 limit=4 phase=throw_in turn=2 passed=0 "
    "hands=?2/9h8hTd/?1+Kd table=8cx6c talon=?25+Ah trump=Ah gone=As"
)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"talon": "?24+Ah"}, "28 cards are not listed"),
        ({"talon": "?26"}, "has to end with +Ah"),
        ({"talon": None}, "Ah has been drawn: its location is public"),
        ({"talon": None, "gone": "AhAs"}, "28 cards are not listed"),
        ({"gone": "AhAs"}, "Ah lies in two places"),
        ({"hands": "6s7s/9h8hTd/?1+Kd"}, "seat 1 does not see 6s7s of seat 0: write ?2"),
        ({"hands": "?2/?3/?1+Kd"}, "name its 3 hidden cards"),
        ({"talon": "Qc?24+Ah"}, "sees only the trump card of it: write ?1"),
        ({"emptied": "0"}, "only positions have this field"),
        ({"seat": None}, "seat is missing"),
        ({"seat": "3"}, "expected a seat from 0 to 2"),
        ({"rules": "podkidnoy:seats=3,trumps=no"}, "these rules have no trumps"),
        ({"rules": "podkidnoy:seats=3,trumps=no", "trump": None}, "these rules have no trumps"),
        ({"rules": "podkidnoy:seats=3,visibility=open"}, "the hand of seat 0 is seen"),
    ],
)
def test_an_impossible_observation_is_refused(changes, message) -> None:
    """An observation names what its seat sees, no more and no less."""
    text = SEEN
    for key, value in changes.items():
        text = field(text, key, value)
    assert message in str(refused(text, read_observation))


def test_an_observation_may_be_written_by_hand() -> None:
    """A text that fits together is read, whatever game it may come from."""
    seen = read_observation(SEEN)
    assert write_observation(seen) == SEEN.replace("9h8hTd", "8h9hTd")
    assert (seen.hand_sizes, seen.talon_size, seen.phase) == ((2, 3, 2), 26, Phase.THROW_IN)


def test_more_attack_cards_than_any_bout_has_are_refused() -> None:
    """Half of the largest deck is the most that can lie open."""
    rules = Rules(lowest_rank=2, attack_limit=None, jokers="any")
    table = ",".join(str(card) for card in rules.deck[:28])
    text = field(START, "rules", str(rules)) + f" table={table}"
    text = field(field(text, "hands", "2c/3c"), "limit", "1")
    assert "no bout has more than 27 attack cards" in str(refused(text))


def test_text_that_is_no_field_is_refused_with_its_place() -> None:
    """The error points at the character."""
    error = refused(START + " what")
    assert error.position == len(START) + 1
    assert f"(at character {len(START) + 2})" in str(error)
    assert "appears twice" in str(refused(START + " bout=3"))
    assert "rules is missing" in str(refused(""))
