"""Games, matches and tournaments, and their players."""
