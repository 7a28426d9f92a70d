"""Tables while a workflow is read: what a model of a node computes with.

Files of other systems seldom tell all columns of their tables. A table that is *open* has the
columns the workflow mentions, and one more that stands for all others. Mentioning a column that an
open table does not have yet raises `ColumnWanted`; reading begins anew with that column added.

Nor do they always tell types. A column of unknown type is text to the verifiers, and nothing but
equality and nullness is ever asked of it: all other operations on it are functions nobody looks
into (`unknown_call`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, final

from veer.errors import VeerError
from veer.gui.declared import Declared
from veer.gui.files import DataFiles
from veer.ir import expr as ex, ops, types as ty
from veer.ir.digests import json_digest
from veer.ir.schema import Field, Schema
from veer.read import coercion
from veer.read.builder import FlowBuilder

MOST_VALUES = 500  # rows that a workflow holds itself; more are known by their digest alone


class NotModelled(VeerError):
    """A node, or a part of its settings, whose meaning Veer does not know: it stays opaque.

    What columns it gives may be known all the same: `columns`, by output port.
    """

    def __init__(
        self,
        reason: str,
        columns: Mapping[str, Sequence[tuple[str, ty.DataType | None]]] | None = None,
    ) -> None:
        self.columns = columns or {}
        super().__init__(reason)


class ColumnWanted(Exception):
    """An open table is asked for columns that it was not known to have, of types if they are told."""

    def __init__(self, origin: str, columns: Mapping[str, ty.DataType | None]) -> None:
        self.origin, self.columns = origin, columns
        super().__init__(f"{origin}: {', '.join(columns)}")


@final
@dataclass(frozen=True)
class Value:
    """An expression; `known` unless nothing tells the type of its values."""

    expr: ex.Expr
    known: bool = True

    @property
    def type(self) -> ty.DataType:
        """The type of the expression; text if it is not known."""
        return self.expr.type


def constant(value: Any, type_: ty.DataType) -> Value:
    """A constant."""
    return Value(ex.Literal(value, type_))


def unknown_call(system: str, what: str, *args: Value, type_: ty.DataType | None = None) -> Value:
    """An opaque function: what a system computes from these values, identified by name.

    Without a type that of its values is not known.
    """
    shown = ", ".join(str(a.type) if a.known else "?" for a in args)
    name = what.replace(" ", "_")  # people are shown the first word
    identity = f"{ex.OF_OTHERS} {name} of {system} ({shown}) {what!r}"
    call = ex.OpaqueCall(identity, tuple(a.expr for a in args), type_ or ty.STRING)
    return Value(call, known=type_ is not None)


@final
class Flow:
    """The dataflow that is being read, and which columns its open tables have."""

    def __init__(
        self,
        system: str,
        wanted: Mapping[str, Mapping[str, ty.DataType | None]],
        catalog: Mapping[str, ops.Source],
        files: DataFiles,
        files_of: dict[str, str],
    ) -> None:
        self.system, self.wanted, self.catalog = system, wanted, catalog
        self.files = files
        self.builder = FlowBuilder()
        self._inputs: dict[str, tuple[str, ...]] = {}
        self.declared = Declared(self.builder, self._inputs)
        self.tells_declared = False  # whether opaque nodes see what columns were declared as
        self.name = ""  # of the node that is read
        self.above = ""  # of that node: what is above it, where an opaque one may see that
        self.ignores_case = False  # of names of columns
        self.files_of = files_of  # what declared tables stand for: a file, and how it is read
        self.files_read: dict[str, str] = {}  # of those, the files this workflow reads
        self._structures: dict[str, str] = {}
        self.orders: dict[str, str] = {}  # of operators: settings that decide the order of rows

    def add(self, operator: ops.AnyOperator, *inputs: str) -> str:
        """Add an operator of the current node; gives its id."""
        id_, number = self.name, 1
        while id_ in self.builder.operators:
            number += 1
            id_ = f"{self.name}.{number}"
        schema = operator.output([self.builder.schemas[i] for i in inputs])
        self.builder.place(id_, operator, schema, inputs)
        self._inputs[id_] = inputs
        self.declared.forget(id_)
        self._structures.pop(id_, None)
        self.orders.pop(id_, None)
        return id_

    def inputs_of(self, signal: str) -> tuple[str, ...]:
        """What feeds an operator."""
        return self._inputs[signal]

    # -- where rows come from ------------------------------------------------------------------

    def values(self, fields: Sequence[Field], rows: Sequence[tuple[Any, ...]]) -> Rows:
        """Rows that the workflow holds itself."""
        if len(rows) > MOST_VALUES:
            digest = json_digest([[repr(v) for v in row] for row in rows])
            held = ops.Source(
                f"rows {digest[:12]}", tuple(fields), format=ops.LOCAL, location=digest
            )
            return Rows(self, self.add(held))
        return Rows(self, self.add(ops.Values(tuple(fields), tuple(rows))))

    def table(
        self,
        table: str,
        fields: Sequence[tuple[str, ty.DataType | None]] | None = None,
        *,
        format_: str = "table",
        location: str = "",
        options: Mapping[str, str] | None = None,
        delimiter: str = "",
        remembered: bool = False,
    ) -> Rows:
        """A table read from outside: as declared by `--schema`, else with the columns the file tells.

        A column without a type is of unknown type. With a `delimiter` a data file beside the workflow
        is looked for, whose first line tells the columns; without columns the table is open.
        `remembered` columns are those of an earlier run.
        """
        declared = self.catalog.get(table.lower()) or self.catalog.get(_stem(table).lower())
        location = location or table
        told = tuple(sorted((options or {}).items()))
        read = f"{location}{''.join(f', {name}={value}' for name, value in told)}"
        if declared is not None and self.files_of.setdefault(declared.table, read) == read:
            self.files_read[declared.table] = location
            return Rows(self, self.add(declared))
        if declared is not None:  # another file of that name, or read otherwise: another table
            other = replace(declared, table=read, format=format_, location=location, options=told)
            other = replace(other, elsewhere=(ops.ANYWHERE,))  # perhaps of the same rows
            return Rows(self, self.add(other))
        if fields is None and delimiter:
            header = self.files.header(location, delimiter)
            fields = None if header is None else [(name, None) for name in header]
        source = ops.Source(table, (), format=format_, location=location, options=told)
        if fields is not None:
            columns, unknown = _columns(fields)
            told_of = ((ops.UNTOLD_TYPES, "\n".join(sorted(unknown))),) if unknown else ()
            closed = replace(source, fields=columns, metadata=(*_memory(remembered), *told_of))
            return Rows(self, self.add(closed), unknown)
        origin = f"{format_} {table} {location} {told}"
        return self._open(origin, lambda columns: replace(source, fields=columns))

    def opaque(
        self,
        identity: str,
        kind: str,
        inputs: Sequence[Rows],
        fields: Sequence[tuple[str, ty.DataType | None]] | None = None,
        *,
        free: bool = False,
        remembered: bool = False,
    ) -> Rows:
        """The outputs of an opaque node; a node without inputs is a table of its own.

        One that is `free` may give something else each time it runs. `remembered` columns are those
        of an earlier run.
        """
        feeding = [rows.id for rows in inputs]
        if free and not feeding:  # each time it runs it may give other rows: a function of nothing
            feeding = [self.add(ops.Values((Field("run", ty.INT, False),), ((1,),)))]
        if feeding:
            # It may look at the order of rows, which bags of rows do not have.
            above: list[Any] = [self._order(signal) for signal in feeding]
            if self.tells_declared:
                above += [self.declared.marks(signal) for signal in feeding]
            order = json_digest(above)
            identity = f"{identity} order {order[:16]}"
        if self.above:
            identity = f"{identity} above {self.above[:16]}"

        def made(columns: tuple[Field, ...]) -> ops.AnyOperator:
            if not feeding:
                name = f"{kind} {json_digest(identity)[:12]}"
                # Rows that it has, not any rows.
                memory = _memory(remembered)
                return ops.Source(
                    name, columns, format=ops.LOCAL, location=identity, metadata=memory
                )
            return ops.TableUdf(identity, columns, kind=kind, deterministic=not free)

        if fields is not None:
            columns, unknown = _columns(fields)
            return Rows(self, self.add(made(columns), *feeding), unknown)
        return self._open(identity, made, *feeding)

    def _order(self, signal: str) -> str:
        """What the order of rows, and their names if they have some, come from.

        Tables that come row by row of one that may hold any rows, and are proven to have the same rows
        whatever it holds, have the same of each single row, so also in the same order. That does not
        hold of given rows, nor of a join: there the whole structure above must be the same.
        """
        at = signal
        while isinstance(self.builder.operators[at], ops.Filter | ops.Project):
            (at,) = self._inputs[at]
        may_be_any = isinstance(self.builder.operators[at], ops.Source | ops.TableUdf)
        return self._structure(at if may_be_any else signal)

    def _structure(self, signal: str) -> str:
        """A digest of all operators above a signal; an opaque one knows by itself what is above it."""
        waiting = [signal]
        while waiting:
            id_ = waiting[-1]
            if id_ in self._structures:
                waiting.pop()
                continue
            operator = self.builder.operators[id_]
            inputs = () if isinstance(operator, ops.TableUdf) else self._inputs[id_]
            missing = [i for i in inputs if i not in self._structures]
            if missing:
                waiting += missing
                continue
            digests = [self._structures[i] for i in inputs]
            self._structures[id_] = json_digest(
                [repr(operator), *digests, self.orders.get(id_, "")]
            )
            waiting.pop()
        return self._structures[signal]

    def _open(
        self, origin: str, made: Callable[[tuple[Field, ...]], ops.AnyOperator], *inputs: str
    ) -> Rows:
        columns, unknown = _columns(sorted(self.wanted.get(origin, {}).items()))
        id_ = self.add(made((*columns, Field(ops.OTHER_COLUMNS, ty.STRING))), *inputs)
        return Rows(self, id_, unknown, (origin,))


@final
@dataclass(frozen=True)
class Rows:
    """A table at a port: a signal of the dataflow, with what is not known of its columns."""

    flow: Flow
    id: str
    unknown: frozenset[str] = frozenset()  # columns of unknown type
    origins: tuple[str, ...] = ()  # of the open tables whose other columns it has

    # -- columns -------------------------------------------------------------------------------

    @property
    def schema(self) -> Schema:
        """All columns, what stands for others included."""
        return self.flow.builder.schemas[self.id]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns that are known."""
        return tuple(name for name in self.schema.names if name != ops.OTHER_COLUMNS)

    @property
    def is_open(self) -> bool:
        """Whether there are unknown columns."""
        return bool(self.origins)

    def column(self, name: str, type_: ty.DataType | None = None) -> Value:
        """A column; an open table has it, unless it may belong to several tables.

        `type_` is what the workflow tells of a column that an open table was not known to have.
        """
        name = self._called(name)
        if self.schema.find(name) is not None and name != ops.OTHER_COLUMNS:
            field = self.schema.fields[self.schema.place(name)]
            return Value(ex.Column(name, field.type), name not in self.unknown)
        if len(self.origins) == 1:
            self._require_new(name)
            raise ColumnWanted(self.origins[0], {name: type_})
        if self.origins:
            raise NotModelled(f"which table has the column {name!r} is not told; --schema would")
        raise NotModelled(f"there is no column {name!r}")

    def expect(self, columns: Mapping[str, ty.DataType | None]) -> None:
        """Columns that will be asked for: an open table gets all of them at once."""
        if len(self.origins) == 1:
            had = self.flow.wanted.get(self.origins[0], {})
            missing = {
                name: type_
                for name, type_ in columns.items()
                if self.schema.find(self._called(name)) is None and name not in had
            }
            if missing:
                raise ColumnWanted(self.origins[0], missing)

    def _called(self, name: str) -> str:
        """The name under which it has a column, where the case of names does not count."""
        if not self.flow.ignores_case or name in self.names:
            return name
        alike = [known for known in self.names if known.lower() == name.lower()]
        return alike[0] if len(alike) == 1 else name

    def _require_new(self, name: str) -> None:
        """Refuse a column that the open table had, and that is called otherwise or gone by now."""
        had = {ops.OTHER_COLUMNS, *self.flow.wanted.get(self.origins[0], {})}
        alike = {known.lower() for known in had} if self.flow.ignores_case else set()
        if name in had or name.lower() in alike:
            raise NotModelled(f"there is no column {name!r}")

    def require_known(self) -> None:
        """Refuse an open table, where all columns matter one by one."""
        if self.origins:
            raise NotModelled("not all columns are told; --schema would")

    @property
    def _others(self) -> list[ex.Named]:
        """The placeholder of the unknown columns."""
        places = [i for i, name in enumerate(self.schema.names) if name == ops.OTHER_COLUMNS]
        return [
            ex.Named(
                ops.OTHER_COLUMNS,
                ex.Column(ops.OTHER_COLUMNS, ty.STRING, self.schema.occurrence(i)),
            )
            for i in places
        ]

    def items(self) -> list[tuple[str, Value]]:
        """The known columns by name, in order."""
        return [(name, self.column(name)) for name in self.names]

    # -- one table -----------------------------------------------------------------------------

    def fields(
        self, changed: Mapping[str, ty.DataType | None] | None = None
    ) -> list[tuple[str, ty.DataType | None]] | None:
        """The columns, for a node that keeps them all; none of a table whose columns are not known.

        `changed` are those that get another type.
        """
        if self.is_open:
            return None
        others = changed or {}
        return [(n, others.get(n, v.type) if v.known else None) for n, v in self.items()]

    def _then(self, operator: ops.AnyOperator) -> Rows:
        return replace(self, id=self.flow.add(operator, self.id))

    def filter(self, condition: ex.Expr) -> Rows:
        """The rows on which a condition is true."""
        return self._then(ops.Filter(condition))

    def select(self, columns: Sequence[tuple[str, Value]], *, others: bool = False) -> Rows:
        """Only these columns; with `others` also the unknown ones."""
        names = [name for name, _ in columns]
        if len(set(names)) < len(names):
            raise NotModelled("two columns of one name")
        kept = [ex.Named(name, value.expr) for name, value in columns]
        if others:
            kept += self._others
        if not kept:
            raise NotModelled("a table without columns")
        unknown = frozenset(name for name, value in columns if not value.known)
        id_ = self.flow.add(ops.Project(tuple(kept)), self.id)
        return replace(self, id=id_, unknown=unknown, origins=self.origins if others else ())

    def with_columns(self, columns: Mapping[str, Value]) -> Rows:
        """Columns computed: in the place of one of the same name, else as further ones."""
        kept = [(name, columns.get(name, value)) for name, value in self.items()]
        added = [(name, value) for name, value in columns.items() if name not in self.names]
        return self.select([*kept, *added], others=True)

    def drop(self, names: Iterable[str]) -> Rows:
        """All columns but these."""
        gone = set(names)
        for name in gone:
            self.column(name)
        return self.select([(n, v) for n, v in self.items() if n not in gone], others=True)

    def rename(self, names: Mapping[str, str]) -> Rows:
        """Columns under other names."""
        for name in names:
            self.column(name)
        return self.select([(names.get(n, n), v) for n, v in self.items()], others=True)

    def distinct(self) -> Rows:
        """Each row once."""
        keys = [ex.Named(n, v.expr) for n, v in self.items()] + self._others
        if len(self._others) > 1:
            raise NotModelled("rows of several tables whose columns are not told")
        return self._then(ops.Aggregate(tuple(keys)))

    def sort(self, keys: Sequence[ex.SortKey]) -> Rows:
        """The rows in an order."""
        return self._then(ops.Sort(tuple(keys)))

    def limit(self, count: int | None, offset: int = 0) -> Rows:
        """The first rows, after some are left out."""
        return self._then(ops.Limit(count, offset))

    def group(
        self, keys: Sequence[tuple[str, Value]], calls: Sequence[tuple[str, ex.AggregateCall]]
    ) -> Rows:
        """One row per group; without keys exactly one row, also of no rows."""
        names = [name for name, _ in (*keys, *calls)]
        if len(set(names)) < len(names):
            raise NotModelled("two columns of one name")
        named = tuple(ops.NamedCall(name, call) for name, call in calls)
        unknown = frozenset(name for name, value in keys if not value.known)
        by = tuple(ex.Named(name, value.expr) for name, value in keys)
        operator: ops.AnyOperator = ops.Aggregate(by, named) if keys else ops.GlobalAggregate(named)
        return replace(self, id=self.flow.add(operator, self.id), unknown=unknown, origins=())

    @property
    def is_sorted(self) -> bool:
        """Whether the rows come in an order that a node before gave them."""
        return self.flow.builder.is_sorted(self.id)

    def unordered(self) -> Rows:
        """The same rows, without a guaranteed order."""
        return self._then(ops.Union())

    # -- several tables ------------------------------------------------------------------------

    def join(
        self,
        other: Rows,
        kind: ops.JoinKind,
        pairs: Sequence[tuple[str, str]],
        *,
        null_matches: bool,
    ) -> Joined:
        """The rows of both that are equal in pairs of columns; of semi and anti those of this one."""
        left = self.schema
        both: list[ex.Expr] = []
        for mine, theirs in pairs:
            a, b = self.column(mine), other.column(theirs)
            if a.known is not b.known or a.type != b.type:
                raise NotModelled(f"{mine!r} and {theirs!r} are of different types")
            right = _moved(b.expr, left)
            both.append(ex.Compare("<=>" if null_matches else "=", a.expr, right))
        condition = coercion.conjunction(both) if both else None
        id_ = self.flow.add(
            ops.Join(ops.JoinKind.CROSS if condition is None else kind, condition),
            self.id,
            other.id,
        )
        return Joined(self.flow, id_, self, other)

    def union(self, *others: Rows) -> Rows:
        """All rows of tables with the same columns in the same order."""
        for other in others:
            if other.schema.names != self.schema.names:
                raise NotModelled("tables of different columns")
            if other.schema.types != self.schema.types or self.unknown != other.unknown:
                raise NotModelled("columns of different types")
            if self.is_open and set(other.origins) != set(self.origins):
                raise NotModelled("tables whose columns are not told")
        id_ = self.flow.add(ops.Union(), self.id, *(other.id for other in others))
        return replace(self, id=id_)


