"""The active keymap: defaults, the user's changes, and the same keys in Cyrillic, Greek and Hebrew layouts.

>>> Keymap().keys("table.take")
('t',)
>>> twins("]")
('ъ', 'ї')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from durak_core.errors import nearest
from durak_tui.keys.actions import ACTIONS, BESIDE, INSIDE, KEYS, Key
from durak_tui.text.i18n import gettext, mark, translate


class KeymapError(ValueError):
    """An invalid key or action in a user's keymap. The text includes the action id.

    Attributes:
        problem: The text without the id.
        key: A key shared by two actions of one screen, or empty.
        actions: The ids of these two actions.
    """

    def __init__(self, problem: str, action_id: str = "", key: str = "", other: str = "") -> None:
        super().__init__(f"{action_id}: {problem}" if action_id else problem)
        self.problem, self.key, self.actions = problem, key, (action_id, other)


_LATIN: Final = "`qwertyuiop[]asdfghjkl;'zxcvbnm,./" + '~QWERTYUIOP{}ASDFGHJKL:"ZXCVBNM<>'
_RUSSIAN: Final = "ёйцукенгшщзхъфывапролджэячсмитьбю."
_UKRAINIAN: Final = "'йцукенгшщзхїфівапролджєячсмитьбю."
_GREEK: Final = "`;ςερτυθιοπ[]ασδφγηξκλ;'ζχψωβνμ,./"
_HEBREW: Final = "`qwקראטוןםפ[]שדגכעיחלך;'זסבהנמצ,./" + _LATIN[-33:]  # noqa: RUF001 - it has no capitals
_TWINS: Final[Mapping[str, tuple[str, ...]]] = {
    **{
        latin: tuple([key for key in dict.fromkeys(others) if key != latin])
        for latin, *others in zip(
            _LATIN,
            *[keys + keys[:-1].upper() for keys in (_RUSSIAN, _UKRAINIAN, _GREEK)],
            _HEBREW,
            strict=True,
        )
    },
    "?": ("comma",),
}
"""Latin keys and the keys of other layouts at the same positions."""

_RETYPED: Final = tuple(
    str.maketrans(typed, meant)
    for keys in (_RUSSIAN, _UKRAINIAN)
    for typed, meant in ((_LATIN[: len(keys)], keys), (keys, _LATIN[: len(keys)]))
)

_LABELS: Final[Mapping[str, str]] = {
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
    "enter": "⏎",
    "space": mark("Space"),
    "tab": "Tab",
    "escape": "Esc",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
    "insert": "Ins",
    "delete": "Del",
    "backspace": "Backspace",
    "comma": ",",
}
_ASCII_LABELS: Final[Mapping[str, str]] = {
    "left": "<",
    "right": ">",
    "up": "Up",
    "down": "Down",
    "enter": "Enter",
}
_NAMED: Final = frozenset(_LABELS) | {f"f{number}" for number in range(1, 13)}
_MODIFIERS: Final = ("ctrl", "alt", "shift")
_NO_KEY: Final = "no-key"
"""What Textual binds to an action without keys; an empty text would leave it its defaults."""


def twins(key: str) -> tuple[str, ...]:
    """Return a key's counterparts in other layouts, such as ``ctrl+к``; none if it has none."""
    modifiers, plain = _split(key)
    return tuple([modifiers + other for other in _TWINS.get(plain, ())])


_LOOK_ALIKES: Final = str.maketrans("АВЕКМНОРСТУХаекморсуіхј", "ABEKMHOPCTYXaekmopcyixj")
"""Cyrillic letters and the Latin ones that look the same."""


def latin_twin(text: str) -> str:
    """Return a text with Latin letters in place of Cyrillic ones that look the same."""
    return text.translate(_LOOK_ALIKES)


def in_other_layouts(text: str) -> tuple[str, ...]:
    """Return what the same keys type in other layouts, in small letters."""
    return tuple(text.casefold().translate(retyped) for retyped in _RETYPED)


def key_label(key: str, *, ascii_only: bool = False) -> str:
    """Return a key's display name, such as ``←``, ``Space`` or ``Ctrl+Q``."""
    modifiers, plain = _split(key)
    label = (_ASCII_LABELS.get(plain) if ascii_only else None) or _LABELS.get(plain)
    if label is None:
        label = plain.upper() if modifiers or plain in _NAMED else plain
    return modifiers.title() + translate(label)


def _around(place: str) -> tuple[str, ...]:
    others = (outer for inner in (INSIDE, BESIDE) for outer in inner if place in inner[outer])
    return (place, *others)


