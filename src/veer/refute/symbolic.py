"""Instances found by the solver: both versions run on tables of a few unknown rows.

Every table has `size` rows, each of which may be missing. A row of an operator is a condition
under which it exists and its values, all expressions over the unknown columns, so running a
dataflow makes no choice. What comes out different is an instance, if the interpreter agrees;
where functions are uninterpreted it may not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from itertools import count
from typing import assert_never, final

from veer.errors import InputError, UnsupportedError
from veer.expressions.laws import simplified
from veer.functions.registry import scalar_function
from veer.ir import expr as ex, ops, types as ty
from veer.ir.dag import Dataflow
from veer.ir.schema import Schema
from veer.ir.sources import parent_of, tables_read, target_places
from veer.ir.walk import EnclosingRows, ResolvedRow, resolve
from veer.prove import solver, solver as smt
from veer.refute.instances import Tables, refers
from veer.refute.pools import pool
from veer.verdict import TableSemantics

MOST_ROWS = 24
WORK = 1_000_000
SMALL = 10_000_000
TRUE, FALSE = ex.Literal(True, ty.BOOLEAN), ex.Literal(False, ty.BOOLEAN)


@final
@dataclass(frozen=True, slots=True)
class PossibleRow:
    """A row that is there if every condition of `there` is true."""

    there: tuple[ex.Expr, ...]
    values: tuple[ex.Expr, ...]


@final
@dataclass(frozen=True, slots=True)
class UnknownRow:
    """A row of a source table, of which only the columns' types are known."""

    there: ex.Symbol
    columns: tuple[ex.RowColumn, ...]

    def as_possible(self) -> PossibleRow:
        """The row as an operator sees it."""
        return PossibleRow((self.there,), self.columns)


def symbolic_instances(
    p: Dataflow,
    q: Dataflow,
    columns: Sequence[tuple[int, int]],
    semantics: TableSemantics,
    *,
    single_rows: bool = False,
) -> Iterator[Tables]:
    """Tables of few rows on which the solver sees a difference, the smallest first.

    One row in each table (with `single_rows` no more); two in one of them; then two and three in all. The number of rows is
    compared first, then what is exact, then floats, whose arithmetic the solver does not know.
    Small numbers are tried first: large ones fail a run in many a cast.
    """
    sources = tables_read((p, q))
    ones = dict.fromkeys(sources, 1)
    sizes = [ones, *({**ones, name: 2} for name in sources if len(sources) > 1)]
    sizes += [dict.fromkeys(sources, n) for n in (2, 3)]
    types = p.result_schema.types
    exact = [(i, j) for i, j in columns if not ty.has_floats(types[i])]
    for size in sizes[:1] if single_rows else sizes:
        try:
            run = SymbolicRun(sources, size)
            ours, theirs = run.result(p), run.result(q)
        except InputError:
            continue
        for compared in dict.fromkeys(((), tuple(exact), tuple(columns))):
            for small in (True, False):
                tables = _solved(run, ours, theirs, compared, semantics, small=small)
                if tables is not None:
                    yield tables
                    break


def symbolic_instance(
    p: Dataflow,
    q: Dataflow,
    columns: Sequence[tuple[int, int]],
    semantics: TableSemantics,
    size: int,
) -> Tables | None:
    """Tables of at most `size` rows on which the solver sees a difference."""
    sources = tables_read((p, q))
    try:
        run = SymbolicRun(sources, dict.fromkeys(sources, size))
        return _solved(run, run.result(p), run.result(q), columns, semantics)
    except InputError:
        return None


def _solved(
    run: SymbolicRun,
    p_rows: Sequence[PossibleRow],
    q_rows: Sequence[PossibleRow],
    columns: Sequence[tuple[int, int]],
    semantics: TableSemantics,
    *,
    small: bool = False,
) -> Tables | None:
    ours = [_picked(r, [i for i, _ in columns]) for r in p_rows]
    theirs = [_picked(r, [j for _, j in columns]) for r in q_rows]
    counted = semantics is not TableSemantics.SET
    difference = solver.Some((*_missing(ours, theirs, counted), *_missing(theirs, ours, counted)))
    model = smt.find_model([difference, *run.constraints(small)], WORK)
    return None if model is None else run.tables(model)


