"""HTML for notebooks: tables, states and observations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def html_table(header: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """Return a table of escaped texts; an empty header is left out."""
    from html import escape  # noqa: PLC0415 - its table of entities is for notebooks only

    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    heads = "".join([f"<th>{escape(name)}</th>" for name in header])
    body = "".join([f"<tr>{''.join([f'<td>{escape(cell)}</td>' for cell in row])}</tr>" for row in rows])
    return f"<table>{title}{f'<thead><tr>{heads}</tr></thead>' if heads else ''}<tbody>{body}</tbody></table>"


def position_html(seen: Any, hands: Sequence[str], talon_size: int) -> str:  # noqa: ANN401 - they import this
    """Return the table of a `State` or an `Observation`."""
    to_act = "the game is over" if seen.turn is None else f"seat {seen.turn} to act"
    phase = seen.phase.name.lower().replace("_", " ")
    rows = [
        (f"seat {seat} {role.name.lower().replace('_', ' ')}", hand)
        for seat, (role, hand) in enumerate(zip(seen.roles, hands, strict=True))
    ]
    pairs = [
        cards_text([pair.defence, pair.attack], "x") if pair.defence else pair.attack.pretty
        for pair in seen.table
    ]
    rows.append(("table", " ".join(pairs) or "empty"))
    rows.append(("talon", f"{talon_size}, trump {seen.trump_card.pretty if seen.trump_card else 'none'}"))
    if seen.legal_actions:
        rows.append(("legal", " ".join(map(str, seen.legal_actions))))
    return html_table((), rows, f"{seen.rules}, bout {seen.bout}, {phase}, {to_act}")


def cards_text(cards: Iterable[Any], between: str = " ") -> str:
    """Return the cards in a row, without the Nones."""
    return between.join([card.pretty for card in cards if card])
