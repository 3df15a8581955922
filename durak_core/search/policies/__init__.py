"""How playouts choose, and the playouts."""
