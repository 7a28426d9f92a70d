"""Rows that a program gave to Spark, as PySpark hands them over: pickled, in an RDD of their own.

`createDataFrame(rows)` makes a chain of RDDs: the pickled rows, a Python function that only spells
them anew, and steps that turn them into rows of Spark. Nothing is run to read them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from types import CodeType
from typing import Any

from veer.errors import UnsupportedError
from veer.functions.arithmetic import NAN, to_float32
from veer.ir import ops, types as ty
from veer.ir.schema import Field
from veer.read.pyspark.layout import rdd_class
from veer.read.pyspark.plans.functions import as_bytes
from veer.read.pyspark.plans.types import date_or_timestamp, exact_decimal
from veer.read.python.identity import digest_of

MOST_CELLS = 2_000
GIVEN = ["MapPartitionsRDD"] * 3 + ["PythonRDD", "ParallelCollectionRDD"]
SURROGATES = re.compile("[\ud800-\udfff]")  # no text of their own
STORED = frozenset({"LocalCheckpointRDD", "ReliableCheckpointRDD"})


def rows_of_rdd(rdd: Any, fields: tuple[Field, ...]) -> ops.AnyOperator:
    """The rows of an RDD if a program gave them; else a source known as this very RDD."""
    chain = _chain(rdd)
    kinds = [str(r.getClass().getSimpleName()) for r in chain]
    name = f"rdd_{rdd.sparkContext().applicationId()}_{rdd.id()}"
    if kinds != GIVEN or not _is_identity_function(chain[3]):
        stored = kinds[-1] in STORED and set(kinds[:-1]) <= {"MapPartitionsRDD"}
        return ops.Source(name, fields, format=ops.LOCAL if stored else ops.COMPUTED)
    try:
        return _values(_unpickled(chain[-1], MOST_CELLS), fields)
    except UnsupportedError:
        known = digest_of(_unpickled(chain[-1])) or name
        return ops.Source(f"rows_{known[:32]}", fields, format=ops.LOCAL)


def _chain(rdd: Any) -> list[Any]:
    """An RDD and what it is computed from, while that is one RDD."""
    chain = [rdd]
    while chain[-1].dependencies().size() == 1:
        chain.append(chain[-1].dependencies().apply(0).rdd())
    return chain if chain[-1].dependencies().size() == 0 else [rdd]


def _is_identity_function(python_rdd: Any) -> bool:
    """Whether the Python function of an RDD is PySpark's own that gives what it gets."""
    from pyspark import cloudpickle

    RDD = rdd_class()
    try:
        declared = python_rdd.getClass().getDeclaredField("func")
        declared.setAccessible(True)
        command = cloudpickle.loads(as_bytes(declared.get(python_rdd).command()))
        function = command[0]
        (inner,) = [cell.cell_contents for cell in function.__closure__]
        return function.__code__ in _inside(RDD.map) and inner.__code__ in _inside(RDD._reserialize)
    except Exception:  # of another shape: the program's own
        return False


def _inside(function: Any) -> list[CodeType]:
    return [c for c in function.__code__.co_consts if isinstance(c, CodeType)]


def _unpickled(parallel_rdd: Any, most: float = math.inf) -> list[Any]:
    """The rows as PySpark pickled them."""
    from pyspark import cloudpickle

    rows: list[Any] = []
    for partition in parallel_rdd.partitions():
        batches = partition.iterator()
        while batches.hasNext():
            rows += cloudpickle.loads(as_bytes(batches.next()))
            if len(rows) > most:
                raise UnsupportedError("too many rows")
    return rows


def _values(rows: Sequence[Any], fields: tuple[Field, ...]) -> ops.Values:
    if len(rows) * len(fields) > MOST_CELLS:
        raise UnsupportedError("too many rows")
    converted = []
    for row in rows:
        if type(row) is not tuple or len(row) != len(fields):
            raise UnsupportedError("a row of another shape")
        converted.append(tuple(exact_cell(v, f.type) for v, f in zip(row, fields, strict=True)))
    return ops.Values(fields, tuple(converted))


def exact_cell(value: Any, type_: ty.DataType) -> Any:
    """A value as Spark reads it from a pickle, where that is exactly the one pickled."""
    if value is None:
        return None
    match type_:
        case ty.NullType():
            return None
        case ty.BooleanType() if type(value) is bool:
            return value
        case ty.IntegralType() if type(value) is int:
            half = 1 << (ty.INTEGER_BITS[type_] - 1)
            if -half <= value < half:
                return value
        case ty.DoubleType() if type(value) is float:
            return NAN if value != value else value
        case ty.FloatType() if type(value) is float:
            single = NAN if value != value else to_float32(value)
            if value != value or single == value:
                return single
        case ty.StringType() if type(value) is str and not SURROGATES.search(value):
            return value
        case ty.BinaryType() if type(value) in (bytes, bytearray):
            return bytes(value)
        case ty.DecimalType() if type(value) is Decimal:
            exact = exact_decimal(value, type_)
            if exact is not None:
                return exact
        case ty.DateType() | ty.TimestampType() | ty.TimestampNtzType() if type(value) is int:
            return date_or_timestamp(value, type_)
    raise UnsupportedError(f"a row with a value of type {type_}")
