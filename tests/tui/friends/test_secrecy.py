"""Nothing that a seat is sent depends on a card that it may not know, and no deal can be computed."""

from __future__ import annotations

import asyncio
import random
import re

import pytest
from playing import mixed, pick
from properties import few_or_many

pytest.importorskip("msgspec", reason="the extra web is not installed")

from durak_core import PRESETS, Card, Rules, State, write_position
from durak_core.game.events import Exchanged, TrumpShown
from durak_tui.friends.game import (
    Gallery,
    TableGame,
    deal_secretly,
    is_token,
    new_code,
    new_token,
    public_view,
    token_hash,
)
from durak_tui.friends.guest import SeenGame
from durak_tui.friends.messages import CODE_LETTERS, End, Seated, checked_code, write_message
from durak_tui.play.game import card_options, openly_forced_action
from tui.friends.evening import Person, begun, new_table, plan_of, seated_at

CARD = re.compile("(?=([2-9TJQKA][shdc]))")

RULES = (
    *(Rules.preset(name) for name in PRESETS),
    *(Rules.preset("perevodnoy", seats=3, show_trump=True), Rules.preset("online", seats=4, teams="2x2")),
    *(Rules.preset("podkidnoy", seats=6, teams="3x2", trumps=False), Rules.preset("podkidnoy", seats=5)),
    Rules.preset("podkidnoy", seats=3, exchange_trump=True),
)


def game_of(state):
    seats = state.rules.seats
    return TableGame(1, state, tuple("abcdef"[:seats]), ("",) * seats)


def sent(game, seat, known):
    """Everything that a seat is sent after an action, as the bytes on the wire."""
    look = game.look(seat, known, None, (), ())
    return write_message(look), known + len(look.events)


def in_sight(state, seat):
    """The cards that a seat sees just now, from the true state and not from an observation."""
    table = {card for pair in state.table for card in (pair.attack, pair.defence) if card is not None}
    shown = {event.card for event in state.events if isinstance(event, TrumpShown)}
    return {*state.hands[seat], *table, *shown} | ({state.trump_card} if state.trump_card else set())


def cards_told(text):
    return {Card.parse(card) for card in CARD.findall(text)}


def check_game(rules, chance):
    """Play a game at random and search all that is sent for cards; return how much was sent."""
    game = game_of(deal_secretly(rules))
    seats = range(rules.seats)
    seen = [in_sight(game.state, seat) for seat in seats]
    known = [0] * rules.seats
    count = 0
    while True:
        for seat in seats:
            text, known[seat] = sent(game, seat, known[seat])
            if game.state.plies % 8 == seat or game.is_over:  # to a new connection
                text += sent(game, seat, 0)[0]
            seen[seat] |= in_sight(game.state, seat)
            assert cards_told(text) <= seen[seat], (rules.text, seat, text)
            count += len(text)
        if game.is_over:
            return count
        with pytest.raises(ValueError, match="not over"):
            game.record()
        before = game.state
        action = pick(before.legal_actions, chance, "play")
        for seat in seats:  # an action shows its cards, also those that are gone before the next look
            seen[seat] |= cards_told(str(action))
        game.play(action)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.text)
def test_a_seat_is_sent_no_card_that_it_may_not_know(rules):
    assert check_game(rules, random.Random(1)) > 1000


def publicly_shown(before, action, after):
    """The cards that an action and the position after it show to everyone, from the true state."""
    table = {card for pair in after.table for card in (pair.attack, pair.defence) if card is not None}
    events = after.events[len(before.events) if before else 0 :]
    exchanged = {
        card for event in events if isinstance(event, Exchanged) for card in (event.given, event.taken)
    }
    trump = {after.trump_card} if after.trump_card else set()
    return {*table, *trump, *exchanged} | (cards_told(str(action)) if action else set())


