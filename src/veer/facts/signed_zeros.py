"""Where the sign of a zero shows, although Spark does not keep it.

Spark takes 0.0 for -0.0 where floats are compared for equality, grouped, joined or partitioned by,
and which of the two comes out depends on its plan: it puts the constant of `f = 0D` in the place of
`f`, and moves filters below GROUP BY. Where an expression that tells the two apart (a cast to text,
atan2) reads such a float, what Spark gives depends on how it happens to run the version. There a
difference of signs is no difference, and a proof is none.

    Filter(f = 0D) -> Project(CAST(f AS STRING))   =>   "0.0" or "-0.0", as Spark's plan has it

Origins are followed generously: a value computed from a compared float counts as one. That refuses
proofs it need not refuse, and misses none it must.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

from veer.facts.lineage import ColumnSource, Copied, column_sources
from veer.functions.registry import scalar_function
from veer.ir import expr as ex, ops, types as ty, walk
from veer.ir.dag import Dataflow
from veer.ir.schema import Schema

BLIND_CASTS = (
    ty.FloatType,
    ty.DoubleType,
    ty.IntegralType,
    ty.DecimalType,
    ty.BooleanType,
    ty.TimestampType,
)
EQUALITIES = ("=", "<=>", "<>")

Origins = frozenset[tuple[str, int]]  # columns a value is computed from, by table or operator
NOTHING: Origins = frozenset()


def tells_zeros_apart(expr: ex.Expr) -> bool:
    """Whether the topmost part of an expression may give other results for 0.0 than for -0.0."""
    match expr:
        case ex.Cast(arg, target):
            is_blind = arg.type == target or isinstance(target, BLIND_CASTS)
            return ty.has_floats(arg.type) and not is_blind
        case ex.Call(function, args):
            ignores_sign = scalar_function(function).ignores_zero_sign
            return not ignores_sign and any(ty.has_floats(a.type) for a in args)
        case ex.OpaqueCall(_, args):
            return any(ty.has_floats(a.type) for a in args)
        case _:
            return False


def shown_zero_sign(dataflow: Dataflow) -> str:
    """An expression that shows a sign which depends on Spark's plan; empty if there is none."""
    return dataflow.cached("shown zero sign", lambda: _shown_zero_sign(dataflow))


def _shown_zero_sign(dataflow: Dataflow) -> str:
    if not may_show_zero_signs(dataflow):
        return ""
    reading = _Reading()
    reading.dataflow(dataflow, ())
    return next((shown for shown, read in reading.shown if read & reading.compared), "")


def may_show_zero_signs(dataflow: Dataflow) -> bool:
    """Whether something in a dataflow tells 0.0 from -0.0."""
    return any(
        _sees_floats(dataflow, id_)
        or any(tells_zeros_apart(p) for e in walk.operator_exprs(operator) for p in walk.parts(e))
        or any(map(may_show_zero_signs, walk.subqueries(operator)))
        for id_, operator in dataflow.operators.items()
    )


def _sees_floats(dataflow: Dataflow, id_: str) -> bool:
    """Whether an opaque operator is given floats."""
    return isinstance(dataflow.operators[id_], ops.AnyUdf) and any(
        ty.has_floats(t) for i in dataflow.inputs[id_] for t in dataflow.schemas[i].types
    )


