"""What came of many games: counts, figures, ratings and tables of them."""
