"""Texts of lessons, puzzles and mistakes, and the daily calendar, as pure data."""
