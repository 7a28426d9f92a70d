"""Sources are independent only where that is known."""

from __future__ import annotations

import pytest

from veer.facts.sharing import may_share_data
from veer.ir.ops import ANYWHERE, LOCAL, Source
from veer.ir.schema import Field
from veer.ir.types import INT

ID = (Field("id", INT),)


def files(path: str, format_: str = "parquet", **more: object) -> Source:
    return Source(path, ID, format=format_, location=path, **more)  # type: ignore[arg-type]


APART = [
    ("/data/a", "/data/b"),
    ("data/a", "data/b"),
    ("/data/a", "/data/ab"),
    ("/data/a/*.parquet", "/data/b"),
    ("s3://one/x", "s3://two/x"),
    ("hdfs://host/a", "hdfs://host/b"),
    ('["/data/a", "/data/b"]', "/data/c"),
    ("../a", "../b"),
]
SHARED = [
    ("/data/a", "/data/a/p=1"),
    ("/data/a", "/data/*"),
    ("/data/{a,b}", "/data/c"),
    ("/data/a", "data/a"),
    ("/data/a", "file:/data/a/x"),
    ("/data/A", "/data/a/x"),
    ("s3://one/x", "s3a://one/x"),
    ("s3://one/x", "s3://x-s3alias/y"),
    ("hdfs://host/a", "hdfs://other/b"),
    ("hdfs://host/a", "/b"),
    ('["/data/a", "/data/b"]', "/data/b"),
    ("../a", "b"),
    ("/", "/data"),
]


@pytest.mark.parametrize(("one", "two"), APART)
def test_places_that_lie_apart(one: str, two: str) -> None:
    assert may_share_data(files(one), files(two)) == ""
    assert may_share_data(files(two), files(one, "csv")) == ""


@pytest.mark.parametrize(("one", "two"), SHARED)
def test_places_that_may_meet(one: str, two: str) -> None:
    assert may_share_data(files(one), files(two))
    assert may_share_data(files(two), files(one))


def test_a_source_is_itself_whatever_is_declared_of_it() -> None:
    keyed = Source("t", (Field("id", INT, False),), (("id",),))
    assert may_share_data(Source("t", ID), keyed) == ""


def test_tables_by_their_names_are_independent() -> None:
    assert may_share_data(Source("t", ID), Source("u", ID)) == ""
    assert may_share_data(Source("t", ID), Source("u", ID, format="parquet", location="/u")) == ""
    assert may_share_data(Source("t", ID, location="/u/x"), Source("u", ID, location="/u"))
    assert may_share_data(Source("t", ID), Source("T", ID))


def test_one_name_read_in_two_ways_is_the_same_data() -> None:
    for more in ({"options": (("header", "true"),)}, {"metadata": (("id EXISTS_DEFAULT", "1"),)}):
        assert may_share_data(files("/a", "csv"), files("/a", "csv", **more))


def test_what_nobody_knows_may_be_anything() -> None:
    assert may_share_data(Source("t", ID), files("/a"))
    assert may_share_data(files("/a", "jdbc"), files("/b", "jdbc"))
    assert may_share_data(files("/a", "delta"), files("/b", "delta"))
    assert may_share_data(files("/a", elsewhere=("/b",)), files("/b/x"))
    assert may_share_data(files("/a", elsewhere=(ANYWHERE,)), files("/b"))
    assert may_share_data(Source("t", ID, elsewhere=(ANYWHERE,)), Source("u", ID))
    assert may_share_data(files("/a", LOCAL), files("/b")) == ""  # refused for another reason
