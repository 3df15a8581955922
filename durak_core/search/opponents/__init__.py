"""Opponent modelling."""
