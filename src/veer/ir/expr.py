"""Expressions: typed, resolved, immutable; a closed union to `match` on.

Every node knows its type. A node that would be ill-typed cannot be built: `coercion` inserts
the casts Spark would insert, these constructors only accept what needs no further cast.
Truth is three-valued throughout; `Compare("<=>")` is the only null-safe comparison.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, final, get_args

from veer.errors import IllFormedError
from veer.functions import registry
from veer.ir import types as ty

if TYPE_CHECKING:
    from veer.ir.dag import Dataflow


@final
@dataclass(frozen=True, slots=True)
class Column:
    """A column of the operator's input: the `occurrence`-th of that name."""

    name: str
    type: ty.DataType
    occurrence: int = 0


@final
@dataclass(frozen=True, slots=True)
class OuterColumn:
    """Inside a subquery, a column of the row `depth` queries further out."""

    name: str
    type: ty.DataType
    occurrence: int = 0
    depth: int = 1


@final
@dataclass(frozen=True, slots=True)
class RowColumn:
    """Inside a proof: column `index` of the row that a tuple variable stands for.

    Only the prover and the refuter make these; no operator of a dataflow holds one. Printed as
    `t5.2`, as `t5.2!` if it is never null.
    """

    variable: int
    index: int
    type: ty.DataType
    nullable: bool = True

    def __hash__(self) -> int:
        return hash((self.variable, self.index))  # types are slow to hash and seldom differ


@final
@dataclass(frozen=True, slots=True)
class Symbol:
    """Inside a proof: a value defined elsewhere, such as a total or whether a row exists.

    Two symbols of one proof are the same exactly if their ids are. Printed as `?3`, as `?3!` if
    it is never null.
    """

    id: int
    type: ty.DataType
    nullable: bool = True

    def __hash__(self) -> int:
        return hash(self.id)


@final
@dataclass(frozen=True, slots=True)
class Literal:
    """A constant; `value` is None for NULL."""

    value: Any
    type: ty.DataType

    def __eq__(self, other: object) -> bool:
        # Representation-exact: 0.0 and -0.0, 1 and 1.0, 1.0 and 1.00 are different constants.
        return (
            isinstance(other, Literal)
            and self.type == other.type
            and repr(self.value) == repr(other.value)
        )

    def __hash__(self) -> int:
        return hash((repr(self.value), self.type))


@final
@dataclass(frozen=True, slots=True)
class And:
    """Conjunction: false wins over null."""

    args: tuple[Expr, ...]
    type = ty.BOOLEAN

    def __post_init__(self) -> None:
        _require_booleans("AND", self.args)


@final
@dataclass(frozen=True, slots=True)
class Or:
    """Disjunction: true wins over null."""

    args: tuple[Expr, ...]
    type = ty.BOOLEAN

    def __post_init__(self) -> None:
        _require_booleans("OR", self.args)


@final
@dataclass(frozen=True, slots=True)
class Not:
    """Negation: null stays null."""

    arg: Expr
    type = ty.BOOLEAN

    def __post_init__(self) -> None:
        _require_booleans("NOT", (self.arg,))


COMPARISONS = ("=", "<", "<=", ">", ">=", "<=>")


@final
@dataclass(frozen=True, slots=True)
class Compare:
    """Comparison of two values of one type; null if a side is null, except for `<=>`.

    NaN equals NaN and is greater than any other number; 0.0 equals -0.0.
    """

    op: str
    left: Expr
    right: Expr
    type = ty.BOOLEAN

    def __post_init__(self) -> None:
        if self.op not in COMPARISONS:
            raise IllFormedError(f"unknown comparison {self.op!r}")
        if self.left.type != self.right.type:
            raise IllFormedError(f"{self.op} compares {self.left.type} with {self.right.type}")
        if not ty.is_orderable(self.left.type):
            raise IllFormedError(f"values of type {self.left.type} cannot be compared")


@final
@dataclass(frozen=True, slots=True)
class IsNull:
    """Whether the value is null; never null itself."""

    arg: Expr
    type = ty.BOOLEAN


@final
@dataclass(frozen=True, slots=True)
class InList:
    """`arg IN (options)`: true if one equals, else null if arg or an option is null, else false."""

    arg: Expr
    options: tuple[Expr, ...]
    type = ty.BOOLEAN

    def __post_init__(self) -> None:
        if not self.options:
            raise IllFormedError("IN of no values, which Spark takes for false, also for null")
        for option in self.options:
            if option.type != self.arg.type:
                raise IllFormedError(f"IN compares {self.arg.type} with {option.type}")


