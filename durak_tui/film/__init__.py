"""Films of recorded games: an animated SVG or an asciicast."""
