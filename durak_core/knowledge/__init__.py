"""What follows with certainty, or with which likelihood, from what a seat has seen."""
