"""How to play, the rules, and the keys of a screen."""
