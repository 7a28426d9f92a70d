"""CREATE TABLE statements of data files, and of schemas as Spark writes them (`df.schema.json()`)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from veer.errors import InputError, ParseError, UnsupportedError
from veer.ir import types as ty
from veer.read.pyspark.avro_headers import avro_schema
from veer.read.pyspark.delta_logs import delta_schema, is_delta
from veer.read.pyspark.plans.types import field_type

SPARK_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"
HIDDEN = ("_", ".")
WITHOUT_TYPES = {".csv": "CSV", ".json": "JSON", ".txt": "text", ".xml": "XML"}


def table_ddl(name: str, path: Path) -> str:
    """The statement that declares a table with the columns of data files or of a schema."""
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    if path.is_file() and path.suffix == ".json":
        return json_ddl(name, path.read_text(encoding="utf-8"))
    if is_delta(path):
        return _statement(name, delta_schema(path), ())
    file = _data_file(path)
    schema = READERS.get(file.suffix, parquet_schema)(file)
    return _statement(name, schema, _partitions(path, file))


def schema_ddl(name: str, schema: Mapping[str, Any]) -> str:
    """The statement that declares a table with the columns of a schema of Spark."""
    return _statement(name, schema, ())


def folder_ddl(folder: Path) -> str:
    """The statements of a folder of schemas: files of DDL, and of schemas that Spark wrote."""
    texts = []
    for file in sorted(folder.iterdir()):
        if file.suffix in (".ddl", ".sql"):
            texts.append(file.read_text(encoding="utf-8").strip().removesuffix(";"))
        elif file.suffix == ".json":
            try:
                statement = table_ddl(table_name(file), file)
            except InputError as error:
                raise type(error)(f"{file}: {error}") from None
            texts.append(statement.strip().removesuffix(";"))
    if not texts:
        raise InputError(f"{folder}: no .ddl, .sql or .json files inside")
    return ";\n".join(filter(None, texts))


def json_ddl(name: str, text: str) -> str:
    """The same of a schema that Spark wrote as JSON."""
    try:
        schema = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        raise ParseError("not a schema of Spark: the JSON is broken") from None
    if not isinstance(schema, dict) or schema.get("type") != "struct":
        raise ParseError('not a schema of Spark: it must begin with {"type": "struct"')
    return _statement(name, schema, ())


def table_name(path: Path) -> str:
    """What a table is called after its file or folder."""
    return re.sub(r"\W", "_", path.name.split(".")[0]) or "t"


def _statement(name: str, schema: Mapping[str, Any], partitions: tuple[str, ...]) -> str:
    lines = []
    try:
        for field in schema["fields"]:
            type_ = field_type(field)
            if isinstance(type_, ty.OpaqueType):
                raise UnsupportedError(f"column {field['name']!r} of type {type_}")
            never_null = "" if field.get("nullable", True) else " NOT NULL"
            lines.append(f"{ty.quote_name(str(field['name']))} {type_}{never_null}")
    except (KeyError, TypeError, AttributeError):
        raise ParseError("not a schema of Spark: a field has no name or no type") from None
    lines += [f"{ty.quote_name(column)} STRING" for column in partitions]
    quoted = ".".join(map(ty.quote_name, name.split(".")))
    return f"CREATE TABLE {quoted} (\n  " + ",\n  ".join(lines) + "\n);"


def parquet_schema(file: Path) -> dict[str, Any]:
    """The columns that a Parquet file says it has, as a schema of Spark in JSON."""
    import pyarrow.parquet

    try:
        arrow = pyarrow.parquet.read_schema(file)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{file}: not a Parquet file: {str(error).splitlines()[0]}") from None
    return _of_arrow(arrow, (arrow.metadata or {}).get(SPARK_SCHEMA))


def orc_schema(file: Path) -> dict[str, Any]:
    """The columns that an ORC file says it has, as a schema of Spark in JSON."""
    import pyarrow.orc

    try:
        arrow = pyarrow.orc.ORCFile(file).schema
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{file}: not an ORC file: {str(error).splitlines()[0]}") from None
    for field in arrow:
        if "timestamp" in str(field.type) and "tz=" not in str(field.type):
            raise UnsupportedError(
                f"{file}: the file does not say whether {field.name} is a timestamp with or without time zone; "
                "write spark.read.orc(path).schema.json() into a file and give that file"
            )
    return _of_arrow(arrow)


def _of_arrow(arrow: Any, written: bytes | None = None) -> dict[str, Any]:
    """A schema of Arrow as one of Spark; `written` is what Spark itself noted."""
    from pyspark.sql.pandas.types import from_arrow_schema

    schema: dict[str, Any] = (
        json.loads(written) if written else from_arrow_schema(arrow).jsonValue()
    )
    # Whatever the writer said: a file may be joined by others that hold nulls.
    return {**schema, "fields": [{**field, "nullable": True} for field in schema["fields"]]}


READERS: dict[str, Callable[[Path], dict[str, Any]]] = {
    ".parquet": parquet_schema,
    ".orc": orc_schema,
    ".avro": avro_schema,
}


def _data_file(path: Path) -> Path:
    """The file that tells the columns: itself, or the first of a folder."""
    if path.is_file():
        if path.suffix in WITHOUT_TYPES:
            raise UnsupportedError(
                f"{path}: a {WITHOUT_TYPES[path.suffix]} file does not contain the types of its columns; "
                "write spark.read...(path).schema.json() into a file and give that file"
            )
        return path
    file = next(_data_files(path), None)
    if file is None:
        raise InputError(f"{path}: no Parquet, ORC, Avro or Delta files inside")
    return file


def _data_files(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        inside = file.relative_to(folder).parts
        if file.suffix in READERS and not any(part.startswith(HIDDEN) for part in inside):
            yield file


def _partitions(path: Path, file: Path) -> tuple[str, ...]:
    """The columns that names of folders tell: `day=2024-01-01`."""
    if path.is_file():
        return ()
    inside = file.relative_to(path).parts[:-1]
    return tuple(part.partition("=")[0] for part in inside if "=" in part)
