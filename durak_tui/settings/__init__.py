"""The settings and keys screens."""
