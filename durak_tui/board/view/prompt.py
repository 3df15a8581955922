"""Texts of the prompt: whose turn it is, their role, and the legal actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from durak_core import Card, Defend, Observation, Phase
from durak_tui.play.moment import CardOptions, Moment
from durak_tui.text.i18n import say, say_as, say_count
from durak_tui.text.phrases import Voice, any_of, ordinal
from durak_tui.ui.view.data import ButtonView, PromptView

_KEYS: Final[Mapping[str, str]] = {"done": "space", "take": "t", "transfer": "r", "show_trump": "r"}


def prompt_view(
    moment: Moment, voice: Voice, target: Card | None, extra: tuple[ButtonView, ...] = ()
) -> PromptView:
    """Build the prompt, given the attack card to beat; extra buttons come last."""
    observation = moment.observation
    if observation.is_over:
        return PromptView(_result(observation, voice), "result", _places(observation, voice), extra)
    if observation.turn != moment.human:
        return PromptView(_waiting(moment, voice), "wait", moment.reason, extra)
    if moment.options.asks_transfer:
        how = say("Play one of those that stand out.")
        text = say("Which card do you transfer with?")
        return PromptView(text, "turn", how, (ButtonView("back", say("Back")),))
    buttons = (*_buttons(observation, moment.options, voice), *extra)
    return PromptView(_your_turn(observation, moment.options, voice, target), "turn", moment.reason, buttons)


def _buttons(observation: Observation, options: CardOptions, voice: Voice) -> tuple[ButtonView, ...]:
    words = {}
    if options.can_pass:
        words["done"] = _pass_words(observation.phase)
    if options.can_transfer:
        words["transfer"] = say("Transfer")
    if options.show_trump is not None:
        words["show_trump"] = say("Show {card}", card=voice.card(options.show_trump.card))
    if options.can_take:
        words["take"] = say("Take")
    return tuple(ButtonView(name, label, _KEYS[name]) for name, label in words.items())


def _pass_words(phase: Phase) -> str:
    """Return the pass button's label, which in some languages depends on the phase."""
    if phase == Phase.VOLLEY:
        return say("Done")
    return say_as("throw in", "Pass") if phase == Phase.THROW_IN else say("Pass")


# The viewer's turn


def _your_turn(observation: Observation, options: CardOptions, voice: Voice, target: Card | None) -> str:
    if observation.phase == Phase.DEFENCE:
        return _defend(observation, options, voice, target)
    fields = {"whom": voice.whom(observation.defender), "ranks": any_of(_playable_ranks(options, voice))}
    playable = any(choice.actions for choice in options.cards)
    templates = {
        Phase.OPENING: (say("You attack {whom}: open the bout with any card.", **fields),) * 2,
        Phase.VOLLEY: (
            say("You attack {whom} and have no card to add: end the attack.", **fields),
            say("You attack {whom}: lay any {ranks} as well, or end the attack.", **fields),
        ),
        Phase.PILE_ON: (
            say("{whom} takes, and you have no card to add: pass.", **fields),
            say("{whom} takes: you may add any {ranks}, or pass.", **fields),
        ),
        Phase.THROW_IN: (
            say("You have nothing to throw in against {whom}: pass.", **fields),
            say("You may throw in any {ranks} against {whom}, or pass.", **fields),
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
        return say("You defend.")
    if not any(isinstance(action, Defend) and action.target == target for action in actions):
        return _cannot_beat(voice, target, can_transfer=can_transfer)
    fields = {"target": voice.card(target), "means": _means(observation, voice, target)}
    count = len(observation.open_attacks)
    if can_transfer:
        return say(
            "You defend: beat {target} with {means}, or transfer any {rank}.",
            rank=voice.rank(target),
            **fields,
        )
    return say_count(
        "You defend: beat {target} with {means}.",
        "You defend, {count} to beat: {target} with {means}.",
        count,
        **fields,
    )


def _cannot_beat(voice: Voice, target: Card, *, can_transfer: bool) -> str:
    if can_transfer:
        return say(
            "You cannot beat {target}: transfer any {rank}, or take.",
            target=voice.card(target),
            rank=voice.rank(target),
        )
    return say("You cannot beat {target}: take the cards.", target=voice.card(target))


def _means(observation: Observation, voice: Voice, target: Card) -> str:
    trump = observation.trump_suit
    if target.suit == trump:
        return say("a higher trump {suit}", suit=voice.by_suit(target.suit))
    means = []
    if target.rank.letter != "A":
        means.append(say("a higher {suit}", suit=voice.by_suit(target.suit)))
    if trump is not None:
        means.append(say("a trump {suit}", suit=voice.by_suit(trump)))
    return any_of(means)


# Another seat's turn, and the end


def _waiting(moment: Moment, voice: Voice) -> str:
    observation = moment.observation
    turn = observation.turn if observation.turn is not None else observation.seat
    fields = {"name": voice.names[turn], "defender": voice.whom(observation.defender)}
    match observation.phase:
        case Phase.OPENING:
            return say("{name} attacks {defender}.", **fields)
        case Phase.VOLLEY:
            return say("{name} may add to the attack on {defender}.", **fields)
        case Phase.DEFENCE:
            cards = voice.cards(observation.open_attacks)
            return say("{name} defends against {cards}.", cards=cards, **fields)
        case Phase.PILE_ON if observation.defender == voice.you:
            return say("You take; {name} may add more cards.", **fields)
        case Phase.PILE_ON:
            return say("{defender} takes; {name} may add more cards.", **fields)
        case _:
            return say("{name} may throw in against {defender}.", **fields)


def out_of_turn_words(observation: Observation) -> str:
    """Return why a player who is not to act may not act now."""
    if observation.table and observation.defender in observation.rules.partners(observation.seat):
        words = say("You may not throw in against your partner")
        return say("{words} (rules {paragraph}).", words=words, paragraph="2.2.2")
    return say("It is not your turn.")


def _result(observation: Observation, voice: Voice) -> str:
    if not observation.fools:
        return say("The game is drawn: nobody is the fool.")
    if observation.rules.teams is not None:
        return _team_result(observation, voice)
    fool = observation.fools[0]
    if fool == voice.you:
        return say("You are the fool!")
    name = voice.names[fool]
    if voice.you is not None:
        return say("You have won! {name} is the fool.", name=name)
    return say("{name} is the fool.", name=name)


def _team_result(observation: Observation, voice: Voice) -> str:
    losers = voice.together(observation.fools)
    if voice.you is None:
        return say("{names} have lost.", names=losers)
    if voice.you in observation.fools:
        return say("{names} have lost!", names=losers)
    return say("{names} have won! {losers} have lost.", names=voice.team(observation.rules), losers=losers)


def _places(observation: Observation, voice: Voice) -> str:
    placed = [
        say("{place} {name}", place=ordinal(number), name=voice.who(seat))
        for number, seat in enumerate(observation.places, start=1)
        if seat not in observation.last
    ]
    return (" - " if voice.ascii else " · ").join(placed)
