"""Refuting: small instances on which two versions differ, replayed and shrunk."""

from veer.refute.replay import rows_alone, same_rows, signals_on
from veer.refute.search import (
    Refutation,
    find_witness,
    first_difference,
    witness_on,
)

__all__ = [
    "Refutation",
    "find_witness",
    "first_difference",
    "rows_alone",
    "same_rows",
    "signals_on",
    "witness_on",
]
