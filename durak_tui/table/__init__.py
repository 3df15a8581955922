"""The table: a person plays."""
