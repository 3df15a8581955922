"""Games and matches between agents, and honest figures about them."""
