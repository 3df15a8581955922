"""Sounds, without Textual."""
