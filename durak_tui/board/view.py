"""Builds the board's view data: the table, the prompt's texts, the move log, moods and card animations."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from durak_core import (
    PASS,
    Attacked,
    BeatenOff,
    BoutBegan,
    Card,
    CardSet,
    Defend,
    Defended,
    Drew,
    Event,
    Exchanged,
    GameEnded,
    Observation,
    Passed,
    Phase,
    Role,
    Suit,
    TableTaken,
    TookUp,
    Transferred,
    WentOut,
)
from durak_core.game.events import ActionEvent
from durak_tui.play.commands import current_target
from durak_tui.play.game import CardOptions, Moment
from durak_tui.play.setup import score_words
from durak_tui.players import Occasion, key_at, remark_of, stars_at, team_names
from durak_tui.text.i18n import gettext, ngettext, pgettext
from durak_tui.text.phrases import (
    DOT,
    LogLine,
    Voice,
    any_of,
    attack_words,
    capital,
    last_outcome,
    log_lines,
    ordinal,
    refusal_words,
    way_out,
)
from durak_tui.ui.view.board_data import (
    ButtonView,
    HandCard,
    HandView,
    Look,
    PromptView,
    SeatView,
    TableView,
)
from durak_tui.ui.view.portraits import Mood

MOST_FLIGHTS: Final = 12

Zone: TypeAlias = Literal["hand", "seat", "attack", "defence", "discards"]


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on the board; ``number`` is a seat, or a pair on the table."""

    zone: Zone
    number: int = 0


@dataclass(frozen=True, slots=True)
class Flight:
    """A card's movement."""

    card: Card
    start: Spot
    end: Spot


def flights_between(before: TableView | None, after: TableView) -> tuple[Flight, ...]:
    """Return the cards that moved, if the second view follows the first by a single action."""
    if before is None or after.ply != before.ply + 1 or after.viewer.seat != before.viewer.seat:
        return ()
    if before.moment.observation.table and not after.moment.observation.table:
        return _swept(before, after)[:MOST_FLIGHTS]
    actor = next((line.seat for line in after.log if line.is_action and line.ply == after.ply), None)
    if actor is None:
        return ()
    hand, lay = _hand(after, actor), _on_table(before)
    laid = [Flight(card, hand, spot) for card, spot in _on_table(after).items() if card not in lay]
    return tuple(laid[:MOST_FLIGHTS])


def _swept(before: TableView, after: TableView) -> tuple[Flight, ...]:
    """Return flights of the table's cards to the discard pile, or to the defender who took them."""
    end = Spot("discards")
    if after.moment.observation.discard_size == before.moment.observation.discard_size:
        seats = (before.viewer, *before.opponents)
        end = next((_hand(before, seat.seat) for seat in seats if seat.is_defender), end)
    return tuple(Flight(card, spot, end) for card, spot in _on_table(before).items())


def _hand(view: TableView, seat: int) -> Spot:
    return Spot("hand", seat) if seat == view.viewer.seat else Spot("seat", seat)


def _on_table(view: TableView) -> dict[Card, Spot]:
    lie = {}
    for number, pair in enumerate(view.moment.observation.table):
        lie[pair.attack] = Spot("attack", number)
        if pair.defence is not None:
            lie[pair.defence] = Spot("defence", number)
    return lie


_Told: TypeAlias = tuple[Event, LogLine]


def short_log(
    events: Iterable[Event], voice: Voice, hidden: Container[int] = (), *, since: int = 0
) -> tuple[LogLine, ...]:
    """Return the log of a game's events, which start at its beginning, leaving out the first ones.

    Passes with hidden numbers are left out.
    """
    events = tuple(events)
    runs: list[list[_Told]] = []
    is_taken = False
    for number, (event, line) in enumerate(zip(events, log_lines(events, voice), strict=True)):
        if (isinstance(event, Passed) and line.ply in hidden) or number < since:
            is_taken = isinstance(event, TookUp) or (is_taken and not isinstance(event, BoutBegan))
            continue
        if runs and _goes_on(runs[-1][-1][0], event, is_taken=is_taken):
            runs[-1].append((event, line))
        else:
            runs.append([(event, line)])
        is_taken = isinstance(event, TookUp) or (is_taken and not isinstance(event, BoutBegan))
    followed = pairwise([*runs, []])
    return tuple([_one_line(run, then[0][0] if then else None, voice) for run, then in followed])


