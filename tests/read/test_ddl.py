"""DDL as PySpark describes it: what types and columns say, and what is refused."""

from __future__ import annotations

import json

import pytest

from veer.errors import ParseError
from veer.read.pyspark.offline.types import parse_ddl


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("int", "int"),
        ("a int, `b c` string", "struct<a:int,b c:string>"),
        ("a: array<struct<x: int, y: map<string, date>>>", "struct<a:array<struct<x:int,y:map<string,date>>>>"),
        ("a char(3), b varchar(5)", "struct<a:char(3),b:varchar(5)>"),
        ("interval day to second", "interval day to second"),
        ("struct<>", "struct<>"),
        ("variant", "variant"),
    ],
)  # fmt: skip
def test_types_of_ddl(text: str, shown: str) -> None:
    assert parse_ddl(text).simpleString() == shown


def test_nulls_and_comments_of_columns() -> None:
    (a, b) = json.loads(parse_ddl("a int NOT NULL COMMENT 'x', b struct<c int not null>").json())[
        "fields"
    ]
    assert (a["nullable"], a["metadata"]) == (False, {"comment": "x"})
    assert b["type"]["fields"][0]["nullable"] is False


@pytest.mark.parametrize(
    "text",
    ["", "a", "a int,", "a int b", "char", "a varchar", "decimal(40,2)", "'a' int", "time(3)",
     "a int comment x", "a int not", "string collate utf8", "map<int>", "a int;"],
)  # fmt: skip
def test_what_is_no_type_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse_ddl(text)
