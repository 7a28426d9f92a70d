"""Witnesses shown to Spark: it agrees with those of Veer, and objects to others."""

from __future__ import annotations

import pytest

from benchmarks.nets.corpora import Pair
from benchmarks.nets.witnesses import objection, witness_of
from veer.verdict import Witness, WitnessKind

pytestmark = pytest.mark.spark
SCHEMA = "CREATE TABLE t (a INT, d DOUBLE)"


def pair(p: str, q: str) -> Pair:
    return Pair("pair", SCHEMA, p, q)


def shown(*rows: tuple[object, ...], p_rows: tuple[tuple[object, ...], ...]) -> Witness:
    return Witness(WitnessKind.ROWS, {"t": {"rows": rows}}, p_rows)


def test_spark_judges_witnesses() -> None:
    differ = pair("SELECT a FROM t", "SELECT a FROM t WHERE a > 1")
    found = witness_of(differ)
    assert found is not None and not objection(differ, found)
    assert "in both" in objection(differ, shown((2, 0.0), p_rows=((2,),)))
    assert "p gives" in objection(differ, shown((1, 0.0), p_rows=()))
    fails = pair("SELECT a FROM t", "SELECT a FROM t WHERE d = ''")
    assert "q gives no rows" in objection(fails, shown((1, 0.0), p_rows=((1,),)))
    assert witness_of(pair("SELECT a FROM t", "SELECT a FROM t AS u")) is None
    types = pair("SELECT a FROM t", "SELECT d FROM t")
    schema = witness_of(types)
    assert schema is not None and not objection(types, schema)
