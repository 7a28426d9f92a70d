"""Keys: sets of columns on which no two rows of a signal agree.

    Source(people, key id) -> Filter(age > 5) -> Project(id + 1 AS n, age)      =>   {n}
    Source(orders, key no) -> Join(inner, people, person = id)                  =>   {no}

Rows agree on columns if they have the same value in each; null is the same as null. So a source
gives its declared keys, whose columns are never null, but not what is merely declared unique: two
rows may both be null there. Every key carries the declared keys it follows from.

A signal's keys follow from those of its inputs (`uniqueness_above`), so they are derived along the
links, each signal once however many read it, and at most `MOST_KEYS` are kept: fewer keys are
fewer facts, never a wrong one. Columns are meant by their places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Protocol, assert_never, final

from veer.assumptions import KeyAssumption
from veer.facts import dependencies
from veer.facts.dependencies import Dependency, determined
from veer.functions.registry import Kind, scalar_function
from veer.ir import expr as ex, ops, types as ty
from veer.ir.conditions import conjuncts
from veer.ir.dag import Dataflow
from veer.ir.schema import Schema
from veer.ir.sources import declared_key
from veer.ir.walk import columns_read, parts

MOST_KEYS = 32  # kept of a signal
MOST_COMBINED = 8  # of each side of a join
MOST_COPIES = 16  # looked at of one key above a projection that repeats its columns


class Signals(Protocol):
    """Operators with what feeds them and what comes out: a dataflow, or one in the making."""

    @property
    def operators(self) -> Mapping[str, ops.AnyOperator]:
        """The operators by id."""

    @property
    def inputs(self) -> Mapping[str, Sequence[str]]:
        """The ids that feed each operator, in the order of its ports."""

    @property
    def schemas(self) -> Mapping[str, Schema]:
        """What comes out of each operator."""


@final
@dataclass(frozen=True, slots=True)
class Key:
    """Places on which no two rows agree, and the declared keys this follows from."""

    places: frozenset[int]
    relied: frozenset[KeyAssumption] = frozenset()

    def implies(self, other: Key) -> bool:
        """Whether the other key says nothing more: it has these columns and relies on as much."""
        return self.places <= other.places and self.relied <= other.relied


@final
@dataclass(frozen=True, slots=True)
class Uniqueness:
    """The keys of a signal, and the places that hold the same value in all its rows.

    No key has a constant place: without it, the others still tell all rows apart. `dependencies` say
    which places determine others, what follows from the keys aside.
    """

    keys: tuple[Key, ...] = ()
    constants: frozenset[int] = frozenset()
    dependencies: tuple[Dependency, ...] = ()

    def tells_apart(self, places: Iterable[int]) -> bool:
        """Whether no two rows agree on these places."""
        given = self.determined(places)
        return any(key.places <= given for key in self.keys)

    def determined(self, places: Iterable[int]) -> frozenset[int]:
        """Places on which rows agree that agree on these, what follows from the keys aside."""
        return determined(self.dependencies, frozenset(places) | self.constants)


def uniqueness(dataflow: Dataflow, id_: str) -> Uniqueness:
    """The keys and constant columns of a signal; kept with the dataflow."""
    derived: dict[str, Uniqueness] = dataflow.cached("uniqueness", dict)
    return derive(dataflow, id_, derived)


def derive(signals: Signals, id_: str, derived: dict[str, Uniqueness]) -> Uniqueness:
    """The same of signals that are no dataflow yet; `derived` holds the results so far, and grows."""
    waiting = [id_]
    while waiting:
        here = waiting[-1]
        inputs = signals.inputs[here]
        missing = [i for i in inputs if i not in derived]
        if here not in derived and not missing:
            derived[here] = uniqueness_above(
                signals.operators[here],
                [signals.schemas[i] for i in inputs],
                [derived[i] for i in inputs],
            )
        if here in derived:
            waiting.pop()
        else:
            waiting += missing
    return derived[id_]


def uniqueness_above(
    operator: ops.AnyOperator, schemas: Sequence[Schema], inputs: Sequence[Uniqueness]
) -> Uniqueness:
    """The keys and constant columns of an operator's output, from those of its inputs."""
    match operator:
        case ops.Source():
            return _unique(_declared(operator))
        case ops.Filter(predicate):
            # Of rows without two that agree, some are left.
            constants = inputs[0].constants | constants_where(predicate, schemas[0])
            more = dependencies.where(predicate, schemas[0])
            return _unique(inputs[0].keys, constants, (*inputs[0].dependencies, *more))
        case ops.Over(calls):
            # All rows are there once, and those of a partition have different numbers.
            numbers = _numbered(calls, schemas[0])
            return _unique((*inputs[0].keys, *numbers), inputs[0].constants, inputs[0].dependencies)
        case ops.Sort() | ops.Limit() | ops.RowUdf() | ops.Unnest() | ops.Lateral() | ops.Sample():
            # Each row begins with one of the input, which may come several times.
            keys = inputs[0].keys if operator.traits.keeps_keys else ()
            return replace(inputs[0], keys=keys)
        case ops.Deduplicate(columns):
            # One row of each group is left; and rows only go, so keys of the input stay.
            own = Key(frozenset(places_of(columns, schemas[0])))
            return _unique((own, *inputs[0].keys), inputs[0].constants, inputs[0].dependencies)
        case ops.Project(columns):
            # As many rows as before: they agree on a key only if rows of the input agreed on it.
            exprs = [named.expr for named in columns]
            kept = _projected(exprs, schemas[0], inputs[0].keys)
            constants = _constant_places(exprs, schemas[0], inputs[0])
            return _unique(kept, constants, _dependent(exprs, schemas[0], inputs[0]))
        case ops.Aggregate(columns):
            # One row for each group, null being a group of its own. That a key of the input among
            # the grouping columns is one of the groups too is not derived.
            exprs = [named.expr for named in columns]
            own = Key(frozenset(range(len(columns))))
            constants = _constant_places(exprs, schemas[0], inputs[0])
            return _unique((own,), constants, _dependent(exprs, schemas[0], inputs[0]))
        case ops.GlobalAggregate():
            # One row, so that no two rows agree even on no column at all.
            return _unique((Key(frozenset()),))
        case ops.Join():
            return _joined(operator, schemas, inputs)
        case (
            ops.Values()
            | ops.Union()
            | ops.IntersectAll()
            | ops.ExceptAll()
            | ops.TableUdf()
            | ops.Sink()
        ):
            # Unions and functions of tables may give a row twice; of the others nobody asks.
            return Uniqueness()
        case _:
            assert_never(operator)


