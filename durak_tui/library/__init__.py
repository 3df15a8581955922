"""The library of games in SQLite: storage, search, import, export, rating, statistics, and screens."""
