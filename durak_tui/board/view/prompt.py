"""Texts of the prompt: whose turn it is, their role, and the legal actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from durak_core import Card, Defend, Observation, Phase
from durak_tui.play.snapshot import CardOptions, SessionSnapshot
from durak_tui.text.i18n import gettext, ngettext, pgettext
from durak_tui.text.phrases import DOT, Voice, any_of, capital, ordinal, way_out
from durak_tui.ui.view.board_data import ButtonView, PromptView

_KEYS: Final[Mapping[str, str]] = {"done": "space", "take": "t", "transfer": "r", "show_trump": "r"}


def prompt_view(
    moment: SessionSnapshot, voice: Voice, target: Card | None, extra: tuple[ButtonView, ...] = ()
) -> PromptView:
    """Build the prompt, given the attack card to beat; extra buttons come last."""
    observation = moment.observation
    if observation.is_over:
        return PromptView(_result(observation, voice), "result", _places(observation, voice), extra)
    if observation.turn != moment.human:
        return PromptView(_waiting(moment, voice), "wait", moment.reason, extra)
    if moment.options.asks_transfer:
        how = gettext("Play one of the highlighted cards.")
        text = gettext("Which card do you transfer with?")
        return PromptView(text, "turn", how, (ButtonView("back", gettext("Back")),))
    buttons = (*_buttons(observation, moment.options, voice), *extra)
    return PromptView(_your_turn(observation, moment.options, voice, target), "turn", moment.reason, buttons)


def _buttons(observation: Observation, options: CardOptions, voice: Voice) -> tuple[ButtonView, ...]:
    words = {}
    if options.can_pass:
        words["done"] = _pass_words(observation.phase)
    if options.can_transfer:
        words["transfer"] = gettext("Transfer")
    if options.can_exchange:
        words["transfer"] = gettext("Exchange {given} for {taken}", **voice.exchanged(observation))
    if options.show_trump is not None:
        words["show_trump"] = gettext("Show {card}", card=voice.card(options.show_trump.card))
    if options.can_take:
        words["take"] = gettext("Take")
    return tuple(ButtonView(name, label, _KEYS[name]) for name, label in words.items())


def _pass_words(phase: Phase) -> str:
    """Return the pass button's label, which in some languages depends on the phase."""
    if phase == Phase.VOLLEY:
        return gettext("Done")
    return pgettext("throw in", "Pass") if phase == Phase.THROW_IN else gettext("Pass")


# The viewer's turn


def _your_turn(observation: Observation, options: CardOptions, voice: Voice, target: Card | None) -> str:
    if observation.phase == Phase.DEFENCE:
        return _defend(observation, options, voice, target)
    fields = {
        "whom": voice.whom(observation.defender),
        "to_whom": voice.to_whom(observation.defender),
        "defender": voice.names[observation.defender],
        "ranks": any_of(_playable_ranks(options, voice)),
    }
    if options.can_exchange:
        return gettext(
            "You attack {whom}: exchange {given} for {taken}, or open the bout.",
            **fields,
            **voice.exchanged(observation),
        )
    playable = any(choice.actions for choice in options.cards)
    if playable and not options.can_pass and observation.phase != Phase.OPENING:  # rules 5.8
        return gettext(
            "You attack {whom}: play any {ranks}. With a card that fits you cannot pass.", **fields
        )
    templates = {
        Phase.OPENING: (gettext("You attack {whom}: open the bout with any card.", **fields),) * 2,
        Phase.VOLLEY: (
            gettext("You attack {whom} and have no card to add: end the attack.", **fields),
            gettext("You attack {whom}: add any {ranks}, or end the attack.", **fields),
        ),
        Phase.PILE_ON: (
            gettext("{defender} takes, and you have no card to add: pass.", **fields),
            gettext("{defender} takes: you may add any {ranks}, or pass.", **fields),
        ),
        Phase.THROW_IN: (
            gettext("You have nothing to throw in against {to_whom}: pass.", **fields),
            gettext("You may throw in any {ranks} against {to_whom}, or pass.", **fields),
        ),
    }
    return templates[observation.phase][playable]


def _playable_ranks(options: CardOptions, voice: Voice) -> list[str]:
    cards = {choice.card.rank: choice.card for choice in options.cards if choice.actions}
    return [voice.rank(cards[rank]) for rank in sorted(cards)]


