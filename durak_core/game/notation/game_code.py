"""Game codes: a whole game in one short text, as docs/game-codes.md defines it.

>>> from durak_core import Record, Rules, State, read_game_code, write_game_code
>>> state = State.deal(Rules(), seed=7)
>>> while not state.is_over:
...     state = state.apply(state.legal_actions[0])
>>> code = write_game_code(Record.of(state, ("Anna", "Boris")))
>>> code
'D7x4ZDviTMBDzKD69Pw'
>>> read_game_code(code).end == state
True
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NoReturn, TypeAlias

from durak_core.actions import decode, encode
from durak_core.cards import Card, CardSet
from durak_core.errors import DealError, DurakError, Message, NotationError, RecordError
from durak_core.game.real_game import reporting_seat
from durak_core.game.record import Move, Record
from durak_core.game.state import State
from durak_core.kernel.legal import (
    EXCHANGE_CODE,
    KIND_ATTACK,
    KIND_DEFEND,
    KIND_SHOW_TRUMP,
    KIND_TRANSFER,
    PASS_CODE,
    TAKE_CODE,
    answers,
    attack_cards,
    card_of,
    defender_must_play,
    may_exchange,
    may_stop,
    pack,
    showable,
    target_to_answer,
    transfer_cards,
)
from durak_core.kernel.position import (
    DEFENCE,
    JOKERS,
    MASK63,
    OVER,
    PILE_ON,
    THROW_IN,
    VOLLEY,
    Position,
)
from durak_core.kernel.transition import apply, begin, deal_hands, lowest_trump_seat, new_position
from durak_core.rules import OptionValue, Rules

# The tables are the format. They never change, even if presets or opponents do: another format begins with
# another letter.

LETTER: Final = "D"
"""The first character of a code of this format."""

LONGEST_CODE: Final = 40_000
"""Longest code in characters."""

MOST_ACTIONS: Final = 20_000
"""Longest game in actions."""

_CHECKS: Final = 4
"""Check characters after the letter."""

_USUAL: Final = (63, 1)
"""Weights of the usual and the unusual."""

_PRESETS: Final[tuple[tuple[str, int, dict[str, OptionValue]], ...]] = (
    ("podkidnoy", 4, {}),
    ("perevodnoy", 4, {"transfer": True}),
    ("online", 2, {"attack_style": "volley", "first_bout_limit": 5, "first_limit_lasts": "until_beaten"}),
    ("zarlykov", 1, {"attack_limit": None}),
    ("huji", 1, {"redeal_same_suit": 5}),
    ("groningen", 1, {"deal_all": True, "forced_play": True, "throw_in": "attacker", "pile_on": False}),
    ("van-khan", 1, {"throw_in": "attacker", "pile_on": False, "attack_limit": None}),
    ("larsenbier", 1, {"transfer": True, "attack_style": "volley", "attack_limit": None}),
    ("", 1, {}),
)
"""Names, weights, and what differs from `_OPTIONS`; the last is reserved."""

_NO_YES: Final = (False, True)
_LIMITS: Final = (None, *range(1, 53))

_OPTIONS: Final[tuple[tuple[str, OptionValue, tuple[OptionValue, ...]], ...]] = (
    ("lowest_rank", 6, tuple(range(2, 12))),
    ("suits", 4, tuple(range(1, 5))),
    ("trumps", True, _NO_YES),
    ("teams", None, (None, "2x2", "2x3", "3x2")),
    ("hand_size", 6, tuple(range(1, 27))),
    ("deal_all", False, _NO_YES),
    ("redeal_same_suit", None, (None, *range(2, 14))),
    ("redeal_trump_ace", False, _NO_YES),
    ("next_first_attacker", "lowest_trump", ("lowest_trump", "under_fool")),
    ("attack_limit", 6, _LIMITS),
    ("first_bout_limit", None, _LIMITS),
    ("first_limit_lasts", "one_bout", ("one_bout", "until_beaten")),
    ("attack_style", "one_by_one", ("one_by_one", "volley")),
    ("throw_in", "all", ("all", "neighbours", "attacker")),
    ("forced_play", False, _NO_YES),
    ("exchange_trump", False, _NO_YES),
    ("pile_on", True, _NO_YES),
    ("transfer", False, _NO_YES),
    ("transfer_first_bout", True, _NO_YES),
    ("show_trump", False, _NO_YES),
    ("draws", True, _NO_YES),
    ("stall_limit", 60, tuple(range(1, 1001))),
    ("visibility", "closed", ("closed", "open")),
)
"""Names, usual values, and all values."""

_ABOVE: Final = "that above"
"""The usual value of an option that a table before has."""

_LATER_OPTIONS: Final[tuple[tuple[tuple[str, OptionValue, tuple[OptionValue, ...]], ...], ...]] = (
    (
        ("lowest_rank", _ABOVE, (12, 13, 14)),
        ("lowest_card", "any", ("any", "defence", "always")),
    ),
    (
        ("next_first_attacker", _ABOVE, ("after_fool",)),
        ("lowest_beats_ace", None, (None, "trump", "any")),
        ("show_trump_once", "game", ("game", "bout")),
    ),
    (("series_score", "losses", ("losses", "places")),),
    (("partner_plays_on", False, _NO_YES),),
    (("jokers", None, (None, "any", "colour")),),
)
"""Options and values that the tables before lack."""

_PLAYERS: Final = (
    *(("", "", 2), ("human", "Player", 8), ("friend", "Player", 2)),
    *(("level:misha", "Misha", 4), ("level:tanya", "Tanya", 4), ("level:boris", "Boris", 4)),
    *(("level:olga", "Olga", 4), ("level:viktor", "Viktor", 4), ("level:nina", "Baba Nina", 4)),
    *(("random", "random", 1), ("greedy", "greedy", 1), ("smart", "smart", 1), ("expert", "expert", 1)),
    ("", "", 24),
)
"""Specs, names and weights of players; the first is any other, the last is reserved."""

_FROM_SEED, _FROM_LARGE_SEED, _FROM_DECK, _FROM_RESERVED = range(4)
_DEALS: Final = (12, 2, 1, 1)
"""Weights of the sources of the deal."""
_SEEDS: Final = 10**9
"""Number of small seeds."""

_Weights: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]

_ATTACKS: Final[_Weights] = ((44, 18, 14, 10), (10, 4, 3, 1))
_ANSWERS: Final[_Weights] = ((72, 38, 28, 24), (20, 9, 5, 3))
_OTHER_ANSWERS: Final[_Weights] = ((1,), (1,))
_TRANSFERS: Final[_Weights] = ((120, 52), (9, 8))
_SHOWING: Final[_Weights] = ((40,), (40,))
"""Weights of plain cards and of trumps, from the lowest card up; the last one holds for all further cards."""
_EXCHANGE: Final = 40
_STOPS: Final = {
    VOLLEY: ((3, 5), (4, 76)),
    DEFENCE: ((14, 13), (8, 21)),
    THROW_IN: ((11, 9), (11, 79)),
    PILE_ON: ((14, 23), (60, 400)),
}
"""Weights of passing and taking: with a plain card to play or not, and without or with a talon."""


_PEOPLE: Final = ("human", "friend")
_ZERO: Final = "A"
"""The digit 0 of base64url."""
_NOT_IN_CODES: Final = re.compile(r"[^A-Za-z0-9_-]")
_CODE: Final = re.compile(rf"{LETTER}[A-Za-z0-9_-]{{16,}}")


class _Writer:
    """Collects symbols, each an interval of a range, and packs them into one number.

    `_GameCodeReader` has the same methods, which return what was written instead of ``wanted``. One function
    for each part of the format thus writes and reads it.
    """

    def __init__(self) -> None:
        self._symbols: list[tuple[int, int, int]] = []

    def pick(self, weights: Sequence[int], wanted: int) -> int:
        self._symbols.append((sum(weights[:wanted]), weights[wanted], sum(weights)))
        return wanted

    def count(self, total: int, wanted: int) -> int:
        """Write a number below ``total``; all are equally likely."""
        self._symbols.append((wanted, 1, total))
        return wanted

    def number(self) -> int:
        # The number is a stack, and the first symbol has to be on top. A symbol pushed multiplies it by about
        # total / width, so that a usual one costs a small part of a bit (asymmetric numeral systems).
        number = 0
        for start, width, total in reversed(self._symbols):
            number = number // width * total + start + number % width
        return number


@dataclass(slots=True)
class _GameCodeReader:
    """Reads symbols from a number in the order of writing."""

    number: int

    def pick(self, weights: Sequence[int], wanted: int = 0) -> int:
        rest = self.count(sum(weights), wanted)  # undoes a step of `_Writer.number`
        for index, width in enumerate(weights):
            if rest < width:
                self.number = self.number * width + rest
                return index
            rest -= width
        raise AssertionError

    def count(self, total: int, wanted: int = 0) -> int:
        del wanted
        self.number, rest = divmod(self.number, total)
        return rest


_Coder: TypeAlias = _Writer | _GameCodeReader


def write_game_code(record: Record) -> str:
    """Write a game's code: rules, deal, kinds of players, and all moves.

    Names, date, tags, marks and comments are left out, as is a seed that does not give the deal.

    Raises:
        DealError: If the deck or the first attacker is invalid.
        RecordError: If a move is illegal, the game has more than `MOST_ACTIONS` moves, or only one hand of it
            is known.
    """
    if len(record.moves) > MOST_ACTIONS:
        raise RecordError(
            "only a game of at most {most} moves has a code; this one has {count}",
            most=MOST_ACTIONS,
            count=len(record.moves),
        )
    if reporting_seat(record) is not None:
        raise RecordError("a game with real cards has no code: only one hand is known")
    out = _Writer()
    _code_game(out, record, is_open=not record.end.is_over)  # the end checks the deal and every move
    text = _digits(out.number())
    return LETTER + _check(text) + text


def read_game_code(text: str) -> Record:
    """Read a game's code; white space in it is ignored.

    People are called ``Player 1`` and so on. The tags ``Player0`` and so on have the specs of known players.

    Raises:
        NotationError: If the text is no code of this format, is incomplete or changed, or holds no game.
    """
    reader = _GameCodeReader(_number(text))
    try:
        record = _code_game(reader, None)
        if reader.number:
            raise NotationError(_NO_END)
    except DurakError as error:
        raise NotationError("this game code holds no possible game: {why}", why=error) from None
    return record


def is_game_code(text: str) -> bool:
    """Return whether a text looks like a code of this format, complete or not."""
    return _CODE.fullmatch(text) is not None


# The text


def _digits(number: int) -> str:
    """Write a number with the digits of base64url, without leading zeros."""
    groups = -(-number.bit_length() // 24)
    return base64.urlsafe_b64encode(number.to_bytes(3 * groups)).decode().lstrip(_ZERO)


def _check(digits: str) -> str:
    found = zlib.crc32((LETTER + digits).encode()) % 64**_CHECKS
    return _digits(found).rjust(_CHECKS, _ZERO)


def _number(text: str) -> int:
    """Return the number in a code; raise `NotationError` if it was not copied whole."""
    code = "".join(text.split())
    if len(code) > LONGEST_CODE:
        raise NotationError(
            "a game code has at most {most} characters; this text has {count}",
            most=LONGEST_CODE,
            count=len(code),
        )
    if wrong := _NOT_IN_CODES.search(code):
        raise NotationError("{sign!r} is in no game code: expected letters, digits, - and _", sign=wrong[0])
    if code.startswith(LETTER.lower()):
        raise _lost_case(code)
    if not code.startswith(LETTER):
        raise NotationError(
            "{code!r} is not a game code of this version: expected one that begins with {letter}",
            code=code,
            letter=LETTER,
        )
    check, digits = code[1 : 1 + _CHECKS], code[1 + _CHECKS :]
    if check != _check(digits):
        if code == code.upper() or code[1:] == code[1:].lower():
            raise _lost_case(code)
        raise NotationError(
            "the game code {code} is incomplete or has a wrong character: copy it again, whole", code=code
        )
    padded = digits.rjust(-(-len(digits) // 4) * 4, _ZERO)
    return int.from_bytes(base64.urlsafe_b64decode(padded))


def _lost_case(code: str) -> NotationError:
    return NotationError(
        "capital and small letters differ in a game code: copy {code} as it was sent", code=code
    )


# The parts of a game: None stands for the game that is read


def _code_game(coder: _Coder, given: Record | None, *, is_open: bool = False) -> Record:
    rules = _code_rules(coder, given.rules if given else None)
    seats = range(rules.seats)
    specs = [given.tags.get(f"Player{seat}", given.players[seat]) if given else "" for seat in seats]
    names, tags = _code_players(coder, specs)
    record = replace(_code_deal(coder, rules, given), players=names, tags=tags)
    return replace(record, moves=_code_moves(coder, record, given, is_open=is_open))


def _code_rules(coder: _Coder, given: Rules | None) -> Rules:
    names = [name for name, _, _ in _PRESETS[:-1]]
    wanted = names.index(given.base) if given and given.base in names else 0
    base, _, differences = _PRESETS[coder.pick([weight for _, weight, _ in _PRESETS], wanted)]
    if not base:
        _refuse_reserved()
    options: dict[str, Any] = {"seats": 2 + coder.count(5, given.seats - 2 if given else 0)}
    for name, usual, values in _OPTIONS:
        value = getattr(given, name, None)
        options[name] = _code_option(coder, value, differences.get(name, usual), values)
    for number, table in enumerate(_LATER_OPTIONS):
        later = [row for rows in _LATER_OPTIONS[number:] for row in rows]
        wanted_values = [(getattr(given, name, usual), usual, values) for name, usual, values in later]
        is_late = any(value != usual and value in values for value, usual, values in wanted_values)
        if not coder.pick(_USUAL, int(is_late)):
            break
        for name, usual, values in table:
            value = _code_option(coder, getattr(given, name, None), usual, values)
            options[name] = options[name] if value == _ABOVE else value
    else:
        if coder.pick(_USUAL, 0):
            _refuse_reserved()
    return Rules(base=base, **options)


def _code_option(
    coder: _Coder, value: OptionValue, usual: OptionValue, values: tuple[OptionValue, ...]
) -> OptionValue:
    """Code a value, or the usual one if the format has another place for it."""
    is_unusual = value in values and value != usual
    if not coder.pick(_USUAL, int(is_unusual)):
        return usual
    return values[coder.count(len(values), values.index(value) if is_unusual else 0)]


def _code_players(coder: _Coder, given: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Code the players of these specs; return their names, and tags with the known specs."""
    known = [spec for spec, _, _ in _PLAYERS[:-1]]
    names: list[str] = []
    specs: list[str] = []
    for seat, wanted in enumerate(given):
        place = known.index(wanted) if wanted in known else 0
        index = coder.pick([weight for _, _, weight in _PLAYERS], place)
        if index == len(known):
            _refuse_reserved()
        spec, name, _ = _PLAYERS[index]
        number = seat + 1 if spec in _PEOPLE else specs.count(spec) + 1
        is_numbered = spec in _PEOPLE or (spec and number > 1)
        names.append(f"{name} {number}" if is_numbered else name)
        specs.append(spec)
    return tuple(names), {f"Player{seat}": spec for seat, spec in enumerate(specs) if spec}


