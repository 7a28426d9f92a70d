"""What the conditions of a CASE tell of its own branches.

    CASE WHEN a IS NOT NULL THEN CASE WHEN a IS NULL THEN 0 ELSE b END END
        =>   CASE WHEN a IS NOT NULL THEN b END
    CASE WHEN a > 1 THEN CASE WHEN a > 1 AND b THEN 1 ELSE 2 END END
        =>   CASE WHEN a > 1 THEN CASE WHEN b THEN 1 ELSE 2 END END
    CASE WHEN a THEN 1 ELSE CASE WHEN b THEN 2 ELSE 3 END END
        =>   CASE WHEN a THEN 1 WHEN b THEN 2 ELSE 3 END

Exact in three-valued logic: in a branch its condition is true, and what negates it false. Behind a branch
its condition is false or null, and so is each alternative of it; a test for null is then false.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from veer.analysis.constants import FALSE, TRUE, computed
from veer.analysis.negations import negated
from veer.model.conditions import conjuncts
from veer.model.expr import Case, Compare, Expr, InList, IsNull, Not, Or
from veer.model.walk import map_children, parts

TESTS = (IsNull, Compare, InList, Not)  # of which something may be known


def with_known_branches(case: Case) -> Case:
    """A CASE without what its own conditions decide; CASEs at its end are part of it."""
    branches: list[tuple[Expr, Expr]] = []
    known: dict[Expr, Expr] = {}
    for when, then in case.branches:
        when = _replaced(when, known)
        branches.append((when, _replaced(then, known | _true_in(conjuncts(when)))))
        for test in when.args if isinstance(when, Or) else (when,):
            if isinstance(test, IsNull) or (isinstance(test, Not) and isinstance(test.arg, IsNull)):
                known |= {test: FALSE, negated(test): TRUE}
    otherwise = _replaced(case.otherwise, known)
    if isinstance(otherwise, Case):
        branches += otherwise.branches
        otherwise = otherwise.otherwise
    return Case(tuple(branches), otherwise)


def _true_in(conditions: Iterable[Expr]) -> dict[Expr, Expr]:
    """What is known where conditions are true."""
    known: dict[Expr, Expr] = {}
    for condition in conditions:
        if isinstance(condition, TESTS):
            known |= {condition: TRUE, negated(condition): FALSE}
    return known


def _replaced(expr: Expr, known: Mapping[Expr, Expr]) -> Expr:
    """An expression in which conditions that are known are decided."""
    if not known or not any(isinstance(p, TESTS) and p in known for p in parts(expr)):
        return expr
    return _decided(expr, known)


def _decided(expr: Expr, known: Mapping[Expr, Expr]) -> Expr:
    if isinstance(expr, TESTS) and expr in known:
        return known[expr]
    return computed(map_children(expr, lambda child: _decided(child, known)))
