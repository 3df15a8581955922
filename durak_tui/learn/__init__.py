"""Lessons, puzzles, your mistakes, and the deal of the day."""
