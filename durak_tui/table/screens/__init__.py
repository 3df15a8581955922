"""The game screen, the handover screen and the result dialog."""
