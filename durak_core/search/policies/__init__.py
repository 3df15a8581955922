"""Policies and playouts."""
