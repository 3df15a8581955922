"""The game in lines of text, for screen readers, pipes and slow connections."""
