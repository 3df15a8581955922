"""Builds the hint panel's view from search results: actions, reasons, and what may follow.

A continuation shows one sampled deal, and it omits forced moves. Cards of other players are therefore named
only if they have been seen. Otherwise the text has only the kind of answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from durak_core import (
    EXCHANGE,
    PASS,
    TAKE,
    Action,
    Attack,
    Card,
    CardSet,
    Defend,
    Exchange,
    Observation,
    Pass,
    Phase,
    SearchedAction,
    ShowTrump,
    Take,
    Transfer,
)
from durak_core.actions import card_of
from durak_core.errors import Message
from durak_core.review import MoveEvaluation, Unevaluated, is_known, reason_for_best
from durak_core.review.reasons import SeatName, throwers
from durak_tui.hints.model import SHOWN, Advice
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, mark, ngettext, percent, pgettext, translate
from durak_tui.text.phrases import Inflected, Voice, capital

_WORDS: Final[Mapping[Action, str]] = {
    PASS: mark("pass"),
    TAKE: mark("take"),
    EXCHANGE: mark("exchange"),
}


def action_words(  # noqa: PLR0911 - one for each type of action
    action: Action, observation: Observation, voice: Voice
) -> str:
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
        case Exchange():
            return gettext("exchange {given} for {taken}", **voice.exchanged(observation))
        case _:
            return short_action(action, voice, observation.phase)


def short_action(action: Action, voice: Voice, phase: Phase | None = None) -> str:
    """Describe an action briefly: a card, a card and the one it beats, or a word.

    Some languages have a word of their own for a pass that ends an attack, if the phase is known.
    """
    match action:
        case Pass() if phase == Phase.THROW_IN:
            return pgettext("throw in", "pass")
        case Attack(card=card):
            return voice.card(card)
        case Defend(card=card, target=target):
            return voice.pair(card, target)
        case Transfer(card=card):
            return gettext("transfer {card}", card=voice.card(card))
        case ShowTrump(card=card):
            return gettext("show {card}", card=voice.card(card))
        case Pass() | Take() | Exchange():
            return translate(_WORDS[action])


def doing(action: Action, voice: Voice) -> str:
    """Name an action inside a sentence: "gains less than passing"."""
    match action:
        case Transfer(card=card):
            return pgettext("doing", "transferring {card}", card=voice.card(card))
        case ShowTrump(card=card):
            return pgettext("doing", "showing {card}", card=voice.card(card))
        case Pass():
            return pgettext("doing", "passing")
        case Take():
            return pgettext("doing", "taking")
        case Exchange():
            return pgettext("doing", "exchanging")
        case _:
            return short_action(action, voice)


_DONE: Final[Mapping[type[Action], tuple[str, str]]] = {
    Attack: (mark("you played {card}"), mark("{name} played {card}")),
    Defend: (mark("you beat {target} with {card}"), mark("{name} beat {target} with {card}")),
    Transfer: (mark("you transferred {card}"), mark("{name} transferred {card}")),
    ShowTrump: (mark("you showed {card}"), mark("{name} showed {card}")),
    Pass: (mark("you passed"), mark("{name} passed")),
    Take: (mark("you took"), mark("{name} took")),
    Exchange: (mark("you exchanged a trump"), mark("{name} exchanged a trump")),
}


def done(action: Action, seat: int, voice: Voice) -> str:
    """Describe a played action: "Olga passed"."""
    cards = {name: voice.card(getattr(action, name)) for name in ("card", "target") if hasattr(action, name)}
    return voice.form(seat, *_DONE[type(action)], **cards)


def reason_words(reason: Message, voice: Voice) -> str:
    def word(value: object) -> object:
        match value:
            case Card():
                return voice.card(value)
            case CardSet():
                return voice.cards(value)
            case SeatName(number):
                return voice.to_whom(number)
            case Attack() | Defend() | Transfer() | ShowTrump() | Pass() | Take() | Exchange():
                words = doing(value, voice)
                return words if isinstance(words, Inflected) else Inflected(words)
            case _:
                return value

    return core_words(reason, word)


def outlook(
    observation: Observation, action: Action, ahead: Sequence[Action], voice: Voice
) -> tuple[str, ...]:
    """Return the likely answer to an action and the reply, then shorter forms; empty if none is known."""
    match action:
        case Attack(card) if observation.phase != Phase.PILE_ON:
            return _after_attack(observation, card, ahead, voice)
        case Defend():
            return _after_defence(observation, action, ahead, voice)
        case Exchange():
            return _after_exchange(observation, ahead, voice)
        case _:
            return ()


def _after_attack(
    observation: Observation, card: Card, ahead: Sequence[Action], voice: Voice
) -> tuple[str, ...]:
    answer, *later = ahead or [Pass()]
    name = voice.who(observation.defender)
    match answer:
        case Defend(beating, target):
            words = _beaten(observation, beating, target, voice)
        case Take():
            words = gettext("{name} takes", name=name)
        case Transfer() | ShowTrump():
            return (_likely(gettext("{name} transfers", name=name)),)
        case _:
            return ()
    on_table = {other.rank for other in (*observation.table_cards, card)}
    match later:
        case [Attack(further), *_] if _is_own(observation, further, card) and further.rank in on_table:
            then = gettext("throw in {card}", card=voice.card(further))
            return _if(words, then), _likely(words)
        case _:
            return (_likely(words),)


def _beaten(observation: Observation, beating: Card, target: Card, voice: Voice) -> str:
    name, trump = voice.who(observation.defender), observation.trump_suit
    if beating in observation.known[observation.defender]:
        return gettext("{name} beats it with {card}", name=name, card=voice.card(beating))
    if beating.is_of(trump) and not target.is_of(trump):
        return gettext("{name} beats it with a trump", name=name)
    return gettext("{name} beats it", name=name)


def _after_defence(
    observation: Observation, action: Defend, ahead: Sequence[Action], voice: Voice
) -> tuple[str, ...]:
    match [one for one in ahead if not isinstance(one, Pass)]:
        case [Defend(card, target) as further, *_] if _is_own(observation, card, action.card):
            if target in observation.open_attacks:
                return (_then(action_words(further, observation, voice)),)
        case [Attack(card), *_] if _is_own(observation, card, action.card):
            then = gettext("attack with {card}", card=voice.card(card))
            return gettext("if no more comes: {action}", action=then), _then(then)
        case [Attack(card), *later]:
            words = _thrown_in(observation, card, voice)
            if later[:1] == [Take()]:
                return _if(words, gettext("take")), _likely(words)
            return (_likely(words),)
    return ()


def _after_exchange(observation: Observation, ahead: Sequence[Action], voice: Voice) -> tuple[str, ...]:
    """The face-up card is then in the hand."""
    match ahead:
        case [Attack(card), *later] if card in observation.hand or card == observation.trump_card:
            then = gettext("attack with {card}", card=voice.card(card))
            answers = _after_attack(observation, card, later, voice)
            return *(f"{_then(then)}; {words}" for words in answers), _then(then)
    return ()


def _thrown_in(observation: Observation, card: Card, voice: Voice) -> str:
    seats = throwers(observation)
    holders = [seat for seat in seats if card in observation.known[seat]]
    if holders:
        return gettext("{name} throws in {card}", name=voice.who(holders[0]), card=voice.card(card))
    if len(seats) == 1:
        return gettext("{name} throws in more", name=voice.who(seats[0]))
    return gettext("more is thrown in")


def _is_own(observation: Observation, card: Card, played: Card) -> bool:
    return card in observation.hand and card != played


def _likely(answer: str) -> str:
    return gettext("likely: {answer}", answer=answer)


def _if(answer: str, action: str) -> str:
    return gettext("if {answer}: {action}", answer=answer, action=action)


def _then(action: str) -> str:
    return gettext("then {action}", action=action)


Outcome: TypeAlias = Literal["", "win", "draw", "loss"]

_NO_KEYS: Final[Callable[[Action], str]] = lambda _action: ""  # noqa: E731 - a default value


@dataclass(frozen=True, slots=True)
class AdviceRow:
    """One advised action.

    Attributes:
        key: The key that plays it: the card's number in the hand, or a button's key.
        chance: How good it is: a word or, if wanted, a figure; or a proven outcome.
        ahead: What may follow, and shorter forms of it.
        is_rough: Whether its value is not known yet.
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
        basis: What the search is doing, or on what it rests.
        why: Why the first action is the best; empty until its value is known.
        card: The card of the first action, to be marked in the hand.
        chosen: The index of the chosen row, or None.
    """

    rows: tuple[AdviceRow, ...]
    room: int
    title: str
    basis: str
    why: str = ""
    card: Card | None = None
    chosen: int | None = None
    is_running: bool = False
    problem: str = ""
    ascii: bool = False
    calm: bool = False


def advice_view(  # noqa: PLR0913 - choices of the display, by name
    advice: Advice,
    voice: Voice,
    *,
    keys: Callable[[Action], str] = _NO_KEYS,
    chosen: int | None = None,
    calm: bool = False,
    figures: bool = False,
) -> AdviceView:
    """Build the view of a decision's hint; ``keys`` returns the key that plays an action."""
    observation, lines = advice.observation, advice.lines[:SHOWN]
    rows: tuple[AdviceRow, ...]
    if advice.is_forced:
        action = observation.legal_actions[0]
        words = action_words(action, observation, voice)
        rows = (AdviceRow(action, keys(action), words, ""),)
    else:
        rows = tuple(_row(line, advice, voice, keys(line.action), figures=figures) for line in lines)
    is_mine = observation.seat == voice.you
    title = gettext("Hint") if is_mine else gettext("Hint for {name}", name=voice.names[observation.seat])
    holds = bool(lines) and (not advice.is_running or is_known(lines[0]))
    return AdviceView(
        rows,
        len(rows) or min(SHOWN, len(observation.legal_actions)),
        title,
        _basis(advice),
        _why(advice, voice) if holds else "",
        card_of(lines[0].action) if holds else None,
        chosen if rows else None,
        advice.is_running,
        advice.problem,
        voice.ascii,
        calm,
    )


