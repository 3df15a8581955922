"""Background computations: advice, win probabilities and models of the other players."""