def _numbered(calls: Sequence[ops.NamedOver], schema: Schema) -> Iterator[Key]:
    """Partitions of columns with the number of a row."""
    for at, named in enumerate(calls):
        partition = [e for e in named.call.partition if isinstance(e, ex.Column)]
        if named.call.function == "row_number" and len(partition) == len(named.call.partition):
            yield Key(frozenset({len(schema) + at, *places_of(partition, schema)}))


def constants_where(predicate: ex.Expr, schema: Schema) -> frozenset[int]:
    """Places that hold the same value in every row on which a condition is true.

    Only what stands in a top-level AND: each part of it is true where the whole is. With a null
    constant `=` is true on no row, of which all is so, and `<=>` on those that are null. Not of
    floats: 0.0 and -0.0 are equal to the same constant.
    """
    columns: list[ex.Column] = []
    for part in conjuncts(predicate):
        match part:
            case ex.Compare("=" | "<=>", ex.Column() as column, ex.Literal()):
                columns.append(column)
            case ex.Compare("=" | "<=>", ex.Literal(), ex.Column() as column):
                columns.append(column)
            case ex.IsNull(ex.Column() as column):
                columns.append(column)
    return frozenset(
        schema.place(c.name, c.occurrence) for c in columns if not ty.has_floats(c.type)
    )


def places_of(columns: Iterable[ex.Column], schema: Schema) -> set[int]:
    """Where some columns stand."""
    return {schema.place(c.name, c.occurrence) for c in columns}


def places_determined_by(exprs: Iterable[ex.Expr], schema: Schema) -> set[int]:
    """Places on which rows agree that agree on some expressions.

    Rows with the same `2 * a + 1` have the same `a`; of `a + b` nothing follows.
    """
    arguments = map(injective_argument, exprs)
    return places_of((e for e in arguments if isinstance(e, ex.Column)), schema)


def injective_argument(expr: ex.Expr) -> ex.Expr:
    """The integer an expression is a one-to-one function of: itself, or x of c * x + d.

    Overflow fails the run, so that no two values are taken for one; a null gives null and nothing
    else does. Only whole numbers: sums of floats are rounded.
    """
    while isinstance(expr.type, ty.IntegralType):
        match expr:
            case ex.Call("negative" | "positive", (arg,)):
                expr = arg
            case ex.Call("+" | "-", (arg, ex.Literal(value=int()))):
                expr = arg
            case ex.Call("+" | "-", (ex.Literal(value=int()), arg)):
                expr = arg
            case ex.Call("*", (arg, ex.Literal(value=int() as factor))) if factor != 0:
                expr = arg
            case ex.Call("*", (ex.Literal(value=int() as factor), arg)) if factor != 0:
                expr = arg
            case ex.Cast(arg, mode=ty.CastMode.ANSI) if isinstance(arg.type, ty.IntegralType):
                expr = arg
            case _:
                break
    return expr


