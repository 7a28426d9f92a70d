"""Python functions inside plans: unpickled again, as this very session pickled them."""

from __future__ import annotations

from typing import Any

NAMED_ARGUMENT = "NamedArgumentExpression"


def python_function(jvm_function: Any) -> Any | None:
    """The function of a plan; None if it cannot be had."""
    from pyspark import cloudpickle

    try:
        unpickled = cloudpickle.loads(as_bytes(jvm_function.command()))
        function = unpickled[0] if isinstance(unpickled, tuple) else unpickled
    except Exception:  # unpickling may do anything
        return None
    return function if callable(function) else None  # a broadcast is too large for the plan


def as_bytes(sequence: Any) -> bytes:
    """The bytes of a Scala sequence, copied in one go."""
    if isinstance(sequence, bytes | bytearray):
        return bytes(sequence)
    from pyspark import SparkContext

    context = SparkContext._active_spark_context
    assert context is not None and context._jvm is not None
    return bytes(sequence.toArray(context._jvm.scala.reflect.ClassTag.Byte()))