def _picked(row: PossibleRow, places: Sequence[int]) -> PossibleRow:
    return PossibleRow(row.there, tuple(row.values[i] for i in places))


def _missing(
    ours: Sequence[PossibleRow], theirs: Sequence[PossibleRow], counted: bool
) -> Iterator[solver.Formula]:
    """For each row: it is there, and not as often on the other side."""
    for row in ours:
        here = tuple(_equal(row, other) for other in ours)
        there = tuple(_equal(row, other) for other in theirs)
        differs = (
            solver.No(solver.SameCount(here, there)) if counted else solver.No(solver.Some(there))
        )
        yield solver.All((*map(solver.Holds, row.there), differs))


def _equal(row: PossibleRow, other: PossibleRow) -> solver.Formula:
    same_values = (solver.Same(a, b) for a, b in zip(row.values, other.values, strict=True))
    return solver.All((*map(solver.Holds, other.there), *same_values))


class SymbolicRun:
    """Runs dataflows over tables of unknown rows."""

    def __init__(self, sources: dict[str, ops.Source], sizes: dict[str, int]) -> None:
        self.sources = sources
        numbers = count()
        self.unknown = {
            table: [_unknown_row(source, next(numbers)) for _ in range(sizes[table])]
            for table, source in sources.items()
        }
        self.rows = {t: [r.as_possible() for r in rows] for t, rows in self.unknown.items()}

    def constraints(self, small: bool = False) -> Iterator[solver.Formula]:
        """Values fit their types, rows differ on keys and refer to rows that are there."""
        for rows in self.rows.values():
            for value in (v for row in rows for v in row.values):
                yield from _in_range(value, small)
        for name, source in self.sources.items():
            names = [f.name.lower() for f in source.fields]
            rows = self.rows[name]
            for key in (*source.keys, *source.unique):
                places = [names.index(n.lower()) for n in key]
                for i, a in enumerate(rows):
                    for b in rows[i + 1 :]:
                        agree = solver.All(
                            tuple(solver.Same(a.values[x], b.values[x]) for x in places)
                        )
                        present = [ex.Not(ex.IsNull(a.values[x])) for x in places]
                        both = solver.All(tuple(map(solver.Holds, (*a.there, *b.there, *present))))
                        yield solver.No(solver.All((both, agree)))
            yield from self._checks(source)
            yield from self._parents(source, names)

    def _checks(self, source: ops.Source) -> Iterator[solver.Formula]:
        for check in source.checks:
            for row in self.rows[source.table]:
                try:
                    holds = self._expr(check, Schema(source.fields), row, ())
                except UnsupportedError:
                    continue  # whether a solution keeps it is looked at afterwards
                yield solver.implies(
                    solver.All(tuple(map(solver.Holds, row.there))),
                    solver.No(solver.Holds(ex.Not(holds))),
                )

    def _parents(self, source: ops.Source, names: list[str]) -> Iterator[solver.Formula]:
        for foreign in source.foreign_keys:
            parent = parent_of(foreign, self.sources.values())
            own = [names.index(n.lower()) for n in foreign.columns]
            if parent is None or not refers(source, own, parent, foreign):
                continue
            their = target_places(parent, foreign)
            for row in self.rows[source.table]:
                present = tuple(ex.Not(ex.IsNull(row.values[x])) for x in own)
                parents = tuple(
                    solver.All(
                        (
                            *map(solver.Holds, other.there),
                            *(
                                solver.Same(row.values[x], other.values[y])
                                for x, y in zip(own, their, strict=True)
                            ),
                        )
                    )
                    for other in self.rows[parent.table]
                )
                yield solver.implies(
                    solver.All(tuple(map(solver.Holds, row.there + present))), solver.Some(parents)
                )

    def tables(self, model: Mapping[smt.Variable, object]) -> Tables:
        """The rows a model has, columns it says nothing of filled plainly."""
        tables: Tables = {}
        for name, source in self.sources.items():
            tables[name] = [
                tuple(
                    _value(model.get(c), f.type, f.nullable)
                    for c, f in zip(row.columns, source.fields, strict=True)
                )
                for row in self.unknown[name]
                if model.get(row.there) is True
            ]
        return tables

    # -- operators -----------------------------------------------------------------------------

    def result(self, dataflow: Dataflow, outer: EnclosingRows = ()) -> list[PossibleRow]:
        """The rows of the only sink."""
        rows_of: dict[str, list[PossibleRow]] = {}
        for id_ in dataflow.order:
            below = dataflow.inputs[id_]
            schemas = [dataflow.schemas[i] for i in below]
            rows = self._operator(dataflow, id_, [rows_of[i] for i in below], schemas, outer)
            if len(rows) > MOST_ROWS:
                raise UnsupportedError("too many rows")
            rows_of[id_] = rows
        return rows_of[dataflow.sinks[0]]

    def _operator(
        self,
        dataflow: Dataflow,
        id_: str,
        inputs: Sequence[list[PossibleRow]],
        below: Sequence[Schema],
        outer: EnclosingRows,
    ) -> list[PossibleRow]:
        """The rows an operator may give; `UnsupportedError` where that takes a choice or an order."""
        operator = dataflow.operators[id_]
        schema = below[0] if below else Schema(())
        match operator:
            case ops.Source(table):
                return self.rows[table]
            case ops.Values():
                return _constant_rows(operator)
            case ops.Filter(predicate):
                return [self._kept(r, self._expr(predicate, schema, r, outer)) for r in inputs[0]]
            case ops.Project():
                return [self._projected(operator, r, schema, outer) for r in inputs[0]]
            case ops.Sort():
                return inputs[0]
            case ops.Limit(limit, 0) if limit is None or limit >= len(inputs[0]):
                return inputs[0]  # it keeps all rows there can be
            case ops.Sink():
                places = operator.places(schema)
                return [_picked(r, places) for r in inputs[0]]
            case ops.Union():
                return [r for rows in inputs for r in rows]
            case ops.Join():
                return self._join(operator, inputs, below, outer)
            case ops.Lateral(query, keeps_all):
                return self._lateral(query, keeps_all, inputs[0], schema, outer)
            case ops.Aggregate():
                return self._groups(operator, inputs[0], schema, outer)
            case ops.GlobalAggregate(calls):
                folds = [self._fold(n.call, inputs[0], schema, outer) for n in calls]
                return [PossibleRow((), tuple(folds))]
            case ops.IntersectAll() | ops.ExceptAll():
                return self._rest(inputs, keep_common=isinstance(operator, ops.IntersectAll))
            case (
                ops.Limit()
                | ops.Deduplicate()
                | ops.Over()
                | ops.Unnest()
                | ops.Sample()
                | ops.RowUdf()
                | ops.TableUdf()
            ):
                raise UnsupportedError(f"a {type(operator).__name__}")
            case _:
                assert_never(operator)

    def _projected(
        self, project: ops.Project, row: PossibleRow, schema: Schema, outer: EnclosingRows
    ) -> PossibleRow:
        """The row a projection makes of one; there if that is."""
        values = (self._expr(n.expr, schema, row, outer) for n in project.columns)
        return PossibleRow(row.there, tuple(values))

    def _kept(self, row: PossibleRow, condition: ex.Expr) -> PossibleRow:
        """The row, there only if a condition is true too: not if it is false or null."""
        return replace(row, there=(*row.there, condition))

    def _join(
        self,
        join: ops.Join,
        inputs: Sequence[list[PossibleRow]],
        below: Sequence[Schema],
        outer: EnclosingRows,
    ) -> list[PossibleRow]:
        """Every pair of rows, there if they meet; and padded rows, there if they meet none."""
        left, right = inputs
        schema = below[0] + below[1]
        condition = TRUE if join.condition is None else join.condition

        def meet(a: PossibleRow, b: PossibleRow) -> tuple[ex.Expr, ...]:
            both = PossibleRow((), a.values + b.values)
            return (*a.there, *b.there, self._expr(condition, schema, both, outer))

        def partner(meetings: list[tuple[ex.Expr, ...]]) -> ex.Expr:
            return _any([_all(f) for f in meetings])

        pairs = [PossibleRow(meet(a, b), a.values + b.values) for a in left for b in right]
        if join.kind in (ops.JoinKind.INNER, ops.JoinKind.CROSS):
            return pairs
        has = [partner([meet(a, b) for b in right]) for a in left]
        if join.kind == ops.JoinKind.SEMI:
            return [self._kept(a, h) for a, h in zip(left, has, strict=True)]
        alone = [self._kept(a, ex.Not(_truth(h))) for a, h in zip(left, has, strict=True)]
        if join.kind == ops.JoinKind.ANTI:
            return alone
        padding = tuple(ex.Literal(None, t) for t in below[1].types)
        joined = pairs + [PossibleRow(r.there, r.values + padding) for r in alone]
        if join.kind == ops.JoinKind.FULL:
            before = tuple(ex.Literal(None, t) for t in below[0].types)
            for b in right:
                other = partner([meet(a, b) for a in left])
                joined.append(PossibleRow((*b.there, ex.Not(_truth(other))), before + b.values))
        return joined

    def _lateral(
        self,
        query: Dataflow,
        keeps_all: bool,
        rows: list[PossibleRow],
        schema: Schema,
        outer: EnclosingRows,
    ) -> list[PossibleRow]:
        joined = []
        for row in rows:
            inner = self.result(query, (ResolvedRow(schema, row.values), *outer))
            joined += [PossibleRow(row.there + r.there, row.values + r.values) for r in inner]
            if keeps_all:
                none = ex.Not(_truth(_any([_all(r.there) for r in inner])))
                padding = tuple(ex.Literal(None, t) for t in query.result_schema.types)
                joined.append(PossibleRow((*row.there, none), row.values + padding))
        return joined

    def _rest(self, inputs: Sequence[list[PossibleRow]], *, keep_common: bool) -> list[PossibleRow]:
        """Rows of the first input that have (or lack) a partner of the same number."""
        left, right = inputs
        if any(ty.has_floats(v.type) for r in left for v in r.values):
            raise UnsupportedError("set operations on floats")
        kept = []
        for place, row in enumerate(left):
            number = _count([_same_row(row, o) for o in left[:place]])
            others = _count([_same_row(row, o) for o in right])
            common = ex.Compare(">", others, number)
            kept.append(self._kept(row, common if keep_common else ex.Not(common)))
        return kept

    # -- groups --------------------------------------------------------------------------------

    def _groups(
        self,
        aggregate: ops.Aggregate,
        rows: list[PossibleRow],
        schema: Schema,
        outer: EnclosingRows,
    ) -> list[PossibleRow]:
        """The first row of each group, with the folds over its members.

        Which rows are there is open, so each may be the first of its group: there is a row for each,
        which is there if no earlier one with the same keys is. Null keys are the same.
        """
        keys = [k.expr for k in aggregate.keys]
        keyed = [tuple(self._expr(k, schema, r, outer) for k in keys) for r in rows]
        if any(ty.has_floats(k.type) for k in keys):
            raise UnsupportedError("groups of floats")
        groups = []
        for i, row in enumerate(rows):
            fits = [
                _all([solver.same(a, b) for a, b in zip(keyed[i], other, strict=True)])
                for other in keyed
            ]
            earlier = _any(
                [_all((*r.there, fit)) for r, fit in zip(rows[:i], fits[:i], strict=True)]
            )
            members = [self._kept(r, fit) for r, fit in zip(rows, fits, strict=True)]
            values = [self._fold(n.call, members, schema, outer) for n in aggregate.calls]
            first = (*row.there, ex.Not(_truth(earlier)))
            groups.append(PossibleRow(first, (*keyed[i], *values)))
        return groups

    def _fold(
        self, call: ex.AggregateCall, rows: list[PossibleRow], schema: Schema, outer: EnclosingRows
    ) -> ex.Expr:
        if call.function not in ("count", "sum", "min", "max", "avg"):
            raise UnsupportedError(call.function)
        given: list[tuple[ex.Expr, tuple[ex.Expr, ...]]] = []
        for row in rows:
            args = tuple(self._expr(a, schema, row, outer) for a in call.args)
            there = [*row.there, *(ex.Not(ex.IsNull(a)) for a in args)]
            if call.where is not None:
                there.append(self._expr(call.where, schema, row, outer))
            given.append((_all(there), args))
        if call.distinct:
            given = _without_repeats(given)
        if call.function == "count":
            return ex.Cast(_count([there for there, _ in given]), call.type)
        if call.function == "avg":
            # Some function of the sum and the count; whether it is the average is replayed.
            total = _folded("sum", call.args[0].type, given)
            number = _count([there for there, _ in given])
            value = ex.OpaqueCall("average", (total, number), call.type)
            return ex.Case(((ex.IsNull(total), ex.Literal(None, call.type)),), value)
        return _folded(call.function, call.type, given)

    # -- expressions ---------------------------------------------------------------------------

    def _expr(
        self, expr: ex.Expr, schema: Schema, row: PossibleRow, outer: EnclosingRows
    ) -> ex.Expr:
        return resolve(expr, (ResolvedRow(schema, row.values), *outer), self, simplified)

    def exists(self, query: Dataflow, rows: EnclosingRows) -> ex.Expr:
        """Whether a row of the query is there."""
        return _any([_all(r.there) for r in self.result(query, rows)])

    def contains(self, args: tuple[ex.Expr, ...], query: Dataflow, rows: EnclosingRows) -> ex.Expr:
        """An OR over the rows: null where one that is there compares as null and none is equal."""
        parts: list[ex.Expr] = []
        for r in self.result(query, rows):
            equal = _all([ex.Compare("=", a, b) for a, b in zip(args, r.values, strict=True)])
            parts.append(ex.And((_truth(_all(r.there)), equal)))
        return ex.Or(tuple(parts)) if parts else FALSE

    def scalar(self, query: Dataflow, rows: EnclosingRows) -> ex.Expr:
        """The value of the first row that is there; that there is no second is not looked at."""
        value: ex.Expr = ex.Literal(None, query.result_schema.types[0])
        for r in reversed(self.result(query, rows)):
            value = ex.Case(((_all(r.there), r.values[0]),), value)
        return value


