"""Hints: advice, chances, and what can be known of the cards."""
