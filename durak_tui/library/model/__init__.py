"""The SQLite library: storage, search, import and export, learning progress, rating and statistics."""
