"""A running game without Textual: setup, session, bots, score of a series, and saved games."""
