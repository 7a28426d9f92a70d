"""Left joins with one partner at most: each row once, with what its partner has, or nulls.

    t LEFT JOIN (SELECT k, count(*) AS n FROM u GROUP BY k) ON t.a = k
        =>   each row of t, with n = CASE WHEN some row of u has a THEN their number END

As pairs and rows without partner, n such joins are two to the n terms; here they stay one. Exact
because the condition of the join fixes the keys of the group, or a key of every table, or holds for
one of several constant rows at most, so that no row has two partners: what the partner has is the
greatest over the partners, an aggregate of rows that are known by the row alone, or a constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from veer.ir import expr as ex, types as ty
from veer.ir.conditions import conjunction
from veer.ir.ops import Join, JoinKind
from veer.prove.algebra.definitions import SCALAR
from veer.prove.algebra.keys import is_one_row
from veer.prove.algebra.lowering.base import ExpressionLowering, OperatorInput
from veer.prove.algebra.terms import TRUE, Bag, Term
from veer.prove.solver import Holds

MOST_ROWS = 8  # of a table of constants: each two of them are a question


def with_partners(lowering: ExpressionLowering, join: Join, given: OperatorInput) -> Bag | None:
    """A left join as the rows of its left side; None if a row may have several partners."""
    left, right = given.bags
    if join.kind != JoinKind.LEFT or join.condition is None or len(right) > MOST_ROWS:
        return None
    rows = []
    schema = given.schemas[0] + given.schemas[1]
    for term in left:
        partners = []
        for partner in map(lowering.context.freshened, right):
            pair = Term((), (), term.outputs + partner.outputs)
            fits = lowering.expr(join.condition, schema, pair, given.outer)
            partners.append(replace(partner, conditions=(*partner.conditions, fits)))
        values = _values(lowering, tuple(partners), given.schemas[1].types)
        if values is None:
            return None
        rows.append(replace(term, outputs=term.outputs + values))
    return tuple(rows)


def _values(
    lowering: ExpressionLowering, partners: Bag, types: Sequence[ty.DataType]
) -> tuple[ex.Expr, ...] | None:
    """What the only row of a bag has, null if there is none; None if there may be two."""
    bag = lowering.groups.expanded(partners)
    if not any(row.atoms for row in bag):
        return _chosen(lowering, bag, types)
    if len(bag) > 1 or not is_one_row(lowering.context, bag[0]):
        return None
    return tuple(_of_only_row(lowering, bag[0], o) for o in bag[0].outputs)


def _chosen(
    lowering: ExpressionLowering, bag: Bag, types: Sequence[ty.DataType]
) -> tuple[ex.Expr, ...] | None:
    """Of rows that are there under conditions the one that is; None if two may be."""
    conditions = [conjunction(row.conditions or (TRUE,)) for row in bag]
    for one, other in combinations(conditions, 2):
        if not lowering.context.solver.refutes([Holds(one), Holds(other)]):
            return None
    if not bag:
        return tuple(ex.Literal(None, t) for t in types)
    columns = zip(*(row.outputs for row in bag), strict=True)
    return tuple(
        _case(conditions, values, ex.Literal(None, type_))
        for values, type_ in zip(columns, types, strict=True)
    )


def _case(
    conditions: Sequence[ex.Expr], values: Sequence[ex.Expr], otherwise: ex.Literal
) -> ex.Expr:
    if list(conditions) == [TRUE]:
        return values[0]
    return ex.Case(tuple(zip(conditions, values, strict=True)), otherwise)


def _of_only_row(lowering: ExpressionLowering, row: Term, value: ex.Expr) -> ex.Expr:
    # The greatest of at most one value is that value. Where values have no order it is the value
    # of a subquery, of which nothing more is known.
    ordered = ty.is_orderable(value.type) and not ty.has_floats(value.type)
    function = "max" if ordered else SCALAR
    return lowering.context.fold(function, value.type, False, (replace(row, outputs=(value,)),))
