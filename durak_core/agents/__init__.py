"""Players that are programs: what an agent is, every agent there is, and the texts that name them."""