@dataclass
class _Reading:
    """Collects what is compared, and what shows the sign of a zero."""

    compared: set[tuple[str, int]] = field(default_factory=set)
    shown: list[tuple[str, Origins]] = field(default_factory=list)
    read: dict[Any, list[Origins]] = field(default_factory=dict)  # by query and what is around it

    def query(self, query: Dataflow, scopes: tuple[_TracedRow, ...]) -> list[Origins]:
        """A subquery, read once wherever it is mentioned in one place."""
        key = query, scopes
        if key not in self.read:
            self.read[key] = self.dataflow(query, scopes)
        return self.read[key]

    def dataflow(self, dataflow: Dataflow, outer: tuple[_TracedRow, ...]) -> list[Origins]:
        """Read all operators; gives where the columns of the first sink come from."""
        by_signal: dict[str, list[Origins]] = {}
        for id_ in dataflow.order:
            operator = dataflow.operators[id_]
            inputs = dataflow.inputs[id_]
            rows = Schema(tuple(f for i in inputs for f in dataflow.schemas[i]))
            scope = _TracedRow(rows, tuple(o for i in inputs for o in by_signal[i]))
            self._operator(operator, (scope, *outer))
            by_signal[id_] = self._columns(dataflow, id_, (scope, *outer))
        return by_signal[dataflow.sinks[0]]

    def _columns(
        self, dataflow: Dataflow, id_: str, scopes: tuple[_TracedRow, ...]
    ) -> list[Origins]:
        """Where the columns of an operator come from: computed ones from themselves, too.

        New ones may come from anything that the operator reads.
        """
        operator = dataflow.operators[id_]
        if isinstance(operator, ops.Source):
            return [frozenset({(operator.table, i)}) for i in range(len(operator.fields))]
        below = scopes[0].origins

        def origins(source: ColumnSource) -> Origins:
            match source:
                case Copied(places):
                    return NOTHING.union(*(below[place] for place in places))
                case ex.AggregateCall(args=args) | ex.OverCall(args=args):
                    return NOTHING.union(*(self._origins(arg, scopes) for arg in args))
                case None:
                    return NOTHING.union(*below)
                case _:
                    return self._origins(source, scopes)

        sources = enumerate(column_sources(dataflow, id_))
        return [
            origins(source) | (NOTHING if isinstance(source, Copied) else {(id_, place)})
            for place, source in sources
        ]

    def _operator(self, operator: ops.AnyOperator, scopes: tuple[_TracedRow, ...]) -> None:
        """Note what an operator compares and shows."""
        for expr in walk.operator_exprs(operator):
            for part in walk.parts(expr):
                self._part(part, scopes)
        for expr in _grouped_by(operator):
            self._compare((expr,), scopes)
        match operator:
            case ops.IntersectAll() | ops.ExceptAll():
                # Rows of both sides are compared, all their columns.
                types, origins = scopes[0].schema.types, scopes[0].origins
                pairs = zip(types, origins, strict=True)
                self.compared.update(
                    o for type_, some in pairs if ty.has_floats(type_) for o in some
                )
            case ops.RowUdf() | ops.TableUdf():
                pairs = zip(scopes[0].schema.types, scopes[0].origins, strict=True)
                seen = [some for type_, some in pairs if ty.has_floats(type_)]
                self.shown.append(("an opaque function", NOTHING.union(*seen)))
            case ops.Lateral(query):
                self.query(query, scopes)
            case (
                ops.Source()
                | ops.Values()
                | ops.Filter()
                | ops.Project()
                | ops.Join()
                | ops.Union()
                | ops.Sort()
                | ops.Limit()
            ):
                pass
            case ops.Aggregate() | ops.GlobalAggregate() | ops.Deduplicate() | ops.Over():
                pass  # see `_grouped_by`
            case ops.Unnest() | ops.Sample() | ops.Sink():
                pass
            case _:
                assert_never(operator)

    def _part(self, part: ex.Expr, scopes: tuple[_TracedRow, ...]) -> None:
        """Note what one node of an expression compares or shows."""
        match part:
            case ex.Compare(op, left, right) if op in EQUALITIES:
                self._compare((left, right), scopes)
            case ex.InList(arg, options):
                self._compare((arg, *options), scopes)
            case ex.InQuery(args, query):
                self._compare(args, scopes)
                inside = self.query(query, scopes)
                if any(ty.has_floats(a.type) for a in args):
                    self.compared.update(o for some in inside for o in some)
            case ex.Exists(query) | ex.ScalarQuery(query):
                self.query(query, scopes)
            case _ if tells_zeros_apart(part):
                floats = (c for c in walk.children(part) if ty.has_floats(c.type))
                read = (self._origins(c, scopes) for c in floats)
                self.shown.append((_shown(part), NOTHING.union(*read)))
            case _:
                pass

    def _compare(self, exprs: Sequence[ex.Expr], scopes: tuple[_TracedRow, ...]) -> None:
        """Note where the floats come from that are compared with each other."""
        if any(ty.has_floats(e.type) for e in exprs):
            self.compared.update(o for e in exprs for o in self._origins(e, scopes))

    def _origins(self, expr: ex.Expr, scopes: tuple[_TracedRow, ...]) -> Origins:
        """All columns an expression reads, those its subqueries show among them."""
        match expr:
            case ex.Column(name, _, occurrence):
                return scopes[0].of(name, occurrence)
            case ex.OuterColumn(name, _, occurrence, depth):
                return scopes[depth].of(name, occurrence)
            case _ if (query := walk.query_of(expr)) is not None:
                inside = self.query(query, scopes)
                return NOTHING.union(
                    *inside, *(self._origins(c, scopes) for c in walk.children(expr))
                )
            case _:
                return NOTHING.union(*(self._origins(c, scopes) for c in walk.children(expr)))


