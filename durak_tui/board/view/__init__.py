"""Builds the board's view data: the table, the prompt's texts and card animations."""
