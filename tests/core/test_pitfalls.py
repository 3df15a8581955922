"""Bugs that other Durak programs have: one test for each, so that this one never gets them."""

from __future__ import annotations

import inspect
import random

import pytest
from playing import PLIES_AT_MOST, allowed, deck_of, legal, play, random_game, refused

from durak_core import PASS, TAKE, CardSet, Decision, Observation, Phase, Rules, State, Suit, make_agent
from durak_core.game.events import Drew
from durak_core.lab import play_game

TWO = Rules()
THREE = Rules(seats=3)


def drawing_order(state: State) -> list[int]:
    """The seats in the order in which they have drawn cards."""
    return [event.seat for event in state.events if isinstance(event, Drew) and event.count]


def test_the_defender_does_not_draw_before_the_attackers() -> None:
    """With two cards left in the talon both attackers get one and the defender none."""
    state = State.setup(Rules(seats=3, hand_size=2), ["6s9h", "7s8s", "6dKd"], talon="Ah9c")
    state = play(state, "6s 7sx6s pass 6d take")
    assert drawing_order(state) == [0, 2]
    assert state.hands[0] == CardSet.parse("9hAh")
    assert state.hands[2] == CardSet.parse("Kd9c")


def test_roles_do_not_swap_before_the_drawing() -> None:
    """The old attacker draws first although the old defender attacks next."""
    rules = Rules(hand_size=2)
    state = State.setup(rules, ["6s9h", "7s8s"], talon="AhAd9c")
    state = play(state, "6s 7sx6s pass")
    assert state.attacker == 1
    assert state.hands[0] == CardSet.parse("9hAh")
    assert state.hands[1] == CardSet.parse("8sAd")


def test_hands_are_filled_up_one_after_the_other() -> None:
    """The attacker who needs two cards gets the two on top, not the first and the third."""
    state = State.setup(Rules(hand_size=3), ["6s7h9h", "7s8hTs"], talon="AhAdKhKd9c")
    state = play(state, "6s 7sx6s 7h 8hx7h pass")
    assert state.hands[0] == CardSet.parse("9hAhAd")
    assert state.hands[1] == CardSet.parse("TsKhKd")


def test_the_attack_limit_counts_attack_cards_not_cards_on_the_table() -> None:
    """Six cards lie on the table and still a fourth attack card may come."""
    hands = ["6s6h6d6cAs", "7s7h7d8c8hTh"]
    state = play(State.setup(TWO, hands, trump="9c"), "6s 7sx6s 6h 7hx6h 6d 7dx6d")
    assert state.phase == Phase.THROW_IN
    assert legal(state) == {"6c", "pass"}


def test_the_attack_is_bounded_by_the_defenders_hand() -> None:
    """A defender with one card is attacked with one card, piled on or not."""
    state = State.setup(THREE, ["6s6hAs", "9d", "6dKd"], trump="9c")
    assert state.limit == 1
    after = play(state, "6s take")
    assert (after.phase, after.hands[1]) == (Phase.OPENING, CardSet.parse("6s9d"))


def test_the_limit_is_fixed_at_the_start_of_the_bout() -> None:
    """Cards that the defender plays do not lower the limit: three held allow three attacks."""
    state = State.setup(TWO, ["6s6h6dAs", "7s7h7d"], trump="9c")
    for turn in ("6s 7sx6s", "6h 7hx6h"):
        assert state.limit == 3
        state = play(state, turn)
    assert (state.limit, legal(state)) == (3, {"6d", "pass"})


def test_the_last_attack_is_answered() -> None:
    """The attacker's hand is empty and so is the talon, but the game goes on until the answer."""
    state = play(State.setup(TWO, ["6s", "7sTh"], trump="9c"), "6s")
    assert not state.is_over
    assert (state.turn, legal(state)) == (1, {"7sx6s", "take"})


def test_the_answer_with_the_last_card_is_a_draw() -> None:
    """Both hands run out in the same bout: nobody has lost."""
    state = play(State.setup(TWO, ["6s", "7s"], trump="9c"), "6s 7sx6s")
    assert (state.is_over, state.fool, state.returns) == (True, None, (0.0, 0.0))


def test_an_empty_hand_with_a_talon_does_not_end_the_game() -> None:
    """Both play their last card, draw, and play on."""
    state = State.setup(Rules(hand_size=1), ["6s", "7s"], talon="8s9sKsAs9c")
    state = play(state, "6s 7sx6s")
    assert (state.is_over, state.hand_sizes, state.places) == (False, (1, 1), ())


def test_a_defender_with_open_cards_has_not_beaten_off() -> None:
    """One of two attack cards is beaten; nothing but the second beating or taking ends the bout."""
    state = play(State.setup(Rules(attack_style="volley"), ["6s6hAs", "7s7hTs"], trump="9c"), "6s 6h pass")
    state = play(state, "7sx6s")
    assert (state.phase, legal(state)) == (Phase.DEFENCE, {"7hx6h", "take"})
    assert refused(state, "pass") == "5.5"


