"""Files of the app: folders, paths typed by the player, settings, and notices of failed writes."""
