"""The `durak` command. Each subcommand is a module that is imported only when it runs."""

from durak_core.cli.root import cli, main

__all__ = ["cli", "main"]