def test_cards_can_be_thrown_in_after_the_take() -> None:
    """After "I take" a six still goes along."""
    state = play(State.setup(TWO, ["6s6hAs", "9dTdJd"], trump="9c"), "6s take")
    assert legal(state) == {"6h", "pass"}
    assert play(state, "6h pass").hands[1] == CardSet.parse("6s6h9dTdJd")


def test_defence_cards_open_their_rank() -> None:
    """The seven that beat the six lets a seven in."""
    state = play(State.setup(TWO, ["6s7hAs", "7s9dTd"], trump="9c"), "6s")
    assert legal(play(state, "7sx6s")) == {"7h", "pass"}


def test_the_trump_ace_beats_the_trump_king() -> None:
    """A higher trump beats a trump; the ace is no exception, and no plain ace does it."""
    state = play(State.setup(TWO, ["KcQc", "AcAs"], trump="9c"), "Kc")
    assert legal(state) == {"AcxKc", "take"}


def test_the_trump_card_stays_at_the_bottom() -> None:
    """In no deal of a two-seat game is the open card in a hand, and it is drawn last."""
    for seed in range(200):
        state = State.deal(TWO, seed)
        assert state.trump_card is not None
        assert not any(state.trump_card in hand for hand in state.hands)
        assert state.talon[-1] == state.trump_card


def test_the_trump_suit_is_not_always_the_same() -> None:
    """Each suit is trumps in about a quarter of the deals."""
    trumps = [State.deal(TWO, seed).trump_suit for seed in range(400)]
    assert all(60 < trumps.count(suit) < 140 for suit in Suit)


def test_nobody_throws_in_against_himself() -> None:
    """After all have passed the defender is not asked for a card; the bout is over."""
    state = play(State.setup(THREE, ["6sAs", "7s7h8s", "KdQd"], trump="9c"), "6s 7sx6s")
    turns = []
    while state.phase == Phase.THROW_IN:
        turns.append(state.turn)
        state = play(state, "pass")
    assert turns == [0, 2]
    for moment in random_game(Rules(seats=4, transfer=True), 1, "play"):
        if moment.phase in (Phase.OPENING, Phase.VOLLEY, Phase.THROW_IN, Phase.PILE_ON):
            assert moment.turn != moment.defender


def test_a_passed_attacker_gets_another_chance() -> None:
    """The attacker who passed may throw in the rank that a helper's card has brought to the table."""
    state = play(State.setup(THREE, ["6s8d9h", "7s8hTsJs", "7h9d"], trump="9c"), "6s 7sx6s pass")
    assert (state.turn, legal(state)) == (2, {"7h", "pass"})
    state = play(state, "7h 8hx7h")
    assert (state.turn, legal(state)) == (0, {"8d", "pass"})


def test_the_starter_is_drawn_when_nobody_holds_a_trump() -> None:
    """Both seats begin sometimes when no trump is held, so it is neither always 0 nor an error."""
    rules = Rules(hand_size=1)
    deck = deck_of(rules, ["6s", "7s"], bottom="6c")
    assert {State.from_deck(rules, deck, seed=seed).attacker for seed in range(20)} == {0, 1}


def test_no_transfer_to_a_seat_with_too_few_cards() -> None:
    """Two attack cards cannot be handed on to one card."""
    rules = Rules(seats=3, transfer=True)
    state = play(State.setup(rules, ["6sAs", "6h8d", "Td"], trump="9c"), "6s")
    assert refused(state, ">6h") == "7.2"


def test_no_transfer_after_a_card_was_beaten() -> None:
    """The second six comes after the first was beaten, so it cannot be handed on."""
    state = play(State.setup(Rules(transfer=True), ["6s6hAs8s", "7s6d8d9s"], trump="9c"), "6s 7sx6s 6h")
    assert refused(state, ">6d") == "7.1"


def test_a_transfer_plays_the_card() -> None:
    """Roles change and the card lies on the table, no longer in the hand."""
    state = play(State.setup(Rules(transfer=True), ["6s9sAs", "6h8d"], trump="9c"), "6s >6h")
    assert (state.attacker, state.defender) == (1, 0)
    assert [str(pair.attack) for pair in state.table] == ["6s", "6h"]
    assert state.hands[1] == CardSet.parse("8d")


@pytest.mark.parametrize("seats", [3, *(pytest.param(seats, marks=pytest.mark.slow) for seats in (4, 5, 6))])
def test_players_who_like_to_take_do_not_play_for_ever(seats: int) -> None:
    """Games of seats that take whatever they can come to an end, in the throw-in and the transfer game."""
    for transfer in (False, True):
        rules = Rules(seats=seats, transfer=transfer)
        for seed in range(12):
            *_, end = random_game(rules, seed, "take")
            assert end.is_over
        for seed in range(6):
            state = State.deal(rules, seed)
            while not state.is_over and state.plies < PLIES_AT_MOST:
                giving_in = [action for action in (TAKE, PASS) if action in state.legal_actions]
                state = state.apply([*giving_in, *state.legal_actions][0])
            assert state.is_over


