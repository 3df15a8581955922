"""The sentences of the game in lines: short and whole, without signs that only a screen explains."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, cast

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
    Rules,
    SeatLocations,
    TableTaken,
)
from durak_core.config import allowed_words
from durak_core.game.events import ActionEvent
from durak_core.review import MoveEvaluation
from durak_tui.board.view import finishing_place, in_order, placed_words, prompt_view, role_words, short_log
from durak_tui.hints.model import Advice, Posteriors
from durak_tui.hints.view.advice import action_words, advice_view, evaluation_words
from durak_tui.hints.view.knowledge import held_words, known_by, manner_words, place_words
from durak_tui.lines.reading import all_words, setting_word, value_words, word
from durak_tui.play.commands import current_target
from durak_tui.play.game import Moment
from durak_tui.play.session import Session
from durak_tui.play.setup import GameSetup, person_name, score_words
from durak_tui.players import team_names
from durak_tui.review.model import ReviewGame
from durak_tui.review.view import turning_words
from durak_tui.storage.settings import Settings
from durak_tui.table.view import accuracy_line, assisted_words, headline, length_words, shoulder_straps
from durak_tui.text.house_rules import GAMES, SETTINGS, house_words, rules_words
from durak_tui.text.i18n import gettext, ngettext, pgettext, translate
from durak_tui.text.phrases import SpokenVoice, Voice, all_of, any_of, capital, suit_name, suits_words
from durak_tui.ui.view.board_data import Look, SortOrder

_ENDS: Final = (".", "!", "?", "”", "»", ":")


def voice_of(settings: Settings, names: Sequence[str], you: int | None) -> Voice:
    """Return how cards are said: in words, or with signs or letters for suits."""
    if settings.said == "words":
        return SpokenVoice(names, you)
    return Voice(names, you, settings.ascii or settings.said == "letters")


def sentence(words: str) -> str:
    """Return words with a capital letter and a full stop."""
    words = capital(words.strip())
    return words if not words or words.endswith(_ENDS) else f"{words}."


def stated(template: str, **fields: object) -> str:
    """Return a translated template, filled in, as a sentence."""
    return sentence(gettext(template, **fields))


def by_suit(cards: Iterable[Card], voice: Voice, observation: Observation) -> str:
    """List cards: "spades: 6, 8; trumps, hearts: jack". With signs, card by card."""
    look = Look(ascii=voice.ascii)
    ordered = in_order(cards, look, observation)
    if not isinstance(voice, SpokenVoice):
        return voice.cards(ordered)
    return suits_words(ordered, observation.trump_suit)


def cards_words(count: int) -> str:
    return ngettext("{count} card", "{count} cards", count)


_MARKDOWN: Final = re.compile(r"[*`]|^#+ |(?<=\])\([^)]*\)|[\[\]]", re.MULTILINE)


def plain_text(markdown: str) -> list[str]:
    """Return the rules' text without signs of Markdown, a paragraph or an item of a list in a line."""
    lines: list[str] = []
    for block in markdown.strip().split("\n\n"):
        for line in _MARKDOWN.sub("", block).splitlines():
            starts = not lines or line.startswith(("- ", "|")) or lines[-1] == ""
            if starts:
                lines.append(line.strip())
            else:
                lines[-1] = f"{lines[-1]} {line.strip()}"
        lines.append("")
    return [line for line in lines if line]


# The game and its course


def opening_lines(setup: GameSetup, moment: Moment, voice: Voice) -> Iterator[str]:
    """Describe the game and its players."""
    rules = setup.rules
    yield sentence(rules_words(rules))
    you = moment.human
    if you is None or setup.is_shared:
        yield stated("Players: {names}", names=", ".join(moment.names))
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


def score_lines(moment: Moment) -> Iterator[str]:
    names = team_names(moment.names, moment.observation.rules)
    score = score_words(moment.series, names, is_over=moment.is_finished, dot=", ")
    if score:
        yield sentence(score)


def news_lines(moment: Moment, voice: Voice, since: int) -> list[str]:
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


def log_lines_of(moment: Moment, voice: Voice, bout: int | None) -> list[str]:
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


