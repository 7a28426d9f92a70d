"""Filters over trees of inner joins, run together.

`FROM a, b, c WHERE ...` is a cross product with a filter on top: evaluated literally it would
be out of reach. A group gathers the inputs and the conjuncts of such a tree, applies each
conjunct as soon as its columns are there, and joins by hashing on equalities.

The same rows as one operator after the other: a row passes if every conjunct is true, and a conjunct
that is false or null drops it whenever it is asked. Inner joins give rows in no order, so which
input comes first does not show. Other kinds of join pad or count rows, and are never part of a group.
The sides of an equality are computed on all rows, as Spark does: one that fails there fails the run,
whether its row meets another or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from veer.functions.ordering import group_key
from veer.interpreter.expressions import Environment, Row, compile_expr
from veer.interpreter.steps import Signal, Step
from veer.ir import expr as ex, ops
from veer.ir.dag import Dataflow
from veer.ir.schema import Schema
from veer.ir.walk import columns_read, substitute_columns

DEEPEST = 200  # joins within joins that are run together


@dataclass(frozen=True)
class JoinGroup:
    """Inputs in column order, the conjuncts over all their columns, and the operators inlined."""

    inputs: tuple[str, ...]
    conjuncts: tuple[ex.Expr, ...]
    members: frozenset[str]
    schema: Schema


def gather_group(dataflow: Dataflow, root: str) -> JoinGroup:
    """The maximal tree of filters and inner joins ending in `root`, used nowhere else."""
    inputs: list[str] = []
    conjuncts: list[tuple[ex.Expr, int]] = []
    members = {root}

    def is_own(id_: str) -> bool:
        return id_ == root or len(dataflow.outputs[id_]) == 1

    def visit(id_: str, offset: int, depth: int) -> int:
        """Add the tree below `id_`, whose columns start at `offset`; give its width."""
        predicates: list[ex.Expr] = []
        while isinstance(operator := dataflow.operators[id_], ops.Filter) and is_own(id_):
            members.add(id_)
            predicates.append(operator.predicate)
            (id_,) = dataflow.inputs[id_]
        inner = isinstance(operator, ops.Join) and operator.kind in (
            ops.JoinKind.INNER,
            ops.JoinKind.CROSS,
        )
        if isinstance(operator, ops.Join) and inner and is_own(id_) and depth < DEEPEST:
            members.add(id_)
            left, right = dataflow.inputs[id_]
            width = visit(left, offset, depth + 1)
            width += visit(right, offset + width, depth + 1)
            if operator.condition is not None:
                conjuncts.extend((c, offset) for c in _split(operator.condition))
        else:
            inputs.append(id_)
            width = len(dataflow.schemas[id_])
        for predicate in reversed(predicates):
            conjuncts.extend((c, offset) for c in _split(predicate))
        return width

    visit(root, 0, 0)
    schema = Schema(tuple(f for i in inputs for f in dataflow.schemas[i]))
    lifted = tuple(_lift(c, offset, schema) for c, offset in conjuncts)
    return JoinGroup(tuple(inputs), lifted, frozenset(members), schema)


def _split(expr: ex.Expr) -> tuple[ex.Expr, ...]:
    """The conjuncts of a condition, and those that every side of a disjunction has.

        (a = b AND c) OR (a = b AND d)   =>   that, and a = b

    What is added follows from what is there: where a disjunction is true, one side is, and all of it.
    """
    conjuncts = expr.args if isinstance(expr, ex.And) else (expr,)
    return conjuncts + tuple(
        c for part in conjuncts if isinstance(part, ex.Or) for c in _common(part)
    )


def _common(expr: ex.Or) -> list[ex.Expr]:
    """The conjuncts that every side of a disjunction has."""
    first, *others = [a.args if isinstance(a, ex.And) else (a,) for a in expr.args]
    return [c for c in first if all(c in other for other in others)]


def _lift(expr: ex.Expr, offset: int, schema: Schema) -> ex.Expr:
    """A condition over a part of the columns as one over all of them.

    An occurrence counts the columns of that name before it; more of them stand before now.
    """
    if offset == 0:
        return expr
    before = Counter(f.name for f in schema.fields[:offset])
    return substitute_columns(expr, lambda c: replace(c, occurrence=c.occurrence + before[c.name]))


def compile_group(group: JoinGroup, dataflow: Dataflow, outer: tuple[Schema, ...]) -> Step:
    """A step joining all inputs of the group."""
    schemas = [dataflow.schemas[i] for i in group.inputs]
    starts = [sum(map(len, schemas[:n])) for n in range(len(schemas))]
    owner = [n for n, schema in enumerate(schemas) for _ in schema]
    whole = compile_condition_parts(group, owner, outer)
    width = len(owner)

    def step(signals: list[Signal], env: Environment) -> Signal:
        if len(signals) == 1:
            (only,) = signals
            keep = [i for i, r in enumerate(only.rows) if _passes(whole, r, env)]
            return only.pick(keep)
        order = _join_order(len(schemas), whole, [len(s.rows) for s in signals])
        rows: list[list[Any]] = []
        bound: set[int] = set()
        for number in order:
            filled = [_place(row, starts[number], width) for row in signals[number].rows]
            ready = [c for c in whole if c.inputs <= {number}]
            filled = [r for r in filled if all(c.test(r, env) is True for c in ready)]
            if not bound:
                rows, bound = filled, {number}
                continue
            rows = _join(rows, filled, bound, number, whole, schemas, starts, env)
            bound.add(number)
        rest = [c for c in whole if not c.inputs]
        out = [tuple(r) for r in rows]
        return Signal([r for r in out if all(c.test(r, env) is True for c in rest)])

    return step


@dataclass(frozen=True)
class Side:
    """One side of an equality: its value on a row, as what equals hashes, and what it reads."""

    value: Callable[[Any, Environment], Any]
    inputs: frozenset[int]


@dataclass(frozen=True)
class Conjunct:
    """A condition, the inputs it reads, and the sides of an equality: none where no row passes."""

    test: Callable[[Any, Environment], Any]
    inputs: frozenset[int]
    equal: tuple[Side, Side] | None = None

    def sides(self, number: int, bound: set[int]) -> tuple[Side, Side] | None:
        """The side of an equality that reads one input only, and that which reads those before."""
        for new, old in (self.equal, self.equal[::-1]) if self.equal else ():
            if new.inputs == {number} and old.inputs and old.inputs <= bound:
                return new, old
        return None


def compile_condition_parts(
    group: JoinGroup, owner: list[int], outer: tuple[Schema, ...]
) -> list[Conjunct]:
    """The conjuncts with what they read."""

    def reads(expr: ex.Expr) -> frozenset[int]:
        places = (group.schema.place(c.name, c.occurrence) for c in columns_read(expr))
        return frozenset(owner[p] for p in places)

    def side(expr: ex.Expr, *, null_safe: bool) -> Side:
        value, key = compile_expr(expr, (group.schema, *outer)), group_key(expr.type)

        def hashed(row: Row, env: Environment) -> Any:
            found = value(row, env)
            if null_safe:
                return (key(found),)
            return None if found is None else key(found)

        return Side(hashed, reads(expr))

    def compiled(expr: ex.Expr) -> Conjunct:
        test = compile_expr(expr, (group.schema, *outer))
        match expr:
            case ex.Compare("=" | "<=>" as op, left, right):
                one, two = (side(each, null_safe=op == "<=>") for each in (left, right))
                return Conjunct(test, reads(expr), (one, two))
            case _:
                return Conjunct(test, reads(expr))

    return [compiled(expr) for expr in group.conjuncts]


def _passes(conjuncts: list[Conjunct], row: Row, env: Environment) -> bool:
    """Whether all conjuncts are true on a row."""
    return all(c.test(row, env) is True for c in conjuncts)


def _place(row: Row, start: int, width: int) -> list[Any]:
    """A row of one input as a row of all of them, the columns of the others not yet filled."""
    filled: list[Any] = [None] * width
    filled[start : start + len(row)] = row
    return filled


def _join_order(count: int, conjuncts: list[Conjunct], sizes: list[int]) -> list[int]:
    """Inputs in an order in which each is linked to the earlier ones where possible."""
    left = sorted(range(count), key=lambda n: (sizes[n], n))
    order = [left.pop(0)]
    while left:
        bound = set(order)
        linked = [n for n in left if any(c.sides(n, bound) for c in conjuncts)]
        chosen = (linked or left)[0]
        left.remove(chosen)
        order.append(chosen)
    return order


def _join(
    rows: list[list[Any]],
    added: list[list[Any]],
    bound: set[int],
    number: int,
    conjuncts: list[Conjunct],
    schemas: list[Schema],
    starts: list[int],
    env: Environment,
) -> list[list[Any]]:
    """Join what is bound with one more input on every conjunct that now has its columns."""
    ready = [
        c
        for c in conjuncts
        if number in c.inputs and c.inputs - {number} and c.inputs <= bound | {number}
    ]
    begin, end = starts[number], starts[number] + len(schemas[number])
    keys_of_added: list[list[Any]] = [[] for _ in added]
    keys_of_rows: list[list[Any]] = [[] for _ in rows]
    tests = []
    for c in ready:
        sides = c.sides(number, bound)
        if sides is None:
            tests.append(c)
            continue
        new, old = sides
        for row, own in zip(added, keys_of_added, strict=True):
            own.append(new.value(row, env))
        for row, own in zip(rows, keys_of_rows, strict=True):
            own.append(old.value(row, env))
    table: dict[tuple[Any, ...], list[list[Any]]] = {}
    # To `=` null equals nothing, not even null, so such rows meet none.
    for row, own in zip(added, keys_of_added, strict=True):
        if None not in own:
            table.setdefault(tuple(own), []).append(row)
    out = []
    for row, own in zip(rows, keys_of_rows, strict=True):
        for other in table.get(tuple(own), ()):
            merged = row.copy()
            merged[begin:end] = other[begin:end]
            if all(c.test(merged, env) is True for c in tests):
                out.append(merged)
    return out
