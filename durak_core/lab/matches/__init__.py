"""One game, matches and tournaments, and who can play in them."""
