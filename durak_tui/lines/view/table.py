"""What happens, and what the player may ask about the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from durak_core import (
    Attack,
    BeatenOff,
    BoutBegan,
    Card,
    Defend,
    Drew,
    Event,
    GameEnded,
    Observation,
    Passed,
    Phase,
    Role,
    SeatLocations,
    TableTaken,
)
from durak_core.game.events import ActionEvent
from durak_tui.board.view.log import short_log
from durak_tui.board.view.prompt import prompt_view
from durak_tui.board.view.table import current_target, in_order, role_words
from durak_tui.hints.model.player_models import Posteriors
from durak_tui.hints.view.knowledge import held_words, known_by, manner_words, place_words
from durak_tui.lines.reading import word
from durak_tui.lines.view.words import by_suit, cards_words, sentence
from durak_tui.play.series import score_words
from durak_tui.play.setup import GameSetup
from durak_tui.play.snapshot import SessionSnapshot
from durak_tui.players.names import team_names
from durak_tui.storage.settings import Settings
from durak_tui.text.house_rules import rules_words
from durak_tui.text.i18n import gettext, ngettext
from durak_tui.text.phrases import Voice, all_of, any_of
from durak_tui.text.spoken import suit_name
from durak_tui.ui.view.board_data import Look, SortOrder

# The game and its course


def opening_lines(setup: GameSetup, moment: SessionSnapshot, voice: Voice) -> Iterator[str]:
    """Describe the game and its players."""
    rules = setup.rules
    yield sentence(rules_words(rules))
    you = moment.human
    if you is None or setup.is_shared:
        yield sentence(gettext("Players: {names}", names=", ".join(moment.names)))
    elif rules.teams is not None:
        partners = all_of([moment.names[seat] for seat in rules.partners(you)])
        others = all_of(
            [
                moment.names[seat]
                for seat in range(rules.seats)
                if seat not in rules.members(rules.team_of(you))
            ]
        )
        yield gettext("You play with {partners} against {others}.", partners=partners, others=others)
    else:
        others = all_of([name for seat, name in enumerate(moment.names) if seat != you])
        yield gettext("You play against {others}.", others=others)
    yield from score_lines(moment)
    yield trump_line(moment.observation, voice)


def score_lines(moment: SessionSnapshot) -> Iterator[str]:
    names = team_names(moment.names, moment.observation.rules)
    score = score_words(moment.series, names, is_over=moment.is_finished, dot=", ")
    if score:
        yield sentence(score)


def news_lines(moment: SessionSnapshot, voice: Voice, since: int) -> list[str]:
    """Describe the viewer's events after the first ones."""
    observation = moment.observation
    events = [event for event in observation.events if not isinstance(event, GameEnded)]
    log = short_log(events, voice, _last_passes(events), since=since)
    lines = [sentence(line.words) for line in log]
    headings = [at for at, line in enumerate(log) if line.is_heading]
    is_news = not observation.talon_size or any(isinstance(event, Drew) for event in events[since:])
    if headings and observation.bout > 1 and is_news and not observation.is_over:
        lines.insert(headings[-1], left_line(observation, voice))
    return lines


def _last_passes(events: Sequence[Event]) -> frozenset[int]:
    """Return the numbers of the passes that end a bout: its result implies them."""
    hidden: set[int] = set()
    passes: list[int] = []
    ply = 0
    for event in events:
        ply += isinstance(event, ActionEvent)
        if isinstance(event, Passed):
            passes.append(ply)
        else:
            hidden.update(passes if isinstance(event, BeatenOff | TableTaken) else ())
            passes = []
    return frozenset(hidden)


def log_lines_of(moment: SessionSnapshot, voice: Voice, bout: int | None) -> list[str]:
    """Return the log of a bout; without one, of the last two."""
    events = moment.observation.events
    starts = {event.bout: at for at, event in enumerate(events) if isinstance(event, BoutBegan)}
    first = max(1, moment.observation.bout - 1) if bout is None else bout
    start = starts.get(first, 0)
    end = len(events) if bout is None else starts.get(bout + 1, len(events))
    log = short_log(events[:end], voice, _last_passes(events), since=start)
    return [sentence(line.words) for line in log]


