"""Rows given to `createDataFrame`, checked and typed as in a classic session."""

from __future__ import annotations

from inspect import signature
from typing import Any

from veer.errors import UnsupportedError
from veer.ir.ops import AnyOperator
from veer.read.pyspark.offline.types import columns_of
from veer.read.pyspark.plans.python_rows import rows_from_python


def rows_of(session: Any, data: Any, schema: Any, verify: bool) -> AnyOperator:
    """The rows of a list and their columns."""
    if isinstance(schema, str):
        schema = session.client.parsed_ddl(schema)
    kind = type(data).__module__.partition(".")[0]
    if kind in ("pandas", "numpy", "pyarrow"):
        raise UnsupportedError(f"rows of {kind} are given to createDataFrame()")
    rows = data if isinstance(data, list) else list(data)
    struct = _checked(session, rows, schema, verify)
    return rows_from_python(data, columns_of(struct))


def _checked(session: Any, rows: list[Any], schema: Any, verify: bool) -> Any:
    """The columns of rows; an error of PySpark's if they do not fit."""
    from pyspark.errors import PySparkTypeError
    from pyspark.sql.types import DataType, StructType, _create_converter, _make_type_verifier

    if isinstance(schema, DataType) and not isinstance(schema, StructType):
        check: Any = _make_type_verifier(schema, name="field value")
        for row in rows if verify else ():
            check(row)
        return StructType().add("value", schema)
    if isinstance(schema, StructType):
        check = _make_type_verifier(schema)
        for row in rows if verify else ():
            check(row)
        struct = schema
    elif schema is None or isinstance(schema, list | tuple):
        names = None if schema is None else list(schema)
        struct = _inferred(session, rows, names)
        _check_types_known(struct)
        for i, name in enumerate(names or ()):
            struct.fields[i].name = struct.names[i] = name
    else:
        shown = type(schema).__name__
        raise PySparkTypeError(f"schema should be a list, None or StructType, got {shown}")
    convert = _create_converter(struct)
    for row in rows:
        struct.toInternal(convert(row))
    return struct


def _check_types_known(struct: Any) -> None:
    from pyspark.errors import PySparkValueError
    from pyspark.sql.types import _has_nulltype

    if _has_nulltype(struct):
        raise PySparkValueError("Some of types cannot be determined after inferring.")


def _inferred(session: Any, rows: list[Any], names: list[str] | None) -> Any:
    """The columns of rows by their values; PySpark 3.5 and 4.0 look up settings themselves."""
    infer = session._inferSchemaFromList
    takes_settings = len(signature(infer).parameters) > 2
    return infer(rows, names, _inference(session)) if takes_settings else infer(rows, names)


def _inference(session: Any) -> Any:
    return session.client.get_config_dict(
        "spark.sql.pyspark.inferNestedDictAsStruct.enabled",
        "spark.sql.pyspark.legacy.inferArrayTypeFromFirstElement.enabled",
        "spark.sql.pyspark.legacy.inferMapTypeFromFirstPair.enabled",
        "spark.sql.timestampType",
    )
