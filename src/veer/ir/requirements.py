"""What operators require of the columns they read, and the columns they compute from them."""

from __future__ import annotations

from veer.errors import IllFormedError
from veer.ir import expr as ex
from veer.ir.nullability import is_nullable
from veer.ir.schema import Field, Schema
from veer.ir.types import BOOLEAN
from veer.ir.walk import columns_read


def require_columns(expr: ex.Expr, schema: Schema) -> None:
    """Every column read exists with that type."""
    for column in columns_read(expr):
        field = schema.fields[schema.place(column.name, column.occurrence)]
        if field.type != column.type:
            raise IllFormedError(f"column {column.name!r} is {field.type}, expected {column.type}")


def require_boolean(expr: ex.Expr, schema: Schema) -> None:
    """The expression is a condition over these columns."""
    require_columns(expr, schema)
    if expr.type != BOOLEAN:
        raise IllFormedError(f"a condition must be boolean, got {expr.type}")


def require_same_types(what: str, a: Schema, b: Schema) -> None:
    """Two inputs combined by position agree in number and types of columns."""
    if len(a) != len(b):
        raise IllFormedError(f"{what} of {len(a)} and {len(b)} columns")
    for f, g in zip(a, b, strict=True):
        if f.type != g.type:
            raise IllFormedError(
                f"{what}: column {f.name!r} is {f.type}, but {g.name!r} is {g.type}"
            )


def computed(named: ex.Named, rows: Schema) -> Field:
    """The column a named expression makes."""
    require_columns(named.expr, rows)
    return Field(named.name, named.expr.type, is_nullable(named.expr, rows))
