"""The common type of two types, with those that have none."""

from __future__ import annotations

import pytest

from veer.functions.typing import wider_type
from veer.ir.types import parse_type


@pytest.mark.parametrize(
    ("one", "two", "wider"),
    [
        ("int", "bigint", "bigint"),
        ("int", "float", "double"),
        ("float", "double", "double"),
        ("decimal(5,2)", "int", "decimal(12,2)"),
        ("decimal(5,2)", "decimal(10,0)", "decimal(12,2)"),
        ("decimal(38,10)", "decimal(38,0)", "decimal(38,0)"),
        ("decimal(5,2)", "float", "double"),
        ("string", "int", "bigint"),
        ("string", "date", "date"),
        ("date", "timestamp", "timestamp"),
        ("boolean", "int", None),
        ("date", "int", None),
        ("array<int>", "array<bigint>", "array<bigint>"),
        ("array<int>", "array<date>", None),
        ("array<int>", "int", None),
        ("map<int,int>", "map<bigint,string>", "map<bigint,bigint>"),
        ("map<string,int>", "map<int,int>", None),  # a key that is no number would become null
        ("struct<A:int,b:int>", "struct<a:bigint,B:int>", "struct<A:bigint,b:int>"),
        ("struct<a:int>", "struct<b:int>", None),
        ("struct<a:int>", "struct<a:int,b:int>", None),
        ("struct<a:int>", "struct<a:date>", None),
    ],
)
def test_wider_type(one: str, two: str, wider: str | None) -> None:
    a, b = parse_type(one), parse_type(two)
    expected = None if wider is None else parse_type(wider)
    assert wider_type(a, b) == expected
    # Struct fields keep the names of the first; all else is the same both ways.
    if not one.startswith("struct"):
        assert wider_type(b, a) == expected


def test_text_is_not_promoted_where_types_must_fit() -> None:
    assert wider_type(parse_type("string"), parse_type("int"), promote=False) is None
    assert wider_type(parse_type("array<string>"), parse_type("array<int>"), promote=False) is None
