"""The first rows of a stored result, read without Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from veer.errors import InputError
from veer.execution.store import Store, StoredResult
from veer.execution.store.files import LocalFiles
from veer.visible import shown_value

MOST_ROWS = 200
BATCH = 20  # rows read at once
LONGEST = 1000  # characters of a value that are shown


def preview(store: Store, result: StoredResult, most: int = MOST_ROWS) -> dict[str, Any]:
    """Columns, types and the first rows, as people read them."""
    if not isinstance(store.files, LocalFiles):
        raise InputError(
            "its rows are in another file system, which can be reached only through Spark"
        )
    try:
        import pyarrow.parquet as parquet
    except ModuleNotFoundError:
        raise InputError("pyarrow is not installed; use: pip install 'veer-spark[ui]'") from None
    schema = result.dataflow.result_schema
    rows: list[list[str | None]] = []
    for file in result.files:
        if len(rows) >= most:
            break
        path = Path(store.files.path(result.id)) / file.name
        if Path(file.name).name != file.name or not path.is_file():
            raise InputError(f"{Path(file.name).name} is not there")
        try:
            with parquet.ParquetFile(path) as opened:
                for batch in opened.iter_batches(batch_size=BATCH):
                    columns = [column.to_pylist() for column in batch.columns]
                    rows += [
                        [None if v is None else _cut(shown_value(v)) for v in row]
                        for row in zip(*columns, strict=True)
                    ]
                    if len(rows) >= most:
                        break
        except (OSError, ValueError, OverflowError, LookupError, NotImplementedError) as error:
            raise InputError(f"{file.name} cannot be read: {error}") from None
    return {
        "columns": list(result.names),
        "types": [str(type_) for type_ in schema.types],
        "rows": rows[:most],
        "count": result.rows,
        "bytes": result.bytes,
        "seconds": result.seconds,
    }


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ... ({len(text):,} characters)"
