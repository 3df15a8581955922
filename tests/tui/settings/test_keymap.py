"""The one table of keys: clashes, Cyrillic, Greek and Hebrew twins, a user's changes, what is shown."""

import importlib
import pkgutil

import pytest

import durak_tui
from durak_tui.app import DurakApp
from durak_tui.keys.actions import ACTIONS, BESIDE, KEYS
from durak_tui.keys.actions import PLACES as TOLD
from durak_tui.keys.keymap import Keymap, KeymapError, key_label, twins
from durak_tui.ui.screens.base import DurakScreen
from durak_tui.ui.screens.dialogs import Ask, SharingAsk
from durak_tui.ui.widgets.form import Form

PLACES = sorted(KEYS)


def all_screens():
    """Find every class of a screen that has keys of its own, by their place."""
    for module in pkgutil.walk_packages(durak_tui.__path__, "durak_tui."):
        if ".screen" in module.name or module.name == "durak_tui.real":
            importlib.import_module(module.name)
    kinds = [DurakScreen]
    for kind in kinds:
        kinds += kind.__subclasses__()
    return {kind.PLACE: kind for kind in kinds if "PLACE" in vars(kind)}


def test_every_key_is_on_the_page_of_keys():
    assert set(PLACES) == set(TOLD)


@pytest.mark.parametrize("place", PLACES)
def test_no_key_is_bound_twice_on_a_screen_twins_included(place):
    keymap = Keymap()
    keys = [key for action in keymap.at(place) for key in keymap.all_keys(action.id)]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("latin", "others"),
    [  # some Cyrillic and Greek letters look like Latin ones, and are meant
        ("t", ("е", "τ", "א")),  # noqa: RUF001
        ("r", ("к", "ρ", "ר")),  # noqa: RUF001
        ("h", ("р", "η", "י")),  # noqa: RUF001
        ("s", ("ы", "і", "σ", "ד")),  # noqa: RUF001
        ("c", ("с", "ψ", "ב")),  # noqa: RUF001
        ("z", ("я", "ζ", "ז")),
        ("l", ("д", "λ", "ך")),
        ("[", ("х",)),  # noqa: RUF001
        ("]", ("ъ", "ї")),
        (".", ("ю",)),
        ("?", ("comma",)),
        ("F", ("А", "Φ")),  # noqa: RUF001
        ("S", ("Ы", "І", "Σ")),  # noqa: RUF001
        ("ctrl+q", ("ctrl+й", "ctrl+;")),
        ("ctrl+c", ("ctrl+с", "ctrl+ψ", "ctrl+ב")),  # noqa: RUF001
    ],
)
def test_a_letter_key_has_the_twins_that_lie_on_the_same_key(latin, others):
    assert twins(latin) == others


@pytest.mark.parametrize("key", ["left", "space", "1", "f1", "+", "-", "tab", "shift+tab", "ctrl+home"])
def test_keys_that_are_the_same_in_both_layouts_have_no_twin(key):
    assert twins(key) == ()


def test_every_letter_key_of_every_screen_works_in_cyrillic_greek_and_hebrew_layouts():
    keymap = Keymap()
    for action in ACTIONS.values():
        letters = [key for key in keymap.keys(action.id) if len(key) == 1 and key.isalpha()]
        assert all({*twins(key)} <= {*keymap.all_keys(action.id)} for key in letters)


def test_a_twin_gives_way_to_a_key_of_the_same_screen():
    keymap = Keymap({"watch.log": ("/",)})
    assert keymap.all_keys("watch.log") == ("/",)
    assert "." in keymap.all_keys("watch.step")


def test_a_change_replaces_the_keys_and_brings_its_own_twins():
    keymap = Keymap({"table.take": ("x", "f5")})
    assert keymap.keys("table.take") == ("x", "f5")
    assert keymap.all_keys("table.take") == ("x", "f5", "ч", "χ", "\u05e1")
    assert keymap.label("table.take") == "x"


def test_two_actions_can_change_places():
    keymap = Keymap({"table.take": ("s",), "table.sort": ("t",)})
    assert (keymap.keys("table.take"), keymap.keys("table.sort")) == (("s",), ("t",))


@pytest.mark.parametrize(
    ("action", "changes"),
    [
        ("table.figures", {"table.card": tuple("!@#$%^&*()")}),
        ("review.figures", {"app.help": ("%",)}),
        ("review.next", {"review.judge-anew": ("z", "f5"), "review.size": ("n",)}),
        ("review.judge-anew", {"knowledge.other-side": ("N",)}),
    ],
)
def test_a_newer_action_gives_its_key_to_what_the_user_chose_before(action, changes):
    keymap = Keymap(changes)
    assert keymap.keys(action) == ()
    assert keymap.label(action) == ""
    assert keymap.changed_bindings[action] not in {key for keys in changes.values() for key in keys}
    assert Keymap({**changes, action: ("f9",)}).keys(action) == ("f9",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"table.tale": ("x",)}, "there is no action 'table.tale'; did you mean table.take?"),
        ({"table.take": ("s",)}, "table.sort: the key 's' already belongs to table.take"),
        ({"table.take": ("?",)}, "app.help: the key '?' already belongs to table.take"),
        ({"table.take": ("%",), "table.figures": ("%",)}, "the key '%' already belongs to table.take"),
        ({"table.take": ("strg+x",)}, "'strg+x' is not a key"),
        ({"table.take": ("leftt",)}, "'leftt' is not a key"),
        ({"table.take": ()}, "expected at least one key"),
        ({"table.card": ("a", "b")}, "expected exactly 10 keys"),
    ],
)
def test_a_wrong_change_is_refused_by_name(changes, message):
    with pytest.raises(KeymapError) as caught:
        Keymap(changes)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("key", "label", "plain"),
    [
        ("left", "←", "<"),
        ("enter", "⏎", "Enter"),
        ("space", "Space", "Space"),
        ("ctrl+q", "Ctrl+Q", "Ctrl+Q"),
        ("f1", "F1", "F1"),
        ("t", "t", "t"),
        ("shift+left", "Shift+←", "Shift+<"),
        ("+", "+", "+"),
        ("comma", ",", ","),
    ],
)
def test_keys_are_shown_as_people_name_them(key, label, plain):
    assert key_label(key) == label
    assert key_label(key, ascii_only=True) == plain


def test_every_action_says_what_it_does():
    assert all(action.help for action in ACTIONS.values())


def test_every_key_runs_an_action_that_is_there():
    """A screen has the actions of its place and of those beside it; those for ``app`` are the app's."""
    actors = {**all_screens(), "app": DurakApp, "form": Form, "dialog": Ask, "result": SharingAsk}
    assert set(PLACES) - set(actors) == {"knowledge"}
    for place, actor in actors.items():
        for part in (place, *BESIDE.get(place, ())):
            for key in KEYS[part]:
                kind = DurakApp if key.action.startswith("app.") else actor
                method = key.action.removeprefix("app.").partition("(")[0]
                assert hasattr(kind, f"action_{method}"), key.id
