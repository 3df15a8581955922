"""Policies, playouts and searches over the kernel."""
