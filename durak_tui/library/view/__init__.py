"""Texts, tables and curves of the library and the statistics, as pure data."""
