"""The screens for choosing and playing lessons, puzzles, mistakes and daily deals."""
