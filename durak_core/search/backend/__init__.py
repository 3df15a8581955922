"""Runs the kernel's functions in CPython or compiled."""
