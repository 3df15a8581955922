"""A new game: choosing rules, players and seed."""
