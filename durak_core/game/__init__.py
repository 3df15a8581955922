"""The game's immutable states, observations, events, records and notation."""
