"""The rule book: what it plays in given positions, that it does not peek, and how well."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from playing import play, random_rules

from durak_core import Action, CardSet, Rules, State, make_agent, parse_action, read_observation
from durak_core.actions import encode
from durak_core.kernel.legal import legal
from durak_core.kernel.position import MAX_ACTIONS, OVER, Position, copy_position, derive, popcount
from durak_core.kernel.transition import apply, deal, new_position
from durak_core.lab import Match
from durak_core.lab.matches.compiled_games import CompiledGames, LineUp, line_up
from durak_core.lab.matches.match import GameSummary
from durak_core.search.backend.backend import backend
from durak_core.search.endgame.solver import known_to_the_end, solve_actions
from durak_core.search.players import TEMPERED, Player
from durak_core.search.policies.expert import (
    HALVINGS,
    N_COLUMNS,
    N_ROWS,
    N_TIMES,
    N_WEIGHTS,
    TAKE,
    WEIGHTS,
    expert_policy,
    write_costs,
)
from durak_core.search.policies.playouts import EXPERT, choose

TALON = "6d7d8dTdJdQd6h8hThJhQhAh6s8sTsJsQsAs8cJcQc"
"""A talon of 21 cards; clubs are trumps. The hands of the examples are dealt from what is left."""


def choices(
    hands: Sequence[str], talon: str, moves: str = "", rules: str = "podkidnoy"
) -> tuple[str, str, str]:
    """What greedy and the expert do in a position, and why the expert does it."""
    read = Rules.parse(rules)
    trump = {} if talon else {"trump": "Ac"}
    state = play(State.setup(read, hands, talon=talon, **trump), moves)
    assert state.turn is not None
    observation = state.observation(state.turn)
    greedy, expert = (make_agent(text).choose(observation) for text in ("greedy", "expert"))
    return str(greedy.action), str(expert.action), str(expert.reason)


SPARE = "leads the card of least use"
THROWS_IN = "throws in a spare card"
GIVES_AWAY = "piles on a spare card"
TOO_DEAR = "takes on purpose: beating it would cost more"
WORTH_IT = "takes on purpose: there are trumps to be had"
TRUMPS = "spends a trump: taking would cost more"


@pytest.mark.parametrize(
    ("position", "greedy", "expert", "reason"),
    [
        ((["9s9dKs6c", "7hKdAd9c"], TALON), "9s", "9s", SPARE),
        ((["7s9d9h6c", "9sKdAd9c"], TALON), "7s", "9h", SPARE),
        ((["9s7s", "Ac7hKd"], TALON, "9s"), "Acx9s", "take", TOO_DEAR),
        ((["9s7s", "Ac7hKd"], "", "9s"), "Acx9s", "Acx9s", TRUMPS),
        ((["6c7s", "7h7cKd"], TALON, "6c"), "7cx6c", "take", WORTH_IT),
        (
            (["7s7hKs", "TsTh8hKd"], "8d8s8cAdQd6c", "7s Tsx7s 7h"),
            "8hx7h",
            "Thx7h",
            "beats it as cheaply as possible",
        ),
        ((["9s7s", "7h7cKd"], TALON, "9s 7cx9s"), "7s", "7s", THROWS_IN),
        ((["9s9c7h", "KsKd9d"], TALON, "9s Ksx9s"), "pass", "pass", "saves good cards for later"),
        ((["9s7d", "KsKd7h"], "8cAc", "9s Ksx9s"), "pass", "pass", "has nothing to add"),
        ((["KsKhKc", "7h9d7c"], TALON, "Ks take"), "Kh", "pass", "does not give good cards away"),
        ((["7s7h9c", "9hKh9s"], TALON, "7s take"), "7h", "7h", GIVES_AWAY),
        ((["9s9d", "7hKh"], TALON, "9s"), "take", "take", "cannot beat the attack"),
        ((["7s", "9h"], ""), "7s", "7s", "only legal move"),
    ],
)
def test_examples(position: tuple[Sequence[str], str], greedy: str, expert: str, reason: str) -> None:
    """What the rule book plays where greedy may play something else, with a reason in words."""
    assert choices(*position) == (greedy, expert, reason)


@pytest.mark.parametrize(
    ("hand", "greedy", "expert", "reason"),
    [
        ("9dTsKh", ">9d", ">9d", "lets the next player deal with it"),
        ("9cKdKh", "^9c", "^9c", "transfers by showing a trump, and keeps it"),
        ("9cKc", "^9c", "^9c", "transfers by showing a trump, and keeps it"),
    ],
)
def test_attacks_are_passed_on(hand: str, greedy: str, expert: str, reason: str) -> None:
    """Transferring with a plain card comes first, and so does showing a trump instead of spending one."""
    hands = ["9sQs", hand, "AsAdJdJh"]
    rules = "perevodnoy:seats=3,show_trump=yes"
    assert choices(hands, "6d7d8dTdQd6h7h8hTh6s7s8sJs8cJcQc6c", "9s", rules) == (greedy, expert, reason)


@pytest.mark.parametrize(
    ("hands", "moves", "greedy", "expert"),
    [
        (("7c7hKs*s*h", "7s9c"), "", "7h", "7h"),  # the jokers are kept, and so is the trump
        (("7s9c", "*s7cKh"), "7s", "7cx7s", "7cx7s"),  # a trump is cheaper than a joker
    ],
)
def test_a_joker_is_dearer_than_any_trump(hands: Sequence[str], moves: str, greedy: str, expert: str) -> None:
    """Rules 1.6: it is played as the highest trump."""
    assert choices(hands, TALON, moves, "podkidnoy:jokers=any")[:2] == (greedy, expert)


def test_a_trump_is_dearer_by_its_rank() -> None:
    """With a long talon a ten costs three steps of 27 more than a seven, and 25 for one more unseen ten."""
    p = play(State.setup(Rules(), ["9s7s", "7cTcKd"], talon=TALON), "9s").to_position()
    codes, costs = [0] * MAX_ACTIONS, [0] * MAX_ACTIONS
    write_costs(p, codes, legal(p, codes), None, costs)
    seven, ten = (costs[codes.index(encode(parse_action(text)))] for text in ("7cx9s", "Tcx9s"))
    assert ten - seven == 3 * 27 + 25


def hidden_twin(p: Position, chance: random.Random) -> Position:
    """The same position to the seat to act: other hands and the talon hold other cards, as many as before."""
    twin = copy_position(p)
    bottom = 1 if p.trump_mask else 0
    talon = range(p.drawn, max(p.drawn, p.deck_size - bottom))
    hidden = [p.deck[place] for place in talon]
    others = [seat for seat in range(p.seats) if seat != p.turn]
    for seat in others:
        hidden += [card for card in range(64) if p.hands[seat] >> card & 1]
    chance.shuffle(hidden)
    for place in talon:
        twin.deck[place] = hidden.pop()
    for seat in others:
        twin.hands[seat] = sum(1 << hidden.pop() for _ in range(popcount(p.hands[seat])))
    assert not hidden
    return twin


def test_the_rule_book_does_not_peek() -> None:
    """Permute all cards that the seat neither holds nor sees: it plays the same, under random rules."""
    codes = [0] * MAX_ACTIONS
    changed = 0
    for seed in range(12):
        chance = random.Random(seed)
        p = new_position(random_rules(chance.choice))
        assert deal(p, [derive(seed, 0)])
        while p.phase != OVER and p.plies < 150:
            n = legal(p, codes)
            code = expert_policy(p, codes, n, None)
            assert code in codes[:n]
            for _ in range(3):
                twin = hidden_twin(p, chance)
                changed += (twin.hands, twin.deck) != (p.hands, p.deck)
                assert expert_policy(twin, codes, n, None) == code
            apply(p, codes[chance.randrange(n)] if chance.random() < 0.2 else code)
    assert changed > 1000


def test_weights_can_be_ones_own() -> None:
    """The tuned weights, given as a table or left out, play alike; others play differently."""
    p = new_position(Rules())
    codes = [0] * MAX_ACTIONS
    never = [1 << 18 if i % N_ROWS == TAKE else value for i, value in enumerate(WEIGHTS)]
    differences = 0
    for seed in range(8):
        assert deal(p, [derive(seed, 0)])
        while p.phase != OVER:
            n = legal(p, codes)
            code = choose(p, EXPERT, codes, n, [1])
            assert code == expert_policy(p, codes, n, WEIGHTS)
            differences += code != expert_policy(p, codes, n, never)
            apply(p, code)
    assert differences > 5


def test_the_table_of_weights_is_whole() -> None:
    """One column for each time of the game, for two seats and for more, of small integers."""
    assert N_COLUMNS == 2 * N_TIMES
    assert len(WEIGHTS) == N_WEIGHTS == N_COLUMNS * N_ROWS
    assert all(abs(weight) < 1 << 10 for weight in WEIGHTS)


def test_the_weights_are_those_of_published_results() -> None:
    """Ratings and benchmarks compare with a fixed rule book; another one needs another name."""
    assert hashlib.sha256(repr(WEIGHTS).encode("ascii")).hexdigest()[:16] == "55ab4b415c2a33f4"


def test_the_odds_of_all_actions_fit_compiled_integers() -> None:
    assert MAX_ACTIONS * HALVINGS[0] < 1 << 31


def played(match: Match, players: LineUp | None = None) -> list[GameSummary]:
    """Play the games of a match."""
    with match.built() as agents:
        games = CompiledGames(match, players or line_up(match, agents) or [], backend("players"))
        return list(games.play(range(match.games)))


def test_players_can_have_weights_of_their_own() -> None:
    """A player to whom taking costs nothing loses nearly every game, and wins none of the other's."""
    always = [-1000 if i % N_ROWS == TAKE else value for i, value in enumerate(WEIGHTS)]

    def lost(*weights: Sequence[int]) -> int:
        players = [(Player(TEMPERED, weights=list(one)), None) for one in weights]
        games = played(Match(Rules(), ("expert", "expert"), 60, 8), players)
        return sum(game.fool == game.number % 2 for game in games)

    assert lost(always, WEIGHTS) > 55
    assert lost(WEIGHTS, always) < 5
    usual = played(Match(Rules(), ("expert", "expert"), 60, 8))
    assert lost(WEIGHTS, WEIGHTS) == sum(game.fool == game.number % 2 for game in usual)


