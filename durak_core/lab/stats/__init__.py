"""Tallies, ratings, stopping rules and other statistics of games."""