def _refuse_reserved() -> NoReturn:
    raise NotationError("it needs a newer version of Durak")


def _code_deal(coder: _Coder, rules: Rules, given: Record | None) -> Record:
    """Code a deal; return its record, with nameless players."""
    seed = given.seed if given and _gives_deal(given) else None
    source = _FROM_DECK if seed is None else _FROM_SEED if seed < _SEEDS else _FROM_LARGE_SEED
    source = coder.pick(_DEALS, source)
    if source == _FROM_RESERVED:
        _refuse_reserved()
    deck: tuple[Card, ...] = ()
    if source == _FROM_DECK:
        seed, left = None, [*rules.deck]
        for place in range(rules.deck_size):
            wanted = left.index(given.deck[place]) if given else 0
            deck = (*deck, left.pop(coder.count(len(left), wanted)))
        attacker = max(0, lowest_trump_seat(_with_hands(rules, deck)))  # 0 if no hand has a trump (rules 4.1)
    else:
        seed = coder.count(_SEEDS if source == _FROM_SEED else MASK63 + 1, seed or 0)
        dealt = State.deal(rules, seed)
        deck, attacker = dealt.deck or (), dealt.first_attacker
    is_usual = given is None or given.first_attacker == attacker
    is_usual = not coder.pick(_USUAL, int(not is_usual))
    if not is_usual:
        attacker = coder.count(rules.seats, given.first_attacker if given else 0)
    expected = is_usual and rules.next_first_attacker != "lowest_trump"
    is_unexpected = coder.pick(_USUAL, int(given is not None and given.by_lowest_trump != expected))
    ruled = expected != bool(is_unexpected)
    return Record(rules, deck, attacker, ("",) * rules.seats, seed=seed, by_lowest_trump=ruled)