def test_the_rule_book_beats_greedy() -> None:
    """Clearly, and with three seats it is the fool less often than its share."""
    two = played(Match(Rules(), ("expert", "greedy"), 600, 4))
    assert sum(game.fool == game.number % 2 for game in two) < 0.42 * 600
    three = played(Match(Rules(seats=3), ("expert", "greedy", "greedy"), 600, 4))
    assert sum(game.fool == game.number % 3 for game in three) < 0.30 * 600


GONE = [card for card in Rules().deck if str(card) not in {"8s", "9d", "Ac", "7s", "As", "Tc"}]


def by_the_book(state: State) -> float:
    """What the first seat gets if all seats go on by the rule book."""
    expert = make_agent("expert")
    while state.turn is not None:
        state = state.apply(expert.choose(state.observation(state.turn)).action)
    return state.returns[0]


@pytest.mark.parametrize(
    ("hands", "trump", "expert", "remembers"),
    [(["8s9dAc", "7sAsTc"], "Kc", "8s", "9d"), (["8hQhJc", "7h9hKc"], "Qd", "Qh", "Jc")],
)
def test_known_cards_are_played_out(hands: list[str], trump: str, expert: str, remembers: str) -> None:
    """Both leads of the rule book lose, and both others win, whatever the opponent does."""
    state = State.setup(Rules(), hands, trump=trump, attacker=0)
    actions = [make_agent(name).choose(state.observation(0)).action for name in ("expert", "expert:remember")]
    assert [str(action) for action in actions] == [expert, remembers]
    assert [solve_actions(state.observation(0))[action] for action in actions] == [-1, 1]


