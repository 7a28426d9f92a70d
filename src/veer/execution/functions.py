"""Expressions that only Python can evaluate, as functions that Spark runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, final

from veer.interpreter.expressions import compile_expr
from veer.interpreter.run import Run
from veer.ir import types as ty
from veer.ir.expr import Expr
from veer.ir.json import decode, encode
from veer.ir.schema import Field, Schema


@final
class ExpressionFunction:
    """An expression with Veer's own meaning, as a function of the columns it reads."""

    def __init__(self, expr: Expr, schema: Schema, places: Sequence[int]) -> None:
        self.data = encode(expr)
        self.columns = [encode(schema.fields[i]) for i in range(len(schema))]
        self.places = list(places)
        self.type = encode(expr.type)

    def __getstate__(self) -> dict[str, Any]:
        """What goes to Spark's workers, which compile it anew: closures cannot be sent."""
        return {k: v for k, v in self.__dict__.items() if k != "_compiled"}

    @cached_property
    def _compiled(self) -> tuple[Callable[..., Any], list[ty.DataType], int, ty.DataType]:
        """The function of a row, the types it reads, the width of a row, the type it gives."""
        fields: list[Field] = [decode(c) for c in self.columns]
        compiled = compile_expr(decode(self.data), (Schema(tuple(fields)),))
        return compiled, [fields[i].type for i in self.places], len(fields), decode(self.type)

    def __call__(self, *args: Any) -> Any:
        compiled, types, width, result = self._compiled
        row: list[Any] = [None] * width
        for place, value, type_ in zip(self.places, args, types, strict=True):
            row[place] = from_spark(value, type_)
        return to_spark(compiled(tuple(row), (Run({}),)), result)


def from_spark(value: Any, type_: ty.DataType) -> Any:
    """A value PySpark hands over, as the interpreter represents it."""
    match type_:
        case _ if value is None:
            return None
        case ty.ArrayType(element):
            return tuple(from_spark(v, element) for v in value)
        case ty.MapType(key, held):
            return tuple((from_spark(k, key), from_spark(v, held)) for k, v in value.items())
        case ty.StructType(fields):
            return tuple(from_spark(v, t) for v, (_, t) in zip(value, fields, strict=True))
        case _:
            return bytes(value) if isinstance(value, bytearray) else value


def to_spark(value: Any, type_: ty.DataType) -> Any:
    """A value of the interpreter as PySpark wants it."""
    match type_:
        case _ if value is None:
            return None
        case ty.ArrayType(element):
            return [to_spark(v, element) for v in value]
        case ty.MapType(key, held):
            return {to_spark(k, key): to_spark(v, held) for k, v in value}
        case ty.StructType(fields):
            return tuple(to_spark(v, t) for v, (_, t) in zip(value, fields, strict=True))
        case _:
            return value


__all__ = [
    "ExpressionFunction",
    "from_spark",
    "to_spark",
]
