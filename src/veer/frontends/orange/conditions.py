"""Select Rows: conditions on variables, all of which must hold.

A missing number is below, above and equal to nothing, so it differs from everything: *is not* keeps
it, as does *Unmatched Data* of all other conditions. A missing text is the empty text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from veer.frontends import coercion
from veer.frontends.gui.reading import Outputs, Step
from veer.frontends.gui.rows import NotModelled, Rows, require
from veer.frontends.orange.domain import (
    CONTINUOUS,
    DISCRETE,
    TEXT,
    is_given,
    number,
    only_context,
    surely,
    text,
    typed,
    value_of,
)
from veer.model.expr import And, Case, Expr, InList, IsNull, Literal, Not, Or
from veer.model.types import DOUBLE, STRING


def select_rows(step: Step) -> Outputs:
    """The rows on which all conditions hold, and the others."""
    settings, rows = step.node.settings, step.input("Data")
    if settings.get("purge_attributes") or settings.get("purge_classes"):
        raise NotModelled("unused values and constant columns are removed")
    require(settings.get("__version__") == 2, "conditions of another version")
    conditions = value_of(only_context(settings), "conditions")
    if not isinstance(conditions, list) or not conditions:
        raise NotModelled("no conditions")
    all_hold = coercion.conjunction([_condition(rows, condition) for condition in conditions])
    outputs = {}
    if "Unmatched Data" in step.node.outputs:
        step.port("Unmatched Data")
        outputs["Unmatched Data"] = rows.filter(Not(surely(all_hold)))
        step.port("Matching Data")
    outputs["Matching Data"] = rows.filter(all_hold)
    return outputs


def _condition(rows: Rows, condition: Any) -> Expr:
    match condition:
        case [str(name), int(kind), int(operator), list(values)]:
            pass
        case _:
            raise NotModelled("a condition on all variables, or one that is not understood")
    column = typed(rows, name, kind)
    if kind == CONTINUOUS:
        return _of_number(number(column), operator, [_number(v) for v in values])
    if kind == DISCRETE:
        return _of_category(text(column), operator, [_text(v) for v in values])
    if kind == TEXT:
        present = Case(((IsNull(column.expr), Literal("", STRING)),), text(column))
        return _of_text(present, operator, [_text(v) for v in values])
    raise NotModelled("a condition on times")


def _number(value: Any) -> Expr:
    """A number; Orange shows it with six digits when it opens a file, and goes by what it shows."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise NotModelled(f"{value!r} is no number")
    if abs(value) > _LARGEST or float(f"{value:.6f}") != value:
        raise NotModelled(f"{value!r} has more digits than Orange keeps")
    return Literal(float(value), DOUBLE)


def _text(value: Any) -> Expr:
    if not isinstance(value, str):
        raise NotModelled(f"{value!r} is no text")
    return Literal(value, STRING)


_LARGEST = 10**15  # beyond, floats have fewer digits than Orange shows
# The numbers of operators, by their places in the lists of Orange.
_COMPARISONS = {0: "=", 2: "<", 3: "<=", 4: ">", 5: ">="}
_UNEQUAL, _BETWEEN, _OUTSIDE = 1, 6, 7
_NUMBER_DEFINED = _CONTAINS = 8
_IS, _IS_NOT, _IS_ONE_OF, _CATEGORY_DEFINED = range(4)


def _ranged(expr: Expr, operator: int, values: Sequence[Expr]) -> Expr:
    """The operators that numbers and texts have in common."""
    require(len(values) == (2 if operator in (_BETWEEN, _OUTSIDE) else 1), "values are missing")
    if operator in _COMPARISONS:
        return coercion.compare(_COMPARISONS[operator], expr, values[0])
    if operator == _BETWEEN:
        at_least = coercion.compare(">=", expr, values[0])
        return And((at_least, coercion.compare("<=", expr, values[1])))
    if operator == _OUTSIDE:
        below = coercion.compare("<", expr, values[0])
        return Or((below, coercion.compare(">", expr, values[1])))
    raise NotModelled(f"operator {operator} of a condition")


def _equal(left: Expr, right: Expr) -> Expr:
    return coercion.compare("=", left, right)


def _of_number(expr: Expr, operator: int, values: Sequence[Expr]) -> Expr:
    if operator == _NUMBER_DEFINED:
        return Not(IsNull(expr))
    if operator == _UNEQUAL:
        require(len(values) == 1, "values are missing")
        return Or((IsNull(expr), Not(_equal(expr, values[0]))))
    return _ranged(expr, operator, values)


def _of_text(expr: Expr, operator: int, values: Sequence[Expr]) -> Expr:
    if operator == _UNEQUAL:
        require(len(values) == 1, "values are missing")
        return Not(_equal(expr, values[0]))
    if operator == _CONTAINS:
        require(len(values) == 1, "values are missing")
        return coercion.call("contains", expr, values[0])
    # Later versions have put further operators in between: their numbers tell nothing.
    return _ranged(expr, operator, values)


def _of_category(expr: Expr, operator: int, values: Sequence[Expr]) -> Expr:
    if operator == _CATEGORY_DEFINED:
        return is_given(expr)
    require(
        bool(values) and all(isinstance(v, Literal) and v.value for v in values),
        "a value is missing",
    )
    require(len(values) == 1 or operator == _IS_ONE_OF, "several values")
    if operator == _IS:
        return _equal(expr, values[0])
    if operator == _IS_NOT:
        return And((is_given(expr), Not(_equal(expr, values[0]))))
    if operator == _IS_ONE_OF:
        return InList(expr, tuple(dict.fromkeys(values)))
    raise NotModelled(f"operator {operator} of a condition")
