"""Durak in the terminal."""
