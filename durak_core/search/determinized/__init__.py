"""The published projects' searches: one deal after the other, each without hidden cards."""