def _basis(advice: Advice) -> str:
    if advice.is_forced:
        return gettext("there is no choice")
    if not advice.lines:
        return gettext("thinking")
    if all(line.exact for line in advice.lines):
        return gettext("everything is known: played out to the end")
    if any(line.exact for line in advice.lines):
        return gettext("everything is known, but not yet played out")
    return gettext("comparing the moves")


def _why(advice: Advice, voice: Voice) -> str:
    """Return what to do and why, as a review does."""
    found = reason_for_best(advice.observation, advice.lines)
    best = capital(action_words(advice.lines[0].action, advice.observation, voice))
    if found is None:
        return _equal(advice, best) if len(advice.lines) > 1 else ""
    worse, reason = found
    compared = next(line for line in advice.lines if line.action == worse)
    if advice.is_running and not _is_told_apart(compared, advice.lines[0]):
        return ""  # its row is unsure still
    if reason is None and any(line.exact for line in advice.lines):
        return ""  # the basis has the proof
    if reason is None:
        return gettext("{best}: no simple rule says why, but it works out best.", best=best)
    words = gettext(
        "{action} is worse: {reason}.",
        action=_named(worse, advice.observation, voice),
        reason=reason_words(reason, voice),
    )
    return f"{best}. {capital(words)}"


def _equal(advice: Advice, best: str) -> str:
    """Return why the first of several equal actions is advised: its card is the least valuable one."""
    cards = [card_of(line.action) for line in advice.lines[:SHOWN]]
    trump = advice.observation.trump_suit
    values = [(not card.is_plain(trump), card.rank) for card in cards if card is not None]
    if len(values) == len(cards) and values[0] == min(values) != max(values):
        return gettext("{best}: these are about equal, and this card is the easiest to spare.", best=best)
    return gettext("{best}, or any other: these are about equal.", best=best)


