"""Small tables that tests of meaning share."""

from __future__ import annotations

from typing import Any

SCHEMA = """
CREATE TABLE t (a INT, b INT, s STRING);
CREATE TABLE u (a INT, c INT, s STRING);
CREATE TABLE n (k INT, arr ARRAY<INT>, st STRUCT<x: INT, y: STRING>, m MAP<STRING, INT>)
"""
ROWS: dict[str, list[tuple[Any, ...]]] = {
    "t": [(1, 10, "x"), (2, 20, "y"), (2, None, "x"), (None, 5, "z"), (3, 1, None), (1, 10, "x")],
    "u": [(1, 7, "x"), (2, 8, "q"), (2, 9, None), (None, 4, "x"), (5, 5, "y")],
    "n": [(1, (1, 2), (5, "p"), (("k", 1),)), (2, (), None, ()), (3, None, (None, "q"), None)],
}
