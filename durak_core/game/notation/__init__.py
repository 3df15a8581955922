"""Reading and writing the notation of docs/notation.md: positions, observations and games."""
