"""Models: no Textual here."""
