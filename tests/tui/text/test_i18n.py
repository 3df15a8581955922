"""The catalogues hold every text there is, and speaking another language never costs the app its texts."""

import importlib.util
import re
import string
from functools import cache
from itertools import zip_longest
from pathlib import Path

import pytest

from durak_core import AGENTS, OPTIONS, PRESETS, Card, Rules, make_agent
from durak_core.config import ConfigError
from durak_core.errors import DurakError, FileError, Message, RulesError
from durak_core.game.notation.game_text import read_games, write_game
from durak_core.game.state_view import explain
from durak_core.kernel.legal import Refusal
from durak_core.lab import play_game
from durak_tui.play.setup import names_at_table
from durak_tui.players import check_bot, shown_names
from durak_tui.storage.settings import Settings
from durak_tui.text import i18n
from durak_tui.text.core_messages import core_words, rule, rules_in_force, translated_rules
from durak_tui.text.i18n import (
    LANGUAGES,
    LanguageError,
    Speaker,
    decimal,
    gettext,
    language,
    language_of,
    ngettext,
    percent,
    set_language,
    translate,
)
from durak_tui.text.phrases import card_text
from tui.games import a_record

pytest.importorskip("babel", reason="Babel keeps the catalogues; the app does without it")

PROJECT = Path(__file__).parents[3] / "pyproject.toml"
_PATH = PROJECT.parent / "tools" / "catalogue.py"
_SPEC = importlib.util.spec_from_file_location("catalogue", _PATH)
catalogue = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(catalogue)

TINY = Path(__file__).parents[2] / "golden" / "network.npz"
NETWORKS = ("dmc", "dqn", "ppo")
LIGHT = {
    **{name: f"{name}:weights={TINY}" for name in NETWORKS},
    "adaptive": "adaptive:samples=1",
    **dict.fromkeys(("ismcts", "hybrid"), "ismcts:iterations=12,leaf=4,nodes=300,memory=0.1"),
    "maxn": "maxn:depth=2,samples=2",
    "mcts": "mcts:limit=4,samples=2",
    "minimax": "minimax:depth=2,samples=2,eval=basic",
    "solver": "solver:nodes=300",
}
"""Agents that think, with little to do."""

CODES = [code for code in LANGUAGES if code != "en"]


def forms(text):
    """Return the one or several forms of a text."""
    return list(text) if isinstance(text, (list, tuple)) else [text]


def fields(text):
    """Return the names of a template's values, each as often as it stands there."""
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


all_texts = cache(catalogue.all_texts)


def messages(code):
    return [message for message in catalogue.read(code) if message.id]


def test_every_language_but_english_has_a_catalogue():
    assert CODES
    assert [code for code in CODES if not catalogue.catalogue_path(code).exists()] == []


def test_no_article_and_no_adjective_stands_before_a_card():
    """Spoken cards have an article of their own: "the lower the eight of clubs" is no English."""
    cards = r"\{(?:card|cards|better|given|taken|lowest|target|reply|other)\}"
    before = rf"\b(?:an?|the|this|that|your|their|last|lower|higher|lowest|highest|trump) {cards}"
    texts = {text for message in messages(CODES[0]) for text in forms(message.id)}
    assert sum(bool(re.search(cards, text)) for text in texts) > 80
    assert [text for text in texts if re.search(before, text)] == []