def check_watched_game(rules, chance):
    """Play a game at random before spectators, who see what was shown in earlier bouts; count bytes."""
    gallery = Gallery()
    state = deal_secretly(rules)
    gallery.begin(1, state)
    spectators, checked = [], {}
    shown = {state.bout: publicly_shown(None, None, state)}
    count = 0
    while not state.is_over:
        if chance.random() < 0.1 and not gallery.is_full:
            spectators.append(Person())
            gallery.enter(spectators[-1])
            gallery.catch_up(spectators[-1])
        action = pick(state.legal_actions, chance, "play")
        before, state = state, state.apply(action)
        shown.setdefault(state.bout, set()).update(publicly_shown(before, action, state))
        gallery.follow(state)
        old = set().union(*(cards for bout, cards in shown.items() if bout < state.bout or state.is_over))
        for person in spectators:
            texts = person.texts[checked.get(person, 0) :]
            checked[person] = len(person.texts)
            for text in texts:
                assert cards_told(text) <= old, (rules.text, state.bout, text)
                count += len(text)
    for person in spectators:
        game = SeenGame(rules, None, 1)
        assert [game.take(look) for look in person.sent].count(False) == 0
        assert game.last.seen == public_view(state)
    return count


OPEN = Rules.preset("podkidnoy", seats=3, visibility="open")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("rules", [*RULES, OPEN], ids=lambda rules: rules.text)
def test_a_spectator_is_sent_only_what_was_shown_at_least_a_bout_ago(rules):
    assert check_watched_game(rules, random.Random(5)) > 1000


@pytest.mark.slow
def test_a_spectator_is_sent_only_what_was_shown_at_least_a_bout_ago_in_thousands_of_games():
    chance = random.Random(6)
    for number in range(2000):
        check_watched_game((*RULES, OPEN)[number % (len(RULES) + 1)], chance)


@pytest.mark.slow
def test_a_seat_is_sent_no_card_that_it_may_not_know_in_thousands_of_games():
    chance = random.Random(2)
    for number in range(3000):
        check_game(RULES[number % len(RULES)], chance)


def exchanged_bytes(rules, seed, chance):
    """Compare what a seat is sent in a game and in games of other hidden cards; count those that differ."""
    states = [State.deal(rules, seed)]
    actions = []
    while not states[-1].is_over:
        actions.append(pick(states[-1].legal_actions, chance, "play"))
        states.append(states[-1].apply(actions[-1]))
    compared = 0
    for seat in range(rules.seats):
        seen = set()
        for ply, state in enumerate(states):
            seen |= in_sight(state, seat)
            if ply % 12 != seat % 12:
                continue
            places = [hand for other, hand in enumerate(state.hands) if other != seat]
            hidden = sorted({card for place in [*places, state.talon] for card in place} - seen)
            deck = mixed(state, hidden, chance)
            twin = game_of(State.from_deck(rules, deck, states[0].first_attacker))
            true = game_of(State.from_deck(rules, states[0].deck, states[0].first_attacker))
            known = 0
            for action in (*actions[:ply], None):
                assert sent(twin, seat, known) == sent(true, seat, known)
                _, known = sent(true, seat, known)
                if action is not None:
                    twin.play(action)
                    true.play(action)
            compared += (twin.state.hands, twin.state.talon) != (state.hands, state.talon)
    return compared


@pytest.mark.parametrize("name", ["podkidnoy", "online"])
def test_other_hidden_cards_change_no_byte_that_a_seat_is_sent(name):
    rules = Rules.preset(name, seats=3, lowest_rank=9, hand_size=4)
    assert exchanged_bytes(rules, 5, random.Random(3)) > 3


