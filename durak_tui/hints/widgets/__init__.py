"""Widgets that draw the hint and knowledge panels."""
