"""Durak for other libraries of learning, each imported by itself: they need the extra `examples`."""
