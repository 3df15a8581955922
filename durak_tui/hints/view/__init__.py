"""Views: pure data for the screen."""
