"""Facts: what is known of every row of a signal, derived from the operators below it.

    Source(people) -> Filter(age < 50) -> Project(age, name)      =>   age < 50

Conditions that hold on all rows, equalities of computed columns among them, and column sets on
which no two rows agree. Columns are named by position, so facts of two signals can be compared.

A condition holds on a row if it is true there, not false and not null: of `age < 50` follows that age
is not null. So what a column is computed from is stated with `<=>`, which is true of two nulls
too. Facts may be dropped anywhere (`REACH`, `MOST`, `LARGEST`): fewer are weaker, never wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import final

from veer.facts.determinism import expr_kind
from veer.facts.keys import Key, uniqueness
from veer.facts.row_counts import counts_of_rows
from veer.functions.registry import Kind, scalar_function
from veer.ir import expr as ex, ops, types as ty
from veer.ir.conditions import conjuncts
from veer.ir.dag import Dataflow
from veer.ir.schema import Schema
from veer.ir.walk import parts, query_of, transform

REACH = 64  # operators looked at below a signal
MOST = 16  # conditions kept
LARGEST = 16  # parts of a condition


@final
@dataclass(frozen=True, slots=True)
class Facts:
    """What holds of all rows; columns of the conditions are named as by `place_name`."""

    conditions: tuple[ex.Expr, ...] = ()
    keys: tuple[Key, ...] = ()

    def moved(self, places: Mapping[int, int]) -> Facts:
        """The facts about some columns only, at their new places."""
        conditions = (renamed(c, places) for c in self.conditions)
        keys = (
            replace(key, places=frozenset(places[i] for i in key.places))
            for key in self.keys
            if key.places <= places.keys()
        )
        return Facts(tuple(c for c in conditions if c is not None), tuple(keys))


def place_name(place: int) -> str:
    """The name of a column in a condition."""
    return f"c{place}"


def renamed(condition: ex.Expr, places: Mapping[int, int]) -> ex.Expr | None:
    """The condition about columns at other places; None if one is not among them."""
    table = {place_name(i): place_name(j) for i, j in places.items()}
    if any(isinstance(n, ex.Column) and n.name not in table for n in parts(condition)):
        return None
    return transform(
        condition, lambda n: replace(n, name=table[n.name]) if isinstance(n, ex.Column) else n
    )


def facts(dataflow: Dataflow, id_: str) -> Facts:
    """What is known of a signal; kept with the dataflow."""
    return dataflow.cached(("facts", id_), lambda: _facts_from_near(dataflow, id_))


def _facts_from_near(dataflow: Dataflow, id_: str) -> Facts:
    by_signal: dict[str, Facts] = {}
    for here in sorted(_near(dataflow, id_), key=dataflow.position.__getitem__):
        by_signal[here] = _facts(dataflow, here, by_signal)
    return replace(by_signal[id_], keys=uniqueness(dataflow, id_).keys)


def _near(dataflow: Dataflow, id_: str) -> list[str]:
    """The operators next below a signal, itself included."""
    near = [id_]
    for here in near:  # grows meanwhile
        for below in dataflow.inputs[here]:
            if len(near) < REACH and below not in near:
                near.append(below)
    return near


def _facts(dataflow: Dataflow, id_: str, by_signal: Mapping[str, Facts]) -> Facts:
    """The conditions on an operator's output, from those on its inputs; keys are derived apart."""
    operator = dataflow.operators[id_]
    inputs = [by_signal.get(i, Facts()) for i in dataflow.inputs[id_]]  # nothing beyond REACH
    below = [dataflow.schemas[i] for i in dataflow.inputs[id_]]
    match operator:
        case ops.Project(columns):
            return _projected([n.expr for n in columns], below[0], inputs[0])
        case ops.Aggregate(keys):
            conditions = _projected([k.expr for k in keys], below[0], inputs[0]).conditions
            # Every group has a row below, whose keys it shows. But grouping takes -0.0 for 0.0, so
            # of a float that may not be the value the row had.
            steady = (c for c in conditions if not any(ty.has_floats(n.type) for n in parts(c)))
            return _with(Facts(tuple(steady)), _have_rows(operator))
        case ops.Union() | ops.IntersectAll() | ops.ExceptAll():
            # A row comes from some input, so only what holds of all inputs holds of it.
            shared = [c for c in inputs[0].conditions if all(c in i.conditions for i in inputs)]
            return Facts(tuple(shared))
        case _:
            kept, asked = rows_kept(operator)
            rows = Schema(tuple(f for schema in below for f in schema))
            more = [p for condition in asked for p in plain_conjuncts(condition, rows)]
            if 1 in kept:
                width = len(below[0])
                moved = inputs[1].moved({i: i + width for i in range(len(below[1]))})
                more = [*moved.conditions, *more]
            return _with(inputs[0] if kept else Facts(), more)


