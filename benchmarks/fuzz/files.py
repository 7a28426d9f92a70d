"""Rows written as files, without Spark."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.fuzz.databases import Row, value
from benchmarks.fuzz.judge import arrow_table
from benchmarks.fuzz.programs import COLUMNS


def random_rows(rng: Random, kind: str) -> list[Row]:
    """Rows of the usual columns."""
    count = rng.randint(0, 2) if kind == "sparse" else rng.randint(1, 6)
    return [
        tuple(None if rng.random() < 0.25 else value(rng, t, kind) for t in COLUMNS.values())
        for _ in range(count)
    ]


def write_source(folder: Path, format_: str, rows: Sequence[Row]) -> None:
    """Replace the rows of a source: files of a format, partitioned by a, or without it."""
    shutil.rmtree(folder, ignore_errors=True)
    if format_ == "partitioned":
        for key in {row[0] for row in rows} | {1}:
            part = [row for row in rows if row[0] == key]
            name = "__HIVE_DEFAULT_PARTITION__" if key is None else key
            write_rows(folder / f"a={name}", "parquet", part, without="a")
    elif format_ == "without a":
        write_rows(folder, "parquet", rows, without="a")
    else:
        write_rows(folder, format_, rows)


def write_rows(
    folder: Path, format_: str, rows: Sequence[Row], *, without: str = "", name: str = "part-0"
) -> None:
    """Write rows of the usual columns as one file of a folder."""
    import pyarrow.orc as orc
    import pyarrow.parquet as parquet

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.{format_}"
    if format_ in ("parquet", "orc"):
        content = arrow_table(tuple(COLUMNS), list(COLUMNS.values()), rows)
        content = content.drop_columns([without]) if without else content
        (parquet if format_ == "parquet" else orc).write_table(content, str(path))
        return
    line = _json_line if format_ == "json" else _csv_line
    path.write_text("".join(line(row) + "\n" for row in rows), encoding="utf-8")


def _json_line(row: Row) -> str:
    fields = {n: v for n, v in zip(COLUMNS, row, strict=True) if v is not None}
    odd = {
        n: str(v).replace("inf", "Infinity").replace("nan", "NaN")
        for n, v in fields.items()
        if _is_odd(v)
    }
    return json.dumps({**fields, **odd}, ensure_ascii=False)


def _csv_line(row: Row) -> str:
    return ",".join(map(_csv_value, row))


def _csv_value(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if _is_odd(value):
        return "NaN" if math.isnan(value) else "Inf" if value > 0 else "-Inf"
    return str(value)


def _is_odd(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)
