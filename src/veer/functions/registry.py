"""The one registry of functions: a row per function holds all that Veer knows of it.

    scalar("upper ucase", "Upper", signature(STRING, STRING), str.upper)(PLAIN, TextUse.LETTER_CASE)

A row names the function and its aliases in SQL, the classes of Catalyst that mean it where they
stand in a plan with their usual parameters, its typing rule and its meaning; traits follow, and the
type of a trait says which column it fills. A scalar function's `meaning(argument types, result
type)` gives a Python function from argument values to a value; an aggregate's gives one from the
list of argument rows. The modules beside this one hold the rows; importing the package imports
them all. What a trait says is documented in `traits`, how to write a row in
docs/adding-a-function.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar, final

from veer.errors import IllFormedError, UnsupportedError
from veer.functions.traits import (
    AS_WRITTEN,
    Adding,
    Called,
    CalledBackwards,
    Claim,
    Coercion,
    Converted,
    Domain,
    Evaluation,
    Folding,
    FoldMeaning,
    Indexed,
    Infix,
    InZone,
    Older,
    OverMeaning,
    Prefix,
    PythonOnly,
    SchemaNulls,
    Shown,
    SolverMeaning,
    SqlForm,
    TextUse,
    WithoutAnsi,
    ZoneUse,
)
from veer.ir.types import DataType
from veer.settings import SparkVersion


class Failure(Exception):
    """A run that fails, as Spark would under ANSI; the text is Spark's error condition."""


class Kind(Enum):
    """Kinds of determinism; from this registry, never from Catalyst's flag."""

    PURE = "pure"  # a function of its arguments
    RUN_CONSTANT = "run constant"  # one value per run, shared by both versions
    CHOICE = "choice"  # one of several allowed results: ties, random numbers, float sums
    PARTITION = "partition dependent"  # depends on how rows are distributed


class Nulls(Enum):
    """When a function gives null."""

    STRICT = "null exactly when an argument is"
    PROPAGATE = "null when an argument is, and perhaps otherwise"
    NEVER = "never null; sees null arguments"
    CUSTOM = "sees null arguments and decides"


# Words of rows.
PURE, CHOICE, RUN_CONSTANT, PARTITION = Kind.PURE, Kind.CHOICE, Kind.RUN_CONSTANT, Kind.PARTITION
STRICT, PROPAGATE, TOTAL, PARTIAL = Nulls.STRICT, Nulls.PROPAGATE, Domain.TOTAL, Domain.PARTIAL
NULLABLE_IF_ANY, NULLABLE, NOT_NULLABLE = SchemaNulls.ANY, SchemaNulls.ALWAYS, SchemaNulls.NEVER
SETTLED, IEEE = Folding.SETTLED, Folding.IEEE
TYPED, KEEPS_VALUES, ANY_ZERO = Claim.TYPED, Claim.KEEPS_VALUES, Claim.IGNORES_ZERO_SIGN
# What most functions of one row claim, of all arguments or of those on which they do not fail.
PLAIN = PURE, STRICT, TOTAL, NULLABLE_IF_ANY, SETTLED
FAILING = PURE, STRICT, PARTIAL, NULLABLE_IF_ANY, SETTLED
NUMERIC = PURE, STRICT, PARTIAL, NULLABLE_IF_ANY, IEEE, TYPED, ANY_ZERO


class Argument(NamedTuple):
    """What typing may know of an argument."""

    type: DataType
    is_literal: bool = False
    value: Any = None


class Resolved(NamedTuple):
    """Types the arguments must be cast to, and the type of the result."""

    arguments: tuple[DataType, ...]
    result: DataType


Rule = Callable[[Sequence[Argument]], Resolved]
Meaning = Callable[[Sequence[DataType], DataType], Callable[..., Any]]


@dataclass(frozen=True, kw_only=True)
class Function:
    """What scalar, aggregate and window functions have in common. A class no row names is opaque."""

    name: str
    rule: Rule
    meaning: Meaning
    kind: Kind
    aliases: tuple[str, ...] = ()
    spark: tuple[str, ...] = ()
    keeps_values: bool = False
    shown: Shown = AS_WRITTEN
    zone: ZoneUse | None = None
    since: SparkVersion | None = None  # the Spark it came with; None if it was there in 3.5
    older: tuple[Older, ...] = ()

    def resolve(self, args: Sequence[Argument]) -> Resolved:
        """The types of arguments and result; an error names the function."""
        try:
            return self.rule(args)
        except IllFormedError as error:
            raise IllFormedError(f"{self.name}: {error}") from None


