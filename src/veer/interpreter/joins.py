"""One join, by hashing on the columns that its condition equates.

What else it equates of its inputs is computed on all rows, as Spark does: what fails there fails the
run, whether a row meets another or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from veer.functions.ordering import group_key
from veer.interpreter.expressions import Compiled, Environment, Row, compile_expr
from veer.interpreter.steps import Outer, Signal, Step
from veer.ir import expr as ex
from veer.ir.conditions import conjuncts
from veer.ir.ops import Join, JoinKind
from veer.ir.schema import Schema
from veer.ir.walk import columns_read


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
    asked_left, keys_left, asked_right, keys_right = (
        [compile_expr(e, (left_schema + right_schema, *outer)) for e in exprs]
        for exprs in _computed(operator, left_schema, right_schema)
    )

    def step(signals: list[Signal], env: Environment) -> Signal:
        left, right = signals[0].rows, signals[1].rows
        _compute(keys_left, asked_left, (row + right_nulls for row in left), env)
        _compute(keys_right, asked_right, (left_nulls + row for row in right), env)
        find = partners(right)
        matched: set[int] = set()
        out: list[Row] = []
        for row in left:
            matches = (j for j in find(row) if test(row + right[j], env) is True)
            if kind in (JoinKind.SEMI, JoinKind.ANTI):
                if (next(matches, None) is not None) == (kind == JoinKind.SEMI):
                    out.append(row)
                continue
            places = list(matches)
            out += [row + right[j] for j in places]
            if kind == JoinKind.FULL:
                matched.update(places)
            if not places and kind in (JoinKind.LEFT, JoinKind.FULL):
                out.append(row + right_nulls)
        if kind == JoinKind.FULL:
            out += [left_nulls + r for j, r in enumerate(right) if j not in matched]
        return Signal(out)

    return step


def _compute(
    keys: Sequence[Compiled], asked: Sequence[Compiled], rows: Iterable[Row], env: Environment
) -> None:
    """Compute keys on all rows that pass what is asked of their input; it may fail."""
    for row in rows if keys else ():
        if all(condition(row, env) is True for condition in asked):
            for key in keys:
                key(row, env)


def _conjuncts(operator: Join) -> Iterator[ex.Expr]:
    return iter(()) if operator.condition is None else conjuncts(operator.condition)


def _computed(operator: Join, left: Schema, right: Schema) -> tuple[list[ex.Expr], ...]:
    """Of each input, what a condition asks of it alone and what it equates with the other.

    Conditions on one input are asked below the join, unless its rows without partner stay.
    """
    both = left + right
    asked: tuple[list[ex.Expr], list[ex.Expr]] = ([], [])
    keys: tuple[list[ex.Expr], list[ex.Expr]] = ([], [])

    def reads(*exprs: ex.Expr) -> list[bool]:
        """The inputs that expressions read: whether it is the right one."""
        return [
            side
            for expr in exprs
            for side in {both.place(c.name, c.occurrence) >= len(left) for c in columns_read(expr)}
        ]

    for conjunct in _conjuncts(operator):
        match conjunct:
            case ex.Compare("=" | "<=>", a, b) if sorted(reads(a, b)) == [False, True]:
                for side in (a, b):
                    if not isinstance(side, ex.Column) and (of := reads(side)):
                        keys[of[0]].append(side)
            case _ if len(of := reads(conjunct)) == 1:
                asked[of[0]].append(conjunct)
    if operator.kind in (JoinKind.LEFT, JoinKind.ANTI, JoinKind.FULL):
        asked[0].clear()
    if operator.kind == JoinKind.FULL:
        asked[1].clear()
    return asked[0], keys[0], asked[1], keys[1]


def _partner_finder(
    operator: Join, left: Schema, right: Schema
) -> Callable[[list[Row]], Callable[[Row], Sequence[int]]]:
    """Candidates for each left row: by hashing on the columns that the condition equates.

    The condition is evaluated on every candidate, so hashing only has to miss none: keys are those of
    `=`, under which 0.0 is -0.0 and NaN is NaN, and null is left out where `=` is never true of it.
    """
    both = left + right
    equated: list[tuple[int, int, Callable[[Any], Any], bool]] = []
    for conjunct in _conjuncts(operator):
        match conjunct:
            case ex.Compare("=" | "<=>" as op, ex.Column() as a, ex.Column() as b):
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
