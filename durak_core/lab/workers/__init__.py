"""Parallel execution: local processes or a Dask cluster."""
