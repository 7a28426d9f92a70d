"""The one registry of functions: an entry per function holds all that Veer knows of it.

A scalar function's `meaning(argument types, result type)` gives a Python function from argument
values to a value; an aggregate's gives one from the list of argument rows. The modules
beside this one register their functions; importing the package imports them all. What a trait
says is documented in `traits`, how to write an entry in docs/adding-a-function.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, TypedDict, Unpack, final

from veer.errors import IllFormedError, UnsupportedError
from veer.functions.traits import (
    AS_WRITTEN,
    Adding,
    Called,
    Coercion,
    Domain,
    Evaluation,
    Folding,
    FoldMeaning,
    OverMeaning,
    Shown,
    SolverMeaning,
    SqlForm,
    TextUse,
)
from veer.model.types import DataType


class Failure(Exception):
    """A run that fails, as Spark would under ANSI; the text is Spark's error condition."""


class Kind(Enum):
    """Kinds of determinism; from this registry, never from Catalyst's flag."""

    PURE = "pure"  # a function of its arguments
    RUN_CONSTANT = "run constant"  # one value per run, shared by both versions
    CHOICE = "choice"  # one of several allowed results: ties, random numbers, float sums
    PARTITION = "partition dependent"  # depends on how rows are spread


class Nulls(Enum):
    """When a function gives null."""

    STRICT = "null exactly when an argument is"
    PROPAGATE = "null when an argument is, and perhaps otherwise"
    NEVER = "never null; sees null arguments"
    CUSTOM = "sees null arguments and decides"


# What most entries say.
PURE, STRICT, TOTAL, PARTIAL = Kind.PURE, Nulls.STRICT, Domain.TOTAL, Domain.PARTIAL


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
    """What scalar, aggregate and window functions have in common.

    `aliases` are other names in SQL; `spark` are the classes of Catalyst that mean this function
    where they stand in a plan with their usual parameters. A class no function names is opaque.
    """

    name: str
    rule: Rule
    meaning: Meaning
    kind: Kind
    aliases: tuple[str, ...] = ()
    spark: tuple[str, ...] = ()
    keeps_values: bool = False  # hands on values of any type without looking into them
    shown: Shown = AS_WRITTEN

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
    solver: SolverMeaning = SolverMeaning.UNINTERPRETED
    folding: Folding = Folding.NEVER
    evaluation: Evaluation = Evaluation.IN_ORDER
    coercion: Coercion = Coercion.ONE_STEP
    texts: TextUse | None = None
    ignores_zero_sign: bool = False  # gives equal results for 0.0 and -0.0, or two zeros
    attempt_of: str | None = None  # the function that fails where this one gives null
    extracts: tuple[str, ...] = ()  # fields of which EXTRACT(field FROM x) is this function

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
    ignores_nulls: bool = False  # rows in which its argument is null
    empty_is_null: bool = True  # null (else a value such as 0 or []) when no row counts
    adding: Adding = Adding.DOUBLES
    chooses_by_rounding: bool = False  # a choice for the order of additions alone
    settled_by_flag: bool = False  # a choice, unless its last argument is the constant true
    prover: FoldMeaning = FoldMeaning.UNINTERPRETED
    counts_rows: bool = False  # its result tells how many rows there are
    needs_order = False


@final
@dataclass(frozen=True, kw_only=True)
class OverFunction(Function):
    """A ranking or offset function; only defined over a window.

    With `reads_frame` it is a function of the argument rows of the frame, as an aggregate is.
    """

    needs_order: bool = True
    reads_frame: bool = False
    reads_order_alone: bool = False  # no arguments; Catalyst lists the sort keys in their place
    is_nullable: bool = True
    prover: OverMeaning = OverMeaning.UNINTERPRETED
    counts_rows: bool = False  # its result tells how many rows there are


@final
@dataclass(frozen=True, slots=True)
class OpaqueFunction:
    """A pure function of which only the type of its result is known.

    `result` gives the type by the types of the arguments, or None where they do not fit.
    """

    name: str
    result: Callable[[Sequence[DataType]], DataType | None]
    shows_addresses: bool = False  # in memory, of arguments that have no text of their own


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


# -- registering -------------------------------------------------------------------------------


class _Traits(TypedDict, total=False):
    aliases: tuple[str, ...]
    spark: tuple[str, ...]
    keeps_values: bool
    shown: Shown


class ScalarTraits(_Traits, total=False):
    """What the entry of a scalar function may add."""

    solver: SolverMeaning
    folding: Folding
    evaluation: Evaluation
    coercion: Coercion
    texts: TextUse | None
    ignores_zero_sign: bool
    attempt_of: str
    extracts: tuple[str, ...]


class AggregateTraits(_Traits, total=False):
    """What the entry of an aggregate function may add."""

    ignores_duplicates: bool
    ignores_order: bool
    ignores_nulls: bool
    empty_is_null: bool
    adding: Adding
    chooses_by_rounding: bool
    settled_by_flag: bool
    prover: FoldMeaning
    counts_rows: bool


class OverTraits(_Traits, total=False):
    """What the entry of a window function may add."""

    needs_order: bool
    reads_frame: bool
    reads_order_alone: bool
    is_nullable: bool
    prover: OverMeaning
    counts_rows: bool


def scalar(
    name: str,
    rule: Rule,
    meaning: Callable[..., Any],
    kind: Kind,
    nulls: Nulls,
    domain: Domain,
    *,
    typed: bool = False,
    sql: SqlForm | None = None,
    **traits: Unpack[ScalarTraits],
) -> None:
    """Register a scalar function; `typed` if `meaning` wants the types first.

    Kind, null rule and domain must be said; other traits of `ScalarFunction` claim nothing by
    default. In SQL the function is called by its name unless `sql` says otherwise.
    """
    SCALAR[name] = ScalarFunction(
        name=name,
        rule=rule,
        meaning=meaning if typed else _untyped(meaning),
        kind=kind,
        nulls=nulls,
        domain=domain,
        sql=sql or Called(name),
        **traits,
    )
    _note_names(SCALAR[name])


def aggregate(
    name: str, rule: Rule, meaning: Meaning, kind: Kind, **traits: Unpack[AggregateTraits]
) -> None:
    """Register an aggregate function with traits of `AggregateFunction`."""
    AGGREGATE[name] = AggregateFunction(name=name, rule=rule, meaning=meaning, kind=kind, **traits)
    _note_names(AGGREGATE[name])


def over(
    name: str, rule: Rule, meaning: Callable[..., Any], kind: Kind, **traits: Unpack[OverTraits]
) -> None:
    """Register a window function with traits of `OverFunction`."""
    OVER[name] = OverFunction(name=name, rule=rule, meaning=_untyped(meaning), kind=kind, **traits)
    _note_names(OVER[name])


def opaque(
    name: str,
    type_: DataType | Callable[[Sequence[DataType]], DataType | None],
    *,
    shows_addresses: bool = False,
) -> None:
    """Register a function of which only the type of its result is known, always or by a rule."""
    rule = type_ if callable(type_) else lambda _: type_
    OPAQUE[name] = OpaqueFunction(name, rule, shows_addresses)


def _note_names(function: Function) -> None:
    ALIASES.update(dict.fromkeys(function.aliases, function.name))
    SPARK_CLASSES.update(dict.fromkeys(function.spark, function.name))


def _untyped(meaning: Callable[..., Any]) -> Meaning:
    return lambda _arguments, _result: meaning
