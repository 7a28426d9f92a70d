"""The first rows of a stored result, read without Spark."""

from __future__ import annotations

from typing import Any

from veer.errors import InputError
from veer.store import Store, StoredResult
from veer.store.files import LocalFiles
from veer.visible import shown_value

MOST_ROWS = 200


def preview(store: Store, result: StoredResult, most: int = MOST_ROWS) -> dict[str, Any]:
    """Columns, types and the first rows, as people read them."""
    if not isinstance(store.files, LocalFiles):
        raise InputError("its rows are in another file system, which is reached through Spark only")
    try:
        import pyarrow.parquet as parquet
    except ModuleNotFoundError:
        raise InputError("pyarrow is not installed; use: pip install 'veer-spark[ui]'") from None
    schema = result.dataflow.result_schema
    rows: list[list[str | None]] = []
    for file in result.files:
        if len(rows) >= most:
            break
        path = f"{store.files.path(result.id)}/{file.name}"
        try:
            with parquet.ParquetFile(path) as opened:
                for batch in opened.iter_batches(batch_size=most):
                    columns = [column.to_pylist() for column in batch.columns]
                    rows += [
                        [None if v is None else shown_value(v) for v in row]
                        for row in zip(*columns, strict=True)
                    ]
                    if len(rows) >= most:
                        break
        except (OSError, ValueError, NotImplementedError) as error:
            raise InputError(f"{file.name} cannot be read: {error}") from None
    return {
        "columns": list(result.names),
        "types": [str(type_) for type_ in schema.types],
        "rows": rows[:most],
        "count": result.rows,
        "bytes": result.bytes,
        "seconds": result.seconds,
    }