def question(moment: Moment, voice: Voice) -> str:
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


def table_lines(moment: Moment, voice: Voice) -> Iterator[str]:
    observation = moment.observation
    attacker, whom = voice.who(observation.attacker), voice.whom(observation.defender)
    if observation.is_over:
        yield gettext("The game is over.")
        return
    yield stated(
        "Bout {bout}: {attacker} against {defender}", bout=observation.bout, attacker=attacker, defender=whom
    )
    if not observation.table:
        yield gettext("There are no cards on the table.")
    for pair in observation.table:
        if pair.defence is None:
            yield stated("{card} is open", card=voice.card(pair.attack))
        else:
            yield stated(
                "{target} is beaten with {card}",
                target=voice.card(pair.attack),
                card=voice.card(pair.defence),
            )
    if observation.phase == Phase.PILE_ON:
        yield sentence(voice.form(observation.defender, "You take", "{name} takes"))
    yield gettext("At most {count} attack cards in this bout.", count=observation.limit)


def players_lines(moment: Moment, voice: Voice) -> Iterator[str]:
    """Describe each player: number of cards, role and publicly known cards."""
    observation = moment.observation
    rules = observation.rules
    for step in range(rules.seats):
        seat = (observation.seat + step) % rules.seats
        is_you = voice.who(seat) == gettext("You")
        parts = [role_words(observation, seat, you=is_you, placed=voice.place)]
        if finishing_place(observation, seat) is None:
            parts.insert(0, cards_words(observation.hand_sizes[seat]))
        if seat != observation.seat and seat in rules.partners(observation.seat):
            parts.append(gettext("your partner"))
        yield sentence(f"{voice.who(seat)}: {', '.join(parts)}")
        known = observation.hands[seat] if observation.hands is not None else observation.known[seat]
        if known and seat != observation.seat:
            yield stated(
                "Known cards of {name}: {cards}",
                name=moment.names[seat],
                cards=by_suit(known, voice, observation),
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


def moves_lines(moment: Moment, voice: Voice) -> Iterator[str]:
    """List all legal actions."""
    observation, options = moment.observation, moment.options
    if observation.is_over:
        yield gettext("The game is over.")
    playable = [
        choice.card
        for choice in options.cards
        if any(isinstance(action, Attack) for action in choice.actions)
    ]
    if playable:
        yield stated("You may play {cards}", cards=by_suit(playable, voice, observation))
    for target in observation.open_attacks:
        beating = [choice.card for choice in options.cards if Defend(choice.card, target) in choice.actions]
        if beating:
            yield stated(
                "{target} can be beaten with {cards}",
                target=voice.card(target),
                cards=by_suit(beating, voice, observation),
            )
    transferring = [action.card for action in options.transfers]
    if transferring:
        yield stated("You may transfer with {cards}", cards=by_suit(transferring, voice, observation))
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


def known_lines(moment: Moment, voice: Voice, posteriors: Posteriors) -> Iterator[str]:
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
            yield stated(
                "{name} has {count}, surely {cards}", cards=by_suit(surely, voice, observation), **fields
            )
        else:
            yield gettext("{name} has {count}, none of them known.", **fields)
        manner = manner_words(posteriors[seat]) if posteriors.get(seat) else ""
        if manner:
            yield sentence(f"{moment.names[seat]}: {manner}")
    unseen = [card for card in observation.rules.deck if len(places.places_of(card)) > 1]
    if unseen:
        yield stated("Not seen yet: {cards}", cards=by_suit(unseen, voice, observation))
    known_cards = [known_by(places, _others(observation), card) for card in observation.hand]
    own = [card for card, (knowing, _unsure) in zip(observation.hand, known_cards, strict=True) if knowing]
    if own:
        yield stated("The others know of your hand: {cards}", cards=by_suit(own, voice, observation))
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


def card_line(card: Card, moment: Moment, voice: Voice) -> str:
    """Return the places where a card can be, or the players that know it if it is in the hand."""
    observation = moment.observation
    places = SeatLocations.from_observation(observation)
    found = places.places_of(card)
    if not found:
        return stated("{card} is not in this deck", card=voice.card(card))
    if found == (observation.seat,):
        return sentence(held_words(places, _others(observation), card, voice.card(card), moment.names))
    where = [place_words(place, moment.names) for place in found]
    return stated("{card}: {places}", card=voice.card(card), places=any_of(where))


# Hints, the result, the review


def hint_lines(advice: Advice, voice: Voice, *, figures: bool) -> Iterator[str]:
    """Yield what to do and why, then the best actions."""
    if advice.problem and not advice.lines:
        yield advice.problem
        return
    view = advice_view(advice, voice, figures=figures)
    if view.why:
        yield sentence(view.why)
    for number, row in enumerate(view.rows, 1):
        ahead = sentence(row.ahead[0]) if row.ahead else ""
        yield f"{number}. {sentence(f'{row.words}, {row.chance}')} {ahead}".rstrip()
    if advice.is_forced:
        yield sentence(f"{view.rows[0].words}, {view.basis}")
        return
    if not view.why:
        yield sentence(view.basis)


def result_lines(session: Session, moment: Moment, voice: Voice) -> Iterator[str]:
    observation = moment.observation
    yield headline(observation, voice)
    yield from filter(None, [shoulder_straps(observation, voice)])
    if observation.rules.seats > 2:
        yield sentence(", ".join(placed_words(observation, voice)))
    yield from score_lines(moment)
    yield sentence(length_words(session))
    if session.used.hints or session.used.undos:
        yield sentence(assisted_words(session.used))


def mark_words(mark: str) -> str:
    return {
        "??": pgettext("mark", "blunder"),
        "?": pgettext("mark", "mistake"),
        "?!": pgettext("mark", "inaccuracy"),
        "!": pgettext("mark", "hard to find"),
    }[mark]


def review_lines(game: ReviewGame, voice: Voice) -> Iterator[str]:
    """Describe a player's accuracy, the turning point and the marked moves, with better ones."""
    seat = game.viewer
    yield sentence(accuracy_line(game, seat))
    yield from filter(None, [turning_words(game, seat, voice)])
    marked = [one for one in game.review.evaluations.values() if one.seat == seat and one.mark]
    for evaluation in marked:
        yield _marked_line(game, evaluation, voice)
    if not marked:
        yield gettext("No move of yours has a mark.")


def _marked_line(game: ReviewGame, evaluation: MoveEvaluation, voice: Voice) -> str:
    state = game.states[evaluation.ply - 1]
    observation = state.observation(evaluation.seat)
    played = action_words(evaluation.action, observation, voice)
    told = [gettext("Move {ply}, bout {bout}: {played}", ply=evaluation.ply, bout=state.bout, played=played)]
    told.append(capital(mark_words(evaluation.mark)))
    return " ".join([*map(sentence, told), evaluation_words(evaluation, observation, voice)])


# Help


def help_lines() -> Iterator[str]:
    """List what can be typed."""
    yield gettext(
        "To play, type a card: 6 of spades, 10 hearts, queen of clubs. "
        "The rank is enough if only one card fits."
    )
    yield gettext("To choose which card to beat, type both: 8 spades 6 spades.")
    yield from (f"{title} {', '.join(map(word, names))}." for title, names in _groups())
    yield gettext("“{example}” explains that word.", example=f"{word('help')} {word('known')}")


def _groups() -> tuple[tuple[str, tuple[str, ...]], ...]:
    return (
        (gettext("Other moves:"), ("take", "pass", "transfer", "show", "exchange", "undo", "redo")),
        (
            gettext("Questions:"),
            (
                "again",
                "hand",
                "table",
                "moves",
                "players",
                "trump",
                "talon",
                "discard",
                "log",
                "known",
                "score",
            ),
        ),
        (gettext("Help:"), ("hint", "why", "rules", "review", "help")),
        (
            gettext("Games:"),
            ("new", "next", "swap", "games", "continue", "daily", "share", "set", "save", "quit"),
        ),
    )


def help_line(name: str) -> str:
    """Explain a command."""
    words = {
        "play": gettext(
            "A card attacks, is thrown in, beats the oldest open card it can beat, or transfers."
        ),
        "beat": gettext("Beats a card: type both cards, in any order."),
        "take": gettext("Takes the cards on the table."),
        "pass": gettext("Throws nothing more in, or ends your attack."),
        "transfer": gettext("Transfers the attack with a card of its rank."),
        "show": gettext("Transfers the attack by showing a trump of its rank, if the rules allow it."),
        "exchange": gettext(
            "Exchanges your lowest trump for the card under the talon, if the rules allow it."
        ),
        "hand": gettext("Your cards, sorted, trumps last."),
        "table": gettext("Who attacks whom, and the cards on the table."),
        "players": gettext("Each player's number of cards, role, and publicly known cards."),
        "trump": gettext("The trumps, and the card under the talon."),
        "talon": gettext("How many cards can still be drawn."),
        "discard": gettext("The cards that are out of the game."),
        "moves": gettext("All that you may do now."),
        "again": gettext(
            "What happened since your last move, and the question again. So does an empty line."
        ),
        "log": gettext("The last two bouts. With a number, that bout."),
        "known": gettext(
            "What you can know of all cards, and how the others seem to play. With a card, where it can be."
        ),
        "hint": gettext(
            "The three best moves, and why; the game is then unrated. Ask again for a longer search."
        ),
        "why": gettext("The rule behind the last refusal. With a card, why it cannot be played."),
        "undo": gettext("Takes back your last decision; the game is then unrated."),
        "redo": gettext("Plays again what you took back."),
        "score": gettext("The score of this series, and your rating."),
        "rules": gettext("The rules of this game. With a number such as 5.3, that paragraph."),
        "help": gettext("All words, or what one word does."),
        "save": gettext("Saves the game. Every move is saved anyway."),
        "new": gettext(
            "A new game; the words of the start work here, too: {example}.",
            example=f"{word('new')} perevodnoy seats=3 bots=olga,misha",
        ),
        "next": gettext("The next game with the same players."),
        "swap": gettext("The same deal with the players moved one seat on."),
        "games": gettext("Your unfinished games."),
        "continue": gettext("Goes on with an unfinished game, by its number."),
        "daily": gettext("The daily deal, without hints."),
        "review": gettext("Your mistakes in the last game, with better moves."),
        "share": gettext("The code of the last game: durak-tui with the code shows the game to a friend."),
        "set": gettext(
            "Shows or changes a setting: {example}.",
            example=f"{word('set')} {setting_word('said')} {value_words('signs')}",
        ),
        "quit": gettext("Leaves the program. The game stays saved."),
    }
    return f"{', '.join(all_words(name))}. {words[name]}"


# Rules


def rules_lines(text: str) -> Iterator[str]:
    """Describe the rules of a game."""
    rules = Rules.parse(text)
    yield sentence(rules_words(rules))
    if rules.base in GAMES:
        yield sentence(house_words(GAMES[rules.base]))
    number, every = f"{word('rules')} 5.3", f"{word('rules')} {word('all')}"
    yield gettext("“{number}” reads that paragraph, “{every}” reads all.", number=number, every=every)


# Settings


def setting_choices(name: str) -> tuple[str, ...]:
    """Return the values that a setting can have; none if it is any text."""
    is_switch = isinstance(getattr(Settings(), name), bool)
    return ("on", "off") if is_switch else tuple(allowed_words(Settings, name))


def setting_line(settings: Settings, name: str) -> str:
    """Describe a setting and its value: "coach: off (on, off). Hints on every turn."."""
    value = person_name(settings) if name == "name" else getattr(settings, name)
    choices = setting_choices(name)
    shown = ("off", "on")[value] if isinstance(value, bool) else value
    if choices:
        shown = value_words(shown)
    own = {
        "language": gettext("The language of all texts"),
        "said": gettext("How cards are named"),
        "confirm": gettext("Ask before you take what you could beat"),
    }
    label = own.get(name) or translate(SETTINGS[name][0])
    listed = f" ({', '.join(map(value_words, choices))})" if choices else ""
    return f"{setting_word(name)}: {shown}{listed}. {label}."