def _declared(source: ops.Source) -> Iterator[Key]:
    """The declared keys of a table, each relying on itself; not what is merely unique."""
    schema = Schema(source.fields)
    for names in source.keys:
        yield Key(frozenset(map(schema.place, names)), frozenset({declared_key(source, names)}))


def _projected(exprs: Sequence[ex.Expr], schema: Schema, keys: Iterable[Key]) -> Iterator[Key]:
    """Keys all of whose columns are kept, or what is one to one of them; each copy is as good."""
    copies = _copies(exprs, schema)
    for key in keys:
        choices = product(*(copies.get(old, ()) for old in sorted(key.places)))
        for places in islice(choices, MOST_COPIES):
            yield Key(frozenset(places), key.relied)


def _copies(exprs: Sequence[ex.Expr | None], schema: Schema) -> dict[int, list[int]]:
    """Where expressions stand that tell the value at a place."""
    copies: dict[int, list[int]] = {}
    for new, expr in enumerate(exprs):
        for old in places_determined_by(() if expr is None else (expr,), schema):
            copies.setdefault(old, []).append(new)
    return copies


def _dependent(exprs: Sequence[ex.Expr], schema: Schema, below: Uniqueness) -> Iterator[Dependency]:
    """What determines what among expressions."""
    every = frozenset(range(len(schema)))
    known = [*below.dependencies, *(Dependency(k.places, every) for k in below.keys)]
    # Groups show 0.0 for -0.0, so that a float of a group tells no value of its rows.
    exact = [None if ty.has_floats(e.type) else e for e in exprs]
    functions = [e is not None and _is_function(e) for e in exact]
    return dependencies.projected(known, exprs, schema, _copies(exact, schema), functions)


def _constant_places(exprs: Sequence[ex.Expr], schema: Schema, below: Uniqueness) -> frozenset[int]:
    """Which expressions have the same value on all rows."""

    def is_constant(expr: ex.Expr) -> bool:
        if isinstance(expr, ex.Column):
            return schema.place(expr.name, expr.occurrence) in below.constants
        return isinstance(expr, ex.Literal)

    return frozenset(i for i, expr in enumerate(exprs) if is_constant(expr))


def _joined(join: ops.Join, schemas: Sequence[Schema], inputs: Sequence[Uniqueness]) -> Uniqueness:
    """Above a join, with the columns of the left input before those of the right.

    A key of the left and one of the right together are a key of pairs of rows. Where a left row
    meets one row of the right at most, a key of the left alone is one, and the other way around; but
    a key of the right is none in a left join, where all rows without partner are null on it.
    A key of both is one there too: a left row is padded once, and only if it has no partner. Of a
    key of both, columns of one side can go that the join compares with what the row of the other
    side determines: rows that agree on a key of that side have the same row of it.
    """
    left, right = inputs
    match join.kind:
        case ops.JoinKind.SEMI | ops.JoinKind.ANTI:
            return left
        case ops.JoinKind.INNER | ops.JoinKind.LEFT | ops.JoinKind.CROSS:
            pass
        case _:
            return Uniqueness()  # a full join pads both sides
    width = len(schemas[0])
    moved = [Key(frozenset(i + width for i in key.places), key.relied) for key in right.keys]
    ours, theirs = _met(join.condition, schemas[0] + schemas[1], width)
    keys = _relying_on([key for key in moved if key.places <= theirs], left.keys)
    constants = left.constants
    if join.kind != ops.JoinKind.LEFT:
        keys += _relying_on([key for key in left.keys if key.places <= ours], moved)
        constants |= {i + width for i in right.constants}
    given_left, given_right = _determined(join.condition, schemas[0] + schemas[1], width)
    for a, b in product(left.keys[:MOST_COMBINED], moved[:MOST_COMBINED]):
        relied = a.relied | b.relied
        keys.append(Key(a.places | (b.places - given_left), relied))
        if join.kind != ops.JoinKind.LEFT:
            keys.append(Key((a.places - given_right) | b.places, relied))
    return _unique(keys, constants, _dependent_in_join(join, schemas, inputs))


