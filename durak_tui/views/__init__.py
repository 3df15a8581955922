"""What screens show, as plain data: pure functions of observations and records."""