def left_line(observation: Observation, voice: Voice) -> str:
    """Return the number of cards in the talon, or if it is empty in each hand."""
    if observation.talon_size:
        return gettext("In the talon: {cards}.", cards=cards_words(observation.talon_size))
    seats = [seat for seat in range(observation.rules.seats) if seat not in observation.places]
    seats.sort(key=lambda seat: (seat != voice.you, seat))
    counts = ", ".join([f"{voice.who(seat)} {observation.hand_sizes[seat]}" for seat in seats])
    return gettext("The talon is empty. Cards in hand: {counts}.", counts=counts)


# What the player may ask


def question(moment: SessionSnapshot, voice: Voice) -> str:
    observation = moment.observation
    target = current_target(observation) if observation.phase == Phase.DEFENCE else None
    return prompt_view(moment, voice, target).text


def hand_line(observation: Observation, voice: Voice, settings: Settings) -> str:
    """List the hand, sorted as in the settings."""
    count = len(observation.hand)
    if not count:
        return gettext("You have no cards.")
    if settings.sort == "suit" and not settings.descending:
        cards = by_suit(observation.hand, voice, observation)
    else:
        look = Look(sort=cast("SortOrder", settings.sort), descending=settings.descending)
        cards = voice.cards(in_order(observation.hand, look, observation))
    return sentence(
        ngettext("Your hand, {count} card: {cards}", "Your hand, {count} cards: {cards}", count, cards=cards)
    )


def table_lines(moment: SessionSnapshot, voice: Voice) -> Iterator[str]:
    observation = moment.observation
    attacker, whom = voice.who(observation.attacker), voice.whom(observation.defender)
    if observation.is_over:
        yield gettext("The game is over.")
        return
    yield sentence(
        gettext(
            "Bout {bout}: {attacker} against {defender}",
            bout=observation.bout,
            attacker=attacker,
            defender=whom,
        )
    )
    if not observation.table:
        yield gettext("There are no cards on the table.")
    for pair in observation.table:
        if pair.defence is None:
            yield sentence(gettext("{card} is open", card=voice.card(pair.attack)))
        else:
            yield sentence(
                gettext(
                    "{target} is beaten with {card}",
                    target=voice.card(pair.attack),
                    card=voice.card(pair.defence),
                )
            )
    if observation.phase == Phase.PILE_ON:
        yield sentence(voice.form(observation.defender, "You take", "{name} takes"))
    yield gettext("At most {count} attack cards in this bout.", count=observation.limit)


def players_lines(moment: SessionSnapshot, voice: Voice) -> Iterator[str]:
    """Describe each player: number of cards, role and publicly known cards."""
    observation = moment.observation
    rules = observation.rules
    for step in range(rules.seats):
        seat = (observation.seat + step) % rules.seats
        place = None
        if seat in observation.places and seat not in observation.last:
            place = observation.places.index(seat) + 1
        is_you = voice.who(seat) == gettext("You")
        parts = [role_words(observation, seat, place, you=is_you)]
        if place is None:
            parts.insert(0, cards_words(observation.hand_sizes[seat]))
        if seat != observation.seat and seat in rules.partners(observation.seat):
            parts.append(gettext("your partner"))
        yield sentence(f"{voice.who(seat)}: {', '.join(parts)}")
        known = observation.hands[seat] if observation.hands is not None else observation.known[seat]
        if known and seat != observation.seat:
            yield sentence(
                gettext(
                    "Known cards of {name}: {cards}",
                    name=moment.names[seat],
                    cards=by_suit(known, voice, observation),
                )
            )


def trump_line(observation: Observation, voice: Voice) -> str:
    if observation.trump_suit is None:
        return gettext("There are no trumps.")
    suit = suit_name(observation.trump_suit)
    if observation.trump_card is None or not observation.talon_size:
        return gettext("Trumps are {suit}.", suit=suit)
    return gettext(
        "Trumps are {suit}. Under the talon lies {card}.", suit=suit, card=voice.card(observation.trump_card)
    )


