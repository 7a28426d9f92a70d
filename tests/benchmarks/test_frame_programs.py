"""Random DataFrame programs: Python that compiles, the same for a seed, said in many ways."""

from __future__ import annotations

import ast
from pathlib import Path

from benchmarks.fuzz.frame_programs import frame_module

SCHEMA = Path(__file__).parents[1] / "cases" / "connect" / "tables.sql"
COUNT = 200


def test_programs_compile_and_are_the_same_for_a_seed() -> None:
    schema = SCHEMA.read_text(encoding="utf-8")
    text = frame_module(1, 0, COUNT, schema)
    functions = [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)]
    assert [f.name for f in functions] == [f"program_{n}" for n in range(COUNT)]
    assert all(isinstance(f.body[-1], ast.Return) and len(f.body) >= 2 for f in functions)
    assert text == frame_module(1, 0, COUNT, schema)
    assert text != frame_module(2, 0, COUNT, schema)


def test_programs_use_many_calls() -> None:
    text = frame_module(1, 0, COUNT, SCHEMA.read_text(encoding="utf-8"))
    calls = (
        "select( selectExpr( filter( where( withColumn( withColumns( withColumnRenamed( drop( toDF( "
        "alias( join( groupBy( rollup( cube( agg( pivot( over( union( unionByName( subtract( "
        "distinct( dropDuplicates( orderBy( limit( fillna( dropna( replace( explode( unpivot( "
        "createOrReplaceTempView( spark.sql( F.expr( eqNullSafe( allowMissingColumns= "
    )
    assert [c for c in calls.split() if c not in text] == []