def _goes_on(before: Event, event: Event, *, is_taken: bool) -> bool:
    match before, event:
        case Passed(), Passed():
            return True
        case Attacked(seat=seat), Attacked(seat=other):
            return seat == other
        case Attacked(seat=seat), Passed(seat=other):
            return seat == other and not is_taken  # the end of a volley
    return False


def _one_line(run: list[_Told], then: Event | None, voice: Voice) -> LogLine:
    first, last = run[0][1], run[-1][1]
    if len(run) == 1:
        return last
    if isinstance(run[0][0], Attacked):
        laid = [event.card for event, _line in run if isinstance(event, Attacked)]
        return replace(
            last, words=attack_words(run[0][0].seat, laid, voice, opening=first.opens), first=first.ply
        )
    names = ", ".join([voice.placed(line.seat) for _event, line in run if line.seat is not None])
    words = {
        BeatenOff: pgettext("all beaten", "All pass"),
        TableTaken: gettext("All pass"),
    }.get(type(then), gettext("Pass: {names}", names=names))
    return replace(last, words=words, first=first.ply, seat=None)


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


def remark(moment: Moment, voice: Voice) -> str:
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
    return [one for one in found if one[0] >= start][::-1]


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
        how = gettext("Play one of the highlighted cards.")
        text = gettext("Which card do you transfer with?")
        return PromptView(text, "turn", how, (ButtonView("back", pgettext("answer", "Back")),))
    buttons = (*action_buttons(observation, moment.options, voice), *extra)
    return PromptView(_your_turn(observation, moment.options, voice, target), "turn", moment.reason, buttons)


def action_buttons(observation: Observation, options: CardOptions, voice: Voice) -> tuple[ButtonView, ...]:
    """Return the buttons of the actions without a card, and of transfers."""
    words = {}
    if options.can_pass and observation.phase == Phase.VOLLEY:
        words["done"] = gettext("Done")
    elif options.can_pass:  # in some languages there is another word for it while cards are thrown in
        is_throw_in = observation.phase == Phase.THROW_IN
        words["done"] = pgettext("throw in", "Pass") if is_throw_in else gettext("Pass")
    if options.can_transfer:
        words["transfer"] = gettext("Transfer")
    if options.can_exchange:
        words["transfer"] = gettext("Exchange {given} for {taken}", **voice.exchanged(observation))
    if options.show_trump is not None:
        words["show_trump"] = gettext("Show {card}", card=voice.card(options.show_trump.card))
    if options.can_take:
        words["take"] = gettext("Take")
    return tuple(ButtonView(name, label, _KEYS[name]) for name, label in words.items())


# The viewer's turn


def _your_turn(observation: Observation, options: CardOptions, voice: Voice, target: Card | None) -> str:
    if observation.phase == Phase.DEFENCE:
        return _defend(observation, options, voice, target)
    cards = {choice.card.rank: choice.card for choice in options.cards if choice.actions}
    fields = {
        "whom": voice.whom(observation.defender),
        "to_whom": voice.to_whom(observation.defender),
        "defender": voice.names[observation.defender],
        "ranks": any_of([voice.rank(cards[rank]) for rank in sorted(cards)]),
    }
    if options.can_exchange:
        return gettext(
            "You attack {whom}: exchange {given} for {taken}, or open the bout.",
            **fields,
            **voice.exchanged(observation),
        )
    playable = bool(cards)
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
    words = {"target": voice.card(target), "rank": voice.rank(target)}
    if not can_take:  # rules 5.8
        return gettext("You cannot beat {target}: transfer any {rank}.", **words)
    if can_transfer:
        return gettext("You cannot beat {target}: transfer any {rank}, or take.", **words)
    return gettext("You cannot beat {target}: take the cards.", **words)


def _means(observation: Observation, voice: Voice, target: Card) -> str:
    trump = observation.trump_suit
    means = []
    if target.is_of(trump):
        means.append(gettext("a higher trump {suit}", suit=voice.by_suit(target.suit)))
    elif target.rank.letter != "A":
        means.append(gettext("a higher {suit}", suit=voice.by_suit(target.suit)))
    if trump is not None and not target.is_of(trump):
        means.append(gettext("a trump {suit}", suit=voice.by_suit(trump)))
    jokers = [card for card in observation.beating(target) if card.is_joker]
    if len(jokers) > 1:
        means.append(gettext("a joker"))
    elif jokers:
        is_red = jokers[0].suit is Suit.HEARTS
        means.append(gettext("the red joker") if is_red else gettext("the black joker"))
    return any_of(means)


