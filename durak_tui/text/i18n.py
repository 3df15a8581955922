"""Translation of English templates.

A `Speaker` has a language and its catalogue. The app has one speaker, whose methods are this module's
functions. The language may change while the app runs, so `gettext` and `ngettext` are called when a text is
shown. Texts defined at import are wrapped in `mark` for the extraction, and passed to `gettext` or
`translate` when shown. Values may be untrusted; they are made printable and shortened.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import Final

LANGUAGES: Final[Mapping[str, str]] = {"en": "English", "de": "Deutsch", "ru": "Русский", "uk": "Українська"}
"""Language names in their own language, by code."""

UNFIT: Final = (LookupError, ValueError, AttributeError, TypeError)
"""Errors raised by a damaged translation that does not fit its values."""

_PROBE: Final = ("one", "many", 5)
"""A plural that a damaged catalogue fails on."""

_DATE: Final = re.compile(r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})")
_DOMAIN: Final = "durak"
_LOCALE: Final = Path(__file__).parents[1] / "locale"


class LanguageError(ValueError):
    """An unsupported language."""


class Speaker:
    """Translates into one language, at first English. Each visitor's app is a process with its own speaker.

    Code and catalogue are replaced at once, so threads may translate while the language changes.
    """

    def __init__(self) -> None:
        self._spoken: tuple[str, NullTranslations] = ("en", NullTranslations())

    def set_language(self, code: str, folder: Path = _LOCALE) -> str:
        """Set the language; return an error message if its catalogue is missing or damaged.

        English is used in that case.

        Raises:
            LanguageError: If there is no such language.
        """
        if code not in LANGUAGES:
            raise LanguageError(f"there is no language {code!r}; there are {', '.join(LANGUAGES)}")
        self._spoken, problem = ("en", NullTranslations()), ""
        if code != "en":
            try:
                self._spoken = code, _load(folder / code / "LC_MESSAGES" / f"{_DOMAIN}.mo")
            except FileNotFoundError:
                problem = f"The texts in {LANGUAGES[code]} are missing: the app speaks English."
            except Exception:  # noqa: BLE001 - gettext raises whatever the broken bytes lead it to
                problem = f"The texts in {LANGUAGES[code]} are damaged: the app speaks English."
        return problem

    def language(self) -> str:
        return self._spoken[0]

    def translate(self, text: str) -> str:
        """Return a text's translation, or the text itself if the catalogue does not have it."""
        return self._spoken[1].gettext(text) if text else text

    def gettext(self, template: str, **values: object) -> str:
        return _filled(self.translate(template), template, values)

    def pgettext(self, context: str, template: str, **values: object) -> str:
        return _filled(self._spoken[1].pgettext(context, template), template, values)

    def ngettext(self, one: str, many: str, count: int, **values: object) -> str:
        """Translate and fill in the plural form for this ``{count}``."""
        english = one if count == 1 else many
        translated = self._spoken[1].ngettext(one, many, count)
        return _filled(translated, english, {"count": count, **values})


@cache
def _load(path: Path) -> NullTranslations:
    """Read a catalogue; every speaker of a language shares it."""
    with path.open("rb") as file:
        catalogue = GNUTranslations(file)
    catalogue.ngettext(*_PROBE)
    if "language" not in catalogue.info():
        raise ValueError("the catalogue has no header")
    return catalogue


def _filled(translated: str, template: str, values: Mapping[str, object]) -> str:
    """Fill in a translation, or the English template if the translation is damaged."""
    from durak_core.errors import fit  # noqa: PLC0415 - the command line loads the core only where it plays

    fitting = {name: fit(value) for name, value in values.items()}
    try:
        return translated.format(**fitting)
    except UNFIT:
        return template.format(**fitting)


_APP: Final = Speaker()
set_language, language, translate = _APP.set_language, _APP.language, _APP.translate
gettext, pgettext, ngettext = _APP.gettext, _APP.pgettext, _APP.ngettext


def language_of(environ: Mapping[str, str] | None = None) -> str:
    """Return the environment's language; English if it is none of `LANGUAGES`."""
    environ = os.environ if environ is None else environ
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environ.get(name):
            code = environ[name].partition(".")[0].partition("@")[0].partition("_")[0].lower()
            return code if code in LANGUAGES else "en"
    return "en"


def mark(text: str) -> str:
    """Return a text unchanged. Marks it for extraction and later translation."""
    return text


def percent(share: float, digits: int = 0) -> str:
    """Format a fraction as a percentage: ``25%``, or with a space before the sign."""
    return percent_sign(decimal(100 * share, digits))


def decimal(number: float, digits: int) -> str:
    return f"{number:.{digits}f}".replace(".", pgettext("decimals", "."))


def thousands(number: int) -> str:
    separator = pgettext("thousands", "1,000")[1:-3]
    return f"{number:,}".replace(",", separator)


def date_text(date: str) -> str:
    """Return the date that a text begins with in the language's form; any other text unchanged."""
    found = _DATE.match(date)
    return pgettext("date", "{year}-{month}-{day}", **found.groupdict()) if found else date[:10]


def percent_sign(number: str) -> str:
    return gettext("{number}%", number=number)


@cache
def in_every_language(context: str, text: str) -> frozenset[str]:
    """Return a text's translations into all languages, with English as the fallback."""
    return frozenset(
        speaker.pgettext(context, text) if context else speaker.translate(text) for speaker in _speakers()
    )


@cache
def _speakers() -> tuple[Speaker, ...]:
    """Return a speaker of each language, whose catalogue is read once."""
    speakers = []
    for code in LANGUAGES:
        speakers.append(Speaker())
        speakers[-1].set_language(code)
    return tuple(speakers)
