"""Builds the advice panel's view from search results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from durak_core import Action, Attack, Defend, Observation, Pass, Phase, ShowTrump, Take, Transfer
from durak_core.engine.protocol import Line
from durak_tui.hints.model.adviser import SHOWN, Advice, half_width, shown_percent
from durak_tui.text.i18n import percent, percent_sign, say, say_count
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
        rows = (AdviceRow(1, action, say("there is no choice")),)
    else:
        rows = tuple(_row(rank, line, observation, voice) for rank, line in enumerate(advice.lines, 1))
    count = advice.iterations
    tries = say_count("{count:,} try", "{count:,} tries", count) if count else ""
    is_proved = bool(advice.lines) and all(line.exact for line in advice.lines)
    is_mine = observation.seat == voice.you
    title = say("Advice") if is_mine else say("Advice for {name}", name=voice.names[observation.seat])
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
        return say("there is no choice")
    if not advice.lines:
        return say("thinking")
    if all(line.exact for line in advice.lines):
        return say("everything is known: played out to the end")
    if any(line.exact for line in advice.lines):
        return say("everything is known, but not yet played out")
    if advice.observation.rules.teams is not None:
        return voice.form(
            advice.observation.seat,
            "how often your team is not the fool, by what you know",
            "how often the team of {name} is not the fool, by what {name} knows",
        )
    return voice.form(
        advice.observation.seat,
        "how often you are not the fool, in deals that fit what you know",
        "how often {name} is not the fool, in deals that fit what {name} knows",
    )


def _row(rank: int, line: Line, observation: Observation, voice: Voice) -> AdviceRow:
    action = _action_words(line.action, observation, voice)
    ahead = tuple(short_action(next_action, voice) for next_action in line.continuation[:_MOST_AHEAD])
    if line.exact:
        chance, outcome = _proved(line)
        return AdviceRow(rank, action, chance, ahead, outcome)
    if not line.visits:
        return AdviceRow(rank, action, say("not tried yet"))
    spread = f"{'+-' if voice.ascii else '±'}{max(1, round(100 * half_width(line)))}"
    return AdviceRow(rank, action, f"{percent_sign(str(shown_percent(line)))} {spread}", ahead)


def _proved(line: Line) -> tuple[str, Outcome]:
    words: dict[float, tuple[str, Outcome]] = {
        1.0: (say("wins by force"), "win"),
        0.5: (say("draws by force"), "draw"),
        0.0: (say("loses by force"), "loss"),
    }
    text, outcome = words.get(line.score, (percent(line.score), ""))
    if line.bouts:
        bouts = say_count("{text} in {count} bout", "{text} in {count} bouts", line.bouts, text=text)
        return bouts, outcome
    return text, outcome


def _action_words(action: Action, observation: Observation, voice: Voice) -> str:
    """Describe an advised action: ``beat 6♣ with 8♣``."""
    match action:
        case Attack(card=card) if observation.phase in (Phase.OPENING, Phase.VOLLEY):
            return say("attack with {card}", card=voice.card(card))
        case Attack(card=card):
            return say("throw in {card}", card=voice.card(card))
        case Defend(card=card, target=target):
            return say("beat {target} with {card}", card=voice.card(card), target=voice.card(target))
        case Transfer(card=card):
            return say("transfer with {card}", card=voice.card(card))
        case Pass() if observation.phase == Phase.VOLLEY:
            return say("end the attack")
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
            return say("transfer {card}", card=voice.card(card))
        case ShowTrump(card=card):
            return say("show {card}", card=voice.card(card))
        case Pass():
            return say("pass")
        case Take():
            return say("take")
