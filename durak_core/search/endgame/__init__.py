"""Endgames without hidden cards, solved exactly."""
