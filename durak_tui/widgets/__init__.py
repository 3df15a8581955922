"""The app's widgets, one a file; they see view models and never a state."""
