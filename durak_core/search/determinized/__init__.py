"""The published projects' searches: determinized, one deal at a time."""
