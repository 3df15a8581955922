"""Files in and out: regular ones within bounds, whole or not at all."""

import copy
import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from durak_core.errors import DurakError, FileError
from durak_core.files import (
    GrowingFile,
    check_writable,
    read_bytes,
    read_text,
    sweep,
    temporary_name,
    user_folder,
    write_text_atomically,
)


def refusal(path, most=10):
    """Return why a file is not read, without its name."""
    with pytest.raises(FileError, match="cannot be read") as caught:
        read_bytes(path, most)
    return str(caught.value.why)


def test_what_is_no_regular_file_within_its_bound_is_not_read(tmp_path) -> None:
    """Nothing is waited for and nothing is read before it is known to be a file of that size."""
    pipe, large, link = tmp_path / "pipe", tmp_path / "large", tmp_path / "link"
    os.mkfifo(pipe)
    large.write_bytes(b"x" * 11)
    link.symlink_to("/dev/zero")
    assert refusal(tmp_path / "no") == "there is no such file or folder"
    assert refusal(tmp_path) == "it is a folder; expected a file"
    assert refusal(pipe) == refusal(link) == refusal("/dev/zero") == "it is not a regular file"
    assert refusal(large, 10) == "it is larger than 9.54e-06 MB"
    assert (
        refusal(f"{tmp_path}/a\0b")
        == refusal(f"{tmp_path}/a\udc00\ud800")
        == "this cannot be the name of a file"
    )
    assert read_bytes(large, 11) == b"x" * 11


def test_a_missing_file_can_be_told_from_one_that_cannot_be_read(tmp_path) -> None:
    """The error says so, also after the way from another process."""
    for path, is_missing in ((tmp_path / "no", True), (tmp_path, False)):
        with pytest.raises(FileError) as caught:
            read_text(path, 10)
        again = copy.copy(caught.value)  # by the way that pickle takes
        assert again.is_missing is caught.value.is_missing is is_missing
        assert str(again) == str(caught.value)


def test_text_is_utf8_with_or_without_a_mark(tmp_path) -> None:
    path = tmp_path / "text"
    path.write_bytes("\ufeffдым".encode())
    assert read_text(path, 10) == "дым"
    path.write_bytes(b"\xff")
    with pytest.raises(FileError, match="it is not UTF-8 text"):
        read_text(path, 10)


