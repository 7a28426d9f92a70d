"""Proving: verifiers, the algebra they share, and the solver."""
