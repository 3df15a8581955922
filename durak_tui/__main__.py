"""Run the app with ``python -m durak_tui``."""

from durak_tui.cli import main

main()
