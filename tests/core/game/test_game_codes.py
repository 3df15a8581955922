"""Game codes: what they keep, what they refuse, and that the page says what the program does."""

from __future__ import annotations

import doctest
import random
import re
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

import pytest
from playing import conceivable, deck_of, random_game, random_record

from durak_core import (
    OPTIONS,
    PRESETS,
    NotationError,
    Record,
    RecordError,
    Rules,
    State,
    is_game_code,
    parse_action,
    read_game_code,
    write_game_code,
)
from durak_core.actions import decode
from durak_core.game.notation import game_code

PAGE = Path(__file__).parents[3] / "docs" / "game-codes.md"
GAME = random_record(Rules(), 7)
CODE = write_game_code(GAME)


def coded(number: int) -> str:
    """The code of a number, with the right check."""
    digits = game_code._digits(number)
    return game_code.LETTER + game_code._check(digits) + digits


def refused(code: str) -> str:
    """What is said of a code."""
    with pytest.raises(NotationError) as caught:
        read_game_code(code)
    return str(caught.value)


def test_the_examples_run() -> None:
    """Every prompt of the page and the module gives what stands below it."""
    assert doctest.testfile(str(PAGE), module_relative=False).failed == 0
    assert doctest.testmod(game_code).failed == 0


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "text",
    [
        *PRESETS,
        "podkidnoy:exchange_trump=yes,seats=3",
        "larsenbier:show_trump=yes",
        "larsenbier:lowest_card=always",
    ],
)
def test_the_choices_are_the_legal_actions(text) -> None:
    """All that the rules allow has a place in a code, answers to any open card among it, and nothing else."""
    rules = Rules.parse(text).changed(lowest_rank=9)
    for seed in range(2):
        for state in islice(random_game(rules, seed, "transfer"), 0, None, 3):
            choices = set() if state.is_over else set(map(decode, game_code._choices(state._position)))
            assert choices == {action for action in conceivable(rules) if state.why_not(action) is None}


def test_every_option_has_a_place_with_all_its_values() -> None:
    """A new option or value needs a place among the later ones."""
    options = {"seats": tuple(range(2, 7))}
    for name, _, values in (*game_code._OPTIONS, *chain(*game_code._LATER_OPTIONS)):
        options[name] = (*options.get(name, ()), *values)
    assert set(options) == set(OPTIONS)
    for name, option in OPTIONS.items():
        numbers = [] if option.low is None else range(option.low, option.high + 1)
        assert set(options[name]) == {*map(option.read, option.choices), *numbers}
    assert [name for name, _, _ in game_code._PRESETS[:-1]] == sorted(PRESETS, key=_place)


def _place(name: str) -> int:
    return [preset for preset, _, _ in game_code._PRESETS].index(name)