# Another seat's turn, and the end


def _waiting(moment: Moment, voice: Voice) -> str:
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


def placed_words(observation: Observation, voice: Voice) -> list[str]:
    """Return the place and name of each player who has finished before the end: "1st: Anna"."""
    return [
        gettext("{place}: {name}", place=voice.place(place), name=voice.placed(seat))
        for place, seat in enumerate(observation.places, start=1)
        if seat not in observation.last
    ]


def finishing_place(observation: Observation, seat: int) -> int | None:
    """Return a seat's place from 1; None while it plays, or if it holds cards at the end."""
    is_out = seat in observation.places and seat not in observation.last
    return observation.places.index(seat) + 1 if is_out else None


def _places(observation: Observation, voice: Voice) -> str:
    if observation.rules.teams is not None:
        out = [voice.who(seat) for seat in observation.places if seat not in observation.last]
        return capital(way_out(out)) if out else ""
    return DOT[voice.ascii].join(placed_words(observation, voice))


# Views


def table_view(
    moment: Moment,
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
        moment=moment,
        opponents=tuple(views[(observation.seat + step) % seats] for step in range(1, seats)),
        viewer=views[observation.seat],
        target=target,
        prompt=prompt,
        hand=_hand_view(moment, look, voice, target),
        log=short_log(story, voice, moment.forced_passes),
        score=score_words(
            moment.series,
            team_names(moment.names, observation.rules),
            is_over=moment.is_finished,
            dot=DOT[look.ascii],
        ),
        note="" if observation.table else last_outcome(observation.events, voice),
    )


def _seat_view(moment: Moment, look: Look, seat: int) -> SeatView:
    observation = moment.observation
    hands = moment.open_hands or observation.hands
    shown = hands[seat] if hands else observation.known[seat] if look.seen else CardSet()
    rules = observation.rules
    partners = rules.partners(seat) if seat == observation.seat else ()
    return SeatView(
        seat=seat,
        name=moment.names[seat],
        role=role_words(observation, seat, you=moment.names[seat] == pgettext("name", "You")),
        cards=observation.hand_sizes[seat],
        is_turn=seat == observation.turn,
        is_defender=seat == observation.defender and not observation.is_over,
        is_thinking=seat == moment.thinking,
        team=None if rules.teams is None else rules.team_of(seat),
        partners=tuple(moment.names[one] for one in partners),
        stars=stars_at(moment.players, seat),
        face=key_at(moment.players, seat),
        mood=mood_of(observation, seat),
        place=finishing_place(observation, seat),
        is_fool=seat in observation.fools,
        shown=tuple(in_order(shown, look, observation)),
    )


def role_words(  # noqa: PLR0911 - one for each role
    observation: Observation, seat: int, *, you: bool, placed: Callable[[int], str] = ordinal
) -> str:
    place = finishing_place(observation, seat)
    if seat in observation.fools:
        return gettext("the fool") if observation.rules.teams is None else pgettext("team", "lost")
    if observation.is_over and place is None:
        return gettext("draw")
    if place is not None:
        return gettext("out, {place}", place=placed(place))
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


def _hand_view(moment: Moment, look: Look, voice: Voice, target: Card | None) -> HandView:
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
                why=f"{refusal_words(choice.why, observation, voice, card, target)}."
                if says_why and choice.why
                else "",
                known=card in known,
            )
        )
    can_choose = moment.human is not None and not observation.is_over
    playable = [held.card for held in cards if held.playable]
    legal = observation.legal_actions
    is_chosen = len(legal) == 1 or (look.cursor == "middle" and PASS not in legal)
    middle = playable[(len(playable) - 1) // 2] if playable and is_chosen else None
    return HandView(tuple(cards), is_turn, can_choose, middle)


def in_order(cards: Iterable[Card], look: Look, observation: Observation) -> list[Card]:
    """Sort cards by suit or rank with trumps and then jokers last, or in the order drawn."""
    if look.sort == "drawn":
        came = {card: number for number, card in enumerate(_in_order_of_coming(observation))}
        ordered = sorted(cards, key=lambda card: (came.get(card, -1), card))
        return ordered[::-1] if look.descending else ordered
    sign = -1 if look.descending else 1

    def key(card: Card) -> tuple[int, int, int]:
        main, other = (card.suit, card.rank) if look.sort == "suit" else (card.rank, card.suit)
        row = 2 if card.is_joker else int(card.is_of(observation.trump_suit))
        return row, sign * main, sign * other

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
    return came
