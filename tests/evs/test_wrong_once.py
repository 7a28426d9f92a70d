"""Pairs that were proven once although they differ: never again, by no verifier."""

from __future__ import annotations

import pytest

from tests.support import Case, load_cases
from veer.ir.query_pair import QueryPair
from veer.prove.verifiers import registry
from veer.read.sql import read_sql
from veer.verdict import TableSemantics, Verdict

SCHEMA = """
CREATE TABLE t (a INT, b INT, c INT, l BIGINT, d DOUBLE, arr ARRAY<INT>, brr ARRAY<INT>, s STRING);
CREATE TABLE r (x INT, y INT)
"""


@pytest.mark.parametrize("semantics", TableSemantics)
@pytest.mark.parametrize("case", load_cases("wrong_once.cases"), ids=lambda c: c.title)
def test_never_again(case: Case, semantics: TableSemantics) -> None:
    p, q = (read_sql(text, SCHEMA) for text in case.texts)
    columns = tuple((i, i) for i in range(len(p.result_schema)))
    pair = QueryPair(p, q, semantics, columns)
    for name in registry.names():
        assert registry.get(name).verify(pair).verdict is not Verdict.EQUIVALENT, name


def test_a_number_is_no_date() -> None:
    p, q = (read_sql(f"SELECT {v} AS v FROM t", SCHEMA) for v in ("DATE'1970-01-01'", "719163"))
    pair = QueryPair(p, q, TableSemantics.BAG, ((0, 0),))
    assert registry.get("algebra").verify(pair).verdict is Verdict.UNKNOWN