def test_the_page_lists_the_options_as_they_are() -> None:
    """Order, defaults and values."""
    rows = re.findall(r"^\| `(\w+)` \| (\S+) \| (.+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    listed = [(name, OPTIONS[name].read(usual), _values(name, values)) for name, usual, values in rows]
    later = [row for row in chain(*game_code._LATER_OPTIONS) if row[1] != game_code._ABOVE]
    assert listed == [*game_code._OPTIONS, *later]


def _values(name: str, text: str) -> tuple[object, ...]:
    values: list[object] = []
    for part in text.split(", "):
        low, to, high = part.partition(" to ")
        values += range(int(low), int(high) + 1) if to else [OPTIONS[name].read(part)]
    return tuple(values)


def test_later_options_are_kept() -> None:
    """Options that came after the format, alone and together, and ranks above the jack."""
    for text in (
        "podkidnoy:lowest_card=always",
        "groningen:lowest_rank=14,hand_size=1,lowest_card=defence",
        "podkidnoy:next_first_attacker=after_fool",
        "online:seats=4,series_score=places,show_trump_once=bout",
        "perevodnoy:seats=4,teams=2x2,partner_plays_on=yes",
        "podkidnoy:jokers=any",
        "perevodnoy:seats=3,lowest_rank=2,jokers=colour",
        "perevodnoy:show_trump=yes,show_trump_once=bout,lowest_beats_ace=any,lowest_card=defence",
    ):
        record = random_record(Rules.parse(text), 7)
        assert read_game_code(write_game_code(record)).rules == record.rules


def test_players_are_kept_by_kind() -> None:
    """A person stays a person and Olga stays Olga, without their names."""
    tags = {"Player0": "human", "Player1": "level:olga", "Player2": "level:olga", "Player3": "friend"}
    record = replace(
        random_record(Rules(seats=5), 1), players=("Anna", "Olga", "O", "Zoë", "mcts"), tags=tags
    )
    found = read_game_code(write_game_code(record))
    assert found.players == ("Player 1", "Olga", "Olga 2", "Player 4", "")
    assert found.tags == tags


def test_a_seed_that_gives_another_deal_is_left_out() -> None:
    """The code has the deck instead, also if no deal of the rules stands."""
    hopeless = Rules.parse("podkidnoy:seats=6,lowest_rank=2,hand_size=8,redeal_same_suit=3")
    for rules, deck in ((GAME.rules, GAME.deck), (hopeless, hopeless.deck)):
        state = State.from_deck(rules, deck, 0, seed=8)
        found = read_game_code(write_game_code(Record.of(state, ("",) * rules.seats)))
        assert (found.seed, found.deck) == (None, deck)


def test_the_first_attacker_can_be_any_seat() -> None:
    """By rules 4.1 or 4.2, or though no hand holds a trump."""
    under = Rules(seats=3, next_first_attacker="under_fool")
    bare = Rules(seats=2, lowest_rank=9, hand_size=2)
    deck = deck_of(bare, ["9s9h", "TsTh"], bottom="Ac")
    for state in (
        State.deal(under, 5),
        State.deal(under, 5, State.deal(under, 5).first_attacker),
        State.deal(under, 5, 2),
        State.from_deck(bare, deck, 0),
        State.from_deck(bare, deck, 1),
    ):
        record = Record.of(state, ("",) * state.rules.seats)
        assert read_game_code(write_game_code(record)) == record


def test_answers_to_a_newer_card_are_kept() -> None:
    """Open cards may be beaten in any order (rules 5.5)."""
    rules = Rules.parse("podkidnoy:attack_style=volley")
    deck = deck_of(rules, ["6s6h9c9dTcTd", "7s7h8c8dJcJd"])
    state = State.from_deck(rules, deck, 0)
    for text in ("6s", "6h", "pass", "7hx6h"):
        state = state.apply(parse_action(text))
    record = Record.of(state, ("", ""))
    assert read_game_code(write_game_code(record)) == record


def test_white_space_does_not_matter() -> None:
    """A code may be wrapped by a letter or a chat."""
    assert read_game_code(f"  {CODE[:9]}\n {CODE[9:]}\n") == read_game_code(CODE)


@pytest.mark.parametrize("change", range(0, len(CODE), 3))
def test_a_changed_or_cut_code_is_refused(change) -> None:
    """Wherever it is changed."""
    other = "B" if CODE[change] != "B" else "C"
    assert refused(CODE[:change] + other + CODE[change + 1 :])
    assert refused(CODE[:change])


def test_refusals_say_what_is_wrong() -> None:
    """Each in one sentence."""
    assert "incomplete or has a wrong character" in refused(CODE[:-1])
    for changed in (CODE.lower(), CODE.upper(), CODE[0] + CODE[1:].lower(), CODE.swapcase()):
        assert "capital and small letters differ" in refused(changed)
    assert "'é' is in no game code" in refused("Dé" + CODE)
    assert "begins with D" in refused("E" + CODE[1:])
    assert "at most 40000 characters" in refused("D" * 40_001)
    assert "go on after the end of the game" in refused(coded(random.Random(23).getrandbits(400)))
    assert "newer version" in refused(coded(15))
    assert "holds no possible game: a deck of 4 cards" in refused(
        _with_rules({"suits": 1, "lowest_rank": 11})
    )


def _with_rules(values: dict[str, object]) -> str:
    """A code whose rules have such values, which may be impossible."""
    out = game_code._Writer()
    out.pick([weight for _, weight, _ in game_code._PRESETS], 0)
    out.count(5, 0)
    for name, usual, all_values in game_code._OPTIONS:
        value = values.get(name, usual)
        out.pick(game_code._USUAL, int(value != usual))
        if value != usual:
            out.count(len(all_values), all_values.index(value))
    return coded(out.number())


def test_illegal_and_endless_games_have_no_code() -> None:
    """The move is named, as when the game is replayed."""
    broken = replace(GAME, moves=(*GAME.moves[:3], GAME.moves[0], *GAME.moves[4:]))
    with pytest.raises(RecordError, match="ply 4"):
        write_game_code(broken)
    with pytest.raises(RecordError, match="at most 20000 moves"):
        write_game_code(replace(GAME, moves=GAME.moves * 1000))


def test_a_code_is_recognised() -> None:
    """Names of files seldom look like codes."""
    assert is_game_code(CODE)
    for text in ("", "game.durak", "Durak", "games/Danna", CODE[1:], CODE + "."):
        assert not is_game_code(text)


@pytest.mark.parametrize("size", [0, 1, 20, 100, 1000, 20_000])
def test_any_number_is_a_game_or_refused(size) -> None:
    """Also one that no program would write."""
    for seed in range(20):
        number = int.from_bytes(random.Random(seed).randbytes(size))
        with suppress(NotationError):
            record = read_game_code(coded(number))
            assert read_game_code(write_game_code(record)) == record
