"""The ``durak-tui`` command. Imports only click until the arguments are valid."""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Sequence
from typing import Any, Final

import click

from durak_tui.sandbox import confine, is_confined
from durak_tui.text.i18n import LANGUAGES

_TABLE: Final = "table"
"""The value of --host without an address."""
_PACES: Final = ("0.5x", "1x", "2x", "4x", "instant")


def _read_rules(text: str | None, seats: int | None) -> Any:  # noqa: ANN401 - Rules is not imported yet
    if text is None and seats is None:
        return None
    from durak_core.errors import FileError, RulesError
    from durak_core.rules_file import rules_spec
    from durak_tui.play.setup import read_rules

    try:
        return read_rules(None if text is None else rules_spec(text), seats)
    except (FileError, RulesError) as error:
        raise click.BadParameter(str(error), param_hint="--rules" if text else "--seats") from None


def _read_bots(text: str | None, rules: Any, *, watch: bool) -> tuple[Any, tuple[str, ...]]:  # noqa: ANN401
    """Validate the players. Without rules, the number of players sets the number of seats."""
    if text is None:
        return rules, ()
    from durak_core.errors import DurakError
    from durak_tui.play.setup import read_players

    try:
        return read_players(text, rules, watch=watch)
    except DurakError as error:
        raise click.BadParameter(str(error), param_hint="--bots") from None


def _check_terminal() -> None:
    if os.environ.get("TEXTUAL_DRIVER"):
        return  # the server shows the screen in a browser
    for name, stream in (("input", sys.stdin), ("output", sys.stdout), ("error output", sys.stderr)):
        if stream is None or not stream.isatty():
            raise click.UsageError(
                f"the standard {name} is not a terminal; start durak-tui in a terminal window, "
                "without pipes and redirections, or use durak play"
            )
    if os.environ.get("TERM") == "dumb":
        raise click.UsageError(
            "TERM=dumb: this terminal cannot show a screen; use durak play, or another one"
        )


def _forget_exported_size() -> None:
    """Use the terminal's own size, if it is known.

    Exported ``COLUMNS`` and ``LINES`` would not follow a resized window.
    """
    if os.environ.get("TEXTUAL_DRIVER") or sys.__stdout__ is None:
        return  # the server passes the size in these variables
    try:
        is_known = all(os.get_terminal_size(sys.__stdout__.fileno()))
    except (OSError, ValueError):
        return
    if is_known:
        os.environ.pop("COLUMNS", None)
        os.environ.pop("LINES", None)


def _encoding() -> str:
    """Return the terminal's encoding: the stream's, or ``ascii`` if the locale is not UTF-8.

    In the C locale, Python writes UTF-8 and sets ``LC_CTYPE`` (PEP 538 and 540). A locale that is named but
    not installed looks the same. Its name is trusted.
    """
    encoding = (getattr(sys.stderr, "encoding", None) or "ascii").lower()
    if sys.flags.utf8_mode and not os.environ.get("PYTHONUTF8") and not os.environ.get("PYTHONIOENCODING"):
        locale = (os.environ.get("LC_ALL") or os.environ.get("LANG") or "utf").lower()
        return encoding if "utf" in locale else "ascii"
    return encoding


def _settings(ascii_deck: bool | None, **given: str | None) -> dict[str, Any]:
    """Collect the settings given as options, and those required by the terminal's encoding."""
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    encoding = "utf-8" if os.environ.get("TEXTUAL_DRIVER") else _encoding()
    if ascii_deck or not encoding.startswith("utf"):
        changes["ascii"] = True
    try:
        "я".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        changes["language"] = "en"  # ASCII can show English only
    return changes


class _Terminal(io.FileIO):
    """Output stream for Textual. Discards what a closed terminal does not accept.

    Otherwise Textual's output thread would die, and the program would wait forever for space in its queue.
    """

    def write(self, data: Any, /) -> int:  # noqa: ANN401 - any buffer
        try:
            return super().write(data)
        except OSError:
            return len(data)


def _outlive_the_terminal() -> None:
    """Let the program exit in order when its window is closed."""
    if sys.__stderr__ is None or not sys.__stderr__.isatty():
        return
    terminal = io.BufferedWriter(_Terminal(sys.__stderr__.fileno(), "wb", closefd=False))
    sys.__stderr__ = io.TextIOWrapper(terminal, sys.__stderr__.encoding, "substitute")  # type: ignore[misc]