def _named(action: Action, observation: Observation, voice: Voice) -> str:
    """Name an action in a sentence. A pass with all cards beaten may have a word of its own."""
    match action:
        case Pass() if observation.phase == Phase.THROW_IN:
            return pgettext("throw in", "passing")
        case Defend(card) if len(observation.open_attacks) == 1:
            return voice.card(card)
    return doing(action, voice)


def _row(line: SearchedAction, advice: Advice, voice: Voice, key: str, *, figures: bool) -> AdviceRow:
    action = line.action
    words = action_words(action, advice.observation, voice)
    ahead = outlook(advice.observation, action, line.continuation, voice)
    if line.exact:
        chance, outcome = _proved(line)
        return AdviceRow(action, key, words, chance, ahead, outcome)
    chance = value_words(line, advice.lines[0], figures=figures)
    return AdviceRow(action, key, words, chance, ahead if line.is_tried else (), is_rough=not is_known(line))


_GRADES: Final = (
    (0.02, mark("as good")),
    (0.05, mark("a little worse")),
    (0.15, mark("worse")),
)
"""Words for an action that loses less than so much of the best one's value."""


def value_words(line: SearchedAction, best: SearchedAction, *, figures: bool = False) -> str:
    """Compare an action with the best one, or with figures describe how safe it leaves its player."""
    if line.exact:
        return _proved(line)[0]
    if not line.is_tried:
        return gettext("not tried yet")
    if not _is_told_apart(line, best):
        return gettext("probably best") if line.action == best.action else gettext("hard to tell")
    if figures and is_known(line):
        return gettext("safe {percent}", percent=percent(line.score))
    if line.action == best.action:
        return gettext("best")
    behind = best.score - line.score
    return next((translate(words) for most, words in _GRADES if behind < most), gettext("much worse"))


