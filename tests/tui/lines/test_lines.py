"""The game in lines: whole games in both languages, questions, refusals, and what is wrong."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE, read_until, running, wait_for_end

from durak_core import Attacked, BoutBegan, CardSet, Rank, Rules, Suit, read_game, read_game_code
from durak_tui.board.view import short_log
from durak_tui.library.model.store import Library
from durak_tui.lines.reading import (
    COMMANDS,
    SETTINGS,
    Named,
    UnknownWordError,
    all_words,
    read_line,
    setting_word,
    value_words,
)
from durak_tui.lines.view import setting_choices
from durak_tui.play.saves import Saves
from durak_tui.storage.paths import data_dir
from durak_tui.storage.settings import SettingsFile
from durak_tui.text.i18n import LANGUAGES, gettext, set_language
from durak_tui.text.phrases import SpokenVoice
from tui.lines.talking import talk, whole_game

SEVEN = {"rules": Rules(), "bots": ("greedy",), "seed": 7}
"""The person is attacked with the six of clubs in the second bout."""
FAKE = Path(__file__).parents[1] / "fake_engine.py"
NOT_SAID = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2190-\u21ff\u2500-\u259f\u2660-\u2667×·≈±]"  # noqa: RUF001 - a sign
    r"|\d-?(?!st|nd|rd|th)[^\W\d]"
)


# Reading


@pytest.mark.parametrize(
    ("text", "name", "cards"),
    [
        ("6s", "play", [Named(Rank.SIX, Suit.SPADES)]),
        ("The Six of Spades.", "play", [Named(Rank.SIX, Suit.SPADES)]),
        ("10h", "play", [Named(Rank.TEN, Suit.HEARTS)]),
        ("Ts", "play", [Named(Rank.TEN, Suit.SPADES)]),
        ("тп", "play", [Named(Rank.ACE, Suit.SPADES)]),
        ("пиковая дама", "play", [Named(Rank.QUEEN, Suit.SPADES)]),
        ("A♠️", "play", [Named(Rank.ACE, Suit.SPADES)]),
        (
            "бью шестёрку треф девяткой треф",
            "beat",
            [Named(Rank.SIX, Suit.CLUBS), Named(Rank.NINE, Suit.CLUBS)],
        ),
        ("9cx6c", "play", [Named(Rank.NINE, Suit.CLUBS), Named(Rank.SIX, Suit.CLUBS)]),
        (">6d", "transfer", [Named(Rank.SIX, Suit.DIAMONDS)]),
        ("козырная десятка", "play", [Named(Rank.TEN, is_trump=True)]),
        ("queen", "play", [Named(Rank.QUEEN)]),
        ("why 7h", "why", [Named(Rank.SEVEN, Suit.HEARTS)]),
        ("8p 6p", "play", [Named(Rank.EIGHT, Suit.SPADES), Named(Rank.SIX, Suit.SPADES)]),
        ("Herz Dame", "play", [Named(Rank.QUEEN, Suit.HEARTS)]),
        ("black joker", "play", [Named(Rank.JOKER, Suit.SPADES)]),
        ("бью 6п красным джокером", "beat", [Named(Rank.SIX, Suit.SPADES), Named(Rank.JOKER, Suit.HEARTS)]),
        ("Joker rot", "play", [Named(Rank.JOKER, Suit.HEARTS)]),
        (
            "*s9cx*h",
            "play",
            [Named(Rank.JOKER, Suit.SPADES), Named(Rank.NINE, Suit.CLUBS), Named(Rank.JOKER, Suit.HEARTS)],
        ),
        ("joker", "play", [Named(Rank.JOKER)]),
        ("Беру!", "take", []),
        ("рфтв", "hand", []),  # hand in the Russian layout
        ("cnjk", "table", []),  # стол in the English one
        ("", "again", []),
    ],
)
def test_cards_and_words_are_read_in_any_language(text, name, cards):
    order = read_line(text)
    assert (order.name, [*order.cards]) == (name, cards)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_stands_for_two_commands(language):
    set_language(language)
    for name in set(COMMANDS) - {"all", "on", "off"}:
        for word in all_words(name):
            assert read_line(word).name == name, word


def test_an_unknown_word_is_named_with_the_nearest_one():
    with pytest.raises(UnknownWordError, match="Did you mean “hand”"):
        read_line("hnad")
    with pytest.raises(UnknownWordError, match="too long"):
        read_line("6s " * 1000)


# Games


GAMES = (
    ("podkidnoy", ("greedy",), 7),
    ("perevodnoy:seats=3,show_trump=yes,exchange_trump=yes", ("greedy", "smart"), 3),
    ("larsenbier:seats=4,teams=2x2", ("greedy", "greedy", "greedy"), 5),
)
LATIN, CYRILLIC = r"\b(the|you|of|with)\b", r"[Ѐ-ӿ]"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("language", "rules", "bots", "seed"),
    [(code, *GAMES[number % len(GAMES)]) for number, code in enumerate((*LANGUAGES, "en"))],
)
def test_a_script_plays_a_whole_game(language, rules, bots, seed):
    set_language(language)
    game = whole_game(rules, bots, seed)
    at_once = {"confirm": False}
    script = talk(
        "help",
        "why",
        *game.lines,
        rules=Rules.parse(rules),
        bots=bots,
        seed=seed,
        language=language,
        changes=at_once,
    )
    (path,) = (data_dir() / "games").iterdir()
    assert read_game(path.read_text("utf-8")).replay()[-1].places == game.end.places
    assert Library(data_dir()).count() == 1
    assert not [line for line in script.said if NOT_SAID.search(line)]
    foreign = {"en": CYRILLIC, "de": CYRILLIC}.get(language, LATIN)
    assert not [line for line in script.said if re.search(foreign, line)]


def test_questions_are_answered_without_asking_again():
    script = talk("hand", "table", "moves", "trump", "discard", "known", "known as", "players", **SEVEN)
    assert script.after("hand") == [
        "Your hand, 8 cards: spades: 6; hearts: 6, 10, jack, king; clubs: 8, king, ace."
    ]
    assert script.after("table") == [
        "Bout 2: Greedy against you.",
        "The six of clubs is open.",
        "At most 6 attack cards in this bout.",
    ]
    assert script.after("moves") == [
        "The six of clubs can be beaten with clubs: 8, king, ace.",
        "You may type: take.",
    ]
    assert script.after("trump") == ["Trumps are diamonds. Under the talon lies the seven of diamonds."]
    assert script.after("discard") == ["Discarded: 0 cards."]
    assert "The others know of your hand: spades: 6; hearts: 6." in script.after("known")
    assert script.after("known as") == ["The ace of spades: Greedy or the talon."]
    assert script.after("players")[1] == "Greedy: 5 cards, attacking."


def test_what_the_others_may_know_is_left_open():
    """The first attacker has the lowest trump, so the deal says something about the hand."""
    script = talk("known", "known 6d", rules=Rules(), bots=("greedy",), seed=0)
    assert script.after("known")[-1] == "It is unclear which cards of your hand the others know."
    assert script.after("known 6d")[0] == "The six of diamonds: in hand. Can't tell who knows."


def test_a_refusal_names_its_rule_and_why_reads_it():
    more = ("pass", "nonsense", "beat olga", "take", "take")
    script = talk("6s", "why", "why qs", "8c 6s", "kd 6c", *more, **SEVEN)
    assert script.after("6s") == ["The six of spades does not beat the six of clubs (rules 1.4)."]
    assert script.after("why")[0].startswith("1.4 A higher card")
    assert script.after("why qs") == ["You do not have that card."]
    assert script.after("pass") == ["Beat it or take (rules 5.5)."]
    assert script.after("nonsense")[0].startswith("I do not know “nonsense”")
    assert script.after("8c 6s")[0].startswith("Name one card, or a card of yours")
    assert script.after("kd 6c") == ["You do not have the king of diamonds."]
    assert script.after("beat olga") == ["“olga” is not a card. Type a card as 6 spades or six of spades."]
    assert script.after("take") == ["You could still answer. Take this card? If so, type take again."]
    assert "You take the six of clubs." in script.said


def test_a_rank_is_enough_if_only_one_card_fits():
    assert "You beat the six of clubs with the eight of clubs." in talk("8", **SEVEN).said
    script = talk("8", "6", **SEVEN)
    assert "Which one: the six of spades or the six of hearts?" in script.after("6")


def test_cards_laid_in_a_row_are_one_sentence():
    laid = CardSet.parse("6s6h7c")
    events = (BoutBegan(1, 1, 0, 6), *(Attacked(1, card) for card in laid))
    expected = {
        "en": "Olga attacks with the six of spades, the six of hearts and the seven of clubs",
        "ru": "Ольга ходит с шестёрки пик, шестёрки червей и семёрки треф",  # noqa: RUF001 - a Russian word
    }
    for language, words in expected.items():
        set_language(language)
        names = (gettext("You"), gettext("Olga"))
        assert short_log(events, SpokenVoice(names, 0))[1].words == words


def test_a_move_is_taken_back():
    script = talk("undo", "8c", "undo", "redo", "undo", "redo", "redo", "undo", "score", **SEVEN)
    assert script.after("undo") == ["You have not played anything yet."]
    assert script.after("redo")[0] == "Played again."
    assert script.said.count("Played again.") == 2
    assert script.said.count("Nothing was taken back.") == 1
    assert "Taken back. The game counts as assisted." in script.said
    assert Saves().unfinished()[0].used.undos == 3


def test_a_hint_has_chances_and_counts(monkeypatch):
    monkeypatch.setenv("DURAK_ENGINE", f"{sys.executable} {FAKE} legal")
    script = talk("hint", **SEVEN, changes={"figures": True})
    hint = script.after("hint")
    assert hint[0].startswith("Beat the six of clubs with the eight of clubs.")
    assert hint[1].startswith("1. Beat the six of clubs with the eight of clubs, safe 80%.")
    script = talk("hint", **SEVEN)
    assert script.after("hint")[1].startswith("1. Beat the six of clubs with the eight of clubs, best.")
    assert Saves().unfinished()[0].used.hints == 1


def test_a_word_that_costs_the_rating_says_so_first(monkeypatch):
    monkeypatch.setenv("DURAK_ENGINE", f"{sys.executable} {FAKE} legal")
    script = talk("hint", "why", "hint", **SEVEN | {"bots": ("level:misha",)})
    warned = "With help, this game will not be rated. Type it again to go on."
    assert script.after("hint") == [warned]
    assert script.said.count(warned) == 1
    assert Saves().unfinished()[0].used.hints == 1


def test_a_game_goes_on_in_lines_and_in_the_app():
    talk("8c", **SEVEN)
    (game,) = Saves().unfinished()
    assert game.states[-1].bout == 3
    script = talk("games", at_once="", changes={})
    assert script.said[0] == "Continued: against Greedy, bout 3."
    assert script.after("games") == ["There is no unfinished game.", "The game is saved."]


def test_the_next_games_are_of_the_players_choice():
    game = whole_game("podkidnoy", ("greedy",), 7)
    script = talk(
        *game.lines,
        *("next", "new perevodnoy seats=3 bots=olga,misha seed=5", "new nobody", "next", "games"),
        **SEVEN | {"changes": {"confirm": False}},
    )
    assert any(line.startswith("Game 2, lost: ") for line in script.after("next"))
    assert "Perevodnoy, 3 players." in script.said
    assert script.after("new nobody")[0].startswith("There is no player 'nobody'")
    unfinished, saved = script.after("games")
    # its deal is any, and bouts in which nothing can be chosen play themselves
    assert re.fullmatch(r"1: against Greedy, bout \d+\.", unfinished)
    assert saved == "The game is saved."
    settings = SettingsFile().load()
    assert (settings.rules, settings.players) == (
        "perevodnoy:seats=3",
        ("human", "level:olga", "level:misha"),
    )


def test_settings_change_how_cards_are_said():
    script = talk(
        "set said signs", "hand", "set said nonsense", "set coach maybe", "set nothing", "set", **SEVEN
    )
    assert script.after("hand") == ["Your hand, 8 cards: 6♠ 6♥ 10♥ J♥ K♥ 8♣ K♣ A♣."]
    assert "words" in script.after("set said nonsense")[0]
    assert script.after("set coach maybe") == ["coach can be on or off."]
    assert script.after("set nothing")[0].startswith("There is no setting nothing; there are name,")
    assert SettingsFile().load().said == "signs"


@pytest.mark.parametrize("code", LANGUAGES)
def test_settings_are_named_and_typed_in_the_players_language(code):
    """No English name, sign or abbreviation is left for a speech program to spell."""
    set_language(code)
    values = {
        setting_word(name): list(map(value_words, setting_choices(name)))
        for name in SETTINGS
        if name != "language"
    }
    changes = [f"set {name} {value}" for name, choices in values.items() for value in choices]
    script = talk(*changes, "set sprache Українська", language=code, **SEVEN)
    for name, choices in values.items():
        assert not re.search(r"[_\d]", name)
        for value in choices:
            said = script.after(f"set {name} {value}")[-1]
            assert said.startswith(f"{name}: {value} ({', '.join(choices)}). ")
    assert script.after("set sprache Українська")[0].startswith("мова: українська (автоматично, англійська, ")


def test_the_daily_deal_has_no_help():
    script = talk("hint", "undo", at_once="daily")
    assert script.after("hint") == ["In the daily deal there are no hints, and no moves are taken back."]
    assert talk(at_once="daily").said[0].startswith("Continued: daily deal of ")


def test_an_unsaved_game_is_left_only_when_asked_twice(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("DURAK_DATA_DIR", str(tmp_path / "file" / "data"))
    script = talk("quit", "hand", "quit", code=2, **SEVEN)
    told = [line for line in script.said if "saved" in line or "without saving" in line]
    assert told[-1].startswith("What was played last cannot be saved: ")
    assert script.after("quit")[-1] == "To leave without saving, type quit again."


def test_people_share_a_keyboard():
    game = {"rules": Rules(), "bots": ("human",), "seed": 7}
    script = talk("", "6s", "", "hand", **game)
    turns = [line for line in script.said if line.endswith("your turn.")]
    assert turns == ["Player 2, your turn.", "Player 1, your turn."]
    assert script.after("hand")[0] == "Your hand, 6 cards: hearts: 10, jack, king; clubs: 8, king, ace."
    assert not [line for line in script.said if line.startswith("Player 2 draws the")]


def test_the_last_game_is_reviewed(monkeypatch):
    monkeypatch.setenv("DURAK_ENGINE", f"{sys.executable} {FAKE} decide")
    game = whole_game("podkidnoy", ("greedy",), 7, choose=lambda actions: actions[-1])
    script = talk(*game.lines, "review", **SEVEN | {"changes": {"confirm": False}})
    assert any(re.match(r"Move \d+, bout \d+: .+\. Blunder\. .+\. Better: ", line) for line in script.said)
    assert talk("review", **SEVEN).after("review")[1:3] != []


def test_the_last_game_is_shared_by_its_code():
    assert talk("share", **SEVEN).after("share")[0] == "There is no finished game yet."
    game = whole_game("podkidnoy", ("greedy",), 7, choose=lambda actions: actions[-1])
    script = talk(*game.lines, "share", **SEVEN | {"changes": {"confirm": False}})
    code = script.after("share")[1]
    assert read_game_code(code).end.is_over
    assert talk("code", **SEVEN).after("code")[1] == code


# The command


def program(*arguments, **settings):
    return [sys.executable, "-m", "durak_core.cli", "play", "--seed", "7", "--bots", "greedy", *arguments]


def test_the_command_plays_through_pipes_without_a_terminal():
    result = subprocess.run(
        program("--language", "ru"),
        input="карты\nждём\n",
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        env={**os.environ, "TERM": "dumb", "LC_ALL": "C.UTF-8"},
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines()[0] == "Подкидной, 2 игрока."
    assert result.stdout.splitlines()[-1] == "Партия сохранена."
    assert "\x1b" not in result.stdout
    assert len(Saves().unfinished()) == 1


def test_without_letters_of_the_language_it_speaks_english():
    environment = {**os.environ, "LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    result = subprocess.run(
        program("--language", "ru"),
        input=b"\xff\xfe\n\x00\n" + b"6" * 100_000 + b"\nquit\n",
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        env={**environment, "PYTHONIOENCODING": "ascii"},
    )
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.decode("ascii").splitlines()[0] == "Podkidnoy, 2 players."


@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_the_game_saved(number):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with running(program(), **pipes) as process:
        read_until(process.stdout.fileno(), "You defend")
        process.send_signal(number)
        assert wait_for_end(process) == 128 + number
    assert len(Saves().unfinished()) == 1


def test_closed_pipes_end_it_with_the_game_saved():
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with running(program(), **pipes) as process:
        read_until(process.stdout.fileno(), "You defend")
        process.stdout.close()
        process.stdin.write(b"hand\nhand\n")
        process.stdin.close()
        assert wait_for_end(process) == 1
        assert process.stderr.read() == b""
    assert len(Saves().unfinished()) == 1


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("stream", "code", "told"),
    [
        ("<&-", 0, ""),
        (">&-", 2, "Error: the standard output is closed\n"),
        (">/dev/full", 2, "Error: the output cannot be written: No space left on device\n"),
    ],
)
def test_streams_may_be_closed_or_full(stream, code, told):
    command = ["sh", "-c", f"{' '.join(program())} {stream}"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (result.returncode, result.stderr) == (code, told)


@pytest.mark.parametrize("arguments", [["--web"], ["--join", "ABCDEFGH"], ["game.durak"]])
def test_it_refuses_what_needs_a_screen(arguments):
    result = subprocess.run(
        [sys.executable, "-m", "durak_tui", "--lines", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert result.returncode == 2
    assert "--lines" in result.stderr or "game.durak" in result.stderr


def test_a_watched_game_is_told_to_its_end():
    command = [*program(), "--watch", "--bots", "greedy,random", "--seed", "4"]
    result = subprocess.run(command, input="", capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[1] == "Players: Greedy, Random."
    assert lines[3] == "Bout 1: Random against Greedy."
    assert any(line.endswith("is the fool.") for line in lines)
