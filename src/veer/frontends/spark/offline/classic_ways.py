"""Where the Connect client says things in another order or under another name than classic PySpark.

A job that is read without a server means what it means in a classic session.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

MOST_IN_ORDER = 4  # entries of a mapping that Scala keeps in the order they came
BUCKETS = 16  # of a Java mapping of so few entries


def classic_replacements(stop: Callable[[str], Any]) -> list[tuple[Any, dict[str, Any]]]:
    """The methods that differ; `stop` is called where what a classic session does is not known."""
    from pyspark.sql.connect.column import Column
    from pyspark.sql.connect.group import GroupedData
    from pyspark.sql.connect.udf import UDFRegistration

    turned = {
        "__radd__": lambda column, other: column + other,
        "__rmul__": lambda column, other: column * other,
    }
    return [
        (Column, turned),
        (GroupedData, {"agg": _aggregated(GroupedData.agg, stop)}),
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


def _bucket(text: str) -> int:
    """Where a text stands among the keys of a small Java mapping."""
    code = 0
    units = text.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = (31 * code + (high << 8 | low)) & 0xFFFFFFFF
    return (code ^ code >> 16) & BUCKETS - 1


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
