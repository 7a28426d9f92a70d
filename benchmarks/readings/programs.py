"""What is read in both ways: written cases, random programs, jobs, Python functions, TPC-DS."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from benchmarks.fuzz.frame_programs import frame_module
from benchmarks.readings.sides import Program

TESTS = Path(__file__).parents[2] / "tests"
CASES = TESTS / "cases" / "connect"
TABLES = CASES / "tables.sql"
JOBS = TESTS / "cases" / "jobs"
UDF_TABLE = "CREATE TABLE rows (x BIGINT, s STRING, d DOUBLE);\n"
UDF_HEAD = """import sys

sys.path.insert(0, {folder!r})
from pyspark.sql.functions import udf
import udf_versions

"""
UDF_CASE = """
def {kind}_{place}_{side}(spark):
    function, type_ = udf_versions.{kind}[{place}][{side}], udf_versions.{kind}[{place}][2]
    return spark.table("rows").select("x", udf(function, type_)("x", "s", "d").alias("y"))
"""


def functions_of(file: Path, schema: Path) -> list[Program]:
    """The functions of a file that take a session."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return [
        Program(f"{file.stem}.{node.name}", file, node.name, schema)
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and [a.arg for a in node.args.args] == ["spark"]
    ]


def cases() -> list[Program]:
    """The written cases."""
    return [p for file in sorted(CASES.glob("*.py")) for p in functions_of(file, TABLES)]


def random_programs(
    seed: int, count: int, folder: Path, size: int = 100
) -> Iterator[list[Program]]:
    """Random programs by modules of so many, written to a folder."""
    schema = TABLES.read_text(encoding="utf-8")
    for first in range(0, count, size):
        file = folder / f"random_{seed}_{first}.py"
        file.write_text(
            frame_module(seed, first, min(size, count - first), schema), encoding="utf-8"
        )
        yield functions_of(file, TABLES)


def jobs() -> list[Program]:
    """Both versions of the job pairs."""
    return [
        Program(
            f"{folder.name}.{version}", folder / f"{version}.py", "build", folder / "schema.sql"
        )
        for folder in sorted(JOBS.iterdir())
        if folder.is_dir()
        for version in ("old", "new")
    ]


def python_functions(folder: Path) -> list[Program]:
    """Both versions of the pairs of Python functions, each in a job."""
    from tests.spark import udf_versions

    file, schema = folder / "python_pairs.py", folder / "rows.sql"
    schema.write_text(UDF_TABLE, encoding="utf-8")
    text = UDF_HEAD.format(folder=str(TESTS / "spark"))
    for kind in ("REFACTORED", "CHANGED"):
        for place in range(len(getattr(udf_versions, kind))):
            for side in (0, 1):
                text += "\n" + UDF_CASE.format(kind=kind, place=place, side=side)
    file.write_text(text, encoding="utf-8")
    return functions_of(file, schema)


def tpcds(folder: Path) -> list[Program]:
    """The queries of TPC-DS, given to `spark.sql`."""
    from benchmarks.support import tpcds as queries

    file, schema = folder / "tpcds_queries.py", folder / "tpcds.sql"
    ddl = []
    for name, source in queries.catalog().items():
        fields = ", ".join(
            f"`{f.name}` {f.type}{'' if f.nullable else ' NOT NULL'}" for f in source.fields
        )
        ddl.append(f"CREATE TABLE {name} ({fields});\n")
    schema.write_text("".join(ddl), encoding="utf-8")
    text = '"""The queries of TPC-DS."""\n'
    for number, query in queries.queries().items():
        text += f"\n\ndef q{number}(spark):\n    return spark.sql({query!r})\n"
    file.write_text(text, encoding="utf-8")
    return functions_of(file, schema)
