"""The screens of tables with friends: the way in, the lobby, and the table."""
