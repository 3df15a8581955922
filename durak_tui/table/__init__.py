"""Playing at the table: the game screen, handover between people at one keyboard, and the result."""