def _constant_rows(operator: ops.Values) -> list[PossibleRow]:
    """Rows that are there under no condition."""
    types = [f.type for f in operator.fields]
    return [PossibleRow((), tuple(map(ex.Literal, row, types))) for row in operator.rows]


def _unknown_row(source: ops.Source, number: int) -> UnknownRow:
    columns = (ex.RowColumn(number, i, f.type, f.nullable) for i, f in enumerate(source.fields))
    return UnknownRow(ex.Symbol(number, ty.BOOLEAN, nullable=False), tuple(columns))


def _in_range(value: ex.Expr, small: bool) -> Iterator[solver.Formula]:
    """A number is one its type can hold, or null."""
    match value.type:
        case ty.IntegralType():
            most = 2 ** (ty.INTEGER_BITS[value.type] - 1)
            most = min(most, SMALL) if small else most
            low, high = ex.Literal(-most, value.type), ex.Literal(most - 1, value.type)
        case ty.DecimalType(precision, scale):
            top = (Decimal(10) ** precision - 1).scaleb(-scale)
            top = min(top, Decimal(10) ** (4 - scale) - 1) if small and precision > 6 else top
            low, high = ex.Literal(-top, value.type), ex.Literal(top, value.type)
        case ty.DateType() | ty.TimestampType() | ty.TimestampNtzType():
            low, high = (ex.Literal(m, value.type) for m in _span(value.type, small))
        case _:
            return
    fits = ex.And((ex.Compare(">=", value, low), ex.Compare("<=", value, high)))
    yield solver.Some((solver.Holds(ex.IsNull(value)), solver.Holds(fits)))


