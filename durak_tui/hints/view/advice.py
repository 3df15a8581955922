"""Builds the advice panel's view from search results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from durak_core import Action, Attack, Defend, Observation, Pass, Phase, ShowTrump, Take, Transfer
from durak_core.engine.protocol import Line
from durak_tui.hints.model.adviser import SHOWN, Advice, half_width, shown_percent
from durak_tui.text.i18n import gettext, ngettext, percent, percent_sign, thousands
from durak_tui.text.phrases import Voice

Outcome: TypeAlias = Literal["", "win", "draw", "loss"]

_MOST_AHEAD: Final = 6


@dataclass(frozen=True, slots=True)
class AdviceRow:
    """One advised action and its continuation; ``chance`` is a win percentage or a proven outcome."""

    rank: int
    action: str
    chance: str
    ahead: tuple[str, ...] = ()
    outcome: Outcome = ""


@dataclass(frozen=True, slots=True)
class AdviceView:
    """Contents of the advice panel; ``room`` rows are reserved, and ``basis`` explains the figures."""

    rows: tuple[AdviceRow, ...]
    room: int
    title: str
    basis: str
    effort: str = ""
    is_running: bool = False
    problem: str = ""
    ascii: bool = False
    calm: bool = False


def advice_view(advice: Advice, voice: Voice, *, calm: bool = False) -> AdviceView:
    observation = advice.observation
    rows: tuple[AdviceRow, ...]
    if advice.is_forced:
        action = _action_words(observation.legal_actions[0], observation, voice)
        rows = (AdviceRow(1, action, gettext("there is no choice")),)
    else:
        rows = tuple(_row(rank, line, observation, voice) for rank, line in enumerate(advice.lines, 1))
    count = advice.iterations
    tries = ngettext("{tries} try", "{tries} tries", count, tries=thousands(count)) if count else ""
    is_proved = bool(advice.lines) and all(line.exact for line in advice.lines)
    is_mine = observation.seat == voice.you
    title = gettext("Hint") if is_mine else gettext("Hint for {name}", name=voice.names[observation.seat])
    return AdviceView(
        rows,
        len(rows) or min(SHOWN, len(observation.legal_actions)),
        title,
        _basis(advice, voice),
        "" if is_proved else tries,
        advice.is_running,
        advice.problem,
        voice.ascii,
        calm,
    )


def _basis(advice: Advice, voice: Voice) -> str:
    if advice.is_forced:
        return gettext("there is no choice")
    if not advice.lines:
        return gettext("thinking")
    if all(line.exact for line in advice.lines):
        return gettext("everything is known: played out to the end")
    if any(line.exact for line in advice.lines):
        return gettext("everything is known, but not yet played out")
    if advice.observation.rules.teams is not None:
        return voice.form(
            advice.observation.seat,
            "your team's chance of not being the fool, given what you know",
            "the chance of {name}'s team not being the fool, given what {name} knows",
        )
    return voice.form(
        advice.observation.seat,
        "your chance of not being the fool, given what you know",
        "{name}'s chance of not being the fool, given what {name} knows",
    )


def _row(rank: int, line: Line, observation: Observation, voice: Voice) -> AdviceRow:
    action = _action_words(line.action, observation, voice)
    ahead = tuple(short_action(next_action, voice) for next_action in line.continuation[:_MOST_AHEAD])
    if line.exact:
        chance, outcome = _proved(line)
        return AdviceRow(rank, action, chance, ahead, outcome)
    if not line.visits:
        return AdviceRow(rank, action, gettext("not tried yet"))
    spread = f"{'+-' if voice.ascii else '±'}{max(1, round(100 * half_width(line)))}"
    return AdviceRow(rank, action, f"{percent_sign(str(shown_percent(line)))} {spread}", ahead)


def _proved(line: Line) -> tuple[str, Outcome]:
    words: dict[float, tuple[str, Outcome]] = {
        1.0: (gettext("wins by force"), "win"),
        0.5: (gettext("draws by force"), "draw"),
        0.0: (gettext("loses by force"), "loss"),
    }
    text, outcome = words.get(line.score, (percent(line.score), ""))
    if line.bouts:
        bouts = ngettext("{text} in {count} bout", "{text} in {count} bouts", line.bouts, text=text)
        return bouts, outcome
    return text, outcome


def _action_words(action: Action, observation: Observation, voice: Voice) -> str:
    """Describe an advised action: ``beat 6♣ with 8♣``."""
    match action:
        case Attack(card=card) if observation.phase in (Phase.OPENING, Phase.VOLLEY):
            return gettext("attack with {card}", card=voice.card(card))
        case Attack(card=card):
            return gettext("throw in {card}", card=voice.card(card))
        case Defend(card=card, target=target):
            return gettext("beat {target} with {card}", card=voice.card(card), target=voice.card(target))
        case Transfer(card=card):
            return gettext("transfer with {card}", card=voice.card(card))
        case Pass() if observation.phase == Phase.VOLLEY:
            return gettext("end the attack")
        case _:
            return short_action(action, voice)


def short_action(action: Action, voice: Voice) -> str:
    """Describe an action briefly: a card, a card and the one it beats, or a word."""
    match action:
        case Attack(card=card):
            return voice.card(card)
        case Defend(card=card, target=target):
            return f"{voice.card(card)}{'x' if voice.ascii else '×'}{voice.card(target)}"  # noqa: RUF001
        case Transfer(card=card):
            return gettext("transfer {card}", card=voice.card(card))
        case ShowTrump(card=card):
            return gettext("show {card}", card=voice.card(card))
        case Pass():
            return gettext("pass")
        case Take():
            return gettext("take")
