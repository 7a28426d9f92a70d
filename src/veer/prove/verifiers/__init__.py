"""Equivalence verifiers: what they are, and the ones there are."""
