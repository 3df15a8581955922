"""Texts and translation: card names, events, refusals, rules and house rules in the active language."""
