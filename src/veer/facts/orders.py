"""Orders that decide which rows come first: those without ties between different rows.

Rows that tie may come in any order. Where rows that tie are alike in every column, that does not show,
and a Limit above is a function of its input. Rows are alike if they are the same values: 0.0 ties
with -0.0 and is not like it. Null ties with null and is like it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from veer.facts.keys import constants_where, places_determined_by, uniqueness
from veer.ir import expr as ex, ops
from veer.ir.dag import Dataflow
from veer.ir.json import is_alike
from veer.ir.types import has_floats
from veer.ir.walk import columns_read, replace_down

# Whether an expression is a function of its row. It is passed in: the kind of an expression depends
# on its subqueries, and theirs on the orders below their limits.
IsPure: TypeAlias = Callable[[ex.Expr], bool]


def order_decides(dataflow: Dataflow, id_: str, is_pure: IsPure) -> bool:
    """Whether the rows of a signal arrive in an order without ties between different rows.

    Filters and limits drop rows and keep the order of the rest, so the sort below them counts, with
    the columns their conditions fix. Any other operator ends it: no order is known to survive.
    """
    constants: frozenset[int] = frozenset()  # by conditions above the sort
    while isinstance(operator := dataflow.operators[id_], ops.Filter | ops.Limit):
        if isinstance(operator, ops.Filter):
            constants |= constants_where(operator.predicate, dataflow.schemas[id_])
        (id_,) = dataflow.inputs[id_]
    if isinstance(operator, ops.Project):
        return _decides_projected(dataflow, id_, [n.expr for n in operator.columns], is_pure)
    return isinstance(operator, ops.Sort) and _sort_decides(dataflow, id_, operator, constants)


def _decides_projected(
    dataflow: Dataflow, id_: str, exprs: Sequence[ex.Expr], is_pure: IsPure
) -> bool:
    """The same of some columns of a signal: rows that agree on those may tie."""
    if all(_is_fixed_by((), expr, is_pure) for expr in exprs):
        return True  # all rows are alike
    (below,) = dataflow.inputs[id_]
    sort = dataflow.operators[below]
    return isinstance(sort, ops.Sort) and (
        all(_is_fixed_by(sort.keys, expr, is_pure) for expr in exprs)
        or _sort_decides(dataflow, below, sort, frozenset())
    )


def _sort_decides(dataflow: Dataflow, id_: str, sort: ops.Sort, constants: frozenset[int]) -> bool:
    """Whether a sort leaves no ties between different rows that have some columns fixed.

    Either rows that tie are alike, since the keys determine every column; or there are no two rows
    that tie, since the keys and the fixed columns hold a key.
    """
    exprs = [key.expr for key in sort.keys]
    places = places_determined_by(exprs, dataflow.schemas[id_])
    # 0.0 and -0.0 tie, and are not alike.
    if not any(has_floats(e.type) for e in exprs):
        width = len(dataflow.schemas[id_])
        if len(places) == width and len(exprs) == width:
            return True  # rows that tie are alike
    (below,) = dataflow.inputs[id_]
    return uniqueness(dataflow, below).tells_apart(places | constants)


def _is_fixed_by(keys: Sequence[ex.SortKey], expr: ex.Expr, is_pure: IsPure) -> bool:
    """Whether rows that tie under some keys agree on an expression.

    So they do if it reads its row through the keys alone, as `a + 1` does under an order by `a`.
    """
    agreed = [k.expr for k in keys if not has_floats(k.expr.type)]

    def fixed(part: ex.Expr) -> ex.Expr | None:
        return ex.Literal(None, part.type) if any(is_alike(part, k) for k in agreed) else None

    rest = replace_down(expr, fixed)
    return is_pure(expr) and next(columns_read(rest), None) is None
