"""Names, constants and calls in SQL expressions that Veer refuses, because Spark reads them in its own way."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from veer.errors import IllFormedError
from veer.facts.determinism import expr_kind
from veer.functions.moments import parse_date, parse_timestamp, written_timestamp
from veer.functions.registry import Kind
from veer.ir import expr as ex, types as ty
from veer.ir.walk import parts, query_of
from veer.read.sql.parse import refuse

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


def check_constants(function: str, args: Sequence[ex.Expr]) -> None:
    """Refuse arguments that are to be constants of a kind to Spark, of functions without a meaning."""
    texts = [a.value for a in args if isinstance(a, ex.Literal) and isinstance(a.value, str)]
    if function == "format_string" and any("%0$" in text for text in texts[:1]):
        raise IllFormedError("format_string: places count from 1")
    if function == "mask":
        if any(isinstance(part, ex.Column | ex.OuterColumn) for a in args[1:] for part in parts(a)):
            raise IllFormedError("mask: a character that is no constant")
        written = [a.value for a in args[1:] if isinstance(a, ex.Literal)]
        if any(isinstance(value, str) and len(value) != 1 for value in written):
            raise IllFormedError("mask: a text of other than one character")
    if function in ("to_json", "to_csv"):
        for options in args[1:]:
            if not isinstance(options, ex.Call) or options.function != "map":
                raise IllFormedError(f"{function}: options that are no map()")


def check_hints(select: exp.Expr) -> None:
    """Refuse hints that are no name with arguments; what they say changes no result."""
    for hint in select.args["hint"].expressions if select.args.get("hint") else ():
        inner = hint.expressions if isinstance(hint, exp.Expr) else ()
        if isinstance(hint, str) and re.search(r"\)\s*\(", hint):
            refuse(select.args["hint"], "a hint whose name is computed")
        if any(isinstance(argument, exp.Anonymous) for argument in inner):
            refuse(select.args["hint"], "a function call in a hint")


def draws(expr: ex.Expr) -> bool:
    """Whether something random is called, outside of subqueries."""
    return any(
        expr_kind(part) is Kind.CHOICE
        for part in parts(expr)
        if not any(query_of(inner) is not None for inner in parts(part))
    )


def is_moment(text: str, type_: ty.DataType) -> bool:
    """Whether a text is written as a constant of a type of dates or times; words are not."""
    match type_:
        case ty.DateType():
            return parse_date(text) is not None
        case ty.TimestampType():
            return written_timestamp(text) is not None
        case ty.TimestampNtzType():
            return parse_timestamp(text, local=True) is not None
        case _:
            return True