@final
@dataclass(frozen=True, slots=True)
class Case:
    """The value of the first branch whose condition is true, else `otherwise`."""

    branches: tuple[tuple[Expr, Expr], ...]
    otherwise: Expr

    def __post_init__(self) -> None:
        _require_booleans("CASE WHEN", tuple(when for when, _ in self.branches))
        for _, then in self.branches:
            if then.type != self.otherwise.type:
                raise IllFormedError(f"CASE mixes {then.type} and {self.otherwise.type}")

    @property
    def type(self) -> ty.DataType:
        """That of every branch."""
        return self.otherwise.type


@final
@dataclass(frozen=True, slots=True)
class Cast:
    """Conversion to another type."""

    arg: Expr
    type: ty.DataType
    mode: ty.CastMode = ty.CastMode.ANSI


@final
@dataclass(frozen=True, slots=True)
class Call:
    """A function of the registry applied to arguments that need no further coercion."""

    function: str
    args: tuple[Expr, ...]
    type: ty.DataType

    def __post_init__(self) -> None:
        expected = registry.scalar_function(self.function).resolve(arguments(self.args))
        if expected.arguments != tuple(a.type for a in self.args) or expected.result != self.type:
            given = ", ".join(str(a.type) for a in self.args)
            raise IllFormedError(f"{self.function}({given}) does not give {self.type}")


OF_OTHERS = "gui"  # how identities begin of functions that another system computes


@final
@dataclass(frozen=True, slots=True)
class OpaqueCall:
    """A scalar function known only by its identity: equal identities, equal functions.

    It is not assumed strict: it may map null to anything. One that is `batched` is given many rows
    at once and chooses only as far as it looks at how they are batched. One that applies a function
    to each item of an array may hold that as its `body` (see `lambdas`); then the identity tells it.
    """

    identity: str
    args: tuple[Expr, ...]
    type: ty.DataType
    kind: registry.Kind = registry.Kind.PURE
    batched: bool = False
    body: Expr | None = field(default=None, metadata={"unless_default": True})
    # What is declared of it and believed: that it works row by row (its name), that packages are pure.
    row_wise: str = field(default="", metadata={"unless_default": True})
    trusted: tuple[str, ...] = field(default=(), metadata={"unless_default": True})


@final
@dataclass(frozen=True, slots=True)
class GetField:
    """A part of a struct; null if the struct is null."""

    arg: Expr
    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.arg.type, ty.StructType):
            raise IllFormedError(f"field {self.name!r} taken of {self.arg.type}, not of a struct")
        if self.name not in [n for n, _ in self.arg.type.fields]:
            raise IllFormedError(f"no field {self.name!r} in {self.arg.type}")

    @property
    def type(self) -> ty.DataType:
        """That of the field; of the first, where several have its name."""
        assert isinstance(self.arg.type, ty.StructType)
        return next(t for n, t in self.arg.type.fields if n == self.name)


@final
@dataclass(frozen=True, slots=True)
class Exists:
    """Whether the subquery has a row; never null."""

    query: Dataflow
    type = ty.BOOLEAN


@final
@dataclass(frozen=True, slots=True)
class InQuery:
    """`(args) IN (query)`: true if a row equals, else null if a comparison is null, else false."""

    args: tuple[Expr, ...]
    query: Dataflow
    type = ty.BOOLEAN

    def __post_init__(self) -> None:
        given, offered = tuple(a.type for a in self.args), self.query.result_schema.types
        if given != offered:
            raise IllFormedError(
                f"IN compares ({', '.join(map(str, given))}) with ({', '.join(map(str, offered))})"
            )


@final
@dataclass(frozen=True, slots=True)
class ScalarQuery:
    """The single value of a subquery; null if it is empty, a failure if it has two rows."""

    query: Dataflow

    def __post_init__(self) -> None:
        if len(self.query.result_schema) != 1:
            raise IllFormedError(
                f"a scalar subquery has one column, not {len(self.query.result_schema)}"
            )

    @property
    def type(self) -> ty.DataType:
        """That of the only column."""
        return self.query.result_schema.types[0]


