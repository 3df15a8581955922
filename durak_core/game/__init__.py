"""The game as people and programs see it: immutable states, observations, events, notation and records."""