def test_a_forgetful_player_believes_that_discards_are_still_out() -> None:
    """It keeps no card apart as one that nothing beats, until a new game begins."""
    forgetful, always, expert = map(make_agent, ("expert:forget=20", "expert:forget=100", "expert"))
    name = "is_deterministic"
    assert [getattr(agent, name) for agent in (forgetful, always, expert)] == [False, False, True]
    played: set[tuple[Action, ...]] = set()
    for seed in range(20):
        state = State.deal(Rules(), 12)
        for agent in (forgetful, always, expert):
            agent.begin(Rules(), 0, seed)
        actions: list[Action] = []
        while state.turn is not None:
            seen = state.observation(state.turn)
            actions.append(forgetful.choose(seen).action)
            blank = expert.choose(replace(seen, gone=CardSet())).action
            assert always.choose(seen).action == blank
            state = state.apply(expert.choose(seen).action)
        played.add(tuple(actions))
    assert len(played) > 1


def test_who_has_forgotten_a_card_does_not_play_the_endgame_out() -> None:
    position = read_observation(
        "rules=podkidnoy seat=0 bout=9 attacker=0 defender=1 limit=3 phase=opening turn=0 "
        f"hands=8s9dAc/+7sAsTc trump=Kc gone={''.join(map(str, GONE))}"
    )
    spec = "expert:remember,forget={}"
    found = [str(make_agent(spec.format(percent)).choose(position).action) for percent in (0, 100)]
    assert found == ["9d", "8s"]


def test_the_action_that_is_played_ends_best_by_the_book() -> None:
    """The rule book's own action, if it ends as well as any."""
    expert, remembers = make_agent("expert"), make_agent("expert:remember")
    chance = random.Random(1)
    better = 0
    for _ in range(40):
        deck = chance.sample(Rules().deck, 9)
        state = State.setup(Rules(), [deck[:4], deck[4:8]], trump=deck[8], attacker=0)
        ends = {action: by_the_book(state.apply(action)) for action in state.legal_actions}
        found, usual = (agent.choose(state.observation(0)).action for agent in (remembers, expert))
        assert ends[found] == max(ends.values())
        assert found == usual or ends[usual] < ends[found]
        better += found != usual
    assert 0 < better < 20


def test_the_rule_book_is_played_while_a_card_is_hidden() -> None:
    expert, remembers = make_agent("expert"), make_agent("expert:remember")
    state = State.deal(Rules(seats=3), 4)
    while state.turn is not None:
        seen = state.observation(state.turn)
        action = expert.choose(seen).action
        if not known_to_the_end(seen):
            assert remembers.choose(seen) == expert.choose(seen)
        state = state.apply(action)
