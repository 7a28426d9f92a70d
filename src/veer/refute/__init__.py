"""Refuting: small instances on which two versions differ, replayed and shrunk."""

from veer.refute.search import (
    Refutation,
    find_witness,
    first_difference,
    witness_on,
)

__all__ = ["Refutation", "find_witness", "first_difference", "witness_on"]
