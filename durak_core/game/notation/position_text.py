"""Positions and observations as one line (docs/notation.md, "Positions" and "Observations").

>>> from durak_core import Rules, State, read_position, write_position
>>> state = State.setup(Rules(), ["6c7d", "8s9h"], trump="Ah")
>>> write_position(state)
'rules=podkidnoy bout=2 attacker=0 defender=1 limit=2 phase=opening turn=0 hands=7d6c/8s9h trump=Ah'
>>> read_position(write_position(state)) == state
True
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain
from typing import Final

from durak_core.cards import Card, CardSet
from durak_core.errors import NotationError
from durak_core.game.events import EventLog
from durak_core.game.notation.position_fields import (
    Fields,
    PositionFields,
    card_faults,
    game_faults,
    lay,
    observation_faults,
)
from durak_core.game.observation import Observation
from durak_core.game.state import Origin, State

_LETTERS: Final = {"\n": "n", "\r": "r", "\t": "t"}
_CONTROLS: Final = {letter: control for control, letter in _LETTERS.items()}
_UNPRINTED: Final = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff"
"""Control characters, Unicode line ends, lone surrogates and the byte order mark."""
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.)|$)", re.DOTALL)


def escape(text: str, closing: str) -> str:
    """Escape a text for quotes or braces, with a backslash before the closing characters."""
    special = re.compile(rf"[\\{re.escape(closing)}{_UNPRINTED}]")
    return special.sub(_escaped, text)


def unescape(text: str) -> str:
    """Reverse `escape`; raise `NotationError` for an unknown escape."""
    return _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if character in _LETTERS:
        return "\\" + _LETTERS[character]
    if character.isprintable():
        return "\\" + character
    return f"\\u{ord(character):04x}"


def _unescaped(match: re.Match[str]) -> str:
    code, character = match[1], match[2]
    if code is not None:
        return chr(int(code, 16))
    if character in _CONTROLS:
        return _CONTROLS[character]
    if character is not None and character in '\\"{}':
        return str(character)
    raise NotationError(
        '{found} means nothing: write \\\\ for a backslash, or one of \\" \\{{ \\}} \\n \\r \\t \\u0000',
        found=match[0],
    )


def write_position(state: State) -> str:
    """Write a state as one line, without its events, seed and number of plies."""
    return _line(
        state,
        seat="",
        hands=_open_hands(state.hands, state.known),
        talon=_open_talon(state.talon, state.trump_card),
        gone="",
        emptied=_seats(state.emptied),
    )


def read_position(text: str) -> State:
    """Read a line of `write_position`, its fields in any order, into a state without history.

    Raises:
        NotationError: If the text does not parse, or the position is impossible; has the field, the index
            and the paragraph.
    """
    raw = Fields(text)
    fields = raw.parse()
    if fields.seat is not None:
        raise raw.error("seat", "this is an observation: a position has no seat that looks")
    return _state(raw, fields)


def write_observation(observation: Observation) -> str:
    """Write an observation as one line, without its events.

    The known and discarded cards that follow from the events (rules 9.2) are written.
    """
    o = observation
    if o.hands is not None and o.talon is not None:
        hands, talon = _open_hands(o.hands, o.known), _open_talon(o.talon, o.trump_card)
    else:
        seen = _hidden_hands(o)
        seen[o.seat] = _open_hands((o.hand,), (o.known[o.seat],))
        hands, talon = "/".join(seen), _hidden_talon(o)
    return _line(o, seat=str(o.seat), hands=hands, talon=talon, gone=str(o.gone), emptied="")


def read_observation(text: str) -> Observation:
    """Read a line of `write_observation` into an observation with legal actions but no events.

    Raises:
        NotationError: As for `read_position`, or if the text names cards hidden from its seat.
    """
    state, seat = read_stand_in(text)
    return state.observation(seat)


def read_stand_in(text: str) -> tuple[State, int]:
    """Read an observation's line into a state and the observing seat; raise as `read_observation` does.

    The hidden cards are arbitrary and must not be shown.
    """
    raw = Fields(text)
    fields = raw.parse()
    if fields.seat is None:
        raise NotationError("seat is missing: an observation names its seat")
    return _state(raw, fields), fields.seat


def write_public(state: State) -> str:
    """Write what everyone sees of a state: an observation's line without ``seat``, all hands hidden."""
    o = state.observation(0)
    return _line(
        o, seat="", hands="/".join(_hidden_hands(o)), talon=_hidden_talon(o), gone=str(o.gone), emptied=""
    )


