"""Kripke models against an oracle written from the definitions, and against the compact knowledge."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import permutations

import pytest
from deals import Deals, places_in, this_one, together
from hypothesis import strategies as st
from playing import STYLES, play, random_game, random_rules
from properties import few_and_many

from durak_core import (
    Attacked,
    Card,
    CardSet,
    Defend,
    Drew,
    KnowledgeError,
    Record,
    Rules,
    State,
    make_agent,
)
from durak_core.knowledge.locations import PublicLocations, SeatLocations, all_locations
from durak_core.lab.epistemic import (
    MAX_WORLDS,
    And,
    Common,
    Everybody,
    Formula,
    Implies,
    In,
    Knows,
    KripkeModel,
    Not,
    Or,
    Possible,
    Scenario,
    World,
    after,
    count_worlds,
    counterexample,
    deal_of,
    parse_formula,
)

CARDS = [Card.parse(text) for text in ("6s", "7s", "8s", "9s", "Ts", "Js", "Qs")]
Deal = dict[Card, int | str]


class Oracle:
    """A Kripke model as textbooks have it: a list of worlds, a relation for each agent, and definitions.

    Args:
        worlds: Each card's place, world by world.
        views: What each seat sees of each world.
    """

    def __init__(self, worlds: list[Deal], views: list[list[object]]) -> None:
        self.worlds, self.views = worlds, views
        self.all = range(len(worlds))
        self.told: dict[Formula, list[bool]] = {}
        self.close = [
            [[other for other in self.all if view[other] == view[world]] for world in self.all]
            for view in views
        ]

    def true(self, formula: Formula, world: int) -> bool:
        if formula not in self.told:
            self.told[formula] = [self.defined(formula, here) for here in self.all]
        return self.told[formula][world]

    def defined(self, formula: Formula, world: int) -> bool:
        match formula:
            case In(card, place):
                result = self.worlds[world][card] == place
            case Not(body):
                result = not self.true(body, world)
            case And(left, right):
                result = self.true(left, world) and self.true(right, world)
            case Or(left, right):
                result = self.true(left, world) or self.true(right, world)
            case Implies(left, right):
                result = not self.true(left, world) or self.true(right, world)
            case _:
                result = self.modal(formula, world)
        return result

    def modal(self, formula: Formula, world: int) -> bool:
        match formula:
            case Knows(seat, body):
                return all(self.true(body, other) for other in self.close[seat][world])
            case Possible(seat, body):
                return any(self.true(body, other) for other in self.close[seat][world])
            case Everybody(seats, body):
                return all(self.true(Knows(seat, body), world) for seat in seats)
            case Common(seats, body):
                reached, edge = {world}, {world}
                while edge:
                    edge = {x for here in edge for seat in seats for x in self.close[seat][here]} - reached
                    reached |= edge
                return all(self.true(body, other) for other in reached)
        raise AssertionError(formula)

    def only(self, formula: Formula) -> Oracle:
        """The model after a public announcement."""
        kept = [world for world in range(len(self.worlds)) if self.true(formula, world)]
        return Oracle([self.worlds[w] for w in kept], [[view[w] for w in kept] for view in self.views])


def small_deals(hands: tuple[int, ...], talon: int, lacking: dict[int, CardSet]) -> Oracle:
    """All ways to deal the first cards, by permutations."""
    places = [seat for seat, size in enumerate(hands) for _ in range(size)] + ["talon"] * talon
    rows = sorted(set(permutations(places)), key=str)
    worlds = [dict(zip(CARDS, row, strict=False)) for row in rows]
    worlds = [
        deal
        for deal in worlds
        if all(deal[card] != seat for seat, cards in lacking.items() for card in cards)
    ]
    views = [
        [frozenset(card for card, place in deal.items() if place == seat) for deal in worlds]
        for seat in range(len(hands))
    ]
    return Oracle(worlds, views)  # type: ignore[arg-type]


def formulas(cards: list[Card], seats: int) -> st.SearchStrategy[Formula]:
    """Formulas about these cards and seats."""
    groups = st.sets(st.integers(0, seats - 1), min_size=1).map(sorted).map(tuple)
    seat = st.integers(0, seats - 1)
    places = st.sampled_from([*range(seats), "talon", "table"])
    return st.recursive(
        st.builds(In, st.sampled_from(cards), places),
        lambda inside: st.one_of(
            st.builds(Not, inside),
            st.builds(And, inside, inside),
            st.builds(Or, inside, inside),
            st.builds(Implies, inside, inside),
            st.builds(Knows, seat, inside),
            st.builds(Possible, seat, inside),
            st.builds(Everybody, groups, inside),
            st.builds(Common, groups, inside),
        ),
        max_leaves=6,
    )


def places_of(world: World) -> Deal:
    return {card: place for place, cards in world.cards.items() for card in cards}


def row(deal: Deal) -> tuple[tuple[Card, str], ...]:
    return tuple(sorted((card, str(place)) for card, place in deal.items()))


def numbers(model: KripkeModel, oracle: Oracle) -> list[int]:
    """For each of the oracle's worlds the model's number of it; every one has to be there, and no other."""
    of = {row(places_of(world)): world.number for world in model.worlds()}
    mine = [of[row(deal)] for deal in oracle.worlds]
    assert sorted(mine) == list(range(model.size))
    return mine


@st.composite
def scenarios(draw: st.DrawFn) -> tuple[Scenario, Oracle, list[Card]]:
    """Draw a small scenario with its oracle and its cards."""
    hands = tuple(draw(st.lists(st.integers(0, 2), min_size=2, max_size=3).filter(any)))
    talon = draw(st.integers(0, 6 - sum(hands) if sum(hands) < 6 else 0).filter(lambda n: n < 3))
    cards = CARDS[: sum(hands) + talon]
    lacking = {}
    if draw(st.booleans()):
        lacking[draw(st.integers(0, len(hands) - 1))] = CardSet.of(
            draw(st.sets(st.sampled_from(cards), max_size=2))
        )
    return (
        Scenario.of(CardSet.of(cards), hands, talon=talon, lacking=lacking),
        small_deals(hands, talon, lacking),
        cards,
    )


@few_and_many(10, 100, data=st.data())
def test_models_agree_with_the_definitions(data: st.DataObject) -> None:
    """Worlds and their number, truth everywhere, counter-examples, and all of it after announcements."""
    scenario, oracle, cards = data.draw(scenarios())
    assert count_worlds(scenario) == len(oracle.worlds)
    if not oracle.worlds:
        with pytest.raises(KnowledgeError, match="no deal agrees"):
            KripkeModel.of(scenario)
        return
    model = KripkeModel.of(scenario)
    for _ in range(2):
        mine = numbers(model, oracle)
        formula = data.draw(formulas(cards, scenario.seats))
        extension = model.extension(formula)
        truth = [oracle.true(formula, world) for world in range(len(mine))]
        assert [bool(extension[number]) for number in mine] == truth
        assert model.holds(formula) == all(truth)
        false = model.false_world(formula)
        assert (false is None) == all(truth)
        if false is not None:
            check_steps(model, formula, false.number)
        if not any(truth):
            with pytest.raises(KnowledgeError, match="true in no world"):
                model.announce(formula)
            return
        model, oracle = model.announce(formula), oracle.only(formula)


def check_steps(model: KripkeModel, formula: Formula, world: int) -> None:
    """Each step is one that the seat cannot see, and what is said to fail after it does."""
    for step in counterexample(model, formula, world):
        assert step.world in model.alike(step.seat, world)
        world = step.world
        assert isinstance(formula, Common | And | Or | Implies | Everybody | Knows | Not)
    steps = counterexample(model, formula, model.false_world(formula).number)  # type: ignore[union-attr]
    assert not steps or not model.true_at(steps[-1].formula, steps[-1].world)


@few_and_many(10, 100, data=st.data())
def test_a_model_of_some_cards_is_right_about_them(data: st.DataObject) -> None:
    """It says the same as the joint model about its cards, at every depth: they are bisimilar."""
    scenario, oracle, cards = data.draw(scenarios().filter(lambda drawn: not drawn[0].is_tied))
    some = data.draw(st.lists(st.sampled_from(cards), min_size=1, max_size=3, unique=True))
    small, joint = KripkeModel.of(scenario, some), KripkeModel.of(scenario)
    assert small.size == count_worlds(scenario, some) <= joint.size
    formula = data.draw(formulas(some, scenario.seats))
    extension = joint.extension(formula)
    for world in joint.worlds():
        assert small.true_at(formula, small.find(world.cards)) == extension[world.number]
    assert len(oracle.worlds) == joint.size


def test_one_card_has_a_world_for_each_place() -> None:
    """The form that the published project had: where one card may be, and who knows it."""
    scenario = Scenario.of("6s7s8s9sTs", hands=(2, 1), talon=2)
    model = KripkeModel.of(scenario, [CARDS[0]])
    assert [world.place_of(CARDS[0]) for world in model.worlds()] == [0, 1, "talon"] or model.size == 3
    assert model.holds(parse_formula("in(6s,talon) -> M0 in(6s,1) & M1 in(6s,0) & !K0 in(6s,talon)"))
    assert model.holds(parse_formula("in(6s,0) -> K0 in(6s,0) & K0 !K1 in(6s,0)"))


def test_events_that_a_model_cannot_follow_are_refused() -> None:
    """Models of some cards only, cards that cannot be there, draws from nothing, too many worlds."""
    scenario = Scenario.of("6s7s8s9sTs", hands=(2, 1), talon=2, public={"table": "Qs"})
    joint = KripkeModel.of(scenario)
    with pytest.raises(KnowledgeError, match="joint models only"):
        after(KripkeModel.of(scenario, CARDS[:1]), Attacked(0, CARDS[0]))
    with pytest.raises(KnowledgeError, match=re.escape("in(Qs,0) is true in no world")):
        after(joint, Attacked(0, CARDS[6]))
    with pytest.raises(KnowledgeError, match="the talon has not so many"):
        after(joint, Drew(0, 3, None, trump=False))
    large = KripkeModel.of(Scenario.of(CardSet.of(Rules().deck[:20]), hands=(1, 1), talon=18))
    with pytest.raises(KnowledgeError, match="7,054,320 worlds"):
        after(large, Drew(0, 6, None, trump=False))


def test_what_seats_lack_ties_all_cards_together() -> None:
    """Then a model of some cards only would be wrong, and is refused."""
    scenario = Scenario.of("6s7s8s9s", hands=(2, 2), lacking={0: "6s"})
    with pytest.raises(KnowledgeError, match="only the joint model"):
        KripkeModel.of(scenario, [CARDS[1]])
    assert KripkeModel.of(scenario).holds(parse_formula("C{0,1} in(6s,1)"))


@pytest.mark.parametrize("forced", [True, False])
def test_a_take_under_forced_play_announces_that_nothing_could_beat(forced: bool) -> None:
    """Rules 5.8: to all, also after the event; without forced play a take proves nothing."""
    rules = Rules.parse("podkidnoy:suits=2,lowest_rank=11,hand_size=3").changed(forced_play=forced)
    state = State.from_deck(rules, ["Ah", "Jh", "Js", "Qh", "Qs", "Kh", "Ks", "As"], first_attacker=0)
    state = play(state, "Ah")
    known = PublicLocations.from_observation(state.observation(0))
    model = KripkeModel.of(Scenario.from_locations(known))
    assert not model.holds(parse_formula("!in(Ks,1)"))
    for event in play(state, "take").observation(0).events[len(state.events) :]:
        model = after(model, event, CardSet(known.lacking(event)))
        known.observe(event)
    assert model.holds(parse_formula("C{0,1} !in(Ks,1)")) == forced


SMALL = [
    "podkidnoy:suits=2,lowest_rank=11,hand_size=3",
    "podkidnoy:seats=3,suits=2,lowest_rank=11,hand_size=2",
    "perevodnoy:seats=3,suits=2,lowest_rank=11,hand_size=2,show_trump=yes",
    "podkidnoy:suits=2,lowest_rank=11,hand_size=3,forced_play=yes",
    "groningen:seats=3,suits=2,lowest_rank=11,hand_size=2",
    "podkidnoy:suits=2,lowest_rank=11,hand_size=2,visibility=open",
    "podkidnoy:suits=2,lowest_rank=11,hand_size=2,exchange_trump=yes",
]


@pytest.mark.parametrize("text", [SMALL[0], "podkidnoy:seats=3,suits=2,lowest_rank=11,hand_size=2"])
def test_models_may_take_for_granted_that_defenders_use_their_lowest_card(text: str) -> None:
    """Made from a moment, and led there event by event: the deals in which everybody has done so."""
    running: KripkeModel | None = None
    known: PublicLocations | None = None
    told = ruled_out = 0
    for state, twins in together(game_of(Rules.parse(text), "greedy:trumps=spend", 10)):
        seen = state.observation(0)
        known = known or PublicLocations.from_observation(seen, lowest=True)
        running = running or KripkeModel.of(Scenario.from_locations(known))
        for event in seen.events[told:]:
            running = after(running, event, CardSet(known.lacking(event)))
            known.observe(event)
        told = len(seen.events)
        kept = [twin for twin in twins if defends_low(twin)]
        ruled_out += len(twins) - len(kept)
        expected = set(map(row, map(places_in, kept)))
        model = KripkeModel.of(Scenario.from_locations(PublicLocations.from_observation(seen, lowest=True)))
        assert {row(places_of(world)) for world in model.worlds()} == expected
        assert {row(places_of(world)) for world in running.worlds()} == expected
    assert ruled_out


def game_of(rules: Rules, agent: str, seed: int) -> Iterator[State]:
    player = make_agent(agent)
    state = State.deal(rules, seed)
    yield state
    while state.turn is not None:
        state = state.apply(player.choose(state.observation(state.turn)).action)
        yield state


def defends_low(state: State) -> bool:
    """Tell whether every card was beaten with the lowest one that its defender had."""
    record = Record.of(state, ("",) * state.rules.seats)
    return all(
        move.action == min(answers(before, move.action.target), key=lambda one: price(before, one.card))
        for before, move in zip(record.replay(), record.moves, strict=False)
        if isinstance(move.action, Defend)
    )


def answers(state: State, target: Card) -> list[Defend]:
    return [one for one in state.legal_actions if isinstance(one, Defend) and one.target == target]


def price(state: State, card: Card) -> tuple[bool, int]:
    return card.suit == state.trump_suit, int(card.rank)


@pytest.mark.parametrize("text", SMALL)
def test_models_of_a_game_agree_with_every_deal_played_through(text: str) -> None:
    """Made from a moment, and led there event by event: the same as brute force over all deals."""
    rules = Rules.parse(text)
    chance = random.Random(text)
    places = list(all_locations(rules.seats))
    running: KripkeModel | None = None
    known: PublicLocations | None = None
    told = 0
    seed = 3 if rules.exchange_trump else 0  # a game in which it happens
    for state, twins in together(random_game(rules, seed, STYLES[0])):
        seen = state.observation(0)
        if running is None or known is None:
            known = PublicLocations.from_observation(seen)
            lowest = lowest_dealt(state)
            running = KripkeModel.of(Scenario.from_locations(known))
        else:
            for event in seen.events[told:]:
                lacking = known.lacking(event)
                running = after(running, event, CardSet(lacking))
                known.observe(event)
        told = len(seen.events)
        scenario = Scenario.from_locations(PublicLocations.from_observation(seen))
        model = KripkeModel.of(scenario)
        assert count_worlds(scenario) == model.size or scenario.first
        deals = Deals(twins)
        oracle = Oracle(deals.worlds, deals.views)  # type: ignore[arg-type]
        assert set(map(row, deals.worlds)) == {row(places_of(world)) for world in model.worlds()}
        lying = places_in(state)
        actual = {place: CardSet.of(card for card in lying if lying[card] == place) for place in places}
        here = model.find(actual, lowest)
        there = [world for world in running.worlds() if world.cards == actual]
        at = this_one(state, twins)
        for _ in range(6):
            inside: Formula = In(chance.choice(rules.deck), chance.choice(places[: rules.seats + 1]))
            for _ in range(chance.randrange(1, 4)):
                seat = chance.randrange(rules.seats)
                group = tuple(sorted({seat, chance.randrange(rules.seats)}))
                inside = chance.choice(
                    [Knows(seat, inside), Possible(seat, inside), Not(inside), Common(group, inside)]
                )
            if len(twins) <= 300:
                assert model.true_at(inside, here) == oracle.true(inside, at), (state, inside)
            # The places do not say which of the cards were dealt (rules 4.1).
            agreeing = {running.true_at(inside, world) for world in there}
            assert model.true_at(inside, here) in agreeing, (state, inside)


def lowest_dealt(state: State) -> dict[int | str, int]:
    """The lowest trump that each seat has at the beginning, as a mask."""
    suit = state.trump_suit
    held = [0 if suit is None else hand.mask & suit.mask for hand in state.hands]
    return {seat: mask & -mask for seat, mask in enumerate(held)}


@few_and_many(5, 100, data=st.data())
def test_certain_knowledge_is_what_the_joint_model_says(data: st.DataObject) -> None:
    """Under any rules, for each seat, card and place: possible, known, and known to be known."""
    rules = random_rules(lambda options: data.draw(st.sampled_from(options)))
    states = list(random_game(rules, data.draw(st.integers(0, 99)), data.draw(st.sampled_from(STYLES))))
    state = states[data.draw(st.integers(0, len(states) - 1))]
    scenario = Scenario.from_locations(PublicLocations.from_observation(state.observation(0)))
    about = None if count_worlds(scenario) <= 20_000 or scenario.is_tied else rules.deck[:2]
    if count_worlds(scenario, about) > 20_000:
        return
    model = KripkeModel.of(scenario, about)
    places = all_locations(rules.seats)
    here = model.find(deal_of(state), lowest_dealt(states[0]))
    for seat in range(rules.seats):
        compact = SeatLocations.from_observation(state.observation(seat))
        for card in model.about if about is None else about:
            for place in places:
                atom = In(card, place)
                assert (card in compact.possible(place)) == model.true_at(Possible(seat, atom), here)
                assert (card in compact.certain(place)) == model.true_at(Knows(seat, atom), here)
                for other in range(rules.seats):
                    answer = compact.knows_that_knows(other, card, place)
                    if answer is not None:
                        assert answer == model.true_at(Knows(seat, Knows(other, atom)), here)


def test_models_that_are_too_large_are_refused_before_they_are_made() -> None:
    """With how many worlds they would have; the number is right though nobody could list them."""
    scenario = Scenario.of(CardSet.of(Rules().deck), hands=(6, 6, 6), talon=18)
    expected = 1
    for k in range(18):
        expected *= 36 - k
    expected //= 720**3
    assert count_worlds(scenario) == expected
    with pytest.raises(KnowledgeError, match=f"{expected:,} worlds: expected at most {MAX_WORLDS:,}"):
        KripkeModel.of(scenario)
    assert count_worlds(scenario, [CARDS[0], CARDS[1]]) == 16


def test_twelve_cards_among_three() -> None:
    """A joint model of 34,650 worlds, asked about knowledge of knowledge and common knowledge."""
    scenario = Scenario.of(CardSet.of(Rules(lowest_rank=11, suits=3).deck), hands=(4, 4, 4))
    model = KripkeModel.of(scenario)
    assert model.size == 34_650
    assert model.holds(parse_formula("K0 !K1 in(Js,2)"))
    assert model.holds(parse_formula("C{0,1,2} (in(Js,0) | in(Js,1) | in(Js,2))"))
    assert not model.holds(parse_formula("C{0,1,2} !in(Js,0)"))


def test_bad_scenarios_and_questions_say_what_is_wrong() -> None:
    """Each with what would be right."""
    with pytest.raises(KnowledgeError, match="3 hidden cards for 4 places"):
        Scenario.of("6s7s8s", hands=(2, 2))
    with pytest.raises(KnowledgeError, match="in two places: 6s"):
        Scenario.of("6s7s", hands=(1, 1), public={"table": "6s"})
    with pytest.raises(KnowledgeError, match="no place 'pocket'"):
        Scenario.of("6s7s", hands=(1, 1), public={"pocket": "8s"})
    with pytest.raises(KnowledgeError, match="seats 0 to 1, not 5"):
        Scenario.of("6s7s", hands=(1, 1), lacking={5: "6s"})
    with pytest.raises(KnowledgeError, match="needs seats"):
        Scenario.of("6s7s", hands=())
    model = KripkeModel.of(Scenario.of("6s7s", hands=(1, 1)))
    with pytest.raises(KnowledgeError, match="does not speak of 8s"):
        model.holds(parse_formula("in(8s,0)"))
    with pytest.raises(KnowledgeError, match="no seat 2: expected 0 to 1"):
        model.holds(parse_formula("K2 in(6s,0)"))
    with pytest.raises(KnowledgeError, match="at least one seat"):
        model.holds(Common((), In(CARDS[0], 0)))
    with pytest.raises(KnowledgeError, match="contradicts what is public"):
        model.find({0: CardSet.parse("6s7s")})
    with pytest.raises(KnowledgeError, match="is true in this world"):
        counterexample(model, parse_formula("in(6s,0) | in(6s,1)"), 0)


def test_the_russian_cards_problem_is_solved() -> None:
    """Seat 0 names five hands, one of them its own: seat 1 learns the cards, and seat 2 no card's owner."""
    model = KripkeModel.of(Scenario.of("6s7s8s9sTsJsQs", hands=(3, 3, 1)))
    named = [CardSet.parse(hand) for hand in ("6s7s8s", "6s9sTs", "6sJsQs", "7s9sJs", "8sTsQs")]
    told = model.announce(lambda world: world.cards[0] in named)
    assert (model.size, told.size) == (140, 20)
    learns = " & ".join(f"(in({card},0) -> K1 in({card},0))" for card in CARDS)
    secret = " & ".join(f"(in({card},2) | !K2 in({card},0) & !K2 in({card},1))" for card in CARDS)
    assert told.holds(parse_formula(learns))
    assert told.holds(parse_formula(secret))
