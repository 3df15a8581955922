"""What the documents say is true: examples run, commands work, links lead somewhere."""

from __future__ import annotations

import doctest
import io
import re
import shlex
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from durak_core import OPTIONS, PRESETS
from durak_core.agents.personas import OPPONENTS
from durak_core.cli import cli
from durak_core.installation import version
from durak_tui import cli as tui_cli
from durak_tui.keys.actions import ACTIONS
from durak_tui.keys.keymap import Keymap, key_label
from durak_tui.players import stars_text

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
DOCS = [
    *(README, ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"),
    *sorted([*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "reference").glob("*.md")]),
]
SOURCES = sorted([*ROOT.glob("durak_core/**/*.py"), *ROOT.glob("durak_tui/**/*.py")])
WITH_EXAMPLES = [path for path in SOURCES if ">>> " in path.read_text(encoding="utf-8")]

FENCE = re.compile(r"^```([\w{}-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ONLY_PARSED = {"bench", "bench-agent", "dataset", "exploit", "solve", "warm-up"}
"""Subcommands that take too long to be run, or whose output is about the machine."""


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


# Examples


def python_alone(text: str) -> str:
    """Empty every line that is not inside a fence of Python, so that line numbers stay right."""
    kept = [""] * len(text.splitlines())
    for fence in FENCE.finditer(text):
        if fence[1] == "python":
            first = text[: fence.start(2)].count("\n")
            lines = fence[2].splitlines()
            kept[first : first + len(lines)] = lines
    return "\n".join(kept) + "\n"


def failures(test: doctest.DocTest) -> str:
    """Run examples and return what went wrong."""
    out = io.StringIO()
    doctest.DocTestRunner(verbose=False).run(test, out=out.write)
    return out.getvalue()


def save_files(text: str, folder: Path) -> None:
    """Save the blocks that begin with a file's name as a comment, as a reader would."""
    for fence in FENCE.finditer(text):
        if fence[1] == "python" and (name := re.match(r"# (\w+\.py)\n", fence[2])):
            (folder / name[1]).write_text(fence[2])


@pytest.mark.parametrize("path", [path for path in DOCS if ">>> " in read(path)], ids=relative)
def test_examples_of_the_documents_run(path: Path, importable: Path) -> None:
    """A document is one session: later examples use the names of earlier ones."""
    save_files(read(path), importable)
    examples = doctest.DocTestParser().get_doctest(
        python_alone(read(path)), {}, path.name, str(path), lineno=0
    )
    assert len(examples.examples) == read(path).count(">>> "), "an example stands outside of ```python"
    assert failures(examples) == ""


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=relative)
def test_examples_of_docstrings_run(path: Path) -> None:
    """Each docstring is a session of its own."""
    module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    tests = [test for test in doctest.DocTestFinder(exclude_empty=True).find(module) if test.examples]
    assert tests
    assert "".join(map(failures, tests)) == ""


# Commands


def console(text: str) -> Iterator[tuple[list[str], str]]:
    """Yield the commands of all console blocks as words, each with the output that is shown."""
    for fence in FENCE.finditer(text):
        if fence[1] != "console":
            continue
        for part in re.split(r"^\$ ", fence[2], flags=re.MULTILINE)[1:]:
            line, _, output = part.partition("\n")
            yield shlex.split(line), output


def without_speeds(text: str) -> str:
    """Replace figures of speed, which no two runs share, and the spaces at the ends of lines."""
    text = re.sub(r"[\d,]+ (decisions|games a second)", r"N \1", text)
    lines = [re.sub(r" +[\d,.]+ │$", " N │", line.rstrip()) for line in text.splitlines()]
    return "\n".join(lines)


def subcommand(name: str) -> click.Command:
    found = cli.get_command(click.Context(cli), name)
    assert found is not None, f"there is no durak {name}"
    return found


@pytest.mark.parametrize("path", DOCS, ids=relative)
def test_commands_work_and_print_what_is_shown(path: Path, importable: Path) -> None:
    """The commands of a document are run one after the other in one folder, as a reader would."""
    save_files(read(path), importable)
    for words, shown in console(read(path)):
        match words:
            case ["durak", name, *rest] if name in ONLY_PARSED:
                subcommand(name).make_context(name, rest)
            case ["durak", *rest]:
                result = CliRunner().invoke(cli, rest, env={"COLUMNS": "80"})
                assert result.exit_code == 0, f"{words}: {result.output}"
                printed, expected = without_speeds(result.stdout), without_speeds(shown)
                if expected.endswith("\n..."):  # the rest is left out
                    assert printed.startswith(expected.removesuffix("...")), words
                elif expected:
                    assert printed == expected, words
            case ["durak-tui", *rest]:
                tui_cli._command.make_context("durak-tui", rest)
            case _:
                pytest.fail(f"{words}: neither durak nor durak-tui")