def _run(launch: Any) -> int:  # noqa: ANN401 - Launch is not imported yet
    if not os.environ.get("NO_COLOR"):
        os.environ.pop("NO_COLOR", None)  # https://no-color.org: an empty value has no effect
    _forget_exported_size()
    _outlive_the_terminal()
    import logging

    from textual.logging import TextualHandler

    from durak_tui.app import DurakApp
    from durak_tui.players import allowing

    logging.getLogger("durak_tui").addHandler(TextualHandler(stderr=False))
    app = DurakApp(launch)
    with allowing(launch.bots):
        app.run()
    return app.return_code or 0


def _check_lines(lines: bool, needs_screen: bool) -> None:
    if lines and needs_screen:
        raise click.UsageError(
            "--lines plays and watches games of bots: leave --web, --join, --tv and --host away, and review "
            "a FILE with durak review FILE"
        )
    if lines and sys.stdout is None:
        raise _Refusal("the standard output is closed")


def _run_lines(launch: Any) -> int:  # noqa: ANN401 - as above
    from durak_tui.lines.program import run_lines
    from durak_tui.lines.reading import OutputError

    gc.enable()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="substitute")
    try:
        return run_lines(launch)
    except OutputError as error:
        sys.stdout = None  # it would fail again at the end of the process
        if error.is_closed:
            return 1
        raise _Refusal(f"the output cannot be written: {error}") from None


def _print_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    """Print the version and exit."""
    if not wanted:
        return
    from durak_core.installation import version

    click.echo(f"durak-tui {version()}")
    context.exit()


def _import(context: click.Context, _option: click.Parameter, files: tuple[str, ...]) -> None:
    """Import games into the library and exit. Damaged games are reported and skipped."""
    if not files:
        return
    gc.enable()
    from pathlib import Path

    from durak_core.engine.replays import compile_replays
    from durak_tui.library.model.file import LibraryError
    from durak_tui.library.model.service import import_file
    from durak_tui.library.model.store import Library
    from durak_tui.storage.paths import data_dir
    from durak_tui.text.core_messages import core_words

    library = Library(data_dir())
    broken = 0
    try:
        compile_replays(sum(path.stat().st_size for path in map(Path, files) if path.is_file()))
        for file in files:
            made = import_file(library, Path(file), _progress(file))
            click.echo(f"{file}: {made}")
            for problem in made.problems:
                click.echo(problem, err=True)
            broken += made.broken
    except LibraryError as error:
        raise _Refusal(core_words(error)) from None
    finally:
        library.close()
        for notice in library.notices:
            click.echo(core_words(notice), err=True)
    if broken:
        raise _Refusal(f"{broken} game{'' if broken == 1 else 's'} could not be read")
    context.exit()


def _progress(file: str) -> Any:  # noqa: ANN401 - a function of what is not imported yet
    """Return a function that prints an import's progress on a terminal, once a second."""
    from durak_tui.storage.paths import WorkRate
    from durak_tui.text.i18n import percent

    rate = WorkRate()

    def show(so_far: Any) -> None:  # noqa: ANN401 - Imported
        if sys.stderr is not None and sys.stderr.isatty() and (left := rate.left(so_far.share)) is not None:
            click.echo(f"\r{file}: {percent(so_far.share)}, {left} ", err=True, nl=False)

    return show


def _read_games(
    file: str | None, game: int | None, others: tuple[object, ...]
) -> tuple[tuple[Any, ...], Any]:
    """Return the games of a file or code. A visitor's app starts without them, and shows the error."""
    if file is None:
        if game is not None:
            raise click.UsageError("--game chooses one of the games of a FILE; name the file as well")
        return (), None
    if any(others) and not is_confined():
        raise click.UsageError("FILE is a game to be looked at; leave the options of a new game away")
    from durak_core import choose_records
    from durak_core.errors import DurakError

    try:
        return choose_records(file, game), None
    except DurakError as error:
        if is_confined():
            return (), error
        raise _Refusal(str(error)) from None


