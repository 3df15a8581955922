"""Playing well: policies, playouts and searches over the kernel."""
