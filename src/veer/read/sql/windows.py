"""Window functions: `function OVER (PARTITION BY ... ORDER BY ... frame)`.

`rank() OVER w` takes its window from the WINDOW clause of the SELECT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from veer.errors import IllFormedError
from veer.functions.registry import AGGREGATE, OVER, canonical_name
from veer.ir import expr as ex, types as ty
from veer.read import coercion
from veer.read.sql import parse
from veer.settings import name_key

if TYPE_CHECKING:
    from veer.read.sql.expressions import ExprReader


def read_over(reader: ExprReader, node: exp.Expr) -> ex.OverCall:
    """The call of a window function, over the rows that `reader` reads expressions of."""
    window = _definition(reader, node)
    call, ignore, where = node.this, False, None
    if isinstance(call, exp.IgnoreNulls | exp.RespectNulls):
        ignore = isinstance(call, exp.IgnoreNulls)
        call = call.this
    if isinstance(call, exp.Filter):
        where = reader.condition(call.expression.this)
        call = call.this
    call = parse.as_call(call)
    function = _function(node, call)
    args = list(call.expressions)
    if len(args) == 1 and isinstance(args[0], exp.Distinct):
        parse.refuse(node, "DISTINCT in a window function")
    values = [] if function == "count" and parse.is_star(args) else [reader.read(a) for a in args]
    flagged = {"first": 2, "last": 2, "nth_value": 3}.get(function)
    if len(values) == flagged:
        ignore = ignore or values[-1] == ex.Literal(True, ty.BOOLEAN)
        values = values[:-1]
    if function == "ntile" and any(
        isinstance(v, ex.Literal) and (v.value or 0) < 1 for v in values
    ):
        raise IllFormedError(f"{parse.position(node)}ntile of fewer than one")
    partition = [reader.read(e) for e in window.args.get("partition_by") or ()]
    written = window.args.get("order")
    order = [reader.sort_key(e) for e in written.expressions] if written else []
    frame = _frame(reader, window.args.get("spec"), order)
    if function in OVER and not OVER[function].reads_frame:
        frame = ex.Frame("rows", None, 0)  # rankings know no other frame
    return coercion.over_call(
        function, values, partition, order, frame, ignore_nulls=ignore, where=where
    )


def _definition(reader: ExprReader, node: exp.Expr) -> exp.Expr:
    """What stands behind OVER; a name means one of the WINDOW clause, which may do so too."""
    seen: set[str] = set()
    while (name := node.args.get("alias")) is not None:
        if any(node.args.get(part) for part in ("partition_by", "order", "spec")):
            parse.refuse(node, "a window that extends a named window")
        definition = reader.windows.get(name_key(name.name))
        if definition is None or name_key(name.name) in seen:
            raise IllFormedError(f"no window {name.name!r}")
        seen.add(name_key(name.name))
        node = definition
    return node


def _function(node: exp.Expr, call: exp.Expr) -> str:
    """The function called: an aggregate, or one that there is only with OVER."""
    if not isinstance(call, exp.Anonymous):
        parse.refuse(node, f"window function {call.key}")
    function = canonical_name(call.name)
    if function not in AGGREGATE and function not in OVER:
        parse.refuse(node, f"window function {function}")
    return function


def _frame(reader: ExprReader, spec: exp.Expr | None, order: list[ex.SortKey]) -> ex.Frame | None:
    """The frame of a window; None if none is written."""
    if spec is None:
        return None
    parse.only(spec, "kind", "start", "start_side", "end", "end_side")
    unit = str(spec.args["kind"]).lower()
    start = _bound(reader, spec, "start")
    end = _bound(reader, spec, "end") if spec.args.get("end") is not None else 0
    if unit == "range" and not {start, end} <= {None, 0} and len(order) != 1:
        parse.refuse(spec, "RANGE with an offset over several sort keys")
    if unit == "range" and not {start, end} <= {None, 0}:
        type_ = order[0].expr.type
        if not (type_ == ty.DATE or isinstance(type_, ty.NumericType)):
            raise IllFormedError(f"{parse.position(spec)}RANGE with an offset over {type_}")
        if type_ == ty.DATE and any(b is not None and abs(b) >= 2**31 for b in (start, end)):
            raise IllFormedError(f"{parse.position(spec)}a frame bound that does not fit")
    if unit == "rows" and any(b is not None and not -(2**31) <= b < 2**31 for b in (start, end)):
        raise IllFormedError(f"{parse.position(spec)}a frame bound of ROWS that is not an int")
    if start is not None and end is not None and start > end:
        raise IllFormedError(f"{parse.position(spec)}a frame that ends before it begins")
    return ex.Frame(unit, start, end)


def _bound(reader: ExprReader, spec: exp.Expr, side: str) -> Any:
    """How far a bound is from the current row: negative before it, None if unbounded."""
    value, direction = spec.args.get(side), str(spec.args.get(f"{side}_side") or "").upper()
    text = value if isinstance(value, str) else ""
    if text.upper() == "UNBOUNDED":
        if (side == "start") != (direction == "PRECEDING"):
            parse.refuse(spec, "this window frame")
        return None
    if text.upper() == "CURRENT ROW":
        return 0
    number = reader.read(value) if isinstance(value, exp.Expr) else None
    if not isinstance(number, ex.Literal) or not isinstance(number.type, ty.IntegralType):
        parse.refuse(spec, "a frame bound that is not an integer constant")
    if number.value is None:
        parse.refuse(spec, "a frame bound that is null")
    return -number.value if direction == "PRECEDING" else number.value