def read_public(text: str) -> State:
    """Read a line of `write_public` into a state.

    The hidden cards are arbitrary and must not be shown.

    Raises:
        NotationError: As for `read_position`, or if the text names hidden cards or a seat that looks.
    """
    raw = Fields(text)
    fields = raw.parse()
    if fields.seat is not None:
        raise raw.error("seat", "a spectator has no seat")
    if any(hand.cards for hand in fields.hands):
        raise raw.error("hands", "a spectator sees no hand: write ? and the number of cards")
    if fields.talon.cards:
        raise raw.error("talon", "a spectator sees only the trump card of it")
    fields = replace(fields, seat=0)
    for key, message in card_faults(fields):
        raise raw.error(key, message)
    return _laid_out(raw, fields)


def _state(raw: Fields, fields: PositionFields) -> State:
    for key, message in chain(observation_faults(fields), card_faults(fields)):
        raise raw.error(key, message)
    return _laid_out(raw, fields)


def _laid_out(raw: Fields, fields: PositionFields) -> State:
    position = lay(fields)
    for key, message in game_faults(position):
        raise raw.error(key, message)
    known = tuple(hand.known.mask for hand in fields.hands)
    event_log = EventLog.empty(known, is_open=fields.rules.visibility == "open")
    return State(fields.rules, position, event_log, Origin(fields.attacker))


def _line(view: State | Observation, **written: str) -> str:
    pairs = [f"{pair.defence}x{pair.attack}" if pair.defence else str(pair.attack) for pair in view.table]
    fields = {
        "rules": view.rules.text,
        "seat": written["seat"],
        "bout": str(view.bout),
        "attacker": str(view.attacker),
        "defender": str(view.defender),
        "limit": str(view.limit),
        "phase": view.phase.name.lower(),
        "turn": "" if view.turn is None else str(view.turn),
        "passed": _seats(view.passed),
        "hands": written["hands"],
        "table": ",".join(pairs),
        "talon": written["talon"],
        "trump": str(view.trump_card or ""),
        "gone": written["gone"],
        "out": _seats(view.places),
        "emptied": written["emptied"],
        "shown": _seats(view.shown),
        "stall": str(view.stall or ""),
        "fool": _seats(view.fools),
    }
    return " ".join(f"{key}={value}" for key, value in fields.items() if value)


def _open_hands(hands: tuple[CardSet, ...], known: tuple[CardSet, ...]) -> str:
    masks = [(hand.mask & ~seen.mask, seen) for hand, seen in zip(hands, known, strict=True)]
    return "/".join([_pile(str(CardSet(mask)), 0, str(seen)) or "-" for mask, seen in masks])


def _hidden_hands(o: Observation) -> list[str]:
    sizes = zip(o.hand_sizes, o.known, strict=True)
    return [_pile("", size - len(known), str(known)) or "-" for size, known in sizes]


def _hidden_talon(o: Observation) -> str:
    bottom = o.trump_card if o.talon_size else None
    return _pile("", o.talon_size - (bottom is not None), str(bottom or ""))


def _open_talon(talon: tuple[Card, ...], trump: Card | None) -> str:
    bottom = str(trump) if talon and trump else ""
    return _pile("".join(map(str, talon[:-1] if bottom else talon)), 0, bottom)


def _pile(cards: str, hidden: int, known: str) -> str:
    return cards + (f"?{hidden}" if hidden else "") + (f"+{known}" if known else "")


def _seats(seats: tuple[int, ...]) -> str:
    return ",".join(map(str, seats))