@pytest.mark.parametrize("code", CODES)
class TestCatalogue:
    def test_only_cards_have_forms(self, code):
        """A translation that asks for a form of a plain text is damaged, and read in English."""
        cards = {"card", "cards", "better", "given", "taken", "lowest", "target", "reply", "other"}
        texts = [text for message in messages(code) for text in forms(message.string)]
        fields = [field for text in texts for field in string.Formatter().parse(text)]
        assert {name for _, name, form, _ in fields if form and form.isalpha()} <= cards

    def test_it_has_every_text_of_the_app_and_of_the_core_and_no_other(self, code):
        def keys(found):
            return {(message.context, str(message.id)) for message in found if message.id}

        old, new = keys(catalogue.read(code)), keys(catalogue.renewed(code, all_texts()))
        assert new - old == set(), "run tools/catalogue.py and translate these"
        assert old - new == set(), "run tools/catalogue.py: these are used no more"

    def test_every_text_is_translated_and_surely_so(self, code):
        count = catalogue.read(code).num_plurals
        for message in messages(code):
            assert not message.fuzzy, message.id
            assert all(form.strip() for form in forms(message.string)), message.id
            assert len(forms(message.string)) == (count if message.pluralizable else 1), message.id
        assert not catalogue.read(code).obsolete

    def test_the_values_filled_in_are_the_same(self, code):
        for message in messages(code):
            wanted = fields(forms(message.id)[-1])
            for number, form in enumerate(forms(message.string)):
                # A form that stands for one alone may leave the number unsaid.
                spared = {"count"} if message.pluralizable and number == 0 else set()
                assert set(wanted) - spared <= set(fields(form)) <= set(wanted), (message.id, form)

    def test_spaces_at_the_ends_and_line_breaks_are_the_same(self, code):
        for message in messages(code):
            text = forms(message.id)[-1]
            for form in forms(message.string):
                ends = (text[:1] == " ", text[-1:] == " ", text.count("\n"))
                assert ends == (form[:1] == " ", form[-1:] == " ", form.count("\n")), message.id

    def test_the_compiled_one_says_the_same(self, code):
        with catalogue.catalogue_path(code).with_suffix(".mo").open("rb") as file:
            spoken = i18n.GNUTranslations(file)
        for message in messages(code):
            context, text = message.context, message.id
            if not message.pluralizable:
                said = spoken.pgettext(context, text) if context else spoken.gettext(text)
                assert said == message.string
                continue
            for number in (1, 2, 5, 11, 21, 22, 112):
                form = spoken.plural(number)
                assert spoken.ngettext(*text, number) == message.string[form]

    def test_texts_of_the_core_come_from_its_registries(self, code):
        known = {(message.context or "", message.id) for message in messages(code)}
        missing = {key for key, _ in catalogue.registered_texts() if key not in known}
        counted = {forms(message.id)[0] for message in messages(code) if message.pluralizable}
        assert {key for key in missing if key[1] not in counted} == set()

    def test_the_rules_have_the_same_paragraphs(self, code):
        def numbers(text):
            found = (re.match(r"(?:## )?(\d+(?:\.\d+)*)[. ]", block) for block in text.split("\n\n"))
            return [match[1] for match in found if match]

        def options(text):
            return sorted(name for name in re.findall(r"`([a-z_-]+)`", text) if name in {*OPTIONS, *PRESETS})

        set_language(code)
        other = rules_in_force()
        set_language("en")
        assert other == translated_rules(code)
        assert f'"docs/rules.{code}.md" = "durak_tui/locale/{code}/rules.md"' in PROJECT.read_text("utf-8")
        assert numbers(other) == numbers(rules_in_force())
        assert options(other) == options(rules_in_force())


def test_every_text_that_is_reworded_has_to_be_translated_anew(monkeypatch):
    """In one language, as the others are kept in the same way."""
    code = CODES[0]
    known = catalogue.read(code)
    monkeypatch.setattr(catalogue, "read", lambda _code: known)
    everything = dict(catalogue.all_texts())
    assert catalogue.untranslated(catalogue.renewed(code, everything.items())) == []
    for (context, text), where in everything.items():
        first, *more = forms(text)
        other = first.replace("{", "{new_", 1) if "{" in first else first + " reworded"
        key = (context, (other, *more) if more else other)
        assert len(catalogue.untranslated(catalogue.renewed(code, [(key, where)]))) == 1, key


PLURALS = {
    "de": ["1 Karte", "2 Karten", "5 Karten", "11 Karten", "21 Karten", "36 Karten", "52 Karten"],
    "ru": ["1 карта", "2 карты", "5 карт", "11 карт", "21 карта", "36 карт", "52 карты"],
    "uk": ["1 карта", "2 карти", "5 карт", "11 карт", "21 карта", "36 карт", "52 карти"],
}


@pytest.mark.parametrize("code", CODES)
def test_plural_forms(code):
    set_language(code)
    said = [ngettext("{count} card", "{count} cards", count) for count in (1, 2, 5, 11, 21, 36, 52)]
    assert said == PLURALS[code]


def test_the_letters_of_cards_follow_the_language_but_not_in_ascii():
    cards = [Card.parse(text) for text in ("Ts", "Jh", "Qd", "Kc", "As")]
    assert [card_text(card) for card in cards] == ["10♠", "J♥", "Q♦", "K♣", "A♠"]
    set_language("ru")
    assert [card_text(card) for card in cards] == ["10♠", "В♥", "Д♦", "К♣", "Т♠"]  # noqa: RUF001 - letters of cards
    assert card_text(cards[3], ascii=True) == "Kc"


