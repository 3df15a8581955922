"""Widgets that draw the advice and knowledge panels."""
