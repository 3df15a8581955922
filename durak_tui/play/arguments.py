"""Reads the rules and the players of a new game, as the command line and the game in lines name them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from durak_core import OPTIONS, PRESETS, Rules
from durak_core.agents.catalogue import AGENTS
from durak_core.agents.personas import OPPONENTS
from durak_core.agents.registry import split_texts
from durak_core.errors import AgentError, DealError
from durak_core.messages import Message, unknown
from durak_tui.players.opponents import opponent_named
from durak_tui.players.roster import HUMAN, OPPONENT_WORDS, allowing, check_bot
from durak_tui.text.i18n import in_every_language

_DEFAULT: Final = "podkidnoy"
_MOST_DIGITS: Final = 19
_SPACED: Final = re.compile(r"--(\w+)[ =]+")
"""An option as on the command line, with its value after a space."""


def read_rules(text: str | None, seats: int | None) -> Rules | None:
    """Return rules from their spec and the number of seats, or None if neither is given.

    Raises:
        RulesError: If they are invalid.
    """
    if text is None and seats is None:
        return None
    text = text or _DEFAULT
    if seats is not None:  # other options are valid only for this number of seats
        preset, _, options = text.partition(":")
        text = f"{preset}:{','.join(filter(None, (options.strip(), f'seats={seats}')))}"
    return Rules.parse(text)


def read_players(text: str, rules: Rules | None, *, watch: bool = False) -> tuple[Rules, tuple[str, ...]]:
    """Return the rules and the other players, or with `watch` all players.

    Without rules, the number of players sets the number of seats.

    Raises:
        DurakError: If there is no such player, or their number does not fit.
    """
    names = (HUMAN, *(opponent.key for opponent in OPPONENTS), *AGENTS)
    words = split_texts(text, (*names, *OPPONENT_WORDS))
    players = tuple(OPPONENT_WORDS.get(word) or opponent_named(word) or word for word in words)
    seats = len(players) if watch else len(players) + 1
    for word, player in zip(words, players, strict=True):
        head = word.partition(":")[0]
        if head.endswith(".py"):
            raise AgentError("{word} cannot play here: your own agents play in durak match", word=word)
        if head not in names and player == word:
            raise AgentError(unknown(Message("there is no player {word}", word=repr(word)), word, names))
        if player != HUMAN:
            with allowing((player,)):
                check_bot(player)
    rules = rules or Rules(seats=seats)
    if watch and HUMAN in players:
        raise AgentError("human is a person who plays: leave out human or --watch")
    if seats != rules.seats:
        wanted = rules.seats if watch else rules.seats - 1
        values: dict[str, Any] = {"wanted": wanted, "seats": rules.seats, "found": len(players)}
        if watch:
            raise AgentError("expected {wanted} players for {seats} seats, found {found}", **values)
        if wanted == 1:
            raise AgentError("expected 1 other player for {seats} seats, found {found}", **values)
        raise AgentError("expected {wanted} other players for {seats} seats, found {found}", **values)
    return rules, players


@dataclass(frozen=True, slots=True)
class NewGame:
    """What a player asks for; the rest is as in the last game."""

    rules: Rules | None = None
    players: tuple[str, ...] = ()
    seed: int | None = None


def read_new_game(text: str) -> NewGame:
    """Read words such as ``perevodnoy seats=3 lowest_rank=2 bots=olga,misha seed=7``.

    A preset, a number of seats and opponents need no name. Options may have dashes, as in the shell.

    Raises:
        DurakError: If a word means nothing, or the game is impossible.
    """
    rules = ""
    options: list[str] = []
    bots: list[str] = []
    seed: int | None = None
    for word in _SPACED.sub(r"\1=", text).split():
        name, equals, value = word.partition("=")
        if preset := _preset(word):
            rules = preset
        elif equals and name in {"rules", "bots"}:
            rules = value if name == "rules" else rules
            bots += value.split(",") if name == "bots" else ()
        elif equals and name == "seed":
            seed = _read_seed(value)
        elif equals and name in OPTIONS:
            options.append(word)
        elif word.isdecimal():
            options.append(f"seats={word}")
        else:
            bots.append(word)
    spec = None
    if rules or options:
        preset, _, given = (rules or _DEFAULT).partition(":")
        if bots and "seats=" not in f"{given},{','.join(options)}":
            options.append(f"seats={len(bots) + 1}")
        spec = f"{preset}:{','.join(filter(None, (given, *options)))}".rstrip(":")
    read = read_rules(spec, None)
    players: tuple[str, ...] = ()
    if bots:
        read, players = read_players(",".join(bots), read)
    return NewGame(read, players, seed)


def _preset(word: str) -> str:
    """Return a spec that begins with a preset's name in any language; empty for another word."""
    name, colon, options = word.partition(":")
    wanted = name.casefold()
    found = [one for one in PRESETS if wanted in {one, *map(str.casefold, in_every_language("preset", one))}]
    return f"{found[0]}{colon}{options}" if found else ""


def _read_seed(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > _MOST_DIGITS or int(text) >= 1 << 63:
        raise DealError("seed={value}: expected a number from 0 to 2^63 - 1", value=text)
    return int(text)