def _split(key: str) -> tuple[str, str]:
    """Split a key into modifiers, each with its plus sign, and the plain key."""
    head, plus, tail = key[:-1].rpartition("+")
    return head + plus, tail + key[-1:]


def _check_key(action_id: str, key: str) -> None:
    modifiers, plain = _split(key)
    right = plain in _NAMED or (len(plain) == 1 and plain.isprintable() and plain not in " ,")
    if not right or any(word not in _MODIFIERS for word in modifiers.split("+")[:-1]):
        problem = gettext(
            "{key!r} is not a key; expected one character, a name such as left, space, comma or f5, or one "
            "of these after ctrl+, alt+ or shift+",
            key=key,
        )
        raise KeymapError(problem, action_id)


class Keymap:
    """Default keys with a user's changes.

    Args:
        changes: Keys by action id, replacing the defaults.

    Raises:
        KeymapError: If an action or key does not exist, a counted action gets the wrong number of keys, or
            two actions of one screen share a key.
    """

    def __init__(self, changes: Mapping[str, Sequence[str]] | None = None) -> None:
        self.changes: dict[str, tuple[str, ...]] = {}
        for action_id, keys in (changes or {}).items():
            self.changes[action_id] = self._checked(action_id, tuple(keys))
        for place in KEYS if self.changes else ():
            self._check_clashes(place)

    def keys(self, action_id: str) -> tuple[str, ...]:
        """Return an action's Latin keys, the displayed one first; none if it gave way to the user's keys."""
        action = ACTIONS[action_id]
        if action_id in self.changes or not action.gives_way:
            return self.changes.get(action_id, action.keys)
        others = [other.id for place in _around(action.place) for other in self.at(place)]
        taken = {key for other in others for key in self.changes.get(other, ())}
        return tuple([key for key in action.keys if key not in taken])

    def all_keys(self, action_id: str) -> tuple[str, ...]:
        keys = self.keys(action_id)
        places = _around(ACTIONS[action_id].place)
        taken = {key for place in places for other in self.at(place) for key in self.keys(other.id)}
        return keys + tuple([other for key in keys for other in twins(key) if other not in taken])

    def at(self, place: str) -> Iterator[Key]:
        general = ("app",) if place != "app" else ()
        for part in (*INSIDE.get(place, ()), place, *BESIDE.get(place, ()), *general):
            yield from KEYS[part]

    @property
    def changed_bindings(self) -> dict[str, str]:
        """The user's changes as an argument of `App.set_keymap`."""
        changed = [key for key in ACTIONS.values() if key.id in self.changes or self.keys(key.id) != key.keys]
        return {bound: keys or _NO_KEY for key in changed for bound, keys, _action in self.bound(key)}

    def bound(self, key: Key) -> Iterator[tuple[str, str, str]]:
        """Yield id, keys and action of each binding. A counted action has one binding per key."""
        keys = self.all_keys(key.id)
        if not key.counted:
            yield key.id, ",".join(keys), key.action
            return
        for number, one in enumerate(keys, 1):
            yield f"{key.id}.{number}", one, f"{key.action}({number})"

    def label(self, action_id: str, *, ascii_only: bool = False) -> str:
        """Return the name of an action's displayed key, or an empty string if it has none."""
        return "".join(key_label(key, ascii_only=ascii_only) for key in self.keys(action_id)[:1])

    def _checked(self, action_id: str, keys: tuple[str, ...]) -> tuple[str, ...]:
        action = ACTIONS.get(action_id)
        if action is None:
            close = nearest(action_id, ACTIONS)
            hint = (
                gettext("did you mean {word}?", word=close)
                if close
                else gettext("the help of the app lists them")
            )
            raise KeymapError(gettext("there is no action {name!r}; {hint}", name=action_id, hint=hint))
        for key in keys:
            _check_key(action_id, key)
        if not keys or (action.counted and len(keys) != len(action.keys)):
            if action.counted:
                wanted = gettext("expected exactly {count} keys", count=len(action.keys))
            else:
                wanted = gettext("expected at least one key")
            raise KeymapError(wanted, action_id)
        return keys

    def _check_clashes(self, place: str) -> None:
        owner: dict[str, str] = {}
        for action in self.at(place):
            for key in self.keys(action.id):
                other = owner.setdefault(key, action.id)
                if other != action.id:
                    problem = gettext("the key {key!r} already belongs to {other}", key=key, other=other)
                    raise KeymapError(problem, action.id, key, other)