@dataclass(frozen=True)
class _TracedRow:
    """The columns an expression sees, and where each comes from."""

    schema: Schema
    origins: tuple[Origins, ...]

    def of(self, name: str, occurrence: int) -> Origins:
        """Where a column comes from."""
        return self.origins[self.schema.place(name, occurrence)]


def _grouped_by(operator: ops.AnyOperator) -> Iterator[ex.Expr]:
    """What an operator groups, partitions or tells rows apart by."""
    match operator:
        case ops.Aggregate(keys, calls):
            yield from (k.expr for k in keys)
            yield from (a for c in calls if c.call.distinct for a in c.call.args)
        case ops.GlobalAggregate(calls):
            yield from (a for c in calls if c.call.distinct for a in c.call.args)
        case ops.Deduplicate(columns):
            yield from columns
        case ops.TableUdf(keys=columns):
            yield from columns
        case ops.Over(calls):
            yield from (e for c in calls for e in c.call.partition)
        case (
            ops.Source()
            | ops.Values()
            | ops.Filter()
            | ops.Project()
            | ops.Join()
            | ops.Union()
            | ops.Sort()
            | ops.Limit()
        ):
            return
        case ops.Unnest() | ops.Lateral() | ops.Sample() | ops.RowUdf() | ops.Sink():
            return
        case ops.IntersectAll() | ops.ExceptAll():
            return  # by all columns, not by expressions: see `_Reading._operator`
        case _:
            assert_never(operator)


def _shown(expr: ex.Expr) -> str:
    match expr:
        case ex.Cast(_, target):
            return f"a cast to {target}"
        case ex.Call(function):
            return function
        case _:
            return "an opaque function"


# -- zeros without signs ---------------------------------------------------------------------------


def without_zero_signs(dataflow: Dataflow) -> Dataflow | None:
    """The dataflow with 0.0 for -0.0 wherever something would tell them apart; itself if nothing does.

        CAST(f AS STRING)   =>   CAST(f + 0D AS STRING)

    None where such values cannot be got at: inside of arrays and subqueries, or seen by opaque
    operators.
    """
    changed: dict[str, ops.AnyOperator] = {}
    for id_, operator in dataflow.operators.items():
        if _sees_floats(dataflow, id_) or any(map(may_show_zero_signs, walk.subqueries(operator))):
            return None
        try:
            unsigned = walk.map_exprs(operator, lambda e: walk.transform(e, _unsigned_below))
        except _Unreachable:
            return None
        if unsigned != operator:
            changed[id_] = unsigned
    if not changed:
        return dataflow
    return Dataflow({**dataflow.operators, **changed}, dataflow.links, dataflow.declared)


class _Unreachable(Exception):
    """A float inside of another value."""


def _unsigned_below(expr: ex.Expr) -> ex.Expr:
    if not tells_zeros_apart(expr):
        return expr
    match expr:
        case ex.Cast(arg, target, mode):
            return ex.Cast(_unsigned(arg), target, mode)
        case ex.Call(function, args, type_):
            return ex.Call(function, tuple(map(_unsigned, args)), type_)
        case _:
            raise _Unreachable


def _unsigned(expr: ex.Expr) -> ex.Expr:
    """The expression with 0.0 for -0.0: -0.0 + 0.0 is 0.0, and adding it changes nothing else."""
    if not ty.has_floats(expr.type):
        return expr
    if not isinstance(expr.type, ty.FloatType | ty.DoubleType):
        raise _Unreachable
    return ex.Call("+", (expr, ex.Literal(0.0, expr.type)), expr.type)


def has_negative_zeros(tables: Mapping[str, Sequence[tuple[Any, ...]]]) -> bool:
    """Whether some value of an instance is -0.0, or holds one."""
    return any(_is_negative_zero(v) for rows in tables.values() for row in rows for v in row)


def _is_negative_zero(value: Any) -> bool:
    if isinstance(value, float):
        return value == 0 and math.copysign(1, value) < 0
    return isinstance(value, tuple) and any(map(_is_negative_zero, value))
