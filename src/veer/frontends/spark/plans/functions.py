"""Python functions inside plans: unpickled again, as this very session pickled them."""

from __future__ import annotations

import uuid
from typing import Any

from veer.frontends.python import Identity, identify
from veer.frontends.python.purity import Arguments
from veer.functions.registry import Kind

NAMED_ARGUMENT = "NamedArgumentExpression"


def python_function(jvm_function: Any, arguments: Arguments) -> tuple[Any, Identity]:
    """The function of a plan and its identity; None and one of its own if it cannot be had."""
    from pyspark import cloudpickle

    try:
        unpickled = cloudpickle.loads(as_bytes(jvm_function.command()))
        function = unpickled[0] if isinstance(unpickled, tuple) else unpickled
    except Exception:  # unpickling may do anything
        return None, Identity(uuid.uuid4().hex, Kind.CHOICE, False)
    if not callable(function):  # a broadcast: too large to stand in the plan
        return None, Identity(uuid.uuid4().hex, Kind.CHOICE, False)
    return function, identify(function, arguments)


def as_bytes(sequence: Any) -> bytes:
    """The bytes of a Scala sequence, copied in one go."""
    if isinstance(sequence, bytes | bytearray):
        return bytes(sequence)
    from pyspark import SparkContext

    context = SparkContext._active_spark_context
    assert context is not None and context._jvm is not None
    return bytes(sequence.toArray(context._jvm.scala.reflect.ClassTag.Byte()))
