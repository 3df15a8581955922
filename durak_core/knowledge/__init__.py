"""Inference from a seat's observations, certain and probabilistic."""
