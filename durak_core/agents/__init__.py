"""Players: what they are, the ones that ship, and the texts that name them."""
