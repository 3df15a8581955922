"""The language of every text a player reads."""
