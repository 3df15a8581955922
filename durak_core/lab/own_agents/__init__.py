"""Your own agents: their specs, options and calls, and where they come from."""