def _dependent_in_join(
    join: ops.Join, schemas: Sequence[Schema], inputs: Sequence[Uniqueness]
) -> Iterator[Dependency]:
    """What determines what above an inner or left join: each key the row that it is of.

    Not what is of the right in a left join, where a row of nulls is added.
    """
    left, right = inputs
    both, width = schemas[0] + schemas[1], len(schemas[0])
    yield from dependencies.lookup(join.condition, both, width, [k.places for k in right.keys])
    yield from (Dependency(k.places, frozenset(range(width))) for k in left.keys)
    if join.kind != ops.JoinKind.LEFT:
        every = frozenset(range(len(schemas[1])))
        yield from (Dependency(k.places, every).moved(width) for k in right.keys)
        yield from dependencies.where(join.condition, both)
        yield from (d.moved(width) for d in right.dependencies)
    yield from left.dependencies


def has_one_partner(join: ops.Join, schemas: Sequence[Schema], right: Uniqueness) -> bool:
    """Whether a row of the left input meets one row of the right at most."""
    width = len(schemas[0])
    _, theirs = _met(join.condition, schemas[0] + schemas[1], width)
    given, _ = _determined(join.condition, schemas[0] + schemas[1], width)
    return right.tells_apart(i - width for i in (*theirs, *given))


def meets_one(join: ops.Join, schemas: Sequence[Schema], right: Uniqueness) -> bool:
    """Whether a row of the left meets one row of the right at most."""
    width = len(schemas[0])
    given, _ = _determined(join.condition, schemas[0] + schemas[1], width)
    return any(all(i + width in given for i in key.places) for key in right.keys)


def _relying_on(met: Sequence[Key], keys: Sequence[Key]) -> list[Key]:
    """Keys of one side that are keys of pairs, because a key of the other side is met."""
    reasons = list(dict.fromkeys(key.relied for key in met))[:MOST_COMBINED]
    return [Key(key.places, key.relied | relied) for key, relied in product(keys, reasons)]


def _met(condition: ex.Expr | None, both: Schema, width: int) -> tuple[set[int], set[int]]:
    """Places of the left and of the right that are equal in rows that meet.

    Not of floats: 0.0 meets -0.0, so that a value meets two.
    """
    ours: set[int] = set()
    theirs: set[int] = set()
    for part in () if condition is None else conjuncts(condition):
        match part:
            case ex.Compare("=" | "<=>", ex.Column() as one, ex.Column() as two):
                low, high = sorted(both.place(c.name, c.occurrence) for c in (one, two))
                if low < width <= high and not ty.has_floats(one.type):
                    ours.add(low)
                    theirs.add(high)
    return ours, theirs


def _determined(condition: ex.Expr | None, both: Schema, width: int) -> tuple[set[int], set[int]]:
    """Places of the right that the left row of a pair that meets determines; and the other way.

    Those compared with a function of that row. Not of floats: 0.0 meets -0.0.
    """
    found: tuple[set[int], set[int]] = (set(), set())
    for part in () if condition is None else conjuncts(condition):
        match part:
            case ex.Compare("=" | "<=>", one, two):
                for column, other in ((one, two), (two, one)):
                    if isinstance(column, ex.Column) and not ty.has_floats(column.type):
                        place = both.place(column.name, column.occurrence)
                        read = places_of(columns_read(other), both)
                        if _is_function(other):
                            if place >= width and all(i < width for i in read):
                                found[0].add(place)
                            elif place < width and all(i >= width for i in read):
                                found[1].add(place)
    return found


def _is_function(expr: ex.Expr) -> bool:
    """Whether an expression has one value for each row: what is not known to is none."""
    for node in parts(expr):
        match node:
            case ex.Call(function):
                if scalar_function(function).kind not in (Kind.PURE, Kind.RUN_CONSTANT):
                    return False
            case (
                ex.Column()
                | ex.Literal()
                | ex.Cast()
                | ex.Compare()
                | ex.IsNull()
                | ex.InList()
                | ex.Case()
            ):
                pass
            case ex.And() | ex.Or() | ex.Not() | ex.GetField():
                pass
            case _:
                return False
    return True


def _unique(
    keys: Iterable[Key],
    constants: frozenset[int] = frozenset(),
    dependent: Iterable[Dependency] = (),
) -> Uniqueness:
    """The keys without constants and those that follow from others; the smallest of too many."""
    # Rows that agree on the rest of a key agree on its constants anyway, so on all of it.
    reduced = dict.fromkeys(Key(key.places - constants, key.relied) for key in keys)
    kept: list[Key] = []
    for key in sorted(reduced, key=lambda k: (len(k.places), sorted(k.places), len(k.relied))):
        if not any(other.implies(key) for other in kept):
            kept.append(key)
            if len(kept) == MOST_KEYS:
                break
    return Uniqueness(tuple(kept), constants, dependencies.kept(dependent))
