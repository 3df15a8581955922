"""Run the app with ``python -m durak_tui``."""

from durak_tui.start import durak_tui

durak_tui()
