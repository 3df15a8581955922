"""Builds a `TableView` from the `SessionSnapshot` that a session publishes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from durak_core import (
    Action,
    Attacked,
    Card,
    CardSet,
    Defend,
    Defended,
    Drew,
    Exchanged,
    Observation,
    Phase,
    Role,
    TableTaken,
    Transferred,
)
from durak_tui.board.view.log import short_log
from durak_tui.board.view.moods import mood_of, remark
from durak_tui.board.view.prompt import prompt_view
from durak_tui.play.series import score_words
from durak_tui.play.snapshot import CardOptions, SessionSnapshot
from durak_tui.players.names import team_names
from durak_tui.players.opponents import key_at, stars_at
from durak_tui.text.i18n import gettext, pgettext
from durak_tui.text.phrases import DOT, Voice, last_outcome, ordinal, told_why
from durak_tui.ui.view.board_data import (
    ButtonView,
    HandCard,
    HandView,
    Look,
    PairView,
    SeatView,
    StatusView,
    TableView,
    TalonView,
)

# Actions


def current_target(observation: Observation, selected: Card | None = None) -> Card | None:
    """Return the open attack to beat next: the selected one if it is open, otherwise the oldest."""
    open_attacks = observation.open_attacks
    if selected in open_attacks:
        return selected
    return open_attacks[0] if open_attacks else None


def next_target(observation: Observation, selected: Card | None = None, step: int = 1) -> Card | None:
    """Return the open attack some steps after the current one, cyclically; None if none is open."""
    open_attacks = observation.open_attacks
    current = current_target(observation, selected)
    return open_attacks[(open_attacks.index(current) + step) % len(open_attacks)] if current else None


def chosen_action(options: CardOptions, card: Card, target: Card | None = None) -> Action | None:
    """Return the action of playing a card: beat the target or another attack, otherwise transfer."""
    actions = options.of(card).actions
    if target is not None and Defend(card, target) in actions:
        return Defend(card, target)
    return actions[0] if actions else None


# Views


def table_view(
    moment: SessionSnapshot,
    look: Look,
    selected_target: Card | None = None,
    extra: tuple[ButtonView, ...] = (),
) -> TableView:
    """Build everything the board shows; extra buttons follow the buttons of legal actions."""
    observation = moment.observation
    look = replace(look, trump=observation.trump_suit)
    voice = Voice(moment.names, moment.human, look.ascii)
    seats = observation.rules.seats
    views = [_seat_view(moment, look, seat) for seat in range(seats)]
    is_answer = observation.phase == Phase.DEFENCE
    target = current_target(observation, selected_target) if is_answer else None
    prompt = prompt_view(moment, voice, target, extra)
    if look.remarks and not prompt.detail:
        prompt = replace(prompt, detail=remark(moment, voice))
    story = observation.events if moment.story is None else moment.story
    return TableView(
        look=look,
        status=_status(moment, look),
        opponents=tuple(views[(observation.seat + step) % seats] for step in range(1, seats)),
        viewer=views[observation.seat],
        pairs=tuple(PairView(p.attack, p.defence, p.attack == target) for p in observation.table),
        talon=_talon(observation),
        prompt=prompt,
        hand=_hand(moment, look, voice, target),
        log=short_log(story, voice, moment.forced_passes),
        ply=moment.ply,
        note="" if observation.table else last_outcome(observation.events, voice),
    )


def _status(moment: SessionSnapshot, look: Look) -> StatusView:
    observation = moment.observation
    rules = observation.rules
    return StatusView(
        preset=rules.base,
        changed=any(name not in {"seats", "teams"} for name in rules.differences),
        deck_size=rules.deck_size,
        bout=observation.bout,
        limit=observation.limit,
        trump_suit=observation.trump_suit,
        talon=observation.talon_size,
        discard=observation.discard_size,
        ply=moment.ply,
        last_ply=moment.last_ply,
        score=score_words(
            moment.series,
            team_names(moment.names, rules),
            is_over=moment.is_finished,
            dot=DOT[look.ascii],
        ),
    )


def _talon(observation: Observation) -> TalonView:
    return TalonView(
        trump_card=observation.trump_card,
        trump_suit=observation.trump_suit,
        is_open=observation.talon_size > 0 and observation.trump_card is not None,
        talon=observation.talon_size,
        discard=observation.discard_size,
    )


def _seat_view(moment: SessionSnapshot, look: Look, seat: int) -> SeatView:
    observation = moment.observation
    hands = moment.open_hands or observation.hands
    shown = hands[seat] if hands else observation.known[seat] if look.seen else CardSet()
    rules = observation.rules
    partners = rules.partners(seat) if seat == observation.seat else ()
    place = None
    if seat in observation.places and seat not in observation.last:
        place = observation.places.index(seat) + 1
    return SeatView(
        seat=seat,
        name=moment.names[seat],
        role=role_words(observation, seat, place, you=moment.names[seat] == pgettext("name", "You")),
        cards=observation.hand_sizes[seat],
        is_turn=seat == observation.turn,
        is_defender=seat == observation.defender and not observation.is_over,
        is_thinking=seat == moment.thinking,
        team=None if rules.teams is None else rules.team_of(seat),
        partners=tuple(moment.names[one] for one in partners),
        stars=stars_at(moment.players, seat),
        face=key_at(moment.players, seat),
        mood=mood_of(observation, seat),
        place=place,
        is_fool=seat in observation.fools,
        shown=tuple(in_order(shown, look, observation)),
    )


def role_words(  # noqa: PLR0911 - one for each role
    observation: Observation, seat: int, place: int | None, *, you: bool
) -> str:
    if seat in observation.fools:
        return gettext("the fool") if observation.rules.teams is None else pgettext("team", "lost")
    if observation.is_over and place is None:
        return gettext("draw")
    if place is not None:
        return gettext("out, {place}", place=ordinal(place))
    if seat in observation.passed:
        return gettext("passed")
    role = observation.roles[seat]
    if role == Role.ATTACKER:
        return pgettext("you", "attacking") if you else gettext("attacking")
    if role == Role.DEFENDER and observation.phase == Phase.PILE_ON:
        return pgettext("you", "taking") if you else gettext("taking")
    if role == Role.DEFENDER:
        return pgettext("you", "defending") if you else gettext("defending")
    if role == Role.HELPER and seat == observation.turn:
        return pgettext("you", "throwing in") if you else gettext("throwing in")
    if role == Role.HELPER:
        return pgettext("you", "may add") if you else gettext("may add")
    return pgettext("you", "waiting") if you else gettext("waiting")


def _hand(moment: SessionSnapshot, look: Look, voice: Voice, target: Card | None) -> HandView:
    observation = moment.observation
    is_turn = moment.human is not None and observation.turn == observation.seat
    known = observation.known[observation.seat] if look.seen else CardSet()
    says_why = is_turn and moment.options.could_answer  # otherwise the prompt explains it once
    cards = []
    for card in in_order(observation.hand, look, observation):
        choice = moment.options.of(card)
        cards.append(
            HandCard(
                card,
                playable=is_turn and bool(choice.actions),
                why=told_why(choice.why, card, target, voice) if says_why and choice.why else "",
                known=card in known,
            )
        )
    can_choose = moment.human is not None and not observation.is_over
    playable = [held.card for held in cards if held.playable]
    cheapest = min(playable, key=lambda card: (card.suit == observation.trump_suit, card.rank), default=None)
    return HandView(tuple(cards), is_turn, can_choose, cheapest)


def in_order(cards: Iterable[Card], look: Look, observation: Observation) -> list[Card]:
    """Sort cards by suit or rank with trumps last, or in the order drawn."""
    if look.sort == "drawn":
        came = {card: number for number, card in enumerate(_in_order_of_coming(observation))}
        ordered = sorted(cards, key=lambda card: (came.get(card, -1), card))
        return ordered[::-1] if look.descending else ordered
    sign = -1 if look.descending else 1

    def key(card: Card) -> tuple[int, int, int]:
        main, other = (card.suit, card.rank) if look.sort == "suit" else (card.rank, card.suit)
        return int(card.suit == observation.trump_suit), sign * main, sign * other

    return sorted(cards, key=key)


def _in_order_of_coming(observation: Observation) -> list[Card]:
    """Return the cards the viewer received after the deal and still holds, oldest first."""
    came: list[Card] = []
    for event in observation.events:
        match event:
            case Drew(seat=observation.seat, cards=cards) if cards:
                came.extend(cards)
            case TableTaken(seat=observation.seat, cards=taken):
                came.extend(taken)
            case Exchanged(seat=observation.seat, given=given, taken=higher):
                came = [*(card for card in came if card != given), higher]
            case Attacked() | Defended() | Transferred() if event.seat == observation.seat:
                came = [card for card in came if card != event.card]
            case _:
                pass
    return came
