"""Games in lines, with what is typed and what is said."""

import asyncio
from dataclasses import dataclass

from durak_core import Rules, State, agent_seed
from durak_core.actions import Exchange, Pass, ShowTrump, Take, Transfer
from durak_tui.lines.program import LinesProgram
from durak_tui.lines.reading import Console, word
from durak_tui.play.game import forced_action
from durak_tui.play.setup import Launch
from durak_tui.players import make_bot
from durak_tui.text.phrases import rank_name, suit_name


class Script(Console):
    """Types these lines, and keeps what is said."""

    def __init__(self, lines=()):
        super().__init__()
        self.lines = iter(lines)
        self.said = []

    def say(self, *lines):
        self.said += lines

    async def hear(self):
        line = await asyncio.to_thread(next, self.lines, None)  # the loop runs meanwhile, as with a terminal
        if line is not None:
            self.said.append(f"> {line}")
        return line

    def after(self, typed):
        """Return what was said between this line and the next one."""
        start = self.said.index(f"> {typed}") + 1
        answers = self.said[start:]
        end = next((at for at, line in enumerate(answers) if line.startswith("> ")), len(answers))
        return answers[:end]


def talk(*lines, language="en", code=0, **launch):
    """Play in lines up to this exit code; return the script."""
    script = Script(lines)
    launch = {"at_once": "play", **launch, "changes": {"language": language, **launch.get("changes", {})}}
    assert asyncio.run(LinesProgram(Launch(**launch), script).run()) == code
    return script


@dataclass(frozen=True)
class Played:
    """A game and the lines that play it."""

    lines: tuple
    end: State


def typed(action):
    """Return how to type an action in the active language."""
    cards = [card_words(getattr(action, name)) for name in ("card", "target") if hasattr(action, name)]
    verbs = {Transfer: "transfer", ShowTrump: "show", Pass: "pass", Take: "take", Exchange: "exchange"}
    verb = [word(verbs[type(action)])] if type(action) in verbs else []
    return " ".join((*verb, *cards))


def card_words(card):
    return f"{rank_name(card.rank)} {suit_name(card.suit)}"


def whole_game(rules, bots, seed, choose=lambda actions: actions[0]):
    """Play a game as its lines will, with the person in the first seat."""
    rules = Rules.parse(rules)
    agents = {}
    for seat, bot in enumerate(bots, 1):
        agents[seat] = make_bot(bot)
        agents[seat].begin(rules, seat, agent_seed(seed, seat))
    state, lines = State.deal(rules, seed), []
    while not state.is_over:
        if state.turn in agents:
            action = agents[state.turn].choose(state.observation(state.turn)).action
        elif (action := forced_action(state)) is None:
            action = choose(state.legal_actions)
            lines.append(typed(action))
        state = state.apply(action)
    return Played(tuple(lines), state)
