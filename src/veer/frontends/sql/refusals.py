"""What expressions of SQL are refused by: names, constants and calls that Spark reads in a way of its own."""

from __future__ import annotations

from veer.analysis.determinism import expr_kind
from veer.functions.moments import parse_date, parse_timestamp, written_timestamp
from veer.functions.registry import Kind
from veer.model.expr import Expr
from veer.model.types import DataType, DateType, TimestampNtzType, TimestampType
from veer.model.walk import parts, query_of

# Functions that compute as operators do.
BESIDE_DECIMALS = frozenset(
    ["+", "-", "*", "/", "%", "pmod", "div", "try_add", "try_divide", "try_mod", "try_multiply",
     "try_subtract"]
)  # fmt: skip
# Functions that may be called without parentheses; columns of the same query win over them.
WITHOUT_PARENTHESES = frozenset(
    [
        "current_catalog",
        "current_database",
        "current_date",
        "current_path",
        "current_schema",
        "current_time",
        "current_timestamp",
        "current_user",
        "grouping__id",
        "localtime",
        "localtimestamp",
        "session_user",
        "user",
    ]
)


def draws(expr: Expr) -> bool:
    """Whether something random is called, outside of subqueries."""
    return any(
        expr_kind(part) is Kind.CHOICE
        for part in parts(expr)
        if not any(query_of(inner) is not None for inner in parts(part))
    )


def is_moment(text: str, type_: DataType) -> bool:
    """Whether a text is written as a constant of a type of dates or times; words are not."""
    match type_:
        case DateType():
            return parse_date(text) is not None
        case TimestampType():
            return written_timestamp(text) is not None
        case TimestampNtzType():
            return parse_timestamp(text, local=True) is not None
        case _:
            return True
