"""Where every card may be, as everybody and as each seat knows."""
