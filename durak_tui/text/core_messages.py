"""What the core says in English, in the language in force.

Whole texts of the core, such as the reasons of refusals and of bots, are keys of the catalogue as they are.
Of those that are filled in, the templates stand here: a text that one of them could have made is cut into
its values, and those are translated in their turn.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from durak_tui.text.i18n import language, mark, translate

CORE_TEXTS: Final = (
    # Rules
    mark("{what} (rules {paragraph})"),
    mark("{option}={value}: expected {expected}"),
    mark("a number from {low} to {high}"),
    mark("teams={teams}: team games cannot be played yet; leave it at none"),
    mark(
        "a deck of {deck} cards cannot give {seats} seats {hand} cards each: choose fewer seats, a smaller "
        "hand_size or a lower lowest_rank"
    ),
    mark(
        "redeal_same_suit={value}: every hand of {hand} has {least} cards of some suit, so no deal would "
        "ever stand; choose {more} or more, or never"
    ),
    mark("there is no preset {name}, did you mean {close}; the presets are: {known}"),
    mark("there is no preset {name}; the presets are: {known}"),
    mark("there is no option {name}, did you mean {close}; the options are: {known}"),
    mark("there is no option {name}; the options are: {known}"),
    # Settings
    mark("expected {expected}"),
    mark("one of {words}"),
    mark("true or false"),
    mark("a text"),
    mark("a list"),
    mark("a table"),
    mark("there is no such key; did you mean {close}? There are {known}"),
    mark("there is no such key; there are {known}"),
    # Deals, games and files
    mark("{attempts} deals in a row had {count} cards of a suit in some hand: raise redeal_same_suit"),
    mark("seed {seed}: expected a number from {low} to {high}"),
    mark("{count} names for {seats} seats"),
    mark("{count} players for {seats} seats"),
    mark("only one human can play so far"),
    mark("{file} is not UTF-8 text"),
    mark("{file} holds no game"),
    mark("{file} holds {count} games; there is no game {number}"),
    # Players
    mark("{problem}; levels: {levels}"),
    mark("there is no agent {name}; did you mean {close}? There are: {known}"),
    mark("there is no agent {name}; there are: {known}"),
    mark("there is no option of {agent} {name}; did you mean {close}? There are: {known}"),
    mark("there is no option of {agent} {name}; there are: {known}"),
    mark("{agent}:{option}: expected {option}=value, where the value is {expected}"),
    mark("{name}={value}: expected {expected}"),
    mark(
        "{agent} sees all cards and may not sit at the table (rules {paragraph}); durak match plays it for "
        "experiments"
    ),
    mark("{agent} thinks in an engine, and there is none here"),
    mark(
        "{agent} was trained for {rules} with {seats} seats and cannot play with {options}: take another "
        "agent, or weights=FILE of a network for such rules"
    ),
    # Why a bot plays as it does
    mark("nothing else is allowed"),
    mark("has nothing to add"),
    mark("cannot beat the attack"),
    mark("passes the attack on"),
    mark("passes the attack on with a trump"),
    mark("passes the attack on with a trump, which is cheaper than taking"),
    mark("passes the attack on and keeps the trump"),
    mark("shows the trump and keeps it"),
    mark("keeps the trumps while the talon lasts"),
    mark("the lowest trump, no plain card can be played"),
    mark("the lowest plain card"),
    mark("the lowest trump, no plain card beats it"),
    mark("the lowest plain card that beats it"),
    mark("beats it with a rank that the attackers cannot hold"),
    mark("keeps the weak rank for the end"),
    mark("a weakness whose answer opens a rank held here"),
    mark("makes no present of good cards"),
    mark("keeps its good cards for later"),
    mark("takes on purpose: the trumps on the table are worth it"),
    mark("takes on purpose: beating it would cost more"),
    mark("opens with a trump, for it does the most"),
    mark("the card it can spare best"),
    mark("adds a trump to the volley"),
    mark("adds a card it can spare"),
    mark("throws in a trump, for the hand must get shorter"),
    mark("throws in a card it can spare"),
    mark("gives a trump away to get rid of a card"),
    mark("gives away a card it can spare"),
    mark("a trump is worth less than what it saves"),
    mark("beats it at the least cost"),
    mark("drawn from {count} allowed actions"),
    mark("best in {votes} of {deals} deals"),
    mark("worth {value} over {deals} deals"),
    mark("{share} after {count} iterations"),
    mark("nothing was tried"),
    mark("expects a score of {share}"),
    mark("it is another seat's turn"),
    # The engine
    mark("the engine is switched off by {variable}=off"),
    mark("{command} cannot be started: {why}"),
    mark("the engine did not answer {text} within {seconds} s"),
    mark("the engine has ended, or was ended"),
    mark("the engine does not follow the protocol: {problem}"),
    mark("it speaks version {version}, and this client {known}"),
    mark("the engine did not judge the position"),
    mark("{action} is not allowed here: {why}"),
    mark("the app has ended its engines"),
    mark("it said nothing for {seconds} s"),
    mark("no answer within {seconds} s after its time"),
    mark("the engine chose {action}, which is not allowed here"),
    mark("the engine did not judge every action of the position"),
    mark("the engine did not stop within {seconds} s"),
    # The library
    mark("the disk is full"),
    mark("it may not be written to"),
    mark("its file cannot be opened"),
    mark("another program is using it"),
    mark("the disk does not answer as it should"),
    mark("it may not be opened"),
)
"""Texts of the core, and templates of those that are filled in; the first one that fits counts."""

_FIELD: Final = re.compile(r"\\\{(\w+)\\\}")


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the templates with what finds their values."""
    return tuple((text, _pattern(text)) for text in CORE_TEXTS if "{" in text)


def _pattern(template: str) -> re.Pattern[str]:
    seen: set[str] = set()

    def group(match: re.Match[str]) -> str:
        if match[1] in seen:
            return f"(?P={match[1]})"
        seen.add(match[1])
        return f"(?P<{match[1]}>.+?)"

    return re.compile(_FIELD.sub(group, re.escape(template)), re.DOTALL)


def core_words(text: object) -> str:
    """Say a text of the core in the language in force; one that is not known stays English.

    Args:
        text: The text, or an error.
    """
    words = str(text)
    if language() == "en" or not words:
        return words
    whole = translate(words)
    if whole != words:
        return whole
    for template, pattern in _patterns():
        found = pattern.fullmatch(words)
        if found is not None:
            values = {name: core_words(value) for name, value in found.groupdict().items()}
            return translate(template).format(**values)
    return words
