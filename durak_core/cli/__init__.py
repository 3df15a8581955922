"""The `durak` command. Each subcommand is a module that is imported only when it runs."""

try:
    from durak_core.cli.root import cli, main
except KeyboardInterrupt:  # Ctrl+C while Python imports
    raise SystemExit(130) from None

__all__ = ["cli", "main"]