Expr: TypeAlias = (
    Column
    | OuterColumn
    | RowColumn
    | Symbol
    | Literal
    | And
    | Or
    | Not
    | Compare
    | IsNull
    | InList
    | Case
    | Cast
    | Call
    | OpaqueCall
    | GetField
    | Exists
    | InQuery
    | ScalarQuery
)

# What operators may hold: the variables of proofs are not among them.
EXPR_CLASSES = (
    Column,
    OuterColumn,
    Literal,
    And,
    Or,
    Not,
    Compare,
    IsNull,
    InList,
    Case,
    Cast,
    Call,
    OpaqueCall,
    GetField,
    Exists,
    InQuery,
    ScalarQuery,
)


@dataclass(frozen=True, slots=True)
class ExprHolder:
    """The base of what is not an expression but may hold some among its properties.

    Walks over expressions (`exprs_in`, `map_exprs`) look inside these and nothing else.
    """


@final
@dataclass(frozen=True, slots=True)
class Named(ExprHolder):
    """An expression with the name of the column it makes."""

    name: str
    expr: Expr


@final
@dataclass(frozen=True, slots=True)
class SortKey(ExprHolder):
    """One key of an order; Spark puts nulls first when ascending, last when descending."""

    expr: Expr
    ascending: bool = True
    nulls_first: bool = True

    def __post_init__(self) -> None:
        if not ty.is_orderable(self.expr.type):
            raise IllFormedError(f"values of type {self.expr.type} cannot be sorted")


@final
@dataclass(frozen=True, slots=True)
class AggregateCall(ExprHolder):
    """An aggregate function over the rows of a group where `where` is true."""

    function: str
    args: tuple[Expr, ...]
    type: ty.DataType
    distinct: bool = False
    where: Expr | None = None

    def __post_init__(self) -> None:
        expected = registry.aggregate_function(self.function).resolve(arguments(self.args))
        if expected.arguments != tuple(a.type for a in self.args) or expected.result != self.type:
            given = ", ".join(str(a.type) for a in self.args)
            raise IllFormedError(f"{self.function}({given}) does not give {self.type}")
        if self.where is not None:
            _require_booleans("FILTER", (self.where,))


@final
@dataclass(frozen=True, slots=True)
class Frame:
    """The rows a window function sees: bounds relative to the current row.

    A bound is None (unbounded), 0 (current row), or an offset, negative for preceding;
    `unit` is "rows" or "range".
    """

    unit: str
    start: Any = None
    end: Any = 0


RUNNING = Frame("range", None, 0)
WHOLE = Frame("rows", None, None)


@final
@dataclass(frozen=True, slots=True)
class OverCall(ExprHolder):
    """A window function: ranking, offset or aggregate `function` over partition, order, frame."""

    function: str
    args: tuple[Expr, ...]
    type: ty.DataType
    partition: tuple[Expr, ...] = ()
    order: tuple[SortKey, ...] = ()
    frame: Frame = WHOLE
    ignore_nulls: bool = False
    where: Expr | None = None

    def __post_init__(self) -> None:
        function = registry.over_function(self.function)
        expected = function.resolve(arguments(self.args))
        if expected.arguments != tuple(a.type for a in self.args) or expected.result != self.type:
            given = ", ".join(str(a.type) for a in self.args)
            raise IllFormedError(f"{self.function}({given}) does not give {self.type}")
        if function.needs_order and not self.order:
            raise IllFormedError(f"{self.function} needs ORDER BY in its window")
        for key in self.partition:
            if not ty.is_orderable(key.type):
                raise IllFormedError(f"values of type {key.type} cannot partition rows")


def arguments(args: tuple[Expr, ...]) -> tuple[registry.Argument, ...]:
    """What a typing rule may know of arguments: their types, and the values of constants."""
    return tuple(
        registry.Argument(a.type, True, a.value)
        if isinstance(a, Literal)
        else registry.Argument(a.type)
        for a in args
    )


def _require_booleans(what: str, args: tuple[Expr, ...]) -> None:
    for arg in args:
        if arg.type != ty.BOOLEAN:
            raise IllFormedError(f"{what} needs a boolean, got {arg.type}")


# Everything an expression is made of: each is told by its class and properties, columns apart.
EXPR_PARTS: tuple[type[Any], ...] = (
    *get_args(Expr),
    Named,
    SortKey,
    AggregateCall,
    Frame,
    OverCall,
)