def discard_lines(observation: Observation, voice: Voice) -> Iterator[str]:
    count = observation.discard_size
    yield gettext("Discarded: {cards}.", cards=cards_words(count))
    if observation.gone:
        yield sentence(by_suit(observation.gone, voice, observation))


def moves_lines(moment: SessionSnapshot, voice: Voice) -> Iterator[str]:
    """List all legal actions."""
    observation, options = moment.observation, moment.options
    playable = [
        choice.card
        for choice in options.cards
        if any(isinstance(action, Attack) for action in choice.actions)
    ]
    if playable:
        yield sentence(gettext("You may play {cards}", cards=by_suit(playable, voice, observation)))
    for target in observation.open_attacks:
        beating = [choice.card for choice in options.cards if Defend(choice.card, target) in choice.actions]
        if beating:
            yield sentence(
                gettext(
                    "{target} can be beaten with {cards}",
                    target=voice.card(target),
                    cards=by_suit(beating, voice, observation),
                )
            )
    transferring = [action.card for action in options.transfers]
    if transferring:
        yield sentence(
            gettext("You may transfer with {cards}", cards=by_suit(transferring, voice, observation))
        )
    others = []
    if options.show_trump is not None:
        others.append(f"{word('show')} {voice.card(options.show_trump.card)}")
    others += [
        word(name)
        for name, is_there in (
            ("exchange", options.can_exchange),
            ("take", options.can_take),
            ("pass", options.can_pass),
        )
        if is_there
    ]
    if others:
        yield gettext("You may type: {words}.", words=any_of(others))


# What is known of the cards


def known_lines(moment: SessionSnapshot, voice: Voice, posteriors: Posteriors) -> Iterator[str]:
    """Describe where cards surely are, which are unseen, and how the others play."""
    observation = moment.observation
    places = SeatLocations.from_observation(observation)
    seats = observation.rules.seats
    for step in range(1, seats):
        seat = (observation.seat + step) % seats
        if observation.roles[seat] == Role.OUT:
            continue
        count = cards_words(observation.hand_sizes[seat])
        surely = places.certain(seat)
        fields = {"name": moment.names[seat], "count": count}
        if surely:
            yield sentence(
                gettext(
                    "{name} has {count}, surely {cards}", cards=by_suit(surely, voice, observation), **fields
                )
            )
        else:
            yield gettext("{name} has {count}, none of them known.", **fields)
        manner = manner_words(posteriors[seat]) if posteriors.get(seat) else ""
        if manner:
            yield sentence(f"{moment.names[seat]}: {manner}")
    unseen = [card for card in observation.rules.deck if len(places.places_of(card)) > 1]
    if unseen:
        yield sentence(gettext("Not seen yet: {cards}", cards=by_suit(unseen, voice, observation)))
    known_cards = [known_by(places, _others(observation), card) for card in observation.hand]
    own = [card for card, (knowing, _unsure) in zip(observation.hand, known_cards, strict=True) if knowing]
    if own:
        yield sentence(
            gettext("The others know of your hand: {cards}", cards=by_suit(own, voice, observation))
        )
    elif any(unsure for _knowing, unsure in known_cards):
        yield gettext("It is unclear which cards of your hand the others know.")
    elif observation.hand:
        yield gettext("The others know no card of your hand.")


def _others(observation: Observation) -> list[int]:
    return [
        seat
        for seat in range(observation.rules.seats)
        if seat != observation.seat and observation.roles[seat] != Role.OUT
    ]


def card_line(card: Card, moment: SessionSnapshot, voice: Voice) -> str:
    """Return the places where a card can be, or the players that know it if it is in the hand."""
    observation = moment.observation
    places = SeatLocations.from_observation(observation)
    found = places.places_of(card)
    if not found:
        return sentence(gettext("{card} is not in this deck", card=voice.card(card)))
    if found == (observation.seat,):
        return sentence(held_words(places, _others(observation), card, voice.card(card), moment.names))
    where = [place_words(place, moment.names) for place in found]
    return sentence(gettext("{card}: {places}", card=voice.card(card), places=any_of(where)))
