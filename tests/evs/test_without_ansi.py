"""Pairs in sessions without ANSI: what differs where numbers wrap or become null is never proven."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support import Case, load_cases
from veer.ir.query_pair import QueryPair
from veer.prove.verifiers import registry
from veer.read.sql import read_sql
from veer.settings import SessionSettings, under
from veer.verdict import TableSemantics, Verdict

SCHEMA = """
CREATE TABLE t (
  id BIGINT NOT NULL, a INT, b INT, c INT, l BIGINT, m BIGINT, s STRING, u STRING, d DOUBLE, n DECIMAL(7,2),
  g DECIMAL(38,10), h DECIMAL(38,0), k DECIMAL(20,0), dt DATE, ts TIMESTAMP, p BOOLEAN, xs ARRAY<INT>,
  mp MAP<STRING,INT>, ti TINYINT, si SMALLINT, PRIMARY KEY (id)
);
CREATE TABLE r (x INT, y STRING, z DECIMAL(7,2), w BIGINT)
"""
CASES = load_cases("without_ansi.cases")


@pytest.fixture(autouse=True)
def without_ansi() -> Iterator[None]:
    """Queries are read as in a session without ANSI."""
    with under(SessionSettings(ansi=False)):
        yield


def pair_of(case: Case) -> QueryPair:
    p, q = (read_sql(text, SCHEMA) for text in case.texts)
    columns = tuple((i, i) for i in range(len(p.result_schema)))
    return QueryPair(p, q, TableSemantics.BAG, columns)


@pytest.mark.parametrize(
    "case", [c for c in CASES if "expect" not in c.options], ids=lambda c: c.title
)
def test_what_differs_is_not_proven(case: Case) -> None:
    pair = pair_of(case)
    for name in registry.names():
        assert registry.get(name).verify(pair).verdict is not Verdict.EQUIVALENT, name


@pytest.mark.parametrize(
    "case", [c for c in CASES if "expect" in c.options], ids=lambda c: c.texts[1]
)
def test_what_holds_there_too_is_proven(case: Case) -> None:
    assert registry.get("algebra").verify(pair_of(case)).verdict is Verdict.EQUIVALENT
