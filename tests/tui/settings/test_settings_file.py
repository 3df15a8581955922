"""Settings: a round trip, clear errors with line and key, damaged files kept, atomic writing."""

import os
from dataclasses import fields
from pathlib import Path

import pytest

from durak_core.config import ConfigError, allowed_words
from durak_core.errors import FileError
from durak_tui.storage.settings import PACE_SECONDS, Settings, SettingsFile


@pytest.fixture
def file(tmp_path):
    return SettingsFile(tmp_path / "deep" / "settings.toml")


def write(file, text):
    file.path.parent.mkdir(parents=True, exist_ok=True)
    file.path.write_text(text, "utf-8")
    return file


def refuse(*_args, **_kwargs):
    raise OSError(28, "No space left on device")


CHANGED = Settings(
    name="Марина",
    colours="two",
    ascii=True,
    size="small",
    sort="rank",
    descending=True,
    theme="nord",
    reduced_motion=True,
    pace="instant",
    rules="perevodnoy:seats=4",
    players=("human", "greedy", "smart", "random:uniform"),
    watched=("greedy", "smart"),
    keys={"table.take": ("x", "f5"), "table.sort": ("t",)},
)


@pytest.mark.parametrize("settings", [Settings(), CHANGED])
def test_settings_come_back_as_they_were_saved(file, settings):
    file.save(settings)
    assert SettingsFile(file.path).load() == settings
    assert file.problems == []


def test_a_change_leaves_what_another_window_has_saved(file):
    file.change(name="Anna")
    other = SettingsFile(file.path)
    other.load()
    other.change(theme="nord")
    file.change(pace="4x")
    assert other.load() == Settings(name="Anna", theme="nord", pace="4x")


@pytest.mark.parametrize("text", [None, "rubbish", "[player]\nname = 3\n"])
def test_a_change_after_the_file_was_spoiled_keeps_all_settings(file, text):
    file.change(name="Anna")
    file.path.unlink() if text is None else file.path.write_text(text)
    file.change(pace="4x")
    assert SettingsFile(file.path).load() == Settings(name="Anna", pace="4x")
    asides = file.path.parent.glob("*.damaged-1")
    assert [aside.read_text() for aside in asides] == ([] if text is None else [text])


def test_changes_that_failed_are_saved_with_the_next(file, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", refuse)
        with pytest.raises(FileError):
            file.change(name="Anna")
    file.change(pace="4x")
    assert file.load() == Settings(name="Anna", pace="4x")


def test_without_a_file_there_are_defaults_and_nothing_to_tell(file):
    assert file.load() == Settings()
    assert file.problems == []


def test_an_old_file_keeps_its_two_colours_and_a_new_player_gets_four(file):
    assert file.load().colours == "four"
    assert write(file, '[cards]\ncolours = "two"\n').load().colours == "two"


def test_a_file_that_is_no_toml_is_kept_aside_and_told(file):
    write(file, '[player]\nname = "Anna\n')
    assert file.load() == Settings()
    (problem,) = file.problems
    assert "line 2" in problem
    assert "settings.toml.damaged-1" in problem
    assert (file.path.parent / "settings.toml.damaged-1").read_text() == '[player]\nname = "Anna\n'
    assert not file.path.exists()


def test_bytes_that_are_no_text_are_kept_aside(file):
    file.path.parent.mkdir()
    file.path.write_bytes(b"\xff\xfe\x00")
    assert file.load() == Settings()
    assert "damaged-1" in file.problems[0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '[cards]\n\ncolours = "three"\n',
            'settings.toml: cards.colours="three": expected one of two, four',
        ),
        ("[cards]\nascii = 1\n", "settings.toml: cards.ascii=1: expected true or false"),
        ('[player]\nname = ""\n', 'settings.toml: player.name="": expected a name'),
        ('[play]\npace = "3x"\n', 'settings.toml: play.pace="3x": expected one of 0.5x, 1x, 2x, 4x, instant'),
        ('[play]\nrules = "podkidnoi"\n', "settings.toml: play.rules: there is no preset 'podkidnoi'"),
        ('[play]\nrules = "podkidnoy:seats=9"\n', "rules 2.1"),
        ('[play]\nplayers = ["human", "gredy"]\n', "settings.toml: play.players: there is no player 'gredy'"),
        ("[player]\nguests = [3]\n", "settings.toml: player.guests[0]=3: expected a text"),
        ('[play]\nconfirm = "no"\n', 'settings.toml: play.confirm="no": expected true or false'),
        ("[cards]\ncolour = 1\n", "settings.toml: cards.colour: there is no such key; did you mean colours?"),
        ("[card]\ncolours = 1\n", "settings.toml: card: there is no such key; did you mean cards?"),
        ("cards = 1\n", "settings.toml: cards=1: expected a table"),
        (
            '[keys]\n"table.take" = "s"\n',
            "settings.toml: keys.table.take: table.sort: the key 's' already belongs",
        ),
        ('[keys]\ntable.take = ["s"]\n', "already belongs to table.take"),
        ('[keys]\n"table.tak" = ["x"]\n', "did you mean table.take?"),
        ('[keys]\n"table.take" = 5.5\n', "'5.5' is not a key"),
    ],
)
def test_a_wrong_value_is_told_with_its_key_and_costs_nothing_else(file, text, told):
    write(file, text + '\n[screen]\ntheme = "nord"\n')
    settings = file.load()
    assert settings == Settings(theme="nord")
    (problem,) = file.problems
    assert told in problem


