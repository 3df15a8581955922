"""Shared widgets: painted cells, playing cards, forms, scrolling tables, plots and the key bar."""
