"""Write docs/reference/ from the program: commands, agents, training settings and rules options.

    python3 tools/reference.py          # after help, an option, an agent or a setting has changed
    python3 tools/reference.py --check  # change nothing; exit code 1 if a page is not up to date

The training page needs Gymnasium (`pip install -e ".[learn]"`).
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from inspect import cleandoc
from pathlib import Path
from typing import Final

import click

from durak_core import AGENTS, OPTIONS, PRESETS, Rules
from durak_core.agents.base import OPEN, AgentInfo, AgentOption
from durak_core.cli import cli
from durak_core.lab.matches.players import PLAYERS
from durak_tui.cli import _command as tui

FOLDER: Final = Path(__file__).resolve().parents[1] / "docs" / "reference"

DOCS: Final = ".."
"""The folder of the other pages, seen from a generated one."""

_NOTE: Final = "`tools/reference.py` generates this page from the program."

_COMMON: Final = 6
"""Commands from which on an option is described once for all."""

_MANY: Final = 10
"""Options from which on an agent refers to another one that has them, too."""

Row = Sequence[str]
Key = tuple[str, str]
"""Name and help of an option: equal ones are the same option."""


def table(heads: Row, rows: Iterable[Row]) -> str:
    """Return a Markdown table; vertical bars in cells are escaped."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def page(title: str, purpose: str, *parts: str) -> str:
    return "\n\n".join([f"# {title}", f"{purpose} {_NOTE}", *filter(None, parts)]) + "\n"


def listed(words: Iterable[object]) -> str:
    return ", ".join(f"`{word}`" for word in words)


# Commands

_COMMANDS: Final = "|".join(cli.list_commands(click.Context(cli)))
_CODE: Final = re.compile(
    r"python3 -m pip install '[^']*'"
    rf"|\bdurak (?:{_COMMANDS})\b(?: (?:list|settings))?(?: --[a-z-]+)*|\bdurak-tui\b"
    r"|--[a-z-]+(?: (?:[A-Z]+|\d|\w+=\w+)\b)?(?: --set \w+=\w+)?"
    r"|(?<!\w)'[^']+ [^']+'"
    r"|\b[\w-]+:[a-z_]+=[^\s]*[^\s.,;)]"
)
"""What prose shows as code: commands, options and specs."""


def code(text: str) -> str:
    """Mark up what is code, and link pages."""
    shown = _CODE.sub(lambda found: f"`{_bare(found[0])}`", text)
    return re.sub(r"\bdocs/([\w-]+\.md)", rf"[docs/\1]({DOCS}/\1)", shown)


def _bare(text: str) -> str:
    return text.strip("'") if text.startswith("'") else text


def grouped(text: str) -> str:
    """Group the digits of large numbers."""
    return re.sub(r"\d{5,}", lambda found: f"{int(found[0]):,}", text)


def commands_page() -> str:
    """Return every command and option, with its help."""
    every = [("durak", cli), *_inside(cli, "durak"), ("durak-tui", tui)]
    counts = Counter(key for _, command in every for key in {*map(_key, _options(command))})
    common = {key for key, count in counts.items() if count >= _COMMON}
    shared = {_key(option): option for _, command in every for option in _options(command)}
    rows = [_row(option) for key, option in shared.items() if key in common]
    return page(
        "Command reference",
        "Look up every command and option of `durak` and `durak-tui` here. The "
        f"[guide]({DOCS}/command-line.md) shows them at work.",
        "Every command has `-h` and `--help`. The exit code is 0 for success, 1 if `durak engine --check` "
        "finds faults or a puzzle is not solved, 2 for invalid arguments and files, and 130 after Ctrl+C.",
        "## Common options",
        "Several commands have these options.",
        table(_HEADS, rows),
        *[_command(name, command, common) for name, command in every],
    )


def _inside(group: click.Group, name: str) -> Iterator[tuple[str, click.Command]]:
    for word in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), word)
        if command is not None:
            yield f"{name} {word}", command
        if isinstance(command, click.Group):
            yield from _inside(command, f"{name} {word}")