def rows_kept(operator: ops.AnyOperator) -> tuple[tuple[int, ...], tuple[ex.Expr, ...]]:
    """The inputs from each of which every row above keeps a row, and the conditions it has passed.

    What holds of all rows of these inputs, and these conditions, over the inputs side by side, holds of
    what a row above is made of. Rows of an input that may be padded need not be there.
    """
    match operator:
        case ops.Filter(predicate):
            return (0,), (predicate,)
        case ops.Join(ops.JoinKind.INNER | ops.JoinKind.CROSS, condition):
            return (0, 1), () if condition is None else (condition,)
        case ops.Join(ops.JoinKind.FULL):
            return (), ()
        case ops.Join() | ops.Project() | ops.Aggregate() | ops.IntersectAll() | ops.ExceptAll():
            return (0,), ()
        case _:
            return (0,) if operator.traits.extends_input else (), ()


def _have_rows(aggregate: ops.Aggregate) -> list[ex.Expr]:
    """That every group has a row, as its count says."""
    one = ex.Literal(1, ty.LONG)
    counts = sorted(counts_of_rows(aggregate))
    return [ex.Compare(">=", ex.Column(place_name(i), ty.LONG), one) for i in counts]


def plain_conjuncts(predicate: ex.Expr, schema: Schema) -> list[ex.Expr]:
    """The parts of a condition that are worth knowing, columns by position."""
    return [_placed(part, schema) for part in conjuncts(predicate) if is_plain(part)]


def is_plain(expr: ex.Expr) -> bool:
    """Whether an expression is small, linear, and a function of its row alone."""
    nodes = list(parts(expr))
    return (
        len(nodes) <= LARGEST
        and not any(isinstance(n, ex.OpaqueCall) or query_of(n) is not None for n in nodes)
        and is_linear(expr)
        and expr_kind(expr) is Kind.PURE
    )


def is_linear(expr: ex.Expr) -> bool:
    """Whether a condition is linear: the class solvers decide."""
    for node in parts(expr):
        if isinstance(node, ex.Call):
            meaning = scalar_function(node.function).solver
            if meaning.is_linear_by_constant:
                if not any(isinstance(a, ex.Literal) for a in node.args):
                    return False
            elif not meaning.is_linear:
                return False
    return True


def is_never_null(place: int, conditions: Sequence[ex.Expr]) -> bool:
    """Whether a condition shows that a column is not null.

    A comparison with null, `<=>` apart, is null and so true on no row; the same goes for IN.
    """
    name = place_name(place)
    for condition in conditions:
        match condition:
            case ex.Compare(op, left, right) if op != "<=>":
                if any(isinstance(side, ex.Column) and side.name == name for side in (left, right)):
                    return True
            case ex.Not(ex.IsNull(ex.Column(read))) | ex.InList(ex.Column(read)) if read == name:
                return True
    return False


def _placed(expr: ex.Expr, schema: Schema) -> ex.Expr:
    """The expression with columns named by where they stand."""

    def placed(node: ex.Expr) -> ex.Expr:
        if isinstance(node, ex.Column):
            return ex.Column(place_name(schema.place(node.name, node.occurrence)), node.type)
        return node

    return transform(expr, placed)


def _with(given: Facts, more: Sequence[ex.Expr]) -> Facts:
    """The facts with further conditions; the newest of too many."""
    every = tuple(dict.fromkeys((*given.conditions, *more)))
    return replace(given, conditions=every[-MOST:])


def _projected(exprs: Sequence[ex.Expr], schema: Schema, below: Facts) -> Facts:
    """Facts about the columns kept, and what the others are computed from.

    Project(a, a + 1 AS b) of rows with a < 5   =>   c0 < 5,  c1 <=> c0 + 1
    """
    places: dict[int, int] = {}
    for new, expr in enumerate(exprs):
        if isinstance(expr, ex.Column):
            places.setdefault(schema.place(expr.name, expr.occurrence), new)
    conditions: list[ex.Expr] = []
    for new, expr in enumerate(exprs):
        own = ex.Column(place_name(new), expr.type)
        if not ty.is_orderable(expr.type):
            continue
        if isinstance(expr, ex.Literal):
            conditions.append(ex.IsNull(own) if expr.value is None else ex.Compare("=", own, expr))
        elif is_plain(expr):
            value = renamed(_placed(expr, schema), places)
            if value is not None and value != own:
                conditions.append(ex.Compare("<=>", own, value))
    return _with(below.moved(places), conditions)