def _gives_deal(record: Record) -> bool:
    """Return whether a record has a seed that gives its deal."""
    try:
        return record.seed is not None and State.deal(record.rules, record.seed).deck == record.deck
    except DealError:  # no deal of these rules stands (3.4), but a deck can be given
        return False


def _with_hands(rules: Rules, deck: Sequence[Card]) -> Position:
    position = new_position(rules)
    position.deck[: len(deck)] = [card.number for card in deck]
    deal_hands(position)
    return position


_NO_END: Final = Message("its moves go on after the end of the game, or never reach it")


def _code_moves(coder: _Coder, deal: Record, given: Record | None, *, is_open: bool) -> tuple[Move, ...]:
    """Code the moves of a record that was checked; ``is_open`` if they end before the game."""
    wanted = [encode(move.action) for move in given.moves] if given else []
    count = coder.count(MOST_ACTIONS + 1, len(wanted)) if coder.pick(_USUAL, int(is_open)) else None
    position = _with_hands(deal.rules, deal.deck)
    begin(position, deal.first_attacker)
    moves: list[Move] = []
    while position.phase != OVER and len(moves) != (MOST_ACTIONS if count is None else count):
        choices = _choices(position)
        codes = [*choices]
        place = codes.index(wanted[len(moves)]) if given else 0
        code = codes[coder.pick([*choices.values()], place)]
        moves.append(Move(position.turn, decode(code)))
        apply(position, code)
    if (position.phase == OVER) != (count is None):
        raise NotationError(_NO_END)
    return tuple(moves)


