"""Adapters for other learning libraries; they need the extra `examples`."""