@final
@dataclass(frozen=True, kw_only=True)
class ScalarFunction(Function):
    """A function of one row."""

    nulls: Nulls
    domain: Domain
    sql: SqlForm
    schema_nulls: SchemaNulls | None = None
    solver: SolverMeaning = SolverMeaning.UNINTERPRETED
    folding: Folding = Folding.NEVER
    evaluation: Evaluation = Evaluation.IN_ORDER
    coercion: Coercion = Coercion.ONE_STEP
    texts: TextUse | None = None
    ignores_zero_sign: bool = False
    by_pattern: bool = False
    without_ansi: WithoutAnsi | None = None
    attempt_of: str | None = None  # the function that fails where this one gives null
    extracts: tuple[str, ...] = ()  # EXTRACT(field FROM x) is this function for these fields

    @property
    def can_fail(self) -> bool:
        """Whether some non-null arguments fail the run; `expressions.failing` looks at constants."""
        return self.domain is not Domain.TOTAL


@final
@dataclass(frozen=True, kw_only=True)
class AggregateFunction(Function):
    """A function of the bag of rows of a group; `meaning` sees them as a list in some order."""

    ignores_duplicates: bool = False
    ignores_order: bool = False
    ignores_nulls: bool = False
    empty_has_value: bool = False
    present_of_present: bool = False
    adding: Adding = Adding.DOUBLES
    chooses_by_rounding: bool = False
    settled_by_flag: bool = False
    prover: FoldMeaning = FoldMeaning.UNINTERPRETED
    counts_rows: bool = False
    needs_order = False

    @property
    def empty_is_null(self) -> bool:
        """Whether it is null when no row counts."""
        return not self.empty_has_value


@final
@dataclass(frozen=True, kw_only=True)
class OverFunction(Function):
    """A ranking or offset function; only defined over a window.

    With `reads_frame` it is a function of the argument rows of the frame, as an aggregate is.
    """

    needs_order: bool = True
    reads_frame: bool = False
    reads_order_alone: bool = False
    never_null: bool = False
    prover: OverMeaning = OverMeaning.UNINTERPRETED
    counts_rows: bool = False

    @property
    def is_nullable(self) -> bool:
        """Whether it can give null."""
        return not self.never_null


@final
@dataclass(frozen=True, slots=True)
class OpaqueFunction:
    """A pure function; only the type of its result is known.

    `result` gives the type by the types of the arguments, or None where they do not fit.
    """

    name: str
    result: Callable[[Sequence[DataType]], DataType | None]
    schema_nulls: SchemaNulls | None = None
    since: SparkVersion | None = None
    shows_addresses: bool = False
    in_capitals: bool = False


SCALAR: dict[str, ScalarFunction] = {}
AGGREGATE: dict[str, AggregateFunction] = {}
OVER: dict[str, OverFunction] = {}
OPAQUE: dict[str, OpaqueFunction] = {}
ALIASES: dict[str, str] = {}
SPARK_CLASSES: dict[str, str] = {}  # expression classes of Catalyst, and what they mean


def canonical_name(name: str) -> str:
    """The registry's name for a function as written in any case or by an alias."""
    lowered = name.lower()
    return ALIASES.get(lowered, lowered)


def attempt_of(name: str) -> str | None:
    """The scalar function that gives null where the one of that name fails, if there is one."""
    return next((f.name for f in SCALAR.values() if f.attempt_of == name), None)


def extracting(field: str) -> str | None:
    """The scalar function that EXTRACT means with a field, if it is known."""
    return next((f.name for f in SCALAR.values() if field in f.extracts), None)


def scalar_function(name: str) -> ScalarFunction:
    """The scalar function of that exact registry name."""
    if name not in SCALAR:
        raise UnsupportedError(f"unknown function {name!r}")
    return SCALAR[name]


def aggregate_function(name: str) -> AggregateFunction:
    """The aggregate function of that exact registry name."""
    if name not in AGGREGATE:
        raise UnsupportedError(f"unknown aggregate function {name!r}")
    return AGGREGATE[name]


def any_function(name: str) -> Function | None:
    """The function of any sort of that exact registry name, if there is one."""
    return SCALAR.get(name) or AGGREGATE.get(name) or OVER.get(name)


def over_function(name: str) -> OverFunction | AggregateFunction:
    """The ranking, offset or aggregate function usable over a window."""
    function = OVER.get(name) or AGGREGATE.get(name)
    if function is None:
        raise UnsupportedError(f"unknown window function {name!r}")
    return function


def schema_nulls(name: str) -> SchemaNulls | None:
    """When Spark's schemas call the result of a scalar function nullable; None if it is unknown."""
    function = SCALAR.get(name) or OPAQUE.get(name)
    return function.schema_nulls if function is not None else None


