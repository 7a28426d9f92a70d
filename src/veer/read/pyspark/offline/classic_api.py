"""Where the Connect client says things in another order or under another name than classic PySpark.

A job that is read without a server means what it means in a classic session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import wraps
from inspect import isfunction, signature
from itertools import count
from typing import Any

from veer.read.pyspark.connect.draws import DRAWN
from veer.read.pyspark.layout import connect_frame, connect_function_modules, connect_functions
from veer.settings import SPARK_4_0, SparkVersion

MOST_IN_ORDER = 4  # entries of a mapping that Scala keeps in the order they came
BUCKETS = 16  # of a Java mapping of so few entries
LOW_BITS = 2**32 - 1


def classic_replacements(
    stop: Callable[[str], Any], spark: SparkVersion
) -> list[tuple[Any, dict[str, Any]]]:
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
        (GroupedData, {"agg": _aggregated(GroupedData.agg, stop, spark >= SPARK_4_0)}),
        (
            DataFrame,
            {
                "agg": lambda frame, *exprs: frame.groupBy().agg(*exprs),
                "fillna": _filled(_of_columns(DataFrame.fillna, _same_rows)),
                "replace": _of_columns(DataFrame.replace, _same_rows),
                "dropna": _of_columns(DataFrame.dropna, lambda _: stop("dropna of no columns")),
                "sample": _sampled(DataFrame.sample),
                "randomSplit": _sampled(DataFrame.randomSplit),
            },
        ),
        *_drawing_functions(),
        (UDFRegistration, {"register": _registered(UDFRegistration.register)}),
    ]


def _aggregated(
    original: Callable[..., Any], stop: Callable[[str], Any], in_order: bool
) -> Callable[..., Any]:
    """`agg` whose mapping goes through one of Java's, and one of Scala's that orders more keys."""

    def agg(grouped: Any, *exprs: Any) -> Any:
        if len(exprs) == 1 and isinstance(exprs[0], Mapping) and len(exprs[0]) > 1:
            names = list(exprs[0])
            if len(names) <= MOST_IN_ORDER:
                names.sort(key=_bucket)
            elif in_order and len({_java_hash(name) for name in names}) == len(names):
                names = _as_scala_orders(names)
            else:
                stop("agg takes a mapping of more than four columns, of an order that is not known")
            return original(grouped, {name: exprs[0][name] for name in names})
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
    code = _java_hash(text)
    return (code ^ code >> 16) & BUCKETS - 1


def _java_hash(text: str) -> int:
    code = 0
    units = text.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = (31 * code + (high << 8 | low)) & LOW_BITS
    return code


def _as_scala_orders(keys: Sequence[str], shift: int = 0) -> list[str]:
    """Keys of different hashes in an immutable mapping of Scala 2.13, a trie by five bits at a time.

    Of each node come the keys it holds, then those of the nodes below.
    """
    below: dict[int, list[str]] = {}
    for key in keys:
        below.setdefault(_scala_hash(key) >> shift & 31, []).append(key)
    nodes = [below[place] for place in sorted(below)]
    own = [key for node in nodes if len(node) == 1 for key in node]
    return own + [k for n in nodes if len(n) > 1 for k in _as_scala_orders(n, shift + 5)]


def _scala_hash(key: str) -> int:
    code: int = _java_hash(key)
    code = (code + (~(code << 9) & LOW_BITS)) & LOW_BITS
    code ^= code >> 14
    code = (code + (code << 4)) & LOW_BITS
    return code ^ code >> 10


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


def _drawing_functions() -> list[tuple[Any, dict[str, Any]]]:
    """The functions that take a seed: without one Spark draws it, and not the client."""
    numbers = count()
    return [
        (module, {n: _drawing(f, numbers) for n, f in vars(module).items() if _takes_seed(f)})
        for module in connect_function_modules()
    ]


def _takes_seed(function: Any) -> bool:
    return isfunction(function) and "seed" in signature(function).parameters


def _drawing(original: Callable[..., Any], numbers: Iterator[int]) -> Callable[..., Any]:
    """A function whose last argument in a plan is its seed, or stands for the one Spark draws."""
    parameters = signature(original)

    @wraps(original)
    def function(*args: Any, **named: Any) -> Any:
        from pyspark.sql.connect.expressions import UnresolvedFunction

        given = parameters.bind(*args, **named)
        if given.arguments.get("seed") is not None:
            return original(*args, **named)
        given.arguments["seed"] = next(numbers)
        column = original(*given.args, **given.kwargs)
        *others, number = column._expr._args
        column._expr._args = [*others, UnresolvedFunction(DRAWN, [number])]
        return column

    return function


def _sampled(original: Callable[..., Any]) -> Callable[..., Any]:
    """`sample` or `randomSplit`, whose plans have the seed that is given, or none."""
    parameters = signature(original)

    @wraps(original)
    def method(frame: Any, *args: Any, **named: Any) -> Any:
        given = parameters.bind(frame, *args, **named).arguments
        # `sample(0.5, 3)` is of a fraction and a seed.
        is_moved = isinstance(given.get("withReplacement"), float)
        seed = given.get("seed", given.get("fraction") if is_moved else None)
        frames = original(frame, *args, **named)
        if seed is None:
            for sampled in frames if isinstance(frames, list) else [frames]:
                sampled._plan.plan = _without_seed(sampled._plan.plan)
        return frames

    return method


def _without_seed(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What gives the plan of a sample, which to the client always has a seed."""

    def plan(session: Any) -> Any:
        relation = original(session)
        relation.sample.ClearField("seed")
        return relation

    return plan
