"""User interface toolkit shared by the features: cards, forms, tables, plots, dialogs and base screens."""
