"""Job pairs run on Spark, on the rows that come with them."""

from __future__ import annotations

import importlib.util
import json
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.support.job_folders import expected
from veer.java import ensure_java
from veer.read.sql.ddl import read_schema

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def replay(folders: Sequence[Path]) -> int:
    """Print what Spark says of each pair; 1 if that is not what is expected of one."""
    from pyspark.sql import SparkSession

    ensure_java()
    builder = SparkSession.builder.master("local[1]")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.session.timeZone": "UTC",
    }.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    wrong = 0
    try:
        for folder in folders:
            seen = "equivalent" if agree(spark, folder) else "inequivalent"
            right = seen == expected(folder)
            wrong += not right
            print(f"{folder.name:40} {seen:13} {'' if right else 'NOT AS EXPECTED'}", flush=True)
    finally:
        spark.stop()
    print(f"{len(folders)} pairs run, {wrong} not as expected")
    return int(wrong > 0)


def agree(spark: SparkSession, folder: Path) -> bool:
    """Whether both versions give the same rows on the rows of `data.json`."""
    ours, theirs = (_results(spark, folder, name) for name in ("old.py", "new.py"))
    return ours == theirs


def _results(spark: SparkSession, folder: Path, name: str) -> Mapping[str, Any]:
    """The rows of each result of a version, however often, by the name of the result."""
    with tempfile.TemporaryDirectory() as scratch:
        _make_tables(spark, folder, Path(scratch))
        spec = importlib.util.spec_from_file_location(
            f"{folder.name}_{Path(name).stem}", folder / name
        )
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        built = module.build(spark)
        frames = built if isinstance(built, dict) else {"result": built}
        return {
            name: (frame.dtypes, Counter(_comparable(row) for row in frame.collect()))
            for name, frame in frames.items()
        }


def _make_tables(spark: SparkSession, folder: Path, scratch: Path) -> None:
    """The tables of the schema as views on the rows of `data.json`."""
    rows = json.loads((folder / "data.json").read_text(encoding="utf-8"))
    for name, source in read_schema((folder / "schema.sql").read_text(encoding="utf-8")).items():
        columns = ", ".join(f"`{field.name}` {field.type}" for field in source.fields)
        lines = "\n".join(map(json.dumps, rows.get(name, [])))
        path = scratch / f"{name}.jsonl"
        path.write_text(lines, encoding="utf-8")
        reader = spark.read.schema(columns).option("mode", "FAILFAST")
        reader.json(str(path)).createOrReplaceTempView(name)


def _comparable(value: Any) -> Any:
    """A value that can be counted, floats up to rounding."""
    if isinstance(value, dict):
        return frozenset((_comparable(k), _comparable(v)) for k, v in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(_comparable, value))
    return f"{value:.9g}" if isinstance(value, float) else value