def test_writing_replaces_a_file_in_one_step(tmp_path) -> None:
    """After writing there is the new text, and nothing else in the folder."""
    path = tmp_path / "game.durak"
    write_text_atomically(path, "one\r\n")
    write_text_atomically(str(path), "два\n")
    assert path.read_bytes() == "два\n".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch) -> None:
    """A full disk costs nothing but the new text."""
    path = tmp_path / "game.durak"
    write_text_atomically(path, "old")

    def fail(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(FileError, match="cannot be written: the disk is full"):
        write_text_atomically(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_writing_keeps_permissions_and_links(tmp_path) -> None:
    """Only the text of a file changes."""
    path, link = tmp_path / "game.durak", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o600)
    link.symlink_to(path)
    write_text_atomically(link, "new")
    assert path.read_text() == "new"
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o600


def test_writing_into_a_missing_folder_fails(tmp_path) -> None:
    """Folders are the caller's business."""
    with pytest.raises(FileError, match="there is no such file or folder"):
        write_text_atomically(Path(tmp_path, "no", "game.durak"), "x")


def test_a_pipe_and_a_device_are_written_to(tmp_path) -> None:
    """They are not replaced by a file."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    write_text_atomically(path, "text")
    assert os.read(reader, 10) == b"text"
    os.close(reader)
    assert path.is_fifo()
    write_text_atomically(os.devnull, "text")
    assert Path(os.devnull).is_char_device()


def test_standard_output_is_written_to_whatever_it_is(tmp_path) -> None:
    """A name for an open file is not a place for a new one; what stands in that file stays."""
    program = "from durak_core.files import write_text_atomically as write; write('/dev/stdout', 'new')"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "new"
    path = tmp_path / "out"
    path.write_text("old ")
    with path.open("a") as file:
        subprocess.run([sys.executable, "-c", program], stdout=file, check=True)
    assert path.read_text() == "old new"


def test_a_text_is_written_piece_by_piece_and_only_whole(tmp_path) -> None:
    """What making a piece raises comes through as it is."""
    path = tmp_path / "text"
    write_text_atomically(path, iter(["one ", "two"]))
    assert path.read_text() == "one two"

    def failing() -> Iterator[str]:
        yield "three"
        raise DurakError("it ends")

    with pytest.raises(DurakError, match=r"^it ends$"):
        write_text_atomically(path, failing())
    assert path.read_text() == "one two"
    assert list(tmp_path.iterdir()) == [path]


def test_a_growing_file_with_lines_gets_its_name_however_it_ends(tmp_path) -> None:
    """What the name stood for stays until then, and what programs left here before is swept."""
    path, left = tmp_path / "games", tmp_path / ".a.999999999-0123abcd.tmp"
    path.write_text("old")
    left.write_text("")
    file = GrowingFile(path)
    file.write_line("one")
    assert path.read_text() == "old"
    with pytest.raises(KeyboardInterrupt), file:
        raise KeyboardInterrupt
    assert path.read_text() == "one\n"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(KeyboardInterrupt), GrowingFile(path):
        raise KeyboardInterrupt
    assert path.read_text() == "one\n", "a failure before the first line"
    with GrowingFile(path):
        pass
    assert (path.read_text(), list(tmp_path.iterdir())) == ("", [path])


def test_lines_go_to_pipes_and_open_files_at_once(tmp_path) -> None:
    """Among what the program itself writes there."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with GrowingFile(pipe) as file:
        file.write_line("one")
        assert os.read(reader, 10) == b"one\n"
    os.close(reader)
    program = """
from durak_core.files import GrowingFile
print("before", flush=True)
with GrowingFile("/dev/stdout") as file:
    file.write_line("line")
print("after")
"""
    with (tmp_path / "out").open("w+") as out:
        subprocess.run([sys.executable, "-c", program], stdout=out, check=True)
    assert Path(out.name).read_text() == "before\nline\nafter\n"
    with pytest.raises(FileError, match="the disk is full"), GrowingFile("/dev/full") as file:
        file.write_line("line")


@pytest.mark.parametrize("old", ["old\n", None])
def test_a_disk_that_fills_up_never_costs_the_old_file(tmp_path, old) -> None:
    """A new file has the whole lines that were written before the disk was full."""
    path = tmp_path / "file"
    if old is not None:
        path.write_text(old)
    program = """
import resource, sys
from durak_core.files import GrowingFile
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
with GrowingFile(sys.argv[1]) as file:
    for _ in range(100):
        file.write_line("x" * 999)
"""
    ended = subprocess.run([sys.executable, "-c", program, path], capture_output=True, check=False, text=True)
    assert "cannot be written: it would become too large" in ended.stderr
    assert list(tmp_path.iterdir()) == [path]
    written = path.read_text().splitlines(keepends=True)
    if old is not None:
        assert written == [old]
    else:
        assert 0 < len(written) <= 50
        assert set(written) == {"x" * 999 + "\n"}


def test_what_cannot_be_written_is_said_before_the_work(tmp_path) -> None:
    """A folder, a file in none, and nothing is made meanwhile."""
    for path, reason in ((tmp_path, "it is a folder"), (tmp_path / "no" / "file", "there is no such folder")):
        for check in (check_writable, GrowingFile):
            with pytest.raises(FileError, match=reason):
                check(path)
    check_writable(tmp_path / "file")
    check_writable(os.devnull)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT, errno.EACCES])
def test_each_failure_of_a_disk_has_words_of_its_own(tmp_path, monkeypatch, number) -> None:
    """A player reads no identifier, and which one it is can be told apart."""

    def fail(_handle: int) -> None:
        raise OSError(number, "x")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(FileError) as caught:
        write_text_atomically(tmp_path / "file", "new")
    assert not list(tmp_path.iterdir())
    assert str(caught.value.why) != "x"


def test_temporary_files_of_ended_programs_are_swept(tmp_path) -> None:
    """Those of programs that run, and what only looks alike, stay."""
    program = "import os; print(os.getpid())"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    mine, theirs = temporary_name(tmp_path / "a"), tmp_path / f".a.{int(ended.stdout)}-0123abcd.tmp"
    other = tmp_path / ".a.tmp"
    for path in (mine, theirs, other):
        path.write_text("")
    sweep(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([mine, other])
    sweep(tmp_path / "no")


@pytest.mark.parametrize("kind", ["data", "config", "cache"])
def test_a_user_without_a_home_has_folders_that_do_not_exist(monkeypatch, kind: str) -> None:
    """As in a container whose user has no entry in /etc/passwd."""

    def no_entry(uid: int) -> None:
        raise KeyError(uid)

    for name in ("HOME", "DURAK_TEST_DIR", f"XDG_{kind.upper()}_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", no_entry)
    assert not user_folder(kind, "DURAK_TEST_DIR").exists()
    monkeypatch.setenv("DURAK_TEST_DIR", "here")
    assert user_folder(kind, "DURAK_TEST_DIR") == Path("here")