def _options(command: click.Command) -> list[click.Option]:
    return [option for option in command.params if isinstance(option, click.Option) and not option.hidden]


def _key(option: click.Option) -> Key:
    return option.opts[0], option.help or ""


def _command(name: str, command: click.Command, common: set[Key]) -> str:
    usage = " ".join(command.collect_usage_pieces(click.Context(command)))
    first, *rest = cleandoc(command.help or "").split("\n\n")
    prose, examples = [first], []
    for paragraph in rest:
        text = " ".join(paragraph.split())
        examples += [text.removeprefix("Example: ")] if text.startswith("Example: ") else []
        prose += [] if text.startswith("Example: ") else [text]
    own = [option for option in _options(command) if _key(option) not in common]
    others = [option.opts[0] for option in _options(command) if _key(option) in common]
    parts = [
        f"{_level(name)} {name}",
        code(" ".join(prose[0].split())),
        "```sh\n" + "\n".join([f"{name} {usage}", *examples]) + "\n```",
        *map(code, prose[1:]),
        table(_HEADS, map(_row, own)) if own else "",
        f"Common options: {listed(others)}." if others else "",
    ]
    return "\n\n".join(filter(None, parts))


def _level(name: str) -> str:
    """Return the mark of a heading: commands inside a group are below it."""
    return "###" if len(name.split()) > len(("durak", "group")) else "##"


_HEADS: Final = ("option", "values", "default", "meaning")
_HAND_WRITTEN: Final = re.compile(r"\s*\[default: (.*)\]$")


def _row(option: click.Option) -> Row:
    text = option.help or ""
    written = _HAND_WRITTEN.search(text)
    name = option.opts[0] if option.is_flag else f"{option.opts[0]} {_metavar(option)}"
    default = written[1] if written else _default(option)
    meaning = code(_HAND_WRITTEN.sub("", text))
    return f"`{name}`", "" if option.is_flag else _values(option), f"`{default}`" if default else "", meaning


def _metavar(option: click.Option) -> str:
    if option.metavar:
        return option.metavar
    return "N" if isinstance(option.type, (click.types.IntParamType, click.types.FloatParamType)) else "WORD"


def _default(option: click.Option) -> str:
    value = option.to_info_dict()["default"]
    is_shown = not isinstance(value, bool) and isinstance(value, str | int | float)
    return f"{value}" if is_shown and not option.is_flag else ""


def _values(option: click.Option) -> str:
    kind = option.type
    if isinstance(kind, click.Choice):
        return listed(kind.choices)
    if isinstance(kind, click.Path):
        return "folder" if not kind.file_okay else "file"
    if isinstance(kind, click.types.IntParamType | click.types.FloatParamType):
        noun = "whole number" if isinstance(kind, click.types.IntParamType) else "number"
        low, high = getattr(kind, "min", None), getattr(kind, "max", None)
        if low is None:
            return noun
        if high is not None:
            return grouped(f"{noun} from {low} to {high}")
        return f"{noun} above {low}" if getattr(kind, "min_open", False) else f"{noun}, {low} or more"
    return "text"


# Agents


def agents_page() -> str:
    """Return every agent and its options."""
    parts = []
    before: list[AgentInfo] = []
    for info in PLAYERS.values():
        parts.append(_agent(info, before))
        before.append(info)
    return page(
        "Agents",
        "Look up every agent and its options here; `durak agents` prints the same list.",
        "An **agent spec** names an agent: `greedy`, or with options `ismcts:iterations=500,net=auto`. An "
        "off/on option without a value means on: `random:uniform`. "
        f"Every agent but `equilibrium` and `engine` also has the option `{OPEN.name}` "
        f"(off or on, default off): {OPEN.summary}. The same spec and seed give the same choices, except "
        "with a time limit or an external engine.",
        *parts,
    )


