"""Networks and their encoding of observations."""
