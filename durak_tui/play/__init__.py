"""A game at the table: its setup, the session, the bots, and the saved games."""
