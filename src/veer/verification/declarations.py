"""Declarations worth a try: what a schema might say of the tables of two versions.

Columns that versions join, group, partition, order or deduplicate by may be keys, those compared
with columns of another table may refer to it, and those that are read at all may never be null.
How *likely* a declaration is goes by names alone; that only decides which are tried first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, TypeAlias, TypeVar, assert_never, final

from veer import hints
from veer.facts.origins import Origin, Scope, origin, origins
from veer.ir import expr as ex, ops, types as ty
from veer.ir.dag import Dataflow
from veer.ir.sources import map_sources, tables_read
from veer.ir.walk import operator_exprs, parts, query_of

LARGEST_KEY = 3  # columns
MOST = 60  # declarations of a pair
KEY_ENDINGS = ("id", "key", "sk", "no", "nr", "number", "code", "uuid", "guid")
Columns: TypeAlias = tuple[Origin, ...]


class Likelihood(IntEnum):
    """How far a declaration can be expected to hold, by the names of its columns."""

    HARDLY = 0
    PERHAPS = 1
    LIKELY = 2


@final
@dataclass(frozen=True)
class Uses:
    """How two versions use columns of tables."""

    together: tuple[Columns, ...]  # joined, grouped or ordered by at one place
    compared: tuple[tuple[Origin, Origin], ...]  # by = in a condition
    read: tuple[Origin, ...]


def uses(dataflows: Iterable[Dataflow]) -> Uses:
    """How dataflows use the columns of their tables, subqueries included."""
    collected = _Collector()
    for dataflow in dataflows:
        collected.dataflow(dataflow, ())
    together, compared, read = collected.together, collected.compared, collected.read
    return Uses(_once(together), _once(compared), _once(read))


T = TypeVar("T")


def _once(items: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(items))


@final
class _Collector:
    """Walks over dataflows and their subqueries."""

    def __init__(self) -> None:
        self.together: list[Columns] = []
        self.compared: list[tuple[Origin, Origin]] = []
        self.read: list[Origin] = []

    def dataflow(self, dataflow: Dataflow, outer: Scope) -> None:
        """Take in all operators of a dataflow."""
        below = origins(dataflow, outer)
        for id_ in dataflow.order:
            operator = dataflow.operators[id_]
            inputs = [below[i] for i in dataflow.inputs[id_]]
            if not inputs or isinstance(operator, ops.Source):
                continue
            rows = inputs[0] + inputs[1] if isinstance(operator, ops.Join) else inputs[0]
            self.operator(operator, (rows, *outer))

    def operator(self, operator: ops.AnyOperator, scope: Scope) -> None:
        """Take in one operator over its rows."""
        for listed in _lists(operator):
            self.group([o for e in listed if (o := origin(e, scope)) is not None])
        own = operator.own_query
        if own is not None:
            self.dataflow(own, scope)
        for expr in operator_exprs(operator):
            # A column that is only passed on may be null or not: nothing changes.
            if not (isinstance(operator, ops.Project) and isinstance(expr, ex.Column)):
                self.expression(expr, scope)

    def expression(self, expr: ex.Expr, scope: Scope) -> None:
        """Take in a condition, or what is computed."""
        equal: list[tuple[Origin, Origin]] = []
        for part in parts(expr):
            if (
                isinstance(part, ex.Column | ex.OuterColumn)
                and (o := origin(part, scope)) is not None
            ):
                self.read.append(o)
            if isinstance(part, ex.Compare) and part.op in ("=", "<=>"):
                ends = origin(part.left, scope), origin(part.right, scope)
                equal += [(a, b) for a, b in [ends] if a is not None and b is not None]
                self.group([end for end in ends if end is not None])
            if (query := query_of(part)) is not None:
                self.dataflow(query, scope)
                if isinstance(part, ex.InQuery):
                    shown = origins(query, scope)[query.sinks[0]].origins
                    given = [origin(arg, scope) for arg in part.args]
                    pairs = zip(given, shown, strict=False)
                    equal += [(a, b) for a, b in pairs if a is not None and b is not None]
        self.compared += equal
        self.group([end for pair in equal for end in pair])

    def group(self, columns: Sequence[Origin]) -> None:
        """Take in columns that are used at one place, table by table."""
        self.read += columns
        for table in dict.fromkeys(table for table, _ in columns):
            own = tuple(dict.fromkeys(c for c in columns if c[0] == table))
            self.together += [(column,) for column in own]
            if 1 < len(own) <= LARGEST_KEY:
                self.together.append(own)


def _lists(operator: ops.AnyOperator) -> Iterator[Sequence[ex.Expr]]:
    """Expressions that an operator groups, orders or chooses by."""
    if isinstance(operator, ops.Aggregate):
        yield [key.expr for key in operator.keys]
    if isinstance(operator, ops.Deduplicate):
        yield operator.keys
    if isinstance(operator, ops.Sort):
        yield [key.expr for key in operator.keys]
    if isinstance(operator, ops.Over):
        for named in operator.calls:
            yield named.call.partition
            yield [*named.call.partition, *(key.expr for key in named.call.order)]


# -- candidates --------------------------------------------------------------------------------


def candidates(
    p: Dataflow, q: Dataflow, least: Likelihood = Likelihood.HARDLY
) -> list[tuple[hints.Declaration, Likelihood]]:
    """Declarations that may help to prove two versions equal, the likeliest first."""
    tables = tables_read([p, q])
    used = uses([p, q])
    declared = [d for d in _declarations(used, tables) if not _holds(d, tables[d.table])]
    rated = [(d, likelihood(d, tables)) for d in dict.fromkeys(declared)]
    likely = [(d, rate) for d, rate in rated if rate >= least]
    return sorted(likely, key=lambda pair: -pair[1])[:MOST]


def _declarations(used: Uses, tables: dict[str, ops.Source]) -> Iterator[hints.Declaration]:
    read = [o for o in used.read if o[0] in tables]
    yield from (hints.NotNull(table, column) for table, column in read)
    for columns in used.together:
        table = columns[0][0]
        names = tuple(sorted(column for _, column in columns))
        if table in tables and all(_may_be_key(tables[table], name) for name in names):
            yield hints.Key(table, names)
    for one, two in used.compared:
        for (table, column), (parent, target) in ((one, two), (two, one)):
            if table in tables and parent in tables and table != parent:
                yield hints.References(table, (column,), parent, (target,))


def _may_be_key(source: ops.Source, column: str) -> bool:
    type_ = next(f.type for f in source.fields if f.name == column)
    return (
        ty.is_orderable(type_)
        and not ty.has_floats(type_)
        and not isinstance(type_, ty.BooleanType)
    )


def _holds(declaration: hints.Declaration, source: ops.Source) -> bool:
    """Whether a table declares it already."""
    match declaration:
        case hints.NotNull(_, column):
            return any(f.name == column and not f.nullable for f in source.fields)
        case hints.Key(_, columns):
            return any(set(key) <= set(columns) for key in source.keys)
        case hints.Unique(_, columns):
            return any(set(key) <= set(columns) for key in (*source.keys, *source.unique))
        case hints.References(_, columns, parent, _):
            known = source.foreign_keys
            return any(f.columns == columns and f.parent.lower() == parent.lower() for f in known)
        case _:
            assert_never(declaration)


def likelihood(declaration: hints.Declaration, tables: Mapping[str, ops.Source]) -> Likelihood:
    """How likely a declaration holds, by the names in it."""
    match declaration:
        case hints.NotNull():
            return Likelihood.LIKELY
        case hints.Key(table, columns) | hints.Unique(table, columns):
            if len(columns) > 1:
                return Likelihood.PERHAPS
            return _names_a_row(table, columns[0], tables)
        case hints.References(table, columns, parent, targets):
            own = _names_a_row(table, columns[0], tables) is Likelihood.LIKELY
            other = _is_named_after(targets[0], parent) or targets[0].lower() in ("id", "key")
            return Likelihood.LIKELY if other and not own else Likelihood.HARDLY
        case _:
            assert_never(declaration)


def _names_a_row(table: str, column: str, tables: Mapping[str, ops.Source]) -> Likelihood:
    """Whether a column is called like what tells the rows of a table apart."""
    name = column.lower()
    if name in ("id", "key", "pk", "uuid", "guid") or _is_named_after(column, table):
        return Likelihood.LIKELY
    if not name.endswith(KEY_ENDINGS):
        return Likelihood.HARDLY
    if any(_is_named_after(column, other) for other in tables if other != table):
        return Likelihood.HARDLY  # it rather tells the rows of that table apart
    first = tables[table].fields[0].name == column
    return Likelihood.LIKELY if first else Likelihood.PERHAPS


def _is_named_after(column: str, table: str) -> bool:
    """Whether a column is called like a table with an ending of keys: customer_id of customers."""
    name, base = column.lower(), table.lower().rpartition(".")[2]
    stems = {base, base.removesuffix("s"), base.removesuffix("es"), f"{base.removesuffix('ies')}y"}
    return any(name in (f"{s}_{end}", f"{s}{end}") for s in stems if s for end in KEY_ENDINGS)


def violated(
    declarations: Iterable[hints.Declaration], tables: Mapping[str, Mapping[str, Any]]
) -> list[hints.Declaration]:
    """The declarations that do not hold of some rows, given for each table with its columns."""
    return [d for d in declarations if not _holds_of(d, tables)]


def _holds_of(declaration: hints.Declaration, tables: Mapping[str, Mapping[str, Any]]) -> bool:
    match declaration:
        case hints.NotNull(table, column):
            return all(None not in row for row in _rows(tables, table, (column,)))
        case hints.Key(table, columns):
            rows = _rows(tables, table, columns)
            return len(set(map(repr, rows))) == len(rows) and all(None not in r for r in rows)
        case hints.Unique(table, columns):
            rows = [row for row in _rows(tables, table, columns) if None not in row]
            return len(set(map(repr, rows))) == len(rows)
        case hints.References(table, columns, parent, targets):
            parents = set(map(repr, _rows(tables, parent, targets)))
            children = [row for row in _rows(tables, table, columns) if None not in row]
            return all(repr(row) in parents for row in children)
        case _:
            assert_never(declaration)


def _rows(
    tables: Mapping[str, Mapping[str, Any]], table: str, columns: Sequence[str]
) -> list[tuple[Any, ...]]:
    """The rows of a table, some columns of them; none of a table that is not given."""
    content = tables.get(table)
    if content is None:
        return []
    places = [list(content["columns"]).index(column) for column in columns]
    return [tuple(row[place] for place in places) for row in content["rows"]]


# -- declaring ---------------------------------------------------------------------------------


def declaring(dataflow: Dataflow, declarations: Sequence[hints.Declaration]) -> Dataflow:
    """The dataflow with its tables declaring more."""
    return map_sources(dataflow, lambda source: _declared(source, declarations))


def with_targets(
    declarations: Sequence[hints.Declaration], tables: Mapping[str, ops.Source]
) -> list[hints.Declaration]:
    """The declarations without references to what is no key."""
    keys = {(d.table, d.columns) for d in declarations if isinstance(d, hints.Key)}
    keys |= {(table, key) for table, source in tables.items() for key in source.keys}
    return [
        d
        for d in declarations
        if not isinstance(d, hints.References) or (d.parent, d.parent_columns) in keys
    ]


def _declared(source: ops.Source, declarations: Sequence[hints.Declaration]) -> ops.Source:
    own = [d for d in declarations if d.table == source.table]
    if not own:
        return source
    never_null = {d.column for d in own if isinstance(d, hints.NotNull)}
    never_null |= {column for d in own if isinstance(d, hints.Key) for column in d.columns}
    fields = tuple(replace(f, nullable=False) if f.name in never_null else f for f in source.fields)
    keys = (*source.keys, *(d.columns for d in own if isinstance(d, hints.Key)))
    unique = (*source.unique, *(d.columns for d in own if isinstance(d, hints.Unique)))
    foreign = (
        *source.foreign_keys,
        *(
            ops.ForeignKey(d.columns, d.parent, d.parent_columns)
            for d in own
            if isinstance(d, hints.References)
        ),
    )
    return replace(source, fields=fields, keys=keys, unique=unique, foreign_keys=foreign)


__all__ = [
    "Likelihood",
    "candidates",
    "declaring",
    "likelihood",
    "uses",
    "violated",
    "with_targets",
]
