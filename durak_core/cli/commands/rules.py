"""`durak rules`: print presets, options, or the full rules."""

from __future__ import annotations

from dataclasses import replace

import click
from rich.table import Table
from rich.text import Text

from durak_core.cli.output import console
from durak_core.rules import OPTIONS, PRESETS, OptionValue, Rules
from durak_core.rules_file import rules_spec
from durak_core.rules_text import paragraph, rules_text


@click.command()
@click.argument("preset", required=False)
@click.option("--text", is_flag=True, help="Print the complete rules.")
@click.option(
    "--paragraph", "number", metavar="N", help="Print a paragraph, such as 5.3, or a section, such as 5."
)
def rules(preset: str | None, text: bool, number: str | None) -> None:
    """List the presets and all options, or the options of one PRESET.

    PRESET may be a rules spec, such as podkidnoy:lowest_rank=2,seats=4, or a FILE.toml of options. A star
    marks options that differ from the default.
    """
    if number is not None:
        click.echo(paragraph(number))
    elif text:
        click.echo(rules_text(), nl=False)
    elif preset is None:
        _show_presets()
    else:
        _show_options(Rules.parse(rules_spec(preset)))


def _show_presets() -> None:
    out = console()
    presets = Table(title="Presets", title_justify="left")
    presets.add_column("preset")
    presets.add_column("differs from the default in")
    for name in PRESETS:
        changed = _changed(Rules.preset(name)).items()
        settings = [f"{option}={OPTIONS[option].show(value)}" for option, value in changed]
        presets.add_row(name, ", ".join(settings) or "nothing")
    out.print(presets)
    options = _option_table("All options", "default")
    options.add_column("may be")
    default = Rules()
    for option in OPTIONS.values():
        value = option.show(getattr(default, option.name))
        options.add_row(option.name, value, option.paragraph, option.summary, str(option.expected))
    out.print(options)


def _show_options(chosen: Rules) -> None:
    table = _option_table(f"Options of {chosen}", "value")
    changed = _changed(chosen)
    for option in OPTIONS.values():
        value = Text(option.show(getattr(chosen, option.name)))
        if option.name in changed:
            value = Text(f"{value} *", "bold yellow")
        table.add_row(option.name, value, option.paragraph, option.summary)
    out = console()
    out.print(table)
    out.print("* differs from the default; the numbers are the paragraphs of durak rules --text")


def _option_table(title: str, value: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("option", no_wrap=True)
    table.add_column(value, no_wrap=True)
    table.add_column("§")
    table.add_column("what it is")
    return table


def _changed(chosen: Rules) -> dict[str, OptionValue]:
    """Return the options that differ from the default, by name."""
    return replace(chosen, base=Rules().base).differences