def test_who_has_no_name_is_called_you_in_any_language():
    assert shown_names(("Masha", "Вы")) == ("Masha", "You")
    set_language("ru")
    assert shown_names(("You", "Masha")) == ("Вы", "Masha")
    players = ("human", "greedy", "human", "smart")
    assert shown_names(("Misha", "Greedy", "Player 2", "Rover"), players) == (
        "Misha",
        "Скупой",
        "Игрок 2",
        "Rover",
    )
    set_language("en")
    shown = shown_names(("Вы", "Скупой 2", "Игрок 3", "Миша"), players)
    assert shown == ("You", "Greedy 2", "Player 3", "Миша")
    shown = shown_names(("Баба Нина", "Миша 2", "level:olga"), ("level:nina", "level:misha", ""))
    assert shown == ("Baba Nina", "Misha 2", "Olga")


def test_two_of_a_name_are_told_apart():
    """The person keeps the name, opponents and agents get numbers."""
    players = ("level:misha", "human", "level:misha", "greedy", "greedy")
    names = names_at_table(players, Settings(name="Misha"))
    assert names == ("Misha 2", "Misha", "Misha 3", "Greedy", "Greedy 2")
    assert names_at_table(("ismcts:iterations=80", "level:nina"), Settings()) == (
        "An earlier club player",
        "Baba Nina",
    )


@pytest.mark.parametrize(
    ("environ", "code"),
    [
        ({"LANG": "ru_RU.UTF-8"}, "ru"),
        ({"LC_ALL": "", "LC_MESSAGES": "ru", "LANG": "en_US.UTF-8"}, "ru"),
        ({"LC_ALL": "C", "LANG": "ru_RU.UTF-8"}, "en"),
        ({"LANG": "fr_FR@euro"}, "en"),
        ({}, "en"),
    ],
)
def test_the_environment_names_the_language(environ, code):
    assert language_of(environ) == code


def test_an_unknown_language_is_refused_and_nothing_changes():
    set_language("ru")
    with pytest.raises(LanguageError, match=f"there is no language 'tlh'; there are {', '.join(LANGUAGES)}"):
        set_language("tlh")
    assert language() == "ru"
    with pytest.raises(ConfigError, match=rf'screen\.language="tlh": .*auto, {", ".join(LANGUAGES)}'):
        Settings(language="tlh")


def half_a_catalogue():
    whole = catalogue.catalogue_path("ru").with_suffix(".mo").read_bytes()
    return whole[: len(whole) // 2]


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"durak.mo": b""},
        {"durak.mo": b"damaged"},
        {"durak.mo": b"\xde\x12\x04\x95" + bytes(24)},
        {"durak.mo": half_a_catalogue()},
    ],
    ids=["missing", "empty", "damaged", "only a head", "cut"],
)
def test_without_a_good_catalogue_the_app_speaks_english_and_says_so(tmp_path, files):
    folder = tmp_path / "ru" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    problem = set_language("ru", tmp_path)
    assert problem.startswith("The texts in Русский are ")
    assert problem.endswith("the app speaks English.")
    assert (language(), gettext("Settings")) == ("en", "Settings")


def test_a_damaged_translation_costs_only_itself(tmp_path):
    """Where it does not take the values, the English text is shown."""
    folder = tmp_path / "ru" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    whole = catalogue.catalogue_path("ru").with_suffix(".mo").read_bytes()
    said = "{path} не читается".encode()
    assert whole.count(said)
    (folder / "durak.mo").write_bytes(whole.replace(said, said.replace(b"{path}", b"{qath}")))
    assert set_language("ru", tmp_path) == ""
    assert core_words(FileError("{path} cannot be read: {why}", path="a", why="b")) == "a cannot be read: b"
    assert gettext("Settings") != "Settings"


