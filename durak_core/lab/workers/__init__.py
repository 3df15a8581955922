"""Where games are played: processes of this machine, or a cluster."""
