"""Possible card locations, by public knowledge and by each seat's knowledge."""
