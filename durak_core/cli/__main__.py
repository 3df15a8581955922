"""Lets ``python -m durak_core.cli`` stand for ``durak``."""

from durak_core.cli import main

main()
