"""Who may sit at the table, and what they are called."""