@pytest.mark.parametrize("path", DOCS, ids=relative)
def test_commands_in_sentences_exist(path: Path) -> None:
    """A subcommand that a sentence names is there, and so are the options named after it."""
    for span in re.findall(r"`durak ([^`]+)`", read(path)):
        name, *rest = shlex.split(span)
        if name.startswith("-"):
            continue
        command = subcommand(name)
        while isinstance(command, click.Group) and rest and rest[0] in command.commands:
            command = command.commands[rest.pop(0)]
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in rest if word.startswith("--")} <= known, span


def test_one_page_names_every_subcommand() -> None:
    """The page of the command line is complete; the README links to it."""
    names = cli.list_commands(click.Context(cli))
    assert [path for path in DOCS if all(f"**{name}**" in read(path) for name in names)] != []
    assert "](docs/command-line.md)" in read(README)


def test_the_citation_is_of_this_version() -> None:
    """A release changes both, and the README's BibTeX has the same title and authors."""
    citation = read(ROOT / "CITATION.cff")
    assert f"\nversion: {version()}\n" in citation
    entry = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", read(README), re.MULTILINE))
    assert entry["version"] == version()
    assert f'\ntitle: "{entry["title"]}"\n' in citation
    assert f"\n  - name: {entry['author'].strip('{}')}\n" in citation


def test_the_readmes_commands_are_these() -> None:
    """One line to play and one to test, each complete without an environment."""
    blocks = [fence[2] for fence in FENCE.finditer(read(README)) if fence[1] == "sh"]
    assert blocks == [
        "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/durak-tui\n",
        'python3 -m venv .venv && .venv/bin/pip install ".[test]" && .venv/bin/python -m pytest -n auto\n',
    ]


def test_a_page_says_how_the_browser_is_installed() -> None:
    """The README no longer does."""
    command = "```sh\npython3 -m pip install '.[web]'\n```"
    assert [path for path in DOCS if command in read(path)] != []


def opponents_rows() -> list[list[str]]:
    """Return the cells of the README's table of opponents."""
    rows = read(README).partition("| | stars | rating | |\n")[2].partition("\n\n")[0].splitlines()[1:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_the_readmes_opponents_are_the_six() -> None:
    """Names, stars and ratings, the weakest first."""
    rows = [row[:3] for row in opponents_rows()]
    assert rows == [[it.name, stars_text(it.stars), str(it.rating)] for it in OPPONENTS]


def test_the_readmes_characters_are_the_apps() -> None:
    assert [row[3] for row in opponents_rows()] == [it.character for it in OPPONENTS]


WITH_KEYS = [path for path in DOCS if "| key | at the table |" in read(path)]


def test_the_readme_has_keys() -> None:
    assert README in WITH_KEYS


@pytest.mark.parametrize("path", WITH_KEYS, ids=relative)
def test_the_tables_of_keys_are_the_keymaps(path: Path) -> None:
    """The first column of each table of keys holds keys that are in force by default."""
    keymap = Keymap()
    labels = {key_label(key) for action_id in ACTIONS for key in keymap.keys(action_id)}
    for table in read(path).split("| key |")[1:]:
        rows = table.partition("\n\n")[0].splitlines()[2:]
        assert rows
        for row in rows:
            keys = re.findall(r"`([^`]+)`", row.split("|")[1])
            assert keys
            assert set(keys) <= labels, row


# Links and names

LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:durak_core|durak_tui|docs|tests|benchmarks|\.ci)/[\w./-]*)`")


def anchors(path: Path) -> set[str]:
    """Return the anchors that readers of Markdown make of a document's headings."""
    titles = re.findall(r"^#+ (.*)$", FENCE.sub("", read(path)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", DOCS, ids=relative)
def test_links_lead_somewhere(path: Path) -> None:
    """Every file that a document links to is there, and so is the heading."""
    for link in LINK.findall(FENCE.sub("", read(path))):
        if link.startswith(("https://", "http://", "mailto:")):
            continue
        target, _, anchor = link.partition("#")
        file = path.parent / target if target else path
        assert file.exists(), link
        assert not anchor or anchor in anchors(file), link


@pytest.mark.parametrize("path", DOCS, ids=relative)
def test_files_that_are_named_exist(path: Path) -> None:
    """A path in a sentence is the path of something."""
    assert [name for name in PATH.findall(read(path)) if not (ROOT / name).exists()] == []


def test_the_rules_name_every_preset_and_option() -> None:
    """The law mentions whatever can be set."""
    text = read(ROOT / "docs" / "rules.md")
    assert [name for name in (*PRESETS, *OPTIONS) if f"`{name}`" not in text] == []