def _columns(
    told: Iterable[tuple[str, ty.DataType | None]],
) -> tuple[tuple[Field, ...], frozenset[str]]:
    """Columns by name and type, and which of them are of unknown type."""
    told = list(told)
    fields = tuple(Field(name, type_ or ty.STRING) for name, type_ in told)
    return fields, frozenset(name for name, type_ in told if type_ is None)


def _memory(remembered: bool) -> tuple[tuple[str, str], ...]:
    """The mark of a source whose columns are those of an earlier run."""
    return ((ops.REMEMBERED, "names and types"),) if remembered else ()


def _stem(path: str) -> str:
    """The name of a file without folders and ending: `sales` of `data/sales.csv`."""
    return PurePosixPath(path.replace("\\", "/")).stem


def _moved(expr: ex.Expr, left: Schema) -> ex.Expr:
    """A column of the right input of a join, which stands behind those of the left."""
    assert isinstance(expr, ex.Column)
    return replace(expr, occurrence=expr.occurrence + left.names.count(expr.name))


@final
@dataclass(frozen=True)
class Joined:
    """What a join gives: the columns of both inputs, some of them of one name."""

    flow: Flow
    id: str
    left: Rows
    right: Rows

    def of_left(self, name: str) -> Value:
        """A column of the left input."""
        return self.left.column(name)

    def of_right(self, name: str) -> Value:
        """A column of the right input."""
        value = self.right.column(name)
        return replace(value, expr=_moved(value.expr, self.left.schema))

    def select(self, columns: Sequence[tuple[str, Value]], *, others: bool = True) -> Rows:
        """Columns of both, by new names; with `others` also the unknown ones."""
        origins = (*self.left.origins, *self.right.origins)
        rows = Rows(self.flow, self.id, frozenset(), origins)
        return rows.select(columns, others=others and bool(origins))

    def rows(self) -> Rows:
        """The result of a semi or anti join: rows of the left input."""
        return replace(self.left, id=self.id)


def any_of(conditions: Sequence[ex.Expr]) -> ex.Expr:
    """OR of any number of conditions; false if there are none."""
    if not conditions:
        return ex.Literal(False, ty.BOOLEAN)
    return conditions[0] if len(conditions) == 1 else ex.Or(tuple(conditions))


def require(holds: bool, reason: str) -> None:
    """Leave a node opaque unless something holds."""
    if not holds:
        raise NotModelled(reason)


__all__ = [
    "ColumnWanted",
    "Flow",
    "Joined",
    "NotModelled",
    "Rows",
    "Value",
    "any_of",
    "constant",
    "require",
    "unknown_call",
]
