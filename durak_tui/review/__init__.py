"""A game under review, without Textual."""
