"""Veer verifies whether two versions of a dataflow produce the same results."""

__version__ = "0.1.0"
