"""Select Rows: conditions on variables, all of which must hold.

A missing number is below, above and equal to nothing, so it differs from everything: *is not* keeps
it, as does *Unmatched Data* of all other conditions. A missing text is the empty text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from veer.gui.orange import domain
from veer.gui.reading import Outputs, Step
from veer.gui.rows import NotModelled, Rows, require
from veer.ir import expr as ex, types as ty
from veer.read import coercion


def select_rows(step: Step) -> Outputs:
    """The rows on which all conditions hold, and the others."""
    settings, rows = step.node.settings, step.input("Data")
    if settings.get("purge_attributes") or settings.get("purge_classes"):
        raise NotModelled("unused values and constant columns are removed")
    require(settings.get("__version__") == 2, "conditions of another version")
    conditions = domain.value_of(domain.only_context(settings), "conditions")
    if not isinstance(conditions, list) or not conditions:
        raise NotModelled("no conditions")
    all_hold = coercion.conjunction([_condition(rows, condition) for condition in conditions])
    outputs = {}
    if "Unmatched Data" in step.node.outputs:
        step.port("Unmatched Data")
        outputs["Unmatched Data"] = rows.filter(ex.Not(domain.surely(all_hold)))
        step.port("Matching Data")
    outputs["Matching Data"] = rows.filter(all_hold)
    return outputs


def _condition(rows: Rows, condition: Any) -> ex.Expr:
    match condition:
        case [str(name), int(kind), int(operator), list(values)]:
            pass
        case _:
            raise NotModelled("a condition on all variables, or one that is not understood")
    column = domain.typed(rows, name, kind)
    if kind == domain.CONTINUOUS:
        return _of_number(domain.number(column), operator, [_number(v) for v in values])
    if kind == domain.DISCRETE:
        return _of_category(domain.text(column), operator, [_text(v) for v in values])
    if kind == domain.TEXT:
        present = ex.Case(
            ((ex.IsNull(column.expr), ex.Literal("", ty.STRING)),), domain.text(column)
        )
        return _of_text(present, operator, [_text(v) for v in values])
    raise NotModelled("a condition on times")


def _number(value: Any) -> ex.Expr:
    """A number; Orange shows it with six digits when it opens a file, and goes by what it shows."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise NotModelled(f"{value!r} is not a number")
    if abs(value) > _LARGEST or float(f"{value:.6f}") != value:
        raise NotModelled(f"{value!r} has more digits than Orange keeps")
    return ex.Literal(float(value), ty.DOUBLE)


def _text(value: Any) -> ex.Expr:
    if not isinstance(value, str):
        raise NotModelled(f"{value!r} is not a text")
    return ex.Literal(value, ty.STRING)


_LARGEST = 10**15  # beyond, floats have fewer digits than Orange shows
# The numbers of operators, by their places in the lists of Orange.
_COMPARISONS = {0: "=", 2: "<", 3: "<=", 4: ">", 5: ">="}
_UNEQUAL, _BETWEEN, _OUTSIDE = 1, 6, 7
_NUMBER_DEFINED = _CONTAINS = 8
_IS, _IS_NOT, _IS_ONE_OF, _CATEGORY_DEFINED = range(4)


def _ranged(expr: ex.Expr, operator: int, values: Sequence[ex.Expr]) -> ex.Expr:
    """The operators that numbers and texts have in common."""
    require(len(values) == (2 if operator in (_BETWEEN, _OUTSIDE) else 1), "values are missing")
    if operator in _COMPARISONS:
        return coercion.compare(_COMPARISONS[operator], expr, values[0])
    if operator == _BETWEEN:
        at_least = coercion.compare(">=", expr, values[0])
        return ex.And((at_least, coercion.compare("<=", expr, values[1])))
    if operator == _OUTSIDE:
        below = coercion.compare("<", expr, values[0])
        return ex.Or((below, coercion.compare(">", expr, values[1])))
    raise NotModelled(f"operator {operator} of a condition")


def _equal(left: ex.Expr, right: ex.Expr) -> ex.Expr:
    return coercion.compare("=", left, right)


def _of_number(expr: ex.Expr, operator: int, values: Sequence[ex.Expr]) -> ex.Expr:
    if operator == _NUMBER_DEFINED:
        return ex.Not(ex.IsNull(expr))
    if operator == _UNEQUAL:
        require(len(values) == 1, "values are missing")
        return ex.Or((ex.IsNull(expr), ex.Not(_equal(expr, values[0]))))
    return _ranged(expr, operator, values)


def _of_text(expr: ex.Expr, operator: int, values: Sequence[ex.Expr]) -> ex.Expr:
    if operator == _UNEQUAL:
        require(len(values) == 1, "values are missing")
        return ex.Not(_equal(expr, values[0]))
    if operator == _CONTAINS:
        require(len(values) == 1, "values are missing")
        return coercion.call("contains", expr, values[0])
    # Later versions have put further operators in between: their numbers tell nothing.
    return _ranged(expr, operator, values)


def _of_category(expr: ex.Expr, operator: int, values: Sequence[ex.Expr]) -> ex.Expr:
    if operator == _CATEGORY_DEFINED:
        return domain.is_given(expr)
    require(
        bool(values) and all(isinstance(v, ex.Literal) and v.value for v in values),
        "a value is missing",
    )
    require(len(values) == 1 or operator == _IS_ONE_OF, "several values")
    if operator == _IS:
        return _equal(expr, values[0])
    if operator == _IS_NOT:
        return ex.And((domain.is_given(expr), ex.Not(_equal(expr, values[0]))))
    if operator == _IS_ONE_OF:
        return ex.InList(expr, tuple(dict.fromkeys(values)))
    raise NotModelled(f"operator {operator} of a condition")
