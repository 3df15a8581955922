"""A second engine, written from docs/rules.md alone, to check the first one against."""