def _choices(p: Position) -> dict[int, int]:
    """Return the legal codes in the format's order, with their weights."""
    choices: dict[int, int] = {}
    if p.phase == DEFENCE:
        main = target_to_answer(p)
        for i in range(p.n_attacks):
            if p.defences[i] == 0:
                target = p.attacks[i]
                weights = _ANSWERS if target == main else _OTHER_ANSWERS
                _add(choices, p, KIND_DEFEND, answers(p, target), weights, target)
        _add(choices, p, KIND_TRANSFER, transfer_cards(p), _TRANSFERS)
        _add(choices, p, KIND_SHOW_TRUMP, showable(p), _SHOWING)
        stop, is_free = TAKE_CODE, not defender_must_play(p)
    else:
        _add(choices, p, KIND_ATTACK, attack_cards(p, p.turn), _ATTACKS)
        stop, is_free = PASS_CODE, may_stop(p, len(choices))
        if may_exchange(p):
            choices[EXCHANGE_CODE] = _EXCHANGE
    if is_free:
        has_plain = any(not (p.trump_mask | JOKERS) >> card_of(code) & 1 for code in choices)
        choices[stop] = _STOPS[p.phase][not has_plain][p.drawn < p.deck_size]
    return choices


def _add(  # noqa: PLR0913, PLR0917 - the parts of actions
    choices: dict[int, int], p: Position, kind: int, cards: int, weights: _Weights, target: int = 0
) -> None:
    """Add an action with each of the cards: plain cards before trumps and jokers, by rank, then by suit."""
    high = p.trump_mask | JOKERS
    held = sorted(CardSet(cards), key=lambda card: (bool(card.mask & high), card.rank, card.suit))
    for index, card in enumerate(held):
        scale = weights[bool(card.mask & high)]
        choices[pack(kind, card.number, target)] = scale[min(index, len(scale) - 1)]
