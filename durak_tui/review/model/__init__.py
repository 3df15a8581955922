"""A reviewed game: positions, variations, stored analysis, background search, and export."""
