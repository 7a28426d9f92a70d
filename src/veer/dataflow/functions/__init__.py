"""The function registry: one entry per function, grouped by subject."""
