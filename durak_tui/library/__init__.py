"""The library: every game a person played, kept or imported, in one SQLite file; knows no Textual."""
