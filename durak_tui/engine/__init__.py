"""The engine processes."""
