"""The sentences of reviews and hints about moves of real games; ``make_sentences.py`` writes them."""

from __future__ import annotations

import re

import make_sentences

TEXT = make_sentences.GOLDEN.read_text(encoding="utf-8")


def test_each_situation_gets_the_sentences_of_the_file() -> None:
    """A changed sentence is read before the file is written anew."""
    assert make_sentences.text_of(make_sentences.kept()) == TEXT


def test_they_are_in_a_players_words() -> None:
    """There are four languages, and neither figures of a search nor its terms."""
    situations = make_sentences.kept()
    said = re.findall(r"^(\w\w)(?:, hint)?: (.*)$", TEXT, re.MULTILINE)
    assert len(situations) == make_sentences.COUNT
    assert len(said) == 8 * len(situations)
    for _code, sentence in said:
        assert not re.search(r"[±%{}]|simulat|iteration|\b[0-9]\.[0-9]", sentence), sentence
        assert sentence.endswith("."), sentence
