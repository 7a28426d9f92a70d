"""One join, by hashing on the columns that its condition equates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from veer.functions.ordering import group_key
from veer.interpreter.expressions import Compiled, Environment, Row, compile_expr
from veer.interpreter.steps import Outer, Signal, Step
from veer.model.expr import And, Column, Compare
from veer.model.ops import Join
from veer.model.schema import Schema


def compile_join(operator: Join, inputs: Sequence[Schema], outer: Outer) -> Step:
    """The pairs of rows that match, and what the kind of join makes of rows without partner."""
    left_schema, right_schema = inputs
    condition = operator.condition
    test: Compiled = lambda row, env: True  # noqa: E731
    if condition is not None:
        test = compile_expr(condition, (left_schema + right_schema, *outer))
    kind, left_nulls, right_nulls = (
        operator.kind,
        (None,) * len(left_schema),
        (None,) * len(right_schema),
    )
    partners = _partner_finder(operator, left_schema, right_schema)

    def step(signals: list[Signal], env: Environment) -> Signal:
        left, right = signals[0].rows, signals[1].rows
        find = partners(right)
        matched: set[int] = set()
        out: list[Row] = []
        for row in left:
            matches = (j for j in find(row) if test(row + right[j], env) is True)
            if kind in ("semi", "anti"):
                if (next(matches, None) is not None) == (kind == "semi"):
                    out.append(row)
                continue
            places = list(matches)
            out += [row + right[j] for j in places]
            if kind == "full":
                matched.update(places)
            if not places and kind in ("left", "full"):
                out.append(row + right_nulls)
        if kind == "full":
            out += [left_nulls + r for j, r in enumerate(right) if j not in matched]
        return Signal(out)

    return step


def _partner_finder(
    operator: Join, left: Schema, right: Schema
) -> Callable[[list[Row]], Callable[[Row], Sequence[int]]]:
    """Candidates for each left row: by hashing on the columns that the condition equates.

    The condition is evaluated on every candidate, so hashing only has to miss none: keys are those of
    `=`, under which 0.0 is -0.0 and NaN is NaN, and null is left out where `=` is never true of it.
    """
    both = left + right
    conjuncts = (
        operator.condition.args if isinstance(operator.condition, And) else (operator.condition,)
    )
    equated: list[tuple[int, int, Callable[[Any], Any], bool]] = []
    for conjunct in conjuncts:
        match conjunct:
            case Compare("=" | "<=>" as op, Column() as a, Column() as b):
                x, y = sorted((both.place(a.name, a.occurrence), both.place(b.name, b.occurrence)))
                if x < len(left) <= y:
                    equated.append((x, y - len(left), group_key(a.type), op == "<=>"))
    if not equated:
        return lambda rows: lambda row: range(len(rows))
    strict = [(x, y) for x, y, _, null_safe in equated if not null_safe]

    def finder(rows: list[Row]) -> Callable[[Row], Sequence[int]]:
        table: dict[Any, list[int]] = {}
        for j, row in enumerate(rows):
            if all(row[y] is not None for _, y in strict):
                table.setdefault(tuple(key(row[y]) for _, y, key, _ in equated), []).append(j)

        def find(row: Row) -> Sequence[int]:
            if any(row[x] is None for x, _ in strict):
                return ()
            return table.get(tuple(key(row[x]) for x, _, key, _ in equated), ())

        return find

    return finder
