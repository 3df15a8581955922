"""View data of the hint and knowledge panels."""