def aggregate_schema_nulls(name: str) -> SchemaNulls | None:
    """When they do so of an aggregate or window function; None if it is unknown."""
    if name.startswith("legacy.") or name in ("lag", "lead") or name not in {**AGGREGATE, **OVER}:
        return None
    is_nullable = AGGREGATE[name].empty_is_null if name in AGGREGATE else OVER[name].is_nullable
    return SchemaNulls.ALWAYS if is_nullable else SchemaNulls.NEVER


# -- rows ----------------------------------------------------------------------------------------

Trait: TypeAlias = (
    Kind | Nulls | Domain | SchemaNulls | SolverMeaning | Folding | Evaluation | Coercion | TextUse
    | SqlForm | Shown | Adding | FoldMeaning | OverMeaning | WithoutAnsi | ZoneUse | SparkVersion
    | Older | Claim
)  # fmt: skip
Traits: TypeAlias = Trait | tuple[Trait, ...]  # one, or a group of them
_COLUMNS: dict[type, str] = {
    Kind: "kind", Nulls: "nulls", Domain: "domain", SchemaNulls: "schema_nulls",
    SolverMeaning: "solver", Folding: "folding", Evaluation: "evaluation", Coercion: "coercion",
    TextUse: "texts", Shown: "shown", Adding: "adding", FoldMeaning: "prover",
    OverMeaning: "prover", WithoutAnsi: "without_ansi", ZoneUse: "zone", SparkVersion: "since",
    **dict.fromkeys((Called, CalledBackwards, Infix, Prefix, Indexed, Converted), "sql"),
    **dict.fromkeys((InZone, PythonOnly), "sql"),
}  # fmt: skip


def _columns(traits: Iterable[Traits]) -> dict[str, Any]:
    """The columns that traits fill, none twice; those before some Spark come in their order."""
    columns: dict[str, Any] = {}
    groups = [group if isinstance(group, tuple) else (group,) for group in traits]
    for trait in (trait for group in groups for trait in group):
        if isinstance(trait, Older):
            columns["older"] = (*columns.get("older", ()), trait)
            continue
        is_claim = isinstance(trait, Claim)
        column = trait.value if isinstance(trait, Claim) else _COLUMNS[type(trait)]
        if column in columns:
            raise TypeError(f"a row says its {column} twice")
        columns[column] = is_claim or trait
    return columns


F = TypeVar("F", ScalarFunction, AggregateFunction, OverFunction)


class Row(Protocol):
    """A row that is called with the traits of its function."""

    def __call__(self, *traits: Traits, **others: Any) -> None: ...


def scalar(names: str, spark: str, rule: Rule, meaning: Callable[..., Any]) -> Row:
    """A row of a scalar function, whose kind, null rule and domain must be among its traits.

    Others of `ScalarFunction` claim nothing by default. In SQL the function is called by its name
    unless a trait says otherwise.
    """
    in_sql = Called(names.split()[0])
    return _row(SCALAR, ScalarFunction, names, spark, rule, meaning, sql=in_sql)


def aggregate(names: str, spark: str, rule: Rule, meaning: Meaning) -> Row:
    """A row of an aggregate function, whose kind must be among its traits."""
    return _row(AGGREGATE, AggregateFunction, names, spark, rule, meaning, typed=True)


def over(name: str, spark: str, rule: Rule, meaning: Callable[..., Any]) -> Row:
    """A row of a window function, whose kind must be among its traits."""
    return _row(OVER, OverFunction, name, spark, rule, meaning)


def _row(
    table: dict[str, F],
    function: type[F],
    names: str,
    spark: str,
    rule: Rule,
    meaning: Callable[..., Any],
    **usual: Any,
) -> Row:
    name, *aliases = names.split()

    def row(*traits: Traits, **others: Any) -> None:
        columns = usual | _columns(traits) | others
        typed = columns.pop("typed", False)
        table[name] = entry = function(
            name=name,
            aliases=tuple(aliases),
            spark=tuple(spark.split()),
            rule=rule,
            meaning=meaning if typed else lambda _arguments, _result: meaning,
            **columns,
        )
        ALIASES.update(dict.fromkeys(entry.aliases, name))
        SPARK_CLASSES.update(dict.fromkeys(entry.spark, name))

    return row


def opaque(
    names: str,
    result: DataType | Callable[[Sequence[DataType]], DataType | None],
    *traits: Traits,
) -> None:
    """Register functions that are known by the type of the result alone, fixed or by a rule."""
    rule = result if callable(result) else lambda _: result
    for name in names.split():
        OPAQUE[name] = OpaqueFunction(name, rule, **_columns(traits))
