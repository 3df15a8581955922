"""Information-set Monte Carlo tree search."""
