"""The rules screen and the key list."""
