"""CREATE TABLE statements of data files, and of schemas as Spark writes them (`df.schema.json()`)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from veer.errors import InputError, ParseError, UnsupportedError
from veer.frontends.spark.plans.types import field_type
from veer.model.types import OpaqueType, quote_name

SPARK_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"
HIDDEN = ("_", ".")
DATA = {".csv": "CSV", ".json": "JSON", ".orc": "ORC", ".avro": "Avro", ".txt": "text"}


def table_ddl(name: str, path: Path) -> str:
    """The statement that declares a table with the columns of a Parquet file or folder, or of a schema."""
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    if path.is_file() and path.suffix == ".json":
        return json_ddl(name, path.read_text(encoding="utf-8"))
    return _statement(name, parquet_schema(_parquet_file(path)), _partitions(path))


def json_ddl(name: str, text: str) -> str:
    """The same of a schema that Spark wrote as JSON."""
    try:
        schema = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        raise ParseError("no schema of Spark: broken JSON") from None
    if not isinstance(schema, dict) or schema.get("type") != "struct":
        raise ParseError('no schema of Spark, which begins with {"type": "struct"')
    return _statement(name, schema, ())


def table_name(path: Path) -> str:
    """What a table is called after its file or folder."""
    return re.sub(r"\W", "_", path.name.split(".")[0]) or "t"


def _statement(name: str, schema: Mapping[str, Any], partitions: tuple[str, ...]) -> str:
    lines = []
    try:
        for field in schema["fields"]:
            type_ = field_type(field)
            if isinstance(type_, OpaqueType):
                raise UnsupportedError(f"column {field['name']!r} of type {type_}")
            never_null = "" if field.get("nullable", True) else " NOT NULL"
            lines.append(f"{quote_name(str(field['name']))} {type_}{never_null}")
    except (KeyError, TypeError, AttributeError):
        raise ParseError("no schema of Spark: a field without name or type") from None
    lines += [f"{quote_name(column)} STRING" for column in partitions]
    quoted = ".".join(map(quote_name, name.split(".")))
    return f"CREATE TABLE {quoted} (\n  " + ",\n  ".join(lines) + "\n);"


def parquet_schema(file: Path) -> dict[str, Any]:
    """The columns that a Parquet file says it has, as a schema of Spark in JSON."""
    import pyarrow.parquet
    from pyspark.sql.pandas.types import from_arrow_schema

    try:
        arrow = pyarrow.parquet.read_schema(file)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{file}: no Parquet file: {str(error).splitlines()[0]}") from None
    written = (arrow.metadata or {}).get(SPARK_SCHEMA)
    schema: dict[str, Any] = (
        json.loads(written) if written else from_arrow_schema(arrow).jsonValue()
    )
    # Whatever the writer said: a file may be joined by others that hold nulls.
    return {**schema, "fields": [{**field, "nullable": True} for field in schema["fields"]]}


def _parquet_file(path: Path) -> Path:
    """The file that tells the columns: itself, or the first of a folder."""
    if path.is_file():
        if path.suffix in DATA:
            raise UnsupportedError(
                f"{path}: a {DATA[path.suffix]} file does not tell the types of its columns; write "
                "spark.read...(path).schema.json() into a file, and name that"
            )
        return path
    file = next(_parquet_files(path), None)
    if file is None:
        raise InputError(f"{path}: no Parquet files inside")
    return file


def _parquet_files(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*.parquet")):
        inside = file.relative_to(folder).parts
        if not any(part.startswith(HIDDEN) for part in inside):
            yield file


def _partitions(path: Path) -> tuple[str, ...]:
    """The columns that names of folders tell: `day=2024-01-01`."""
    if path.is_file():
        return ()
    inside = _parquet_file(path).relative_to(path).parts[:-1]
    return tuple(part.partition("=")[0] for part in inside if "=" in part)
