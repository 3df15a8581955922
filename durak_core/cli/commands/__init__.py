"""One module for each subcommand of `durak`."""
