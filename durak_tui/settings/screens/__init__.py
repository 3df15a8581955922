"""The settings screen and the key editor."""
