"""The language of the app: from English templates to the texts that a person reads.

A `Speaker` has a language and its catalogue. One speaks for the app, which alone sets its language; its
methods are this module's functions. The language may change while the app runs, so `say` and `say_count` are
called when a text is shown. A text that is defined at import is wrapped in `mark` there, for the extraction,
and goes through `say` or `translate` when it is shown. Values, which may come from outside, are printable and
shortened once they are filled in.
"""

from __future__ import annotations

import gettext
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

LANGUAGES: Final[Mapping[str, str]] = {"en": "English", "ru": "Русский"}
"""Every language by its code, as its speakers call it."""

UNFIT: Final = (LookupError, ValueError, AttributeError, TypeError)
"""What a damaged translation raises that does not take its values."""

_DOMAIN: Final = "durak"
_LOCALE: Final = Path(__file__).parents[1] / "locale"


class LanguageError(ValueError):
    """A language that the app does not speak."""


class Speaker:
    """Speaks a language, at first English; each visitor's app, a process of its own, has one.

    Threads may speak while the language changes: code and catalogue are replaced at once.
    """

    def __init__(self) -> None:
        self._spoken: tuple[str, gettext.NullTranslations] = ("en", gettext.NullTranslations())

    def set_language(self, code: str, folder: Path = _LOCALE) -> str:
        """Speak a language from now on.

        If its catalogue is missing or damaged English is spoken, and a sentence that says so is returned.

        Raises:
            LanguageError: If there is no such language.
        """
        if code not in LANGUAGES:
            raise LanguageError(f"there is no language {code!r}; there are {', '.join(LANGUAGES)}")
        self._spoken, problem = ("en", gettext.NullTranslations()), ""
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
        """Return a text in the language in force; unchanged if the catalogue does not have it."""
        return self._spoken[1].gettext(text) if text else text

    def say(self, template: str, **values: object) -> str:
        return _filled(self.translate(template), template, values)

    def say_as(self, context: str, template: str, **values: object) -> str:
        """Translate a template that means different things in different contexts, and fill it in."""
        return _filled(self._spoken[1].pgettext(context, template), template, values)

    def say_count(self, one: str, many: str, count: int, **values: object) -> str:
        """Fill in the template for this ``{count}``, in as many forms as the language has."""
        english = one if count == 1 else many
        translated = self._spoken[1].ngettext(one, many, count)
        return _filled(translated, english, {"count": count, **values})


def _load(path: Path) -> gettext.NullTranslations:
    with path.open("rb") as file:
        catalogue = gettext.GNUTranslations(file)
    catalogue.ngettext("one", "many", 5)
    if "language" not in catalogue.info():
        raise ValueError("the catalogue has no header")
    return catalogue


def _filled(translated: str, template: str, values: Mapping[str, object]) -> str:
    """Fill values into a translation, or into the English template if it is damaged."""
    from durak_core.messages import fit  # noqa: PLC0415 - the command line loads the core only where it plays

    fitting = {name: fit(value) for name, value in values.items()}
    try:
        return translated.format(**fitting)
    except UNFIT:
        return template.format(**fitting)


_APP: Final = Speaker()
set_language, language, translate = _APP.set_language, _APP.language, _APP.translate
say, say_as, say_count = _APP.say, _APP.say_as, _APP.say_count


def language_of(environ: Mapping[str, str] | None = None) -> str:
    """Return the language of the environment; English if it names none of `LANGUAGES`."""
    environ = os.environ if environ is None else environ
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environ.get(name):
            code = environ[name].partition(".")[0].partition("@")[0].partition("_")[0].lower()
            return code if code in LANGUAGES else "en"
    return "en"


def mark(text: str) -> str:
    """Return a text as it is; the extraction finds it, and `say` or `translate` speaks it later."""
    return text


def percent(share: float, digits: int = 0) -> str:
    """Write a share in per cent as people do: ``25%``, or with a space before the sign."""
    return percent_sign(decimal(100 * share, digits))


def decimal(number: float, digits: int) -> str:
    """Write a number with its decimals as people do, with a point or a comma."""
    return f"{number:.{digits}f}".replace(".", say_as("decimals", "."))


def percent_sign(number: str) -> str:
    """Write the sign after a number of per cent."""
    return say("{number}%", number=number)


@cache
def in_every_language(context: str, text: str) -> frozenset[str]:
    """Return a text as it is in each language; the English one if a catalogue does not have it."""
    said = set()
    for code in LANGUAGES:
        speaker = Speaker()
        speaker.set_language(code)
        said.add(speaker.say_as(context, text) if context else speaker.translate(text))
    return frozenset(said)