def error_of(call, *arguments):
    with pytest.raises(DurakError) as caught:
        call(*arguments)
    return caught.value


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (lambda: error_of(Rules.parse, "podkidnoi"), "набора 'podkidnoi' нет; может быть, podkidnoy? Есть: "),
        (lambda: error_of(Rules.parse, "podkidnoy:seats=9"), "seats=9: нужно число от 2 до 6 (правила 2.1)"),
        (lambda: error_of(Rules.parse, "podkidnoy:lowest_rank=J,seats=3"), "карт в колоде 16, их не хватит"),
        (lambda: error_of(Rules.parse, "podkidnoy:x=1"), "параметра 'x' нет; есть: "),
        (lambda: error_of(check_bot, "gredy"), "бота 'gredy' нет; может быть, greedy? Есть: "),
        (lambda: error_of(check_bot, "greedy:open"), "greedy:open видит все карты, за стол ему нельзя"),
    ],
)
def test_errors_of_the_core_are_said_in_the_language_in_force(error, said):
    english = str(error())
    assert core_words(error()) == english
    set_language("ru")
    assert core_words(error()).startswith(said)


def left_in_english(message):
    """List the templates in a message that have words and no translation."""
    inner = [value.message if isinstance(value, DurakError) else value for _, value in message.values]
    words = "".join(literal for literal, _, _, _ in string.Formatter().parse(message.template))
    found = [one for value in inner if isinstance(value, Message) for one in left_in_english(value)]
    if re.search("[a-z]{2}", words) and translate(message.template) == message.template:
        found.append(message.template)
    return found


@pytest.mark.slow
def test_every_reason_of_every_bot_is_said_in_russian():
    set_language("ru")
    told = set()
    for preset in PRESETS:
        texts = [LIGHT.get(name, name) for name in AGENTS if preset == "podkidnoy" or name not in NETWORKS]
        for pair in zip_longest(texts[::2], texts[1::2], fillvalue=texts[0]):
            agents = [make_agent(text) for text in pair]
            rules = Rules.preset(preset, seats=2)
            play_game(rules, agents, 1, on_decision=lambda _, decision: told.add(decision.reason))
    assert len({message.template for message in told}) > 25
    assert [one for message in told for one in left_in_english(message)] == []
    assert [core_words(one) for one in told if re.search("[A-Za-z]{2}", core_words(one))] == []


def test_every_refusal_is_said_in_russian():
    set_language("ru")
    refusals = [why for why in map(explain, Refusal) if why is not None]
    assert len(refusals) == len(Refusal) - 1
    assert [core_words(why.message) for why in refusals if left_in_english(why.message)] == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("[Deck", "[Tag"), "тега Deck нет (строка"),
        (("[FirstAttacker ", "[FirstAttacker 'x"), "нужен тег, например"),
        (('[Seat0 "', '[Seat5 "'), "места 5 нет, игроков всего 2 (строка 5, знак"),
        (("1. 0 attacks 1: 0:", "1. 0 attacks 1: x:"), "нужно ход, например 0:6c; "),
        (("1. ", "9. "), "нужно '1. "),
        (("pass", "6c"), "здесь нельзя"),
    ],
)
def test_what_is_wrong_with_a_game_is_said_in_russian(change, said):
    text = write_game(a_record(2)).replace(*change, 1)
    error = error_of(read_games, text)
    assert core_words(error) == str(error)
    set_language("ru")
    assert left_in_english(error.message) == []
    assert said in core_words(error)


def test_whatever_is_no_message_has_its_own_words():
    set_language("ru")
    assert core_words("something {new} went wrong") == "something {new} went wrong"
    assert core_words("the disk is full") == "the disk is full"
    assert core_words("") == ""


def test_a_rule_is_said_in_the_language_in_force():
    english = rule("5.1")
    set_language("ru")
    assert rule("5.1").startswith("5.1 ")
    assert rule("5.1") != english
    assert rule("7").startswith("`transfer`")
    with pytest.raises(RulesError):
        rule("99.9")


def test_numbers_are_written_as_people_write_them():
    """With a comma and a space before the sign in Russian."""
    assert (decimal(7.25, 1), percent(0.125, 1), percent(0.5)) == ("7.2", "12.5%", "50%")
    set_language("ru")
    assert (decimal(7.25, 1), percent(0.125, 1), percent(0.5)) == ("7,2", "12,5\xa0%", "50\xa0%")


def test_a_speaker_of_its_own_leaves_the_language_of_the_app_alone():
    speaker = Speaker()
    assert speaker.set_language("ru") == ""
    assert (speaker.language(), speaker.gettext("Settings")) == ("ru", "Настройки")
    assert (language(), gettext("Settings")) == ("en", "Settings")
