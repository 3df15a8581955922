"""Texts of the lobby and of the table of friends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

from durak_core import Rules
from durak_core.errors import printable
from durak_tui.friends.client import Client
from durak_tui.friends.guest import Guest
from durak_tui.friends.messages import CODE_LENGTH, Lobby, LobbySeat, Presence
from durak_tui.players import team_mark
from durak_tui.sandbox import is_confined
from durak_tui.text.core_messages import core_words
from durak_tui.text.house_rules import rules_words
from durak_tui.text.i18n import gettext, mark, ngettext, pgettext, translate
from durak_tui.text.phrases import DOT, all_of

Tone: TypeAlias = Literal["quiet", "news", "warning"]

_NEARLY_OUT: Final = 10
"""Seconds left when the clock is shown as a warning."""

_PRESENCE: Final[Mapping[Presence, str]] = {
    "idle": mark("thinking"),
    "late": mark("time is up"),
    "lost": mark("connection lost"),
    "later": mark("will be back"),
    "left": mark("has left"),
}


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
        if one.agrees:
            about.append(gettext("ready"))
        there = _presence_words(guest, seat)
        if there:
            about.append(there)
        lines.append(f"{mark}{name}" + (f" ({', '.join(about)})" if about else ""))
    return lines


def score_line(names: Sequence[str], score: Sequence[int], rules: Rules, *, ascii_only: bool) -> str:
    """Return how often each player has lost, or the points (rules 8.6); empty before the first of them."""
    if not any(score):
        return ""
    counts = DOT[ascii_only].join(f"{name} {count}" for name, count in zip(names, score, strict=True))
    if rules.series_score == "places":
        return gettext("Points: {score}", score=counts)
    return gettext("Games lost: {score}", score=counts)


def spectators_line(count: int) -> str:
    """Return how many people watch; empty if there are none."""
    if not count:
        return ""
    return ngettext("{count} person is watching.", "{count} people are watching.", count)


def _presence_words(guest: Client, seat: int) -> str:
    """Return whether a person thinks, is late, has lost the connection or has left; empty otherwise."""
    lobby, game = guest.lobby, guest.game if isinstance(guest, Guest) else None
    if lobby is None or lobby.seats[seat].kind != "person":
        return ""
    one = lobby.seats[seat]
    if one.presence:
        return translate(_PRESENCE[one.presence])
    if one.is_away:  # a server of an older version gives no reason
        return gettext("away")
    is_turn = lobby.is_playing and game is not None and bool(game.states) and game.last.seen.turn == seat
    return gettext("thinking") if is_turn and seat != guest.seat else ""


def clock_words(seconds: float) -> str:
    """Return a time such as ``1:07``."""
    return f"{round(seconds) // 60}:{round(seconds) % 60:02}"


def what_next(guest: Guest, key: str, watch: str, wait: str) -> str:
    """Return what the lobby waits for, given the labels of the keys that start, watch and wait."""
    problem = trouble(guest)
    lobby = guest.lobby
    if guest.can_only_watch:
        return f"{problem} " + gettext("{key}: watch it.", key=watch)
    if guest.is_closed and not is_confined():
        return f"{problem} " + gettext("{key}: go on at a table of your own. The score stays.", key=key)
    if problem or lobby is None:
        return problem or gettext("Looking for the table…")
    if lobby.is_playing:
        running = gettext("A game is running. You play from the next one on.")
        return gettext("{key}: back to the game.", key=key) if guest.is_playing else running
    if guest.has_begun:
        return between_words(guest, key, wait)
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


def between_words(guest: Guest, key: str, wait: str) -> str:
    """Return who has agreed to the next game and when it begins; empty while a game runs.

    ``key`` and ``wait`` are the labels of the keys that agree and that ask for a later start.
    """
    lobby, names = guest.lobby, guest.names
    if lobby is None or lobby.is_playing:
        return ""
    left = guest.countdown(lobby.begins)
    if left is None:
        words = gettext("{key}: next game.", key=key)
        if lobby.waits_for is None:
            return words
        if lobby.waits_for == guest.seat:
            return gettext("The others wait for you.") + " " + words
        return gettext("{name} asks you to wait.", name=names[lobby.waits_for]) + " " + words
    ready = all_of([name for name, one in zip(names, lobby.seats, strict=True) if one.agrees])
    parts = [gettext("Next game in {time}. Ready: {names}.", time=clock_words(left), names=ready)]
    if not guest.has_agreed:
        parts.append(gettext("{key}: ready.", key=key))
    return " ".join([*parts, gettext("{key}: wait.", key=wait)])


def news(guest: Client) -> str:
    """Return what the last message about the table has changed: who came, went or is the host now."""
    before, after = guest.lobby_before, guest.lobby
    if before is None or after is None:
        return ""
    names = guest.names
    told = []
    if (before.rules, before.clock) != (after.rules, after.clock):
        table = table_words(Rules.parse(after.rules), after.clock)
        told.append(gettext("{name} has changed the game: {table}.", name=names[after.host], table=table))
    elif len(before.seats) == len(after.seats):
        for seat, (old, new) in enumerate(zip(before.seats, after.seats, strict=True)):
            if seat != guest.seat:
                told.append(_change_words(old, new))
    if before.seats[before.host].name != after.seats[after.host].name:
        is_me = after.host == guest.seat
        told.append(
            gettext("You are the host now.")
            if is_me
            else gettext("{name} is the host now.", name=names[after.host])
        )
    return " ".join(filter(None, told))


def _change_words(old: LobbySeat, new: LobbySeat) -> str:
    was_here = old.kind == "person" and old.presence != "left"
    if was_here and (new.presence == "left" or (old.name != new.name and new.kind != "person")):
        return gettext("{name} has left the table.", name=printable(old.name))
    if new.kind != "person":
        return ""
    name = printable(new.name)
    if old.name != new.name:
        return gettext("{name} has sat down.", name=name) if old.kind != "person" else ""
    if old.presence == new.presence:
        return ""
    if new.presence in {"lost", "later"}:
        return f"{name}: {translate(_PRESENCE[new.presence])}."
    return gettext("{name} is back.", name=name) if old.presence in {"lost", "later"} else ""


def trouble(guest: Client) -> str:
    """Return why the table cannot be reached; empty if it can."""
    if guest.is_closed and guest.lobby is not None:
        return gettext("{name} has closed the table.", name=guest.names[guest.lobby.host])
    if guest.problem is not None:
        return printable(core_words(guest.problem))
    if guest.is_connected and not guest.is_paused:
        return ""
    if guest.lobby is None:
        return gettext("No answer from {server} yet, trying again…", server=guest.address.server)
    if guest.is_paused:
        return gettext("{name} will be back: waiting…", name=guest.names[guest.lobby.host])
    words = gettext("Connection lost, trying again…")
    if isinstance(guest, Guest) and guest.is_playing:
        words += " " + gettext("Until you are back, Viktor may play for you.")
    return words


def bar_words(guest: Guest, key: str, start: str, wait: str) -> tuple[str, Tone]:
    """Return the line above the table: trouble, the clock, and who is away; empty if all is well.

    ``key``, ``start`` and ``wait`` are the labels of the keys that let a bot play for someone, agree to the
    next game, and ask for a later start.
    """
    problem = trouble(guest)
    if problem:
        return problem, "warning"
    if guest.game is None:
        return "", "quiet"
    if not guest.is_playing:
        is_news = guest.lobby is not None and guest.lobby.begins is not None
        return between_words(guest, start, wait), "news" if is_news else "quiet"
    if guest.seat in guest.stand_ins:
        return gettext("Viktor plays for you. {key}: play on yourself.", key=key), "news"
    parts: list[str] = []
    names, turn = guest.names, guest.game.last.seen.turn
    tone: Tone = "quiet"
    if guest.seat in guest.away:
        return own_delay_words(guest), "warning"
    if guest.left is not None and turn is not None and turn not in {*guest.stand_ins, *guest.away}:
        whose = gettext("Your time") if turn == guest.seat else names[turn]
        parts.append(gettext("{name}: {seconds} s", name=whose, seconds=round(guest.left)))
        if turn == guest.seat and guest.left <= _NEARLY_OUT:
            tone = "warning"
    missing = guest.can_be_replaced
    parts += [_away_words(guest, seat) for seat in missing]
    if missing:
        tone = "news" if tone == "quiet" else tone
        parts.append(gettext("{key}: let Viktor play.", key=key))
    if guest.stand_ins:
        replaced = all_of([names[seat] for seat in guest.stand_ins])
        parts.append(gettext("Viktor plays for {names}.", names=replaced))
    return "   ".join(parts), tone


def _away_words(guest: Guest, seat: int) -> str:
    """Return why another person does not play, and when Viktor does."""
    words = f"{guest.names[seat]}: {_presence_words(guest, seat) or gettext('away')}."
    left = None if guest.lobby is None else guest.countdown(guest.lobby.seats[seat].stand_in)
    return words if left is None else f"{words} " + gettext("Viktor plays in {time}.", time=clock_words(left))


def own_delay_words(guest: Guest) -> str:
    """Return what happens to the player who has run out of time."""
    seat = None if guest.lobby is None or guest.seat is None else guest.lobby.seats[guest.seat]
    if seat is None or seat.presence != "late":
        return gettext("The others wait for you, and may let Viktor play.")
    left = guest.countdown(seat.stand_in)
    if left is None:
        return gettext("Your time is up. Viktor may play for you.")
    return gettext("Your time is up. Viktor plays for you in {time}.", time=clock_words(left))


def line_above(guest: Guest, back: str) -> tuple[str, Tone]:
    """Return the line above any other screen during an evening; empty if nothing waits for the player.

    ``back`` is the label of the key that goes back to the table, or empty.
    """
    words, tone = _waiting_words(guest) if guest.game is not None else ("", "quiet")
    if back and words and guest.is_playing and not trouble(guest):
        words += " " + gettext("{key}: back to the table.", key=back)
    return words, tone


def _waiting_words(guest: Guest) -> tuple[str, Tone]:
    problem, left = trouble(guest), guest.left
    if problem:
        return problem, "warning"
    if guest.is_playing and guest.seat in guest.stand_ins:
        return gettext("Viktor plays for you."), "news"
    if guest.is_playing and guest.seat in guest.away:
        return own_delay_words(guest), "warning"
    if guest.is_my_turn and left is None:
        return gettext("Your turn."), "news"
    if guest.is_my_turn and left is not None:
        tone: Tone = "warning" if left <= _NEARLY_OUT else "news"
        return gettext("Your turn, {time}.", time=clock_words(left)), tone
    lobby = guest.lobby
    begins = None if lobby is None or lobby.is_playing else guest.countdown(lobby.begins)
    return (
        ("", "quiet")
        if begins is None
        else (gettext("Next game in {time}.", time=clock_words(begins)), "news")
    )
