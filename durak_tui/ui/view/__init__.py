"""Immutable data that the shared widgets draw: card styles, the table, plots and sheet columns."""
