"""Operators: values that know neither their id nor their inputs; the `Dataflow` does.

`output(inputs)` gives the schema of what comes out, or raises `IllFormedError` where the
operator cannot stand on these inputs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, final, get_args

from veer.errors import IllFormedError
from veer.ir import expr as ex, types as ty
from veer.ir.nullability import aggregate_nullable, is_present_of_present
from veer.ir.requirements import (
    computed,
    require_boolean,
    require_columns,
    require_same_types,
)
from veer.ir.schema import Field, Schema
from veer.ir.traits import OperatorTraits, RowOrder
from veer.ir.walk import OWN_ROWS, UNLESS_DEFAULT, outer_columns
from veer.ir.writes import AnyWrite

if TYPE_CHECKING:
    from veer.ir.dag import Dataflow


@dataclass(frozen=True, slots=True)
class Operator(ex.ExprHolder):
    """The base of all operators; `arity` inputs, None for any number from one.

    Code that takes an operator asks for an `AnyOperator`, the closed union of the classes below.
    Abstract to the type check only: a metaclass would make every `isinstance` slow.
    """

    arity: ClassVar[int | None] = 1

    @property
    @abstractmethod
    def traits(self) -> OperatorTraits:
        """What passes rely on; a constant of each class."""

    @abstractmethod
    def output(self, inputs: Sequence[Schema]) -> Schema:
        """The schema of the result on inputs of these schemas."""

    @property
    def own_query(self) -> Dataflow | None:
        """The subquery that is a property of its own, not part of an expression; of a Lateral."""
        return None

    def with_own_query(self, query: Dataflow) -> Self:
        """The operator with another such subquery."""
        raise TypeError(f"{type(self).__name__} has no subquery of its own")


@final
@dataclass(frozen=True, slots=True)
class NamedCall(ex.ExprHolder):
    """An aggregate with the name of the column it makes."""

    name: str
    call: ex.AggregateCall


@final
@dataclass(frozen=True, slots=True)
class NamedOver(ex.ExprHolder):
    """A window function with the name of the column it makes."""

    name: str
    call: ex.OverCall


@final
@dataclass(frozen=True, slots=True)
class ForeignKey:
    """`columns` of this table refer to `parent_columns`, a key, of the table `parent`.

    Without `parent_columns` they refer to the first key of the parent (`target`).
    """

    columns: tuple[str, ...]
    parent: str
    parent_columns: tuple[str, ...]

    def target(self, parent: Source) -> tuple[str, ...]:
        """The columns of the parent that are referred to; none if it has no key."""
        return self.parent_columns or next(iter(parent.keys), ())


LOCAL = "local"  # the format of a source whose rows are given, though Veer does not have them
COMPUTED = "computed"  # the format of a source that a program computes anew for every reader
OF_SESSION = "the setting "  # before the name of a setting in the metadata of a source
ANYWHERE = "?"  # a place that is not known
REMEMBERED = "columns of the last run"  # in the metadata of a source: they may be others by now
UNTOLD_TYPES = "columns of unknown type"  # in the metadata of a source, a line each
OTHER_COLUMNS = "(other columns)"  # the column of a table that stands for those nobody mentions


@final
@dataclass(frozen=True, slots=True)
class Source(Operator):
    """A base table with its declared constraints; `location` says where its rows are.

    `keys` are column sets on which no two rows agree; their columns are never null. `unique`
    are column sets on which no two rows agree that have no null there; `checks` are conditions on
    its own rows that are false on none. `metadata` is what columns carry besides their types that
    changes what is read, such as default values.
    """

    table: str
    fields: tuple[Field, ...]
    keys: tuple[tuple[str, ...], ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    format: str = "table"
    location: str = ""
    options: tuple[tuple[str, str], ...] = ()
    lengths: tuple[tuple[str, int], ...] = ()  # of texts, where they are bounded
    unique: tuple[tuple[str, ...], ...] = ()
    checks: tuple[ex.Expr, ...] = field(default=(), metadata=OWN_ROWS)
    metadata: tuple[tuple[str, str], ...] = ()
    elsewhere: tuple[str, ...] = ()  # other places rows may come from; ANYWHERE if nobody knows
    leaf: bool = field(default=False, metadata=UNLESS_DEFAULT)  # stands for a signal in a proof
    arity = 0
    traits = OperatorTraits(
        order=RowOrder.UNKNOWN,  # files and tables are read in any order
        sees_order=False,
        keeps_sets=True,
        extends_input=False,
        keeps_keys=False,
        relies_on_keys=False,
        reduces_rows=False,
        is_costly=False,
    )

    def output(self, inputs: Sequence[Schema]) -> Schema:
        schema = Schema(self.fields)
        if not self.fields:
            raise IllFormedError(f"table {self.table!r} has no columns")
        if len(set(schema.names)) < len(schema.names):
            raise IllFormedError(f"table {self.table!r} names a column twice")
        for key in self.keys:
            for name in key:
                if schema.fields[schema.place(name)].nullable:
                    raise IllFormedError(f"key column {name!r} of {self.table!r} is nullable")
        named = (*self.unique, *(foreign.columns for foreign in self.foreign_keys))
        for name in (name for names in named for name in names):
            schema.place(name)
        for check in self.checks:
            require_boolean(check, schema)
        return schema


@final
@dataclass(frozen=True, slots=True)
class Values(Operator):
    """Constant rows."""

    fields: tuple[Field, ...]
    rows: tuple[tuple[Any, ...], ...]
    arity = 0
    traits = OperatorTraits(
        order=RowOrder.NONE,
        sees_order=False,
        keeps_sets=True,
        extends_input=False,
        keeps_keys=False,
        relies_on_keys=False,
        reduces_rows=False,
        is_costly=False,
    )

    def output(self, inputs: Sequence[Schema]) -> Schema:
        for row in self.rows:
            if len(row) != len(self.fields):
                raise IllFormedError(f"a row of {len(row)} values for {len(self.fields)} columns")
        return Schema(self.fields)


@final
@dataclass(frozen=True, slots=True)
class Filter(Operator):
    """Keep the rows on which `predicate` is true; false and null rows go."""

    predicate: ex.Expr
    traits = OperatorTraits(
        order=RowOrder.KEPT,
        sees_order=False,
        keeps_sets=True,
        extends_input=True,
        keeps_keys=True,
        relies_on_keys=False,
        reduces_rows=False,  # a condition may let all pass
        is_costly=False,
    )

    def output(self, inputs: Sequence[Schema]) -> Schema:
        (rows,) = inputs
        require_boolean(self.predicate, rows)
        return rows


@final
@dataclass(frozen=True, slots=True)
class Project(Operator):
    """One output row per input row, its columns computed by `columns`."""

    columns: tuple[ex.Named, ...]
    traits = OperatorTraits(
        order=RowOrder.KEPT,
        sees_order=False,
        keeps_sets=True,
        extends_input=False,  # its columns are its own
        keeps_keys=False,  # a key may not be among its columns
        relies_on_keys=False,
        reduces_rows=False,
        is_costly=False,
    )

    def output(self, inputs: Sequence[Schema]) -> Schema:
        (rows,) = inputs
        return Schema(tuple(computed(named, rows) for named in self.columns))


class JoinKind(StrEnum):
    """Which rows a join gives; the values are the words of stored dataflows."""

    INNER = "inner"
    LEFT = "left"
    FULL = "full"
    SEMI = "semi"
    ANTI = "anti"
    CROSS = "cross"

    def __repr__(self) -> str:
        return repr(self.value)  # in digests and printed dataflows a word


@final
@dataclass(frozen=True, slots=True)
class Join(Operator):
    """Pairs of rows on which `condition` is true; `left` and `full` pad what has no partner.

    Semi and anti keep left rows with and without partner. Columns of the condition are those
    of the left input followed by those of the right.
    """

    kind: JoinKind
    condition: ex.Expr | None = None
    arity = 2
    traits = OperatorTraits(
        order=RowOrder.NONE,
        sees_order=False,
        keeps_sets=True,  # also semi and anti: a partner counts once
        extends_input=False,  # two inputs; `facts` reads its kinds one by one
        keeps_keys=False,
        relies_on_keys=False,
        reduces_rows=False,
        is_costly=True,
    )

    def output(self, inputs: Sequence[Schema]) -> Schema:
        left, right = inputs
        if self.kind == JoinKind.CROSS and self.condition is not None:
            raise IllFormedError("a cross join has no condition")
        if self.condition is not None:
            require_boolean(self.condition, left + right)
        match self.kind:
            case JoinKind.SEMI | JoinKind.ANTI:
                return left
            case JoinKind.LEFT:
                # Also columns declared never null: those of a row without partner are.
                return left + right.as_nullable()
            case JoinKind.FULL:
                return left.as_nullable() + right.as_nullable()
            case _:
                return left + right


@final
@dataclass(frozen=True, slots=True)
class Aggregate(Operator):
    """One row per group of rows equal on `keys` (null is equal to null); keys, then calls."""

    keys: tuple[ex.Named, ...]
    calls: tuple[NamedCall, ...] = ()
    traits = OperatorTraits(
        order=RowOrder.NONE,
        sees_order=False,
        keeps_sets=False,  # depends on the calls, see `semantics_needed`
        extends_input=False,
        keeps_keys=False,
        relies_on_keys=True,  # to choose among rows tied in what a call goes by
        reduces_rows=True,
        is_costly=True,
    )

    def output(self, inputs: Sequence[Schema]) -> Schema:
        (rows,) = inputs
        if not self.keys:
            raise IllFormedError("an aggregate without keys is a GlobalAggregate")
        for key in self.keys:
            if not ty.is_orderable(key.expr.type):
                raise IllFormedError(
                    f"column {key.name!r} of type {key.expr.type} cannot be grouped"
                )
        keys = tuple(computed(key, rows) for key in self.keys)
        return Schema(keys + aggregated(self.calls, rows, has_rows=True))


@final
@dataclass(frozen=True, slots=True)
class GlobalAggregate(Operator):
    """Exactly one row, even on empty input."""

    calls: tuple[NamedCall, ...]
    traits = OperatorTraits(
        order=RowOrder.NONE,
        sees_order=False,
        keeps_sets=False,  # depends on the calls, see `semantics_needed`
        extends_input=False,
        keeps_keys=False,
        relies_on_keys=True,  # to choose among rows tied in what a call goes by
        reduces_rows=True,
        is_costly=True,
    )

    def output(self, inputs: Sequence[Schema]) -> Schema:
        (rows,) = inputs
        return Schema(aggregated(self.calls, rows, has_rows=False))


@final
@dataclass(frozen=True, slots=True)
class Union(Operator):
    """All rows of all inputs, columns by position; names are those of the first."""

    arity = None
    traits = OperatorTraits(
        order=RowOrder.NONE,
        sees_order=False,
        keeps_sets=True,
        extends_input=False,
        keeps_keys=False,
        relies_on_keys=False,
        reduces_rows=False,
        is_costly=False,
    )

    def output(self, inputs: Sequence[Schema]) -> Schema:
        first = inputs[0]
        for other in inputs[1:]:
            require_same_types("union", first, other)
        # A column is never null only if it is so in every input.
        return Schema(
            tuple(
                Field(f.name, f.type, any(s.fields[i].nullable for s in inputs))
                for i, f in enumerate(first)
            )
        )


@final
@dataclass(frozen=True, slots=True)
class IntersectAll(Operator):
    """Each row as often as in the input where it is rarer; null equals null."""

    arity = 2
    traits = OperatorTraits(
        order=RowOrder.NONE,
        sees_order=False,
        keeps_sets=False,  # copies count
        extends_input=False,
        keeps_keys=False,
        relies_on_keys=False,
        reduces_rows=False,
        is_costly=True,
    )

    def output(self, inputs: Sequence[Schema]) -> Schema:
        require_same_types("intersect", *inputs)
        return inputs[0]


@final
@dataclass(frozen=True, slots=True)
class ExceptAll(Operator):
    """Each row of the first input as often as it has more copies there than in the second."""

    arity = 2
    traits = OperatorTraits(
        order=RowOrder.NONE,
        sees_order=False,
        keeps_sets=False,  # copies count
        extends_input=False,
        keeps_keys=False,
        relies_on_keys=False,
        reduces_rows=False,
        is_costly=True,
    )

    def output(self, inputs: Sequence[Schema]) -> Schema:
        require_same_types("except", *inputs)
        return inputs[0]


@final
@dataclass(frozen=True, slots=True)
class Deduplicate(Operator):
    """One row, whichever, of each group of rows equal on `keys`."""

    keys: tuple[ex.Column, ...]
    traits = OperatorTraits(
        order=RowOrder.UNKNOWN,  # rows of a group are gathered, yet one without duplicates may stay in place
        sees_order=False,
        keeps_sets=False,  # which row of a group is kept may depend on the rest
        extends_input=True,
        keeps_keys=True,
        relies_on_keys=True,  # to choose among rows of a group
        reduces_rows=True,
        is_costly=True,
    )

    def output(self, inputs: Sequence[Schema]) -> Schema:
        (rows,) = inputs
        for key in self.keys:
            require_columns(key, rows)
        return rows


@final
@dataclass(frozen=True, slots=True)
class Sort(Operator):
    """The rows in the order of `keys`; rows equal on all of them in any order."""

    keys: tuple[ex.SortKey, ...]
    traits = OperatorTraits(
        order=RowOrder.OWN,
        sees_order=False,
        keeps_sets=True,
        extends_input=True,
        keeps_keys=True,
        relies_on_keys=False,
        reduces_rows=False,
        is_costly=False,  # a stored result would have to be sorted again
    )

    def output(self, inputs: Sequence[Schema]) -> Schema:
        (rows,) = inputs
        if not self.keys:
            raise IllFormedError("a sort needs a key")
        for key in self.keys:
            require_columns(key.expr, rows)
        return rows


@final
@dataclass(frozen=True, slots=True)
class Limit(Operator):
    """At most `count` rows after skipping `offset`; None for no limit."""

    count: int | None
    offset: int = 0
    traits = OperatorTraits(
        order=RowOrder.KEPT,
        sees_order=True,
        keeps_sets=False,  # the number of rows counts
        extends_input=True,
        keeps_keys=True,
        relies_on_keys=True,  # to choose among rows tied in the order it follows
        reduces_rows=True,
        is_costly=False,
    )

    def output(self, inputs: Sequence[Schema]) -> Schema:
        (rows,) = inputs
        if (self.count is not None and self.count < 0) or self.offset < 0:
            raise IllFormedError("a limit and an offset are not negative")
        return rows


@final
@dataclass(frozen=True, slots=True)
class Over(Operator):
    """The rows with one column more for each window function."""

    calls: tuple[NamedOver, ...]
    traits = OperatorTraits(
        order=RowOrder.UNKNOWN,
        sees_order=False,
        keeps_sets=False,  # a window function counts the rows beside
        extends_input=True,
        keeps_keys=True,
        relies_on_keys=True,  # to choose among rows tied in the order of a call
        reduces_rows=False,
        is_costly=True,
    )

    def output(self, inputs: Sequence[Schema]) -> Schema:
        (rows,) = inputs
        added = []
        for named in self.calls:
            call = named.call
            for expr in (*call.args, *call.partition, *(k.expr for k in call.order)):
                require_columns(expr, rows)
            if call.where is not None:
                require_boolean(call.where, rows)
            added.append(Field(named.name, call.type, aggregate_nullable(call)))
        return rows + Schema(tuple(added))


@final
@dataclass(frozen=True, slots=True)
class Unnest(Operator):
    """The rows, each repeated for every element of `generator`, elements as further columns.

    `position` adds the element's number from zero; `outer` keeps rows without elements, padded.
    An array of structs with `inline` gives one column per field.
    """

    generator: ex.Expr
    names: tuple[str, ...]
    outer: bool = False
    position: bool = False
    inline: bool = False
    traits = OperatorTraits(
        order=RowOrder.UNKNOWN,
        sees_order=False,
        keeps_sets=True,
        extends_input=True,
        keeps_keys=False,  # a row is repeated for every element
        relies_on_keys=False,
        reduces_rows=False,
        is_costly=False,
    )

    def output(self, inputs: Sequence[Schema]) -> Schema:
        (rows,) = inputs
        require_columns(self.generator, rows)
        types = self.generated_types()
        if len(types) != len(self.names):
            raise IllFormedError(f"{len(self.names)} names for {len(types)} generated columns")
        return rows + Schema(tuple(Field(n, t) for n, t in zip(self.names, types, strict=True)))

    def generated_types(self) -> tuple[ty.DataType, ...]:
        """Types of the added columns."""
        position: tuple[ty.DataType, ...] = (ty.INT,) if self.position else ()
        match self.generator.type:
            case ty.ArrayType(ty.StructType(fields)) if self.inline:
                return position + tuple(t for _, t in fields)
            case ty.ArrayType(element) if not self.inline:
                return (*position, element)
            case ty.MapType(key, value) if not self.inline:
                return (*position, key, value)
            case other:
                raise IllFormedError(f"nothing to unnest in {other}")


@final
@dataclass(frozen=True, slots=True)
class Lateral(Operator):
    """Each row joined with the rows of `query`, a subquery that may read its columns.

    `outer` keeps rows without partner, padded.
    """

    query: Dataflow
    outer: bool = False
    traits = OperatorTraits(
        order=RowOrder.UNKNOWN,
        sees_order=False,
        keeps_sets=False,  # the subquery may count
        extends_input=True,
        keeps_keys=False,  # a row is repeated for every partner
        relies_on_keys=False,
        reduces_rows=False,
        is_costly=True,
    )

    def output(self, inputs: Sequence[Schema]) -> Schema:
        (rows,) = inputs
        for outer in outer_columns(self.query):
            if outer.depth == 1:
                require_columns(ex.Column(outer.name, outer.type, outer.occurrence), rows)
        partners = self.query.result_schema
        return rows + (partners.as_nullable() if self.outer else partners)

    @property
    def own_query(self) -> Dataflow:
        return self.query

    def with_own_query(self, query: Dataflow) -> Lateral:
        return replace(self, query=query)


@final
@dataclass(frozen=True, slots=True)
class Sample(Operator):
    """A random part of the rows."""

    fraction: float
    seed: int | None = None
    replacement: bool = False
    traits = OperatorTraits(
        order=RowOrder.UNKNOWN,
        sees_order=False,
        keeps_sets=False,
        extends_input=True,
        keeps_keys=False,  # with replacement a row may come twice
        relies_on_keys=False,
        reduces_rows=False,  # a share of many rows is many
        is_costly=False,
    )

    def output(self, inputs: Sequence[Schema]) -> Schema:
        (rows,) = inputs
        if self.fraction < 0 or (self.fraction > 1 and not self.replacement):
            raise IllFormedError(f"cannot sample a share of {self.fraction}")
        return rows


@final
@dataclass(frozen=True, slots=True)
class RowUdf(Operator):
    """An opaque function of the columns `reads`, row by row, appending the columns `adds`.

    Equal identities are equal functions. `kind` names the library operator it stands for.
    """

    identity: str
    reads: tuple[ex.Column, ...]
    adds: tuple[Field, ...]
    kind: str = "UDF"
    traits = OperatorTraits(
        order=RowOrder.UNKNOWN,  # Spark may run it in batches of rows
        sees_order=False,
        keeps_sets=True,
        extends_input=True,
        keeps_keys=True,
        relies_on_keys=False,
        reduces_rows=False,
        is_costly=True,  # runs code of users
    )

    def output(self, inputs: Sequence[Schema]) -> Schema:
        (rows,) = inputs
        for column in self.reads:
            require_columns(column, rows)
        if not self.adds:
            raise IllFormedError(f"{self.kind} adds no column")
        return rows + Schema(self.adds)


UDF_SCOPES = ("table", "group", "batch")


@final
@dataclass(frozen=True, slots=True)
class TableUdf(Operator):
    """An opaque function of whole inputs: of the table, of each group, or of arbitrary batches.

    One that is `batched` chooses only as far as it looks at how, and in which order, it is given
    rows.
    """

    identity: str
    fields: tuple[Field, ...]
    scope: str = "table"
    keys: tuple[ex.Column, ...] = ()
    deterministic: bool = True
    kind: str = "UDF"
    batched: bool = False
    trusted: tuple[str, ...] = field(default=(), metadata=UNLESS_DEFAULT)  # packages believed pure
    arity = None
    traits = OperatorTraits(
        order=RowOrder.UNKNOWN,  # a function may give rows in any order it likes
        sees_order=True,
        keeps_sets=False,  # a function may count
        extends_input=False,
        keeps_keys=False,
        relies_on_keys=False,
        reduces_rows=False,
        is_costly=True,  # runs code of users
    )

    def output(self, inputs: Sequence[Schema]) -> Schema:
        if self.scope not in UDF_SCOPES:
            raise IllFormedError(f"unknown scope {self.scope!r}, expected {', '.join(UDF_SCOPES)}")
        if bool(self.keys) != (self.scope == "group"):
            raise IllFormedError("keys belong to a function of groups")
        for key in self.keys:
            for rows in inputs:
                require_columns(key, rows)
        return Schema(self.fields)


# Operators that run a function which is known by its identity alone.
AnyUdf: TypeAlias = RowUdf | TableUdf
TABLE = "table"  # the kind of a sink that is no chart


@final
@dataclass(frozen=True, slots=True)
class Sink(Operator):
    """A result: a table, or a visualization that reads some columns.

    `kind` is the kind of chart, or `TABLE`. `write` says how a program writes it, where one does.
    `positional` sinks (INSERT INTO, CSV) care for the order of columns.
    """

    name: str
    kind: str = TABLE
    target: str = ""
    columns: tuple[ex.Column, ...] = ()
    positional: bool = False
    write: AnyWrite | None = field(default=None, metadata=UNLESS_DEFAULT)
    named: bool = field(default=False, metadata=UNLESS_DEFAULT)  # by people, all its columns
    untold: tuple[str, ...] = field(default=(), metadata=UNLESS_DEFAULT)  # columns of unknown type
    traits = OperatorTraits(
        order=RowOrder.SHOWN,
        sees_order=False,
        keeps_sets=False,  # needs what was asked for
        extends_input=False,
        keeps_keys=False,
        relies_on_keys=False,
        reduces_rows=False,
        is_costly=False,
    )

    def output(self, inputs: Sequence[Schema]) -> Schema:
        (rows,) = inputs
        if not self.columns:
            return rows
        return Schema(tuple(computed(ex.Named(c.name, c), rows) for c in self.columns))

    @property
    def is_chart(self) -> bool:
        """Whether it is drawn, not kept as a table."""
        return self.kind != TABLE

    def places(self, rows: Schema) -> list[int]:
        """Where the columns it shows stand in its input."""
        shown = [rows.place(c.name, c.occurrence) for c in self.columns]
        return shown or list(range(len(rows)))


# Closed: a function over operators that ends in `assert_never` fails the type check for a class
# added here until it handles it; see docs/adding-an-operator.md.
AnyOperator: TypeAlias = (
    Source
    | Values
    | Filter
    | Project
    | Join
    | Aggregate
    | GlobalAggregate
    | Union
    | IntersectAll
    | ExceptAll
    | Deduplicate
    | Sort
    | Limit
    | Over
    | Unnest
    | Lateral
    | Sample
    | RowUdf
    | TableUdf
    | Sink
)
OPERATOR_CLASSES: tuple[type[AnyOperator], ...] = get_args(AnyOperator)


def aggregated(calls: Iterable[NamedCall], rows: Schema, *, has_rows: bool) -> tuple[Field, ...]:
    """The columns aggregate calls make; `has_rows` where they are never over no rows."""
    out = []
    for named in calls:
        for arg in named.call.args:
            require_columns(arg, rows)
        if named.call.where is not None:
            require_boolean(named.call.where, rows)
        nullable = aggregate_nullable(named.call)
        if has_rows and is_present_of_present(named.call, rows):
            nullable = False
        out.append(Field(named.name, named.call.type, nullable))
    return tuple(out)
