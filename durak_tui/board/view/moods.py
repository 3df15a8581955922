"""The opponents' moods, and what they say now and then. Both depend only on what everyone sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from durak_core import BeatenOff, BoutBegan, Event, GameEnded, Observation, Phase, TookUp, WentOut
from durak_core.game.events import ActionEvent
from durak_tui.play.snapshot import SessionSnapshot
from durak_tui.players.opponents import key_at
from durak_tui.players.remarks import Occasion, remark_of
from durak_tui.text.i18n import gettext
from durak_tui.text.phrases import Voice
from durak_tui.ui.view.portraits import Mood

_REMEMBERED: Final = 3
"""Actions after which a remark disappears."""
_MANY: Final = 9
"""Cards in a hand that worry its player while there is a talon."""
_BEHIND: Final = 3
"""Cards more than the shortest hand that worry a player without a talon."""
_RARELY: Final = 3
"""One of so many common occasions makes a player speak."""
_ALWAYS: Final = frozenset({"out", "fool"})


def mood_of(observation: Observation, seat: int) -> Mood:
    if observation.is_over or seat in observation.places:
        is_drawn = observation.is_over and not observation.fools
        return "calm" if is_drawn else "worried" if seat in observation.fools else "pleased"
    is_taking = observation.phase == Phase.PILE_ON
    if seat == observation.defender and (is_taking or len(observation.open_attacks) > 1):
        return "worried"
    return "pleased" if is_taking and seat == observation.attacker else _mood_by_cards(observation, seat)


def _mood_by_cards(observation: Observation, seat: int) -> Mood:
    held = observation.hand_sizes
    least = min(held[one] for one in range(observation.rules.seats) if one not in observation.places)
    if observation.talon_size:
        return "worried" if held[seat] >= _MANY else "calm"
    if held[seat] >= least + _BEHIND:
        return "worried"
    return "pleased" if held[seat] == least and max(held) > least + 1 else "calm"


def remark(moment: SessionSnapshot, voice: Voice) -> str:
    """Return an opponent's comment on the last actions; or an empty text."""
    observation = moment.observation
    if not moment.players:
        return ""
    for number, seat, occasion in _occasions(observation.events):
        key = key_at(moment.players, seat)
        is_due = occasion in _ALWAYS or (number + seat) % _RARELY == 0
        if key and seat != voice.you and is_due:
            words = remark_of(key, occasion, number)
            return gettext("{name}: “{words}”", name=voice.names[seat], words=words)
    return ""


def _occasions(events: Sequence[Event]) -> list[tuple[int, int, Occasion]]:
    """Return numbers of recent events, with a seat and its occasion to speak, the newest first."""
    actions = [number for number, event in enumerate(events) if isinstance(event, ActionEvent)]
    start = actions[-_REMEMBERED] if len(actions) >= _REMEMBERED else 0
    found: list[tuple[int, int, Occasion]] = []
    attacker = 0
    for number, event in enumerate(events):
        match event:
            case BoutBegan():
                attacker = event.attacker
            case GameEnded(fools=(fool,)):
                found.append((number, fool, "fool"))
            case WentOut():
                found.append((number, event.seat, "out"))
            case BeatenOff():
                found.append((number, event.seat, "beaten_off"))
            case TookUp():
                found += [(number, attacker, "gave"), (number, event.seat, "takes")]
            case _:
                pass
    return [one for one in found if one[0] >= start][::-1]
