"""Builds the hint panel's view from search results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from durak_core import PASS, Action, Card, Observation, Phase
from durak_core.engine.protocol import Line
from durak_core.review import reason_for_best
from durak_core.review.comparison import card_of
from durak_tui.hints.model.adviser import SHOWN, Advice, half_width, is_rough, shown_percent
from durak_tui.hints.view.actions import action_words, doing, reason_words
from durak_tui.hints.view.outlook import outlook
from durak_tui.text.i18n import gettext, ngettext, percent, percent_sign, pgettext, thousands
from durak_tui.text.phrases import Voice, capital

Outcome: TypeAlias = Literal["", "win", "draw", "loss"]

_NO_KEYS: Final[Callable[[Action], str]] = lambda _action: ""  # noqa: E731 - a default value


@dataclass(frozen=True, slots=True)
class AdviceRow:
    """One advised action.

    Attributes:
        key: The key that plays it: the card's number in the hand, or a button's key.
        chance: A win percentage or a proven outcome.
        ahead: What may follow, and shorter forms of it.
        is_rough: Whether the percentage may still change a lot.
    """

    action: Action
    key: str
    words: str
    chance: str
    ahead: tuple[str, ...] = ()
    outcome: Outcome = ""
    is_rough: bool = False


@dataclass(frozen=True, slots=True)
class AdviceView:
    """Contents of the hint panel.

    Attributes:
        room: Number of rows reserved for actions.
        basis: What the figures are.
        why: Why the first action is the best; empty until its figure holds.
        card: The card of the first action, to be marked in the hand.
        chosen: The index of the chosen row, or None.
    """

    rows: tuple[AdviceRow, ...]
    room: int
    title: str
    basis: str
    effort: str = ""
    why: str = ""
    card: Card | None = None
    chosen: int | None = None
    is_running: bool = False
    problem: str = ""
    ascii: bool = False
    calm: bool = False


def advice_view(
    advice: Advice,
    voice: Voice,
    *,
    keys: Callable[[Action], str] = _NO_KEYS,
    chosen: int | None = None,
    calm: bool = False,
) -> AdviceView:
    """Build the view of a decision's hint; ``keys`` returns the key that plays an action."""
    observation, lines = advice.observation, advice.lines[:SHOWN]
    rows: tuple[AdviceRow, ...]
    if advice.is_forced:
        action = observation.legal_actions[0]
        words = action_words(action, observation, voice)
        rows = (AdviceRow(action, keys(action), words, ""),)
    else:
        rows = tuple(_row(line, advice, voice, keys(line.action)) for line in lines)
    is_proved = bool(lines) and all(line.exact for line in lines)
    count = advice.iterations
    effort = ""
    if count and not is_proved:
        games = thousands(count)
        effort = ngettext("{games} simulated game", "{games} simulated games", count, games=games)
    is_mine = observation.seat == voice.you
    title = gettext("Hint") if is_mine else gettext("Hint for {name}", name=voice.names[observation.seat])
    holds = bool(lines) and not (advice.is_running and is_rough(lines[0]))
    return AdviceView(
        rows,
        len(rows) or min(SHOWN, len(observation.legal_actions)),
        title,
        _basis(advice, voice),
        effort,
        _why(advice, voice) if holds else "",
        card_of(lines[0].action) if holds else None,
        chosen if rows else None,
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


def _why(advice: Advice, voice: Voice) -> str:
    """Return why the first action is the best, as a review does."""
    found = reason_for_best(advice.observation, advice.lines)
    if found is None:
        return gettext("These are about equal.") if len(advice.lines) > 1 else ""
    worse, reason = found
    if reason is None and any(line.exact for line in advice.lines):
        return ""  # the basis has the proof
    if reason is None:
        return gettext("No rule of thumb here: it comes out ahead in most games tried.")
    words = gettext(
        "{action} is worse: {reason}.",
        action=_named(worse, advice.observation, voice),
        reason=reason_words(reason, voice),
    )
    return capital(words)


def _named(action: Action, observation: Observation, voice: Voice) -> str:
    """Name an action in a sentence. A pass with all cards beaten may have a word of its own."""
    if action == PASS and observation.phase == Phase.THROW_IN:
        return pgettext("throw in", "passing")
    return doing(action, voice)


def _row(line: Line, advice: Advice, voice: Voice, key: str) -> AdviceRow:
    action = line.action
    words = action_words(action, advice.observation, voice)
    ahead = outlook(advice.observation, action, line.continuation, voice)
    if line.exact:
        chance, outcome = _proved(line)
        return AdviceRow(action, key, words, chance, ahead, outcome)
    if not line.visits:
        return AdviceRow(action, key, words, gettext("not tried yet"), is_rough=True)
    shown = percent_sign(str(shown_percent(line)))
    if is_rough(line):
        return AdviceRow(action, key, words, f"{'~' if voice.ascii else '≈'} {shown}", ahead, is_rough=True)
    spread = f"{'+-' if voice.ascii else '±'}{max(1, round(100 * half_width(line)))}"
    return AdviceRow(action, key, words, f"{shown} {spread}", ahead)


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
