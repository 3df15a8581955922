"""The new-game screen, the house rules, and the Laboratory for experiments."""
