"""Versions and their results: what was run, on what, and where the rows are."""
