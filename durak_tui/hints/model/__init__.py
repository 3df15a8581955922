"""Background computations: hints, win probabilities and models of the other players."""
