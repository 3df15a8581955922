"""What several features use: cards, forms, dialogs, plots, base screens."""