def _check_web(web: bool, host: str | None, port: int | None, has_game: bool) -> None:
    if not web and (host not in {None, _TABLE} or port is not None):
        raise click.UsageError("--host ADDRESS and --port set where --web serves; give --web as well")
    if web and host == _TABLE:
        raise click.UsageError("--host needs an ADDRESS with --web")
    if web and has_game:
        raise click.UsageError("--web serves new games; leave FILE, --continue, --join and --tv away")


def _read_table(join: str | None, tv: str | None, host: str | None) -> str:
    """Check the link or the code of a table. Returns `_TABLE` to host one, or an empty string."""
    if sum((join is not None, tv is not None, host == _TABLE)) > 1:
        raise click.UsageError("give only one of --join, --tv and --host")
    option, text = ("--tv", tv) if join is None else ("--join", join)
    if text is None:
        return host or ""
    from durak_core.errors import NotationError

    try:
        from durak_tui.friends.messages import parse_address
    except ModuleNotFoundError as error:
        raise _missing(option, error) from None
    try:
        parse_address(text)
    except NotationError as error:
        raise click.BadParameter(str(error), param_hint=option) from None
    return text


def _missing(option: str, error: ModuleNotFoundError) -> _Refusal:
    from durak_core.installation import install_advice

    return _Refusal(f"{option} needs {error.name}; {install_advice('web')}")


class _Refusal(click.ClickException):
    """A failure with valid arguments: one line, without the usage."""

    exit_code = 2


def _serve(host: str, port: int) -> None:
    context = click.get_current_context()
    given = {
        option.opts[0]: context.params[option.name]
        for option in context.command.params
        if isinstance(option, click.Option) and option.name not in {None, "web", "host", "port"}
        if not any(context.params.get(option.name) is unset for unset in (None, False))
    }
    arguments = [
        text for name, value in given.items() for text in ([name] if value is True else [name, str(value)])
    ]
    try:
        from durak_tui.web.server import listen, serve
    except ModuleNotFoundError as error:
        raise _missing("--web", error) from None
    try:
        sock = listen(host, port)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror or str(error)
        refusal = f"cannot listen on {host}, port {port}: {why}; choose another --port or --host"
        raise _Refusal(refusal) from None
    gc.enable()
    serve(sock, host, arguments)


class _Command(click.Command):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except BrokenPipeError:
            raise
        except OSError as error:  # --help and --version print
            raise _Refusal(error.strerror or str(error)) from None


