"""The context with everything it needs: how symbols are made is put together here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from veer.ir.expr import Expr
from veer.ir.types import DataType
from veer.prove.algebra import existence, folds, totals
from veer.prove.algebra.context import Context
from veer.prove.algebra.terms import Bag, Term


@final
@dataclass
class Algebra(Context):
    """The context of one query pair.

    Making a symbol simplifies its definition, simplifying substitutes, and substituting makes the
    symbols anew: the three know each other through this class alone.
    """

    def exists(self, bag: Bag) -> Expr:
        """The condition that some term of a bag has a row."""
        return existence.exists(self, bag)

    def fold(self, function: str, type_: DataType, distinct: bool, bag: Bag) -> Expr:
        """The value of an aggregate function over a bag of argument rows."""
        return folds.fold(self, function, type_, distinct, bag)

    def total(self, term: Term, type_: DataType) -> Expr:
        """The only output of a term, never null where its conditions hold, added up."""
        return totals.total(self, term, type_)