async def test_all_that_a_table_sends_before_the_end_keeps_the_secret():
    rules = Rules.preset("perevodnoy", seats=3, lowest_rank=9, hand_size=4)
    chance = random.Random(4)
    table = new_table(plan_of(rules.text))
    people = seated_at(table, 3)
    spectator = Person()
    table.watch(spectator)
    task = asyncio.create_task(table.run())
    table.start(table.host)
    await begun(table)
    by_bout = {1: publicly_shown(None, None, table.game.state)}
    seen = [in_sight(table.game.state, seat) for seat in range(3)]
    checked = [0] * 3
    while not table.game.is_over:
        turn = table.game.state.turn
        table.say(turn, 1)
        table.disconnect(people[turn])
        table.connect(turn, people[turn].token, people[turn])
        before = table.game.state
        people[turn].act(table, chance)
        state = table.game.state
        by_bout.setdefault(state.bout, set()).update(publicly_shown(before, table.game.moves[-1], state))
        if not state.is_over:
            old = set().union(*(cards for bout, cards in by_bout.items() if bout < state.bout))
            assert cards_told("".join(spectator.texts)) <= old
        for seat, person in enumerate(people):
            shown = cards_told(table.game.moves[-1])
            seen[seat] |= in_sight(table.game.state, seat) | shown
            for message in person.sent[checked[seat] :]:
                if not isinstance(message, Seated | End):  # a token may look like a card
                    assert cards_told(write_message(message)) <= seen[seat], (seat, message)
            checked[seat] = len(person.sent)
    assert all(cards_told(person.end.record) >= set(rules.deck) for person in (*people, spectator))
    task.cancel()
    await asyncio.wait({task})


# Moves that play themselves


def forced_in(state):
    """The action of the seat to act that plays itself, or None."""
    seen = state.observation(state.turn)
    return openly_forced_action(seen, card_options(state.why_not, seen))


def check_haste(rules, chance):
    """Compare what plays itself with games that look the same to another seat; count both."""
    state = State.deal(rules, chance.randrange(10**6))
    actions, count, compared = [], 0, 0
    while not state.is_over:
        action = forced_in(state)
        count += action is not None
        assert action is None or action in state.legal_actions
        other = (state.turn + 1) % rules.seats
        public = state.known
        hidden = [card for seat, hand in enumerate(state.hands) if seat != other for card in hand]
        hidden = sorted({*hidden, *state.talon} - {card for cards in public for card in cards})
        hidden = [card for card in hidden if card != state.trump_card]
        twin = State.from_deck(rules, mixed(state, hidden, chance), state.first_attacker)
        for played in actions:
            twin = twin.apply(played)
        if twin.observation(other) == state.observation(other):
            compared += twin != state
            assert (forced_in(twin) is None) == (action is None), (rules.text, write_position(state))
        actions.append(pick(state.legal_actions, chance, "play"))
        state = state.apply(actions[-1])
    return count, compared


@few_or_many("games", 5, 12)
@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["podkidnoy", "perevodnoy"])
def test_a_move_that_plays_itself_reveals_nothing_by_its_haste(name, games):
    chance = random.Random(7)
    rules = Rules.preset(name, seats=3, lowest_rank=9, hand_size=4)
    found = [check_haste(rules, chance) for _ in range(games)]
    assert all(sum(column) > games for column in zip(*found, strict=True)), found


# Secrets


def test_decks_have_no_seed_and_keep_the_rules_of_dealing():
    rules = Rules.preset("huji")
    decks = set()
    for _ in range(20):
        state = deal_secretly(rules)
        assert state.seed is None
        assert all(
            max(sum(card.suit == suit for card in hand) for suit in range(4)) < 5 for hand in state.hands
        )
        decks.add(state.deck)
    assert len(decks) == 20
    assert deal_secretly(rules, 1).first_attacker == 1


def test_codes_and_tokens_are_long_and_new():
    assert len({new_code() for _ in range(100)} | {new_token() for _ in range(100)}) == 200
    code, token = new_code(), new_token()
    assert checked_code(code) == code
    assert set(code) <= set(CODE_LETTERS)
    assert len(bytes.fromhex(token)) == 16


@pytest.mark.parametrize("guess", ["", "x", "яяя", "\ud800", "0" * 32])
def test_a_guessed_token_fails_whatever_its_letters(guess):
    assert not is_token(guess, token_hash(new_token()))
    assert not is_token(guess, "")


def test_only_the_token_itself_opens_its_seat():
    token = new_token()
    assert is_token(token, token_hash(token))
    assert token not in token_hash(token)