def test_the_game_ends_when_the_loser_takes_last() -> None:
    """The attacker's last card is taken: the game is over at once, without another bout."""
    state = play(State.setup(TWO, ["6s", "9dTd"], trump="9c"), "6s take")
    assert (state.is_over, state.fool, state.turn) == (True, 1, None)


def test_there_are_36_cards_in_play() -> None:
    """Thirty-six different cards, none of them twice and no thirty-seventh."""
    for seats in range(2, 7):
        state = State.deal(Rules(seats=seats), 1)
        held = [card for place in [*state.hands, state.talon] for card in place]
        assert len(held) == len(set(held)) == 36


def test_there_is_no_default_seed() -> None:
    """A deal asks for its seed, and different seeds deal different decks."""
    assert inspect.signature(State.deal).parameters["seed"].default is inspect.Parameter.empty
    assert len({State.deal(TWO, seed).deck for seed in range(100)}) == 100


def test_a_helper_without_cards_does_not_end_the_bout() -> None:
    """A helper that ran out of cards is skipped, and the others may go on."""
    rules = Rules(seats=4)
    state = State.setup(rules, ["6sKs", "7s8sTh9h", "6h", "7d8d"], trump="9c")
    state = play(state, "6s 7sx6s pass 6h 9hx6h pass")
    assert (state.phase, state.turn) == (Phase.THROW_IN, 3)
    assert allowed(state, "7d")


# Agents


class Witness:
    """Plays like another agent and notes what it was given."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sees_all = False
        self.agent = make_agent(text)
        self.given: list[object] = []

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        """Begin as the agent does."""
        self.seat = seat
        self.agent.begin(rules, seat, seed)

    def choose(self, observation: Observation) -> Decision:
        """Choose as the agent does."""
        self.given.append(observation)
        return self.agent.choose(observation)


@pytest.mark.parametrize("text", ["random", "greedy", "smart"])
def test_an_agent_is_not_handed_the_state(text: str) -> None:
    """In a whole game an agent is given closed observations of its own seat and nothing else."""
    witnesses = [Witness(text) for _seat in range(3)]
    play_game(THREE, witnesses, 1)
    for witness in witnesses:
        assert witness.given
        for seen in witness.given:
            assert type(seen) is Observation
            assert (seen.seat, seen.hands, seen.talon) == (witness.seat, None, None)


@pytest.mark.parametrize("text", ["random", "greedy", "smart"])
def test_an_agent_does_not_react_to_hidden_cards(text: str) -> None:
    """With the other hand and the talon exchanged the agent decides the same, with the same reason."""
    for seed in range(40):
        state = State.deal(TWO, seed, first_attacker=0)
        assert state.deck is not None
        hidden = [card for card in state.deck if card not in state.hands[0] and card != state.trump_card]
        mixed = random.Random(seed).sample(hidden, len(hidden))
        other = dict(zip(hidden, mixed, strict=True))
        twin = State.from_deck(TWO, [other.get(card, card) for card in state.deck], 0)
        assert twin.hands[1] != state.hands[1]
        decisions = []
        for moment in (state, twin):
            agent = make_agent(text)
            agent.begin(TWO, 0, seed)
            decisions.append(agent.choose(moment.observation(0)))
        assert decisions[0] == decisions[1]


def test_greedy_beats_random_by_far_from_both_seats() -> None:
    """Lowest card first loses few of 200 games, each deal played from both seats: random measures nothing."""
    lost = {"greedy": 0, "random": 0}
    for seed in range(100):
        for names in (("greedy", "random"), ("random", "greedy")):
            fool = play_game(TWO, [make_agent(name) for name in names], seed).state.fool
            if fool is not None:
                lost[names[fool]] += 1
    assert lost["greedy"] < 0.25 * (lost["greedy"] + lost["random"])


@pytest.mark.parametrize("text", ["greedy", "smart"])
def test_trumps_are_not_thrown_in_early(text: str) -> None:
    """While the talon lasts a six of trumps stays in hand, though it would fit; a plain six goes."""
    rules = Rules(hand_size=3)
    agent = make_agent(text)
    agent.begin(rules, 0, 1)
    state = State.setup(rules, ["6s6cAs", "7s8dTd"], talon="QhJhTh9h9c")
    state = play(state, "6s 7sx6s")
    assert str(agent.choose(state.observation(0)).action) == "pass"
    state = State.setup(rules, ["6s6hAs", "7s8dTd"], talon="QhJhTh9h9c")
    state = play(state, "6s 7sx6s")
    assert str(agent.choose(state.observation(0)).action) == "6h"
