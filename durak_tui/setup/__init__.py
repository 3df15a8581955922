"""A new game: players, rules, opponents."""