def _span(type_: ty.DataType, small: bool) -> tuple[date, date]:
    """The first and last moment of Python's calendar, or of two years, one of them a leap year."""
    kind = date if isinstance(type_, ty.DateType) else datetime
    return (kind(2023, 1, 1), kind(2024, 12, 31)) if small else (kind.min, kind.max)


def _value(value: object, type_: ty.DataType, nullable: bool) -> object:
    """A value of the model; what it does not mention is null, or the plainest there is."""
    if value is not None or nullable:
        return value
    return next(iter(pool(type_, ())), None)


def _all(parts: Sequence[ex.Expr]) -> ex.Expr:
    kept = tuple(p for p in parts if p != TRUE)
    if not kept:
        return TRUE
    return kept[0] if len(kept) == 1 else ex.And(kept)


def _any(parts: Sequence[ex.Expr]) -> ex.Expr:
    """Whether one of these is true; never null."""
    if not parts:
        return FALSE
    return _truth(parts[0] if len(parts) == 1 else ex.Or(tuple(parts)))


def _truth(condition: ex.Expr) -> ex.Expr:
    """The condition, null taken for false."""
    return ex.Case(((condition, TRUE),), FALSE)


def _same_row(row: PossibleRow, other: PossibleRow) -> ex.Expr:
    """Whether the other row is there with the same values, null being the same as null."""
    fits = [solver.same(a, b) for a, b in zip(row.values, other.values, strict=True)]
    return _all((*other.there, *fits))