def test_keys_that_are_right_stay_when_one_is_wrong(file):
    write(file, '[keys]\n"table.take" = "x"\n"table.sort" = "l"\n')
    assert file.load().keys == {"table.take": ("x",)}


def test_a_file_with_a_wrong_value_is_kept_aside_before_it_is_written_over(file):
    text = '[cards]\ncolours = "three"\n'
    write(file, text)
    settings = file.load()
    assert file.path.read_text() == text
    file.save(settings)
    assert (file.path.parent / "settings.toml.damaged-1").read_text() == text
    assert SettingsFile(file.path).load() == Settings()
    file.save(settings)
    assert len(list(file.path.parent.iterdir())) == 2


def test_a_file_that_was_mended_meanwhile_is_not_kept_aside(file):
    write(file, '[cards]\ncolours = "three"\n').load()
    settings = write(file, '[cards]\ncolours = "four"\n').load()
    file.save(settings)
    assert [path.name for path in file.path.parent.iterdir()] == [file.path.name]


MANY = "".join([f"a{number}=1\n" for number in range(9000)]).encode()


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to(os.devnull)])
def test_what_is_no_file_is_told_and_left_as_it_is(file, make):
    """It is neither waited for nor renamed, replaced or written to."""
    file.path.parent.mkdir(parents=True)
    make(file.path)
    kind = file.path.lstat().st_mode
    assert file.load() == Settings()
    assert "cannot be read" in file.problems[0]
    with pytest.raises(FileError, match="cannot be written: it is not a regular file"):
        file.save(Settings())
    assert list(file.path.parent.iterdir()) == [file.path]
    assert file.path.lstat().st_mode == kind


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"a=" + b"1" * 5000, "a number cannot have more than 250 digits"),
        (b"a=" + b"[" * 3000, "lists and tables cannot be nested more than 20 deep"),
        (b"\xff\xfea\0", "this is not UTF-8 text"),
        (b"a=\0", "this is not TOML"),
        (MANY, "more than 20 of its values are wrong"),
        (b"[keys]\n" + MANY, "more than 20 of its values are wrong"),
    ],
    ids=range(6),
)
def test_a_file_that_is_beyond_reading_is_kept_aside(file, data, why):
    file.path.parent.mkdir(parents=True)
    file.path.write_bytes(data)
    assert file.load() == Settings()
    (problem,) = file.problems
    assert why in problem
    assert (file.path.parent / "settings.toml.damaged-1").read_bytes() == data
    assert not file.path.exists()


def test_a_file_that_is_too_large_is_kept_aside_before_it_is_written_over(file):
    write(file, "#" * 110_000)
    assert file.load() == Settings()
    assert "it is larger than 0.1 MB" in file.problems[0]
    file.save(Settings())
    assert (file.path.parent / "settings.toml.damaged-1").stat().st_size == 110_000
    assert SettingsFile(file.path).load() == Settings()


CHOSEN = [field.name for field in fields(Settings) if allowed_words(Settings, field.name)]


@pytest.mark.parametrize("name", CHOSEN)
def test_every_choice_may_stand_and_nothing_else(name):
    assert len(CHOSEN) == 9
    for word in allowed_words(Settings, name):
        Settings(**{name: word})
    with pytest.raises(ConfigError, match=name):
        Settings(**{name: "otherwise"})


def test_faster_paces_wait_less():
    waits = list(PACE_SECONDS.values())
    assert waits == sorted(waits, reverse=True)
    assert waits[-1] == 0
    assert Settings(pace="instant").pace_seconds == 0
