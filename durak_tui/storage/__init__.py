"""Where files lie, and the settings."""
