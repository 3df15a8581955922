"""The Durak app for the terminal."""
