"""The library screen and the statistics screen."""