@click.command(
    cls=_Command, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.argument("file", required=False, type=click.Path(readable=False), metavar="[FILE|CODE]")
@click.option("--game", type=click.IntRange(min=1), metavar="N", help="Open the Nth game of FILE.")
@click.option(
    "--rules",
    "rules_text",
    metavar="TEXT",
    help="Rules spec: a preset, or preset:option=value,option=value, such as perevodnoy:lowest_rank=2, "
    "or a FILE.toml of options.",
)
@click.option("--seats", type=click.IntRange(2, 6), help="Number of players.")
@click.option(
    "--bots",
    metavar="A,B",
    help="Your opponents, or with --watch all players: misha, tanya, boris, olga, viktor, nina, an agent "
    "spec (see durak agents), FILE.py:CLASS, or human for another person at this keyboard.",
)
@click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), help="Seed of the deal; equal seeds give equal deals."
)
@click.option("--watch", is_flag=True, help="Watch bots play each other.")
@click.option("--daily", is_flag=True, help="Open the daily deal.")
@click.option("--continue", "go_on", is_flag=True, help="Continue the unfinished game.")
@click.option("--real", is_flag=True, help="Keep a game that is played with real cards.")
@click.option("--return", "returns", is_flag=True, hidden=True, help="Return to the screen of a lost page.")
@click.option("--name", metavar="NAME", help="Your name.")
@click.option("--ascii", "ascii_deck", is_flag=True, help="Draw with ASCII characters only.")
@click.option("--colours", type=click.Choice(["two", "four"]), help="Number of suit colours.")
@click.option(
    "--language",
    type=click.Choice(["auto", *LANGUAGES]),
    help="Language of the app; auto takes it from the environment.",
)
@click.option("--pace", type=click.Choice(_PACES), help="Speed of the bots.")
@click.option("--lines", is_flag=True, help="Play in lines of text, as durak play does.")
@click.option("--web", is_flag=True, help="Serve the app to browsers, with the other options given.")
@click.option("--join", metavar="TABLE", help="Join a table of friends, by its link or code.")
@click.option("--server", metavar="URL", help="The server that is asked first for the code of a table.")
@click.option("--tv", metavar="TABLE", help="Watch a table of friends, by its link or code.")
@click.option(
    "--host",
    metavar="[ADDRESS]",
    is_flag=False,
    flag_value=_TABLE,
    help="Host a table of friends. With --web: the ADDRESS to serve at; by default 127.0.0.1, reachable "
    "from this machine only.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Port for --web; by default 8000, or 0 for any free port."
)
@click.option(
    "--import",
    multiple=True,
    is_eager=True,
    expose_value=False,
    callback=_import,
    type=click.Path(readable=False),
    metavar="FILE",
    help="Import the games of a file into the library and exit; repeatable.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version.",
)
def _command(  # noqa: PLR0913, PLR0917 - one argument for each option
    file: str | None,
    game: int | None,
    rules_text: str | None,
    seats: int | None,
    bots: str | None,
    seed: int | None,
    watch: bool,
    daily: bool,
    go_on: bool,
    real: bool,
    returns: bool,
    name: str | None,
    ascii_deck: bool,
    colours: str | None,
    language: str | None,
    pace: str | None,
    lines: bool,
    web: bool,
    join: str | None,
    server: str | None,
    tv: str | None,
    host: str | None,
    port: int | None,
) -> int:
    """Play Durak in the terminal, or review a game of FILE, or the game of a CODE or its link.

    FILE holds game texts or JSON lines. Without FILE and options the menu opens. --rules, --seats, --bots,
    --seed, --watch and --continue begin a game at once; --daily opens the daily deal. --name, --ascii,
    --colours, --language and --pace apply to this run only; the settings (F2) are permanent.
    """
    _check_web(web, host, port, bool(file or go_on or join or tv))
    games, problem = _read_games(file, game, (rules_text, seats, bots, seed is not None, watch, go_on))
    rules, players = _read_bots(bots, _read_rules(rules_text, seats), watch=watch)
    asked = rules is not None or seed is not None
    if go_on and (asked or watch):
        raise click.UsageError("--continue goes on with the game as it is; leave the other options away")
    if daily and (asked or watch or go_on or file) and not is_confined():
        raise click.UsageError(
            "--daily is the same game for all players; leave FILE and other games' options away"
        )
    if real and (players or seed is not None or watch or go_on or daily or file):
        raise click.UsageError("--real keeps a game of people at a table; give only --rules and --seats")
    table = "" if web else _read_table(join, tv, host)
    if table and (daily or asked or watch or go_on or file) and not is_confined():
        raise click.UsageError("a table has its own games; leave the options of other games away")
    _check_lines(lines, web or bool(file or table))
    if not web and not lines:
        _check_terminal()
    from durak_tui.play.setup import Launch
    from durak_tui.storage.settings import settings_problem

    changes = _settings(ascii_deck, server=server, name=name, colours=colours, language=language, pace=pace)
    problem_of_name = settings_problem(**changes)  # the other options have choices
    if problem_of_name:
        hint = "--name" if name and settings_problem(name=name) else "--server"
        raise click.BadParameter(problem_of_name, param_hint=hint)
    if web:
        _serve(host or "127.0.0.1", 8000 if port is None else port)
        return 0
    kinds = {
        "tv": tv,
        "friends": table,
        "return": returns,
        "review": games,
        "real": real,
        "watch": watch,
        "continue": go_on,
        "play": asked,
        "daily": daily,
    }
    at_once = next((kind for kind, is_meant in kinds.items() if is_meant), "")
    launch = Launch(rules, players, seed, at_once, changes, games, table, problem)
    return _run_lines(launch) if lines else _run(launch)


def main(arguments: Sequence[str] | None = None, name: str = "durak-tui") -> None:
    """Run the command and exit: 0 on quit, 2 for invalid arguments, 130 after Ctrl+C.

    Args:
        arguments: The arguments; by default the process's.
        name: The command's name in messages.
    """
    gc.disable()  # until the first picture: what starts the app is no garbage
    if is_confined():
        confine()
    try:
        code = _command(arguments, prog_name=name, standalone_mode=False)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        code = 130
    sys.exit(code)
