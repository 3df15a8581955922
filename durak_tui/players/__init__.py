"""The players: which agents may play, the six opponents, and their names on screen."""
