"""Sentences, and lists of cards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from durak_core import Card, Observation
from durak_tui.board.view.table import in_order
from durak_tui.storage.settings import Settings
from durak_tui.text.i18n import ngettext
from durak_tui.text.phrases import Voice, capital
from durak_tui.text.spoken import SpokenVoice, suits_words
from durak_tui.ui.view.board_data import Look

_ENDS: Final = (".", "!", "?", "”", "»", ":")


def voice_of(settings: Settings, names: Sequence[str], you: int | None) -> Voice:
    """Return how cards are said: in words, or with signs or letters for suits."""
    if settings.said == "words":
        return SpokenVoice(names, you)
    return Voice(names, you, settings.ascii or settings.said == "letters")


def sentence(words: str) -> str:
    """Return words with a capital letter and a full stop."""
    words = capital(words.strip())
    return words if not words or words.endswith(_ENDS) else f"{words}."


def by_suit(cards: Iterable[Card], voice: Voice, observation: Observation) -> str:
    """List cards: "spades: 6, 8; trumps, hearts: jack". With signs, card by card."""
    look = Look(ascii=voice.ascii)
    ordered = in_order(cards, look, observation)
    if not isinstance(voice, SpokenVoice):
        return voice.cards(ordered)
    return suits_words(ordered, observation.trump_suit)


def cards_words(count: int) -> str:
    return ngettext("{count} card", "{count} cards", count)


_MARKDOWN: Final = re.compile(r"[*`]|^#+ |(?<=\])\([^)]*\)|[\[\]]", re.MULTILINE)


def plain_text(markdown: str) -> list[str]:
    """Return the rules' text without signs of Markdown, a paragraph or an item of a list in a line."""
    lines: list[str] = []
    for block in markdown.strip().split("\n\n"):
        for line in _MARKDOWN.sub("", block).splitlines():
            starts = not lines or line.startswith(("- ", "|")) or lines[-1] == ""
            if starts:
                lines.append(line.strip())
            else:
                lines[-1] = f"{lines[-1]} {line.strip()}"
        lines.append("")
    return [line for line in lines if line]
