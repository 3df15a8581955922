"""The engine processes, and what is asked of them in the background."""