def _is_told_apart(line: SearchedAction, best: SearchedAction) -> bool:
    return is_known(line) or best.is_surely_above(line)


def _proved(line: SearchedAction) -> tuple[str, Outcome]:
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


def evaluation_words(  # noqa: PLR0911 - one for each outcome
    evaluation: MoveEvaluation, observation: Observation, voice: Voice
) -> str:
    """Return a sentence on a move: why it has its mark and what was better, or how good it was."""
    best, reason = evaluation.best, evaluation.reason
    if best is None or evaluation.unevaluated is Unevaluated.NO_CHOICE:
        return gettext("The only legal move.")
    if evaluation.unevaluated is Unevaluated.NO_DIFFERENCE:
        return gettext("Any move leads to the same result.")
    better = action_words(best.action, observation, voice)
    if evaluation.unevaluated is not None:
        return gettext("Hard to tell; perhaps better: {better}.", better=better)
    if evaluation.is_doubtful:
        return gettext("Probably better: {better}.", better=better)
    if evaluation.mark == "!":
        return marked_words(evaluation, voice)
    if reason is not None and best.action in dict(reason.values).values():
        return marked_words(evaluation, voice)
    if reason is not None:
        return f"{marked_words(evaluation, voice)} {gettext('Better: {best}.', best=better)}"
    if evaluation.action == best.action:
        is_sure = is_known(best)
        return gettext("The best move.") if is_sure else gettext("Probably the best move.")
    return gettext("A good move.")


def marked_words(evaluation: MoveEvaluation, voice: Voice) -> str:
    """Return a sentence on why a move has its mark; empty without a reason."""
    if evaluation.reason is None:
        return ""
    why = reason_words(evaluation.reason, voice)
    if evaluation.instead is None:
        return f"{capital(why)}."
    return gettext("Well found: {instead} {why}.", instead=doing(evaluation.instead, voice), why=why)