def _count(conditions: Sequence[ex.Expr]) -> ex.Expr:
    """How many conditions are true."""
    total: ex.Expr = ex.Literal(0, ty.LONG)
    for condition in conditions:
        one = ex.Case(((condition, ex.Literal(1, ty.LONG)),), ex.Literal(0, ty.LONG))
        total = _plus(total, one)
    return total


def _plus(left: ex.Expr, right: ex.Expr) -> ex.Expr:
    """The sum of two values of one type, with the type that the typing rule of + gives."""
    args = (left, right)
    resolved = scalar_function("+").resolve(ex.arguments(args))
    assert all(a.type == t for a, t in zip(args, resolved.arguments, strict=True))
    return ex.Call("+", args, resolved.result)


def _without_repeats(
    given: list[tuple[ex.Expr, tuple[ex.Expr, ...]]],
) -> list[tuple[ex.Expr, tuple[ex.Expr, ...]]]:
    kept: list[tuple[ex.Expr, tuple[ex.Expr, ...]]] = []
    for i, (there, args) in enumerate(given):
        repeated = _any(
            [
                _all((before, *(solver.same(a, b) for a, b in zip(args, others, strict=True))))
                for before, others in given[:i]
            ]
        )
        kept.append((ex.And((there, ex.Not(repeated))), args))
    return kept


def _folded(
    function: str, type_: ty.DataType, given: Sequence[tuple[ex.Expr, tuple[ex.Expr, ...]]]
) -> ex.Expr:
    """The sum, minimum or maximum of the values that are there; null of none."""
    total: ex.Expr = ex.Literal(None, type_)
    for there, (arg,) in given:
        value = arg if arg.type == type_ else ex.Cast(arg, type_)
        if function == "sum":
            more: ex.Expr = _plus(total, value)
            more = more if more.type == type_ else ex.Cast(more, type_)
        else:
            better = ex.Compare("<" if function == "min" else ">", value, total)
            more = ex.Case(((better, value),), total)
        grown = ex.Case(((ex.IsNull(total), value),), more)
        total = ex.Case(((there, grown),), total)
    return total
