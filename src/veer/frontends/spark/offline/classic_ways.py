"""Where the Connect client says things in another order or under another name than classic PySpark.

A job that is read without a server means what it means in a classic session.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import wraps
from inspect import signature
from typing import Any

from veer.frontends.spark.layout import connect_frame, connect_functions

MOST_IN_ORDER = 4  # entries of a mapping that Scala keeps in the order they came
BUCKETS = 16  # of a Java mapping of so few entries


def classic_replacements(stop: Callable[[str], Any]) -> list[tuple[Any, dict[str, Any]]]:
    """The methods that differ; `stop` is called where what a classic session does is not known."""
    from pyspark.sql.connect.column import Column
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.group import GroupedData
    from pyspark.sql.connect.udf import UDFRegistration

    turned = {
        "__radd__": lambda column, other: column + other,
        "__rmul__": lambda column, other: column * other,
    }
    return [
        (Column, turned),
        (GroupedData, {"agg": _aggregated(GroupedData.agg, stop)}),
        (
            DataFrame,
            {
                "fillna": _filled(_of_columns(DataFrame.fillna, _same_rows)),
                "replace": _of_columns(DataFrame.replace, _same_rows),
                "dropna": _of_columns(DataFrame.dropna, lambda _: stop("dropna of no columns")),
            },
        ),
        (UDFRegistration, {"register": _registered(UDFRegistration.register)}),
    ]


def _aggregated(original: Callable[..., Any], stop: Callable[[str], Any]) -> Callable[..., Any]:
    """`agg` whose mapping goes through one of Java's, which has an order of its own."""

    def agg(grouped: Any, *exprs: Any) -> Any:
        if len(exprs) == 1 and isinstance(exprs[0], Mapping) and len(exprs[0]) > 1:
            if len(exprs[0]) > MOST_IN_ORDER:
                stop("agg takes a mapping of more than four columns, which has no order")
            return original(grouped, dict(sorted(exprs[0].items(), key=lambda e: _bucket(e[0]))))
        return original(grouped, *exprs)

    return agg


def pivot_over_any(original: Callable[..., Any]) -> Callable[..., Any]:
    """`pivot`, which takes null and dates among its values, as the client's plans do."""

    def pivot(grouped: Any, column: Any, values: Any) -> Any:
        if not isinstance(values, list) or not any(map(_is_null_or_date, values)):
            return original(grouped, column, values)
        pivoted = original(grouped, column, [v for v in values if not _is_null_or_date(v)])
        lit = connect_functions().lit
        pivoted._pivot_values = [lit(value) for value in values]
        return pivoted

    return pivot


def _is_null_or_date(value: Any) -> bool:
    return value is None or (isinstance(value, date) and not isinstance(value, datetime))


def _bucket(text: str) -> int:
    """Where a text stands among the keys of a small Java mapping."""
    code = 0
    units = text.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = (31 * code + (high << 8 | low)) & 0xFFFFFFFF
    return (code ^ code >> 16) & BUCKETS - 1


def _filled(original: Callable[..., Any]) -> Callable[..., Any]:
    """`fillna`, which takes one whole number for a double, but those of a mapping as they are."""

    @wraps(original)
    def fillna(frame: Any, value: Any, subset: Any = None) -> Any:
        from pyspark.sql.connect.plan import NAFill

        if isinstance(value, Mapping) and len(value) == 1:
            original(frame, value)  # which checks it
            # To a plan this is one value for a column; a column that stands twice, a mapping.
            ((name, given),) = value.items()
            return connect_frame(NAFill(frame._plan, [name] * 2, [given] * 2), frame._session)
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        return original(frame, float(value) if is_whole else value, subset)

    return fillna


def _of_columns(original: Callable[..., Any], of_none: Callable[[Any], Any]) -> Callable[..., Any]:
    """A method for some columns, which for none is `of_none`: the client then takes all."""
    parameters = signature(original)

    @wraps(original)
    def method(frame: Any, *args: Any, **named: Any) -> Any:
        subset = parameters.bind(frame, *args, **named).arguments.get("subset")
        is_empty = isinstance(subset, list | tuple) and not len(subset)
        return of_none(frame) if is_empty else original(frame, *args, **named)

    return method


def _same_rows(frame: Any) -> Any:
    return frame.select("*")


def _registered(original: Callable[..., Any]) -> Callable[..., Any]:
    """`udf.register`, which gives a function of the registered name."""

    def register(registration: Any, name: str, f: Any, returnType: Any = None) -> Any:
        from pyspark.sql.connect.udf import UserDefinedFunction

        given = original(registration, name, f, returnType)
        if not hasattr(f, "asNondeterministic"):
            return given
        return UserDefinedFunction(
            f.func,
            returnType=f.returnType,
            name=name,
            evalType=f.evalType,
            deterministic=f.deterministic,
        )._wrapped()

    return register
