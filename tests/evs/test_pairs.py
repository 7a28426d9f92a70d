"""Query pairs of many kinds: proven and attacked, or refuted and the witness replayed.

The columns of these queries are compared by their place, as `veer batch` does.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from tests.evs.test_cases import assert_lawful, assert_not_refuted
from tests.support import CASES, Case, load_cases
from veer.batch.pairs import BatchOptions, decide
from veer.ir.ops import Source
from veer.ir.query_pair import QueryPair
from veer.ir.sources import tables_read
from veer.ir.types import DateType, DecimalType, TimestampType
from veer.prove.verifiers import registry
from veer.read.sql import read_sql
from veer.refute import Refutation
from veer.verdict import TableSemantics, Verdict

SCHEMA = """
CREATE TABLE r (a INT, b INT, c STRING);
CREATE TABLE s (a INT, b INT, c STRING);
CREATE TABLE t (k INT NOT NULL, v INT, w STRING, PRIMARY KEY (k));
CREATE TABLE e (id BIGINT NOT NULL, d DATE, ts TIMESTAMP, x STRING, n INT, m BIGINT, p DECIMAL(10, 2), f DOUBLE)
"""
READ: dict[type, Callable[[str], Any]] = {
    DateType: date.fromisoformat,
    TimestampType: datetime.fromisoformat,
    DecimalType: Decimal,
}
FILES = sorted(path.stem for path in (CASES / "pairs").glob("*.cases"))
ALL = [(name, case) for name in FILES for case in load_cases(f"pairs/{name}.cases")]


@pytest.mark.parametrize("case", [pytest.param(c, id=f"{name}: {c.title}") for name, c in ALL])
def test_pair(case: Case) -> None:
    texts = dict(zip("pq", case.texts, strict=True))
    line = decide({"id": case.title, "schema": SCHEMA, **texts}, BatchOptions().comparison)
    assert line["verdict"] == case.options["expect"], line["reason"]
    p, q = (read_sql(text, SCHEMA) for text in case.texts)
    places = tuple((i, i) for i in range(len(p.result_schema)))
    refutation = Refutation.of(p, q, p.sinks[0], q.sinks[0], places, TableSemantics.BAG)
    if line["verdict"] == "equivalent":
        assert_not_refuted(refutation)
        return
    sources = tables_read((p, q))
    tables = {n: _rows(t["rows"], sources[n]) for n, t in line["witness"]["tables"].items()}
    assert refutation.differ(tables)
    assert_lawful(refutation, tables)
    pair = QueryPair(p, q, TableSemantics.BAG, places)
    assert registry.get("algebra").verify(pair).verdict is Verdict.UNKNOWN


def _rows(rows: list[list[Any]], source: Source) -> list[tuple[Any, ...]]:
    """The rows of a table of a witness, which tells dates and decimals as texts."""
    types = [type(f.type) for f in source.fields]
    return [
        tuple(
            READ[t](v) if t in READ and v is not None else v for v, t in zip(r, types, strict=True)
        )
        for r in rows
    ]


def test_there_are_near_misses_for_what_is_proven() -> None:
    for name in FILES:
        expected = [c.options["expect"] for file, c in ALL if file == name]
        assert expected.count("inequivalent") * 3 >= expected.count("equivalent") > 0, name
