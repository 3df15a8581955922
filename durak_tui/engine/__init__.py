"""Engine processes for bots, hints, reviews and puzzles, and the threads around them."""