def _defend(observation: Observation, options: CardOptions, voice: Voice, target: Card | None) -> str:
    actions = [action for choice in options.cards for action in choice.actions]
    can_transfer = options.show_trump is not None or options.can_transfer
    if target is None:
        return gettext("You defend.")
    if not any(isinstance(action, Defend) and action.target == target for action in actions):
        return _cannot_beat(voice, target, can_transfer=can_transfer, can_take=options.can_take)
    fields = {"target": voice.card(target), "means": _means(observation, voice, target)}
    count = len(observation.open_attacks)
    if can_transfer:
        return gettext(
            "You defend: beat {target} with {means}, or transfer any {rank}.",
            rank=voice.rank(target),
            **fields,
        )
    return ngettext(
        "You defend: beat {target} with {means}.",
        "You defend, {count} to beat: {target} with {means}.",
        count,
        **fields,
    )


def _cannot_beat(voice: Voice, target: Card, *, can_transfer: bool, can_take: bool) -> str:
    if not can_take:  # rules 5.8
        return gettext(
            "You cannot beat {target}: transfer any {rank}.",
            target=voice.card(target),
            rank=voice.rank(target),
        )
    if can_transfer:
        return gettext(
            "You cannot beat {target}: transfer any {rank}, or take.",
            target=voice.card(target),
            rank=voice.rank(target),
        )
    return gettext("You cannot beat {target}: take the cards.", target=voice.card(target))


def _means(observation: Observation, voice: Voice, target: Card) -> str:
    trump = observation.trump_suit
    if target.suit == trump:
        return gettext("a higher trump {suit}", suit=voice.by_suit(target.suit))
    means = []
    if target.rank.letter != "A":
        means.append(gettext("a higher {suit}", suit=voice.by_suit(target.suit)))
    if trump is not None:
        means.append(gettext("a trump {suit}", suit=voice.by_suit(trump)))
    return any_of(means)


# Another seat's turn, and the end


def _waiting(moment: SessionSnapshot, voice: Voice) -> str:
    observation = moment.observation
    turn = observation.turn if observation.turn is not None else observation.seat
    fields = {
        "name": voice.names[turn],
        "defender": voice.names[observation.defender],
        "whom": voice.whom(observation.defender),
        "to_whom": voice.to_whom(observation.defender),
    }
    match observation.phase:
        case Phase.OPENING:
            return gettext("{name} attacks {whom}.", **fields)
        case Phase.VOLLEY:
            return gettext("{name} may add to the attack on {whom}.", **fields)
        case Phase.DEFENCE:
            cards = voice.cards(observation.open_attacks)
            return gettext("{name} defends against {cards}.", cards=cards, **fields)
        case Phase.PILE_ON if observation.defender == voice.you:
            return gettext("You take; {name} may add more cards.", **fields)
        case Phase.PILE_ON:
            return gettext("{defender} takes; {name} may add more cards.", **fields)
        case _:
            return gettext("{name} may throw in against {to_whom}.", **fields)


def out_of_turn_words(observation: Observation) -> str:
    """Return why a player who is not to act may not act now."""
    if observation.table and observation.defender in observation.rules.partners(observation.seat):
        words = gettext("You may not throw in against your partner")
        return gettext("{words} (rules {paragraph}).", words=words, paragraph="2.2.2")
    return gettext("It is not your turn.")


def take_question(moment: SessionSnapshot) -> str:
    """Return the question before cards are taken that could be answered; empty if there is none."""
    observation, options = moment.observation, moment.options
    if not (options.can_take and options.could_beat(observation.open_attacks)):
        return ""
    return ngettext(
        "You could still answer. Take this card?",
        "You could still answer. Take these {count} cards?",
        len(observation.table_cards),
    )


def _result(observation: Observation, voice: Voice) -> str:
    if not observation.fools:
        return gettext("The game is drawn: nobody is the fool.")
    if observation.rules.teams is not None:
        return _team_result(observation, voice)
    fool = observation.fools[0]
    if fool == voice.you:
        return gettext("You are the fool!")
    name = voice.names[fool]
    if voice.you is not None:
        return gettext("You have won! {name} is the fool.", name=name)
    return gettext("{name} is the fool.", name=name)


def _team_result(observation: Observation, voice: Voice) -> str:
    losers = voice.together(observation.fools)
    if voice.you is None:
        return gettext("{names} have lost.", names=losers)
    if voice.you in observation.fools:
        return gettext("{names} have lost!", names=losers)
    return gettext(
        "{names} have won! {losers} have lost.", names=voice.team(observation.rules), losers=losers
    )


def _places(observation: Observation, voice: Voice) -> str:
    if observation.rules.teams is not None:
        out = [voice.who(seat) for seat in observation.places if seat not in observation.last]
        return capital(way_out(out)) if out else ""
    placed = [
        gettext("{place}: {name}", place=ordinal(number), name=voice.placed(seat))
        for number, seat in enumerate(observation.places, start=1)
        if seat not in observation.last
    ]
    return DOT[voice.ascii].join(placed)
