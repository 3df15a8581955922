"""Texts of the lobby and of the table of friends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from durak_core import Rules
from durak_core.messages import printable
from durak_tui.friends.client import Client
from durak_tui.friends.guest import Guest
from durak_tui.friends.messages import CODE_LENGTH, Lobby
from durak_tui.players import team_mark
from durak_tui.text.core_messages import core_words
from durak_tui.text.house_rules import rules_words
from durak_tui.text.i18n import gettext, ngettext, pgettext
from durak_tui.text.phrases import DOT, all_of

Tone: TypeAlias = Literal["quiet", "news", "warning"]

_NEARLY_OUT: Final = 10
"""Seconds left when the clock is shown as a warning."""


def spaced_code(code: str) -> str:
    """Return a code in two groups, as people read it out."""
    return f"{code[: CODE_LENGTH // 2]} {code[CODE_LENGTH // 2 :]}"


def table_words(rules: Rules, clock: int) -> str:
    """Return the game, the house rules and the clock of a table."""
    if not clock:
        return rules_words(rules)
    return f"{rules_words(rules)}, {ngettext('{count} second a move', '{count} seconds a move', clock)}"


def seat_lines(guest: Client, *, ascii_only: bool = False) -> list[str]:
    """Return a line for each seat of a lobby: the name, and what else there is to know."""
    lobby, rules = guest.lobby, guest.rules
    if lobby is None or rules is None:
        return []
    lines = []
    for seat, (one, name) in enumerate(zip(lobby.seats, guest.names, strict=True)):
        mark = team_mark(rules, seat, ascii_only=ascii_only)
        if one.kind == "free":
            lines.append(f"{mark}{gettext('free')}")
            continue
        about = []
        if one.kind == "bot":
            about.append(gettext("bot"))
        if seat == guest.seat:
            about.append(pgettext("player", "you") if one.kind == "person" else gettext("then you"))
        if seat == lobby.host:
            about.append(gettext("host"))
        if one.is_away:
            about.append(gettext("away"))
        lines.append(f"{mark}{name}" + (f" ({', '.join(about)})" if about else ""))
    return lines


def score_line(names: Sequence[str], score: Sequence[int], *, ascii_only: bool) -> str:
    """Return how often each player has lost; empty before the first loss."""
    if not any(score):
        return ""
    lost = DOT[ascii_only].join(f"{name} {count}" for name, count in zip(names, score, strict=True))
    return gettext("Games lost: {score}", score=lost)


def spectators_line(count: int) -> str:
    """Return how many people watch; empty if there are none."""
    if not count:
        return ""
    return ngettext("{count} person is watching.", "{count} people are watching.", count)


def what_next(guest: Guest, key: str, watch: str) -> str:
    """Return what the lobby waits for, given the labels of the keys that start and that watch."""
    problem = trouble(guest)
    lobby = guest.lobby
    if guest.can_only_watch:
        return f"{problem} " + gettext("{key}: watch it.", key=watch)
    if problem or lobby is None:
        return problem or gettext("Looking for the table…")
    if guest.is_playing:
        return gettext("{key}: back to the game.", key=key)
    if lobby.is_playing:
        return gettext("A game is running. You play from the next one on.")
    if guest.game is not None:
        return gettext("{key}: next game.", key=key)
    return _start_words(guest, lobby, key)


def _start_words(guest: Guest, lobby: Lobby, key: str) -> str:
    free = sum(seat.kind == "free" for seat in lobby.seats)
    if not guest.is_host:
        return gettext("{name} starts the game.", name=guest.names[lobby.host])
    if free:
        return ngettext(
            "{key}: start. A bot takes the free seat.",
            "{key}: start. Bots take the {count} free seats.",
            free,
            key=key,
        )
    return gettext("{key}: start.", key=key)


def trouble(guest: Client) -> str:
    """Return why the table cannot be reached; empty if it can."""
    if guest.problem is not None:
        return printable(core_words(guest.problem))
    if guest.is_connected:
        return ""
    if guest.lobby is None:
        return gettext("No answer from {server} yet, trying again…", server=guest.address.server)
    return gettext("Connection lost, trying again…")


def bar_words(guest: Guest, key: str) -> tuple[str, Tone]:
    """Return the line above the table: trouble, the clock, and who is away; empty if all is well.

    ``key`` is the label of the key that lets a bot play for someone.
    """
    problem = trouble(guest)
    if problem:
        return problem, "warning"
    if guest.game is None or not guest.is_playing:
        return "", "quiet"
    if guest.seat in guest.stand_ins:
        return gettext("Viktor plays for you. {key}: play on yourself.", key=key), "news"
    parts: list[str] = []
    names, turn = guest.names, guest.game.last.seen.turn
    tone: Tone = "quiet"
    if guest.left is not None and turn is not None and turn not in guest.stand_ins:
        whose = gettext("Your time") if turn == guest.seat else names[turn]
        seconds = round(guest.left)
        parts.append(gettext("{name}: {seconds} s", name=whose, seconds=seconds))
        if turn == guest.seat and seconds <= _NEARLY_OUT:
            tone = "warning"
    missing = guest.can_be_replaced
    if missing:
        tone = "news" if tone == "quiet" else tone
        who = all_of([names[seat] for seat in missing])
        parts.append(
            ngettext(
                "{who} is away. {key}: let Viktor play.",
                "{who} are away. {key}: let Viktor play.",
                len(missing),
                who=who,
                key=key,
            )
        )
    if guest.stand_ins:
        replaced = all_of([names[seat] for seat in guest.stand_ins])
        parts.append(gettext("Viktor plays for {names}.", names=replaced))
    return "   ".join(parts), tone
