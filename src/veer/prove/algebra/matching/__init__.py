"""Deciding whether two bags are equal: terms are aligned, and the solver is asked about each pair."""
