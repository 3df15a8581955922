"""Texts of a finished game's result."""

from __future__ import annotations

from typing import Final

from durak_core import Attacked, BoutBegan, Observation, Rank, TableTaken, Transferred
from durak_core.agents.personas import OPPONENTS
from durak_tui.board.view import placed_words
from durak_tui.play.session import Session
from durak_tui.play.setup import Help, score_words
from durak_tui.players import team_names
from durak_tui.review.model import ReviewGame
from durak_tui.review.view import curve_values
from durak_tui.text.i18n import gettext, mark, ngettext, percent, pgettext
from durak_tui.text.phrases import DOT, Voice, capital, way_out
from durak_tui.ui.view.board_data import PlotLine, PlotLook

HAND_OVER: Final = mark("Press Enter when nobody else is looking.")
"""What the next person at a shared keyboard has to do."""


def headline(observation: Observation, voice: Voice) -> str:
    fools = observation.fools
    if not fools:
        return gettext("A draw: nobody is the fool.")
    if observation.rules.teams is not None:
        return _team_headline(observation, voice)
    fool = fools[0]
    name = voice.names[fool]
    if voice.you is None:
        return gettext("{name} is the fool.", name=name)
    if fool == voice.you:
        return gettext("This time you are the fool. The next game is yours!")
    return gettext("Not you this time: {name} is the fool!", name=name)


def _team_headline(observation: Observation, voice: Voice) -> str:
    losers = voice.together(observation.fools)
    if voice.you is None:
        return gettext("{names} have lost.", names=losers)
    if voice.you in observation.fools:
        return gettext("{names} have lost this time. The next game is yours!", names=losers)
    winners = voice.team(observation.rules)
    return gettext("{names} have won, {losers} have lost!", names=winners, losers=losers)


def shoulder_straps(observation: Observation, voice: Voice) -> str:
    """Return a remark on a last attack that was all sixes and was taken by the fool; empty otherwise."""
    events = observation.events
    began = max((at for at, event in enumerate(events) if isinstance(event, BoutBegan)), default=0)
    laid = [event.card for event in events[began:] if isinstance(event, Attacked | Transferred)]
    is_taken = any(isinstance(event, TableTaken) for event in events[began:])
    if not observation.fools or not laid or not is_taken or {card.rank for card in laid} != {Rank.SIX}:
        return ""
    fool = observation.fools[0]
    if fool == voice.you:
        return gettext("The last attack was all sixes: you wear the shoulder straps!")
    return gettext("The last attack was all sixes: {name} wears the shoulder straps!", name=voice.names[fool])


def places_line(observation: Observation, voice: Voice) -> str:
    """Return the finishing order. Of a team, only some players may be left."""
    last = [voice.placed(seat) for seat in observation.places if seat in observation.last]
    if observation.rules.teams is None:
        told = placed_words(observation, voice)
        told += [pgettext("place", "fool: {name}", name=name) for name in last]
    else:
        out = [voice.placed(seat) for seat in observation.places if seat not in observation.last]
        told = [capital(way_out(out))] if out else []
        if last:
            told.append(pgettext("place", "left holding cards: {name}", name=", ".join(last)))
    return DOT[voice.ascii].join(told)


def rating_change_line(before: int, after: int, *, ascii_only: bool = False) -> str:
    arrow = "->" if ascii_only else "→"
    return gettext(
        "Your rating: {before} {arrow} {after} ({change:+})",
        before=before,
        arrow=arrow,
        after=after,
        change=after - before,
    )


def facts(session: Session) -> str:
    rules = session.setup.rules
    score = score_words(session.series, team_names(session.names, rules), is_over=True)
    lines = [capital(score)] if score else []
    lines.append(length_words(session))
    if session.used.hints or session.used.undos:
        lines.append(assisted_words(session.used))
    elif rules.teams is not None and session.setup.human is not None:
        lines.append(gettext("Games with partners don't change your rating."))
    return "\n".join(lines)


def length_words(session: Session) -> str:
    """Return the length of a game and the number of its deal, if the program has dealt it."""
    words = {
        "bouts": ngettext("{count} bout", "{count} bouts", session.state.bout),
        "moves": ngettext("{count} move", "{count} moves", session.state.plies),
    }
    if session.known_seat is not None:
        return gettext("{bouts}, {moves}", **words)
    return gettext("{bouts}, {moves}, deal {seed}", seed=session.setup.seed, **words)


def assisted_words(used: Help) -> str:
    hints = ngettext("{count} hint", "{count} hints", used.hints) if used.hints else ""
    undos = gettext("{count} taken back", count=used.undos) if used.undos else ""
    how = ", ".join(filter(None, (hints, undos)))
    return gettext("With help: {how}. This game is not rated.", how=how)


# Review


def accuracy_line(game: ReviewGame, seat: int, *, is_done: bool = True) -> str:
    """Return the player's accuracy; until the analysis is done, what is left of it."""
    player, accuracy = game.review.player(seat), game.accuracy(seat)
    count = game.open_choices
    if accuracy is not None:
        like = min(OPPONENTS, key=lambda one: abs(one.accuracy - accuracy))
        return gettext(
            "Your accuracy: {accuracy}, about what {name} usually has.",
            accuracy=percent(accuracy / 100),
            name=gettext(like.name),
        )
    if not is_done:
        return _to_go(count)
    if count:
        return ngettext(
            "The analysis stopped: {count} of your choices is missing.",
            "The analysis stopped: {count} of your choices are missing.",
            count,
        )
    if player.accuracy is None and player.unsure:
        return gettext("Too little time to analyse your choices. A review can do it again.")
    return gettext("Too few choices mattered for an accuracy.")


def _to_go(count: int) -> str:
    if not count:
        return gettext("Analysing your game: making sure")
    return ngettext("Analysing your game: {count} to go", "Analysing your game: {count} to go", count)


def chance_plot(game: ReviewGame, seat: int, style: str) -> tuple[PlotLine, PlotLook]:
    rules = game.record.rules
    name = gettext("how safe you are") if rules.teams is None else gettext("how safe your team is")
    line = PlotLine(curve_values(game, rules.team_of(seat)), style, name, is_bold=True)
    return line, PlotLook(guide=1 - 1 / rules.team_count)
