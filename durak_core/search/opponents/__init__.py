"""What the choices of others tell about them and their hands."""