def _agent(info: AgentInfo, before: Sequence[AgentInfo]) -> str:
    own = [option for option in info.options if option is not OPEN]
    base = next((one for one in before if sum(option in one.options for option in own) > _MANY), None)
    shown = own if base is None else [option for option in own if option not in base.options]
    parts = [
        f"## {info.name}",
        code(info.method),
        f"In the app: *{info.title}*. {info.summary}" if info.name in AGENTS else "",
        table(("option", "default", "values", "meaning"), map(_option, shown)) if shown else "",
        "" if base is None else f"It has all options of [{base.name}](#{base.name}), too.",
        f"The option `{info.leading.name}` is written without its key: "
        f"`{info.name}:{info.leading.show(info.leading.default)}`."
        if info.leading
        else "",
    ]
    return "\n\n".join(filter(None, parts))


def _option(option: AgentOption) -> Row:
    values = [f"`{word}`" for word in option.choices] + [option.words] * bool(option.words)
    if option.low is not None and option.high is not None:
        noun = "whole number" if option.whole else "number"
        values.append(f"{noun} from {option.low:g} to {option.high:,.0f}")
    default = option.show(option.default)
    return f"`{option.name}`", f"`{default}`" if default else "", " or ".join(values), option.summary


# Training settings


def training_page() -> str:
    """Return the settings of all learners."""
    from durak_core.lab.learn.settings import (  # noqa: PLC0415 - imports Gymnasium
        KINDS,
        ExploringSettings,
        LearnerSettings,
        reference,
    )

    kinds: Mapping[str, type] = {
        "All learners": LearnerSettings,
        "dmc and dqn: exploration": ExploringSettings,
        **KINDS,
    }
    parts = []
    for title, kind in kinds.items():
        found = reference(kind).items()
        rows = [(f"`{name}`", grouped(values), meaning) for name, (values, meaning) in found]
        parts += [f"## {title}", table(("setting", "values", "meaning"), rows)]
    return page(
        "Training settings",
        "Look up every setting of a training file here. `durak train settings` prints the same list; "
        f"[Train an agent]({DOCS}/train-an-agent.md) shows a run.",
        "A training file is TOML, for `durak train dmc`, `dqn` or `ppo` with `--config FILE`. All settings "
        "of the learner are required, except those with a default; unknown settings are errors. "
        "The files of the shipped networks are in `benchmarks/learning/`.",
        *parts,
    )


# Rules


def rules_page() -> str:
    """Return every preset and option of the rules."""
    presets = []
    for name in PRESETS:
        rules = Rules.preset(name)
        changed = [
            f"`{option.name}={option.show(getattr(rules, option.name))}`"
            for option in OPTIONS.values()
            if getattr(rules, option.name) != getattr(Rules(), option.name)
        ]
        presets.append((f"`{name}`", ", ".join(changed) or "none"))
    options = [
        (
            f"`{option.name}`",
            f"`{option.show(getattr(Rules(), option.name))}`",
            str(option.expected),
            option.paragraph,
            option.summary,
        )
        for option in OPTIONS.values()
    ]
    return page(
        "Rules options",
        "Look up every preset and option of the rules here; `durak rules` prints the same tables.",
        "A **rules spec** is a preset, or a preset with options: `podkidnoy:lowest_rank=2,seats=4`. Numbers "
        f"in the column § are paragraphs of the [rules]({DOCS}/rules.md).",
        "## Presets",
        table(("preset", "options that differ from the default"), presets),
        "## Options",
        table(("option", "default", "values", "§", "meaning"), options),
    )


PAGES: Final[Mapping[str, Callable[[], str]]] = {
    "commands": commands_page,
    "agents": agents_page,
    "training": training_page,
    "rules": rules_page,
}


def main(arguments: Sequence[str]) -> int:
    """Write the pages that have changed, or with --check only name them."""
    exit_code = 0
    for name, write in PAGES.items():
        path, text = FOLDER / f"{name}.md", write()
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if "--check" in arguments:
            print(f"{path.relative_to(FOLDER.parents[1])} is not up to date: run python3 tools/reference.py")
            exit_code = 1
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"written: {path.relative_to(FOLDER.parents[1])}")
    return exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
