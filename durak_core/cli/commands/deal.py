"""`durak deal`: the deal of a seed."""

from __future__ import annotations

import click
from rich.text import Text

from durak_core.cli.choices import RulesChoice, rules_options, seed_option
from durak_core.cli.output import hand_text, print_lines, sorted_cards
from durak_core.game.state import State


@click.command()
@seed_option
@rules_options
def deal(seed: int, rules: RulesChoice) -> None:
    """Show the deal of a seed: hands, trump, talon and first attacker.

    A seed and rules give the same deal on every machine and in every version (rules 3.1).
    """
    state = State.deal(rules.rules(), seed)
    trump = state.trump_suit
    lines = [Text(f"rules {state.rules}, seed {seed}")]
    for seat, hand in enumerate(state.hands):
        lines.append(Text(f"seat {seat}  ") + hand_text(sorted_cards(hand, trump)))
    trump_text = hand_text([state.trump_card]) if state.trump_card else Text("none (rules 1.4)")
    talon = f"talon   {len(state.talon)} cards{': ' if state.talon else ''}"
    lines.append(Text("trump   ") + trump_text)
    lines.append(Text(talon) + hand_text(state.talon))
    print_lines(*lines, f"seat {state.first_attacker} attacks first")
