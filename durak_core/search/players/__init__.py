"""Players and whole games as machine code knows them, with the choices of the same players as agents."""
