"""A process that runs jobs of a checkout on small data: `python -m benchmarks.support.replayed_project`.

Arguments: the folder, a file with the jobs in an order in which they can run, and where the digest of
each result goes. Source tables hold random rows that keep their declared keys.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import random
import sys
import tempfile
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from veer.ir.ops import Source
from veer.ir.schema import Field
from veer.read.sql import read_schema

ROWS = 40
WORDS = ("a", "b", "A", " x ", "", "done", "open", "card", "EUR", "USD", "de", "US", "cancelled")


def main() -> None:
    """Run the jobs and write digests of what they give."""
    root, listed, out = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
    sys.path.insert(0, str(root))
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory() as folder:
        spark = (
            SparkSession.builder.master("local[1]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "1")
            .config("spark.sql.warehouse.dir", f"{folder}/warehouse")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.log.level", "ERROR")
            .getOrCreate()
        )
        rng = random.Random(1)
        for source in read_schema((root / "schema.ddl").read_text()).values():
            columns = ", ".join(f"`{f.name}` {f.type}" for f in source.fields)
            frame = spark.createDataFrame(_rows(source, rng), columns)
            frame.createOrReplaceTempView(source.table)
        digests: dict[str, str] = {}
        for job in json.loads(listed.read_text()):
            digests |= _run(spark, root, job)
        out.write_text(json.dumps(digests))
        spark.stop()


def _run(spark: Any, root: Path, job: str) -> dict[str, str]:
    """The digests of what a job returns and writes, by the names of its sinks."""
    path, _, function = job.partition(":")
    before = {t.name for t in spark.catalog.listTables() if not t.isTemporary}
    try:
        if not function:
            spark.sql((root / path).read_text().strip().rstrip(";"))
            result = None
        else:
            module = importlib.import_module(path.removesuffix(".py").replace("/", "."))
            result = getattr(module, function)(spark)
        after = {t.name for t in spark.catalog.listTables() if not t.isTemporary} - before
        found = {name: _digest(spark.table(name)) for name in after}
        if result is not None:
            found[f"{job} result"] = _digest(result)
        return found
    except Exception as error:  # of the data: the same in both versions, or a difference
        return {f"{job} result": f"failed: {type(error).__name__}"}


def _digest(frame: Any) -> str:
    rows = sorted(map(repr, frame.collect()))
    shown = [str(frame.dtypes), *rows]
    return hashlib.sha256("\n".join(shown).encode()).hexdigest()


def _rows(source: Source, rng: random.Random) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    seen: set[Any] = set()
    places = [[f.name for f in source.fields].index(c) for c in (source.keys or ((),))[0]]
    for number in range(ROWS):
        row = tuple(_value(f, rng) for f in source.fields)
        key = tuple(row[i] for i in places)
        if places and key in seen:
            row = _with_number(row, places, source.fields, number)
            key = tuple(row[i] for i in places)
        if not places or key not in seen:
            seen.add(key)
            rows.append(row)
    return rows


def _with_number(
    row: tuple[Any, ...], places: Sequence[int], fields: Sequence[Field], number: int
) -> tuple[Any, ...]:
    changed = list(row)
    first = places[0]
    if str(fields[first].type) in ("int", "bigint"):
        changed[first] = 100 + number
    return tuple(changed)


def _value(field: Field, rng: random.Random) -> Any:
    if field.nullable and rng.random() < 0.15:
        return None
    kind = str(field.type)
    if kind in ("int", "bigint", "smallint"):
        return rng.randrange(12)
    if kind.startswith("decimal"):
        scale = int(kind.partition(",")[2].rstrip(")"))
        return Decimal(rng.randrange(-20, 400)) / (10 ** min(scale, 2))
    if kind == "double":
        return rng.choice((0.0, 1.5, -2.25, 10.0, 99.5))
    if kind == "date":
        return date(2024, 1, 1) + timedelta(days=rng.randrange(70))
    if kind == "timestamp":
        return datetime(2024, 1, 1) + timedelta(minutes=rng.randrange(60 * 24 * 70))
    if kind == "boolean":
        return rng.random() < 0.5
    return rng.choice(WORDS)


if __name__ == "__main__":
    main()
