"""The board and its parts: seats, table, talon, hand, prompt, status line and move log."""
