"""Base classes for screens, forms and dialogs, and the app interface they use."""
