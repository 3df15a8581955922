"""Help: how to play, the rules by paragraph, and the keys of each screen."""
