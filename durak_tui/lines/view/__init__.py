"""The sentences of the game in lines: short and whole, without signs that only a screen explains."""
