"""What operators require of the columns they read, and the columns they compute from them."""

from __future__ import annotations

from veer.errors import IllFormedError
from veer.model.expr import Expr, Named
from veer.model.nullability import is_nullable
from veer.model.schema import Field, Schema
from veer.model.types import BOOLEAN
from veer.model.walk import columns_read


def require_columns(expr: Expr, schema: Schema) -> None:
    """Every column read exists with that type."""
    for column in columns_read(expr):
        field = schema.fields[schema.place(column.name, column.occurrence)]
        if field.type != column.type:
            raise IllFormedError(f"column {column.name!r} is {field.type}, expected {column.type}")


def require_boolean(expr: Expr, schema: Schema) -> None:
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


def computed(named: Named, rows: Schema) -> Field:
    """The column a named expression makes."""
    require_columns(named.expr, rows)
    return Field(named.name, named.expr.type, is_nullable(named.expr, rows))
