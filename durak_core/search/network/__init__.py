"""Observations as inputs of networks, and the networks."""
