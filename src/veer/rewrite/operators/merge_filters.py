"""A filter on a filter is one filter.

    Filter(b) <- Filter(a) <- t   =>   Filter(a AND b) <- t
    Filter(TRUE) <- t             =>   t
    Filter(a IS NOT NULL) <- Filter(a > 0) <- t   =>   Filter(a > 0) <- t

Sound in three-valued logic: a row stays if both are true, null being as good as false. Not where
one is random: Spark may evaluate an AND in any order, and on other rows than before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from veer.expressions.constant_folding import TRUE
from veer.expressions.laws import normal_node
from veer.expressions.true_conditions import where_true
from veer.ir import expr as ex, ops
from veer.ir.conditions import conjunction, conjuncts
from veer.rewrite.expressions import is_random
from veer.rewrite.rewriting import Rewriting, View


def merge_filters(
    rewriting: Rewriting, id_: str, operator: ops.AnyOperator, below: Sequence[View]
) -> View | None:
    """A filter over what is placed below, together with one that stands there."""
    if not isinstance(operator, ops.Filter):
        return None
    (view,) = below
    base = view.base
    predicate = where_true(rewriting.rewritten(operator.predicate, id_, below))
    if predicate == TRUE:
        return view
    lower = rewriting.operators[base]
    if (
        isinstance(lower, ops.Filter)
        and not is_random(predicate)
        and not is_random(lower.predicate)
    ):
        predicate = normal_node(ex.And((lower.predicate, predicate)))
        (base,) = rewriting.inputs[base]
    predicate = _without_present(rewriting, base, predicate)
    if predicate == TRUE:
        return replace(view, base=base)
    rewriting.put(id_, ops.Filter(predicate), (base,))
    return replace(view, base=id_)


def _without_present(rewriting: Rewriting, base: str, predicate: ex.Expr) -> ex.Expr:
    """A condition without asking of values that are never null below it whether they are there."""
    asked = list(conjuncts(predicate))
    kept = [part for part in asked if not _is_present(rewriting, base, part)]
    return predicate if len(kept) == len(asked) else conjunction(kept)


def _is_present(rewriting: Rewriting, base: str, part: ex.Expr) -> bool:
    match part:
        case ex.Not(ex.IsNull(value)):
            return not is_random(value) and not rewriting.can_be_null(base, value)
    return False
