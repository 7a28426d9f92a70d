"""What symbols stand for: conditions and values defined by whole bags.

A symbol may stand for "some row of this term exists", for "the greatest of this bag" or for a sum
over the rows of a term.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, assert_never, final

from veer.functions.registry import AGGREGATE, Kind
from veer.ir import types as ty
from veer.ir.expr import Literal
from veer.prove.algebra.terms import Bag, Term

SCALAR = "scalar"  # the value of a scalar subquery, which is no aggregate function of Spark


def is_set_like(function: str) -> bool:
    """Whether a fold gives the same for a bag and for the set of its rows."""
    aggregate = AGGREGATE.get(function)  # the fold of a scalar subquery is none
    return aggregate is not None and aggregate.kind is Kind.PURE and aggregate.ignores_duplicates


def skips_nulls(function: str) -> bool:
    """Whether a fold does not see rows in which an argument is null."""
    aggregate = AGGREGATE.get(function)
    return aggregate is not None and aggregate.ignores_nulls


def value_over_nothing(function: str, type_: ty.DataType) -> Literal | None:
    """What a fold gives over no rows, or over none it sees; None where that is not aggregate."""
    aggregate = AGGREGATE.get(function)
    if function == "count":
        return Literal(0, type_)
    if function == SCALAR or (
        aggregate is not None and aggregate.ignores_nulls and aggregate.empty_is_null
    ):
        return Literal(None, type_)
    return None


@final
@dataclass(frozen=True, slots=True)
class SomeRow:
    """True if the term has a row."""

    term: Term


@final
@dataclass(frozen=True, slots=True)
class Folded:
    """The value of an aggregate function over a bag of argument rows."""

    function: str
    type: ty.DataType
    distinct: bool
    bag: Bag

    @property
    def ignores_duplicates(self) -> bool:
        """Whether it is the same over a set of argument rows."""
        return self.distinct or is_set_like(self.function)


@final
@dataclass(frozen=True, slots=True)
class Totaled:
    """The only output of a term, which is never null, added up: zero over no rows."""

    term: Term

    @property
    def counts(self) -> bool:
        """Whether every row adds at least one."""
        (output,) = self.term.outputs
        return isinstance(output, Literal) and output.value >= 1


Definition: TypeAlias = SomeRow | Folded | Totaled


def type_of(definition: Definition) -> ty.DataType:
    """The type of what a definition stands for."""
    match definition:
        case SomeRow():
            return ty.BOOLEAN
        case Folded(type=type_):
            return type_
        case Totaled(term):
            return term.outputs[0].type
        case _:
            assert_never(definition)


def is_nullable(definition: Definition) -> bool:
    """Whether what a definition stands for can be null.

    Whether a row exists is known, a total over no rows is zero, and so is a count.
    """
    return isinstance(definition, Folded) and definition.function != "count"


def body(definition: Definition) -> Bag:
    """The terms a definition is about."""
    return definition.bag if isinstance(definition, Folded) else (definition.term,)
